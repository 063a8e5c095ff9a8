#include "cli/make_names.h"

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

/* make ends a name at a tab, also behind a backslash, and drops other white space in front of it. It
 * takes a line that holds '=' for an assignment, which can name the shell to use, or run a command,
 * and what is behind ';' for a command; of patterns it makes the names of files that are there, and
 * has an escape for them that ninja does not read. */
const char *unsayable_in_make(struct slice name)
{
	static const struct {
		char character;
		const char *what;
	} rows[] = {{'\n', "a line end"},  {'\r', "a line end"},
	            {'\t', "a tab"},       {'\v', "a vertical tab"},
	            {'\f', "a form feed"}, {'=', "'='"},
	            {';', "';'"},          {'|', "'|'"},
	            {'*', "'*'"},          {'?', "'?'"},
	            {'[', "'['"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (slice_find(name, rows[i].character, 0) < name.len)
			return rows[i].what;
	}
	return begins_with_tilde(name)              ? "'~' at its beginning"
	       : slice_ends_with(name, SLICE("&"))  ? "'&' at its end"
	       : slice_ends_with(name, SLICE("\\")) ? "'\\' at its end"
	                                            : NULL;
}
