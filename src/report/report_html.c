#include "report/report_html.h"

#include "base/base64.h"
#include "base/sha256.h"
#include "report/report_data.h"
#include "report/report_formats.h"

/* "<" before "/script" or "!--" has a meaning in the HTML around the JSON. "<", ">" and "&" appear only
 * in JSON strings, where an escape means the same. */
static void put_escaped(struct strbuf *out, struct slice json)
{
	size_t copied = 0;
	for (size_t i = 0; i < json.len; i++) {
		char c = json.ptr[i];
		if (c != '<' && c != '>' && c != '&')
			continue;
		strbuf_add(out, slice_sub(json, copied, i));
		strbuf_printf(out, "\\u%04x", (unsigned)c);
		copied = i + 1;
	}
	strbuf_add(out, slice_sub(json, copied, json.len));
}

/* The source for Content-Security-Policy: the browser runs nothing else that is in the page. */
static void put_source(struct strbuf *out, struct slice text)
{
	unsigned char digest[SHA256_LEN];
	sha256(text, digest);
	strbuf_puts(out, "'sha256-");
	base64_put(out, slice_make((const char *)digest, sizeof digest));
	strbuf_addc(out, '\'');
}

/* Copies TEXT up to MARK, and takes both off its front. */
static void put_until(struct strbuf *out, struct slice *text, struct slice mark)
{
	size_t at = slice_find_slice(*text, mark, 0);
	strbuf_add(out, slice_sub(*text, 0, at));
	*text = slice_sub(*text, at + mark.len, text->len);
}

void report_html(struct strbuf *out, const struct report *report, const struct report_page *page)
{
	struct slice rest = page->html;
	put_until(out, &rest, SLICE("@style-source@"));
	put_source(out, page->style);
	put_until(out, &rest, SLICE("@script-source@"));
	put_source(out, page->script);
	put_until(out, &rest, SLICE("@style@"));
	strbuf_add(out, page->style);
	put_until(out, &rest, SLICE("@data@"));
	struct strbuf json;
	strbuf_init(&json, out->arena);
	report_data(&json, report);
	put_escaped(out, strbuf_slice(&json));
	put_until(out, &rest, SLICE("@script@"));
	strbuf_add(out, page->script);
	strbuf_add(out, rest);
}
