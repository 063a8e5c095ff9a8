#include "report/page.h"

#include "base/quote.h"
#include "sample/varint.h"

void page_begin(struct page_writer *page, struct arena *arena)
{
	*page = (struct page_writer){.json.out = &page->out,
	                             .out.arena = arena,
	                             .bytes.arena = arena,
	                             .text.arena = arena};
	json_put(&page->json, "{");
}

void page_numbers_add(struct page_writer *page, int64_t number)
{
	/* A damaged file may hold any numbers: their difference is taken without overflow. */
	varint_put_signed(&page->bytes, (int64_t)((uint64_t)number - (uint64_t)page->last));
	page->last = number;
}

void page_numbers_put(struct page_writer *page, const char *key)
{
	base64_put(&page->text, strbuf_slice(&page->bytes));
	json_put(&page->json, "?: ?", J(key), J(strbuf_slice(&page->text)));
	page->bytes.len = page->text.len = 0;
	page->last = 0;
}

/* The source for Content-Security-Policy: the browser runs nothing else that is in the page. */
static void put_source(struct strbuf *out, const unsigned char digest[PAGE_DIGEST])
{
	strbuf_puts(out, "'sha256-");
	base64_put(out, slice_make((const char *)digest, PAGE_DIGEST));
	strbuf_addc(out, '\'');
}

/* Copies TEXT up to MARK, and takes both off its front. */
static void put_until(struct strbuf *out, struct slice *text, struct slice mark)
{
	size_t at = slice_find_slice(*text, mark, 0);
	strbuf_add(out, slice_sub(*text, 0, at));
	*text = slice_tail(*text, at + mark.len);
}

void page_end(struct strbuf *out, struct page_writer *page, const struct page_parts *parts)
{
	struct slice rest = parts->html;
	size_t copied = 0;
	json_put(&page->json, "}");
	strbuf_addc(&page->out, '\n');
	put_until(out, &rest, SLICE("@style-source@"));
	put_source(out, page_style_digest);
	put_until(out, &rest, SLICE("@script-source@"));
	put_source(out, page_script_digest);
	put_until(out, &rest, SLICE("@style@"));
	strbuf_add(out, parts->style);
	put_until(out, &rest, SLICE("@data@"));
	/* "<" before "/script" or "!--" has a meaning in the HTML around the JSON. "<", ">" and "&" appear only in JSON
	 * strings, where an escape means the same. */
	for (size_t i = 0; i < page->out.len; i++) {
		char c = page->out.ptr[i];
		if (c != '<' && c != '>' && c != '&')
			continue;
		strbuf_add(out, slice_make(page->out.ptr + copied, i - copied));
		strbuf_printf(out, "\\u%04x", (unsigned)c);
		copied = i + 1;
	}
	strbuf_add(out, slice_make(page->out.ptr + copied, page->out.len - copied));
	put_until(out, &rest, SLICE("@script@"));
	strbuf_add(out, parts->script);
	strbuf_add(out, rest);
}
