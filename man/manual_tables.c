/* Prints one of the program's tables, or the options of a command, as roff for the manual pages: what a table holds is
 * never typed by hand there. A tool of the build, which is not installed. Usage: manual_tables NAME-table|COMMAND */
#include "base/os.h"
#include "batch/job_settings.h"
#include "cli/command_help.h"
#include "diag/diag.h"
#include "diag/diag_report.h"
#include "lex/lex.h"
#include "run/discovery.h"
#include "sample/series.h"
#include "settings/config.h"

/* ---- text ---- */

/* Appends TEXT so that roff shows each of its characters; `words` in backquotes become bold. TEXT is
 * one line, at the beginning of a line. */
static void man_text(struct strbuf *out, struct slice text)
{
	/* roff turns these into typographic signs, which cannot be copied into a shell. */
	static const char signs[] = "-\\'\"^~";
	static const char *const escapes[] = {"\\-", "\\e", "\\(aq", "\\(dq", "\\(ha", "\\(ti"};
	bool bold = false;
	/* A dot at the front of a line would begin a request. */
	if (text.len > 0 && text.ptr[0] == '.')
		strbuf_puts(out, "\\&");
	for (size_t i = 0; i < text.len; i++) {
		const char *sign = memchr(signs, text.ptr[i], sizeof signs - 1);
		if (text.ptr[i] == '`') {
			bold = !bold;
			strbuf_puts(out, bold ? "\\fB" : "\\fR");
		} else if (sign != NULL) {
			strbuf_puts(out, escapes[sign - signs]);
		} else {
			strbuf_addc(out, text.ptr[i]);
		}
	}
}

/* The same with a capital at its front, a full stop and a line end. */
static void man_sentence(struct strbuf *out, struct slice text)
{
	/* A dotted name such as os.environ keeps its first letter. */
	struct slice rest = text, word = slice_next_word(&rest);
	bool capital = word.len > 0 && word.ptr[0] >= 'a' && word.ptr[0] <= 'z' &&
	               slice_find(word, '.', 0) == word.len;
	if (capital)
		strbuf_addc(out, (char)(text.ptr[0] - 'a' + 'A'));
	man_text(out, slice_sub(text, capital ? 1 : 0, text.len));
	strbuf_puts(out, ".\n");
}

/* ---- options ---- */

/* Each option of COMMAND, group by group, with a title before the first one of a group. */
static void man_options(struct strbuf *out, enum command_id command)
{
	for (enum option_group group = 0; group < OPTION_GROUP_COUNT; group++) {
		bool has_title = false;
		for (size_t i = 0; i < option_row_count; i++) {
			const struct option_row *row = &option_rows[i];
			if (row->group != group || !option_is_of(row, command))
				continue;
			if (!has_title)
				strbuf_printf(out, ".SS %s\n", option_group_titles[group]);
			has_title = true;
			strbuf_puts(out, ".TP\n.B ");
			man_text(out, help_option(out->arena, row));
			strbuf_addc(out, '\n');
			man_sentence(out, slice_from(row->help));
		}
	}
}

/* ---- tables ---- */

static void add_bold(struct strbuf *out, const char *before, struct slice text)
{
	strbuf_printf(out, "%s\\fB", before);
	man_text(out, text);
	strbuf_puts(out, "\\fR");
}

/* An item of a list: its name in bold, a NOTE unless that is empty, and what it is. */
static void add_item(struct strbuf *out, struct slice name, const char *note, struct slice doc)
{
	add_bold(out, ".TP\n", name);
	strbuf_printf(out, note[0] != '\0' ? " (%s)\n" : "\n", note);
	man_sentence(out, doc);
}

static void man_table_metrics(struct strbuf *out)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_row *row = metric_row(i);
		struct slice note =
		        arena_printf(out->arena, "%s%s%.*s",
		                     row->kind == METRIC_IS_COUNTER ? "counter" : "gauge",
		                     row->unit.len > 0 ? ", " : "", SLICE_ARG(row->unit));
		add_item(out, row->name, note.ptr, row->title);
	}
}

static void man_table_magics(struct strbuf *out)
{
	for (size_t i = 0; i < magic_row_count; i++) {
		const struct magic_row *row = &magic_rows[i];
		strbuf_puts(out, ".TP\n");
		if (row->form == FORM_ESCAPE)
			add_bold(out, "", row->name);
		if (row->form & FORM_LINE)
			add_bold(out, "", arena_printf(out->arena, "%%%.*s", SLICE_ARG(row->name)));
		if (row->form & FORM_CELL)
			add_bold(out, row->form == FORM_BOTH ? ", " : "",
			         arena_printf(out->arena, "%%%%%.*s", SLICE_ARG(row->name)));
		strbuf_addc(out, '\n');
		man_sentence(out, slice_from(row->doc));
		strbuf_puts(out, ".br\n");
		man_sentence(out, slice_from(magic_action_text(row->action)));
	}
}

static void man_table_commands(struct strbuf *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_row *row = &command_rows[i];
		strbuf_printf(out, ".TP\n\\fBnbscorep %s\\fR ", row->name);
		man_text(out, slice_from(row->operands));
		strbuf_addc(out, '\n');
		man_sentence(out, slice_from(row->summary));
	}
}

static void man_table_things(struct strbuf *out)
{
	static const char *const kinds[] = {
	        [THING_IS_PYTHON] = "the Python that runs scripts",
	        [THING_IS_PROGRAM] = "a program on PATH",
	        [THING_IS_MODULE] = "a module of that Python",
	        [THING_IS_OPTION] = "supported by scorep-config",
	        [THING_IS_SHARED] = "as scorep-config has it",
	        [THING_IS_OWN] = "installed with nbscorep",
	};
	for (int i = 0; i < THING_COUNT; i++) {
		const struct thing_row *row = &thing_rows[i];
		add_bold(out, ".TP\n", slice_from(row->name));
		strbuf_addc(out, '\n');
		man_text(out, slice_from(kinds[row->kind]));
		if (row->kind == THING_IS_PROGRAM || row->kind == THING_IS_MODULE)
			add_bold(out, ", ", slice_from(row->what));
		if (row->oldest[0] != '\0')
			strbuf_printf(out, "; %s or newer", row->oldest);
		strbuf_puts(out, ".\n");
	}
}

static const char *add_names(struct strbuf *out, const char *before, const char *between,
                             thing_set set)
{
	for (int i = 0; i < THING_COUNT; i++) {
		if (!(set & THING_BIT(i)))
			continue;
		strbuf_puts(out, before);
		man_text(out, slice_from(thing_rows[i].name));
		before = between;
	}
	return before;
}

static void man_table_features(struct strbuf *out)
{
	for (int i = 0; i < FEATURE_COUNT; i++) {
		const struct feature_row *row = &feature_rows[i];
		add_bold(out, ".TP\n", slice_from(row->name));
		strbuf_puts(out, "\nneeds ");
		const char *before = add_names(out, "", ", ", row->all);
		add_names(out, before, " or ", row->any);
		strbuf_puts(out, (row->all | row->any) == 0 ? "nothing else.\n" : ".\n");
	}
}

static void man_table_buildkeys(struct strbuf *out)
{
	for (size_t i = 0; i < option_row_count; i++) {
		if (option_rows[i].build_text != BUILD_TEXT_NONE)
			add_bold(out, out->len > 0 ? ",\n" : "", slice_from(option_rows[i].name));
	}
	strbuf_puts(out, ".\n");
}

/* What a value of a key is, by its shape. */
#define IS_TEXT "a text"
#define IS_COUNT "a whole number"
#define IS_FLAG "true or false"
#define IS_ANY "a list or a map"
#define IS_WORDS "a list, or a text"
#define IS_NAMES IS_WORDS
#define IS_LINES "a list, or a text of lines"
#define IS_VARIABLES "a map"
#define IS_SETTINGS IS_VARIABLES
#define IS_VALUES IS_VARIABLES
#define IS_OPTIONS IS_VARIABLES

#define IS_ERROR "error"
#define IS_WARNING "warning"
#define IS_REMARK "remark"

/* Tables that have only a name, a note and its meaning in each row. */
static const struct {
	const char *table, *name, *note, *doc;
} doc_rows[] = {
#define BLOCK(id, name, doc) {"blocks-table", name, "", doc},
#include "ir/ir.def"
#undef BLOCK
#define CONFIG_KEY(field, name, shape, initial, example, doc)                                      \
	{"config-table", name, IS_##shape, doc},
#include "settings/settings.def"
#define DIAG(id, name, severity, doc) {"diagnostics-table", name, IS_##severity, doc},
#include "diag/diag.def"
#undef DIAG
#define SBATCH(name, short_name, value, is_list, doc) {"sbatch-table", name, "", doc},
#include "batch/sbatch.def"
#undef SBATCH
#define LEVEL(id, name, text) {"levels-table", name, "", text},
#include "sample/levels.def"
#undef LEVEL
#define SIGNATURE(id, name, text) {"signatures-table", name, "", text},
#include "report/signatures.def"
#undef SIGNATURE
#define TIME_KIND(id, key, title, text) {"timekinds-table", title " %", "", text},
#include "report/time_kind.def"
#undef TIME_KIND
#define FINDING(id, name, function, limit, of_run, line, certainty, explains, rule, advice)        \
	{"findings-table", name, "", rule},
#include "report/findings.def"
#undef FINDING
};

/* Appends the table called NAME. Returns false for another name. */
static bool man_table(struct strbuf *out, struct slice name)
{
	static const struct {
		struct slice name;
		void (*add)(struct strbuf *out);
	} tables[] = {
	        {SLICE_INIT("magics-table"), man_table_magics},
	        {SLICE_INIT("commands-table"), man_table_commands},
	        {SLICE_INIT("things-table"), man_table_things},
	        {SLICE_INIT("features-table"), man_table_features},
	        {SLICE_INIT("buildkeys-table"), man_table_buildkeys},
	        {SLICE_INIT("metrics-table"), man_table_metrics},
	};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		if (!slice_eq(tables[i].name, name))
			continue;
		tables[i].add(out);
		return true;
	}
	bool found = false;
	for (size_t i = 0; i < sizeof doc_rows / sizeof *doc_rows; i++) {
		if (!slice_eq(slice_from(doc_rows[i].table), name))
			continue;
		found = true;
		add_item(out, slice_from(doc_rows[i].name), doc_rows[i].note,
		         slice_from(doc_rows[i].doc));
	}
	return found;
}

int main(int argc, char **argv)
{
	struct arena arena;
	arena_init(&arena, NULL);
	struct strbuf out = {.arena = &arena};
	struct slice name = slice_from(argc == 2 ? argv[1] : "");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (slice_eq(name, slice_from(command_rows[i].name)))
			man_options(&out, (enum command_id)i);
	}
	bool is_known = man_table(&out, name) || out.len > 0;
	int status = is_known ? os_write_all(1, strbuf_slice(&out)) : 2;
	arena_release(&arena);
	return status == 0 ? 0 : 2;
}
