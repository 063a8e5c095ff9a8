#include "driver/make_names.h"

/* A character, for a message. */
struct row {
	char character;
	const char *what;
};

static const char *find_character(struct slice name, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (slice_find(name, rows[i].character, 0) < name.len)
			return rows[i].what;
	}
	return NULL;
}

/* make puts a home in ~'s place, and drops "./" before it looks for that. */
static bool begins_with_tilde(struct slice name)
{
	while (slice_starts_with(name, SLICE("./"))) {
		name = slice_sub(name, 2, name.len);
		while (slice_starts_with(name, SLICE("/")))
			name = slice_sub(name, 1, name.len);
	}
	return slice_starts_with(name, SLICE("~"));
}

/* make ends a name at a tab, even after a backslash, and drops other white space before it. It reads a
 * line with '=' as an assignment, which can set the shell or run a command, and text after ';' as a
 * command. It expands patterns to the names of files that exist; ninja does not read make's escape for
 * them. A name that ends in ')' ends a member of an archive, which may begin in another name. */
const char *unsayable_in_make(struct slice name)
{
	static const struct row rows[] = {{'\n', "a line end"},  {'\r', "a line end"},
	                                  {'\t', "a tab"},       {'\v', "a vertical tab"},
	                                  {'\f', "a form feed"}, {'=', "'='"},
	                                  {';', "';'"},          {'|', "'|'"},
	                                  {'*', "'*'"},          {'?', "'?'"},
	                                  {'[', "'['"}};
	const char *what = find_character(name, rows, sizeof rows / sizeof *rows);
	return what != NULL                         ? what
	       : begins_with_tilde(name)            ? "'~' at its beginning"
	       : slice_ends_with(name, SLICE(" "))  ? "a blank at its end"
	       : slice_ends_with(name, SLICE("&"))  ? "'&' at its end"
	       : slice_ends_with(name, SLICE(")"))  ? "')' at its end"
	       : slice_ends_with(name, SLICE("\\")) ? "'\\' at its end"
	                                            : NULL;
}

/* What ninja skips, unless it is after a backslash; NULL: it reads C. */
static const char *skipped_by_ninja(unsigned char c)
{
	static const struct row rows[] = {
	        {'"', "'\"'"}, {'&', "'&'"}, {'\'', "\"'\""}, {'<', "'<'"},
	        {'>', "'>'"},  {'^', "'^'"}, {'`', "'`'"},    {'\177', "a control character"}};
	if (c < ' ')
		return "a control character";
	return find_character(slice_make((const char *)&c, 1), rows, sizeof rows / sizeof *rows);
}

/* Its src/depfile_parser.in.cc. Backslashes before a character that make_word() quotes are counted in
 * another way than make's. */
const char *unsayable_in_ninja(struct slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool escaped = i > 0 && name.ptr[i - 1] == '\\';
		if (escaped && (c == '#' || c == '$' || c == ':'))
			return "'\\' before '#', '$' or ':'";
		const char *what = c == '%'   ? "'%'"
		                   : c == ' ' ? NULL
		                              : skipped_by_ninja((unsigned char)c);
		if (what != NULL && (c == '%' || !escaped))
			return what;
	}
	return slice_ends_with(name, SLICE(":")) ? "':' at its end" : NULL;
}
