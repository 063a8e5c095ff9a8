#include "scorep/variables.h"

#include "base/quote.h"
#include "base/suggest.h"

enum scorep_type {
	TYPE_BOOL,
	TYPE_NUMBER,
	TYPE_SIZE,
	TYPE_STRING,
	TYPE_PATH,
	TYPE_OPTION, /* one of the allowed values */
	TYPE_SET,    /* any of the allowed values */
};

static const struct scorep_variable {
	struct slice name;
	enum scorep_type type;
	struct slice initial; /* the default */
	struct slice allowed; /* of an option or set: the values, "a, b" */
} rows[] = {
#define VARIABLE(type, name, initial, allowed)                                                     \
	{SLICE_INIT(name), TYPE_##type, SLICE_INIT(initial), SLICE_INIT(allowed)},
#include "scorep/variables.def"
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct slice prefix = SLICE_INIT("SCOREP_");

static const struct scorep_variable *find_variable(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

/* Returns the variable that a misspelt NAME most likely means, or an empty slice.
 * All names share "SCOREP_", which must not count as similarity, so only the rest is compared. For a
 * mistake in the prefix itself (SCORP_, scorep_) the whole name is compared, and the mistake must be
 * small. */
static struct slice suggest_variable(struct slice name)
{
	struct slice names[ROW_COUNT];
	bool prefixed = slice_starts_with(name, prefix);
	size_t skipped = prefixed ? prefix.len : 0;
	for (size_t i = 0; i < ROW_COUNT; i++)
		names[i] = slice_tail(rows[i].name, skipped);
	struct slice near = suggest(slice_tail(name, skipped), names, ROW_COUNT);
	if (near.len == 0)
		return near;
	if (prefixed)
		return slice_make(near.ptr - prefix.len, near.len + prefix.len);
	return suggest_distance(name, near) <= 2 ? near : SLICE("");
}

/* True if NAME starts with one of PREFIXES, which are separated by blanks. */
static bool starts_with_any(struct slice name, const char *prefixes)
{
	struct slice rest = slice_from(prefixes), word;
	while ((word = slice_next_word(&rest)).len > 0) {
		if (slice_starts_with(name, word))
			return true;
	}
	return false;
}

bool scorep_is_kernel_variable(struct slice name)
{
	return starts_with_any(
	        name, "SCOREP_JUPYTER_ scorep_jupyter_ SCOREP_KERNEL_ JUMPER_ MARSHALLING_");
}

/* True if strtol() reads all of S: blanks, a sign, digits. */
static bool is_whole_number(struct slice s, bool *zero)
{
	size_t at = 0;
	while (ascii_is_blank(slice_at(s, at)))
		at++;
	at += slice_at(s, at) == '-' || slice_at(s, at) == '+';
	if (at == s.len)
		return false;
	*zero = true;
	for (; at < s.len && ascii_is_digit(s.ptr[at]); at++)
		*zero = *zero && s.ptr[at] == '0';
	return at == s.len;
}

enum scorep_truth scorep_parse_bool(struct slice value)
{
	bool zero = false;
	if (slice_is_word_of_nocase(value, "true yes on"))
		return SCOREP_TRUE;
	if (is_whole_number(value, &zero))
		return zero ? SCOREP_FALSE : SCOREP_TRUE;
	/* Values in quotes or blanks are false as well, and this is intended. */
	struct slice bare = slice_trim(slice_unquote(slice_trim(value)));
	if (bare.len == 0 || slice_is_word_of_nocase(bare, "false no off none f n") ||
	    (is_whole_number(bare, &zero) && zero))
		return SCOREP_FALSE;
	return SCOREP_MISTAKEN;
}

/* Cuts blanks and digits off the beginning of *S, and blanks off its end. Returns false without digits, or if the
 * number exceeds 64 bits. */
static bool take_number(struct slice *s, uint64_t *number)
{
	struct slice text = slice_trim(*s);
	size_t len = 0;
	while (len < text.len && ascii_is_digit(text.ptr[len]))
		len++;
	*s = slice_trim(slice_sub(text, len, text.len));
	return slice_read_number(slice_sub(text, 0, len), UINT64_MAX, number);
}

/* Reads digits, an optional K, M, G, T, P or E (powers of 1024, in any case) and an optional "b".
 * Returns false if Score-P would abort, or if the size exceeds 64 bits. */
static bool read_size(struct slice value, uint64_t *bytes)
{
	static const struct slice units = SLICE_INIT("kmgtpe");
	if (!take_number(&value, bytes))
		return false;
	size_t unit = value.len > 0 ? slice_find(units, ascii_lower(value.ptr[0]), 0) : units.len;
	if (unit < units.len) {
		uint64_t factor = (uint64_t)1 << 10 * (unit + 1);
		if (__builtin_mul_overflow(*bytes, factor, bytes))
			return false;
		value = slice_tail(value, 1);
	}
	if (ascii_lower(slice_at(value, 0)) == 'b')
		value = slice_tail(value, 1);
	return slice_trim(value).len == 0;
}

bool scorep_is_on(struct slice name, const struct slice *value)
{
	const struct scorep_variable *variable = find_variable(name);
	if (value == NULL && variable == NULL)
		return false;
	struct slice text = value == NULL ? variable->initial : *value;
	return bash_has_expansion(text) || scorep_parse_bool(text) == SCOREP_TRUE;
}

/* ---- allowed values ---- */

bool scorep_check_choice(struct diags *diags, enum diag_kind kind, struct location where,
                         const struct scorep_choice *choice)
{
	enum { ALLOWED_MAX = 32 };
	struct slice allowed[ALLOWED_MAX], rest = choice->allowed, one;
	size_t count = 0;
	while (count < ALLOWED_MAX && slice_next_part(&rest, ',', &one)) {
		one = slice_trim(one);
		if (choice->front.len == 0 ? slice_eq_nocase(choice->value, one)
		                           : slice_eq(choice->value, one))
			return true;
		allowed[count++] = one;
	}
	diag_add(diags, kind, where, "'%.*s' is not a value of '%.*s', which takes %.*s",
	         SLICE_ARG(choice->value), SLICE_ARG(choice->name), SLICE_ARG(choice->allowed));
	struct slice near = suggest(choice->value, allowed, count);
	if (near.len > 0)
		diag_hint(diags, kind, "did you mean '%.*s%.*s'?", SLICE_ARG(choice->front),
		          SLICE_ARG(near));
	return false;
}

/* ---- the check of an assignment ---- */

/* Any of " ,:;" separates the words of a set; "~" before a word removes it from the set. */
static void check_set(struct diags *diags, struct location where, struct scorep_choice word)
{
	static const struct slice separators = SLICE_INIT(" ,:;\t");
	struct slice value = word.value;
	for (size_t at = 0; at < value.len;) {
		size_t end = at;
		while (end < value.len && !slice_has(separators, value.ptr[end]))
			end++;
		size_t from = at + (at < end && value.ptr[at] == '~');
		word.value = slice_sub(value, from, end);
		if (from < end)
			(void)scorep_check_choice(diags, DIAG_SCOREP_VALUE, where, &word);
		at = end + 1;
	}
}

/* NAME is not a variable of Score-P: reports that, unless it belongs to other software or is like none. */
static void report_unknown_variable(struct diags *diags, struct location where, struct slice name)
{
	bool prefixed = slice_starts_with(name, prefix);
	/* Of plugins and the software around Score-P: the bindings, the compiler wrappers, a cluster's module files. */
	bool is_companion =
	        starts_with_any(name, "SCOREP_PYTHON_BINDINGS_ SCOREP_LD_PRELOAD_BACKUP "
	                              "SCOREP_WRAPPER SCOREP_ROOT SCOREP_DIR SCOREP_HOME "
	                              "SCOREP_METRIC_ SCOREP_SUBSTRATE_");
	struct slice near = suggest_variable(name);
	if (scorep_is_kernel_variable(name) || is_companion || (!prefixed && near.len == 0))
		return;
	diag_add(diags, DIAG_SCOREP_VARIABLE, where, "'%.*s' is not a variable of Score-P",
	         SLICE_ARG(name));
	if (near.len > 0)
		diag_hint(diags, DIAG_SCOREP_VARIABLE, "did you mean '%.*s'?", SLICE_ARG(near));
}

void scorep_check_variable(struct diags *diags, struct location where_name,
                           struct location where_value, struct slice name, struct slice value)
{
	const struct scorep_variable *variable = find_variable(name);
	if (variable == NULL) {
		report_unknown_variable(diags, where_name, name);
		return;
	}
	/* Score-P ignores case in the words of options and sets. */
	const struct scorep_choice choice = {
	        .allowed = variable->allowed, .name = name, .value = value};
	uint64_t number;
	if (bash_has_expansion(value))
		return;
	switch (variable->type) {
	case TYPE_BOOL:
		if (scorep_parse_bool(value) != SCOREP_MISTAKEN)
			break;
		diag_add(diags, DIAG_SCOREP_BOOL, where_value,
		         "Score-P reads '%.*s' as false, so '%.*s' is off", SLICE_ARG(value),
		         SLICE_ARG(name));
		diag_hint(diags, DIAG_SCOREP_BOOL,
		          "use 'true', 'yes', 'on' or a number other than 0 to switch it on");
		break;
	case TYPE_NUMBER:
		if (!take_number(&value, &number) || value.len > 0)
			diag_add(diags, DIAG_SCOREP_VALUE, where_value,
			         "'%.*s' is not a number, which '%.*s' requires",
			         SLICE_ARG(choice.value), SLICE_ARG(name));
		break;
	case TYPE_SIZE:
		if (!read_size(value, &number)) {
			diag_add(diags, DIAG_SCOREP_SIZE, where_value,
			         "invalid size '%.*s' for '%.*s', on which Score-P aborts",
			         SLICE_ARG(value), SLICE_ARG(name));
			diag_hint(diags, DIAG_SCOREP_SIZE,
			          "use a whole number, with K, M, G, T, P or E after it if needed");
		} else if (slice_eq(name, SLICE("SCOREP_TOTAL_MEMORY")) && number >> 32 != 0) {
			diag_add(diags, DIAG_SCOREP_MEMORY, where_value,
			         "'%.*s' is 4 GiB or more; Score-P reduces it", SLICE_ARG(value));
			diag_hint(diags, DIAG_SCOREP_MEMORY,
			          "use at most '4095M'; each process has this much");
		}
		break;
	case TYPE_OPTION:
		(void)scorep_check_choice(diags, DIAG_SCOREP_VALUE, where_value, &choice);
		break;
	case TYPE_SET:
		check_set(diags, where_value, choice);
		break;
	case TYPE_STRING:
	case TYPE_PATH:
		break;
	}
}

void scorep_check_modes(struct diags *diags, struct location where, bool tracing, bool profiling)
{
	if (tracing || profiling)
		return;
	diag_add(diags, DIAG_SCOREP_OFF, where,
	         "tracing and profiling are both off, so Score-P records nothing");
}
