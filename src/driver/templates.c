#include "driver/templates.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "batch/job_header.h"
#include "driver/needed_files.h"
#include "driver/project.h"

enum { TEMPLATE_MAX = 1 << 20 };

static int refuse(struct compilation *c, struct location where, struct slice path,
                  const char *problem, struct slice name)
{
	where.file = path;
	diag_add(&c->diags, DIAG_TEMPLATE, where, "'%.*s' %s", SLICE_ARG(name), problem);
	return -1;
}

/* The batch system whose header the template is. */
static enum batch_system system_of(struct slice template)
{
	enum batch_system system = BATCH_SLURM;
	while (system < BATCH_LSF && !slice_eq(template, batch_header_name(system)))
		system++;
	return system;
}

/* Or nothing, or the comments that all settings are. */
static bool is_comment(struct slice line)
{
	return line.len == 0 || line.ptr[0] == '#' || slice_eq(line, SLICE("@sbatch@"));
}

static int check_line(struct compilation *c, struct slice path, unsigned number, struct slice line)
{
	struct slice rest = line, before, name, text = slice_trim_end(line);
	int status = 0;
	/* Values are not quoted for bash there, and a command would end what the batch system
	 * reads. */
	if (!is_comment(text))
		return refuse(c, location_in_line(0, number, line, 0, line.len), path,
		              "has a line that is no comment", path_file(path));
	while (batch_next_variable(&rest, &before, &name)) {
		if (batch_is_variable(system_of(path_file(path)), name))
			continue;
		size_t at = (size_t)(name.ptr - line.ptr) - 1;
		struct location where = location_in_line(0, number, line, at, name.len + 2);
		status = refuse(c, where, path, "is no variable of this template", name);
		diag_hint(&c->diags, DIAG_TEMPLATE, "nbscorep-templates(7) lists them");
	}
	return status;
}

static int check_text(struct compilation *c, struct slice path, struct slice text)
{
	struct slice line, rest = text, name = path_file(path);
	int status = 0;
	for (unsigned number = 1; slice_next_line(&rest, &line); number++) {
		size_t bad = utf8_check(line), nul = slice_find(line, '\0', 0);
		if (bad < line.len || nul < line.len)
			return refuse(c, (struct location){.line = number}, path,
			              nul < line.len ? "holds a NUL byte" : "is not UTF-8", name);
		if (check_line(c, path, number, line) < 0)
			status = -1;
	}
	return status;
}

/* The folder may be untrusted, and a FIFO would block the build. A dangling symlink fails when it is
 * read. */
static int check_kind(struct compilation *c, struct slice path)
{
	const char *name = arena_cstr(c->arena, path);
	int found = os_find_file(name);
	if (found == 0 && (os_check_readable(name) == 0 || errno == EISDIR))
		return refuse(c, (struct location){0}, path, "is not a regular file",
		              path_file(path));
	if (found >= 0)
		return 0;
	c->system_failed = true;
	diag_add(&c->diags, DIAG_IO, (struct location){0}, "cannot look at '%.*s': %s",
	         SLICE_ARG(path), strerror(errno));
	return -1;
}

static int read_template(struct compilation *c, struct slice path)
{
	size_t count;
	struct slice name = path_file(path), text;
	const struct slice *names = template_replaceable(&count);
	static const struct slice former[] = {SLICE_INIT("run.sh"), SLICE_INIT("ranks.sh")};
	if (slice_is_one_of(name, former, 2)) {
		refuse(c, (struct location){0}, path, "is not a template any more", name);
		diag_hint(&c->diags, DIAG_TEMPLATE,
		          "run scripts have no template now; the keys modules, setup and teardown "
		          "of nbscorep.yaml add lines to them");
		return -1;
	}
	if (!slice_is_one_of(name, names, count)) {
		struct slice near = suggest(name, names, count);
		refuse(c, (struct location){0}, path, "is no template's name", name);
		if (near.len > 0)
			diag_hint(&c->diags, DIAG_TEMPLATE, "did you mean '%.*s'?",
			          SLICE_ARG(near));
		else
			diag_hint(&c->diags, DIAG_TEMPLATE, "nbscorep-templates(7) lists them");
		return -1;
	}
	if (check_kind(c, path) < 0 ||
	    needed_file_read(c, SLICE("template-dir"), path, TEMPLATE_MAX, &text) < 0 ||
	    check_text(c, path, text) < 0)
		return -1;
	struct template_file file = {name, text};
	vec_push(c->arena, &c->templates.files, file);
	return 0;
}

static bool is_wanted(struct slice name)
{
	return name.ptr[0] != '.' && !slice_ends_with(name, SLICE("~"));
}

int templates_read(struct compilation *c, struct slice folder)
{
	struct os_names names = {0};
	if (project_list_folder(c, SLICE("template-dir"), folder, &names) < 0) {
		project_report_unread(c, SLICE("template-dir"), folder, errno);
		return -1;
	}
	int status = 0;
	for (size_t i = 0; status == 0 && i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		if (is_wanted(name))
			status = read_template(c, path_join(c->arena, folder, name));
	}
	return status;
}
