#include "report/plots.h"

static const struct row {
	struct slice name;
	plot_set plots;
} rows[] = {
#define CPU (1u << PLOT_CPU)
#define MEMORY (1u << PLOT_MEMORY)
#define STORAGE (1u << PLOT_STORAGE)
#define CALLS (1u << PLOT_CALLS)
#define GPU (1u << PLOT_GPU)
#define GPU_BAND (1u << PLOT_GPU_BAND)
#define GPU_MEMORY (1u << PLOT_GPU_MEMORY)
#define PLOTS(name, plots) {SLICE_INIT(name), plots},
#include "report/plots.def"
#undef PLOTS
};

static plot_set find(struct slice name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (slice_eq(rows[i].name, name))
			return rows[i].plots;
	}
	return 0;
}

bool plots_read(struct slice text, plot_set *out, struct slice *wrong)
{
	struct slice rest = text;
	*out = 0;
	do {
		size_t comma = slice_find(rest, ',', 0);
		*wrong = slice_trim(slice_sub(rest, 0, comma));
		plot_set found = find(*wrong);
		if (found == 0)
			return false;
		*out |= found;
		rest = slice_sub(rest, comma + 1, rest.len);
	} while (rest.len > 0);
	return true;
}
