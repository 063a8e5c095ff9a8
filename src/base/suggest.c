#include "base/suggest.h"

static bool is_same_letter(struct slice a, size_t i, struct slice b, size_t j)
{
	return ascii_lower(a.ptr[i - 1]) == ascii_lower(b.ptr[j - 1]);
}

size_t suggest_distance(struct slice a, struct slice b)
{
	if (a.len > SUGGEST_MAX || b.len > SUGGEST_MAX)
		return SUGGEST_MAX + 1;
	/* Row I of the table of distances between prefixes of A and B, and the two rows before it. */
	size_t rows[3][SUGGEST_MAX + 1] = {{0}};
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		const size_t *before_last = rows[(i + 1) % 3], *last = rows[(i + 2) % 3];
		size_t *row = rows[i % 3];
		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			row[j] = last[j - 1] + (is_same_letter(a, i, b, j) ? 0 : 1);
			if (last[j] + 1 < row[j])
				row[j] = last[j] + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			if (i > 1 && j > 1 && is_same_letter(a, i, b, j - 1) &&
			    is_same_letter(a, i - 1, b, j) && before_last[j - 2] + 1 < row[j])
				row[j] = before_last[j - 2] + 1; /* swapped */
		}
	}
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
