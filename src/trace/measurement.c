#include "trace/measurement.h"

void measurement_init(struct measurement *out, struct arena *arena)
{
	*out = (struct measurement){
	        .arena = arena, .path_index.arena = arena, .region_keys.arena = arena};
	vec_push(arena, &out->paths,
	         (struct measured_path){.child = PATH_THREADS, .last_child = PATH_THREADS});
	vec_push(arena, &out->paths, (struct measured_path){.parent = PATH_PROGRAM});
}

/* ---- regions ---- */

bool measurement_cell_number(struct slice name, uint64_t *number)
{
	return slice_cut_prefix(&name, SLICE("cell ")) &&
	       slice_read_number(name, UINT32_MAX, number);
}

struct measured_region measurement_region_named(struct slice text)
{
	size_t colon = slice_find(text, ':', 0);
	bool has_module = colon > 0 && colon < text.len;
	return (struct measured_region){
	        .module = slice_sub(text, 0, has_module ? colon : 0),
	        .name = has_module ? slice_tail(text, colon + 1) : text,
	};
}

struct slice measurement_region_text(struct arena *arena, const struct measured_region *region)
{
	return region->module.len == 0 ? region->name
	                               : arena_printf(arena, "%.*s:%.*s", SLICE_ARG(region->module),
	                                              SLICE_ARG(region->name));
}

uint32_t measurement_add_region(struct measurement *m, const struct measured_region *region)
{
	/* The recorder does not write what a function of MPI is, Score-P's roles come from elsewhere. */
	static const struct {
		struct slice name;
		enum region_kind kind;
	} mpi_functions[] = {
#define MPI_FUNCTION(name, kind) {SLICE_INIT("MPI_" #name), REGION_##kind},
#include "record/mpi_functions.def"
	};
	struct slice key = arena_printf(m->arena, "%.*s%c%.*s%c%.*s%c%u", SLICE_ARG(region->module),
	                                '\0', SLICE_ARG(region->name), '\0',
	                                SLICE_ARG(region->file), '\0', region->line);
	size_t index = name_set_add(&m->region_keys, key);
	if (index < m->regions.count)
		return (uint32_t)index;
	vec_push(m->arena, &m->regions, *region);
	struct measured_region *added = &m->regions.items[index];
	if (added->kind != REGION_FUNCTION)
		return (uint32_t)index;
	/* "user:cell 9"; the kernel's and the runtime's instrumenter have modules of their own. */
	size_t at = added->name.len;
	while (at > 0 && ascii_is_digit(added->name.ptr[at - 1]))
		at--;
	if (at < added->name.len &&
	    slice_ends_with(slice_sub(added->name, 0, at), SLICE("cell ")) &&
	    slice_is_word_of(added->module, "user user_instrumenter"))
		added->kind = REGION_CELL;
	for (size_t i = 0; i < sizeof mpi_functions / sizeof *mpi_functions; i++) {
		if (added->module.len == 0 && slice_eq(mpi_functions[i].name, added->name))
			added->kind = mpi_functions[i].kind;
	}
	return (uint32_t)index;
}

/* ---- call paths ---- */

uint32_t measurement_add_path(struct measurement *m, uint32_t parent, uint32_t region)
{
	uint64_t key = (uint64_t)parent << 32 | (region + 1);
	size_t *index = number_map_at(&m->path_index, key);
	if (*index != 0)
		return (uint32_t)*index;
	uint32_t path = (uint32_t)m->paths.count;
	*index = path;
	vec_push(m->arena, &m->paths, (struct measured_path){.region = region, .parent = parent});
	struct measured_path *above = &m->paths.items[parent];
	if (above->last_child != 0)
		m->paths.items[above->last_child].next = path;
	else
		above->child = path;
	above->last_child = path;
	return path;
}

uint32_t measurement_root(const struct measured_location *location)
{
	return location->number == 0 ? PATH_PROGRAM : PATH_THREADS;
}

/* ---- times ---- */

void measurement_add_time(struct measurement *m, struct measured_location *location, uint32_t path,
                          const struct measured_time *time)
{
	while (location->times.count <= path)
		vec_push(m->arena, &location->times, (struct measured_time){0});
	struct measured_time *sum = &location->times.items[path];
	if (time->visits > 0 && (sum->visits == 0 || time->min < sum->min))
		sum->min = time->min;
	if (time->max > sum->max)
		sum->max = time->max;
	sum->visits += time->visits;
	sum->total += time->total;
}

void measurement_add_visit(struct measurement *m, struct measured_location *location, uint32_t path,
                           uint64_t spent)
{
	struct measured_time time = {1, spent, spent, spent};
	measurement_add_time(m, location, path, &time);
}

struct measured_time measurement_time(const struct measured_location *location, uint32_t path)
{
	return path < location->times.count ? location->times.items[path]
	                                    : (struct measured_time){0};
}

uint64_t measurement_own_time(const struct measurement *m, const struct measured_location *location,
                              uint32_t path)
{
	uint64_t below = 0, total = measurement_time(location, path).total;
	for (uint32_t child = m->paths.items[path].child; child != 0;
	     child = m->paths.items[child].next)
		below += measurement_time(location, child).total;
	return total > below ? total - below : 0;
}

uint64_t measurement_events(const struct measurement *m)
{
	uint64_t events = 0;
	for (size_t i = 0; i < m->locations.count; i++)
		events += m->locations.items[i].event_count;
	return events;
}

void measurement_add_threads(struct measurement *m, size_t first)
{
	for (size_t i = first; i < m->locations.count; i++) {
		struct measured_location *location = &m->locations.items[i];
		struct measured_time time = {0};
		if (location->number == 0)
			continue;
		for (uint32_t path = m->paths.items[PATH_THREADS].child; path != 0;
		     path = m->paths.items[path].next)
			time.total += measurement_time(location, path).total;
		measurement_add_time(m, location, PATH_THREADS, &time);
		measurement_add_time(m, location, PATH_PROGRAM, &time);
	}
}
