#include "monitor/series_file.h"
#include "monitor/series_format.h"
#include "monitor/varint.h"

struct reader {
	struct arena *arena;
	struct series *out;
	int64_t last_moment, last_offset;
	struct slice rest;       /* of the record being read */
	struct number_map begun; /* by number: how many cells have begun */
	struct number_map open;  /* by number: 1 + the index of the last cell that has not ended */
	VECTOR(size_t) open_before; /* of each cell: what OPEN had when it began */
	struct number_map lost;     /* by GPU: 1 + the index of its loss */
};

/* ---- the head ---- */

#define NOT_GIVEN INT64_MIN

static bool read_decimal(struct slice text, int64_t *out)
{
	bool negative = text.len > 0 && text.ptr[0] == '-';
	struct slice digits = slice_sub(text, negative, text.len);
	uint64_t number = 0, most = (uint64_t)INT64_MAX + negative;
	if (digits.len == 0)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		uint64_t digit = (uint64_t)(digits.ptr[i] - '0');
		if (!ascii_is_digit(digits.ptr[i]) || number > (most - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*out = (int64_t)(negative ? 0 - number : number);
	return true;
}

static bool read_gpu(struct reader *r, struct slice text)
{
	struct series_gpu gpu = {0};
	size_t blank = slice_find(text, ' ', 0);
	if (!read_decimal(slice_sub(text, 0, blank), &gpu.memory))
		return false;
	gpu.name = arena_dup(r->arena, slice_trim(slice_sub(text, blank, text.len)));
	vec_push(r->arena, &r->out->head.gpus, gpu);
	return true;
}

/* Lines of later versions mean nothing to this one. False where TEXT is not what KEY wants. */
static bool read_head_line(struct reader *r, struct slice key, struct slice text)
{
	if (slice_eq(key, SLICE("gpu")))
		return read_gpu(r, text);
#define HEAD_TEXT(field)                                                                           \
	else if (slice_eq(key, SLICE(#field))) r->out->head.field = arena_dup(r->arena, text);
#define HEAD_NUMBER(field)                                                                         \
	else if (slice_eq(key, SLICE(#field))) return read_decimal(text, &r->out->head.field);
#include "monitor/series_head.def"
#undef HEAD_TEXT
#undef HEAD_NUMBER
	return true;
}

/* Which of the numbers that all times are told by is not there; NULL: none. */
static const char *missing_start(const struct series_head *head)
{
	return head->start_mono == NOT_GIVEN   ? "start_mono"
	       : head->start_wall == NOT_GIVEN ? "start_wall"
	                                       : NULL;
}

/* Takes the head off the front of TEXT. Returns 0, or -1 with *PROBLEM. */
static int read_head(struct reader *r, struct slice *text, struct slice *problem)
{
	for (;;) {
		size_t end = slice_find(*text, '\n', 0);
		if (end == text->len) {
			*problem = SLICE("the head does not end");
			return -1;
		}
		struct slice line = slice_sub(*text, 0, end);
		*text = slice_sub(*text, end + 1, text->len);
		if (line.len == 0)
			break;
		size_t blank = slice_find(line, ' ', 0);
		struct slice key = slice_sub(line, 0, blank);
		if (!read_head_line(r, key, slice_sub(line, blank + 1, line.len))) {
			*problem =
			        arena_printf(r->arena, "%.*s in the head is no number of 64 bits",
			                     SLICE_ARG(key));
			return -1;
		}
	}
	const char *missing = missing_start(&r->out->head);
	if (missing != NULL)
		*problem = arena_printf(r->arena, "the head has no %s", missing);
	return missing == NULL ? 0 : -1;
}

/* ---- records ---- */

static bool take(struct reader *r, uint64_t *number)
{
	return varint_take(&r->rest, number);
}

static bool take_signed(struct reader *r, int64_t *number)
{
	return varint_take_signed(&r->rest, number);
}

/* The text is that of the file. */
static bool take_text(struct reader *r, struct slice *text)
{
	uint64_t len;
	if (!take(r, &len) || len > r->rest.len)
		return false;
	*text = slice_sub(r->rest, 0, (size_t)len);
	r->rest = slice_sub(r->rest, (size_t)len, r->rest.len);
	return true;
}

static bool take_cell(struct reader *r, unsigned *number)
{
	uint64_t cell;
	if (!take(r, &cell) || cell > UINT32_MAX)
		return false;
	*number = (unsigned)cell;
	return true;
}

/* Without overflow, whatever the file says. */
static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool take_moment(struct reader *r, int64_t *moment)
{
	int64_t difference;
	if (!take_signed(r, &difference))
		return false;
	r->last_moment = add(r->last_moment, difference);
	*moment = r->last_moment;
	return true;
}

static bool read_group(struct reader *r)
{
	struct series_group group = {0};
	struct slice name, level;
	uint64_t count, instance;
	if (!take_text(r, &name) || !take_text(r, &level) || !take(r, &count) ||
	    count > r->rest.len)
		return false;
	group.name = arena_dup(r->arena, name);
	group.level = level_find(level);
	bool known = group.level < LEVEL_COUNT || level.len == 0;
	for (uint64_t i = 0; i < count; i++) {
		struct slice metric;
		if (!take_text(r, &metric) || !take(r, &instance) || instance > UINT32_MAX)
			return false;
		struct series_column column = {.metric = known ? metric_find(metric) : METRIC_COUNT,
		                               .instance = (unsigned)instance,
		                               .known = SIZE_MAX};
		vec_push(r->arena, &group.columns, column);
	}
	vec_push(r->arena, &r->out->groups, group);
	return true;
}

/* Room for one more value in each column. */
static void grow(struct arena *arena, struct series_group *group)
{
	enum { FIRST = 8 };
	size_t old = group->capacity, count = group->columns.count;
	if (group->times.count < old)
		return;
	group->capacity = old == 0 ? FIRST : old * 2;
	for (size_t i = 0; i < count; i++) {
		struct series_column *column = &group->columns.items[i];
		column->values = arena_grow(arena, column->values, old * sizeof(int64_t),
		                            group->capacity * sizeof(int64_t));
	}
}

static bool read_time(struct reader *r, struct series_time *time)
{
	uint64_t duration;
	int64_t offset;
	if (!take_moment(r, &time->begin) || !take(r, &duration) || !take_signed(r, &offset))
		return false;
	r->last_offset = add(r->last_offset, offset);
	time->end = add(time->begin, (int64_t)duration);
	time->wall = add(time->begin, r->last_offset);
	return true;
}

/* Time does not go back within a group: what says so is damaged. */
static bool is_later(const struct series_group *group, const struct series_time *time)
{
	size_t count = group->times.count;
	return time->end >= time->begin &&
	       (count == 0 || time->end >= group->times.items[count - 1].end);
}

static bool read_sample(struct reader *r)
{
	struct series_time time;
	uint64_t number;
	if (!take(r, &number) || number >= r->out->groups.count || !read_time(r, &time))
		return false;
	struct series_group *group = &r->out->groups.items[number];
	/* A value takes a byte at least: no room for those that are not there. */
	if (!is_later(group, &time) || group->columns.count > r->rest.len)
		return false;
	grow(r->arena, group);
	size_t at = group->times.count;
	for (size_t i = 0; i < group->columns.count; i++) {
		int64_t *values = group->columns.items[i].values, difference;
		if (!take_signed(r, &difference))
			return false;
		values[at] = add(at == 0 ? 0 : values[at - 1], difference);
	}
	vec_push(r->arena, &group->times, time);
	return true;
}

static bool read_begin(struct reader *r)
{
	struct series *out = r->out;
	struct series_cell cell = {0};
	if (!take_cell(r, &cell.number) || !take_moment(r, &cell.begin))
		return false;
	size_t at = out->cells.count + 1, *open = number_map_at(&r->open, cell.number);
	cell.repeat = (*number_map_at(&r->begun, cell.number))++;
	*number_map_at(&out->cells_by_key, series_cell_key(cell.number, cell.repeat)) = at;
	vec_push(r->arena, &r->open_before, *open);
	*open = at;
	vec_push(r->arena, &out->cells, cell);
	return true;
}

/* Of the cell of this number that began last. */
static bool read_end(struct reader *r)
{
	unsigned number;
	int64_t moment;
	struct slice state;
	if (!take_cell(r, &number) || !take_moment(r, &moment) || !take_text(r, &state))
		return false;
	size_t *open = number_map_at(&r->open, number);
	if (*open == 0)
		return true;
	struct series_cell *cell = &r->out->cells.items[*open - 1];
	cell->end = moment < cell->begin ? cell->begin : moment;
	cell->state = arena_dup(r->arena, state);
	*open = r->open_before.items[*open - 1];
	return true;
}

static bool read_title(struct reader *r)
{
	struct series_title title;
	if (!take_cell(r, &title.number) || !take_text(r, &title.title) ||
	    !take_text(r, &title.source))
		return false;
	title.title = arena_dup(r->arena, title.title);
	title.source = arena_dup(r->arena, title.source);
	vec_push(r->arena, &r->out->titles, title);
	size_t *first = number_map_at(&r->out->titles_by_number, title.number);
	*first = *first == 0 ? r->out->titles.count : *first;
	return true;
}

static bool read_note(struct reader *r)
{
	struct slice note;
	if (!take_text(r, &note))
		return false;
	vec_push(r->arena, &r->out->notes, arena_dup(r->arena, note));
	return true;
}

/* Of a GPU that was lost already, and of one that the head does not have, there is nothing new. */
static bool read_lost(struct reader *r)
{
	struct series *out = r->out;
	struct series_loss loss;
	struct slice why;
	uint64_t gpu;
	if (!take(r, &gpu) || !take_moment(r, &loss.moment) || !take_text(r, &why))
		return false;
	size_t *known = gpu < out->head.gpus.count ? number_map_at(&r->lost, gpu) : NULL;
	if (known == NULL || *known > 0)
		return true;
	loss.gpu = (unsigned)gpu;
	vec_push(r->arena, &out->losses, loss);
	*known = out->losses.count;
	double seconds = series_since(out->head.start_mono, loss.moment) / 1e9;
	vec_push(r->arena, &out->notes,
	         arena_printf(r->arena, "GPU %u (%.*s) was lost after %.1f s: %.*s", loss.gpu,
	                      SLICE_ARG(out->head.gpus.items[gpu].name), seconds, SLICE_ARG(why)));
	return true;
}

static bool read_missed(struct reader *r)
{
	int64_t due, missed;
	if (!take_signed(r, &due) || !take_signed(r, &missed) || missed < 0 || due < missed)
		return false;
	r->out->due = due;
	r->out->missed = missed;
	return true;
}

static bool read_finish(struct reader *r)
{
	struct series_end *end = &r->out->end;
	end->known = take_moment(r, &end->moment)
#define END_NUMBER(field) &&take_signed(r, &end->field)
#include "monitor/series_end.def"
#undef END_NUMBER
	        ;
	return end->known;
}

/* What a later version has added is passed over. */
static bool read_record(struct reader *r, char kind)
{
	switch ((enum series_record)kind) {
	case RECORD_GROUP:
		return read_group(r);
	case RECORD_SAMPLE:
		return read_sample(r);
	case RECORD_BEGIN:
		return read_begin(r);
	case RECORD_END:
		return read_end(r);
	case RECORD_TITLE:
		return read_title(r);
	case RECORD_NOTE:
		return read_note(r);
	case RECORD_LOST:
		return read_lost(r);
	case RECORD_MISSED:
		return read_missed(r);
	case RECORD_FINISH:
		return read_finish(r);
	}
	return ascii_is_alpha(kind);
}

/* Takes the next record off TEXT and makes it REST. */
static bool next_record(struct reader *r, struct slice *text, char *kind)
{
	uint64_t len;
	*kind = text->ptr[0];
	*text = slice_sub(*text, 1, text->len);
	if (!varint_take(text, &len) || len > text->len)
		return false;
	r->rest = slice_sub(*text, 0, (size_t)len);
	*text = slice_sub(*text, (size_t)len, text->len);
	return true;
}

/* What came of a cell that did not tell, the program's status says, as of --cell-times. */
static void settle_cells(struct series *series)
{
	if (!series->end.known || series->end.status == SERIES_NO_STATUS)
		return;
	for (size_t i = 0; i < series->cells.count; i++) {
		struct series_cell *cell = &series->cells.items[i];
		if (slice_eq(cell->state, SLICE("unknown")))
			cell->state = series->end.status == 0 ? SLICE("done") : SLICE("failed");
	}
}

static void find_last(struct series *series)
{
	series->cells_last = INT64_MIN;
	for (size_t i = 0; i < series->cells.count; i++) {
		const struct series_cell *cell = &series->cells.items[i];
		int64_t last = cell->end > cell->begin ? cell->end : cell->begin;
		series->cells_last = last > series->cells_last ? last : series->cells_last;
	}
}

/* What samples say of a GPU after its loss is not known. */
static void forget_lost(struct reader *r, struct series_group *group)
{
	for (size_t i = 0; i < group->columns.count; i++) {
		struct series_column *column = &group->columns.items[i];
		size_t loss = metric_is_of_gpu(column->metric)
		                      ? number_map_get(&r->lost, column->instance)
		                      : 0;
		if (loss > 0)
			column->known =
			        series_first_from(group, r->out->losses.items[loss - 1].moment);
	}
}

static void start_maps(struct reader *r)
{
	number_map_init(&r->begun, r->arena);
	number_map_init(&r->open, r->arena);
	number_map_init(&r->lost, r->arena);
	number_map_init(&r->out->cells_by_key, r->arena);
	number_map_init(&r->out->titles_by_number, r->arena);
}

int series_read(struct arena *arena, struct slice text, struct series *out, struct slice *problem)
{
	struct reader r = {.arena = arena, .out = out};
	*out = (struct series){
	        .head = {.node = -1, .start_mono = NOT_GIVEN, .start_wall = NOT_GIVEN}};
	if (!slice_starts_with(text, SLICE(SERIES_MAGIC))) {
		bool is_later = slice_starts_with(text, SLICE(SERIES_NAME " "));
		*problem = is_later ? SLICE("samples of another version of the format")
		                    : SLICE("not a file of samples");
		return -1;
	}
	text = slice_sub(text, strlen(SERIES_MAGIC), text.len);
	if (read_head(&r, &text, problem) != 0)
		return -1;
	start_maps(&r);
	r.last_moment = out->head.start_mono;
	r.last_offset = add(out->head.start_wall, -out->head.start_mono);
	while (text.len > 0 && !out->truncated) {
		char kind;
		/* A head is no record, though its letters are those of some. */
		out->truncated = slice_starts_with(text, SLICE(SERIES_MAGIC)) ||
		                 !next_record(&r, &text, &kind) || !read_record(&r, kind);
	}
	settle_cells(out);
	find_last(out);
	for (size_t i = 0; i < out->groups.count; i++)
		forget_lost(&r, &out->groups.items[i]);
	return 0;
}
