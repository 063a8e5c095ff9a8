/* A rule looks at a cell, or at the whole run, and says what could be saved. Rules are independent of each other; where
 * one explains another in the same cell, the other is left out (findings.def). The thresholds say what is worth a
 * reader's time: a twentieth of the run and 0.2 s. */
#include "report/diagnosis.h"

#include <math.h>

#include "base/quote.h"
#include "report/rules.h"

#define LEAST_SECONDS 0.2
#define LEAST_GAIN 0.05

struct rule {
	const char *name;
	bool (*find)(const struct subject *s, double limit, struct finding *f);
	double limit;
	bool is_of_run;
	enum line_kind line;
	const char *certainty;
	unsigned explains;
	const char *advice;
};

static const struct rule rules[FINDING_COUNT] = {
#define FINDING(id, name, function, limit, of_run, line, certainty, explains, rule, advice)        \
	[FINDING_##id] = {name, function, limit, of_run, LINE_##line, certainty, explains, advice},
#include "report/findings.def"
};

/* Adds what the call paths of the cell have, of the selected locations. */
static void sum_cell(struct subject *s)
{
	const struct measurement *m = s->profile->measurement;
	struct arena *arena = s->profile->arena;
	bool *is_below = arena_calloc(arena, m->paths.count, sizeof *is_below);
	double *visits = arena_calloc(arena, m->regions.count + 1, sizeof *visits);
	double *messages = arena_calloc(arena, m->processes.count + 1, sizeof *messages);
	for (size_t i = PATH_COUNT; i < m->paths.count; i++) {
		uint32_t number = m->paths.items[i].region;
		const struct measured_region *region = &m->regions.items[number];
		is_below[i] =
		        is_below[m->paths.items[i].parent] ||
		        (region->kind == REGION_CELL && slice_eq(region->name, s->cell->title));
		for (size_t k = 0; is_below[i] && k < m->locations.count; k++) {
			const struct measured_location *location = &m->locations.items[k];
			struct measured_time time = measurement_time(location, (uint32_t)i);
			if (!profile_selects(s->profile, location))
				continue;
			s->events += 2 * (double)time.visits;
			visits[number] += (double)time.visits;
			if (region->kind == REGION_MPI_MESSAGE ||
			    region->kind == REGION_MPI_COLLECTIVE) {
				s->message_calls += (double)time.visits;
				messages[location->process] += (double)time.total / 1e9;
			}
		}
	}
	for (size_t i = 0; i < m->regions.count; i++) {
		if (m->regions.items[i].kind == REGION_FUNCTION && visits[i] > s->hottest_visits) {
			s->hottest = &m->regions.items[i];
			s->hottest_visits = visits[i];
		}
	}
	s->rank_messages = INFINITY;
	for (size_t i = 0; i < m->processes.count; i++) {
		if (profile_counts(s->profile, i))
			s->rank_messages = fmin(s->rank_messages, messages[i]);
	}
}

/* Adds what threads besides the main ones have of the whole run. Returns the seconds of functions in the processes that
 * others have started, by process. */
static double *sum_others(struct subject *s)
{
	const struct profile *profile = s->profile;
	const struct measurement *m = profile->measurement;
	double *useful = arena_calloc(profile->arena, m->processes.count + 1, sizeof *useful);
	vec_each(const struct measured_location, location, &m->locations) {
		bool is_child = m->processes.items[location->process].is_child;
		if (location->number > 0 && !is_child)
			s->threads += (double)measurement_time(location, PATH_THREADS).total / 1e9;
		for (uint32_t path = PATH_COUNT; is_child && path < location->times.count; path++) {
			const struct measured_region *region = measurement_region_of(m, path);
			if (profile->kinds[path] == TIME_PYTHON &&
			    !slice_starts_with(region->module, SLICE("multiprocessing")) &&
			    !slice_starts_with(region->module, SLICE("concurrent")) &&
			    !slice_eq(region->name, SLICE("<module>")) &&
			    region->kind != REGION_CELL)
				useful[location->process] +=
				        (double)measurement_own_time(m, location, path) / 1e9;
		}
	}
	return useful;
}

/* False if it is known that the process CHILD did not run while another one was in the cell NAME. */
static bool may_have_run(const struct measurement *m, const struct measured_process *child,
                         struct slice name)
{
	bool is_known = false;
	for (size_t i = 0; child->end > 0 && i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		for (size_t k = 0; !process->is_child && k < process->visits.count; k++) {
			const struct measured_visit *visit = &process->visits.items[k];
			if (visit->begin < child->end && child->begin < visit->end &&
			    slice_eq(measurement_region_of(m, visit->path)->name, name))
				return true;
			is_known = true;
		}
	}
	return !is_known;
}

static void apply_rules(finding_list *out, const struct subject *s)
{
	size_t first = out->count;
	unsigned explained = 0;
	for (size_t i = 0; i < FINDING_COUNT; i++) {
		struct finding finding = {.id = (enum finding_id)i,
		                          .name = slice_from(rules[i].name),
		                          .cell = s->cell == NULL ? slice_make("", 0)
		                                                  : s->cell->title,
		                          .advice = slice_from(rules[i].advice),
		                          .certainty = slice_from(rules[i].certainty),
		                          .seconds = NAN,
		                          .gain = NAN};
		if ((explained >> i & 1) != 0 || rules[i].is_of_run != (s->cell == NULL) ||
		    !rules[i].find(s, rules[i].limit, &finding))
			continue;
		name_line(s, rules[i].line, &finding);
		if (finding.gain != finding.gain)
			finding.gain = share(finding.seconds, s->profile->seconds);
		if (finding.gain < LEAST_GAIN || finding.seconds < LEAST_SECONDS)
			continue;
		explained |= rules[i].explains;
		if (finding.place.len > 0 && finding.line_share > 0 && finding.line_share < 0.9)
			finding.evidence =
			        arena_printf(s->profile->arena, "%.*s; %.0f %% of it in this line",
			                     SLICE_ARG(finding.evidence), finding.line_share * 100);
		vec_push(s->profile->arena, out, finding);
	}
	size_t kept = first;
	for (size_t i = first; i < out->count; i++) {
		if ((explained >> out->items[i].id & 1) == 0)
			out->items[kept++] = out->items[i];
	}
	out->count = kept;
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;
	if (left->gain != right->gain)
		return left->gain > right->gain ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static void set_figures(struct subject *s, const struct figures *figures)
{
	s->figures = figures;
	s->cores = figures == NULL ? NAN : share(figures->core_seconds, figures->seconds);
}

void diagnosis_make(finding_list *out, const struct profile *profile)
{
	const struct report *samples = profile->samples;
	struct subject whole = {.profile = profile,
	                        .samples = samples,
	                        .cpus = samples == NULL ? 1 : (double)samples->cpus};
	const struct measurement *m = profile->measurement;
	const double *useful = sum_others(&whole);
	set_figures(&whole, samples == NULL ? NULL : &samples->figures);
	for (size_t i = 0; i < profile->cells.count; i++) {
		for (enum time_kind k = 0; k < TIME_KIND_COUNT; k++)
			whole.kinds[k] += profile_cell_time(&profile->cells.items[i], k);
	}
	whole.seconds = whole.run_seconds = profile->seconds - whole.kinds[TIME_DELAY];
	vec_each(const struct profile_cell, cell, &profile->cells) {
		struct subject s = whole;
		s.cell = cell;
		s.lines = profile->cells.count == 1 && cell->cell.len == 0
		                  ? &profile->lines.outside /* of a script without cells */
		                  : script_cells_find(&profile->lines, cell->title);
		set_figures(&s, cell->samples == NULL ? NULL : &cell->samples->figures);
		for (enum time_kind k = 0; k < TIME_KIND_COUNT; k++)
			s.kinds[k] = profile_cell_time(cell, k);
		s.seconds = cell->seconds - s.kinds[TIME_DELAY];
		sum_cell(&s);
		for (size_t k = 0; k < m->processes.count; k++) {
			const struct measured_process *process = &m->processes.items[k];
			if (!process->is_child || !may_have_run(m, process, cell->title))
				continue;
			s.children++;
			s.useful += useful[k];
		}
		if (isfinite(cell->threads)) /* a profile does not know when they ran */
			s.threads = cell->threads;
		if (cell->seconds >= LEAST_SECONDS)
			apply_rules(out, &s);
	}
	apply_rules(out, &whole);
	/* What is about the whole run, or outside of cells, may be explained in any cell. */
	unsigned explained = 0;
	size_t kept = 0;
	for (size_t i = 0; i < out->count; i++)
		explained |= rules[out->items[i].id].explains;
	for (size_t i = 0; i < out->count; i++) {
		struct slice cell = out->items[i].cell;
		bool is_in_cell = cell.len > 0 && !slice_eq(cell, SLICE("outside of cells"));
		if (is_in_cell || (explained >> out->items[i].id & 1) == 0)
			out->items[kept++] = out->items[i];
	}
	out->count = kept;
	vec_sort(out, compare_findings);
}

void diagnosis_text(struct strbuf *out, const finding_list *findings, size_t most)
{
	if (findings->count == 0)
		strbuf_puts(out, "Nothing to gain here: no rule of the diagnosis applies\n");
	for (size_t i = 0; i < findings->count && i < most; i++) {
		const struct finding *finding = &findings->items[i];
		strbuf_printf(out, "%zu. ", i + 1);
		terminal_text(out, finding->cell.len > 0 ? finding->cell : SLICE("the whole run"));
		strbuf_puts(out, finding->place.len > 0 ? ", " : "");
		terminal_text(out, finding->place);
		strbuf_printf(out, "\n   %.*s", SLICE_ARG(finding->name));
		if (isfinite(finding->seconds))
			strbuf_printf(out, ": at most %.1f s to save (%.0f %% of the run)",
			              finding->seconds, finding->gain * 100);
		strbuf_printf(out, "; %.*s\n   ", SLICE_ARG(finding->certainty));
		terminal_text(out, finding->evidence);
		strbuf_printf(out, ".\n   Try: %.*s.\n", SLICE_ARG(finding->advice));
	}
}
