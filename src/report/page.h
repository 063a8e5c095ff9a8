/* The HTML page of a report: one file, in which the figures are JSON for its script (templates/report). Many numbers
 * are one text: the differences from one to the next as varints (sample/varint.h), in base64. No text can end the
 * element that contains it; malformed UTF-8 becomes U+FFFD. */
#pragma once

#include "base/json_writer.h"

/* What a page begins with. */
#define PAGE_MARKER "<!DOCTYPE html>\n<!-- nbscorep report -->\n"

/* What the page is made of: HTML with the marks @style-source@, @script-source@, @style@, @data@ and @script@, in this
 * order. STYLE and SCRIPT take the places of their marks; they do not hold the end of their element. */
struct page_parts {
	struct slice html, style, script;
};

/* SHA-256 of the style and the script of templates/report, made by cmake/embed.cmake. */
enum { PAGE_DIGEST = 32 };
extern const unsigned char page_style_digest[PAGE_DIGEST], page_script_digest[PAGE_DIGEST];

/* The JSON of a page: an object, whose members are put by JSON and by numbers. */
struct page_writer {
	struct json_writer json;
	struct strbuf out, bytes, text; /* BYTES and TEXT: of numbers that are added */
	int64_t last;                   /* number */
};

void page_begin(struct page_writer *page, struct arena *arena);

/* Numbers that are one member: add each, then put them. */
void page_numbers_add(struct page_writer *page, int64_t number);
void page_numbers_put(struct page_writer *page, const char *key);

/* Ends the JSON, and appends the page to OUT. */
void page_end(struct strbuf *out, struct page_writer *page, const struct page_parts *parts);
