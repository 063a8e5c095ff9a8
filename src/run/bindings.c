#include "run/bindings.h"

#include <errno.h>
#include <unistd.h>

#include "driver/config_program.h"
#include "driver/python.h"
#include "emit/template.h"
#include "process/process.h"

enum { ANSWER_SIZE = 65536 };

static bool has_line(struct slice text, struct slice wanted)
{
	struct slice line;
	while (slice_next_line(&text, &line)) {
		if (slice_eq(line, wanted))
			return true;
	}
	return false;
}

enum bindings_answer bindings_ask(struct environment *environment, const char *python,
                                  struct slice *reason)
{
	const char *argv[] = {python, "-c", template_text(SLICE("bindings.py")).ptr, NULL};
	struct process_order order = {
	        .argv = argv,
	        .limit = ANSWER_SIZE,
	        .environment = environment_list(environment),
	        .own_group = true,
	};
	struct process_result result = {0};
	if (process_run(environment->arena, &order, &result) != 0) {
		*reason = slice_from(strerror(errno));
		return BINDINGS_UNKNOWN;
	}
	if (has_line(result.out, SLICE("nbscorep:found")))
		return BINDINGS_FOUND;
	if (has_line(result.out, SLICE("nbscorep:missing")))
		return BINDINGS_MISSING;
	*reason = arena_printf(environment->arena, "it %.*s",
	                       SLICE_ARG(process_ending(environment->arena, result.status)));
	return BINDINGS_UNKNOWN;
}

bool bindings_are_prepared(const struct environment *environment)
{
	const char *mark =
	        environment_get(environment, SLICE("SCOREP_PYTHON_BINDINGS_INITIALISED"));
	return mark != NULL && strcmp(mark, "true") == 0;
}

enum bindings_answer bindings_ask_for(struct compilation *c)
{
	struct environment environment;
	struct slice reason, configured = config_program_python(c);
	environment_init(&environment, c->arena, environ);
	if (bindings_are_prepared(&environment))
		return BINDINGS_FOUND;
	if (config_has_steps(&c->config))
		return BINDINGS_UNKNOWN;
	/* $PYTHON goes before the configured one (templates/run.sh). */
	const char *variable = environment_get(&environment, SLICE("PYTHON"));
	bool is_users = variable != NULL && variable[0] != '\0';
	const char *named =
	        is_users || configured.len == 0 ? NULL : arena_cstr(c->arena, configured);
	const char *python =
	        environment_find_program(&environment, python_find(&environment, named));
	return python == NULL ? BINDINGS_UNKNOWN : bindings_ask(&environment, python, &reason);
}
