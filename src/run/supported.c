#include "run/supported.h"

#include <unistd.h>

#include "base/name_set.h"
#include "driver/configuration.h"
#include "driver/python.h"
#include "scorep/variables.h"

enum { SECONDS = 10 };

void supported_report(struct supported *supported, const struct program *program,
                      struct diags *diags, enum diag_kind kind)
{
	const struct discovery_order order = {.things = THINGS_SCOREP, .seconds = SECONDS};
	struct name_set told = {.arena = diags->arena};
	vec_each(const struct argument, argument, &program->arguments) {
		size_t count = told.names.count;
		/* What it expands to is not known yet. */
		if (argument->expands || !scorep_support_varies(argument->text))
			continue;
		/* Where Score-P cannot be asked nothing is known of it, and nothing is refused. */
		if (!supported->asked)
			(void)discovery_make(supported->arena, &order, &supported->found);
		supported->asked = true;
		if (scorep_supports(&supported->found.scorep, argument->text) !=
		            SCOREP_SUPPORT_NO ||
		    name_set_add(&told, argument->text) != count)
			continue;
		struct slice version = supported->found.findings[THING_SCOREP_CONFIG].version;
		diag_add(diags, kind, argument->where,
		         "the Score-P that is installed%s%.*s does not support '%.*s'",
		         version.len > 0 ? ", version " : "", SLICE_ARG(version),
		         SLICE_ARG(argument->text));
		struct slice name =
		        slice_sub(argument->text, 0, slice_find(argument->text, '=', 0));
		struct slice values =
		        scorep_supported_values(diags->arena, &supported->found.scorep, name);
		if (slice_eq(name, SLICE("--io")) && version.len > 0 &&
		    !version_is_older(version, SLICE("9")))
			diag_hint(diags, kind,
			          "Score-P 9 has the variable SCOREP_IO_POSIX=true instead");
		else if (!argument->in_cell)
			diag_hint(diags, kind,
			          "'%.*s=none' in the binding arguments does without it",
			          SLICE_ARG(name));
		else if (values.len > 0)
			diag_hint(diags, kind, "it takes %.*s", SLICE_ARG(values));
	}
}

void supported_check_environment(const struct program *program, struct diags *diags)
{
	static const struct slice modes[] = {SLICE_INIT("SCOREP_ENABLE_TRACING"),
	                                     SLICE_INIT("SCOREP_ENABLE_PROFILING")};
	const struct location where = {.file = SLICE("environment")};
	bool on[2], given = false;
	const char *measure = getenv("NBSCOREP_MEASURE"),
	           *measurement = getenv("NBSCOREP_MEASUREMENT");
	if ((measure != NULL && strcmp(measure, "no") == 0) ||
	    (measurement != NULL && strcmp(measurement, "none") == 0))
		return;
	for (char **entry = environ; *entry != NULL; entry++) {
		struct slice text = slice_from(*entry),
		             name = slice_sub(text, 0, slice_find(text, '=', 0));
		struct slice value = slice_tail(text, name.len + 1);
		if (value.len > 0 && slice_starts_with(name, SLICE("SCOREP_")) &&
		    program_setting(program, name) == NULL)
			scorep_check_variable(diags, where, where, name, value);
	}
	for (size_t i = 0; i < 2; i++) {
		const struct setting *setting = program_setting(program, modes[i]);
		const char *text = setting == NULL ? getenv(modes[i].ptr) : NULL;
		struct slice value =
		        setting != NULL ? setting->value : slice_from(text == NULL ? "" : text);
		on[i] = scorep_is_on(modes[i], setting == NULL && value.len == 0 ? NULL : &value);
		given |= text != NULL;
	}
	if (given)
		scorep_check_modes(diags, where, on[0], on[1]);
}

/* ---- bindings ---- */

bool bindings_are_missing(struct compilation *c, const char *named)
{
	struct discovery found;
	struct slice configured = configuration_python(c);
	if (config_has_steps(&c->config))
		return false;
	const char *usual = configured.len == 0 ? NULL : arena_cstr(c->arena, configured);
	const struct discovery_order order = {
	        .things = THING_BIT(THING_PYTHON) | THING_BIT(THING_BINDINGS),
	        .python = python_find(c->arena, named, usual),
	};
	if (discovery_make(c->arena, &order, &found) != 0)
		return false;
	return found.findings[THING_BINDINGS].state == FINDING_MISSING;
}
