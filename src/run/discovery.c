#include "run/discovery.h"

#include "emit/template.h"
#include "process/environment.h"
#include "process/process.h"
#include "run/experiment.h"
#include "settings/settings.h"
#include "version.h"

enum { ANSWER_MAX = 1 << 16 /* bytes of each stream */ };

const struct thing_row thing_rows[THING_COUNT] = {
#define THING(id, name, kind, what, asked, oldest, fix, remark)                                    \
	{#id, name, THING_IS_##kind, what, asked, oldest, fix, remark},
#include "run/things.def"
};

const struct feature_row feature_rows[FEATURE_COUNT] = {
#define IS(id) THING_BIT(THING_##id)
#define FEATURE(id, name, all, any) {#id, name, all, any},
#include "run/features.def"
#undef IS
};

enum { IN_THE_WAY = 1 << FINDING_MISSING | 1 << FINDING_OLD | 1 << FINDING_BROKEN };

/* The things in one of STATES, a bit for each. */
static thing_set things_in(const struct discovery *discovery, unsigned states)
{
	thing_set set = 0;
	for (int i = 0; i < THING_COUNT; i++)
		set |= (states >> discovery->findings[i].state & 1) != 0 ? THING_BIT(i) : 0;
	return set;
}

thing_set feature_obstacles(const struct discovery *discovery, enum feature_id feature)
{
	const struct feature_row *row = &feature_rows[feature];
	thing_set in_way = things_in(discovery, IN_THE_WAY), any = row->any & in_way;
	return (row->all & in_way) | (any == row->any ? any : 0);
}

thing_set feature_doubts(const struct discovery *discovery, enum feature_id feature)
{
	const struct feature_row *row = &feature_rows[feature];
	bool found = (row->any & things_in(discovery, 1 << FINDING_FOUND)) != 0;
	return (row->all | (found ? 0 : row->any)) & things_in(discovery, 1 << FINDING_UNKNOWN);
}

/* The first number with a dot in TEXT that begins a word ("8.4" in "Score-P 8.4", "(gcc) 12.2.0"), or none. */
static struct slice version_in(struct slice text)
{
	for (size_t at = 0, end; at < text.len; at = end + 1) {
		for (end = at;
		     end < text.len && (ascii_is_digit(text.ptr[end]) || text.ptr[end] == '.');
		     end++)
			;
		bool begins =
		        at == 0 || !ascii_is_alnum(text.ptr[at - 1]) || text.ptr[at - 1] == 'v';
		struct slice found = slice_sub(text, at, end);
		while (slice_ends_with(found, SLICE(".")))
			found.len--;
		if (begins && found.len > 0 && ascii_is_digit(found.ptr[0]) &&
		    slice_find(found, '.', 0) < found.len)
			return found;
	}
	return slice_make(NULL, 0);
}

/* Cuts the number at the beginning of *TEXT off, with the dot after it, and returns it. */
static unsigned long next_number(struct slice *text)
{
	unsigned long number = 0;
	size_t at = 0;
	for (; at < text->len && ascii_is_digit(text->ptr[at]); at++) {
		if (number < 1000000)
			number = number * 10 + (unsigned long)(text->ptr[at] - '0');
	}
	bool dot = at < text->len && text->ptr[at] == '.';
	*text = dot ? slice_tail(*text, at + 1) : slice_make(NULL, 0);
	return number;
}

bool version_is_older(struct slice version, struct slice oldest)
{
	while (version.len > 0 || oldest.len > 0) {
		unsigned long a = next_number(&version), b = next_number(&oldest);
		if (a != b)
			return a < b;
	}
	return false;
}

struct search;

/* A question to a program, and what takes its answer, or the reason why there is none (else empty). */
struct inquiry {
	void (*take)(struct search *search, enum thing_id thing,
	             const struct process_result *answer, struct slice reason);
	enum thing_id thing;
};

struct search {
	struct arena *arena;
	struct environment environment; /* this program's */
	const struct discovery_order *order;
	struct discovery *out;
	struct inquiry inquiries[THING_COUNT + 2];
	struct process_order orders[THING_COUNT + 2];
	struct process_result answers[THING_COUNT + 2];
	size_t count;
};

static bool is_sought(const struct search *search, enum thing_id thing)
{
	return (search->order->things & THING_BIT(thing)) != 0;
}

static void add_question(struct search *search, struct inquiry inquiry, const char *const *argv)
{
	search->inquiries[search->count] = inquiry;
	search->orders[search->count++] =
	        (struct process_order){.argv = argv,
	                               .limit = ANSWER_MAX,
	                               .limits = {.seconds = search->order->seconds},
	                               .own_group = true,
	                               .is_whole = true};
}

/* An argument vector of PROGRAM and the blank-separated WORDS. */
static const char *const *words_of(struct arena *arena, const char *program, struct slice words)
{
	text_list argv = {0};
	vec_push(arena, &argv, program);
	for (struct slice word; (word = slice_next_word(&words)).len > 0;)
		vec_push(arena, &argv, arena_cstr(arena, word));
	vec_push(arena, &argv, NULL);
	return argv.items;
}

/* Finds the program NAME, if THING is looked for. Returns its path, or NULL. */
static const char *find_program(struct search *search, enum thing_id thing, const char *name)
{
	struct finding *finding = &search->out->findings[thing];
	if (!is_sought(search, thing))
		return NULL;
	const char *path = environment_find_program(&search->environment, name);
	finding->state = path == NULL ? FINDING_MISSING : FINDING_FOUND;
	if (path != NULL)
		finding->path = slice_from(path);
	return path;
}

/* Adds "--" and NAMES to ARGV. */
static void add_names(struct arena *arena, text_list *argv, const struct name_set *names)
{
	vec_push(arena, argv, "--");
	for (size_t i = 0; i < names->names.count; i++)
		vec_push(arena, argv, arena_cstr(arena, names->names.items[i]));
}

static void break_it(struct finding *finding, struct slice reason)
{
	finding->state = FINDING_BROKEN;
	finding->reason = reason;
}

/* Sets the version and checks whether it is too old. */
static void set_version(struct search *search, enum thing_id thing, struct slice version)
{
	struct finding *finding = &search->out->findings[thing];
	const char *oldest = thing_rows[thing].oldest;
	finding->version = version;
	if (version.len == 0 || !version_is_older(version, slice_from(oldest)))
		return;
	finding->state = FINDING_OLD;
	finding->reason = arena_printf(search->arena, "%s or newer is required", oldest);
}

static void take_version(struct search *search, enum thing_id thing,
                         const struct process_result *answer, struct slice reason)
{
	if (reason.len > 0) {
		break_it(&search->out->findings[thing], reason);
		return;
	}
	struct slice version = version_in(answer->out);
	if (version.len == 0)
		version = version_in(answer->err);
	set_version(search, thing, version);
}

/* "NAME VERSION PATH" or "NAME missing". */
static void take_module(struct search *search, struct slice rest)
{
	struct slice name = slice_next_word(&rest), version = slice_next_word(&rest);
	int thing = 0;
	while (thing < THING_COUNT && (thing_rows[thing].kind != THING_IS_MODULE ||
	                               !slice_eq(slice_from(thing_rows[thing].what), name)))
		thing++;
	if (thing == THING_COUNT || !is_sought(search, (enum thing_id)thing))
		return;
	struct finding *finding = &search->out->findings[thing];
	bool missing = slice_eq(version, SLICE("missing"));
	finding->state = missing ? FINDING_MISSING : FINDING_FOUND;
	finding->path = slice_trim(rest);
	if (!missing && !slice_eq(version, SLICE("?")))
		set_version(search, (enum thing_id)thing, version);
}

/* Skips lines that are not doctor.py's, because a Python may print something at its start. */
static void take_python(struct search *search, enum thing_id thing,
                        const struct process_result *answer, struct slice reason)
{
	struct slice text = answer->out, line;
	size_t import_count = search->order->imports.names.count;
	bool *missing = arena_calloc(search->arena, import_count + 1, sizeof *missing);
	bool complete = false;
	while (reason.len == 0 && slice_next_line(&text, &line)) {
		if (slice_cut_prefix(&line, SLICE("nbscorep:python "))) {
			set_version(search, thing, slice_trim(line));
		} else if (slice_cut_prefix(&line, SLICE("nbscorep:module "))) {
			take_module(search, line);
		} else if (slice_cut_prefix(&line, SLICE("nbscorep:managed"))) {
			search->out->is_managed = true;
		} else if (slice_cut_prefix(&line, SLICE("nbscorep:missing "))) {
			unsigned long index = next_number(&line);
			missing[index < import_count ? index : import_count] = true;
		} else if (slice_cut_prefix(&line, SLICE("nbscorep:imports"))) {
			search->out->import_missing = import_count > 0 ? missing : NULL;
		} else if (slice_cut_prefix(&line, SLICE("nbscorep:done"))) {
			complete = true;
		}
	}
	if (!complete)
		break_it(&search->out->findings[thing],
		         reason.len > 0 ? reason : SLICE("its answer cannot be read"));
}

static void take_options(struct search *search, enum thing_id thing,
                         const struct process_result *answer, struct slice reason)
{
	static const enum finding_state states[] = {
	        [SCOREP_SUPPORT_UNKNOWN] = FINDING_UNKNOWN,
	        [SCOREP_SUPPORT_NO] = FINDING_MISSING,
	        [SCOREP_SUPPORT_YES] = FINDING_FOUND,
	};
	(void)thing;
	if (reason.len > 0)
		return;
	struct discovery *out = search->out;
	scorep_read_capabilities(search->arena, answer->out, &out->scorep);
	for (int i = 0; i < THING_COUNT; i++) {
		if (thing_rows[i].kind == THING_IS_OPTION && is_sought(search, (enum thing_id)i))
			out->findings[i].state = states[scorep_supports(
			        &out->scorep, slice_from(thing_rows[i].what))];
	}
}

/* scorep-config reports in its errors if it has only static libraries. */
static void take_shared(struct search *search, enum thing_id thing,
                        const struct process_result *answer, struct slice reason)
{
	if (reason.len == 0)
		search->out->findings[thing].state = FINDING_FOUND;
	else if (slice_find_slice(answer->err, SLICE("no shared"), 0) < answer->err.len)
		search->out->findings[thing].state = FINDING_MISSING;
}

static void collect_questions(struct search *search)
{
	struct arena *arena = search->arena;
	struct finding *recorder = &search->out->findings[THING_RECORDER];
	recorder->path = recorder_object(arena);
	recorder->state = recorder->path.len > 0 ? FINDING_FOUND : FINDING_MISSING;
	recorder->version = recorder->path.len > 0 ? SLICE(NBSCOREP_VERSION) : slice_make("", 0);
	for (int i = 0; i < THING_COUNT; i++) {
		enum thing_id thing = (enum thing_id)i;
		struct slice words = slice_from(thing_rows[i].asked);
		const char *path = NULL;
		if (thing_rows[i].kind == THING_IS_PROGRAM)
			path = find_program(search, thing, thing_rows[i].what);
		if (path != NULL && words.len > 0)
			add_question(search, (struct inquiry){take_version, thing},
			             words_of(arena, path, words));
		if (path == NULL || thing != THING_SCOREP_CONFIG)
			continue;
		add_question(search, (struct inquiry){take_options, thing},
		             words_of(arena, path, SLICE("--help")));
		if (is_sought(search, THING_SHARED))
			add_question(search, (struct inquiry){take_shared, THING_SHARED},
			             words_of(arena, path, SLICE("--preload-libs --user")));
	}
	const char *python = find_program(search, THING_PYTHON, search->order->python);
	if (python == NULL)
		return;
	const struct discovery_order *order = search->order;
	text_list argv = {0};
	vec_push(arena, &argv, python);
	vec_push(arena, &argv, "-c");
	vec_push(arena, &argv, template_text(SLICE("doctor.py")).ptr);
	for (int i = 0; i < THING_COUNT; i++) {
		if (thing_rows[i].kind == THING_IS_MODULE && is_sought(search, (enum thing_id)i))
			vec_push(arena, &argv, thing_rows[i].what);
	}
	if (order->imports.names.count > 0) {
		add_names(arena, &argv, &order->folders);
		add_names(arena, &argv, &order->imports);
	}
	vec_push(arena, &argv, NULL);
	add_question(search, (struct inquiry){take_python, THING_PYTHON}, argv.items);
}

int discovery_make(struct arena *arena, const struct discovery_order *order, struct discovery *out)
{
	struct search *search = ARENA_NEW(arena, struct search);
	*out = (struct discovery){0};
	search->arena = arena;
	environment_init(&search->environment, arena);
	search->order = order;
	search->out = out;
	collect_questions(search);
	if (process_run_all(arena, search->orders, search->count, search->answers) != 0)
		return -1;
	for (size_t i = 0; i < search->count; i++)
		search->inquiries[i].take(
		        search, search->inquiries[i].thing, &search->answers[i],
		        process_failure(arena, &search->answers[i], search->order->seconds));
	return 0;
}
