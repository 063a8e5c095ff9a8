#include "base/quote.h"
#include "emit/emit.h"
#include "emit/template.h"
#include "ir/ir.h"

static const char *const parts[] = {"head",   "place", "leave", "uncaught",
                                    "ending", "ranks", "start"};

/* The parts are executed as a module's text: the bindings execute this file inside a function, where
 * one function of it would not see another. They hold no ''' (tests/prelude/runtime_test.py). */
void emit_runtime(struct strbuf *out, const struct program *program, struct slice cells)
{
	strbuf_puts(out, "exec(compile(r'''");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct slice name = arena_printf(out->arena, "runtime/%s.py", parts[i]);
		strbuf_puts(out, i > 0 ? "\n\n" : "");
		strbuf_add(out, template_text(name));
	}
	strbuf_puts(out, "''', '<nbscorep>', 'exec'), {'__name__': 'scorep.nbscorep',\n");
	strbuf_printf(out, "'agrees': %s, 'all_ranks': %s,\n", program->uses_mpi ? "True" : "False",
	              program->all_ranks ? "True" : "False");
	strbuf_puts(out, "'cells': ");
	strbuf_add(out, cells);
	strbuf_puts(out, "})\n");
}
