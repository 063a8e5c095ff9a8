#include "emit/depfile.h"

#include "base/quote.h"
#include "emit/emit.h"

void emit_depfile(struct strbuf *out, const struct slice *targets, size_t target_count,
                  const struct slice *dependencies, size_t dependency_count)
{
	for (size_t i = 0; i < target_count; i++) {
		if (i > 0)
			strbuf_addc(out, ' ');
		make_word(out, targets[i], true);
	}
	strbuf_addc(out, ':');
	for (size_t i = 0; i < dependency_count; i++) {
		strbuf_addc(out, ' ');
		make_word(out, dependencies[i], false);
	}
	strbuf_addc(out, '\n');
	for (size_t i = 0; i < dependency_count; i++) {
		make_word(out, dependencies[i], true);
		strbuf_puts(out, ":\n");
	}
}
