/* Lets libFuzzer change one record of a file of samples, whose length then fits again: elsewhere a
 * change of a length takes all records behind it away. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sample/series_write.h"
#include "sample/varint.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct record {
	struct slice before, whole, body; /* BEFORE: all that stands in front of it */
};

/* Takes the record at the front of REST. */
static bool next_record(struct slice *rest, struct record *record)
{
	struct slice all = *rest, text = slice_sub(*rest, 1, rest->len);
	uint64_t len;
	if (all.len == 0 || !varint_take(&text, &len) || len > text.len)
		return false;
	record->body = slice_sub(text, 0, (size_t)len);
	*rest = slice_sub(text, (size_t)len, text.len);
	record->whole = slice_sub(all, 0, all.len - rest->len);
	return true;
}

/* One of the records of FILE. */
static bool find_record(struct slice file, unsigned seed, struct record *out)
{
	size_t head = slice_find_slice(file, SLICE("\n\n"), 0), count = 0;
	struct slice first = slice_sub(file, head + 2, file.len), rest = first;
	while (next_record(&rest, out))
		count++;
	rest = first;
	for (size_t i = 0; count > 0 && i <= seed % count; i++)
		next_record(&rest, out);
	out->before = slice_sub(file, 0, file.len - rest.len - out->whole.len);
	return count > 0;
}

/* RECORD with another body, or with itself once more behind it. */
static void put_changed(struct strbuf *out, const struct record *record, unsigned seed)
{
	enum { MORE = 64, TWICE = 8 };
	size_t most = record->body.len + MORE;
	uint8_t *body = arena_alloc(out->arena, most);
	if (seed % TWICE == 0) {
		strbuf_add(out, record->whole);
		strbuf_add(out, record->whole);
		return;
	}
	memcpy(body, record->body.ptr, record->body.len);
	size_t len = LLVMFuzzerMutate(body, record->body.len, most);
	strbuf_addc(out, record->whole.ptr[0]);
	varint_put(out, len);
	strbuf_add(out, fuzz_input(body, len));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	enum { ANYWHERE = 4 };
	struct arena arena;
	struct record record = {0};
	struct slice file = fuzz_input(data, size);
	if (seed % ANYWHERE == 0 || !find_record(file, seed / ANYWHERE, &record))
		return LLVMFuzzerMutate(data, size, max_size);
	arena_init(&arena, NULL);
	struct strbuf out = {.arena = &arena};
	strbuf_add(&out, record.before);
	put_changed(&out, &record, seed / ANYWHERE);
	strbuf_add(&out, slice_sub(file, record.before.len + record.whole.len, file.len));
	size_t len = out.len < max_size ? out.len : max_size;
	memcpy(data, out.ptr, len);
	arena_release(&arena);
	return len;
}
