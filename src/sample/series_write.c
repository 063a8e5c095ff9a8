#include "sample/series_write.h"

#include "sample/varint.h"

/* A line end in a text would end its line, or begin another one. */
static void put_line(struct strbuf *out, const char *key, struct slice text)
{
	strbuf_printf(out, "%s ", key);
	for (size_t i = 0; i < text.len; i++) {
		bool is_control = (unsigned char)text.ptr[i] < ' ';
		strbuf_add(out, is_control ? SLICE(" ") : slice_sub(text, i, i + 1));
	}
	strbuf_addc(out, '\n');
}

void series_write_head(struct series_writer *writer, struct arena *arena,
                       const struct series_head *head)
{
	*writer = (struct series_writer){.out = {.arena = arena},
	                                 .record = {.arena = arena},
	                                 .last_moment = head->start_mono,
	                                 .last_offset = head->start_wall - head->start_mono};
	struct strbuf *out = &writer->out;
	strbuf_puts(out, SERIES_MAGIC);
#define HEAD_TEXT(field) put_line(out, #field, head->field);
#define HEAD_NUMBER(field) strbuf_printf(out, #field " %" PRId64 "\n", head->field);
#include "sample/series_head.def"
	for (size_t i = 0; i < head->gpus.count; i++) {
		strbuf_printf(out, "gpu %" PRId64, head->gpus.items[i].memory);
		put_line(out, "", head->gpus.items[i].name);
	}
	strbuf_addc(out, '\n');
}

static struct strbuf *record_begin(struct series_writer *writer)
{
	writer->record.len = 0;
	return &writer->record;
}

static void record_finish(struct series_writer *writer, enum series_record kind)
{
	strbuf_addc(&writer->out, (char)kind);
	varint_put(&writer->out, writer->record.len);
	strbuf_add(&writer->out, strbuf_slice(&writer->record));
}

static void put_text(struct strbuf *out, struct slice text)
{
	varint_put(out, text.len);
	strbuf_add(out, text);
}

static void put_moment(struct series_writer *writer, int64_t moment)
{
	varint_put_signed(&writer->record, moment - writer->last_moment);
	writer->last_moment = moment;
}

unsigned series_write_group(struct series_writer *writer, struct slice name, enum level level,
                            const struct series_column_kind *columns, size_t count)
{
	struct strbuf *out = record_begin(writer);
	put_text(out, name);
	put_text(out, level < LEVEL_COUNT ? level_name(level) : slice_make("", 0));
	varint_put(out, count);
	for (size_t i = 0; i < count; i++) {
		put_text(out, metric_row(columns[i].metric)->name);
		varint_put(out, columns[i].instance);
	}
	record_finish(writer, RECORD_GROUP);
	struct arena *arena = writer->out.arena;
	struct written_group group = {arena_calloc(arena, count, sizeof(int64_t)), count};
	vec_push(arena, &writer->groups, group);
	return (unsigned)writer->groups.count - 1;
}

void series_write_sample(struct series_writer *writer, unsigned group,
                         const struct series_time *time, const int64_t *values)
{
	struct written_group *last = &writer->groups.items[group];
	struct strbuf *out = record_begin(writer);
	varint_put(out, group);
	put_moment(writer, time->begin);
	varint_put(out, (uint64_t)(time->end - time->begin));
	int64_t offset = time->wall - time->begin;
	varint_put_signed(out, offset - writer->last_offset);
	writer->last_offset = offset;
	for (size_t i = 0; i < last->columns; i++) {
		/* Modulo 2^64, as it is read. */
		varint_put_signed(out, (int64_t)((uint64_t)values[i] - (uint64_t)last->values[i]));
		last->values[i] = values[i];
	}
	record_finish(writer, RECORD_SAMPLE);
}

void series_write_mark(struct series_writer *writer, const struct cell_mark *mark)
{
	varint_put(record_begin(writer), mark->cell);
	put_moment(writer, mark->moment);
	if (!mark->begins)
		put_text(&writer->record, mark->state);
	record_finish(writer, mark->begins ? RECORD_BEGIN : RECORD_END);
}

void series_write_title(struct series_writer *writer, const struct series_title *title)
{
	struct strbuf *out = record_begin(writer);
	varint_put(out, title->number);
	put_text(out, title->title);
	put_text(out, title->source);
	record_finish(writer, RECORD_TITLE);
}

void series_write_note(struct series_writer *writer, struct slice note)
{
	put_text(record_begin(writer), note);
	record_finish(writer, RECORD_NOTE);
}

void series_write_missed(struct series_writer *writer, int64_t due, int64_t missed)
{
	varint_put_signed(record_begin(writer), due);
	varint_put_signed(&writer->record, missed);
	record_finish(writer, RECORD_MISSED);
}

void series_write_finish(struct series_writer *writer, const struct series_end *end)
{
	record_begin(writer);
	put_moment(writer, end->moment);
#define END_NUMBER(field) varint_put_signed(&writer->record, end->field);
#include "sample/series_end.def"
	record_finish(writer, RECORD_FINISH);
}
