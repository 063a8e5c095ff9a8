#include "cli/recorded.h"

#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "base/quote.h"
#include "diag/message.h"
#include "scorep/args.h"

enum { FRONT_MAX = 1 << 16 };

/* The run script that `build` writes for a whole notebook, if its folder is not configured. */
static const char *run_script_of(struct arena *arena, const struct options *options)
{
	struct slice notebook = slice_from(options->operands.items[0]), stem = path_file(notebook);
	if (options->build.output != NULL) {
		stem = slice_from(options->build.output);
		if (slice_ends_with(stem, SLICE(".py")))
			stem.len -= 3;
		return arena_printf(arena, "%.*s_run.sh", SLICE_ARG(stem)).ptr;
	}
	if (slice_ends_with(stem, SLICE(".ipynb")))
		stem.len -= 6;
	struct slice folder = options->build.output_dir != NULL
	                              ? slice_from(options->build.output_dir)
	                              : path_folder(notebook);
	return arena_printf(arena, "%.*s/%.*s_run.sh", SLICE_ARG(folder), SLICE_ARG(stem)).ptr;
}

static void split(struct arena *arena, struct slice text, text_list *out)
{
	struct scorep_words words = {0};
	struct diags diags;
	diags_init(&diags, arena);
	struct scorep_arg_text all = {.text = text};
	if (scorep_split_args(&diags, &all, &words) < 0)
		return;
	for (size_t i = 0; i < words.list.count; i++)
		vec_push(arena, out, arena_cstr(arena, words.list.items[i].text));
}

/* The words after "# nbscorep build ID: " at the beginning of the file PATH. */
static void read_words(struct arena *arena, const char *path, text_list *out)
{
	static const struct slice mark = SLICE_INIT("# nbscorep build ");
	char *text = arena_alloc(arena, FRONT_MAX);
	long size = os_read_front(path, text, FRONT_MAX);
	struct slice rest = slice_make(text, size < 0 ? 0 : (size_t)size), line;
	while (slice_next_line(&rest, &line) && slice_starts_with(line, SLICE("#"))) {
		size_t colon = slice_find(line, ':', 0);
		if (slice_starts_with(line, mark) && colon < line.len)
			split(arena, slice_sub(line, colon + 1, line.len), out);
	}
}

static bool holds(const text_list *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i], word) == 0)
			return true;
	}
	return false;
}

static void add_quoted(struct strbuf *out, const char *word)
{
	strbuf_addc(out, ' ');
	bash_word(out, slice_from(word));
}

int recorded_use(struct arena *arena, enum command_id command, int argc, char **argv,
                 struct options *options, struct strbuf *error)
{
	text_list before = {0}, now = {0};
	VECTOR(char *) all = {0};
	struct strbuf shown;
	if (options->operands.count != 1 || path_is_stdin(slice_from(options->operands.items[0])))
		return 0;
	read_words(arena, run_script_of(arena, options), &before);
	split(arena, options->build.recorded, &now);
	bool has_own = now.count > 0;
	strbuf_init(&shown, arena);
	for (size_t i = 0; i < before.count; i++) {
		vec_push(arena, &all, arena_cstr(arena, slice_from(before.items[i])));
		if (!holds(&now, before.items[i]))
			add_quoted(&shown, before.items[i]);
	}
	if (shown.len == 0)
		return 0;
	if (!options->build.quiet)
		message_fail(arena, 0, "",
		             has_own ? "note: no longer set, as other options of the build are "
		                       "given:%.*s"
		                     : "with the options of the last build:%.*s",
		             SLICE_ARG(strbuf_slice(&shown)));
	if (has_own)
		return 0;
	for (int i = 0; i < argc; i++)
		vec_push(arena, &all, argv[i]);
	return options_parse(arena, command, (int)all.count, all.items, options, error);
}
