#include "batch/sbatch.h"

#include "base/suggest.h"

static const struct sbatch_row rows[] = {
#define LIST true
#define ONE false
#define SBATCH(name, short_name, value, is_list, doc)                                              \
	{name, doc, SBATCH_##value, short_name, is_list},
#include "batch/sbatch.def"
#undef SBATCH
#undef ONE
#undef LIST
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const struct sbatch_row *sbatch_rows(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

const struct sbatch_row *sbatch_find(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(slice_from(rows[i].name), name))
			return &rows[i];
	}
	return NULL;
}

struct slice sbatch_name(struct arena *arena, struct slice name)
{
	char *at = arena_cstr(arena, name);
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '_')
			at[i] = '-';
	}
	return slice_make(at, name.len);
}

/* The option that PBS, LSF, srun or users call NAME, or an empty slice. */
static struct slice known_as(struct slice name)
{
	static const struct {
		struct slice name, meant;
	} others[] = {
	        {SLICE_INIT("queue"), SLICE_INIT("partition")},
	        {SLICE_INIT("walltime"), SLICE_INIT("time")},
	        {SLICE_INIT("memory"), SLICE_INIT("mem")},
	        {SLICE_INIT("name"), SLICE_INIT("job-name")},
	        {SLICE_INIT("tasks"), SLICE_INIT("ntasks")},
	        {SLICE_INIT("cpus"), SLICE_INIT("cpus-per-task")},
	        {SLICE_INIT("project"), SLICE_INIT("account")},
	        {SLICE_INIT("workdir"), SLICE_INIT("chdir")},
	        {SLICE_INIT("stdout"), SLICE_INIT("output")},
	        {SLICE_INIT("stderr"), SLICE_INIT("error")},
	        {SLICE_INIT("mail"), SLICE_INIT("mail-user")},
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		if (slice_eq_nocase(others[i].name, name))
			return others[i].meant;
	}
	return slice_make("", 0);
}

struct slice sbatch_suggest(struct slice name)
{
	struct slice names[ROW_COUNT];
	struct slice known = known_as(name);
	if (known.len > 0)
		return known;
	for (size_t i = 0; i < ROW_COUNT; i++) {
		names[i] = slice_from(rows[i].name);
		if (name.len == 1 && rows[i].short_name == name.ptr[0])
			return names[i];
	}
	return suggest(name, names, ROW_COUNT);
}

const char *sbatch_refusal(struct slice name)
{
	return slice_is_word_of(
	               name,
	               "help usage version wrap wait parsable test-only verbose quiet ignore-pbs")
	               ? "belongs on the command line of sbatch, not in a script"
	               : NULL;
}

/* Reads at most MAX numbers with colons between them. Returns their count, or 0 for any other text. */
static size_t read_numbers(struct slice text, long *out, size_t max)
{
	size_t count = 0, at = 0;
	while (count < max) {
		size_t end = slice_find(text, ':', at);
		uint64_t number;
		if (!slice_read_number(slice_sub(text, at, end), 999999999, &number))
			return 0;
		out[count++] = (long)number;
		if (end == text.len)
			return count;
		at = end + 1;
	}
	return 0;
}

/* Numbers that are left out are 0. */
static long sum_minutes(long days, const long *hms)
{
	return (days * 24 + hms[0]) * 60 + hms[1] + (hms[2] + 59) / 60;
}

bool sbatch_read_time(struct slice text, long *minutes)
{
	long days = 0, numbers[3] = {0};
	if (slice_is_word_of_nocase(text, "unlimited infinite -1")) {
		*minutes = SBATCH_UNLIMITED;
		return true;
	}
	size_t dash = slice_find(text, '-', 0);
	if (dash < text.len) {
		struct slice rest = slice_sub(text, dash + 1, text.len);
		if (read_numbers(slice_sub(text, 0, dash), &days, 1) == 0 ||
		    read_numbers(rest, numbers, 3) == 0)
			return false;
		*minutes = sum_minutes(days, numbers);
		return true;
	}
	size_t count = read_numbers(text, numbers, 3);
	if (count == 3)
		*minutes = sum_minutes(0, numbers);
	else
		*minutes = sum_minutes(0, (const long[3]){0, numbers[0], numbers[1]});
	return count > 0;
}
