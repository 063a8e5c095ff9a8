#include "ir/shell_command.h"

bool shell_is_installer(struct slice word)
{
	static const struct slice installers[] = {SLICE_INIT("pip"),        SLICE_INIT("pip3"),
	                                          SLICE_INIT("conda"),      SLICE_INIT("mamba"),
	                                          SLICE_INIT("micromamba"), SLICE_INIT("uv"),
	                                          SLICE_INIT("apt"),        SLICE_INIT("apt-get")};
	return slice_is_one_of(word, installers, sizeof installers / sizeof *installers);
}

bool shell_installs(struct slice command)
{
	static const struct slice before[] = {SLICE_INIT("sudo"), SLICE_INIT("-m"),
	                                      SLICE_INIT("{sys.executable}"), SLICE_INIT("python"),
	                                      SLICE_INIT("python3")};
	struct slice word = slice_next_word(&command);
	while (slice_is_one_of(word, before, sizeof before / sizeof *before))
		word = slice_next_word(&command);
	if (!shell_is_installer(word))
		return false;
	while ((word = slice_next_word(&command)).len > 0) {
		if (slice_eq(word, SLICE("install")))
			return true;
	}
	return false;
}

struct slice shell_sets(struct slice command)
{
	static const struct slice setters[] = {SLICE_INIT("cd"), SLICE_INIT("export"),
	                                       SLICE_INIT("source"), SLICE_INIT(".")};
	struct slice rest = command, word = slice_next_word(&rest);
	bool goes_on = slice_find(command, ';', 0) < command.len ||
	               slice_find(command, '&', 0) < command.len;
	bool sets = !goes_on && slice_is_one_of(word, setters, sizeof setters / sizeof *setters);
	return sets ? word : slice_make(NULL, 0);
}
