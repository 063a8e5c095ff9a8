#include "trace/measurement.h"

void measurement_init(struct measurement *measurement, struct arena *arena)
{
	*measurement = (struct measurement){.arena = arena};
	number_map_init(&measurement->path_index, arena);
	vec_push(arena, &measurement->paths, (struct measured_path){.child = PATH_THREADS});
	vec_push(arena, &measurement->paths, (struct measured_path){.parent = PATH_PROGRAM});
	measurement->paths.items[PATH_PROGRAM].last_child = PATH_THREADS;
}

uint32_t measurement_path(struct measurement *measurement, uint32_t parent, uint32_t region)
{
	uint64_t key = (uint64_t)parent << 32 | (region + 1);
	size_t *index = number_map_at(&measurement->path_index, key);
	if (*index != 0)
		return (uint32_t)*index;
	uint32_t path = (uint32_t)measurement->paths.count;
	*index = path;
	vec_push(measurement->arena, &measurement->paths,
	         (struct measured_path){.region = region, .parent = parent});
	struct measured_path *above = &measurement->paths.items[parent];
	if (above->last_child != 0)
		measurement->paths.items[above->last_child].next = path;
	else
		above->child = path;
	above->last_child = path;
	return path;
}

void measurement_add_time(struct measurement *measurement, struct measured_location *location,
                          uint32_t path, const struct measured_time *time)
{
	while (location->times.count <= path)
		vec_push(measurement->arena, &location->times, (struct measured_time){0});
	struct measured_time *sum = &location->times.items[path];
	if (time->visits > 0 && (sum->visits == 0 || time->min < sum->min))
		sum->min = time->min;
	if (time->max > sum->max)
		sum->max = time->max;
	sum->visits += time->visits;
	sum->total += time->total;
}

struct measured_time measurement_time(const struct measured_location *location, uint32_t path)
{
	return path < location->times.count ? location->times.items[path]
	                                    : (struct measured_time){0};
}

uint32_t measurement_next_path(const struct measurement *measurement, uint32_t top, uint32_t path)
{
	const struct measured_path *paths = measurement->paths.items;
	if (paths[path].child != 0)
		return paths[path].child;
	while (path != top && paths[path].next == 0)
		path = paths[path].parent;
	return path == top ? 0 : paths[path].next;
}
