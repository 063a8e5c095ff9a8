#include "emit/run_steps.h"

#include "base/paths.h"
#include "base/quote.h"
#include "emit/emit.h"
#include "emit/sweep_table.h"
#include "emit/template.h"
#include "settings/config.h"

bool run_steps_is_module_command(struct slice item)
{
	static const struct slice alone[] = {SLICE_INIT("purge"), SLICE_INIT("reset"),
	                                     SLICE_INIT("restore")};
	struct slice rest = item;
	struct slice first = slice_next_word(&rest);
	return slice_next_word(&rest).len > 0 ||
	       slice_is_one_of(first, alone, sizeof alone / sizeof *alone);
}

static void add_module(struct strbuf *out, struct slice item)
{
	strbuf_puts(out,
	            run_steps_is_module_command(item) ? "nbscorep_module" : "nbscorep_module load");
	for (struct slice word; (word = slice_next_word(&item)).len > 0;) {
		strbuf_addc(out, ' ');
		bash_expandable(out, word, slice_make(NULL, 0));
	}
	strbuf_addc(out, '\n');
}

static void add_modules(struct strbuf *out, const config_value_list *list)
{
	struct strbuf commands;
	strbuf_init(&commands, out->arena);
	for (size_t i = 0; i < list->count; i++)
		add_module(&commands, config_text(&list->items[i]));
	const struct template_value values[] = {{SLICE("modules"), strbuf_slice(&commands)}};
	template_expand(out, NULL, "modules.sh", values, 1);
}

/* "nbscorep.yaml:3"; no absolute path. */
static void add_place(struct strbuf *out, const struct config_value *value)
{
	const struct location *where = &value->value->where;
	struct slice file = path_file(where->file);
	strbuf_addc(out, ' ');
	if (value->source == CONFIG_COMMAND_LINE)
		bash_word(out, SLICE("command line"));
	else if (value->source == CONFIG_NOTEBOOK || file.len == 0)
		bash_word(out, SLICE("metadata of the notebook"));
	else
		bash_word(out, arena_printf(out->arena, "%.*s:%u", SLICE_ARG(file), where->line));
}

/* The lines of a list. They are shell code of the user and are not changed. */
struct shell_lines {
	struct strbuf text, places; /* a place for each line */
	struct strbuf end;          /* an end marker that differs from all lines */
};

static void read_lines(struct arena *arena, const config_value_list *list, struct shell_lines *out)
{
	strbuf_init(&out->text, arena);
	strbuf_init(&out->places, arena);
	strbuf_init(&out->end, arena);
	strbuf_puts(&out->end, "END_OF_LINES");
	for (size_t i = 0; i < list->count; i++) {
		struct slice rest = config_text(&list->items[i]), line;
		while (slice_next_line(&rest, &line)) {
			strbuf_add(&out->text, line);
			strbuf_addc(&out->text, '\n');
			add_place(&out->places, &list->items[i]);
			while (slice_eq(line, strbuf_slice(&out->end)))
				strbuf_addc(&out->end, '_');
		}
	}
}

static void add_lines(struct strbuf *out, const char *template, const config_value_list *list)
{
	struct shell_lines lines;
	read_lines(out->arena, list, &lines);
	const struct template_value values[] = {
	        {SLICE("places"), strbuf_slice(&lines.places)},
	        {SLICE("end"), strbuf_slice(&lines.end)},
	        {SLICE("lines"), strbuf_slice(&lines.text)},
	};
	template_expand(out, NULL, template, values, sizeof values / sizeof *values);
}

static void add_leave(struct strbuf *out, const struct run_script_parts *parts, bool launches)
{
	const struct config *config = parts->config;
	struct strbuf steps;
	strbuf_init(&steps, out->arena);
	/* When a signal kills bash, it also runs this with the status of the last command. A set
	 * whose program has not started must not end with status 0. */
	if (parts->sets > 0)
		strbuf_puts(&steps, "  [ \"$nbscorep_status\" != 0 ] || "
		                    "[ -n \"${nbscorep_child:-}\" ] || nbscorep_status=143\n");
	if (config->setup.count > 0)
		strbuf_puts(&steps, "  nbscorep_explain\n");
	if (launches)
		strbuf_puts(&steps,
		            "  if [ -n \"${nbscorep_folder:-}\" ]; then\n"
		            "    [ -z \"${nbscorep_child:-}\" ] || nbscorep_explain_launcher\n"
		            "    [ -z \"${nbscorep_cells:-}\" ] || nbscorep_show_cells\n"
		            "    rm -rf -- \"$nbscorep_folder\"\n"
		            "  fi\n");
	if (config->teardown.count > 0)
		strbuf_puts(&steps, "  nbscorep_teardown\n");
	if (parts->sets > 0)
		strbuf_puts(&steps, "  [ -z \"$nbscorep_results\" ] || "
		                    "[ -z \"${nbscorep_child:-}\" ] || nbscorep_end_left\n");
	if (parts->sets > 0)
		strbuf_puts(&steps, "  if [ -n \"$nbscorep_results\" ]; then\n"
		                    "    rm -f -- \"$nbscorep_results/status\"\n"
		                    "    echo \"$nbscorep_status\" >\"$nbscorep_results/status\"\n"
		                    "    flock -u 18 2>/dev/null\n"
		                    "  fi\n");
	const struct template_value values[] = {{SLICE("steps"), strbuf_slice(&steps)}};
	if (steps.len > 0)
		template_expand(out, NULL, "leave.sh", values, 1);
}

void run_steps_make(struct arena *arena, const struct run_script_parts *parts, bool launches,
                    struct run_steps *out)
{
	const struct config *config = parts->config;
	bool ends_itself = config->teardown.count > 0 || parts->sets > 0;
	struct strbuf modules, setup;
	strbuf_init(&modules, arena);
	strbuf_init(&setup, arena);
	if (config->modules.count > 0)
		add_modules(&modules, &config->modules);
	if (config->teardown.count > 0)
		add_lines(&setup, "teardown.sh", &config->teardown);
	add_leave(&setup, parts, launches);
	if (config->setup.count > 0)
		add_lines(&setup, "setup.sh", &config->setup);
	strbuf_add(&setup, sweep_directory_part(parts));
	out->modules = strbuf_slice(&modules);
	out->setup = strbuf_slice(&setup);
	out->exec = ends_itself ? SLICE("nbscorep_catch\n  nbscorep_wait") : SLICE("exec");
	out->waits = launches || ends_itself;
}

bool run_steps_are_wanted(const struct config *config)
{
	return config->modules.count + config->setup.count + config->teardown.count > 0;
}

bool run_steps_change_paths(const struct config *config)
{
	return config->modules.count > 0 || config->setup.count > 0;
}
