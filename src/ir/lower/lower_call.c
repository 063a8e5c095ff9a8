/* Lowers magics and escapes to calls of helpers. */
#include "ir/lower/lower_call.h"

#include "base/quote.h"
#include "ir/build/builder.h"
#include "ir/build/magic_meaning.h"
#include "ir/build/unknown_magic.h"
#include "ir/lower/jumper_arguments.h"
#include "ir/lower/lower.h"
#include "ir/lower/lower_site.h"
#include "ir/lower/packages.h"
#include "ir/lower/shell_command.h"
#include "lex/magic_table.h"

struct slice lower_place(const struct pass_context *context, const struct block *block,
                         unsigned line)
{
	struct slice notebook =
	        block->notebook.len > 0 ? block->notebook : context->ir->notebook_name;
	struct strbuf out;
	strbuf_init(&out, context->arena);
	strbuf_add(&out, notebook);
	if (block->lexed->number > 0)
		strbuf_printf(&out, ", cell %u", block->cell);
	if (line > 0)
		strbuf_printf(&out, ", line %u", line);
	return strbuf_slice(&out);
}

static bool is_escape(const struct magic *magic)
{
	return magic->kind == MAGIC_SHELL || magic->kind == MAGIC_SHELL_LIST;
}

/* x = !command and !!command use another helper than !command. */
static const struct lowering *find_lowering(const struct magic *magic)
{
	if (!is_escape(magic))
		return lowering_find(magic->name, FORM_LINE);
	bool wants_lines = magic->kind == MAGIC_SHELL_LIST || magic->assigned;
	return lowering_find(wants_lines ? SLICE("!!") : SLICE("!"), FORM_ESCAPE);
}

static void call_of_row(const struct site *site, const struct magic *magic, struct call *out)
{
	const struct lowering *lowering = find_lowering(magic);
	if (!is_escape(magic))
		jumper_check_arguments(site, magic);
	*out = (struct call){
	        .function = lowering->function,
	        .text = lowering_text(site->context->arena, lowering, magic->args),
	        .effect = lowering->effect,
	        .gives_value = lowering->gives_value,
	};
}

bool site_was_refused(const struct site *site, enum include_form form)
{
	struct include_request request;
	return site->context->options->includes.read != NULL &&
	       include_requested(site->context->arena, site->magic, &request) &&
	       request.form == form;
}

/* IPython has more magics than nbscorep, and extensions add more. */
static void call_of_ipython(const struct site *site, const struct magic *magic, struct call *out)
{
	*out = (struct call){
	        .function = SLICE(PACKAGE_ALIAS ".line_magic"),
	        .place = lower_place(site->context, site->block, site_location(site).line),
	        .name = magic->name,
	        .text = magic->args,
	        .gives_value = true,
	};
	if (!name_set_has(&site->context->ir->own_magics, magic->name) &&
	    !site_was_refused(site, INCLUDE_NOTEBOOK))
		report_handed_over(site->context->diags, site_location(site), magic);
}

/* %pip, !pip install and similar: they install only with --package-installs=run. */
static bool call_of_install(const struct site *site, const struct magic *magic, struct call *out)
{
	struct slice command = magic->args;
	if (magic->kind == MAGIC_LINE)
		command = arena_printf(site->context->arena, "%.*s %.*s", SLICE_ARG(magic->name),
		                       SLICE_ARG(magic->args));
	*out = (struct call){
	        .function = SLICE(PACKAGE_ALIAS ".install"),
	        .text = command,
	        .effect = EFFECT_COMMAND,
	};
	if (!packages_installs(magic))
		return true;
	packages_collect(command, &site->program->packages);
	if (site->context->options->install_packages)
		return true;
	packages_leave_out(&site->context->ir->installs, site_location(site));
	return false;
}

/* True for %run of a notebook that was not included. It may exist at run time. */
static bool runs_notebook(const struct site *site, const struct magic *magic)
{
	struct include_request request;
	return include_requested(site->context->arena, magic, &request) &&
	       request.form == INCLUDE_NOTEBOOK;
}

bool lower_to_call(const struct site *site, const struct magic *magic, struct call *out)
{
	bool hands_over = site->context->options->unknown_magics != UNKNOWN_MAGICS_DROP ||
	                  name_set_has(&site->context->ir->own_magics, magic->name);
	bool misplaced = slice_starts_with(magic->name, SLICE("%"));
	if (is_escape(magic) && packages_installs(magic))
		return call_of_install(site, magic, out);
	if (is_escape(magic)) {
		struct slice word = shell_sets(magic->args);
		if (word.len > 0)
			diag_add(site->context->diags, DIAG_SHELL_LAST, site_location(site),
			         "'%.*s' affects only the shell of this line, which then ends",
			         SLICE_ARG(word));
	}
	if (is_escape(magic) && shell_installs(magic->args) == SHELL_INSTALLS_TOO) {
		/* !pip install x; wget y: wget runs. */
		struct magic rest = *magic;
		packages_collect(magic->args, &site->program->packages);
		if (!site->context->options->install_packages) {
			packages_leave_out(&site->context->ir->installs, site_location(site));
			rest.args = shell_without_installs(site->context->arena, magic->args);
		}
		call_of_row(site, &rest, out);
		return true;
	}
	bool unknown = magic->kind == MAGIC_LINE && magic->row == NULL && !misplaced &&
	               magic->name.len > 0;
	if (hands_over && (unknown || runs_notebook(site, magic))) {
		call_of_ipython(site, magic, out);
		return true;
	}
	if (magic->row == NULL || magic_means_nothing(magic))
		return false;
	switch (magic->row->action) {
	case ACTION_INSTALL:
		return call_of_install(site, magic, out);
	case ACTION_IPYTHON:
		if (hands_over)
			call_of_ipython(site, magic, out);
		return hands_over;
	case ACTION_LOWER:
		call_of_row(site, magic, out);
		return true;
	default:
		return false;
	}
}

static void add_argument(struct strbuf *out, struct slice text)
{
	if (text.len == 0)
		return;
	python_string(out, text);
	strbuf_puts(out, ", ");
}

void call_add(const struct site *site, const struct call *call, bool line_ends, struct strbuf *out)
{
	if ((call->effect & EFFECT_COMMAND) != 0 || slice_eq(call->name, SLICE("sc")))
		program_add_command(site->context->arena, site->program, call->text,
		                    site_location(site));
	strbuf_add(out, call->function);
	strbuf_addc(out, '(');
	add_argument(out, call->place);
	add_argument(out, call->name);
	python_string(out, call->text);
	if (line_ends)
		site_add_line_ends(site, out);
	strbuf_addc(out, ')');
}

void call_replace(const struct site *site, const struct call *call)
{
	bool shown = call->gives_value && site_shows_value(site);
	struct strbuf out;
	strbuf_init(&out, site->context->arena);
	strbuf_add(&out, shown ? site_echo(site) : slice_make("", 0));
	call_add(site, call, true, &out);
	strbuf_puts(&out, shown ? ")" : "");
	site_replace(site, strbuf_slice(&out));
	site->program->effects |= call->effect;
}
