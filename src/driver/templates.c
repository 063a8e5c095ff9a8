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

/* Of the built-in template: a user's has the same variables. */
static bool has_variable(struct slice template, struct slice variable)
{
	struct slice before, name, text = template_text(template);
	while (batch_next_variable(&text, &before, &name)) {
		if (slice_eq(name, variable))
			return true;
	}
	return false;
}

/* The batch system whose header the template is, or -1. */
static int system_of(struct slice template)
{
	for (int i = BATCH_SLURM; i <= BATCH_LSF; i++) {
		if (slice_eq(template, batch_header_name((enum batch_system)i)))
			return i;
	}
	return -1;
}

static bool is_variable(struct slice template, struct slice variable)
{
	int system = system_of(template);
	return system < 0 ? has_variable(template, variable)
	                  : batch_is_variable((enum batch_system)system, variable);
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
	if (system_of(path_file(path)) >= 0 && !is_comment(text))
		return refuse(c, location_in_line(0, number, line, 0, line.len), path,
		              "has a line that is no comment", path_file(path));
	while (batch_next_variable(&rest, &before, &name)) {
		if (is_variable(path_file(path), name))
			continue;
		size_t at = (size_t)(name.ptr - line.ptr) - 1;
		struct location where = location_in_line(0, number, line, at, name.len + 2);
		status = refuse(c, where, path, "is no variable of this template", name);
		diag_hint(&c->diags, DIAG_TEMPLATE, "nbscorep-templates(7) lists them");
	}
	return status;
}

/* A run script that does not begin so would not be known as nbscorep's by the next build. */
static int check_beginning(struct compilation *c, struct slice path, struct slice text)
{
	static const struct slice beginning =
	        SLICE_INIT("#!/usr/bin/env bash\n# Compiled by nbscorep from @notebook_comment@");
	struct slice line;
	if (!slice_eq(path_file(path), SLICE("run.sh")) || slice_starts_with(text, beginning))
		return 0;
	(void)slice_next_line(&text, &line);
	int status = refuse(c, location_in_line(0, 1, line, 0, line.len), path,
	                    "does not begin as run scripts do", path_file(path));
	diag_hint(&c->diags, DIAG_TEMPLATE,
	          "its first two lines are '#!/usr/bin/env bash' and '# Compiled by nbscorep from "
	          "@notebook_comment@...'");
	return status;
}

static int check_text(struct compilation *c, struct slice path, struct slice text)
{
	struct slice line, rest = text, name = path_file(path);
	int status = check_beginning(c, path, text);
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
