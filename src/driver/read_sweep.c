#include "driver/read_sweep.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/name_set.h"
#include "base/os.h"
#include "base/value.h"
#include "diag/message.h"
#include "driver/project.h"
#include "settings/yaml_reader.h"

int sweep_configure(struct compilation *c)
{
	const struct build_settings *settings = &c->options.build;
	const char *name = settings->sweep.text;
	struct config_value *sweep = &c->config.sweep;
	if (name != NULL) {
		struct slice path = slice_from(name), text;
		if (project_read(c, SLICE("sweep"), path, YAML_MAX_BYTES, &text) < 0)
			return -1;
		const struct value *value = yaml_or_json_read(c->arena, path, text, &c->diags);
		*sweep = (struct config_value){.source = CONFIG_COMMAND_LINE, .value = value};
		if (value == NULL)
			return -1;
	}
	if (sweep->value == NULL) {
		if (!settings->sweep.given)
			return 0;
		return diag_add(
		        &c->diags, DIAG_CONFIG_VALUE, (struct location){0},
		        "there is no sweep: the configuration has no 'sweep', and --sweep names "
		        "no file");
	}
	int status = sweep_read(c->arena, sweep->value, &c->diags, &c->sweep);
	vec_each(const struct sweep_set, set, &c->sweep.sets) {
		vec_each(const struct value_entry, entry, &set->values) {
			struct parameter parameter = {
			        .name = entry->name,
			        .value = entry->value,
			        .where = entry->where,
			        /* One that is asked for is this notebook's. */
			        .shared = !settings->sweep.given && sweep->source < CONFIG_NOTEBOOK,
			};
			vec_push(c->arena, &c->options.swept, parameter);
		}
	}
	return status;
}

void sweep_check_parameters(struct compilation *c)
{
	struct name_set names = {.arena = c->arena};
	/* Of each parameter that has a value, how many sets have one of their own. */
	size_t *sets = arena_calloc(c->arena, c->options.parameters.count, sizeof *sets);
	for (size_t i = 0; i < c->options.parameters.count; i++)
		name_set_add(&names, c->options.parameters.items[i].name);
	for (size_t i = 0; i < c->options.swept.count; i++) {
		size_t at = name_set_add(&names, c->options.swept.items[i].name);
		if (at < c->options.parameters.count)
			sets[at]++;
	}
	for (size_t i = 0; i < c->options.parameters.count; i++) {
		const struct parameter *parameter = &c->options.parameters.items[i];
		if (!parameter->given || sets[i] == 0 || sets[i] < c->sweep.sets.count)
			continue;
		diag_add(&c->diags, DIAG_PARAMETER_SWEPT, parameter->where,
		         "every set of the sweep has a value of its own for '%.*s', so none gets "
		         "this one",
		         SLICE_ARG(parameter->name));
		diag_hint(&c->diags, DIAG_PARAMETER_SWEPT,
		          "the script's own -p is stronger: 'name_run.sh -p', or after '--'");
	}
}

int sweep_check_programs(struct compilation *c)
{
	if (!c->options.build.sweep.given)
		return 0;
	for (size_t i = 0; i < c->ir.programs.count; i++) {
		if (sweep_sets_of(c, &c->ir.programs.items[i]) > 0)
			return 0;
	}
	const struct value *value = c->config.sweep.value;
	return diag_add(&c->diags, DIAG_PARAMETER_UNKNOWN,
	                value != NULL ? value->where : (struct location){0},
	                "the sweep has no sets: the program has no cell tagged 'parameters'");
}

size_t sweep_sets_of(const struct compilation *c, const struct program *program)
{
	return (program->effects & NEED_PARAMETERS) != 0 ? c->sweep.sets.count : 0;
}

bool sweep_is_another_set(struct arena *arena, struct slice folder, struct slice set)
{
	size_t size = set.len + 2; /* a line end, and what must not be there */
	char *text = arena_alloc(arena, size);
	long len = os_read_own_front(
	        arena_printf(arena, "%.*s/parameters.json", SLICE_ARG(folder)).ptr, text, size);
	if (len < 0)
		return errno != ENOENT;
	return (size_t)len == size || !slice_eq(slice_trim(slice_make(text, (size_t)len)), set);
}

void sweep_set_aside(const struct compilation *c, struct slice results)
{
	struct arena *arena = c->arena;
	struct os_names names = {0};
	struct slice aside = {0};
	size_t moved = 0;
	const char *path = arena_cstr(arena, results);
	if (!os_is_real_directory(path) || os_list_folder(arena, path, &names) < 0)
		return;
	for (size_t i = 0; i < names.list.count; i++) {
		struct slice name = names.list.items[i];
		struct slice folder = arena_printf(arena, "%s/%.*s", path, SLICE_ARG(name));
		uint64_t number = 0;
		/* Of the set with the folder's number, from 1 on. */
		struct strbuf text = {.arena = arena};
		if (slice_read_number(name, c->sweep.sets.count, &number) && number > 0)
			value_json_entries(&text, c->sweep.sets.items[number - 1].values.items,
			                   c->sweep.sets.items[number - 1].values.count);
		if (strspn(folder.ptr + folder.len - name.len, "0123456789") < name.len ||
		    !os_is_real_directory(folder.ptr) ||
		    os_is_locked(arena_printf(arena, "%s/" SWEEP_LOCK, folder.ptr).ptr) ||
		    !sweep_is_another_set(arena, folder, strbuf_slice(&text)))
			continue;
		for (unsigned k = 1; aside.len == 0; k++) {
			struct slice next = arena_printf(arena, "%s.%u", path, k);
			if (mkdir(next.ptr, 0777) == 0)
				aside = next;
			else if (errno != EEXIST)
				break;
		}
		if (aside.len == 0 ||
		    rename(folder.ptr,
		           arena_printf(arena, "%s/%.*s", aside.ptr, SLICE_ARG(name)).ptr) != 0) {
			message_fail(arena, 0, "",
			             "cannot move '%.*s', which is of another sweep: %s",
			             SLICE_ARG(folder), strerror(errno));
			break;
		}
		moved++;
	}
	if (aside.len > 0) /* the next end of a set makes a new one */
		(void)!link(arena_printf(arena, "%s/" SWEEP_RESULTS, path).ptr,
		            arena_printf(arena, "%s/" SWEEP_RESULTS, aside.ptr).ptr);
	if (moved > 0)
		message_fail(arena, 0, "", "moved %zu set%s of another sweep to '%.*s'", moved,
		             moved == 1 ? "" : "s", SLICE_ARG(aside));
}
