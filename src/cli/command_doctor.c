#include <errno.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "emit/template.h"
#include "run/discovery.h"
#include "run/python.h"

enum { NOT_MEASURED = 1 }; /* the exit status */
enum {
	SECONDS = 10,
	SECONDS_MAX = 600,
	JSON_VERSION = 1,
	MARK_WIDTH = 9,
	NAME_WIDTH = 26,
	VERSION_WIDTH = 9
};

struct doctor {
	struct arena *arena;
	const char *python;
	bool color;
	struct discovery found;
};

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

/* A command of things.def, for the Python that was looked at; it may be empty. */
static struct slice fix_command(const struct doctor *doctor, int thing)
{
	struct slice fix = slice_from(thing_rows()[thing].fix);
	struct strbuf out;
	if (!slice_starts_with(fix, SLICE("python3 ")))
		return fix;
	strbuf_init(&out, doctor->arena);
	bash_word(&out, slice_from(doctor->python));
	strbuf_add(&out, slice_sub(fix, strlen("python3"), fix.len));
	return strbuf_slice(&out);
}

/* The first thing of SET whose command is known is to be installed first. */
static struct slice next_command(const struct doctor *doctor)
{
	thing_set obstacles = feature_obstacles(&doctor->found, FEATURE_MEASURE);
	for (int i = 0; i < THING_COUNT; i++) {
		if (is_in(obstacles, i))
			return fix_command(doctor, i);
	}
	return SLICE("nbscorep build NOTEBOOK");
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

/* "module load X (or: spack install x)". */
static void add_fix(struct strbuf *out, const struct doctor *doctor, int thing)
{
	const char *remark = thing_rows()[thing].remark;
	struct slice fix = fix_command(doctor, thing);
	terminal_text(out, fix);
	strbuf_printf(out, fix.len > 0 ? " (%s)" : "%s", remark);
}

/* The last column: where it is, what is wrong with it, what to do. */
static void add_rest(struct strbuf *out, const struct doctor *doctor, int thing)
{
	const struct finding *finding = &doctor->found.findings[thing];
	terminal_text(out, finding->path);
	if (finding->reason.len > 0) {
		strbuf_puts(out, ": ");
		terminal_text(out, finding->reason);
	}
	if (finding->state == FINDING_OLD)
		strbuf_puts(out, "; ");
	if (finding->state == FINDING_MISSING || finding->state == FINDING_OLD)
		add_fix(out, doctor, thing);
}

/* Of what a missing program would tell there is nothing to say. */
static bool is_silent(const struct doctor *doctor, int thing)
{
	static const enum thing_id owners[] = {
	        [THING_IS_PYTHON] = THING_PYTHON,        [THING_IS_PROGRAM] = THING_PYTHON,
	        [THING_IS_MODULE] = THING_PYTHON,        [THING_IS_OPTION] = THING_SCOREP_CONFIG,
	        [THING_IS_SHARED] = THING_SCOREP_CONFIG,
	};
	const struct finding *findings = doctor->found.findings;
	return findings[thing].state == FINDING_UNKNOWN &&
	       findings[owners[thing_rows()[thing].kind]].state != FINDING_FOUND;
}

static void add_thing(struct strbuf *out, const struct doctor *doctor, int thing)
{
	const struct finding *finding = &doctor->found.findings[thing];
	bool needed = is_in(feature_rows()[FEATURE_MEASURE].all, thing);
	add_mark(out, doctor, state_word(finding->state), finding->state == FINDING_FOUND, needed);
	add_padded(out, slice_from(thing_rows()[thing].name), NAME_WIDTH);
	add_padded(out, finding->version, VERSION_WIDTH);
	add_rest(out, doctor, thing);
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
		strbuf_printf(out, "%s%s", before, thing_rows()[i].name);
		before = ", ";
	}
}

static void add_feature(struct strbuf *out, const struct doctor *doctor, enum feature_id feature)
{
	thing_set obstacles = feature_obstacles(&doctor->found, feature);
	thing_set doubts = feature_doubts(&doctor->found, feature);
	const struct feature_row *row = &feature_rows()[feature];
	add_mark(out, doctor, feature_word(&doctor->found, feature), (obstacles | doubts) == 0,
	         feature == FEATURE_MEASURE);
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

static void add_text(struct strbuf *out, const struct doctor *doctor)
{
	for (int i = 0; i < THING_COUNT; i++) {
		if (!is_silent(doctor, i))
			add_thing(out, doctor, i);
	}
	strbuf_addc(out, '\n');
	for (int i = 0; i < FEATURE_COUNT; i++)
		add_feature(out, doctor, (enum feature_id)i);
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

static void json_text(struct json_writer *json, const char *key, struct slice text)
{
	if (text.len == 0)
		return;
	json_put_key(json, key);
	json_put_string(json, text);
}

/* The features in whose way THING is. */
static void json_hindered(struct json_writer *json, const struct doctor *doctor, int thing)
{
	json_put_key(json, "hinders");
	json_begin_array(json);
	for (int i = 0; i < FEATURE_COUNT; i++) {
		if (is_in(feature_obstacles(&doctor->found, (enum feature_id)i), thing))
			json_put_string(json, id_text(doctor->arena, feature_rows()[i].id));
	}
	json_end_array(json);
}

static void json_thing(struct json_writer *json, const struct doctor *doctor, int thing)
{
	const struct thing_row *row = &thing_rows()[thing];
	const struct finding *finding = &doctor->found.findings[thing];
	json_begin_object(json);
	json_text(json, "id", id_text(doctor->arena, row->id));
	json_text(json, "name", slice_from(row->name));
	json_text(json, "state", slice_from(state_word(finding->state)));
	json_text(json, "version", finding->version);
	json_text(json, "oldest", slice_from(row->oldest));
	json_text(json, "path", finding->path);
	json_text(json, "reason", finding->reason);
	if (thing == THING_BINDINGS && doctor->found.generation > 0) {
		json_put_key(json, "generation");
		json_put_number(json, doctor->found.generation);
	}
	if (finding->state != FINDING_FOUND) {
		json_text(json, "fix", fix_command(doctor, thing));
		json_text(json, "remark", slice_from(row->remark));
		json_hindered(json, doctor, thing);
	}
	json_end_object(json);
}

static void json_things(struct json_writer *json, const struct doctor *doctor, const char *key,
                        thing_set set)
{
	json_put_key(json, key);
	json_begin_array(json);
	for (int i = 0; i < THING_COUNT; i++) {
		if (is_in(set, i))
			json_put_string(json, id_text(doctor->arena, thing_rows()[i].id));
	}
	json_end_array(json);
}

static void json_feature(struct json_writer *json, const struct doctor *doctor,
                         enum feature_id feature)
{
	json_begin_object(json);
	json_text(json, "id", id_text(doctor->arena, feature_rows()[feature].id));
	json_text(json, "name", slice_from(feature_rows()[feature].name));
	json_text(json, "state", slice_from(feature_word(&doctor->found, feature)));
	json_things(json, doctor, "obstacles", feature_obstacles(&doctor->found, feature));
	json_things(json, doctor, "doubts", feature_doubts(&doctor->found, feature));
	json_end_object(json);
}

/* The values that scorep-config lists: {"--thread": ["none", "pthread"]}. */
static void json_values(struct json_writer *json, const struct scorep_capabilities *scorep)
{
	json_put_key(json, "scorep_values");
	json_begin_object(json);
	for (size_t i = 0; i < scorep->options.count; i++) {
		const struct scorep_capability *option = &scorep->options.items[i];
		if (!scorep->known || option->values.count == 0)
			continue;
		json_put_key(json, arena_cstr(json->out->arena, option->option));
		json_begin_array(json);
		for (size_t k = 0; k < option->values.count; k++)
			json_put_string(json, option->values.items[k]);
		json_end_array(json);
	}
	json_end_object(json);
}

static void add_json(struct strbuf *out, const struct doctor *doctor)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_begin_object(&json);
	json_put_key(&json, "version");
	json_put_number(&json, JSON_VERSION);
	json_put_key(&json, "things");
	json_begin_array(&json);
	for (int i = 0; i < THING_COUNT; i++)
		json_thing(&json, doctor, i);
	json_end_array(&json);
	json_values(&json, &doctor->found.scorep);
	json_put_key(&json, "features");
	json_begin_array(&json);
	for (int i = 0; i < FEATURE_COUNT; i++)
		json_feature(&json, doctor, (enum feature_id)i);
	json_end_array(&json);
	json_text(&json, "next", next_command(doctor));
	json_end_object(&json);
	strbuf_addc(out, '\n');
}

/* 0 where TEXT is no number of seconds. */
static unsigned read_seconds(const char *text)
{
	unsigned seconds = 0;
	for (; ascii_is_digit(*text) && seconds <= SECONDS_MAX; text++)
		seconds = seconds * 10 + (unsigned)(*text - '0');
	return *text == '\0' && seconds <= SECONDS_MAX ? seconds : 0;
}

int command_doctor(struct invocation *invocation)
{
	const struct options *options = invocation->options;
	struct arena *arena = invocation->arena;
	unsigned seconds = options->timeout == NULL ? SECONDS : read_seconds(options->timeout);
	if (options->operands.count > 0)
		return cli_usage_error(arena, "'doctor' takes no '%s'", options->operands.items[0]);
	if (seconds == 0)
		return cli_usage_error(arena, "'--timeout' wants seconds, 1 to %d, not '%s'",
		                       SECONDS_MAX, options->timeout);
	struct environment environment;
	environment_init(&environment, arena, environ);
	struct doctor doctor = {
	        .arena = arena,
	        .python = python_find(&environment, options->python),
	        .color = cli_wants_color(options, STDOUT_FILENO),
	};
	struct discovery_order order = {
	        .things = THINGS_ALL,
	        .python = doctor.python,
	        .script = template_text(SLICE("doctor.py")),
	        .seconds = seconds,
	};
	if (discover(arena, &order, &doctor.found) != 0)
		return cli_system_error(
		        arena, arena_printf(arena, "cannot ask programs: %s", strerror(errno)));
	struct strbuf out;
	strbuf_init(&out, arena);
	if (options->json)
		add_json(&out, &doctor);
	else
		add_text(&out, &doctor);
	int status = cli_print(arena, strbuf_slice(&out));
	bool measured = feature_obstacles(&doctor.found, FEATURE_MEASURE) == 0;
	return status == EXIT_DONE && !measured ? NOT_MEASURED : status;
}
