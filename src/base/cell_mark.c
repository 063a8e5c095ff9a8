#include "base/cell_mark.h"

/* A whole number that is not negative, or -1. */
static int64_t read_number(struct slice word)
{
	int64_t number = word.len > 0 && word.len < 19 ? 0 : -1;
	for (size_t i = 0; number >= 0 && i < word.len; i++)
		number = ascii_is_digit(word.ptr[i]) ? number * 10 + (word.ptr[i] - '0') : -1;
	return number;
}

bool cell_number_read(struct slice word, unsigned *out)
{
	int64_t number = read_number(word);
	if (number < 0 || number > UINT32_MAX)
		return false;
	*out = (unsigned)number;
	return true;
}

/* Sets all three values, or none. */
static void read_memory(struct slice words, struct cell_mark *out)
{
	out->pid = read_number(slice_next_word(&words));
	out->resident = read_number(slice_next_word(&words));
	out->peak = read_number(slice_next_word(&words));
	if (out->pid <= 0 || out->resident <= 0 || out->peak <= 0)
		out->pid = out->resident = out->peak = 0;
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
	read_memory(line, out);
	if (!cell_number_read(number, &out->cell) || out->cell == 0 || out->moment < 0)
		return false;
	static const struct slice ends[] = {SLICE_INIT("done"), SLICE_INIT("failed"),
	                                    SLICE_INIT("exited"), SLICE_INIT("unknown")};
	return out->begins ||
	       (slice_eq(verb, SLICE("end")) && slice_is_one_of(out->state, ends, 4));
}
