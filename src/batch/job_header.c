#include "batch/job_header.h"

#include "base/quote.h"

struct maker {
	struct arena *arena;
	const struct batch_settings *settings;
	struct diags *diags;
	batch_variable_list *out;
	int status;
};

/* A variable that is computed from settings. */
struct made_variable {
	enum batch_system system;
	struct slice name;
	const char *uses; /* the settings that it uses; NULL: all of them */
};

#define TASKS "nodes ntasks ntasks-per-node"
static const struct made_variable made[] = {
        {BATCH_SLURM, SLICE_INIT("sbatch"), NULL},
        {BATCH_PBS, SLICE_INIT("select"), TASKS " cpus-per-task"},
        {BATCH_PBS, SLICE_INIT("join"), "error"},
        {BATCH_LSF, SLICE_INIT("job"), "job-name array"},
        {BATCH_LSF, SLICE_INIT("slots"), TASKS},
        {BATCH_LSF, SLICE_INIT("ptile"), TASKS},
};

static const struct made_variable *find_made(enum batch_system system, struct slice name)
{
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		if (made[i].system == system && slice_eq(made[i].name, name))
			return &made[i];
	}
	return NULL;
}

/* True if VARIABLE is the setting NAME, with underscores. */
static bool is_setting(struct slice variable, struct slice name)
{
	if (variable.len != name.len)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		bool is_dash = variable.ptr[i] == '_' && name.ptr[i] == '-';
		if (variable.ptr[i] != name.ptr[i] && !is_dash)
			return false;
	}
	return true;
}

bool batch_is_variable(enum batch_system system, struct slice name)
{
	for (size_t i = 0; i < sbatch_row_count; i++) {
		if (is_setting(name, slice_from(sbatch_rows[i].name)))
			return true;
	}
	return find_made(system, name) != NULL;
}

bool batch_next_variable(struct slice *rest, struct slice *before, struct slice *name)
{
	struct slice text = *rest;
	for (size_t at = 0; (at = slice_find(text, '@', at)) < text.len; at++) {
		size_t end = at + 1;
		while (end < text.len && (ascii_is_alnum(text.ptr[end]) || text.ptr[end] == '_'))
			end++;
		if (end == at + 1 || end == text.len || text.ptr[end] != '@')
			continue;
		*before = slice_sub(text, 0, at);
		*name = slice_sub(text, at + 1, end);
		*rest = slice_sub(text, end + 1, text.len);
		return true;
	}
	*before = text;
	*rest = slice_make(text.ptr + text.len, 0);
	return false;
}

static void add_variable(struct maker *maker, const char *name, struct slice value)
{
	struct batch_variable variable = {slice_from(name), value};
	vec_push(maker->arena, maker->out, variable);
}

static void refuse_value(struct maker *maker, const struct batch_setting *setting,
                         const char *reason)
{
	maker->status = -1;
	diag_add(maker->diags, DIAG_BATCH_VALUE, setting->where,
	         "%s does not support '%.*s' for '%.*s': %s",
	         batch_system_name(maker->settings->system), SLICE_ARG(setting->value),
	         SLICE_ARG(setting->name), reason);
}

/* Words for PBS and LSF are not quoted, so a value that requires quotes is refused. */
static bool is_plain(struct slice value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];
		if (!is_name_byte(c) && !slice_has(SLICE("-+=./,:@%[]^"), c))
			return false;
	}
	return true;
}

/* Translates Slurm's patterns in file names to LSF's. False if LSF does not have one of them. */
static bool to_lsf_pattern(struct strbuf *out, struct slice value)
{
	for (size_t i = 0; i < value.len; i++) {
		struct slice next = slice_sub(value, i, i + 2);
		if (value.ptr[i] != '%')
			strbuf_addc(out, value.ptr[i]);
		else if (slice_eq(next, SLICE("%j")) || slice_eq(next, SLICE("%A")))
			strbuf_puts(out, "%J");
		else if (slice_eq(next, SLICE("%a")))
			strbuf_puts(out, "%I");
		else
			return false;
		i += value.ptr[i] == '%';
	}
	return true;
}

static struct slice plain_value(struct maker *maker, const struct batch_setting *setting)
{
	if (slice_starts_with(setting->name, SLICE("time"))) {
		long minutes = SBATCH_UNLIMITED;
		(void)sbatch_read_time(setting->value, &minutes);
		if (minutes == SBATCH_UNLIMITED)
			return SLICE("");
		return arena_printf(maker->arena, "%ld:%02ld%s", minutes / 60, minutes % 60,
		                    maker->settings->system == BATCH_PBS ? ":00" : "");
	}
	if (!is_plain(setting->value)) {
		if (!setting->is_default)
			refuse_value(maker, setting, "use letters, digits and _-+=./,:@%[]^");
		return SLICE("");
	}
	if (!slice_eq(setting->name, SLICE("output")) && !slice_eq(setting->name, SLICE("error")))
		return setting->value;
	struct strbuf file = {.arena = maker->arena};
	bool is_lsf = maker->settings->system == BATCH_LSF;
	if (is_lsf && to_lsf_pattern(&file, setting->value))
		return strbuf_slice(&file);
	if (!is_lsf && !slice_has(setting->value, '%'))
		return setting->value;
	refuse_value(maker, setting,
	             is_lsf ? "use only the patterns %j, %A and %a" : "remove patterns such as %j");
	return SLICE("");
}

static void add_sbatch_lines(struct maker *maker)
{
	struct strbuf out = {.arena = maker->arena};
	for (size_t i = 0; i < maker->settings->list.count; i++) {
		const struct batch_setting *setting = &maker->settings->list.items[i];
		if (i > 0)
			strbuf_addc(&out, '\n');
		if (setting->is_default && slice_eq(setting->name, SLICE("signal")))
			strbuf_puts(&out,
			            "# SIGUSR1 two minutes before the time limit: the script ends "
			            "before its next cell, and writes its data.\n");
		strbuf_printf(&out, "#SBATCH --%.*s", SLICE_ARG(setting->name));
		if (setting->value.len > 0) {
			strbuf_addc(&out, '=');
			sbatch_word(&out, setting->value);
		}
	}
	add_variable(maker, "sbatch", strbuf_slice(&out));
}

/* The number in the setting NAME, or 0. */
static long number_of(struct maker *maker, struct slice name)
{
	long number = 0;
	const struct batch_setting *setting = batch_setting_find(maker->settings, name);
	if (setting != NULL && !batch_read_number(setting->value, &number))
		refuse_value(maker, setting, "use one number");
	return number;
}

/* How a job is spread over nodes; 0: not set. Tasks per node are computed from the other numbers if nodes are set. */
struct shape {
	long nodes, tasks, per_node, cpus;
};

static struct shape shape_of(struct maker *maker)
{
	struct shape shape = {
	        .nodes = number_of(maker, SLICE("nodes")),
	        .tasks = number_of(maker, SLICE("ntasks")),
	        .per_node = number_of(maker, SLICE("ntasks-per-node")),
	        .cpus = number_of(maker, SLICE("cpus-per-task")),
	};
	if (shape.per_node == 0 && shape.nodes > 0)
		shape.per_node =
		        shape.tasks == 0 ? 1 : (shape.tasks + shape.nodes - 1) / shape.nodes;
	return shape;
}

static void add_pbs(struct maker *maker)
{
	struct shape shape = shape_of(maker);
	long per_node = shape.per_node, cpus = shape.cpus == 0 ? 1 : shape.cpus;
	long chunks = shape.nodes;
	if (chunks == 0)
		chunks = per_node == 0 ? shape.tasks : (shape.tasks + per_node - 1) / per_node;
	if (chunks == 0)
		chunks = shape.cpus > 0 || per_node > 0 ? 1 : 0;
	if (per_node == 0)
		per_node = 1;
	if (chunks > 0)
		add_variable(maker, "select",
		             arena_printf(maker->arena, "%ld:ncpus=%ld:mpiprocs=%ld", chunks,
		                          per_node * cpus, per_node));
	if (batch_value_of(maker->settings, SLICE("error")).len == 0)
		add_variable(maker, "join", SLICE("oe"));
}

/* A job array has its indices after the name, which is required. */
static struct slice lsf_job(struct maker *maker)
{
	struct slice name = batch_value_of(maker->settings, SLICE("job-name"));
	struct slice array = batch_value_of(maker->settings, SLICE("array"));
	size_t limit = slice_find(array, '%', 0);
	if (!is_plain(name))
		name = SLICE("");
	if (array.len == 0 || !is_plain(array))
		return name;
	return arena_printf(maker->arena, "%.*s[%.*s]%.*s",
	                    SLICE_ARG(name.len > 0 ? name : SLICE("sweep")),
	                    SLICE_ARG(slice_sub(array, 0, limit)),
	                    SLICE_ARG(slice_sub(array, limit, array.len)));
}

static void add_lsf(struct maker *maker)
{
	struct shape shape = shape_of(maker);
	long slots = shape.tasks > 0 ? shape.tasks : shape.nodes * shape.per_node;
	add_variable(maker, "job", lsf_job(maker));
	if (slots > 0)
		add_variable(maker, "slots", arena_printf(maker->arena, "%ld", slots));
	if (shape.per_node > 0)
		add_variable(maker, "ptile", arena_printf(maker->arena, "%ld", shape.per_node));
}

int batch_make_variables(struct arena *arena, const struct batch_settings *settings,
                         struct diags *diags, batch_variable_list *out)
{
	static void (*const add_made[])(struct maker *) = {
	        [BATCH_SLURM] = add_sbatch_lines, [BATCH_PBS] = add_pbs, [BATCH_LSF] = add_lsf};
	struct maker maker = {arena, settings, diags, out, 0};
	/* A template may use each setting by its name. */
	vec_each(const struct batch_setting, setting, &settings->list) {
		char *name = arena_cstr(maker.arena, setting->name);
		for (char *dash; (dash = strchr(name, '-')) != NULL;)
			*dash = '_';
		struct strbuf word = {.arena = maker.arena};
		if (settings->system == BATCH_SLURM)
			sbatch_word(&word, setting->value);
		else
			strbuf_add(&word, plain_value(&maker, setting));
		add_variable(&maker, name, strbuf_slice(&word));
	}
	add_made[settings->system](&maker);
	return maker.status;
}

static bool template_uses(enum batch_system system, struct slice template, struct slice setting)
{
	struct slice before, variable;
	while (batch_next_variable(&template, &before, &variable)) {
		const struct made_variable *found = find_made(system, variable);
		if (found == NULL ? is_setting(variable, setting)
		                  : found->uses == NULL || slice_is_word_of(setting, found->uses))
			return true;
	}
	return false;
}

void batch_check_use(const struct batch_settings *settings, struct slice template,
                     struct diags *diags)
{
	vec_each(const struct batch_setting, setting, &settings->list) {
		struct slice header = batch_header_names[settings->system];
		if (setting->is_left_out ||
		    template_uses(settings->system, template, setting->name))
			continue;
		diag_add(diags, DIAG_BATCH_SETTING, setting->where,
		         "'%.*s' has no effect in %s: '%.*s' does not use it",
		         SLICE_ARG(setting->name), batch_system_name(settings->system),
		         SLICE_ARG(header));
	}
}
