/* The text of a configuration: reading, checking, merging, printing,
 * sweeps. */
#include "base/value.h"
#include "fuzz.h"
#include "settings/config.h"
#include "settings/sweep.h"
#include "settings/yaml_reader.h"

/* A sweep's sets may be far more values than the file has. */
enum { SWEEP_VALUES_READ_MAX = 2000 };

static struct slice print(struct arena *arena, const struct config *config)
{
	struct strbuf out = {.arena = arena};
	config_print(&out, config, SLICE("a.ipynb"));
	return strbuf_slice(&out);
}

static int configure(struct arena *arena, struct diags *diags, const struct value *value,
                     struct config *out)
{
	config_layer_list layers = {0};
	vec_push(arena, &layers, (struct config_layer){CONFIG_PROJECT, value});
	vec_push(arena, &layers, (struct config_layer){CONFIG_NOTEBOOK, value});
	*out = (struct config){0};
	if (config_check(diags, &layers) < 0)
		return -1;
	return config_merge(arena, diags, &layers, SLICE(""), out);
}

/* What is printed of a configuration is that configuration. */
static void check_printed(struct arena *arena, const struct config *config)
{
	struct diags diags;
	struct config again;
	struct slice printed = print(arena, config);
	if (printed.len > YAML_MAX_BYTES / 2)
		return;
	diags_init(&diags, arena);
	const struct value *value = yaml_read(arena, SLICE("b.yaml"), printed, &diags);
	fuzz_require(value != NULL, "a printed configuration can be read");
	fuzz_require(configure(arena, &diags, value, &again) == 0,
	             "a printed configuration is one");
}

static struct slice as_json(struct arena *arena, const struct value *value)
{
	const struct value_entry entry = {.name = SLICE_INIT("value"), .value = value};
	struct strbuf out = {.arena = arena};
	value_json_entries(&out, &entry, 1);
	return strbuf_slice(&out);
}

static void check_sweep(struct arena *arena, struct diags *diags, const struct value *value)
{
	struct sweep sweep = {0};
	size_t written = 0;
	if (sweep_read(arena, value, diags, &sweep) < 0)
		return;
	struct strbuf out = {.arena = arena};
	for (size_t i = 0; i < sweep.sets.count && written < SWEEP_VALUES_READ_MAX; i++) {
		value_json_entries(&out, sweep.sets.items[i].values.items,
		                   sweep.sets.items[i].values.count);
		written += sweep.sets.items[i].values.count + 1;
	}
}

static void check_value(struct arena *arena, struct diags *diags, const struct value *value)
{
	struct config config;
	struct strbuf out = {.arena = arena};
	python_value(&out, value);
	fuzz_require(out.len > 0, "a value has a literal");
	as_json(arena, value);
	if (configure(arena, diags, value, &config) == 0)
		check_printed(arena, &config);
	check_sweep(arena, diags, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct diags diags;
	struct notebook none = {0};
	struct slice text = fuzz_input(data, size);
	arena_init(&arena, NULL);
	diags_init(&diags, &arena);
	struct strbuf report = {.arena = &arena};
	const struct value *yaml = yaml_read(&arena, SLICE("a.yaml"), text, &diags);
	fuzz_require((yaml == NULL) == (diags.errors > 0), "what is not read is an error");
	if (yaml != NULL)
		check_value(&arena, &diags, yaml);
	fuzz_check_places(&diags, &none);
	fuzz_report(&report, &none, &diags, size % 8 == 0);
	arena_release(&arena);
	return 0;
}
