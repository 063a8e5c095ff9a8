/* %env and %set_env. */
#include "ir/lower/lower_env.h"

#include "base/quote.h"
#include "ir/build/build_cells.h"
#include "ir/build/config_cells.h"
#include "ir/lower/lower.h"
#include "ir/lower/lower_call.h"
#include "ir/lower/lower_site.h"
#include "scorep/variables.h"

/* %env returns all variables, %env NAME one. */
static void show_environment(const struct site *site, struct slice name)
{
	struct call call = {
	        .function = SLICE(PACKAGE_ALIAS ".getenv"),
	        .text = name,
	        .gives_value = true,
	};
	call_replace(site, &call);
}

/* IPython expands the value, sets the variable and prints it. */
static void set_environment(const struct site *site, struct slice name, struct slice value)
{
	struct call call = {
	        .function = SLICE(PACKAGE_ALIAS ".setenv"),
	        .name = name,
	        .text = value,
	};
	call_replace(site, &call);
}

/* SCOREP_* is read only when Python starts, so the run script exports it. */
static void export_setting(const struct site *site, struct slice name, struct slice value)
{
	struct setting setting = {
	        .name = name,
	        .value = setting_unquote(value),
	        .name_where = site_part_location(site, name),
	        .value_where = site_part_location(site, value),
	        .cell = site->block->cell,
	        .literal = setting_is_literal(value),
	};
	vec_push(site->context->arena, &site->block->settings, setting);
	if (slice_find(value, '{', 0) < value.len && !bash_has_expansion(value))
		diag_add(site->context->diags, DIAG_ENV_PYTHON, setting.value_where,
		         "the run script cannot evaluate Python; '%.*s' is exported unchanged",
		         SLICE_ARG(value));
	site_comment_out(site);
}

/* facts: kernel, "%env". IPython splits at the first "=", else at the first blank. */
void lower_env(const struct site *site)
{
	const struct magic *magic = site->magic;
	struct slice args = slice_trim(magic->args);
	size_t at = slice_find(args, '=', 0);
	if (at == args.len)
		at = slice_find(args, ' ', 0);
	struct slice name = slice_trim_end(slice_sub(args, 0, at));
	struct slice value = slice_trim(slice_sub(args, at + 1, args.len));
	if (at == args.len && slice_eq(magic->name, SLICE("env"))) {
		show_environment(site, name);
	} else if (at == args.len || !bash_is_name(name)) {
		diag_add(site->context->diags, DIAG_MAGIC_ARGUMENT, site_location(site),
		         "'%%%.*s' expects NAME=VALUE, found '%.*s'", SLICE_ARG(magic->name),
		         SLICE_ARG(args));
		site_comment_out(site);
	} else if (slice_starts_with(name, SLICE("SCOREP_")) || scorep_is_kernel_variable(name)) {
		export_setting(site, name, value);
	} else {
		set_environment(site, name, value);
	}
}
