#include "settings/yaml_problems.h"

#include "base/utf8.h"

enum { AT_END = 1 };

struct row {
	const char *context; /* its beginning; NULL: any */
	const char *problem; /* its beginning */
	char next;           /* the character at the problem; 0: any; AT_END: the end of the text */
	const char *message, *hint;
	bool at_context;
};

#define QUOTE_IT "put quotes around a text that begins with this character"

/* The first row that matches is used. Contexts and problems are texts of libyaml 0.2. */
static const struct row rows[] = {
        {NULL, "found character that cannot start any token", '\t',
         "YAML requires spaces here, not a tab", "indent with spaces only", false},
        {NULL, "found character that cannot start any token", 0,
         "no value can begin with this character", QUOTE_IT, false},
        {NULL, "found a tab character", 0, "YAML requires spaces here, not a tab",
         "indent with spaces only", false},
        {"while scanning a simple key", "could not find expected ':'", 0,
         "this key has no ':' after it",
         "write 'key: value'; begin a text of several lines with '|', or put quotes "
         "around it",
         true},
        {NULL, "mapping values are not allowed", 0, "a key is not allowed here",
         "look for a second ':' in the line, too much indentation, or a missing ':' in the "
         "line above; put quotes around a text that contains ': '",
         false},
        {NULL, "block sequence entries are not allowed", 0, "a list cannot begin here",
         "put each '- ' on a line of its own, below its key", false},
        {NULL, "mapping keys are not allowed", 0, "'? ' is not allowed here", QUOTE_IT, false},
        {"while scanning an alias", "did not find expected alphabetic", 0,
         "'*' begins an alias, but no name follows", QUOTE_IT, true},
        {"while scanning an anchor", "did not find expected alphabetic", 0,
         "'&' begins an anchor, but no name follows", QUOTE_IT, true},
        {"while scanning a quoted scalar", "found unexpected end of stream", 0,
         "the quotes that open here are not closed", NULL, true},
        {"while scanning a quoted scalar", "found unexpected document indicator", 0,
         "the quotes that open here are not closed", NULL, true},
        {"while parsing a quoted scalar", "found unknown escape character", 0,
         "unknown escape in double quotes",
         "write '\\\\' for a backslash, or use single quotes, which have no escapes", false},
        {"while parsing a quoted scalar", "", 0, "the escape does not name a character", NULL,
         false},
        {"while scanning a block scalar", "found an indentation indicator", 0,
         "an indentation of 0 after '|' or '>'", NULL, false},
        {"while scanning a block scalar", "", 0,
         "a text of several lines begins on the line below '|' or '>'", QUOTE_IT, false},
        {"while parsing a block mapping", "did not find expected key", ':',
         "a key is missing before ':'", NULL, false},
        {"while parsing a block mapping", "did not find expected key", 0,
         "the line fits neither the map above it nor a new one",
         "begin the keys of a map in the same column, and indent their values further", false},
        {"while parsing a block collection", "did not find expected '-' indicator", 0,
         "the line fits neither the list above it nor a new one",
         "begin each element of a list with '- ' in the same column", false},
        {NULL, "did not find expected ',' or '}'", 0,
         "the map that '{' opens here is not closed, or a ',' is missing in it", NULL, true},
        {NULL, "did not find expected ',' or ']'", 0,
         "the list that '[' opens here is not closed, or a ',' is missing in it", NULL, true},
        {NULL, "did not find expected node content", AT_END,
         "the text ends before a '[' or '{' is closed", NULL, false},
        {NULL, "did not find expected node content", 0, "a value is missing here", NULL, false},
        {NULL, "did not find expected <document start>", 0,
         "the text continues after the end of the document",
         "begin the keys of a map in the same column", false},
        {NULL, "found unexpected ':'", 0, "a ':' in this text makes it ambiguous",
         "put quotes around the text", false},
        {NULL, "found undefined tag handle", 0, "'!' begins a tag, but this tag is not known",
         QUOTE_IT, false},
        {"while scanning a tag", "", 0, "'!' begins a tag, but this is not one", QUOTE_IT, true},
        {"while parsing a tag", "", 0, "'!' begins a tag, but this is not one", QUOTE_IT, true},
        {NULL, "found incompatible YAML document", 0,
         "%YAML requests a version other than 1.1 and 1.2", NULL, false},
        {"while scanning a", "", 0,
         "'%' at the beginning of a line begins a directive, but this is not one", QUOTE_IT, true},
        {NULL, "found duplicate %", 0, "duplicate directive", NULL, false},
};

static bool fits(const char *text, const char *beginning)
{
	return slice_starts_with(slice_from(text == NULL ? "" : text), slice_from(beginning));
}

struct yaml_explanation yaml_explain(const char *problem, const char *context, struct slice rest)
{
	char next = AT_END;
	if (rest.len > 0)
		next = rest.ptr[0];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		if ((row->context == NULL || fits(context, row->context)) &&
		    fits(problem, row->problem) && (row->next == 0 || row->next == next))
			return (struct yaml_explanation){row->message, row->hint, row->at_context};
	}
	return (struct yaml_explanation){0};
}

static bool is_allowed(int32_t c)
{
	if (c == '\t' || c == '\n' || c == '\r')
		return true;
	/* U+0085, U+2028 and U+2029 are line ends in YAML 1.1, but not in editors. */
	return c >= 0x20 && !(c >= 0x7F && c < 0xA0) && c != 0x2028 && c != 0x2029 && c != 0xFEFF &&
	       c != 0xFFFE && c != 0xFFFF;
}

/* The place of byte AT, which may not be part of a valid character. */
static struct location place_of(struct slice name, struct slice text, size_t at)
{
	struct location where = location_in_cell(0, text, at, 1);
	where.length = 1;
	where.file = name;
	return where;
}

int yaml_check_text(struct diags *diags, struct slice name, struct slice text)
{
	if (slice_starts_with(text, SLICE("\xFF\xFE")) ||
	    slice_starts_with(text, SLICE("\xFE\xFF"))) {
		diag_add(diags, DIAG_CONFIG_SYNTAX, (struct location){.file = name},
		         "the file is UTF-16, not UTF-8");
		return diag_hint(diags, DIAG_CONFIG_SYNTAX, "save it as UTF-8");
	}
	for (size_t at = 0, len; at < text.len; at += len) {
		int32_t c = utf8_decode(slice_sub(text, at, text.len), &len);
		if (c == UTF8_INVALID)
			return diag_add(diags, DIAG_CONFIG_SYNTAX, place_of(name, text, at),
			                "byte 0x%02X is not UTF-8", (unsigned char)text.ptr[at]);
		if (!is_allowed(c))
			return diag_add(diags, DIAG_CONFIG_SYNTAX, place_of(name, text, at),
			                "YAML text cannot contain the character U+%04X",
			                (unsigned)c);
	}
	return 0;
}
