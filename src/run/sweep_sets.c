#include "run/sweep_sets.h"

#include <errno.h>

#include "base/os.h"
#include "base/value_json.h"
#include "driver/read_sweep.h"

enum { STATUS_MAX = 16, NUMBER_DIGITS = 7 };

enum outcome { OUTCOME_NOT_YET, OUTCOME_MISSING, OUTCOME_FAILED, OUTCOME_DONE };

struct slice sweep_results(struct arena *arena, struct slice run_script)
{
	static const struct slice suffix = SLICE_INIT("_run.sh");
	struct slice stem = slice_sub(run_script, 0, run_script.len - suffix.len);
	return arena_printf(arena, "%.*s_sweep", SLICE_ARG(stem));
}

void sweep_write_sets(struct arena *arena, const struct sweep *sweep, size_t count, set_texts *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct sweep_set *set = &sweep->sets.items[i];
		struct strbuf text;
		strbuf_init(&text, arena);
		value_json_entries(&text, set->values.items, set->values.count);
		vec_push(arena, out, strbuf_slice(&text));
	}
}

struct chooser {
	struct arena *arena;
	const set_texts *sets;
	struct slice results;
	bool *chosen; /* by number of set */
	struct strbuf *error;
};

static const char *path_in(const struct chooser *chooser, size_t number, const char *name)
{
	return arena_printf(chooser->arena, "%.*s/%zu/%s", SLICE_ARG(chooser->results), number,
	                    name)
	        .ptr;
}

static enum outcome outcome_of(const struct chooser *chooser, size_t number)
{
	char text[STATUS_MAX] = "";
	if (os_is_locked(path_in(chooser, number, SWEEP_LOCK)))
		return OUTCOME_NOT_YET;
	if (!os_is_directory(path_in(chooser, number, "")) ||
	    sweep_is_another_set(chooser->arena, slice_from(path_in(chooser, number, "")),
	                         chooser->sets->items[number - 1]))
		return OUTCOME_MISSING;
	long len = os_read_own_front(path_in(chooser, number, "status"), text, sizeof text);
	bool done = len > 0 && slice_eq(slice_trim(slice_make(text, (size_t)len)), SLICE("0"));
	return done ? OUTCOME_DONE : OUTCOME_FAILED;
}

static bool choose_outcome(struct chooser *chooser, struct slice word)
{
	bool failed = slice_eq(word, SLICE("failed"));
	if (!failed && !slice_eq(word, SLICE("missing")))
		return false;
	for (size_t number = 1; number <= chooser->sets->count; number++) {
		if (outcome_of(chooser, number) == (failed ? OUTCOME_FAILED : OUTCOME_MISSING))
			chooser->chosen[number] = true;
	}
	return true;
}

/* Returns 0 if TEXT is not a number. */
static size_t read_number(struct slice text)
{
	size_t number = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (!ascii_is_digit(text.ptr[i]) || text.len > NUMBER_DIGITS)
			return 0;
		number = number * 10 + (size_t)(text.ptr[i] - '0');
	}
	return number;
}

static int choose_range(struct chooser *chooser, struct slice word)
{
	size_t dash = slice_find(word, '-', 0);
	size_t first = read_number(slice_sub(word, 0, dash));
	size_t last = dash == word.len ? first : read_number(slice_sub(word, dash + 1, word.len));
	if (first == 0 || last < first) {
		strbuf_printf(chooser->error,
		              "'--only' requires numbers, ranges, failed or missing, not '%.*s'",
		              SLICE_ARG(word));
		return -1;
	}
	if (last > chooser->sets->count) {
		strbuf_printf(chooser->error, "there is no set %zu: the sweep has %zu", last,
		              chooser->sets->count);
		return -1;
	}
	for (size_t number = first; number <= last; number++)
		chooser->chosen[number] = true;
	return 0;
}

int sweep_choose_sets(struct arena *arena, const char *wanted, const set_texts *sets,
                      struct slice results, set_numbers *out, struct strbuf *error)
{
	struct chooser chooser = {arena, sets, results, NULL, error};
	chooser.chosen = arena_calloc(arena, sets->count + 1, sizeof *chooser.chosen);
	struct slice all = wanted == NULL ? slice_make("", 0) : slice_from(wanted);
	for (size_t at = 0; wanted != NULL && at <= all.len;) {
		size_t end = slice_find(all, ',', at);
		struct slice word = slice_sub(all, at, end);
		if (!choose_outcome(&chooser, word) && choose_range(&chooser, word) < 0)
			return -1;
		at = end + 1;
	}
	for (size_t number = 1; number <= sets->count; number++) {
		if (wanted == NULL || chooser.chosen[number])
			vec_push(arena, out, number);
	}
	return 0;
}
