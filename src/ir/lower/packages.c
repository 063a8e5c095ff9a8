#include "ir/lower/packages.h"

#include "base/paths.h"
#include "ir/ir.h"
#include "ir/lower/shell_command.h"
#include "lex/lex.h"
#include "lex/magic_table.h"

bool packages_installs(const struct magic *magic)
{
	/* Commands of pip and conda that only report. */
	static const struct slice tells[] = {
	        SLICE_INIT("list"),   SLICE_INIT("show"),   SLICE_INIT("freeze"),
	        SLICE_INIT("check"),  SLICE_INIT("info"),   SLICE_INIT("search"),
	        SLICE_INIT("config"), SLICE_INIT("--help"), SLICE_INIT("--version"),
	        SLICE_INIT("-V"),     SLICE_INIT("help"),   SLICE_INIT("inspect"),
	};
	if (magic->kind == MAGIC_SHELL || magic->kind == MAGIC_SHELL_LIST)
		return shell_installs(magic->args) == SHELL_INSTALLS_ONLY;
	if (magic->row == NULL || magic->row->action != ACTION_INSTALL)
		return false;
	struct slice rest = magic->args;
	return !slice_is_one_of(slice_next_word(&rest), tells, sizeof tells / sizeof *tells);
}

/* Returns the next word of a command, without quotes around it. *ENDS: the command ends with it. */
static struct slice next_argument(struct slice *command, bool *ends)
{
	struct slice word = slice_next_word(command);
	*ends = word.len == 0 || word.ptr[word.len - 1] == ';';
	if (word.len > 0 && *ends)
		word.len--;
	if (word.len >= 2 && (word.ptr[0] == '"' || word.ptr[0] == '\'') &&
	    word.ptr[word.len - 1] == word.ptr[0])
		return slice_sub(word, 1, word.len - 1);
	return word;
}

/* True for options of pip install and conda install whose value is the next word. */
static bool takes_value(struct slice option)
{
	static const struct slice options[] = {
	        SLICE_INIT("-i"),
	        SLICE_INIT("--index-url"),
	        SLICE_INIT("--extra-index-url"),
	        SLICE_INIT("-f"),
	        SLICE_INIT("--find-links"),
	        SLICE_INIT("-t"),
	        SLICE_INIT("--target"),
	        SLICE_INIT("--trusted-host"),
	        SLICE_INIT("-c"),
	        SLICE_INIT("--prefix"),
	        SLICE_INIT("--constraint"),
	        SLICE_INIT("--channel"),
	        SLICE_INIT("-n"),
	        SLICE_INIT("--name"),
	        SLICE_INIT("-p"),
	};
	return slice_is_one_of(option, options, sizeof options / sizeof *options);
}

/* True for a comment, a pipe, a redirection or another command. */
static bool is_behind_command(struct slice word)
{
	return word.len > 0 &&
	       (slice_find(SLICE("#|<>&"), word.ptr[0], 0) < 5 ||
	        slice_starts_with(word, SLICE("2>")) || slice_starts_with(word, SLICE("1>")));
}

static void add_package(struct slice installer, struct slice option, struct slice word,
                        struct name_set *out)
{
	if (word.len == 0)
		return;
	bool literal = slice_find(word, '{', 0) == word.len && slice_find(word, '$', 0) == word.len;
	bool is_pip = slice_starts_with(path_file(installer), SLICE("pip")) ||
	              slice_eq(installer, SLICE("uv"));
	if (!is_pip || !literal)
		word = arena_printf(out->arena, "# %.*s: %.*s", SLICE_ARG(installer),
		                    SLICE_ARG(word));
	else if (option.len > 0)
		word = arena_printf(out->arena, "%.*s %.*s", SLICE_ARG(option), SLICE_ARG(word));
	name_set_add(out, word);
}

static void collect_from(struct slice command, struct name_set *out)
{
	struct slice word, installer = {0}, none = slice_make(NULL, 0);
	while ((word = slice_next_word(&command)).len > 0 && !slice_eq(word, SLICE("install"))) {
		if (shell_is_installer(word))
			installer = word;
	}
	for (bool ends = false; !ends;) {
		word = next_argument(&command, &ends);
		if (is_behind_command(word))
			return;
		if (slice_eq(word, SLICE("-r")) || slice_eq(word, SLICE("-e")))
			add_package(installer, word, next_argument(&command, &ends), out);
		else if (takes_value(word))
			next_argument(&command, &ends);
		else if (word.len > 0 && word.ptr[0] != '-' && !slice_eq(word, SLICE("\\")))
			add_package(installer, none, word, out);
	}
}

void packages_collect(struct slice command, struct name_set *out)
{
	for (struct slice one; shell_next_install(&command, &one);)
		collect_from(one, out);
}

void packages_leave_out(struct left_out_installs *installs, struct location where)
{
	if (installs->count++ == 0)
		installs->first = where;
}

void packages_warn(struct diags *diags, const struct left_out_installs *installs)
{
	size_t others = installs->count - 1;
	if (installs->count == 0)
		return;
	if (others == 0)
		diag_add(diags, DIAG_PACKAGE_INSTALL, installs->first,
		         "packages are not installed in batch: this command is left out");
	else
		diag_add(diags, DIAG_PACKAGE_INSTALL, installs->first,
		         "packages are not installed in batch: this command and %zu more %s left "
		         "out",
		         others, others == 1 ? "is" : "are");
	diag_hint(diags, DIAG_PACKAGE_INSTALL,
	          "install them beforehand; 'nbscorep check --print-requirements' lists them");
}
