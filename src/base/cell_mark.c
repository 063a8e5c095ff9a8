#include "base/cell_mark.h"

/* A whole number that is not negative, or -1. */
static int64_t read_number(struct slice word)
{
	uint64_t number;
	return slice_read_number(word, INT64_MAX, &number) ? (int64_t)number : -1;
}

bool cell_number_read(struct slice word, unsigned *out)
{
	uint64_t number;
	bool is_number = slice_read_number(word, UINT32_MAX, &number);
	if (is_number)
		*out = (unsigned)number;
	return is_number;
}

bool cell_mark_read(struct slice line, struct cell_mark *out)
{
	struct slice verb = slice_next_word(&line);
	struct slice number = slice_next_word(&line);
	out->moment = read_number(slice_next_word(&line));
	out->begins = slice_eq(verb, SLICE("begin"));
	out->state = out->begins ? slice_make("", 0) : slice_next_word(&line);
	int64_t children = read_number(slice_next_word(&line));
	out->children = children > 0 ? children : 0;
	out->pid = read_number(slice_next_word(&line));
	out->resident = read_number(slice_next_word(&line));
	out->peak = read_number(slice_next_word(&line));
	if (out->pid <= 0 || out->resident <= 0 || out->peak <= 0) /* all three, or none */
		out->pid = out->resident = out->peak = 0;
	if (!cell_number_read(number, &out->cell) || out->cell == 0 || out->moment < 0)
		return false;
	return out->begins || (slice_eq(verb, SLICE("end")) &&
	                       slice_is_word_of(out->state, "done failed exited unknown"));
}
