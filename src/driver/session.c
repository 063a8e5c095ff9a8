#include "driver/session.h"

#include <unistd.h>

#include "base/name_set.h"
#include "base/os.h"
#include "base/paths.h"
#include "diag/diag.h"
#include "diag/diag_report.h"
#include "diag/message.h"
#include "driver/configuration.h"
#include "driver/project.h"
#include "driver/verify.h"
#include "version.h"

/* Of a notebook. FAILED: it was not read, or memory ran out. */
enum outcome { OUTCOME_CLEAN, OUTCOME_WARNED, OUTCOME_FAULTY, OUTCOME_FAILED, OUTCOME_COUNT };

struct session {
	struct arena *arena;
	const struct options *options;
	session_action *action;
	void *data; /* of the action */
	struct verifier verifier;
	struct diag_report report;
	int report_fd;
	struct strbuf out;              /* the report's text since the last flush */
	size_t outcomes[OUTCOME_COUNT]; /* number of notebooks */
	struct name_set taken;          /* paths that the call has written */
	struct name_set told; /* reported for configuration files, which several notebooks share */
	bool report_failed;   /* it could not be written */
};

static void flush_report(struct session *session)
{
	if (session->report_fd == STDOUT_FILENO) {
		if (message_print(session->arena, strbuf_slice(&session->out)) != EXIT_DONE)
			session->report_failed = true;
	} else if (os_write_all(session->report_fd, strbuf_slice(&session->out)) < 0) {
		session->report_failed = true;
	}
	session->out.len = 0;
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
	struct slice said =
	        arena_printf(session->arena, "%.*s:%u:%u: %.*s", SLICE_ARG(diag->where.file),
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
	if (path_is_stdin(c->path))
		file.name = SLICE("<stdin>");
	session->outcomes[c->diags.failed         ? OUTCOME_FAILED
	                  : c->diags.errors > 0   ? OUTCOME_FAULTY
	                  : c->diags.warnings > 0 ? OUTCOME_WARNED
	                                          : OUTCOME_CLEAN]++;
	diags_sort(&c->diags);
	diags_remove(&c->diags, is_told, session);
	diag_report_add(&session->report, &file, &c->diags);
	flush_report(session);
}

static void session_compile_notebook(struct session *session, struct arena *arena, size_t index)
{
	const struct options *options = session->options;
	const struct build_settings *given = &options->build;
	struct compilation *c = ARENA_NEW(arena, struct compilation);
	struct notebook_limits *limits = &c->limits;
	c->arena = arena;
	c->path = slice_from(options->operands.items[index]);
	if (index < options->found_in.count && options->found_in.items[index] != NULL)
		c->found_in = slice_from(options->found_in.items[index]);
	c->taken = &session->taken;
	*limits = notebook_default_limits;
	if (given->max_nesting > 0)
		limits->nesting = given->max_nesting;
	if (given->max_cells > 0)
		limits->cells = limits->included_cells = given->max_cells;
	if (given->max_cell_size > 0)
		limits->cell_bytes = given->max_cell_size;
	if (given->max_code_size > 0)
		limits->bytes = limits->included_bytes = given->max_code_size;
	if (given->max_values > 0)
		limits->values = given->max_values;
	diags_init(&c->diags, arena);
	if (given->purpose == BUILD_TO_RUN) /* which does what the remark misses */
		(void)diags_switch(&c->diags, SLICE("no-vampir"));
	for (size_t i = 0; i < options->warnings.count; i++)
		(void)diags_switch(&c->diags, slice_from(options->warnings.items[i]));
	for (int i = 0; given->quiet && i < DIAG_KIND_COUNT; i++) {
		if (c->diags.severity[i] != SEVERITY_ERROR)
			c->diags.severity[i] = SEVERITY_IGNORED;
	}
	if (project_init(c, given) == 0 && compile_read(c) == 0 &&
	    configuration_make(c, given) == 0 && verify_compile(&session->verifier, c, given) == 0)
		session->action(c, session->data);
	report_notebook(session, c);
}

/* A notebook that needs more memory than there is does not end the run. */
static void run_guarded(struct session *session, size_t index)
{
	struct arena arena;
	jmp_buf out_of_memory;
	arena_init(&arena, &out_of_memory);
	/* The run's arena jumps here too, so that the notebook's is released. */
	struct arena *outer = session->arena;
	jmp_buf *before = arena_set_handler(outer, &out_of_memory);
	if (setjmp(out_of_memory) == 0) {
		session_compile_notebook(session, &arena, index);
	} else {
		/* Without an allocation. What is not ASCII, or would control a terminal, is shown as '?'. */
		enum { PATH_SHOWN = 1024 };
		char text[PATH_SHOWN + sizeof "nbscorep: out of memory: \n"];
		int len = snprintf(text, sizeof text, "nbscorep: out of memory: %.*s\n", PATH_SHOWN,
		                   session->options->operands.items[index]);
		for (int i = 0; i < len - 1; i++)
			text[i] = (char)(text[i] < ' ' || text[i] > '~' ? '?' : text[i]);
		(void)os_write_all(STDERR_FILENO, slice_make(text, (size_t)len));
		session->outcomes[OUTCOME_FAILED]++;
		session->out.len = 0;
	}
	arena_set_handler(outer, before);
	arena_release(&arena);
}

/* The last line of a check: a summary of its many lines, or of none at a terminal. "12 notebooks: 9 clean, 1 with
 * warnings, 2 with errors". */
static void add_summary(struct session *session)
{
	static const char *const words[] = {"clean", "with warnings", "with errors", "not checked"};
	const struct build_settings *given = &session->options->build;
	struct strbuf *out = &session->out;
	size_t count = session->options->operands.count;
	size_t diagnostics = session->report.errors + session->report.warnings;
	const char *before = ": ";
	if (given->purpose != BUILD_TO_REPORT || (count == 1 && !isatty(session->report_fd)) ||
	    (given->quiet && diagnostics + session->outcomes[OUTCOME_FAILED] == 0))
		return;
	strbuf_printf(out, "%zu notebook%s", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		if (session->outcomes[i] == 0)
			continue;
		strbuf_printf(out, "%s%zu %s", before, session->outcomes[i], words[i]);
		before = ", ";
	}
	strbuf_puts(out, diagnostics > 0 ? "; " : "\n");
}

int session_run(struct arena *arena, const struct options *options, session_action *action,
                void *data)
{
	struct diag_report_options report_options = {.color = options->color == COLOR_ALWAYS,
	                                             .version = NBSCOREP_VERSION};
	if (options->diagnostics_format > 0)
		report_options.format = options->diagnostics_format - 1;
	bool is_text = report_options.format == DIAG_REPORT_TEXT;
	bool to_stdout = !is_text && options->build.purpose == BUILD_TO_REPORT;
	struct session session = {.arena = arena,
	                          .options = options,
	                          .action = action,
	                          .data = data,
	                          .verifier = verifier_make(arena),
	                          .report_fd = to_stdout ? STDOUT_FILENO : STDERR_FILENO,
	                          .told.arena = arena,
	                          .taken.arena = arena,
	                          .out.arena = arena};
	diag_report_begin(&session.report, &report_options, &session.out);
	for (size_t i = 0; i < options->operands.count; i++)
		run_guarded(&session, i);
	verifier_end(&session.verifier);
	diag_report_end(&session.report);
	if (is_text && options->operands.count > 0) {
		add_summary(&session);
		diag_report_counts(&session.out, session.report.errors, session.report.warnings);
	}
	flush_report(&session);
	if (session.report_failed || session.outcomes[OUTCOME_FAILED] > 0)
		return EXIT_SYSTEM;
	return session.outcomes[OUTCOME_FAULTY] > 0 ? EXIT_NOTEBOOK : EXIT_DONE;
}
