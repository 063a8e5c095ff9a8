#include "trace/series_read.h"

#include "sample/series_write.h"
#include "sample/varint.h"

/* ---- the head ---- */

#define NOT_GIVEN INT64_MIN

static bool read_decimal(struct slice text, int64_t *out)
{
	bool negative = text.len > 0 && text.ptr[0] == '-';
	uint64_t number;
	if (!slice_read_number(slice_tail(text, negative), (uint64_t)INT64_MAX + negative, &number))
		return false;
	*out = (int64_t)(negative ? 0 - number : number);
	return true;
}

struct series_reader {
	struct arena *arena;
	struct slice text; /* what was not taken yet */
	struct series *out;
	int64_t last_moment;
	struct slice rest;       /* of the record being read */
	struct number_map begun; /* by number: how many cells have begun */
	struct number_map
	        open; /* by number: 1 + the index of the cell that began last, if it has not ended */
	int64_t cores; /* whose time is in a column */
};

/* Ignores lines of later versions. Returns false if the head is cut or damaged. */
static bool read_head(struct series_reader *r)
{
	struct slice line;
	bool is_valid = true;
	do {
		if (slice_find(r->text, '\n', 0) == r->text.len)
			return false;
		slice_next_line(&r->text, &line);
		struct slice text = line, key, memory;
		(void)slice_next_part(&text, ' ', &key);
		if (slice_eq(key, SLICE("gpu"))) {
			struct series_gpu gpu = {0};
			(void)slice_next_part(&text, ' ', &memory);
			is_valid = read_decimal(memory, &gpu.memory);
			gpu.name = arena_dup(r->arena, slice_trim(text));
			vec_push(r->arena, &r->out->head.gpus, gpu);
		}
#define HEAD_TEXT(field)                                                                           \
	else if (slice_eq(key, SLICE(#field))) r->out->head.field = arena_dup(r->arena, text);
#define HEAD_NUMBER(field)                                                                         \
	else if (slice_eq(key, SLICE(#field))) is_valid = read_decimal(text, &r->out->head.field);
#include "sample/series_head.def"
	} while (is_valid && line.len > 0);
	/* All times are relative to these two. */
	return is_valid && r->out->head.start_mono != NOT_GIVEN &&
	       r->out->head.start_wall != NOT_GIVEN;
}

/* ---- records ---- */

/* The text is that of the file. */
static bool take_text(struct series_reader *r, struct slice *text)
{
	uint64_t len;
	if (!varint_take(&r->rest, &len) || len > r->rest.len)
		return false;
	*text = slice_sub(r->rest, 0, (size_t)len);
	r->rest = slice_tail(r->rest, (size_t)len);
	return true;
}

/* Of a cell, a core or a GPU. */
static bool take_number(struct series_reader *r, unsigned *number)
{
	uint64_t value;
	if (!varint_take(&r->rest, &value) || value > UINT32_MAX)
		return false;
	*number = (unsigned)value;
	return true;
}

/* Cannot overflow, for any numbers of the file. */
static int64_t add_wrapping(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool take_moment(struct series_reader *r, int64_t *moment)
{
	int64_t difference;
	if (!varint_take_signed(&r->rest, &difference))
		return false;
	r->last_moment = add_wrapping(r->last_moment, difference);
	*moment = r->last_moment;
	return true;
}

static bool read_group(struct series_reader *r)
{
	struct series_group group = {0};
	struct slice name, level;
	uint64_t count;
	if (!take_text(r, &name) || !take_text(r, &level) || !varint_take(&r->rest, &count) ||
	    count > r->rest.len)
		return false;
	group.level = level_find(level);
	bool known = group.level < LEVEL_COUNT || level.len == 0;
	int64_t cores = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct slice metric;
		struct series_column column = {0};
		if (!take_text(r, &metric) || !take_number(r, &column.instance))
			return false;
		column.metric = known ? metric_find(metric) : METRIC_COUNT;
		cores += column.metric == METRIC_CORE_CPU;
		vec_push(r->arena, &group.columns, column);
	}
	r->cores += cores;
	vec_push(r->arena, &r->out->groups, group);
	return true;
}

static bool read_sample(struct series_reader *r)
{
	struct series_time time = {0};
	uint64_t number, duration;
	int64_t offset; /* of the wall clock, which no report shows */
	if (!varint_take(&r->rest, &number) || number >= r->out->groups.count ||
	    !take_moment(r, &time.begin) || !varint_take(&r->rest, &duration) ||
	    !varint_take_signed(&r->rest, &offset))
		return false;
	time.end = add_wrapping(time.begin, (int64_t)duration);
	struct series_group *group = &r->out->groups.items[number];
	size_t before = group->times.count;
	/* Time does not go back within a group, but in a damaged file. A value takes a byte at least: no room for those that
	 * are not there. */
	if (time.end < time.begin ||
	    (before > 0 && time.end < group->times.items[before - 1].end) ||
	    group->columns.count > r->rest.len)
		return false;
	size_t room = group->times.capacity * sizeof(int64_t);
	vec_push(r->arena, &group->times, time);
	for (size_t i = 0; i < group->columns.count; i++) {
		int64_t **values = &group->columns.items[i].values, difference;
		if (before * sizeof(int64_t) == room)
			*values = arena_grow(r->arena, *values, room,
			                     group->times.capacity * sizeof(int64_t));
		if (!varint_take_signed(&r->rest, &difference)) {
			group->times.count--; /* nothing is read after it */
			return false;
		}
		(*values)[before] =
		        add_wrapping(before == 0 ? 0 : (*values)[before - 1], difference);
	}
	return true;
}

static bool read_begin(struct series_reader *r)
{
	struct series *out = r->out;
	struct series_cell cell = {0};
	if (!take_number(r, &cell.number) || !take_moment(r, &cell.begin))
		return false;
	size_t at = out->cells.count + 1;
	cell.repeat = (*number_map_at(&r->begun, cell.number))++;
	*number_map_at(&out->cells_by_key, series_cell_key(cell.number, cell.repeat)) = at;
	*number_map_at(&r->open, cell.number) = at;
	vec_push(r->arena, &out->cells, cell);
	return true;
}

/* Of the cell of this number that began last. */
static bool read_end(struct series_reader *r)
{
	unsigned number;
	int64_t moment;
	struct slice state;
	if (!take_number(r, &number) || !take_moment(r, &moment) || !take_text(r, &state))
		return false;
	size_t *open = number_map_at(&r->open, number);
	if (*open == 0)
		return true;
	struct series_cell *cell = &r->out->cells.items[*open - 1];
	cell->end = moment < cell->begin ? cell->begin : moment;
	cell->state = arena_dup(r->arena, state);
	*open = 0;
	return true;
}

static bool read_title(struct series_reader *r)
{
	struct series_title title;
	if (!take_number(r, &title.number) || !take_text(r, &title.title) ||
	    !take_text(r, &title.source))
		return false;
	title.title = arena_dup(r->arena, title.title);
	title.source = arena_dup(r->arena, title.source);
	vec_push(r->arena, &r->out->titles, title);
	size_t *first = number_map_at(&r->out->titles_by_number, title.number);
	*first = *first == 0 ? r->out->titles.count : *first;
	return true;
}

static bool read_note(struct series_reader *r)
{
	struct slice note;
	if (!take_text(r, &note))
		return false;
	vec_push(r->arena, &r->out->notes, arena_dup(r->arena, note));
	return true;
}

static bool read_missed(struct series_reader *r)
{
	int64_t due, missed;
	if (!varint_take_signed(&r->rest, &due) || !varint_take_signed(&r->rest, &missed) ||
	    missed < 0 || due < missed)
		return false;
	r->out->due = due;
	r->out->missed = missed;
	return true;
}

static bool read_finish(struct series_reader *r)
{
	struct series_end *end = &r->out->end;
	end->known = take_moment(r, &end->moment)
#define END_NUMBER(field) &&varint_take_signed(&r->rest, &end->field)
#include "sample/series_end.def"
	        ;
	return end->known;
}

/* Reads the next record. Returns false at the end of the file, and where the file was cut (out->truncated). A head is
 * not a record, though its letters are those of some. */
static bool next_record(struct series_reader *r)
{
	static bool (*const readers[])(struct series_reader * r) = {
	        [RECORD_GROUP] = read_group,   [RECORD_SAMPLE] = read_sample,
	        [RECORD_BEGIN] = read_begin,   [RECORD_END] = read_end,
	        [RECORD_TITLE] = read_title,   [RECORD_NOTE] = read_note,
	        [RECORD_MISSED] = read_missed, [RECORD_FINISH] = read_finish};
	uint64_t len;
	if (r->out->truncated || r->text.len == 0)
		return false;
	struct slice rest = slice_tail(r->text, 1);
	unsigned char kind = (unsigned char)r->text.ptr[0];
	r->out->truncated = slice_starts_with(r->text, SLICE(SERIES_MAGIC)) ||
	                    !varint_take(&rest, &len) || len > rest.len;
	if (r->out->truncated)
		return false;
	r->rest = slice_sub(rest, 0, (size_t)len);
	r->text = slice_tail(rest, (size_t)len);
	bool is_known = kind < sizeof readers / sizeof *readers && readers[kind] != NULL;
	/* What a later version has added is passed over. */
	r->out->truncated = is_known ? !readers[kind](r) : !ascii_is_alpha((char)kind);
	return !r->out->truncated;
}

/* ---- processor time that is reported late ---- */

/* Linux adds the time of children that have ended in ticks of up to 10 ms each for user and system time, and counts the
 * time of cores in such ticks. A reading that is interrupted has values from before its end. So a sample can have less
 * than was used before it, and the next sample more than is possible in the interval. */

static const double tick = 1e7; /* nanoseconds: the longest one of Linux */
enum { KINDS = 2 };

/* Raises the processor times of COLUMN by the excess of the samples after each over what the processors can do in the
 * interval; at most by what can be late. Sums over longer times stay the same. All groups are read. From the last
 * sample back to the first, as what one lacks may be missing in those before it, too. */
static void settle_column(const struct series_reader *r, const struct series_group *group,
                          struct series_column *column)
{
	const struct series_time *times = group->times.items;
	double processors = 0; /* that it can use, if it is processor time and they are known */
	if (column->metric == METRIC_CORE_CPU)
		processors = 1;
	else if (column->metric == METRIC_CPU && group->level != LEVEL_COUNT)
		processors = (double)(group->level == LEVEL_PROCESS ? r->out->head.cpus : r->cores);
	if (processors == 0 || group->times.count == 0)
		return;
	int64_t next = column->values[group->times.count - 1];
	double missing = 0; /* in the sample after it */
	for (size_t i = group->times.count - 1; i-- > 0;) {
		int64_t value = column->values[i];
		double took = series_between(times[i].begin, times[i].end);
		/* How much of what was used the sample may lack. Where the program began it is nothing. */
		bool is_begin = value == 0 && took == 0;
		/* Processes of other levels that have waited for long are read at every second sample. */
		if (group->level != LEVEL_PROCESS && i > 0)
			took += series_between(times[i - 1].end, times[i].end);
		double late = is_begin ? 0 : processors * (KINDS * tick + took);
		missing += (double)next - (double)value -
		           processors * series_between(times[i].end, times[i + 1].end);
		missing = missing < 1 ? 0 : missing < late ? missing : late;
		/* Damaged files may have any numbers. */
		if (missing < (double)INT64_MAX)
			column->values[i] = (int64_t)((uint64_t)value + (uint64_t)missing);
		next = value;
	}
}

/* ---- the file ---- */

int series_read(struct arena *arena, struct slice text, struct series *out, struct slice *problem)
{
	struct series_reader r = {.arena = arena,
	                          .text = text,
	                          .out = out,
	                          .begun.arena = arena,
	                          .open.arena = arena};
	*out = (struct series){
	        .head = {.node = -1, .start_mono = NOT_GIVEN, .start_wall = NOT_GIVEN},
	        .cells_last = INT64_MIN,
	        .cells_by_key.arena = arena,
	        .titles_by_number.arena = arena};
	if (!slice_starts_with(text, SLICE(SERIES_MAGIC))) {
		*problem = slice_starts_with(text, SLICE(SERIES_NAME " "))
		                   ? SLICE("samples of another version of the format")
		                   : SLICE("not a file of samples");
		return -1;
	}
	r.text = slice_tail(text, strlen(SERIES_MAGIC));
	if (!read_head(&r)) {
		*problem = SLICE("the head is incomplete or damaged");
		return -1;
	}
	r.last_moment = out->head.start_mono;
	while (next_record(&r))
		;
	/* The program's status decides the outcome of a cell without a report, as for --cell-times. */
	bool has_status = out->end.known && out->end.status != SERIES_NO_STATUS;
	vec_each(struct series_cell, cell, &out->cells) {
		if (has_status && slice_eq(cell->state, SLICE("unknown")))
			cell->state = out->end.status == 0 ? SLICE("done") : SLICE("failed");
		int64_t last = cell->end > cell->begin ? cell->end : cell->begin;
		out->cells_last = last > out->cells_last ? last : out->cells_last;
	}
	vec_each(struct series_group, group, &out->groups) {
		for (size_t k = 0; k < group->columns.count; k++)
			settle_column(&r, group, &group->columns.items[k]);
	}
	return 0;
}
