#include "scorep/allowed.h"

#include "base/strbuf.h"

size_t scorep_allowed_split(struct slice list, struct slice out[SCOREP_ALLOWED_MAX])
{
	size_t count = 0;
	for (size_t at = 0; at < list.len && count < SCOREP_ALLOWED_MAX;) {
		size_t end = slice_find(list, ',', at);
		out[count++] = slice_sub(list, at, end);
		at = end + 1;
	}
	return count;
}

struct slice scorep_allowed_text(struct arena *arena, struct slice list)
{
	struct slice words[SCOREP_ALLOWED_MAX];
	size_t count = scorep_allowed_split(list, words);
	struct strbuf text;
	strbuf_init(&text, arena);
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(&text, i > 0 ? ", " : "");
		strbuf_add(&text, words[i]);
	}
	return strbuf_slice(&text);
}
