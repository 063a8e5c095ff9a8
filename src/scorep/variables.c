#include "scorep/variables.h"

#include "base/arena.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "base/suggest.h"

static const struct scorep_variable rows[] = {
#define VARIABLE(type, name, initial, allowed)                                                     \
	{SLICE_INIT(name), SCOREP_TYPE_##type, SLICE_INIT(initial), SLICE_INIT(allowed)},
#include "scorep/variables.def"
#undef VARIABLE
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const struct slice prefix = SLICE_INIT("SCOREP_");

const struct scorep_variable *scorep_variables(size_t *count)
{
	*count = ROW_COUNT;
	return rows;
}

const struct scorep_variable *scorep_variable_find(struct slice name)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (slice_eq(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

static struct slice without_prefix(struct slice name)
{
	return slice_sub(name, prefix.len, name.len);
}

/* All names share "SCOREP_", which must not count as similarity, so only the rest is compared. For a
 * mistake in the prefix itself (SCORP_, scorep_) the whole name is compared, and the mistake must be
 * small. */
struct slice scorep_variable_suggest(struct slice name)
{
	struct slice names[ROW_COUNT];
	bool prefixed = slice_starts_with(name, prefix);
	for (size_t i = 0; i < ROW_COUNT; i++)
		names[i] = prefixed ? without_prefix(rows[i].name) : rows[i].name;
	struct slice near = suggest(prefixed ? without_prefix(name) : name, names, ROW_COUNT);
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

bool scorep_is_companion_variable(struct slice name)
{
	return starts_with_any(name, "SCOREP_PYTHON_BINDINGS_ SCOREP_LD_PRELOAD_BACKUP "
	                             "SCOREP_WRAPPER SCOREP_ROOT SCOREP_DIR SCOREP_HOME");
}

/* True if strtol() reads all of S: blanks, a sign, digits. */
static bool is_whole_number(struct slice s, bool *zero)
{
	size_t at = 0;
	while (at < s.len && ascii_is_blank(s.ptr[at]))
		at++;
	if (at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+'))
		at++;
	if (at == s.len)
		return false;
	*zero = true;
	for (; at < s.len && ascii_is_digit(s.ptr[at]); at++)
		*zero = *zero && s.ptr[at] == '0';
	return at == s.len;
}

static struct slice without_quotes(struct slice s)
{
	s = slice_trim(s);
	bool quoted =
	        s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0];
	return quoted ? slice_trim(slice_sub(s, 1, s.len - 1)) : s;
}

enum scorep_truth scorep_parse_bool(struct slice value)
{
	bool zero = false;
	if (slice_is_word_of_nocase(value, "true yes on"))
		return SCOREP_TRUE;
	if (is_whole_number(value, &zero))
		return zero ? SCOREP_FALSE : SCOREP_TRUE;
	/* Values in quotes or blanks are false as well, and this is intended. */
	struct slice bare = without_quotes(value);
	if (bare.len == 0 || slice_is_word_of_nocase(bare, "false no off none f n") ||
	    (is_whole_number(bare, &zero) && zero))
		return SCOREP_FALSE;
	return SCOREP_MISTAKEN;
}

static void skip_blanks(struct slice *s)
{
	while (s->len > 0 && ascii_is_blank(s->ptr[0]))
		*s = slice_sub(*s, 1, s->len);
}

/* Cuts blanks and digits off the beginning of *S. */
static bool take_digits(struct slice *s, uint64_t *number)
{
	skip_blanks(s);
	size_t at = 0;
	for (*number = 0; at < s->len && ascii_is_digit(s->ptr[at]); at++) {
		uint64_t digit = (uint64_t)(s->ptr[at] - '0');
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, digit, number))
			return false;
	}
	*s = slice_sub(*s, at, s->len);
	skip_blanks(s);
	return at > 0;
}

bool scorep_parse_number(struct slice value, uint64_t *number)
{
	return take_digits(&value, number) && value.len == 0;
}

bool scorep_parse_size(struct slice value, uint64_t *bytes)
{
	static const struct slice units = SLICE_INIT("kmgtpe");
	if (!take_digits(&value, bytes))
		return false;
	size_t unit = value.len > 0 ? slice_find(units, ascii_lower(value.ptr[0]), 0) : units.len;
	if (unit < units.len) {
		uint64_t factor = (uint64_t)1 << 10 * (unit + 1);
		if (__builtin_mul_overflow(*bytes, factor, bytes))
			return false;
		value = slice_sub(value, 1, value.len);
	}
	if (value.len > 0 && ascii_lower(value.ptr[0]) == 'b')
		value = slice_sub(value, 1, value.len);
	return slice_trim(value).len == 0;
}

bool scorep_is_on(struct slice name, const struct slice *value)
{
	const struct scorep_variable *variable = scorep_variable_find(name);
	if (value == NULL && variable == NULL)
		return false;
	struct slice text = value == NULL ? variable->initial : *value;
	return bash_has_expansion(text) || scorep_parse_bool(text) == SCOREP_TRUE;
}

/* ---- the experiment directory ---- */

bool scorep_names_directory(struct slice name)
{
	return slice_eq(name, SLICE("SCOREP_EXPERIMENT_DIRECTORY"));
}

bool scorep_directory_part(struct slice *rest, struct slice *text)
{
	bool is_job = slice_starts_with(*rest, SLICE("%j"));
	bool is_percent = slice_starts_with(*rest, SLICE("%%"));
	if (rest->len == 0)
		return false;
	*text = slice_sub(*rest, 0, is_job ? 0 : slice_find(*rest, '%', 1));
	if (is_percent)
		*text = slice_sub(*rest, 1, slice_find(*rest, '%', 2));
	*rest = slice_sub(*rest, is_job ? 2 : text->len + is_percent, rest->len);
	return true;
}

/* ---- allowed values ---- */

size_t scorep_allowed_split(struct slice list, struct slice out[SCOREP_ALLOWED_MAX])
{
	size_t count = 0;
	for (size_t at = 0; at < list.len && count < SCOREP_ALLOWED_MAX;) {
		size_t end = slice_find(list, ',', at);
		out[count++] = slice_sub(list, at, end);
		at = end + 1;
	}
	return count;
}

struct slice scorep_allowed_text(struct arena *arena, struct slice list)
{
	struct slice words[SCOREP_ALLOWED_MAX];
	size_t count = scorep_allowed_split(list, words);
	struct strbuf text;
	strbuf_init(&text, arena);
	for (size_t i = 0; i < count; i++) {
		strbuf_puts(&text, i > 0 ? ", " : "");
		strbuf_add(&text, words[i]);
	}
	return strbuf_slice(&text);
}
