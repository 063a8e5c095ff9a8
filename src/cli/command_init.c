/* A starter nbscorep.yaml: each key with what it is for, commented out, and a profile for jobs. */
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/command_help.h"
#include "driver/config_files.h"
#include "settings/config.h"

static struct slice starter_file(struct arena *arena)
{
	struct strbuf out = {.arena = arena};
	/* The schema's address is not a path of this machine, so the file can be shared. */
	strbuf_puts(
	        &out,
	        "# yaml-language-server: $schema=nbscorep.schema.json\n"
	        "# (for help in editors; `nbscorep schema >nbscorep.schema.json` writes it)\n"
	        "#\n"
	        "# What nbscorep does with the notebooks in this folder and below it: see\n"
	        "# nbscorep.yaml(5). `nbscorep check --print-config NOTEBOOK` shows what is in\n"
	        "# force, and why. Take the # off the lines that you want.\n");
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];
		if (key->example != NULL) {
			strbuf_puts(&out, "\n# ");
			help_fill(&out, "# ", key->doc);
			if (config_shape_is_map(key->shape))
				strbuf_printf(&out, "#%s:\n#  %s\n", key->name, key->example);
			else
				strbuf_printf(&out, "#%s: %s\n", key->name, key->example);
		}
	}
	strbuf_puts(&out, "\n# ");
	help_fill(&out, "# ", CONFIG_PROFILES_DOC);
	strbuf_puts(&out, "profiles:\n  cluster:\n    slurm: {time: \"01:00:00\"}\n#    ranks: 64\n"
	                  "#  big:\n#    inherits: cluster\n");
	return strbuf_slice(&out);
}

int command_init(struct arena *arena, struct options *options)
{
	const struct slice none[] = {{0}};
	bool forcible;
	if (options->operands.count > 1)
		return message_usage(arena, "'init' requires one folder");
	const char *folder = options->operands.count == 1 ? options->operands.items[0] : ".";
	if (folder[0] == '\0') /* as of a variable that is not set */
		return message_usage(arena, "'init' requires a folder");
	const char *path =
	        arena_cstr(arena, path_join(arena, slice_from(folder), SLICE(CONFIG_FILE_NAME)));
	const char *reason = os_keep_reason(path, none, options->build.force, &forcible);
	if (reason != NULL)
		return message_kept(arena, path,
		                    reason == os_keep_unknown ? reason : "exists already",
		                    forcible);
	int status = message_write(arena, path, starter_file(arena));
	return status == EXIT_DONE && isatty(STDERR_FILENO)
	               ? message_fail(arena, EXIT_DONE, "", "wrote '%s'", path)
	               : status;
}
