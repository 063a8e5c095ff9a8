/* Checks binding arguments. The bindings pass options that they do not know to scorep-config, which
 * refuses those that it does not know either. The run then ends before the script starts. */
#include "scorep/check_args.h"

#include "base/name_set.h"
#include "base/suggest.h"
#include "scorep/args.h"
#include "scorep/variables.h"

enum { NAMES_MAX = 64 };

/* The option to check: the word and its parts. */
struct option {
	struct diags *diags;
	const struct scorep_arg_text *origin;
	const struct scorep_word *word;
	struct slice name, value;
	char separator; /* '=', ':', or NUL without a value */
};

static struct location place_of(const struct option *option)
{
	return scorep_arg_place(option->origin, option->word->offset, option->word->len);
}

static struct option option_of(struct diags *diags, const struct scorep_arg_text *origin,
                               const struct scorep_word *word)
{
	struct slice text = word->text;
	size_t end = 0;
	while (end < text.len && text.ptr[end] != '=' && text.ptr[end] != ':')
		end++;
	struct option option = {.diags = diags, .origin = origin, .word = word};
	option.name = slice_sub(text, 0, end);
	option.value = slice_sub(text, end + 1, text.len);
	if (end < text.len)
		option.separator = text.ptr[end];
	return option;
}

static int refuse(const struct option *option, const char *why)
{
	diag_add(option->diags, DIAG_ARGS_OPTION, place_of(option), "'%.*s' %s",
	         SLICE_ARG(option->word->text), why);
	return -1;
}

/* A value that the bindings do not know always ends the run. The values that scorep-config accepts
 * depend on its version. */
static int check_allowed(const struct option *option, const struct scorep_arg_row *row)
{
	struct slice allowed[SCOREP_ALLOWED_MAX];
	size_t count = scorep_allowed_split(row->allowed, allowed);
	for (size_t i = 0; i < count; i++) {
		if (slice_eq(option->value, allowed[i]))
			return 0;
	}
	if (count == 0)
		return 0;
	bool certain = row->owner == SCOREP_ARG_BINDINGS;
	enum diag_kind kind = certain ? DIAG_ARGS_OPTION : DIAG_ARGS_UNKNOWN;
	diag_add(option->diags, kind, place_of(option),
	         "'%.*s' is not a value of '%.*s', which takes %.*s", SLICE_ARG(option->value),
	         SLICE_ARG(option->name),
	         SLICE_ARG(scorep_allowed_text(option->diags->arena, row->allowed)));
	struct slice near = suggest(option->value, allowed, count);
	if (near.len > 0)
		diag_hint(option->diags, kind, "did you mean '%.*s%c%.*s'?",
		          SLICE_ARG(option->name), option->separator, SLICE_ARG(near));
	return certain ? -1 : 0;
}

static int check_form(const struct option *option, const struct scorep_arg_row *row)
{
	switch (row->form) {
	case SCOREP_ARG_FLAG:
	case SCOREP_ARG_OLD_MPI:
		return option->separator == '\0' ? 0 : refuse(option, "takes no value");
	case SCOREP_ARG_LIST:
		if (option->separator == '\0')
			return 0;
		__attribute__((fallthrough));
	case SCOREP_ARG_VALUE:
		if (option->separator != '=' || option->value.len == 0)
			return refuse(option, "requires a value after '='");
		return check_allowed(option, row);
	case SCOREP_ARG_MODE:
		if (option->separator == '=')
			return refuse(option, "takes its mode after ':'");
		return option->separator == '\0' ? 0 : check_allowed(option, row);
	case SCOREP_ARG_REFUSED:
		break;
	}
	return refuse(option, "makes the bindings print help and run nothing");
}

static int check_option(const struct option *option)
{
	const struct scorep_arg_row *row = scorep_arg_find(option->name);
	if (slice_eq(option->word->text, SLICE("--")))
		return refuse(option, "does not end the options of the bindings, which refuse it");
	if (row == NULL) {
		struct slice names[NAMES_MAX];
		size_t count = 0, row_count;
		const struct scorep_arg_row *rows = scorep_arg_rows(&row_count);
		for (size_t i = 0; i < row_count && count < NAMES_MAX; i++) {
			if (rows[i].form != SCOREP_ARG_REFUSED &&
			    rows[i].form != SCOREP_ARG_OLD_MPI)
				names[count++] = rows[i].name;
		}
		diag_add(option->diags, DIAG_ARGS_UNKNOWN, place_of(option),
		         "unknown option '%.*s' of the bindings and scorep-config",
		         SLICE_ARG(option->name));
		struct slice near = suggest(option->name, names, count);
		if (near.len > 0)
			diag_hint(option->diags, DIAG_ARGS_UNKNOWN, "did you mean '%.*s%.*s'?",
			          SLICE_ARG(near),
			          SLICE_ARG(slice_sub(option->word->text, option->name.len,
			                              option->word->text.len)));
		return 0;
	}
	/* Measured with Score-P 8.4. These wrap calls when the program is linked. */
	if (slice_eq(option->name, SLICE("--io")) &&
	    (slice_eq(option->value, SLICE("posix")) ||
	     slice_eq(option->value, SLICE("linktime:posix")))) {
		diag_add(option->diags, DIAG_ARGS_IO, place_of(option),
		         "'%.*s' records nothing in a Python program",
		         SLICE_ARG(option->word->text));
		diag_hint(option->diags, DIAG_ARGS_IO, "use '--io=runtime:posix'");
	}
	return check_form(option, row);
}

int scorep_check_args(struct diags *diags, const struct scorep_arg_text *text,
                      const struct scorep_words *words, struct scorep_words *out)
{
	int result = 0;
	struct name_set seen; /* a word that is repeated is reported once */
	name_set_init(&seen, diags->arena);
	for (size_t i = 0; i < words->list.count; i++) {
		const struct scorep_word *word = &words->list.items[i];
		struct option option = option_of(diags, text, word);
		/* Its expansion is not known before the run. */
		bool known = !word->expands;
		if (known && !slice_starts_with(word->text, SLICE("-"))) {
			/* The bindings take the first such word as the script, and the words after
			 * it as its arguments. */
			const struct scorep_word *before = i > 0 ? word - 1 : NULL;
			refuse(&option,
			       "does not start with '-', so the bindings take it as the script");
			const struct scorep_arg_row *row =
			        before == NULL ? NULL : scorep_arg_find(before->text);
			if (row != NULL && row->form == SCOREP_ARG_VALUE)
				diag_hint(diags, DIAG_ARGS_OPTION, "did you mean '%.*s=%.*s'?",
				          SLICE_ARG(row->name), SLICE_ARG(word->text));
			else
				diag_hint(diags, DIAG_ARGS_OPTION,
				          "give only options; nbscorep adds Python, '-m scorep' "
				          "and the script");
			return -1;
		}
		size_t count = seen.names.count;
		if (known && name_set_add(&seen, word->text) == count &&
		    check_option(&option) != 0) {
			result = -1;
		} else {
			struct scorep_word passed = *word;
			const struct scorep_arg_row *row = scorep_arg_find(option.name);
			if (row != NULL && row->form == SCOREP_ARG_OLD_MPI &&
			    option.separator == '\0') {
				passed.text = SLICE("--mpp=mpi");
				diag_add(diags, DIAG_ARGS_DEPRECATED, place_of(&option),
				         "'--mpi' is deprecated; '--mpp=mpi' is used instead");
			}
			vec_push(diags->arena, &out->list, passed);
		}
	}
	return result;
}
