#include "report/profile_cost.h"

double profile_buffer_need(const struct profile *profile)
{
	enum { BYTES_PER_VISIT = 24 };
	const struct measurement *m = profile->measurement;
	double most = 0;
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		double bytes = 0, threads = process->location_count;
		for (uint32_t k = 0; k < process->location_count; k++) {
			const struct measured_location *location =
			        &m->locations.items[process->first_location + k];
			for (uint32_t path = 0; path < location->times.count; path++)
				bytes += BYTES_PER_VISIT *
				         (double)location->times.items[path].visits;
		}
		most = measure_larger(most, bytes * 1.2 / 1e6 + 4 + 2.5 * (threads - 1));
	}
	return (double)(uint64_t)(most + 1);
}

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
	for (size_t i = 0; i < profile->functions.count; i++) {
		const struct profile_function *function = &profile->functions.items[i];
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
