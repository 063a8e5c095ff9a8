/* The times of cells, for programs. */
#include "run/cell_times.h"

#include "base/json_writer.h"
#include "run/summary.h"

enum { NS = 1000000000 };

/* Nine digits can hold nanoseconds, a double cannot. */
static struct slice seconds(struct arena *arena, int64_t time)
{
	return arena_printf(arena, "%lld.%09lld", (long long)(time / NS), (long long)(time % NS));
}

static void add_field(struct strbuf *out, struct slice text)
{
	strbuf_addc(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		strbuf_puts(out, text.ptr[i] == '"' ? "\"" : "");
		strbuf_addc(out, text.ptr[i]);
	}
	strbuf_addc(out, '"');
}

static void add_rank_csv(struct strbuf *out, const struct rank_times *rank, size_t cells)
{
	for (size_t i = 0; i < cells; i++) {
		const struct progress_cell *cell = &rank->cells[i];
		struct slice time = seconds(out->arena, cell->end - cell->begin);
		strbuf_printf(out, "%.*s,%u,%s,%s,%.*s,", SLICE_ARG(rank->name), cell->number,
		              cell->instrumented ? "true" : "false", cell_state_name(cell->state),
		              rank_times_has(cell) ? (int)time.len : 0, time.ptr);
		add_field(out, cell->title);
		strbuf_addc(out, '\n');
	}
}

void cell_times_csv(struct strbuf *out, const struct summary *summary)
{
	if (summary->ranks.count > 0) {
		strbuf_puts(out, CELL_TIMES_RANKS_MARKER);
		for (size_t i = 0; i < summary->ranks.count; i++)
			add_rank_csv(out, &summary->ranks.items[i], summary->progress->cells.count);
		return;
	}
	strbuf_puts(out, CELL_TIMES_CSV_MARKER);
	for (size_t i = 0; i < summary->progress->cells.count; i++) {
		const struct progress_cell *cell = &summary->progress->cells.items[i];
		bool timed = cell_state_is_timed(cell->state);
		struct slice begin = seconds(out->arena, cell->begin);
		struct slice time = seconds(out->arena, cell->end - cell->begin);
		strbuf_printf(out, "%u,%s,%s,%.*s,%.*s,", cell->number,
		              cell->instrumented ? "true" : "false", cell_state_name(cell->state),
		              timed ? (int)begin.len : 0, begin.ptr, timed ? (int)time.len : 0,
		              time.ptr);
		add_field(out, cell->title);
		strbuf_addc(out, '\n');
	}
}

static void add_seconds(struct json_writer *json, const char *key, int64_t time)
{
	json_put_key(json, key);
	json_put_decimal(json, seconds(json->out->arena, time));
}

static void add_ranks(struct json_writer *json, const rank_list *ranks, size_t index)
{
	const struct rank_spread spread = rank_times_spread(ranks, index);
	if (spread.timed > 0) {
		add_seconds(json, "minimum", spread.minimum);
		add_seconds(json, "mean", (int64_t)spread.mean);
		add_seconds(json, "maximum", spread.maximum);
	}
	json_put_key(json, "ranks");
	json_begin_array(json);
	for (size_t i = 0; i < ranks->count; i++) {
		const struct progress_cell *cell = &ranks->items[i].cells[index];
		json_begin_object(json);
		json_put_key(json, "rank");
		if (slice_find_slice(ranks->items[i].name, SLICE("-"), 0) <
		    ranks->items[i].name.len)
			json_put_string(json, ranks->items[i].name);
		else
			json_put_decimal(json, ranks->items[i].name);
		json_put_key(json, "state");
		json_put_string(json, slice_from(cell_state_name(cell->state)));
		if (rank_times_has(cell))
			add_seconds(json, "seconds", cell->end - cell->begin);
		json_end_object(json);
	}
	json_end_array(json);
}

static void add_cell(struct json_writer *json, const struct summary *summary, size_t index)
{
	const struct progress_cell *cell = &summary->progress->cells.items[index];
	json_begin_object(json);
	json_put_key(json, "cell");
	json_put_number(json, cell->number);
	json_put_key(json, "first_line");
	json_put_string(json, cell->title);
	json_put_key(json, "instrumented");
	json_put_bool(json, cell->instrumented);
	if (summary->ranks.count > 0) {
		add_ranks(json, &summary->ranks, index);
		json_end_object(json);
		return;
	}
	json_put_key(json, "state");
	json_put_string(json, slice_from(cell_state_name(cell->state)));
	if (cell_state_is_timed(cell->state)) {
		add_seconds(json, "begin", cell->begin);
		add_seconds(json, "seconds", cell->end - cell->begin);
	}
	json_end_object(json);
}

void cell_times_json(struct strbuf *out, const struct summary *summary)
{
	struct json_writer json;
	json_writer_init(&json, out);
	json_begin_object(&json);
	json_put_key(&json, "generator");
	json_put_string(&json, SLICE("nbscorep run"));
	json_put_key(&json, "version");
	json_put_number(&json, 1);
	json_put_key(&json, "notebook");
	json_put_string(&json, summary->notebook);
	json_put_key(&json, "measured");
	json_put_bool(&json, summary->measured);
	json_put_key(&json, "status");
	json_put_number(&json, summary->status);
	add_seconds(&json, "seconds", summary->progress->end - summary->progress->start);
	if (summary->experiment != NULL) {
		json_put_key(&json, "experiment_directory");
		json_put_string(&json, summary->experiment->path);
	}
	json_put_key(&json, "cells");
	json_begin_array(&json);
	for (size_t i = 0; i < summary->progress->cells.count; i++)
		add_cell(&json, summary, i);
	json_end_array(&json);
	json_end_object(&json);
	strbuf_addc(out, '\n');
}
