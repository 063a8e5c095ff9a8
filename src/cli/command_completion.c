#include "cli/command_completion.h"
#include "cli/cli.h"

#include "batch/job_settings.h"
#include "diag/diag.h"
#include "driver/config_files.h"
#include "emit/template.h"
#include "lex/lex.h"
#include "settings/config.h"

static void add_commands(struct strbuf *out)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		strbuf_printf(out, "%s\t%s\n", command_rows[i].name, command_rows[i].summary);
}

/* A line for each word of "a|b". */
static void add_choices(struct strbuf *out, const char *choices)
{
	struct slice rest = slice_from(choices), word;
	while (slice_next_part(&rest, '|', &word))
		strbuf_printf(out, "%.*s\n", SLICE_ARG(word));
}

static void add_options(struct strbuf *out, enum command_id command)
{
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (!option_is_of(row, command))
			continue;
		if (row->short_name != '\0')
			strbuf_printf(out, "-%c\t%s\n", row->short_name, row->help);
		if (row->name != NULL)
			strbuf_printf(out, "%s%s\t%s\n", option_dashes(row), row->name, row->help);
	}
}

/* Those of the configuration files that count in the current folder. */
static void add_profiles(struct strbuf *out)
{
	struct compilation c = {.arena = out->arena, .path = SLICE("-")};
	const struct build_settings settings = {0};
	config_layer_list layers = {0};
	diags_init(&c.diags, c.arena);
	(void)config_files_read(&c, &settings, &layers);
	for (size_t i = 0; i < layers.count; i++) {
		const struct value_entry *found = value_find(layers.items[i].map, CONFIG_PROFILES);
		const struct value *profiles = found == NULL ? NULL : found->value;
		for (size_t k = 0; profiles != NULL && k < profiles->entries.count; k++)
			strbuf_printf(out, "%.*s\n", SLICE_ARG(profiles->entries.items[k].name));
	}
}

/* The arguments of -W, after BEFORE. */
static void add_switches(struct strbuf *out, const char *before)
{
	for (enum diag_kind kind = 0; kind < DIAG_KIND_COUNT; kind++)
		strbuf_printf(out, "%s%s\t%s\n%sno-%s\n", before, diag_row(kind)->name,
		              diag_row(kind)->doc, before, diag_row(kind)->name);
}

static void add_argument(struct strbuf *out, const struct option_row *row)
{
	const char *name = row->name == NULL ? "" : row->name;
	if (row->type == SETTING_CHOICE) {
		add_choices(out, row->argument);
	} else if (strcmp(name, "profile") == 0) {
		add_profiles(out);
	} else if (strcmp(name, "slurm") == 0) {
		for (size_t i = 0; i < sbatch_row_count; i++)
			strbuf_printf(out, "%s%s\t%s\n", sbatch_rows[i].name,
			              sbatch_rows[i].value == SBATCH_NONE ? "" : "=",
			              sbatch_rows[i].doc);
	} else if (row->short_name == 'W') {
		add_switches(out, "");
	} else if (strcmp(row->argument, "DIR") == 0) {
		strbuf_puts(out, ":folders\n");
	} else if (strncmp(row->argument, "FILE", 4) == 0) {
		strbuf_puts(out, ":files\n");
	}
}

static void add_operands(struct strbuf *out, enum command_id command)
{
	struct slice operands = slice_from(command_rows[command].operands);
	if (command == COMMAND_HELP)
		add_commands(out);
	for (size_t i = 0; command == COMMAND_MAGICS && i < magic_row_count; i++)
		strbuf_printf(out, "%.*s\t%s\n", SLICE_ARG(magic_rows[i].name), magic_rows[i].doc);
	if (slice_starts_with(operands, SLICE("NOTEBOOK")) ||
	    slice_starts_with(operands, SLICE("[NOTEBOOK")))
		strbuf_puts(out, ":files .ipynb\n");
	else if (slice_starts_with(operands, SLICE("FILE")))
		strbuf_puts(out, ":files .samples\n");
	else if (slice_find(operands, '|', 0) < operands.len)
		add_choices(out, operands.ptr);
}

int completion_print(struct arena *arena, size_t count, char *const *words)
{
	int command = 0;
	struct strbuf out = {.arena = arena};
	if (count <= 1) {
		add_commands(&out);
		strbuf_puts(&out, "--help\n--version\n");
		return message_print(arena, strbuf_slice(&out));
	}
	while (command < COMMAND_COUNT && strcmp(command_rows[command].name, words[0]) != 0)
		command++;
	if (command == COMMAND_COUNT)
		return EXIT_DONE;
	const char *current = words[count - 1], *option = words[count - 2];
	if (strcmp(current, "=") == 0)
		current = "";
	else if (strcmp(option, "=") == 0 && count > 2)
		option = words[count - 3];
	if (strncmp(current, "--", 2) == 0 && strchr(current, '=') != NULL)
		option = current;
	/* The option of the command before the current word, which may go on with "=". */
	size_t dashes = strspn(option, "-");
	struct slice name = slice_make(option + dashes, strcspn(option + dashes, "="));
	const struct option_row *row = option_find((enum command_id)command, name);
	if (dashes == 1 && name.len == 1)
		row = option_find_short((enum command_id)command, name.ptr[0]);
	else if (row != NULL && strlen(option_dashes(row)) != dashes)
		row = NULL;
	if (row != NULL && row->argument != NULL && !option_has_optional_text(row))
		add_argument(&out, row);
	else if (strncmp(current, "-W", 2) == 0)
		add_switches(&out, "-W");
	else if (current[0] == '-')
		add_options(&out, (enum command_id)command);
	else
		add_operands(&out, (enum command_id)command);
	return message_print(arena, strbuf_slice(&out));
}

int command_completion(struct arena *arena, struct options *options)
{
	const text_list *words = &options->operands;
	struct slice shell = slice_from(words->count == 1 ? words->items[0] : "");
	if (!slice_is_word_of(shell, "bash fish zsh"))
		return message_usage(arena, "'completion' requires 'bash', 'fish' or 'zsh'");
	return message_print(
	        arena, template_text(arena_printf(arena, "completion.%.*s", SLICE_ARG(shell))));
}
