#include "report/profile_tables.h"

#include <math.h>

void profile_tables(const struct profile *profile, struct figure_table tables[PROFILE_TABLES])
{
	static const struct figure_column cells[] = {
	        FIGURE(profile_cell, cell, NULL, TEXT),
	        FIGURE(profile_cell, title, "cell", TEXT),
	        FIGURE(profile_cell, visits, "visits", COUNT),
	        FIGURE(profile_cell, seconds, "wall", SECONDS),
	        FIGURE(profile_cell, seconds_min, "min", SECONDS),
	        FIGURE(profile_cell, seconds_max, "max", SECONDS),
	        FIGURE(profile_cell, threads, "threads", SECONDS),
	        FIGURE(profile_cell, cpu, "CPU", PERCENT),
	        FIGURE(profile_cell, peak, "peak", BYTES),
	        FIGURE(profile_cell, read, "read", BYTES),
	        FIGURE(profile_cell, written, "written", BYTES),
	        FIGURE(profile_cell, events, NULL, COUNT),
	        FIGURE(profile_cell, recording, "recording", PERCENT),
#define TIME_KIND(id, key, title, text)                                                            \
	FIGURE_AT(profile_cell, share[TIME_##id], key, title, PERCENT, NULL),
#include "report/time_kind.def"
#undef TIME_KIND
	        FIGURE(profile_cell, hottest, NULL, TEXT),
	        FIGURE(profile_cell, hottest_share, NULL, PERCENT),
	        FIGURE_AT(profile_cell, efficiency.parallel, "parallel_efficiency", "parallel eff.",
	                  RATIO, NULL),
	        FIGURE_AT(profile_cell, efficiency.load_balance, "load_balance", "load balance",
	                  RATIO, NULL),
	        FIGURE_AT(profile_cell, efficiency.communication, "communication_efficiency",
	                  "comm. eff.", RATIO, NULL),
	        {0},
	};
	static const struct figure_column efficiency[] = {
	        FIGURE(profile_efficiency, parallel, "parallel", RATIO),
	        FIGURE(profile_efficiency, load_balance, "load balance", RATIO),
	        FIGURE(profile_efficiency, communication, "communication", RATIO),
	        {0},
	};
	static const struct figure_column functions[] = {
	        FIGURE(profile_function, share, "share", PERCENT),
	        FIGURE(profile_function, exclusive, "own", SECONDS),
	        FIGURE(profile_function, inclusive, "with calls", SECONDS),
	        FIGURE(profile_function, visits, "visits", COUNT),
	        FIGURE(profile_function, per_visit, "own per visit", MICROSECONDS),
	        FIGURE(profile_function, function, "function", TEXT),
	        FIGURE(profile_function, file, NULL, TEXT),
	        FIGURE(profile_function, line, NULL, COUNT),
	        {0},
	};
	static const struct figure_column calls[] = {
	        FIGURE(profile_call, path, NULL, COUNT),
	        FIGURE(profile_call, parent, NULL, COUNT),
	        FIGURE(profile_call, visits, "visits", COUNT),
	        FIGURE(profile_call, inclusive, "with calls", SECONDS),
	        FIGURE(profile_call, exclusive, "own", SECONDS),
	        FIGURE(profile_call, call, NULL, TEXT),
	        FIGURE(profile_call, tree, "call path", TEXT),
	        {0},
	};
	static const struct figure_column locations[] = {
	        FIGURE(profile_location, name, "process and thread", TEXT),
	        FIGURE(profile_location, rank, "rank", COUNT),
	        FIGURE(profile_location, thread, "thread", COUNT),
	        FIGURE(profile_location, host, "host", TEXT),
	        FIGURE(profile_location, events, "events", COUNT),
	        FIGURE(profile_location, seconds, "wall", SECONDS),
	        FIGURE(profile_location, outside_mpi, "outside MPI", SECONDS),
	        FIGURE(profile_location, mpi, "MPI", SECONDS),
	        {0},
	};
	static const struct figure_column messages[] = {
	        FIGURE(profile_messages, cell, "cell", TEXT),
	        FIGURE(profile_messages, from, "from rank", COUNT),
	        FIGURE(profile_messages, to, "to rank", COUNT),
	        FIGURE(profile_messages, count, "messages", COUNT),
	        FIGURE(profile_messages, bytes, "sent", BYTES),
	        FIGURE(profile_messages, mean, NULL, COUNT),
	        {0},
	};
	bool has_efficiency = isfinite(profile->efficiency.parallel);
	const struct figure_table all[PROFILE_TABLES] = {
	        {"cells", "Cells", cells, profile->cells.items, sizeof *profile->cells.items,
	         profile->cells.count},
	        {"efficiency", "Efficiencies", efficiency, &profile->efficiency,
	         sizeof profile->efficiency, has_efficiency},
	        {"functions", "Functions", functions, profile->functions.items,
	         sizeof *profile->functions.items, profile->functions.count},
	        {"calls", "Call paths", calls, profile->calls.items, sizeof *profile->calls.items,
	         profile->calls.count},
	        {"locations", "Processes and threads", locations, profile->locations.items,
	         sizeof *profile->locations.items, profile->locations.count},
	        {"messages", "Messages", messages, profile->messages.items,
	         sizeof *profile->messages.items, profile->messages.count},
	};
	for (size_t i = 0; i < PROFILE_TABLES; i++)
		tables[i] = all[i];
}
