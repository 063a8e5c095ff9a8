#include "cli/session.h"

#include <string.h>
#include <unistd.h>

#include "base/name_set.h"
#include "base/os.h"
#include "base/paths.h"
#include "base/suggest.h"
#include "cli/batch.h"
#include "cli/command_build.h"
#include "cli/config_program.h"
#include "cli/configuration.h"
#include "cli/parameters.h"
#include "cli/project.h"
#include "cli/read_sweep.h"
#include "cli/tally.h"
#include "cli/verify.h"
#include "version.h"

/* Of choices, as options.def lists them. */
enum { PACKAGE_INSTALLS_SKIP = 1, PACKAGE_INSTALLS_RUN };
enum { PATH_SHOWN = 1024 };

struct session {
	struct invocation *invocation;
	session_action *action;
	void *data; /* of the action */
	struct verifier verifier;
	struct diag_report report;
	struct strbuf out; /* what the report has to say since the last flush */
	int report_fd;
	struct tally tally;
	struct name_set
	        told; /* what was said of configuration files: several notebooks have the same */
	bool notebook_failed, system_failed;
};

static void flush(struct session *session)
{
	if (session->report_fd == STDOUT_FILENO) {
		if (cli_print(session->invocation->arena, strbuf_slice(&session->out)) != EXIT_DONE)
			session->system_failed = true;
	} else if (os_write_all(session->report_fd, strbuf_slice(&session->out)) < 0) {
		session->system_failed = true;
	}
	session->out.len = 0;
}

static int unknown_switch(struct arena *arena, const char *text)
{
	struct slice names[DIAG_KIND_COUNT];
	for (int i = 0; i < DIAG_KIND_COUNT; i++)
		names[i] = slice_from(diag_row((enum diag_kind)i)->name);
	struct slice name = slice_from(text),
	             equals = slice_sub(name, slice_find(name, '=', 0), name.len);
	if (equals.len > 0)
		name = slice_sub(equals, 1, equals.len);
	else if (slice_starts_with(name, SLICE("no-")))
		name = slice_sub(name, 3, name.len);
	struct slice near = suggest(name, names, DIAG_KIND_COUNT);
	if (diag_by_name(name) != DIAG_KIND_COUNT)
		return cli_usage_error(arena, "'-W%s' is not possible: '%.*s' is always an error",
		                       text, SLICE_ARG(name));
	return cli_usage_error(arena, "unknown switch '-W%s'; %s%.*s%s", text,
	                       near.len > 0 ? "did you mean '" : "'-Whelp' lists them",
	                       SLICE_ARG(near), near.len > 0 ? "'?" : "");
}

static int apply_switches(struct session *session, struct diags *diags)
{
	const struct options *options = session->invocation->options;
	if (session->invocation->command == COMMAND_RUN) /* which does what the remark misses */
		(void)diags_switch(diags, SLICE("no-vampir"));
	for (size_t i = 0; i < options->warnings.count; i++) {
		const char *text = options->warnings.items[i];
		if (diags_switch(diags, slice_from(text)) < 0)
			return unknown_switch(session->invocation->arena, text);
	}
	for (int i = 0; options->quiet && i < DIAG_KIND_COUNT; i++) {
		if (diags->severity[i] != SEVERITY_ERROR)
			diags->severity[i] = SEVERITY_IGNORED;
	}
	return 0;
}

static struct diag_report_file report_file_of(struct arena *arena, struct slice path,
                                              const struct notebook *notebook)
{
	size_t count = notebook == NULL ? 0 : notebook_last_cell(notebook);
	struct diag_report_cell *cells = arena_calloc(arena, count, sizeof *cells);
	/* A text has one cell, number 0. */
	for (size_t i = 0; count > 0 && i < notebook->cells.count; i++) {
		const struct cell *cell = &notebook->cells.items[i];
		cells[cell->number - 1] =
		        (struct diag_report_cell){cell->file_line, cell->lines_from};
	}
	return (struct diag_report_file){.name = path, .cells = cells, .cell_count = count};
}

static bool is_told(const struct diag *diag, void *data)
{
	struct session *session = data;
	struct arena *arena = session->invocation->arena;
	struct slice said =
	        arena_printf(arena, "%.*s:%u:%u: %.*s", SLICE_ARG(diag->where.file),
	                     diag->where.line, diag->where.column, SLICE_ARG(diag->message));
	size_t count = session->told.names.count;
	return diag->where.cell == 0 && diag->where.file.len > 0 &&
	       name_set_add(&session->told, said) < count;
}

static void report_notebook(struct session *session, struct compilation *c)
{
	struct diag_report_file file = report_file_of(c->arena, c->path, &c->notebook);
	for (size_t i = 0; i < c->included.files.count; i++) {
		const struct included_file *included = c->included.files.items[i];
		struct diag_report_file *other = ARENA_NEW(c->arena, struct diag_report_file);
		*other = report_file_of(c->arena, included->path, included->notebook);
		other->included = file.included;
		file.included = other;
	}
	if (slice_eq(c->path, SLICE("-")))
		file.name = SLICE("<stdin>");
	session->notebook_failed |= c->diags.errors > 0 && !c->system_failed;
	tally_add(&session->tally, &c->diags, c->system_failed);
	diags_sort(&c->diags);
	diags_remove(&c->diags, is_told, session);
	diag_report_add(&session->report, &file, &c->diags);
	flush(session);
	session->system_failed |= c->system_failed;
}

/* What -o says; a name without .py could hide no module. */
static struct slice script_name(const struct options *options)
{
	if (options->output == NULL)
		return slice_make(NULL, 0);
	struct slice name = slice_from(options->output);
	return slice_ends_with(name, SLICE(".py")) ? slice_sub(name, 0, name.len - 3) : SLICE("-");
}

static struct ir_options ir_options_of(const struct options *options, struct compilation *c)
{
	struct slice path = c->path;
	size_t ranks;
	build_read_count(arena_cstr(c->arena, config_text(&c->config.ranks)), &ranks);
	return (struct ir_options){
	        .filter = config_path_from_notebook(c, c->filter),
	        .program_name = compile_program_name(path),
	        .script_name = script_name(options),
	        .whole_notebook = options->whole_notebook,
	        .no_cell_regions = options->no_cell_regions,
	        .no_echo = options->no_echo,
	        .allow_outside = options->allow_outside,
	        .ranks = options->no_scorep ? 0 : ranks,
	        .all_ranks = options->all_ranks,
	        .instrument = (enum instrument)options->instrument,
	        .unknown_magics = options->unknown_magics == 0
	                                  ? UNKNOWN_MAGICS_IPYTHON
	                                  : (enum unknown_magics)(options->unknown_magics - 1),
	        .install_packages = options->package_installs == PACKAGE_INSTALLS_RUN,
	        .figures = options->figures == NULL ? slice_make(NULL, 0)
	                                            : slice_from(options->figures),
	        .skip_tags = options->skip_tags.items,
	        .skip_tag_count = options->skip_tags.count,
	        .parameters = c->parameters.items,
	        .parameter_count = c->parameters.count,
	        .swept = c->swept.items,
	        .swept_count = c->swept.count,
	        .allow_new_parameters = options->allow_new_parameters,
	};
}

/* What follows from the options that the configuration may give, too. */
static int configure(struct session *session, struct compilation *c, struct options *configured,
                     struct ir_options *ir_options)
{
	const struct invocation *invocation = session->invocation;
	if (configuration_make(c, invocation->options, configured) < 0 ||
	    batch_configure(c, configured) < 0 || parameters_collect(c, configured) < 0)
		return -1;
	if (invocation->command != COMMAND_RUN || configured->sweep != NULL)
		sweep_check_parameters(c);
	c->filter = slice_from(configured->filter != NULL ? configured->filter : "");
	if (configured->unknown_magics == UNKNOWN_MAGICS_ERROR + 1)
		(void)diags_switch(&c->diags, SLICE("error=unknown-magic"));
	verifier_configure(&session->verifier, invocation, c, configured);
	*ir_options = ir_options_of(configured, c);
	return config_program_options(c, ir_options);
}

static void take_limit(size_t given, size_t *limit)
{
	if (given > 0)
		*limit = given;
}

static struct notebook_limits limits_of(const struct options *options)
{
	struct notebook_limits limits = notebook_default_limits;
	take_limit(options->max_nesting, &limits.nesting);
	take_limit(options->max_cells, &limits.cells);
	take_limit(options->max_cells, &limits.included_cells);
	take_limit(options->max_cell_size, &limits.cell_bytes);
	take_limit(options->max_code_size, &limits.bytes);
	take_limit(options->max_code_size, &limits.included_bytes);
	take_limit(options->max_values, &limits.values);
	return limits;
}

static int run_notebook(struct session *session, struct arena *arena, size_t index)
{
	const struct options *options = session->invocation->options;
	struct compilation *c = ARENA_NEW(arena, struct compilation);
	c->arena = arena;
	c->path = slice_from(options->operands.items[index]);
	if (index < options->found_in.count && options->found_in.items[index] != NULL)
		c->found_in = slice_from(options->found_in.items[index]);
	c->limits = limits_of(options);
	diags_init(&c->diags, arena);
	int status = apply_switches(session, &c->diags);
	if (status != 0)
		return status;
	struct options configured;
	struct ir_options ir_options;
	if (project_init(c, options) == 0 && compile_read(c) == 0 &&
	    configure(session, c, &configured, &ir_options) == 0 &&
	    verify_compile(&session->verifier, c, &ir_options) == 0)
		session->action(c, &configured, session->data);
	report_notebook(session, c);
	return 0;
}

/* Without an allocation. What is not ASCII, or would control a terminal, is shown as '?'. */
static void report_out_of_memory(const char *path)
{
	char shown[PATH_SHOWN];
	size_t len = 0;
	for (; len < sizeof shown && path[len] != '\0'; len++)
		shown[len] = (char)(path[len] < ' ' || path[len] > '~' ? '?' : path[len]);
	(void)os_write_all(STDERR_FILENO, SLICE("nbscorep: out of memory: "));
	(void)os_write_all(STDERR_FILENO, slice_make(shown, len));
	(void)os_write_all(STDERR_FILENO, SLICE("\n"));
}

/* A notebook that needs more memory than there is does not end the run. */
static int run_guarded(struct session *session, size_t index)
{
	const char *path = session->invocation->options->operands.items[index];
	struct arena arena;
	jmp_buf out_of_memory;
	arena_init(&arena, &out_of_memory);
	/* The run's arena jumps here too, so that the notebook's is released. */
	struct arena *outer = session->invocation->arena;
	jmp_buf *before = arena_set_handler(outer, &out_of_memory);
	volatile int status = 0;
	if (setjmp(out_of_memory) == 0) {
		status = run_notebook(session, &arena, index);
	} else {
		report_out_of_memory(path);
		session->tally.failed++;
		session->out.len = 0;
		session->system_failed = true;
	}
	arena_set_handler(outer, before);
	arena_release(&arena);
	return status;
}

/* The last line of a check of several notebooks, of which nobody reads each line. */
static void add_tally(struct session *session)
{
	size_t problems = session->report.errors + session->report.warnings + session->tally.failed;
	if (session->invocation->command != COMMAND_CHECK || tally_count(&session->tally) < 2 ||
	    (session->invocation->options->quiet && problems == 0))
		return;
	tally_print(&session->out, &session->tally);
	bool counted = session->report.errors + session->report.warnings > 0;
	strbuf_puts(&session->out, counted ? "; " : "\n");
}

static void finish(struct session *session)
{
	diag_report_end(&session->report);
	if (session->report.options.format == DIAG_REPORT_TEXT &&
	    session->invocation->options->operands.count > 0) {
		add_tally(session);
		diag_report_counts(&session->out, session->report.errors, session->report.warnings);
	}
	flush(session);
}

static bool wants_list(const struct options *options)
{
	for (size_t i = 0; i < options->warnings.count; i++) {
		if (strcmp(options->warnings.items[i], "help") == 0)
			return true;
	}
	return false;
}

static int list_diagnostics(struct arena *arena)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	for (int i = 0; i < DIAG_KIND_COUNT; i++) {
		const struct diag_row *row = diag_row((enum diag_kind)i);
		strbuf_printf(&out, "%-18s %-8s %s\n", row->name, diag_severity_name(row->severity),
		              row->doc);
	}
	return cli_print(arena, strbuf_slice(&out));
}

/* Does TEXT of an option name no file? Standard input may be the notebook. */
static bool is_no_file(const char *text)
{
	return text != NULL && (text[0] == '\0' || strcmp(text, "-") == 0);
}

static int check_usage(const struct invocation *invocation)
{
	const struct options *options = invocation->options;
	if (options->operands.count == 0)
		return cli_usage_error(invocation->arena, "'%s' wants a notebook%s",
		                       command_rows()[invocation->command].name,
		                       options->arguments.count == 0
		                               ? ""
		                               : "; what is behind '--' is the script's");
	if (options->filter != NULL && options->filter[0] == '\0')
		return cli_usage_error(invocation->arena, "'--filter' wants a file");
	double seconds;
	if (options->verify_timeout != NULL &&
	    !option_read_seconds(options->verify_timeout, &seconds))
		return cli_usage_error(invocation->arena,
		                       "'--verify-timeout' expects seconds, not '%s'",
		                       options->verify_timeout);
	if (options->verify && options->no_verify)
		return cli_usage_error(invocation->arena,
		                       "'--verify' and '--no-verify' exclude each other");
	if (is_no_file(options->config_path))
		return cli_usage_error(invocation->arena, "'--config' wants a file");
	return EXIT_DONE;
}

int session_run(struct invocation *invocation, int report_fd, session_action *action, void *data)
{
	const struct options *options = invocation->options;
	if (wants_list(options))
		return list_diagnostics(invocation->arena);
	int usage = check_usage(invocation);
	if (usage != EXIT_DONE)
		return usage;
	struct diag_report_options report_options = {
	        .format = options->diagnostics_format == 0
	                          ? DIAG_REPORT_TEXT
	                          : (enum diag_report_format)(options->diagnostics_format - 1),
	        .color = cli_wants_color(options, STDERR_FILENO),
	        .version = NBSCOREP_VERSION,
	};
	struct session session = {.invocation = invocation, .action = action, .data = data};
	session.verifier = verifier_make(invocation->arena);
	session.report_fd = report_options.format == DIAG_REPORT_TEXT ? STDERR_FILENO : report_fd;
	name_set_init(&session.told, invocation->arena);
	strbuf_init(&session.out, invocation->arena);
	diag_report_begin(&session.report, &report_options, &session.out);
	for (size_t i = 0; usage == EXIT_DONE && i < options->operands.count; i++)
		usage = run_guarded(&session, i);
	verifier_end(&session.verifier);
	if (usage != EXIT_DONE)
		return usage;
	finish(&session);
	return session.system_failed     ? EXIT_SYSTEM
	       : session.notebook_failed ? EXIT_NOTEBOOK
	                                 : EXIT_DONE;
}
