#include "base/suggest.h"

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;
	return least < c ? least : c;
}

static bool same_letter(char a, char b)
{
	return ascii_lower(a) == ascii_lower(b);
}

/* Row I of the table of distances between prefixes of A and B, from the two previous rows. */
static void next_row(struct slice a, struct slice b, size_t i, const size_t *before_last,
                     const size_t *last, size_t *row)
{
	row[0] = i;
	for (size_t j = 1; j <= b.len; j++) {
		size_t replaced = last[j - 1] + (same_letter(a.ptr[i - 1], b.ptr[j - 1]) ? 0 : 1);
		row[j] = min3(replaced, last[j] + 1, row[j - 1] + 1);
		bool swapped = i > 1 && j > 1 && same_letter(a.ptr[i - 1], b.ptr[j - 2]) &&
		               same_letter(a.ptr[i - 2], b.ptr[j - 1]);
		if (swapped && before_last[j - 2] + 1 < row[j])
			row[j] = before_last[j - 2] + 1;
	}
}

size_t suggest_distance(struct slice a, struct slice b)
{
	if (a.len > SUGGEST_MAX || b.len > SUGGEST_MAX)
		return SUGGEST_MAX + 1;
	size_t rows[3][SUGGEST_MAX + 1] = {{0}};
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.len; i++)
		next_row(a, b, i, rows[(i + 1) % 3], rows[(i + 2) % 3], rows[i % 3]);
	return rows[a.len % 3][b.len];
}

struct slice suggest(struct slice word, const struct slice *candidates, size_t count)
{
	struct slice nearest = SLICE("");
	size_t limit = word.len < 3 ? 1 : word.len / 3;
	for (size_t i = 0; i < count; i++) {
		size_t distance = suggest_distance(word, candidates[i]);
		/* Replacing every letter is not a misspelling, however short the word. */
		if (distance > limit || distance >= word.len)
			continue;
		nearest = candidates[i];
		if (distance == 0)
			break;
		limit = distance - 1;
	}
	return nearest;
}
