#include "driver/tally.h"

void tally_add(struct tally *tally, const struct diags *diags, bool failed)
{
	if (failed)
		tally->failed++;
	else if (diags->errors > 0)
		tally->faulty++;
	else if (diags->warnings > 0)
		tally->warned++;
	else
		tally->clean++;
}

size_t tally_count(const struct tally *tally)
{
	return tally->clean + tally->warned + tally->faulty + tally->failed;
}

void tally_print(struct strbuf *out, const struct tally *tally)
{
	const struct {
		size_t count;
		const char *what;
	} parts[] = {{tally->clean, "clean"},
	             {tally->warned, "with warnings"},
	             {tally->faulty, "with errors"},
	             {tally->failed, "not checked"}};
	const char *before = ": ";
	strbuf_printf(out, "%zu notebooks", tally_count(tally));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (parts[i].count == 0)
			continue;
		strbuf_printf(out, "%s%zu %s", before, parts[i].count, parts[i].what);
		before = ", ";
	}
}
