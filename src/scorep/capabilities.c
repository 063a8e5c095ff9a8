#include "scorep/capabilities.h"

#include "scorep/args.h"

/* Options that scorep-config omits from its help if and only if it refuses them. It accepts other
 * options without listing them (--nocuda of a Score-P without CUDA). */
#define CLOSED "--thread --mpp --io --mutex" /* the help lists all their values */
#define TOLD CLOSED " --memory --cuda --hip --opencl --openacc --kokkos --compiler"

static bool is_name_character(char c)
{
	return ascii_is_alnum(c) || c == '-' || c == '_';
}

/* The option at the beginning of TEXT: "--memory" of "--memory=<api list>|--nomemory". */
static struct slice option_name(struct slice text)
{
	size_t len = 0;
	while (len < text.len && is_name_character(text.ptr[len]))
		len++;
	return slice_sub(text, 0, len);
}

/* Reads "none", "none (default)", or the older "none<TAB>This is the default.". */
static bool read_value(struct slice line, struct slice *value)
{
	struct slice rest = line;
	*value = slice_next_word(&rest);
	rest = slice_trim(rest);
	for (size_t i = 0; i < value->len; i++) {
		if (!is_name_character(value->ptr[i]) && value->ptr[i] != ':')
			return false;
	}
	return value->len > 0 && !slice_ends_with(*value, SLICE(":")) &&
	       (rest.len == 0 || rest.ptr[0] == '(' || slice_starts_with(rest, SLICE("This ")));
}

/* Returns the option NAME ("--thread"), or NULL if it is not listed. */
static const struct scorep_capability *find_capability(
        const struct scorep_capabilities *capabilities, struct slice name)
{
	for (size_t i = 0; i < capabilities->options.count; i++) {
		if (slice_eq(capabilities->options.items[i].option, name))
			return &capabilities->options.items[i];
	}
	return NULL;
}

void scorep_read_capabilities(struct arena *arena, struct slice help,
                              struct scorep_capabilities *out)
{
	struct slice line, value;
	size_t owner = 0; /* of values: the index of the first option of the line before them */
	bool listing = false;
	*out = (struct scorep_capabilities){0};
	while (slice_next_line(&help, &line)) {
		struct slice text = slice_trim(line);
		if (slice_starts_with(text, SLICE("--"))) {
			owner = out->options.count;
			listing = false;
			/* "--cuda|--nocuda" has two options. */
			struct slice part,
			        head = slice_sub(text, 0, slice_find_slice(text, SLICE("  "), 0));
			while (slice_next_part(&head, '|', &part)) {
				struct scorep_capability option = {.option = option_name(part)};
				if (slice_starts_with(part, SLICE("--")))
					vec_push(arena, &out->options, option);
			}
		} else if (slice_ends_with(text, SLICE(":")) && slice_has(text, ' ')) {
			listing = out->options.count > owner;
		} else if (listing && read_value(text, &value)) {
			vec_push(arena, &out->options.items[owner].values, value);
		} else if (slice_has(text, ' ')) {
			listing = false;
		}
	}
	const struct scorep_capability *thread = find_capability(out, SLICE("--thread")),
	                               *mpp = find_capability(out, SLICE("--mpp"));
	out->known =
	        thread != NULL && thread->values.count > 0 && mpp != NULL && mpp->values.count > 0;
}

/* "omp" is accepted if "omp:ompt" is listed. */
static bool is_listed(const struct scorep_capability *option, struct slice value)
{
	for (size_t i = 0; i < option->values.count; i++) {
		struct slice listed = option->values.items[i];
		if (slice_eq(listed, value) ||
		    slice_eq(slice_sub(listed, 0, slice_find(listed, ':', 0)), value))
			return true;
	}
	return false;
}

bool scorep_support_varies(struct slice word)
{
	return slice_is_word_of(option_name(word), TOLD) &&
	       !slice_is_word_of(word, "--thread=none --mpp=none");
}

enum scorep_support scorep_supports(const struct scorep_capabilities *capabilities,
                                    struct slice word)
{
	size_t equals = slice_find(word, '=', 0);
	struct slice name = option_name(slice_sub(word, 0, equals));
	const struct scorep_arg_row *row = scorep_arg_find(name);
	if (row != NULL && row->owner == SCOREP_ARG_BINDINGS)
		return SCOREP_SUPPORT_YES;
	const struct scorep_capability *option = find_capability(capabilities, name);
	if (!capabilities->known)
		return SCOREP_SUPPORT_UNKNOWN;
	if (option == NULL)
		return slice_is_word_of(name, TOLD) ? SCOREP_SUPPORT_NO : SCOREP_SUPPORT_UNKNOWN;
	if (equals == word.len)
		return name.len == word.len ? SCOREP_SUPPORT_YES : SCOREP_SUPPORT_UNKNOWN;
	if (!slice_is_word_of(name, CLOSED))
		return SCOREP_SUPPORT_UNKNOWN;
	/* The value of --io may be a list, after a prefix for the kind of wrapping. */
	struct slice values = slice_tail(word, equals + 1);
	bool is_io = slice_eq(name, SLICE("--io"));
	if (is_io && !slice_cut_prefix(&values, SLICE("linktime:")))
		(void)slice_cut_prefix(&values, SLICE("runtime:"));
	for (size_t at = 0; at <= values.len;) {
		size_t end = is_io ? slice_find(values, ',', at) : values.len;
		if (!is_listed(option, slice_sub(values, at, end)))
			return SCOREP_SUPPORT_NO;
		at = end + 1;
	}
	return SCOREP_SUPPORT_YES;
}

struct slice scorep_supported_values(struct arena *arena,
                                     const struct scorep_capabilities *capabilities,
                                     struct slice name)
{
	const struct scorep_capability *option = find_capability(capabilities, name);
	struct strbuf out = {.arena = arena};
	for (size_t i = 0; option != NULL && i < option->values.count; i++)
		strbuf_printf(&out, "%s%.*s", i > 0 ? ", " : "",
		              SLICE_ARG(option->values.items[i]));
	return strbuf_slice(&out);
}
