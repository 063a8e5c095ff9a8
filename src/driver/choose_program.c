#include "driver/choose_program.h"

#include "diag/message.h"

static struct slice without_py(struct slice name)
{
	return slice_ends_with(name, SLICE(".py")) ? slice_sub(name, 0, name.len - 3) : name;
}

static void list_programs(struct arena *arena, struct program_choice *choice, const struct ir *ir)
{
	struct strbuf names;
	strbuf_init(&names, arena);
	for (size_t i = 0; i < ir->programs.count; i++)
		strbuf_printf(&names, "%s'%.*s'", i > 0 ? ", " : "",
		              SLICE_ARG(ir->programs.items[i].name));
	choice->programs = strbuf_slice(&names);
	choice->count = ir->programs.count;
}

int program_choose(struct arena *arena, struct program_choice *choice, struct ir *ir)
{
	const char *wanted = choice->wanted;
	size_t chosen = wanted == NULL && ir->programs.count == 1 ? 0 : ir->programs.count;
	for (size_t i = 0; wanted != NULL && i < ir->programs.count; i++) {
		if (slice_eq(ir->programs.items[i].name, without_py(slice_from(wanted))))
			chosen = i;
	}
	list_programs(arena, choice, ir);
	choice->unclear = chosen == ir->programs.count;
	if (choice->unclear)
		return -1;
	ir->programs.items[0] = ir->programs.items[chosen];
	ir->programs.count = 1;
	return 0;
}

int program_refuse_choice(struct arena *arena, const struct program_choice *choice)
{
	if (choice->wanted == NULL)
		return message_usage(
		        arena,
		        "the notebook has %zu programs: %.*s; --program names the one to run",
		        choice->count, SLICE_ARG(choice->programs));
	return message_usage(arena, "the notebook has no program '%s', but %.*s", choice->wanted,
	                     SLICE_ARG(choice->programs));
}
