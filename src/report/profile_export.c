/* A trace is exported from its timelines: where the call path changes, the regions that are on the old one alone
 * end, and those that are on the new one alone begin. */
#include "report/profile_export.h"

#include "base/json_writer.h"

enum { DEPTH_MAX = 2048 };

/* The call paths from below the program down to PATH, the outermost first. Returns how many; what lies deeper than all
 * else is left out. */
static size_t find_stack(const struct measurement *m, uint32_t path, uint32_t stack[DEPTH_MAX])
{
	size_t depth = 0;
	for (uint32_t above = path; above >= PATH_COUNT; above = m->paths.items[above].parent)
		depth++;
	for (; depth > DEPTH_MAX; depth--)
		path = m->paths.items[path].parent;
	for (size_t i = depth; i-- > 0; path = m->paths.items[path].parent)
		stack[i] = path;
	return depth;
}

struct export
{
	struct strbuf *out;
	const struct profile *profile;
	const struct measured_location *location;
	const char *between;
};

/* A begin or an end of PATH at TIME, in nanoseconds since the beginning of the measurement. */
typedef void (*export_event_fn)(struct export *e, bool is_begin, uint32_t path, uint64_t time);

static void export_events(struct export *e, const struct measured_timeline *timeline,
                          export_event_fn each)
{
	const struct measurement *m = e->profile->measurement;
	uint32_t stacks[2][DEPTH_MAX];
	size_t open = 0, count = timeline->changes.count;
	for (size_t i = 0; i <= count; i++) {
		const uint32_t *old = stacks[i & 1];
		uint32_t *new = stacks[~i & 1];
		uint64_t time =
		        (i < count ? timeline->changes.items[i].time : timeline->end) - m->begin;
		size_t depth = i < count ? find_stack(m, timeline->changes.items[i].path, new) : 0;
		size_t same = 0;
		while (same < open && same < depth && old[same] == new[same])
			same++;
		for (size_t k = open; k-- > same;)
			each(e, false, old[k], time);
		for (size_t k = same; k < depth; k++)
			each(e, true, new[k], time);
		open = depth;
	}
}

/* ---- folded ---- */

void report_profile_folded(struct strbuf *out, const struct profile_report *report)
{
	uint32_t stack[DEPTH_MAX];
	const struct profile *profile = report->profile;
	const struct measurement *m = profile->measurement;
	for (uint32_t path = 0; path < m->paths.count; path++) {
		uint64_t own = profile->sums[path].total;
		for (uint32_t child = m->paths.items[path].child; child != 0;
		     child = m->paths.items[child].next)
			own -= profile->sums[child].total < own ? profile->sums[child].total : own;
		if (own < 1000)
			continue;
		size_t depth = find_stack(m, path, stack);
		strbuf_add(out, profile_path_name(profile, PATH_PROGRAM));
		for (size_t i = 0; i < depth; i++) {
			struct slice name = profile_path_name(profile, stack[i]);
			strbuf_addc(out, ';');
			for (size_t k = 0; k < name.len; k++) {
				char c = name.ptr[k]; /* these separate frames and lines: */
				strbuf_addc(out,
				            (char)(c == ';' || (unsigned char)c < ' ' ? '_' : c));
			}
		}
		strbuf_printf(out, " %llu\n", (unsigned long long)(own / 1000));
	}
}

/* ---- speedscope ---- */

static void put_speedscope_event(struct export *e, bool is_begin, uint32_t path, uint64_t time)
{
	strbuf_printf(e->out, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%llu}", e->between,
	              is_begin ? 'O' : 'C', path, (unsigned long long)time);
	e->between = ",\n";
}

/* Stacks with the time of their last function's own. */
static void put_speedscope_samples(struct strbuf *out, const struct measurement *m,
                                   const struct measured_location *location)
{
	uint32_t stack[DEPTH_MAX];
	struct strbuf weights = {.arena = out->arena};
	strbuf_puts(out, "\"samples\": [");
	for (uint32_t path = PATH_COUNT; path < location->times.count; path++) {
		uint64_t own = measurement_own_time(m, location, path);
		if (own == 0)
			continue;
		const char *between = weights.len > 0 ? ",\n" : "";
		size_t depth = find_stack(m, path, stack);
		strbuf_puts(out, between);
		for (size_t i = 0; i < depth; i++)
			strbuf_printf(out, "%c%u", i == 0 ? '[' : ',', stack[i]);
		strbuf_addc(out, ']');
		strbuf_printf(&weights, "%s%llu", between, (unsigned long long)own);
	}
	strbuf_puts(out, "], \"weights\": [");
	strbuf_add(out, strbuf_slice(&weights));
	strbuf_puts(out, "]}");
}

void report_profile_speedscope(struct strbuf *out, const struct profile_report *report)
{
	const struct profile *profile = report->profile;
	const struct measurement *m = profile->measurement;
	strbuf_puts(out, PROFILE_SPEEDSCOPE_MARKER
	            " \"$schema\": "
	            "\"https://www.speedscope.app/file-format-schema.json\",\n\"name\": ");
	json_quote(out, profile->directory);
	strbuf_puts(out, ",\n\"shared\": {\"frames\": [");
	for (uint32_t path = 0; path < m->paths.count; path++) {
		strbuf_puts(out, path == 0 ? "{\"name\": " : ",\n{\"name\": ");
		json_quote(out, profile_path_name(profile, path));
		if (path >= PATH_COUNT) {
			const struct measured_region *region = measurement_region_of(m, path);
			if (region->file.len > 0) {
				strbuf_puts(out, ", \"file\": ");
				json_quote(out, region->file);
			}
			if (region->line > 0)
				strbuf_printf(out, ", \"line\": %u", region->line);
		}
		strbuf_addc(out, '}');
	}
	strbuf_puts(out, "]},\n\"profiles\": [");
	for (size_t i = 0; i < m->locations.count; i++) {
		const struct measured_location *location = &m->locations.items[i];
		bool is_traced = location->timelines.count > 0;
		uint64_t end = is_traced ? location->timelines.items[0].end - m->begin : 0;
		for (uint32_t path = PATH_COUNT; !is_traced && path < location->times.count; path++)
			end += measurement_own_time(m, location, path);
		strbuf_printf(out, "%s{\"type\": \"%s\", \"name\": ", i == 0 ? "" : ",\n",
		              is_traced ? "evented" : "sampled");
		json_quote(out, profile_location_name(profile, i));
		strbuf_printf(
		        out,
		        ", \"unit\": \"nanoseconds\", \"startValue\": 0, \"endValue\": %llu,\n",
		        (unsigned long long)end);
		if (!is_traced) {
			put_speedscope_samples(out, m, location);
			continue;
		}
		struct export e = {out, profile, location, ""};
		strbuf_puts(out, "\"events\": [");
		export_events(&e, &location->timelines.items[0], put_speedscope_event);
		strbuf_puts(out, "]}");
	}
	strbuf_puts(out, "]}\n");
}

/* ---- Chromium ---- */

static void put_chrome_event(struct export *e, bool is_begin, uint32_t path, uint64_t time)
{
	strbuf_printf(e->out, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u", e->between,
	              is_begin ? 'B' : 'E', e->location->process, e->location->number,
	              (unsigned long long)(time / 1000), (unsigned)(time % 1000));
	if (is_begin) {
		strbuf_puts(e->out, ",\"name\":");
		json_quote(e->out, profile_path_name(e->profile, path));
	}
	strbuf_addc(e->out, '}');
	e->between = ",\n";
}

void report_profile_chrome(struct strbuf *out, const struct profile_report *report)
{
	const struct profile *profile = report->profile;
	const struct measurement *m = profile->measurement;
	struct export e = {out, profile, NULL, "\n"};
	strbuf_puts(out, PROFILE_CHROME_MARKER " \"traceEvents\": [");
	for (size_t i = 0; i < m->locations.count; i++) {
		const struct measured_location *location = &m->locations.items[i];
		e.location = location;
		if (location->timelines.count == 0)
			continue;
		strbuf_printf(out,
		              "%s{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\","
		              "\"args\":{\"name\":",
		              e.between, location->process, location->number);
		json_quote(out, profile_location_name(profile, i));
		strbuf_puts(out, "}}");
		e.between = ",\n";
		export_events(&e, &location->timelines.items[0], put_chrome_event);
	}
	strbuf_puts(out, "\n]}\n");
}

/* ---- filters of Score-P ---- */

size_t profile_suggest_filter(struct strbuf *out, const struct profile *profile, double *share)
{
	double all = 0, left_out = 0;
	size_t count = 0;
	for (size_t i = 0; i < profile->functions.count; i++)
		all += profile->functions.items[i].visits;
	strbuf_puts(
	        out,
	        "# Suggested by nbscorep: functions that cost more to record than they are worth.\n"
	        "SCOREP_REGION_NAMES_BEGIN\n");
	vec_each(const struct profile_function, function, &profile->functions) {
		struct measured_region region = measurement_region_named(function->function);
		if (function->visits < 1000 || function->visits < all / 100 ||
		    function->per_visit > 10e-6 || region.module.len == 0 ||
		    slice_eq(region.module, SLICE("user")))
			continue;
		strbuf_puts(out, count++ == 0 ? "  EXCLUDE\n    " : "    ");
		for (size_t k = 0; k < function->function.len; k++) {
			char c = function->function.ptr[k];
			bool is_special = c == '*' || c == '?' || c == '[' || c == '\\';
			if (c == ' ' || c == '#')
				strbuf_addc(out, '\\');
			strbuf_addc(out, (char)(is_special || (unsigned char)c < ' ' ? '?' : c));
		}
		strbuf_addc(out, '\n');
		left_out += function->visits;
	}
	strbuf_puts(out, "SCOREP_REGION_NAMES_END\n");
	*share = all > 0 ? left_out / all : 0;
	return count;
}
