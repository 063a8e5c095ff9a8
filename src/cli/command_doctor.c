#include <unistd.h>

#include "base/json_writer.h"
#include "base/name_set.h"
#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "cli/notebooks.h"
#include "driver/configuration.h"
#include "driver/verify.h"
#include "ir/module_folders.h"
#include "lex/syntax.h"
#include "lex/syntax_names.h"
#include "run/discovery.h"

enum { NOT_MEASURED = 1 }; /* the exit status */
enum {
	SECONDS = 10,
	SECONDS_MAX = 600,
	JSON_VERSION = 1,
	MARK_WIDTH = 9,
	NAME_WIDTH = 26,
	VERSION_WIDTH = 9
};

/* ---- the notebook ---- */

struct doctor_import {
	unsigned cell; /* that imports it first */
	bool optional; /* it is only imported below a header: if, try, def */
};

struct doctor {
	struct arena *arena;
	bool color;
	const char *python; /* that was looked at */
	bool user_chose;    /* the Python: no configuration counts */
	struct discovery found;
	/* Of the notebook: the modules that it imports, and which Python is to have them. */
	const char *path;  /* as it was given; NULL: none is */
	struct slice name; /* as in diagnostics */
	/* In which Python looks for modules: the notebook's, then those that cells add; absolute. */
	struct name_set folders;
	bool changes_path; /* a cell uses sys.path: there may be more */
	struct name_set names;
	VECTOR(struct doctor_import) imports; /* for each of the names */
	struct name_set own;                  /* modules of the project, which do not count */
	const char *configured;      /* the Python of a configuration that may choose it, or NULL */
	struct slice refused_python; /* of a configuration that may not choose it; empty: none */
	bool has_steps;              /* modules or a setup come first, which may bring modules */
};

/* "lib/solver/__init__.py": each of its folders may be on the search path, so that all parts are modules. */
static void note_own(struct doctor *out, struct slice file)
{
	struct slice part;
	while (slice_next_part(&file, '/', &part)) {
		if (slice_ends_with(part, SLICE(".py")))
			part.len -= strlen(".py");
		name_set_add(&out->own, part);
	}
}

/* CELL: the number to report. OPTIONAL: all that it imports is. */
static void read_imports(struct doctor *out, const struct lexed_cell *cell, unsigned number,
                         bool optional)
{
	syntax_import_list imports = {0};
	syntax_imports(out->arena, cell, &imports);
	for (size_t i = 0; i < imports.count; i++) {
		struct slice path = imports.items[i].path,
		             name = slice_sub(path, 0, slice_find(path, '/', 0));
		bool is_known = name_set_has(&out->names, name);
		if (path.len == 0 || path.ptr[0] == '.' || name_set_has(&out->own, name) ||
		    name.len > IMPORT_NAME_MAX ||
		    (!is_known && out->names.names.count == IMPORTS_MAX))
			continue;
		size_t index =
		        name_set_add(&out->names, is_known ? name : arena_dup(out->arena, name));
		if (!is_known)
			vec_push(out->arena, &out->imports, ((struct doctor_import){number, true}));
		const struct syntax_statement *statement =
		        syntax_statement_at(cell, imports.items[i].token);
		bool is_below =
		        statement != NULL && cell->logical.items[statement->logical].column > 0;
		out->imports.items[index].optional &= optional || is_below;
	}
}

/* Fills DATA, the struct doctor, without the modules of the project: those beside the notebook and those that a cell
 * writes. */
static void read_notebook(struct compilation *c, void *data)
{
	struct doctor *out = data;
	const char *python = verify_configured_python(c);
	struct name_set folders = {.arena = out->arena};
	out->name = arena_dup(out->arena, c->ir.notebook_name);
	name_set_add(&out->folders, os_real_path(out->arena, compile_folder(c)));
	out->has_steps = config_has_steps(&c->config);
	if (python != NULL)
		out->configured = arena_cstr(out->arena, slice_from(python));
	else
		out->refused_python = arena_dup(out->arena, configuration_python(c));
	vec_each(struct program, program, &c->ir.programs) {
		for (size_t k = 0; k < program->others.count; k++)
			note_own(out, program->others.items[k].file);
		block_refs blocks = program_code(c->arena, program);
		for (size_t k = 0; k < blocks.count; k++) {
			const struct block *block = blocks.items[k];
			const struct lexed_cell *cell = block->code->lexed;
			read_imports(out, cell, block->cell, block->code->may_raise);
			module_folders(cell, &folders);
			out->changes_path |= name_filter_may_have(&cell->names, SLICE("sys")) &&
			                     name_filter_may_have(&cell->names, SLICE("path"));
		}
		for (size_t k = 0; k < program->others.count; k++)
			read_imports(out, program->others.items[k].lexed,
			             program->others.items[k].where.cell, false);
	}
	for (size_t i = 0; i < folders.names.count && out->folders.names.count <= FOLDERS_MAX; i++)
		name_set_add(&out->folders, path_join(out->arena, out->folders.names.items[0],
		                                      folders.names.items[i]));
}

/* ---- the report ---- */

/* A virtual environment of the user's, where pip may not install into the Python itself. */
#define ENVIRONMENT "~/.nbscorep"

static const char *state_word(enum finding_state state)
{
	static const char *const words[] = {
	        [FINDING_UNKNOWN] = "unknown", [FINDING_FOUND] = "found",
	        [FINDING_MISSING] = "missing", [FINDING_OLD] = "too old",
	        [FINDING_BROKEN] = "broken",
	};
	return words[state];
}

/* Whether FEATURE works: "works", "no", or "perhaps" where something is not known. */
static const char *feature_word(const struct discovery *found, enum feature_id feature)
{
	if (feature_obstacles(found, feature) != 0)
		return "no";
	return feature_doubts(found, feature) != 0 ? "perhaps" : "works";
}

static bool is_in(thing_set set, int thing)
{
	return (set & THING_BIT(thing)) != 0;
}

static bool needs_environment(const struct doctor *doctor, int thing)
{
	return doctor->found.is_managed &&
	       slice_starts_with(slice_from(thing_rows[thing].fix), SLICE("python3 -m pip "));
}

/* A command of things.def, for the Python that was looked at; it may be empty. */
static struct slice fix_command(const struct doctor *doctor, int thing)
{
	struct slice fix = slice_from(thing_rows[thing].fix);
	if (!slice_starts_with(fix, SLICE("python3 ")))
		return fix;
	struct strbuf out = {.arena = doctor->arena};
	bash_word(&out, slice_from(doctor->python));
	if (needs_environment(doctor, thing))
		strbuf_puts(&out, " -m venv --system-site-packages " ENVIRONMENT " && " ENVIRONMENT
		                  "/bin/python3");
	strbuf_add(&out, slice_tail(fix, strlen("python3")));
	return strbuf_slice(&out);
}

static struct slice fix_remark(const struct doctor *doctor, int thing)
{
	const char *remark = thing_rows[thing].remark;
	if (!needs_environment(doctor, thing))
		return slice_from(remark);
	return arena_printf(doctor->arena,
	                    "%s; pip cannot install into the distribution's Python, so use "
	                    "--python " ENVIRONMENT "/bin/python3",
	                    remark);
}

static bool lacks_modules(const struct doctor *doctor)
{
	const bool *missing = doctor->found.import_missing;
	bool lacks = false;
	for (size_t i = 0; missing != NULL && i < doctor->imports.count; i++)
		lacks |= missing[i] && !doctor->imports.items[i].optional;
	return lacks;
}

/* The first thing of SET whose command is known is to be installed first. */
static struct slice next_command(const struct doctor *doctor)
{
	thing_set obstacles = feature_obstacles(&doctor->found, FEATURE_MEASURE);
	for (int i = 0; i < THING_COUNT; i++) {
		if (is_in(obstacles, i))
			return fix_command(doctor, i);
	}
	if (doctor->path == NULL)
		return SLICE("nbscorep build NOTEBOOK");
	struct strbuf out = {.arena = doctor->arena};
	strbuf_puts(&out,
	            lacks_modules(doctor) ? "nbscorep doctor --python=FILE " : "nbscorep run ");
	bash_word(&out, slice_from(doctor->path));
	return strbuf_slice(&out);
}

static void add_padded(struct strbuf *out, struct slice text, size_t width)
{
	size_t start = out->len;
	terminal_text(out, text);
	size_t used = utf8_length(slice_make(out->ptr + start, out->len - start));
	strbuf_fill(out, ' ', used < width ? width - used : 1);
}

/* SGR: green for what is good, red for what prevents a measured run, yellow for the rest. */
static void add_mark(struct strbuf *out, const struct doctor *doctor, const char *word, bool good,
                     bool needed)
{
	const char *color = good ? "32" : needed ? "31" : "33";
	if (doctor->color)
		strbuf_printf(out, "\033[%sm", color);
	strbuf_puts(out, word);
	if (doctor->color)
		strbuf_puts(out, "\033[0m");
	strbuf_fill(out, ' ', MARK_WIDTH - strlen(word));
}

/* No line for what is only known from a program that is missing. The last column is where it is, what is wrong with it,
 * what to do. */
static void add_thing(struct strbuf *out, const struct doctor *doctor, int thing)
{
	bool is_module = thing_rows[thing].kind ==
	                 THING_IS_MODULE; /* else of scorep-config; other kinds are never unknown */
	const struct finding *finding = &doctor->found.findings[thing];
	const struct finding *owner =
	        &doctor->found.findings[is_module ? THING_PYTHON : THING_SCOREP_CONFIG];
	bool needed = is_in(feature_rows[FEATURE_MEASURE].all, thing);
	if (finding->state == FINDING_UNKNOWN && owner->state != FINDING_FOUND)
		return;
	add_mark(out, doctor, state_word(finding->state), finding->state == FINDING_FOUND, needed);
	add_padded(out, slice_from(thing_rows[thing].name), NAME_WIDTH);
	add_padded(out, finding->version, VERSION_WIDTH);
	terminal_text(out, finding->path);
	if (finding->reason.len > 0) {
		strbuf_puts(out, ": ");
		terminal_text(out, finding->reason);
	}
	if (finding->state == FINDING_OLD)
		strbuf_puts(out, "; ");
	if (finding->state == FINDING_MISSING || finding->state == FINDING_OLD) {
		struct slice fix = fix_command(doctor, thing), remark = fix_remark(doctor, thing);
		terminal_text(out, fix);
		strbuf_printf(out, fix.len > 0 ? " (%.*s)" : "%.*s", SLICE_ARG(remark));
	}
	while (out->len > 0 && out->ptr[out->len - 1] == ' ')
		out->len--;
	strbuf_addc(out, '\n');
}

/* "needs a, b". */
static void add_things(struct strbuf *out, const char *before, thing_set set)
{
	for (int i = 0; i < THING_COUNT; i++) {
		if (!is_in(set, i))
			continue;
		strbuf_printf(out, "%s%s", before, thing_rows[i].name);
		before = ", ";
	}
}

/* The modules that the notebook imports and the Python does not have; "python3 has 2 of the 8 modules that heat.ipynb
 * imports". */
static void add_imports(struct strbuf *out, const struct doctor *doctor)
{
	const bool *missing = doctor->found.import_missing;
	size_t count = doctor->imports.count, found = 0;
	strbuf_addc(out, '\n');
	for (size_t i = 0; missing != NULL && i < count; i++) {
		const struct doctor_import *import = &doctor->imports.items[i];
		found += !missing[i];
		if (!missing[i])
			continue;
		add_mark(out, doctor, state_word(FINDING_MISSING), false, !import->optional);
		add_padded(out, doctor->names.names.items[i], NAME_WIDTH);
		strbuf_printf(out, "cell %u%s\n", import->cell,
		              import->optional ? ", below a header such as try" : "");
	}
	terminal_text(out, count == 0 ? doctor->name : slice_from(doctor->python));
	if (count == 0) {
		strbuf_puts(out, " imports no modules\n");
	} else {
		if (missing != NULL)
			strbuf_printf(out, " has %zu", found);
		else
			strbuf_puts(out, " does not say which");
		strbuf_printf(out, " of the %zu modules that ", count);
		terminal_text(out, doctor->name);
		strbuf_puts(out, missing != NULL ? " imports\n" : " imports it has\n");
	}
	/* What doctor has not looked at, although a run does. */
	if (doctor->changes_path && lacks_modules(doctor))
		strbuf_puts(out, "not looked at: folders for sys.path that a cell computes\n");
	if (doctor->has_steps)
		strbuf_puts(out, "not looked at: what the configuration's modules and setup add\n");
	if (doctor->refused_python.len > 0 && !doctor->user_chose) {
		strbuf_puts(out, "not looked at: the configuration's Python; use --python=");
		terminal_text(out, doctor->refused_python);
		strbuf_addc(out, '\n');
	}
}

static void add_text(struct strbuf *out, const struct doctor *doctor)
{
	for (int i = 0; i < THING_COUNT; i++)
		add_thing(out, doctor, i);
	strbuf_addc(out, '\n');
	for (enum feature_id i = 0; i < FEATURE_COUNT; i++) {
		thing_set obstacles = feature_obstacles(&doctor->found, i);
		thing_set doubts = feature_doubts(&doctor->found, i);
		const struct feature_row *row = &feature_rows[i];
		add_mark(out, doctor, feature_word(&doctor->found, i), (obstacles | doubts) == 0,
		         i == FEATURE_MEASURE);
		strbuf_puts(out, row->name);
		if ((obstacles | doubts) != 0)
			strbuf_fill(out, ' ', NAME_WIDTH - strlen(row->name));
		add_things(out, "needs ", obstacles & row->all);
		add_things(out, (obstacles & row->all) != 0 ? "; one of " : "needs one of ",
		           obstacles & row->any);
		if (obstacles == 0)
			add_things(out, "not known: ", doubts);
		strbuf_addc(out, '\n');
	}
	if (doctor->path != NULL)
		add_imports(out, doctor);
	strbuf_puts(out, "\nnext: ");
	terminal_text(out, next_command(doctor));
	strbuf_addc(out, '\n');
}

/* "scorep-config" of SCOREP_CONFIG. */
static struct slice id_text(struct arena *arena, const char *id)
{
	char *text = arena_cstr(arena, slice_from(id));
	for (char *at = text; *at != '\0'; at++) {
		*at = ascii_lower(*at);
		if (*at == '_')
			*at = '-';
	}
	return slice_from(text);
}

static void json_thing(struct json_writer *json, const struct doctor *doctor, int thing)
{
	const struct thing_row *row = &thing_rows[thing];
	const struct finding *finding = &doctor->found.findings[thing];
	json_put(json, "{'id': ?, 'name': ?, 'state': ?, 'version': ?*, 'oldest': ?*",
	         J(id_text(doctor->arena, row->id)), J(row->name), J(state_word(finding->state)),
	         J(finding->version), J(row->oldest));
	json_put(json, "'path': ?*, 'reason': ?*", J(finding->path), J(finding->reason));
	if (finding->state != FINDING_FOUND) {
		json_put(json, "'fix': ?*, 'remark': ?*, 'hinders': [",
		         J(fix_command(doctor, thing)), J(fix_remark(doctor, thing)));
		for (int i = 0; i < FEATURE_COUNT; i++) {
			if (is_in(feature_obstacles(&doctor->found, (enum feature_id)i), thing))
				json_put(json, "?", J(id_text(doctor->arena, feature_rows[i].id)));
		}
		json_put(json, "]");
	}
	json_put(json, "}");
}

static void json_things(struct json_writer *json, const struct doctor *doctor, const char *key,
                        thing_set set)
{
	json_put(json, "?: [", J(key));
	for (int i = 0; i < THING_COUNT; i++) {
		if (is_in(set, i))
			json_put(json, "?", J(id_text(doctor->arena, thing_rows[i].id)));
	}
	json_put(json, "]");
}

static void add_json(struct strbuf *out, const struct doctor *doctor)
{
	const bool *missing = doctor->found.import_missing;
	const struct scorep_capabilities *scorep = &doctor->found.scorep;
	struct json_writer json = {.out = out};
	json_put(&json, "{'version': ?, 'things': [", J(JSON_VERSION));
	for (int i = 0; i < THING_COUNT; i++)
		json_thing(&json, doctor, i);
	json_put(&json, "], 'scorep_values': {");
	/* The values that scorep-config lists: {"--thread": ["none", "pthread"]}. */
	for (size_t i = 0; scorep->known && i < scorep->options.count; i++) {
		const struct scorep_capability *option = &scorep->options.items[i];
		if (option->values.count > 0)
			json_put(&json, "?: ?", J(option->option),
			         json_texts(option->values.items, option->values.count));
	}
	json_put(&json, "}, 'features': [");
	for (enum feature_id i = 0; i < FEATURE_COUNT; i++) {
		json_put(&json, "{'id': ?, 'name': ?, 'state': ?",
		         J(id_text(doctor->arena, feature_rows[i].id)), J(feature_rows[i].name),
		         J(feature_word(&doctor->found, i)));
		json_things(&json, doctor, "obstacles", feature_obstacles(&doctor->found, i));
		json_things(&json, doctor, "doubts", feature_doubts(&doctor->found, i));
		json_put(&json, "}");
	}
	json_put(&json, "]");
	if (doctor->path != NULL)
		json_put(&json, "'imports': [");
	for (size_t i = 0; i < doctor->imports.count; i++) {
		enum finding_state state = missing == NULL ? FINDING_UNKNOWN
		                           : missing[i]    ? FINDING_MISSING
		                                           : FINDING_FOUND;
		json_put(&json, "{'name': ?, 'state': ?, 'cell': ?, 'optional': ?}",
		         J(doctor->names.names.items[i]), J(state_word(state)),
		         J(doctor->imports.items[i].cell),
		         json_bool(doctor->imports.items[i].optional));
	}
	if (doctor->path != NULL)
		json_put(&json, "]");
	json_put(&json, "'next': ?*}", J(next_command(doctor)));
	strbuf_addc(out, '\n');
}

int command_doctor(struct arena *arena, struct options *options)
{
	const char *named = options->build.python;
	double seconds = options->doctor.timeout.given ? options->doctor.timeout.seconds : SECONDS;
	if (options->operands.count > 1)
		return message_usage(arena, "'doctor' takes one notebook at most");
	if (seconds < 1 || seconds > SECONDS_MAX)
		return message_usage(arena, "'--timeout' expects 1 to %d seconds, not %g",
		                     SECONDS_MAX, seconds);
	struct doctor doctor = {
	        .arena = arena,
	        .path = options->operands.count > 0 ? options->operands.items[0] : NULL,
	        .color = cli_wants_color(options, STDOUT_FILENO),
	        .names = {.arena = arena},
	        .folders = {.arena = arena},
	        .own = {.arena = arena},
	};
	options->build.quiet = options->build.no_verify = true; /* the rest is what check is for */
	options->build.allow_new_parameters = true;
	options->build.python = NULL;
	int status = EXIT_DONE;
	if (doctor.path != NULL)
		status = notebooks_run(arena, COMMAND_DOCTOR, options, read_notebook, &doctor);
	if (status != EXIT_DONE)
		return status;
	doctor.python = python_find(arena, named, doctor.configured);
	doctor.user_chose = python_is_named(named);
	struct discovery_order order = {
	        .things = THINGS_ALL,
	        .python = doctor.python,
	        .folders = doctor.folders,
	        .imports = doctor.names,
	        .seconds = (unsigned)seconds,
	};
	if (discovery_make(arena, &order, &doctor.found) != 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot ask programs: %s",
		                    strerror(errno));
	struct strbuf out = {.arena = arena};
	if (options->doctor.json)
		add_json(&out, &doctor);
	else
		add_text(&out, &doctor);
	status = message_print(arena, strbuf_slice(&out));
	bool works =
	        feature_obstacles(&doctor.found, FEATURE_MEASURE) == 0 && !lacks_modules(&doctor);
	return status == EXIT_DONE && !works ? NOT_MEASURED : status;
}
