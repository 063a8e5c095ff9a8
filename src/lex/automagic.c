/* Automagic: a cell of one line that is a line magic without its "%". IPython checks whether the
 * name is a variable; here the line must be unlikely to be Python. */
#include "lex/automagic.h"

#include "lex/lexer.h"
#include "lex/magic_table.h"

static size_t word_length(struct slice s)
{
	size_t len = 0;
	while (len < s.len && (ascii_is_alnum(s.ptr[len]) || s.ptr[len] == '_'))
		len++;
	return len;
}

/* "name in x", "name is None", "name if y": an expression. */
static bool is_expression_word(struct slice word)
{
	static const struct slice words[] = {SLICE_INIT("in"),  SLICE_INIT("is"),
	                                     SLICE_INIT("if"),  SLICE_INIT("or"),
	                                     SLICE_INIT("and"), SLICE_INIT("not")};
	return slice_is_one_of(word, words, sizeof words / sizeof *words);
}

/* "ls -l", "cd /tmp", "rm *.txt" are magics; "ls - l" and "ls -= 1" are Python. */
static bool is_operation(struct slice rest)
{
	struct slice operators = SLICE("+-*/%@&|^<>~.");
	if (slice_find(operators, rest.ptr[0], 0) == operators.len)
		return false;
	return rest.len > 1 && (ascii_is_blank(rest.ptr[1]) || rest.ptr[1] == '=');
}

static bool is_automagic(struct slice text)
{
	struct slice name = slice_sub(text, 0, word_length(text));
	struct slice rest = slice_trim(slice_sub(text, name.len, text.len));
	if (name.len == 0 || rest.len == 0 || !ascii_is_blank(text.ptr[name.len]) ||
	    magic_find(name, FORM_LINE) == NULL)
		return false;
	struct slice python = SLICE("=,([{:;)#!");
	return slice_find(python, rest.ptr[0], 0) == python.len && !is_operation(rest) &&
	       !is_expression_word(slice_sub(rest, 0, word_length(rest)));
}

size_t automagic_find(struct slice text)
{
	struct slice line = slice_trim(text);
	size_t end = 0;
	while (end < line.len && line.ptr[end] != '\n' && line.ptr[end] != '\r')
		end++;
	return end == line.len && line.len > 0 && is_automagic(line) ? (size_t)(line.ptr - text.ptr)
	                                                             : SIZE_MAX;
}
