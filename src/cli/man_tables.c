#include "cli/man_tables.h"

#include "batch/job_settings.h"
#include "cli/options.h"
#include "diag/diag.h"
#include "diag/diag_report.h"
#include "lex/magic_table.h"
#include "run/discovery.h"
#include "sample/series.h"
#include "settings/build_settings.h"
#include "settings/config.h"

/* ---- the monitor's tables ---- */

/* Tables of the manual that are made from what the monitor samples and reports. */

/* what is sampled */

static void add_item(struct strbuf *out, struct slice name, const char *more)
{
	strbuf_puts(out, ".TP\n\\fB");
	man_text(out, name);
	strbuf_printf(out, "\\fR%s\n", more);
}

static void man_table_metrics(struct strbuf *out)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_row *row = metric_row(i);
		bool grows = row->kind == METRIC_IS_COUNTER, has_unit = row->unit.len > 0;
		struct slice more =
		        arena_printf(out->arena, " (%s%s%.*s)", grows ? "counter" : "gauge",
		                     has_unit ? ", " : "", SLICE_ARG(row->unit));
		add_item(out, row->name, more.ptr);
		man_sentence(out, row->title);
	}
}

static void man_table_signatures(struct strbuf *out)
{
	static const struct {
		struct slice name, text;
	} rows[] = {
#define SIGNATURE(id, name, text) {SLICE_INIT(name), SLICE_INIT(text)},
#include "report/signatures.def"
#undef SIGNATURE
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		add_item(out, rows[i].name, "");
		man_sentence(out, rows[i].text);
	}
}

/* ---- all tables ---- */

/* roff turns these into typographic signs, which cannot be copied into a shell. */
static const char *roff_escape(char c)
{
	switch (c) {
	case '-':
		return "\\-";
	case '\\':
		return "\\e";
	case '\'':
		return "\\(aq";
	case '"':
		return "\\(dq";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	default:
		return NULL;
	}
}

void man_text(struct strbuf *out, struct slice text)
{
	bool bold = false;
	/* A dot at the front of a line would begin a request. */
	if (text.len > 0 && text.ptr[0] == '.')
		strbuf_puts(out, "\\&");
	for (size_t i = 0; i < text.len; i++) {
		const char *escape = roff_escape(text.ptr[i]);
		if (text.ptr[i] == '`') {
			bold = !bold;
			strbuf_puts(out, bold ? "\\fB" : "\\fR");
		} else if (escape != NULL) {
			strbuf_puts(out, escape);
		} else {
			strbuf_addc(out, text.ptr[i]);
		}
	}
}

void man_sentence(struct strbuf *out, struct slice text)
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

static void add_magic_name(struct strbuf *out, const char *prefix, struct slice name)
{
	strbuf_puts(out, "\\fB");
	strbuf_puts(out, prefix);
	man_text(out, name);
	strbuf_puts(out, "\\fR");
}

static void add_magic(struct strbuf *out, const struct magic_row *row)
{
	strbuf_puts(out, ".TP\n");
	if (row->form == FORM_ESCAPE)
		add_magic_name(out, "", row->name);
	if (row->form & FORM_LINE)
		add_magic_name(out, "%", row->name);
	if (row->form == FORM_BOTH)
		strbuf_puts(out, ", ");
	if (row->form & FORM_CELL)
		add_magic_name(out, "%%", row->name);
	strbuf_addc(out, '\n');
	man_sentence(out, slice_from(row->doc));
	strbuf_puts(out, ".br\n");
	man_sentence(out, slice_from(magic_action_text(row->action)));
}

void man_table_magics(struct strbuf *out)
{
	size_t count;
	const struct magic_row *rows = magic_rows(&count);
	for (size_t i = 0; i < count; i++)
		add_magic(out, &rows[i]);
}

void man_table_diagnostics(struct strbuf *out)
{
	for (int i = 0; i < DIAG_KIND_COUNT; i++) {
		const struct diag_row *row = diag_row((enum diag_kind)i);
		strbuf_puts(out, ".TP\n\\fB");
		man_text(out, slice_from(row->name));
		strbuf_printf(out, "\\fR (%s)\n", diag_severity_name(row->severity));
		man_sentence(out, slice_from(row->doc));
	}
}

void man_table_commands(struct strbuf *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command_row *row = &command_rows()[i];
		strbuf_printf(out, ".TP\n\\fBnbscorep %s\\fR ", row->name);
		man_text(out, slice_from(row->operands));
		strbuf_addc(out, '\n');
		man_sentence(out, slice_from(row->summary));
	}
}

void man_table_blocks(struct strbuf *out)
{
	static const struct {
		const char *name, *doc;
	} rows[] = {
#define BLOCK(id, name, doc) {name, doc},
#include "ir/ir.def"
#undef BLOCK
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		strbuf_printf(out, ".TP\n.B %s\n", rows[i].name);
		man_sentence(out, slice_from(rows[i].doc));
	}
}

void man_table_things(struct strbuf *out)
{
	static const char *const kinds[] = {
	        [THING_IS_PYTHON] = "the Python that runs scripts",
	        [THING_IS_PROGRAM] = "a program on PATH",
	        [THING_IS_MODULE] = "a module of that Python",
	        [THING_IS_OPTION] = "supported by scorep-config",
	        [THING_IS_SHARED] = "as scorep-config tells",
	        [THING_IS_OWN] = "installed with nbscorep",
	};
	for (int i = 0; i < THING_COUNT; i++) {
		const struct thing_row *row = &thing_rows[i];
		strbuf_puts(out, ".TP\n\\fB");
		man_text(out, slice_from(row->name));
		strbuf_puts(out, "\\fR\n");
		man_text(out, slice_from(kinds[row->kind]));
		if (row->kind == THING_IS_PROGRAM || row->kind == THING_IS_MODULE) {
			strbuf_puts(out, ", \\fB");
			man_text(out, slice_from(row->what));
			strbuf_puts(out, "\\fR");
		}
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

void man_table_features(struct strbuf *out)
{
	for (int i = 0; i < FEATURE_COUNT; i++) {
		const struct feature_row *row = &feature_rows[i];
		strbuf_puts(out, ".TP\n\\fB");
		man_text(out, slice_from(row->name));
		strbuf_puts(out, "\\fR\nneeds ");
		const char *before = add_names(out, "", ", ", row->all);
		add_names(out, before, " or ", row->any);
		strbuf_puts(out, (row->all | row->any) == 0 ? "nothing else.\n" : ".\n");
	}
}

void man_table_sbatch(struct strbuf *out)
{
	size_t count;
	const struct sbatch_row *rows = sbatch_rows(&count);
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, ".TP\n\\fB");
		man_text(out, slice_from(rows[i].name));
		strbuf_puts(out, "\\fR\n");
		man_sentence(out, slice_from(rows[i].doc));
	}
}

void man_table_config(struct strbuf *out)
{
	static const char *const shapes[] = {
	        [CONFIG_TEXT] = "a text",
	        [CONFIG_COUNT] = "a whole number",
	        [CONFIG_FLAG] = "true or false",
	        [CONFIG_ANY] = "a list or a map",
	        [CONFIG_WORDS] = "a list, or a text",
	        [CONFIG_NAMES] = "a list, or a text",
	        [CONFIG_LINES] = "a list, or a text of lines",
	        [CONFIG_VARIABLES] = "a map",
	        [CONFIG_SETTINGS] = "a map",
	        [CONFIG_VALUES] = "a map",
	        [CONFIG_OPTIONS] = "a map",
	};
	size_t count;
	const struct config_key *keys = config_keys(&count);
	for (size_t i = 0; i < count; i++) {
		strbuf_printf(out, ".TP\n\\fB%s\\fR (%s)\n", keys[i].name, shapes[keys[i].shape]);
		man_sentence(out, slice_from(keys[i].doc));
	}
}

void man_table_buildkeys(struct strbuf *out)
{
	size_t count;
	const struct setting_row *rows = build_option_rows(&count);
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(out, i > 0 ? ",\n\\fB" : "\\fB");
		man_text(out, slice_from(rows[i].name));
		strbuf_puts(out, "\\fR");
	}
	strbuf_puts(out, ".\n");
}

void man_table_levels(struct strbuf *out)
{
	static const struct {
		struct slice name, text;
	} levels[] = {
#define LEVEL(id, name, text) {SLICE_INIT(name), SLICE_INIT(text)},
#include "sample/levels.def"
#undef LEVEL
	};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		strbuf_printf(out, ".TP\n\\fB%.*s\\fR\n", SLICE_ARG(levels[i].name));
		man_sentence(out, levels[i].text);
	}
}

bool man_table(struct strbuf *out, struct slice name)
{
	static const struct {
		struct slice name;
		void (*add)(struct strbuf *out);
	} tables[] = {
	        {SLICE_INIT("magics-table"), man_table_magics},
	        {SLICE_INIT("diagnostics-table"), man_table_diagnostics},
	        {SLICE_INIT("commands-table"), man_table_commands},
	        {SLICE_INIT("blocks-table"), man_table_blocks},
	        {SLICE_INIT("things-table"), man_table_things},
	        {SLICE_INIT("features-table"), man_table_features},
	        {SLICE_INIT("sbatch-table"), man_table_sbatch},
	        {SLICE_INIT("config-table"), man_table_config},
	        {SLICE_INIT("buildkeys-table"), man_table_buildkeys},
	        {SLICE_INIT("metrics-table"), man_table_metrics},
	        {SLICE_INIT("levels-table"), man_table_levels},
	        {SLICE_INIT("signatures-table"), man_table_signatures},
	};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		if (!slice_eq(tables[i].name, name))
			continue;
		tables[i].add(out);
		return true;
	}
	return false;
}
