#include "batch/job_settings.h"

#include "base/suggest.h"

/* ---- sbatch ---- */

const struct sbatch_row sbatch_rows[] = {
#define LIST true
#define ONE false
#define SBATCH(name, short_name, value, is_list, doc)                                              \
	{name, doc, SBATCH_##value, short_name, is_list},
#include "batch/sbatch.def"
#undef ONE
#undef LIST
};
enum { ROW_COUNT = sizeof sbatch_rows / sizeof *sbatch_rows };
const size_t sbatch_row_count = ROW_COUNT;

const struct sbatch_row *sbatch_find(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(slice_from(sbatch_rows[i].name), name))
			return &sbatch_rows[i];
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

/* Returns the option that NAME, which may be a short form ("J"), most likely means, or an empty slice. */
static struct slice suggest_option(struct slice name)
{
	struct slice names[ROW_COUNT];
	for (size_t i = 0; i < ROW_COUNT; i++) {
		names[i] = slice_from(sbatch_rows[i].name);
		if (name.len == 1 && sbatch_rows[i].short_name == name.ptr[0])
			return names[i];
	}
	return suggest(name, names, ROW_COUNT);
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

bool sbatch_read_time(struct slice text, long *minutes)
{
	long days = 0, numbers[3] = {0};
	if (slice_is_word_of_nocase(text, "unlimited infinite -1")) {
		*minutes = SBATCH_UNLIMITED;
		return true;
	}
	size_t dash = slice_find(text, '-', 0);
	bool has_days = dash < text.len;
	if (has_days && read_numbers(slice_sub(text, 0, dash), &days, 1) == 0)
		return false;
	/* Numbers that are left out are 0. Without days, two of them are minutes and seconds. */
	size_t count = read_numbers(has_days ? slice_tail(text, dash + 1) : text, numbers, 3);
	const long *last = has_days || count == 3 ? &numbers[1] : numbers;
	long hours = days * 24 + (last == numbers ? 0 : numbers[0]);
	*minutes = hours * 60 + last[0] + (last[1] + 59) / 60;
	return count > 0;
}

/* ---- settings ---- */

enum { SIGNAL_MINUTES = 10 };

const char *batch_system_name(enum batch_system system)
{
	static const char *const names[] = {"Slurm", "PBS", "LSF"};
	return names[system];
}

const struct slice batch_header_names[] = {SLICE_INIT("slurm.header"), SLICE_INIT("pbs.header"),
                                           SLICE_INIT("lsf.header")};

__attribute__((format(printf, 3, 4))) static int refuse_setting(struct arena *arena,
                                                                struct batch_problem *problem,
                                                                const char *format, ...)
{
	va_list args;
	va_start(args, format);
	problem->message = arena_vprintf(arena, format, args);
	va_end(args);
	return -1;
}

/* True if NAME can be an option that is not in the table: letters, digits and dashes. */
static bool is_name(struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (!ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '-')
			return false;
	}
	return name.len > 0 && name.ptr[0] != '-';
}

/* A whole number with a unit: "4G", "512MB". */
static bool is_size(struct slice text)
{
	size_t at = 0;
	while (at < text.len && ascii_is_digit(text.ptr[at]))
		at++;
	struct slice unit = slice_sub(text, at, text.len);
	if (unit.len == 2 && ascii_lower(unit.ptr[1]) == 'b')
		unit.len = 1;
	return at > 0 && (unit.len == 0 ||
	                  (unit.len == 1 && strchr("kmgt", ascii_lower(unit.ptr[0])) != NULL));
}

static int check_value(struct arena *arena, const struct batch_setting *setting,
                       struct batch_problem *problem)
{
	struct slice name = setting->name, value = setting->value;
	long minutes;
	for (size_t i = 0; i < value.len; i++) {
		if ((unsigned char)value.ptr[i] < 0x20 || value.ptr[i] == 0x7F)
			return refuse_setting(
			        arena, problem,
			        "the value of '%.*s' contains a line end or a control character, "
			        "which sbatch cannot read",
			        SLICE_ARG(name));
	}
	bool is_time = slice_eq(name, SLICE("time")) || slice_eq(name, SLICE("time-min"));
	if (is_time && !sbatch_read_time(value, &minutes)) {
		problem->hint =
		        SLICE("use MINUTES, HOURS:MINUTES:SECONDS or DAYS-HOURS:MINUTES:SECONDS");
		return refuse_setting(arena, problem, "'%.*s' is not a time limit of sbatch",
		                      SLICE_ARG(value));
	}
	if ((slice_eq(name, SLICE("tmp")) || slice_eq(name, SLICE("mem")) ||
	     slice_starts_with(name, SLICE("mem-per-"))) &&
	    !is_size(value)) {
		problem->hint = SLICE("use a whole number with K, M, G or T after it");
		return refuse_setting(arena, problem, "'%.*s' is not a size for '%.*s'",
		                      SLICE_ARG(value), SLICE_ARG(name));
	}
	return 0;
}

static bool is_list_of_scalars(const struct value *value)
{
	if (value->kind != VALUE_LIST)
		return false;
	for (size_t i = 0; i < value->items.count; i++) {
		if (!value_is_scalar(value->items.items[i]) || value->items.items[i]->text.len == 0)
			return false;
	}
	return value->items.count > 0;
}

int batch_make_setting(struct arena *arena, struct slice name, const struct value *value,
                       struct batch_setting *out, struct batch_problem *problem)
{
	bool is_sites = slice_starts_with(name, SLICE("--"));
	*problem = (struct batch_problem){0};
	*out = (struct batch_setting){.where = value->where};
	out->name = is_sites ? slice_sub(name, 2, name.len) : sbatch_name(arena, name);
	const struct sbatch_row *row = sbatch_find(out->name);
	if (row == NULL && (!is_sites || !is_name(out->name))) {
		struct slice near = suggest_option(out->name);
		problem->hint =
		        near.len > 0 ? arena_printf(arena, "did you mean '%.*s'?", SLICE_ARG(near))
		                     : arena_printf(arena,
		                                    "see sbatch(1), and write '--%.*s' for an "
		                                    "option of your site",
		                                    SLICE_ARG(out->name));
		return refuse_setting(arena, problem, "sbatch takes no option '%.*s' from a script",
		                      SLICE_ARG(out->name));
	}
	out->is_left_out = value->kind == VALUE_BOOL && !value->boolean;
	if (out->is_left_out)
		return 0;
	if (value->kind == VALUE_BOOL || value->kind == VALUE_NULL) {
		if (row == NULL || row->value != SBATCH_REQUIRED)
			return 0;
	} else if (row != NULL && row->value == SBATCH_NONE) {
		return refuse_setting(arena, problem, "'%.*s' takes only true or false",
		                      SLICE_ARG(out->name));
	} else if (value_is_scalar(value)) {
		out->value = value->text;
	} else if (is_list_of_scalars(value)) {
		if (row != NULL && !row->is_list)
			return refuse_setting(arena, problem, "'%.*s' takes one value, not a list",
			                      SLICE_ARG(out->name));
		struct strbuf list = {.arena = arena};
		for (size_t i = 0; i < value->items.count; i++)
			strbuf_printf(&list, "%s%.*s", i > 0 ? "," : "",
			              SLICE_ARG(value->items.items[i]->text));
		out->value = strbuf_slice(&list);
	}
	if (out->value.len == 0)
		return refuse_setting(arena, problem, "'%.*s' requires a value%s",
		                      SLICE_ARG(out->name),
		                      value->kind == VALUE_MAP ? ", not a map" : "");
	return check_value(arena, out, problem);
}

struct batch_setting *batch_setting_find(const struct batch_settings *settings, struct slice name)
{
	for (size_t i = 0; i < settings->list.count; i++) {
		if (slice_eq(settings->list.items[i].name, name))
			return &settings->list.items[i];
	}
	return NULL;
}

void batch_put(struct arena *arena, struct batch_settings *settings,
               const struct batch_setting *setting)
{
	struct batch_setting *there = batch_setting_find(settings, setting->name);
	if (there != NULL)
		*there = *setting;
	else
		vec_push(arena, &settings->list, *setting);
}

bool batch_is_empty(const struct batch_settings *settings)
{
	for (size_t i = 0; i < settings->list.count; i++) {
		if (!settings->list.items[i].is_left_out)
			return false;
	}
	return true;
}

struct slice batch_value_of(const struct batch_settings *settings, struct slice name)
{
	const struct batch_setting *there = batch_setting_find(settings, name);
	return there == NULL ? slice_make("", 0) : there->value;
}

bool batch_read_number(struct slice text, long *number)
{
	uint64_t read = 0;
	(void)slice_read_number(text, 99999999, &read);
	*number = (long)read;
	return read > 0;
}

long batch_tasks(const struct batch_settings *settings, const struct batch_setting **said)
{
	long nodes, tasks;
	*said = batch_setting_find(settings, SLICE("ntasks"));
	if (*said != NULL)
		return batch_read_number((*said)->value, &tasks) ? tasks : 0;
	*said = batch_setting_find(settings, SLICE("ntasks-per-node"));
	if (*said == NULL || !batch_read_number((*said)->value, &tasks) ||
	    !batch_read_number(batch_value_of(settings, SLICE("nodes")), &nodes))
		return 0;
	return nodes * tasks;
}

static void put_default(struct arena *arena, struct batch_settings *settings, struct slice name,
                        struct slice value)
{
	struct batch_setting setting = {.name = name, .value = value, .is_default = true};
	struct batch_problem problem;
	if (value.len > 0 && batch_setting_find(settings, name) == NULL &&
	    check_value(arena, &setting, &problem) == 0)
		batch_put(arena, settings, &setting);
}

void batch_add_defaults(struct arena *arena, struct batch_settings *settings, struct slice name,
                        struct slice ranks)
{
	const struct batch_setting *said;
	long minutes;
	put_default(arena, settings, SLICE("job-name"), name);
	if (batch_tasks(settings, &said) == 0)
		put_default(arena, settings, SLICE("ntasks"), ranks);
	if (settings->system == BATCH_SLURM &&
	    sbatch_read_time(batch_value_of(settings, SLICE("time")), &minutes) &&
	    minutes >= SIGNAL_MINUTES)
		put_default(arena, settings, SLICE("signal"), SLICE("B:USR1@120"));
	size_t kept = 0;
	for (size_t i = 0; i < settings->list.count; i++) {
		if (!settings->list.items[i].is_left_out)
			settings->list.items[kept++] = settings->list.items[i];
	}
	settings->list.count = kept;
}
