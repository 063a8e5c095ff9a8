#include "ir/lower/shell_command.h"

#include "base/paths.h"
#include "lex/lex.h"

/* ---- commands ---- */

/* Returns the program of WORD without folder and version: "pip" for "/usr/bin/pip3.11", "sys.executable" for
 * "{sys.executable}", in quotes or with "$", too. */
static struct slice program_of(struct slice word)
{
	static const struct slice opening = SLICE_INIT("\"'{$"), closing = SLICE_INIT("\"'}");
	while (word.len > 0 && slice_has(opening, word.ptr[0]))
		word = slice_tail(word, 1);
	while (word.len > 0 && slice_has(closing, word.ptr[word.len - 1]))
		word.len--;
	struct slice name = path_file(word);
	while (name.len > 1 &&
	       (ascii_is_digit(name.ptr[name.len - 1]) || name.ptr[name.len - 1] == '.'))
		name.len--;
	return name;
}

/* True if WORD is the name of a program that installs packages. */
static bool shell_is_installer(struct slice word)
{
	return slice_is_word_of(program_of(word), "pip conda mamba micromamba uv apt apt-get");
}

static size_t quoted_length(struct slice text, size_t at, unsigned depth);

/* Returns the length of the string whose contents begin at FROM, including QUOTE at its end. */
static size_t string_length(struct slice text, size_t from, char quote, bool escapes,
                            unsigned depth)
{
	enum { DEPTH_MAX = 32 }; /* of "$("$(...)")" */
	size_t end = from;
	while (end < text.len && text.ptr[end] != quote) {
		bool opens = quote == '"' && text.ptr[end] == '$' &&
		             slice_at(text, end + 1) == '(' && depth < DEPTH_MAX;
		if (!opens) {
			end += escapes && text.ptr[end] == '\\' ? 2 : 1;
			continue;
		}
		/* The parentheses, including quoted text in them. */
		size_t open = 0;
		end++;
		do {
			open += text.ptr[end] == '(';
			open -= text.ptr[end] == ')';
			end += quoted_length(text, end, depth + 1);
		} while (end < text.len && open > 0);
	}
	return end + 1 - from;
}

/* Returns the length of the quoted text, comment, or single character at AT. A string that is not
 * closed extends beyond the end of TEXT. */
static size_t quoted_length(struct slice text, size_t at, unsigned depth)
{
	char quote = text.ptr[at], next = slice_at(text, at + 1);
	char before = slice_at(text, at - 1); /* NUL at the start of TEXT, too */
	if (quote == '#' &&
	    (at == 0 || ascii_is_blank(before) || slice_has(SLICE(";&|("), before))) {
		struct slice rest = slice_tail(text, at), comment;
		slice_next_line(&rest, &comment);
		return comment.len;
	}
	if (quote == '\\' && next == '\r' && slice_at(text, at + 2) == '\n')
		return 3;
	if (quote == '\\')
		return text.len - at < 2 ? 1 : 2;
	if (quote == '$' && next == '\'')
		return 2 + string_length(text, at + 2, '\'', true, depth);
	if (quote == '\'' || quote == '"' || quote == '`')
		return 1 + string_length(text, at + 1, quote, quote != '\'', depth);
	return 1;
}

bool shell_is_closed(struct slice text)
{
	size_t at = 0;
	while (at < text.len)
		at += quoted_length(text, at, 0);
	return at == text.len;
}

/* Returns the length of the separator of two commands at AT, or 0. "2>&1", "<&-", "&>" and the pipe
 * "|&" are not separators. */
static size_t joint_length(struct slice text, size_t at)
{
	char c = text.ptr[at], next = slice_at(text, at + 1);
	char before = slice_at(text, at - 1); /* NUL at the start of TEXT */
	bool redirects = c == '&' && (next == '>' || before == '>' || before == '<');
	if (redirects || (c == '&' && before == '|') || (c == '|' && next != '|'))
		return 0;
	if ((c == '&' || c == '|') && next == c)
		return 2;
	return c == ';' || c == '&' || c == '\n' || c == '\r' ? 1 : 0;
}

/* Returns the length of the text before a command at the start of TEXT: blanks, "(", "then". */
static size_t opener_length(struct slice text)
{
	static const struct slice words[] = {
	        SLICE_INIT("{"),    SLICE_INIT("!"),       SLICE_INIT("then"),
	        SLICE_INIT("else"), SLICE_INIT("do"),      SLICE_INIT("if"),
	        SLICE_INIT("elif"), SLICE_INIT("while !"), SLICE_INIT("until")};
	const size_t count = sizeof words / sizeof *words;
	size_t at = 0;
	for (size_t i = 0; i < count;) {
		struct slice rest = slice_tail(text, at);
		size_t len = words[i].len;
		if (rest.len > 0 && (ascii_is_blank(rest.ptr[0]) || rest.ptr[0] == '(')) {
			at++;
		} else if (slice_starts_with(rest, words[i]) &&
		           (rest.len == len || ascii_is_blank(rest.ptr[len]))) {
			at += len;
			i = 0;
		} else {
			i++;
		}
	}
	return at;
}

/* Removes the first command, with its pipe, from the start of REST and sets *OUT to it. Commands
 * are separated by ;, &, &&, || and line ends, also in (...), {...} and if, for, while. Quoted text
 * and $(...) are part of a command. Returns false if REST is empty. */
static bool shell_next_command(struct slice *rest, struct slice *out)
{
	struct slice text = *rest;
	size_t first = opener_length(text), at = first, depth = 0, joint = 0;
	for (; at < text.len; at += quoted_length(text, at, 0)) {
		bool closes = text.ptr[at] == ')';
		joint = depth > 0 ? 0 : closes ? 1 : joint_length(text, at);
		if (joint > 0)
			break;
		depth += text.ptr[at] == '(';
		depth -= closes;
	}
	at = at > text.len ? text.len : at;
	*out = slice_trim(slice_sub(text, first, at));
	*rest = slice_tail(text, at + joint);
	return text.len > 0;
}

/* True for NAME=value before a command, if the value ends with this word. */
static bool is_plain_assignment(struct slice word)
{
	static const struct slice longer = SLICE_INIT("'\"`(\\");
	size_t sign = slice_find(word, '=', 0);
	for (size_t i = 0; i < word.len; i++) {
		if (i < sign ? !is_name_byte(word.ptr[i]) : slice_has(longer, word.ptr[i]))
			return false;
	}
	return sign > 0 && sign < word.len;
}

static bool command_installs(struct slice command)
{
	/* conda run, uv run: another command follows. */
	struct slice word = slice_next_word(&command);
	while (slice_is_word_of(program_of(word),
	                        "sudo -m sys.executable python time nohup exec env") ||
	       is_plain_assignment(word))
		word = slice_next_word(&command);
	if (!shell_is_installer(word))
		return false;
	while ((word = slice_next_word(&command)).len > 0 && !slice_has(word, '|') &&
	       !slice_is_word_of(word, "run exec")) {
		if (slice_is_word_of(word, "install uninstall update upgrade remove add"))
			return true;
	}
	return false;
}

enum shell_installing shell_installs(struct slice command)
{
	bool any = false, others = false;
	for (struct slice rest = command, one; shell_next_command(&rest, &one);) {
		bool installs = command_installs(one);
		any |= installs;
		others |= !installs && one.len > 0 && one.ptr[0] != '#';
	}
	return !any ? SHELL_INSTALLS_NOTHING : others ? SHELL_INSTALLS_TOO : SHELL_INSTALLS_ONLY;
}

bool shell_next_install(struct slice *rest, struct slice *out)
{
	while (shell_next_command(rest, out)) {
		if (command_installs(*out))
			return true;
	}
	return false;
}

struct slice shell_without_installs(struct arena *arena, struct slice command)
{
	size_t taken = 0;
	struct strbuf out = {.arena = arena};
	for (struct slice rest = command, one; shell_next_install(&rest, &one);) {
		size_t at = (size_t)(one.ptr - command.ptr);
		strbuf_add(&out, slice_sub(command, taken, at));
		strbuf_addc(&out, ':');
		taken = at + one.len;
	}
	strbuf_add(&out, slice_tail(command, taken));
	return strbuf_slice(&out);
}

struct slice shell_sets(struct slice command)
{
	struct slice rest = command, word = slice_next_word(&rest);
	bool goes_on = slice_has(command, ';') || slice_has(command, '&');
	bool sets = !goes_on && slice_is_word_of(word, "cd export source .");
	return sets ? word : slice_make(NULL, 0);
}

/* ---- packages ---- */

bool packages_installs(const struct magic *magic)
{
	/* Commands of pip and conda that only report. */
	if (magic->kind == MAGIC_SHELL || magic->kind == MAGIC_SHELL_LIST)
		return shell_installs(magic->args) == SHELL_INSTALLS_ONLY;
	if (magic->row == NULL || magic->row->action != ACTION_INSTALL)
		return false;
	struct slice rest = magic->args;
	return !slice_is_word_of(
	        slice_next_word(&rest),
	        "list show freeze check info search config --help --version -V help inspect");
}

/* Returns the next word of a command, without quotes around it. *ENDS: the command ends with it. */
static struct slice next_argument(struct slice *command, bool *ends)
{
	struct slice word = slice_next_word(command);
	*ends = word.len == 0 || word.ptr[word.len - 1] == ';';
	if (word.len > 0 && *ends)
		word.len--;
	return slice_unquote(word);
}

/* Options of pip install and conda install whose value is the next word. */
static const char options_with_value[] =
        "-i --index-url --extra-index-url -f --find-links -t --target "
        "--trusted-host -c --prefix --constraint --channel -n --name -p";

static void add_package(struct slice installer, struct slice option, struct slice word,
                        struct name_set *out)
{
	if (word.len == 0)
		return;
	bool literal = !slice_has(word, '{') && !slice_has(word, '$');
	bool is_pip = slice_starts_with(path_file(installer), SLICE("pip")) ||
	              slice_eq(installer, SLICE("uv"));
	if (!is_pip || !literal)
		word = arena_printf(out->arena, "# %.*s: %.*s", SLICE_ARG(installer),
		                    SLICE_ARG(word));
	else if (option.len > 0)
		word = arena_printf(out->arena, "%.*s %.*s", SLICE_ARG(option), SLICE_ARG(word));
	name_set_add(out, word);
}

void packages_collect(struct slice command, struct name_set *out)
{
	for (struct slice one; shell_next_install(&command, &one);) {
		struct slice word, installer = {0}, none = slice_make(NULL, 0);
		while ((word = slice_next_word(&one)).len > 0 &&
		       !slice_eq(word, SLICE("install"))) {
			if (shell_is_installer(word))
				installer = word;
		}
		for (bool ends = false; !ends;) {
			word = next_argument(&one, &ends);
			/* A comment, a pipe, a redirection or another command. */
			if (word.len > 0 && (slice_has(SLICE("#|<>&"), word.ptr[0]) ||
			                     slice_starts_with(word, SLICE("2>")) ||
			                     slice_starts_with(word, SLICE("1>"))))
				break;
			if (slice_eq(word, SLICE("-r")) || slice_eq(word, SLICE("-e")))
				add_package(installer, word, next_argument(&one, &ends), out);
			else if (slice_is_word_of(word, options_with_value))
				next_argument(&one, &ends);
			else if (word.len > 0 && word.ptr[0] != '-' && !slice_eq(word, SLICE("\\")))
				add_package(installer, none, word, out);
		}
	}
}
