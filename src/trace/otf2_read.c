/* First the global definitions, then location by location its own (the library translates the numbers of its regions
 * by them) and its events. A stack of the open call paths gives their times. They are counted in ticks of the
 * archive and become nanoseconds at the end. */
#include "trace/otf2_read.h"

#include "base/paths.h"
#include "trace/timeline.h"

/* Callbacks have the parameters of the library's types. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef NBSCOREP_OTF2

#include <otf2/otf2.h>

/* Numbers of definitions are indices of arrays here; those of Score-P have no gaps. */
enum { REFERENCE_MAX = 1 << 24 };

/* Sets item AT of a vector that grows to have it; a number beyond the limit is left out. */
#define put_at(reader, vec, at, ...)                                                               \
	do {                                                                                       \
		while ((at) < REFERENCE_MAX && (vec)->count <= (at))                               \
			vec_push((reader)->arena, (vec), (__typeof__(*(vec)->items)){0});          \
		if ((at) < REFERENCE_MAX)                                                          \
			(vec)->items[at] = (__VA_ARGS__);                                          \
	} while (0)

/* Item AT of a vector, or one of zeros. */
#define get_at(vec, at) ((at) < (vec)->count ? (vec)->items[at] : (__typeof__(*(vec)->items)){0})

struct group {
	const uint64_t *members;
	uint32_t count;
};

struct place {
	OTF2_LocationRef ref;
	struct slice name;
	uint32_t group; /* of locations */
	size_t order;
	uint64_t events; /* as the definitions say */
};

struct reader {
	struct arena *arena;
	struct measurement *m;
	uint64_t resolution; /* ticks a second */
	uint64_t begin, end; /* ticks */
	int64_t begins_at;   /* nanoseconds since 1970 */
	VECTOR(struct slice) strings;
	VECTOR(struct slice) nodes;
	VECTOR(uint32_t) processes; /* by location group: index + 1 */
	VECTOR(uint32_t) regions;   /* index + 1 */
	VECTOR(struct group) groups;
	VECTOR(uint32_t) communicators;   /* group + 1 */
	VECTOR(struct place) places;      /* as the locations of the measurement */
	struct number_map location_index; /* index + 1 */
	struct group ranks;               /* the locations of MPI's ranks; empty: not known */
	uint32_t off, flush;              /* regions */
	uint32_t first;                   /* location of the measurement */

	uint32_t index; /* of the location that is read */
	struct measured_location *location;
	VECTOR(uint64_t) enters; /* of the open regions, in ticks */
	uint32_t path;           /* of the innermost one, or where the location's regions begin */
	uint32_t cell;           /* the call path of the outermost cell that is open; 0: none */
	size_t visit; /* the first one of its process that has not ended, if it is a thread's */
	struct timeline_maker timeline;
	struct number_map messages; /* those it sent, by receiver << 32 | cell: index + 1 */
	uint64_t last;              /* ticks */
	const char *problem; /* what is wrong with an event, or what the library said first */
};

/* ---- definitions ---- */

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t since_1970)
{
	struct reader *r = data;
	r->resolution = resolution;
	r->begin = offset;
	r->end = length <= UINT64_MAX - offset ? offset + length : UINT64_MAX;
	r->begins_at = since_1970 == OTF2_UNDEFINED_TIMESTAMP ? 0 : (int64_t)since_1970;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
	struct reader *r = data;
	put_at(r, &r->strings, self, arena_dup(r->arena, slice_from(text)));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
	struct reader *r = data;
	put_at(r, &r->nodes, self, get_at(&r->strings, name));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
	struct reader *r = data;
	if (type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
		return OTF2_CALLBACK_SUCCESS;
	const struct measured_process process = {.name = get_at(&r->strings, name),
	                                         .host = get_at(&r->nodes, node)};
	vec_push(r->arena, &r->m->processes, process);
	put_at(r, &r->processes, self, (uint32_t)r->m->processes.count);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
	struct reader *r = data;
	if (type == OTF2_LOCATION_TYPE_CPU_THREAD && get_at(&r->processes, group) != 0)
		vec_push(r->arena, &r->places,
		         (struct place){self, get_at(&r->strings, name), group, r->places.count,
		                        events});
	return OTF2_CALLBACK_SUCCESS;
}

/* What Score-P calls a region's paradigm and role (OTF2_Definitions.h). */
static enum region_kind kind_of(OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
	if (paradigm == OTF2_PARADIGM_OPENMP || paradigm == OTF2_PARADIGM_OMPSS)
		return REGION_PARALLEL;
	if (paradigm != OTF2_PARADIGM_MPI)
		return REGION_FUNCTION;
	switch (role) {
	case OTF2_REGION_ROLE_BARRIER:
	case OTF2_REGION_ROLE_COLL_ONE2ALL:
	case OTF2_REGION_ROLE_COLL_ALL2ONE:
	case OTF2_REGION_ROLE_COLL_ALL2ALL:
	case OTF2_REGION_ROLE_COLL_OTHER:
		return REGION_MPI_COLLECTIVE;
	case OTF2_REGION_ROLE_POINT2POINT:
	case OTF2_REGION_ROLE_RMA:
	case OTF2_REGION_ROLE_ATOMIC:
		return REGION_MPI_MESSAGE;
	case OTF2_REGION_ROLE_FILE_IO:
	case OTF2_REGION_ROLE_FILE_IO_METADATA:
		return REGION_MPI_FILE;
	default:
		return REGION_MPI;
	}
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t line,
                                   uint32_t last_line)
{
	struct reader *r = data;
	struct measured_region region = measurement_region_named(get_at(&r->strings, name));
	region.file = get_at(&r->strings, file);
	region.line = line;
	region.kind = kind_of(role, paradigm);
	put_at(r, &r->regions, self, measurement_add_region(r->m, &region) + 1);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t count, const uint64_t *members)
{
	struct reader *r = data;
	bool has_ranks = type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI;
	if (type != OTF2_GROUP_TYPE_COMM_GROUP && !has_ranks)
		return OTF2_CALLBACK_SUCCESS;
	uint64_t *copy = arena_calloc(r->arena, (size_t)count + 1, sizeof *copy);
	memcpy(copy, members, count * sizeof *copy);
	const struct group group = {copy, count};
	if (has_ranks)
		r->ranks = group;
	else
		put_at(r, &r->groups, self, group);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_communicator(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                         OTF2_GroupRef group, OTF2_CommRef parent,
                                         OTF2_CommFlag flags)
{
	struct reader *r = data;
	put_at(r, &r->communicators, self, group + 1);
	return OTF2_CALLBACK_SUCCESS;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;
	if (left->group != right->group)
		return left->group < right->group ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

/* ---- events ---- */

/* The parameters that the callbacks of all events begin with. */
#define OF_EVENT                                                                                   \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,             \
	        OTF2_AttributeList *attributes

/* The call path of the innermost open region is now PATH. */
static void change_path(struct reader *r, uint64_t time, uint32_t path)
{
	r->path = path;
	if (r->m->changes_wanted > 0)
		timeline_change(&r->timeline, time, path);
}

static void enter_path(struct reader *r, uint64_t time, uint32_t path)
{
	vec_push(r->arena, &r->enters, time);
	change_path(r, time, path);
}

/* Times of the library do not go back, but for damaged clocks. With the first event the timeline begins, which has its
 * share of the changes that are wanted. */
static uint64_t note_time(struct reader *r, uint64_t time)
{
	enum { LEAST = 500 };
	struct measured_location *location = r->location;
	bool is_first = location->event_count++ == 0;
	if (is_first)
		location->begin = r->last = time;
	if (is_first && r->m->changes_wanted > 0) {
		uint64_t most = r->m->changes_wanted / r->places.count, length = r->end - r->begin;
		uint64_t events = r->places.items[r->index - r->first].events;
		most = most < LEAST ? LEAST : most;
		vec_push(r->arena, &location->timelines, (struct measured_timeline){0});
		timeline_begin(&r->timeline, r->m, &location->timelines.items[0],
		               events <= most ? 0 : length / most + 1, time,
		               measurement_root(location));
	}
	if (time > r->last)
		r->last = time;
	return r->last;
}

static uint64_t to_nanoseconds(const struct reader *r, uint64_t ticks)
{
	return (uint64_t)((double)ticks * 1e9 / (double)r->resolution);
}

/* Adds that the thread that is read ran from BEGIN to END, in nanoseconds, to the cells in which its process was then.
 * Those are known. */
static void add_overlaps(struct reader *r, uint64_t begin, uint64_t end)
{
	struct measurement *m = r->m;
	const struct measured_process *process = &m->processes.items[r->location->process];
	while (r->visit < process->visits.count && process->visits.items[r->visit].end <= begin)
		r->visit++;
	for (size_t i = r->visit; i < process->visits.count; i++) {
		const struct measured_visit *visit = &process->visits.items[i];
		uint64_t from = visit->begin > begin ? visit->begin : begin;
		uint64_t to = visit->end < end ? visit->end : end;
		if (visit->begin >= end)
			break;
		if (to <= from) /* a visit without length */
			continue;
		size_t count = m->overlaps.count;
		bool is_known = count > 0 && m->overlaps.items[count - 1].location == r->index &&
		                m->overlaps.items[count - 1].cell == visit->path;
		if (is_known)
			m->overlaps.items[count - 1].time += to - from;
		else
			vec_push(r->arena, &m->overlaps,
			         (struct measured_overlap){r->index, visit->path, to - from});
	}
}

static void leave_path(struct reader *r, uint64_t time)
{
	enum { VISITS_MAX = 100000 };
	uint64_t enter = r->enters.items[--r->enters.count];
	struct measured_process *process = &r->m->processes.items[r->location->process];
	measurement_add_visit(r->m, r->location, r->path, time - enter);
	if (r->cell != 0 && r->cell == r->path) {
		r->cell = 0;
		if (r->location->number == 0 && process->visits.count < VISITS_MAX)
			vec_push(r->arena, &process->visits,
			         (struct measured_visit){r->path, to_nanoseconds(r, enter),
			                                 to_nanoseconds(r, time)});
	}
	if (r->location->number > 0 && r->enters.count == 0)
		add_overlaps(r, to_nanoseconds(r, enter), to_nanoseconds(r, time));
	change_path(r, time, r->m->paths.items[r->path].parent);
}

static OTF2_CallbackCode on_enter(OF_EVENT, OTF2_RegionRef ref)
{
	struct reader *r = data;
	uint32_t region = get_at(&r->regions, ref);
	if (region == 0) {
		r->problem = "an event is of a region that is not defined";
		return OTF2_CALLBACK_INTERRUPT;
	}
	enter_path(r, note_time(r, time), measurement_add_path(r->m, r->path, region - 1));
	if (r->cell == 0 && r->m->regions.items[region - 1].kind == REGION_CELL)
		r->cell = r->path;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OF_EVENT, OTF2_RegionRef ref)
{
	struct reader *r = data;
	if (r->path < PATH_COUNT ||
	    r->m->paths.items[r->path].region + 1 != get_at(&r->regions, ref)) {
		r->problem = "a region is left that was not entered last";
		return OTF2_CALLBACK_INTERRUPT;
	}
	leave_path(r, note_time(r, time));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_program_begin(OF_EVENT, OTF2_StringRef name, uint32_t count,
                                          const OTF2_StringRef *words)
{
	struct reader *r = data;
	struct measured_process *process = &r->m->processes.items[r->location->process];
	time = note_time(r, time);
	if (r->enters.count > 0 || r->location->number != 0)
		return OTF2_CALLBACK_SUCCESS;
	struct strbuf command = {.arena = r->arena};
	strbuf_add(&command, get_at(&r->strings, name));
	for (uint32_t i = 0; i < count; i++) {
		strbuf_addc(&command, ' ');
		strbuf_add(&command, get_at(&r->strings, words[i]));
	}
	process->command = strbuf_slice(&command);
	process->program = path_file(get_at(&r->strings, name));
	enter_path(r, time, PATH_PROGRAM);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_program_end(OF_EVENT, int64_t status)
{
	struct reader *r = data;
	time = note_time(r, time);
	if (r->enters.count > 0 && r->path == PATH_PROGRAM)
		leave_path(r, time);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_flush(OF_EVENT, OTF2_TimeStamp stop)
{
	struct reader *r = data;
	enter_path(r, note_time(r, time), measurement_add_path(r->m, r->path, r->flush));
	r->last = stop > r->last ? stop : r->last;
	leave_path(r, r->last);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_switch(OF_EVENT, OTF2_MeasurementMode mode)
{
	struct reader *r = data;
	time = note_time(r, time);
	bool is_off = r->path >= PATH_COUNT && r->m->paths.items[r->path].region == r->off;
	if (mode == OTF2_MEASUREMENT_OFF && !is_off)
		enter_path(r, time, measurement_add_path(r->m, r->path, r->off));
	else if (mode == OTF2_MEASUREMENT_ON && is_off)
		leave_path(r, time);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_send(OF_EVENT, uint32_t receiver, OTF2_CommRef communicator,
                                 uint32_t tag, uint64_t bytes)
{
	struct reader *r = data;
	uint32_t ref = get_at(&r->communicators, communicator);
	struct group group = {0};
	size_t to = 0; /* index + 1 of the location, if it is known */
	if (ref > 0)
		group = get_at(&r->groups, ref - 1);
	if (receiver < group.count && group.members[receiver] < r->ranks.count)
		to = number_map_get(&r->location_index, r->ranks.members[group.members[receiver]]);
	(void)note_time(r, time);
	if (to > 0) {
		size_t *index = number_map_at(&r->messages, (uint64_t)to << 32 | r->cell);
		if (*index == 0) {
			const struct measured_messages none = {r->index, (uint32_t)to - 1, r->cell,
			                                       0, 0};
			vec_push(r->arena, &r->m->messages, none);
			*index = r->m->messages.count;
		}
		r->m->messages.items[*index - 1].count++;
		r->m->messages.items[*index - 1].bytes += bytes;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OF_EVENT, uint32_t receiver, OTF2_CommRef communicator,
                                  uint32_t tag, uint64_t bytes, uint64_t request)
{
	return on_send(location, time, position, data, attributes, receiver, communicator, tag,
	               bytes);
}

/* ---- the archive ---- */

static OTF2_ErrorCode keep_message(void *data, const char *file, uint64_t line,
                                   const char *function, OTF2_ErrorCode code, const char *format,
                                   va_list arguments)
{
	struct reader *r = data;
	if (r->problem == NULL && code > OTF2_SUCCESS)
		r->problem = OTF2_Error_GetDescription(code);
	return code;
}

static bool read_definitions(struct reader *r, OTF2_Reader *library)
{
	uint64_t count;
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(library);
	OTF2_GlobalDefReaderCallbacks *calls = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(calls, on_clock);
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, on_string);
	OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(calls, on_node);
	OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(calls, on_location_group);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, on_location);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, on_region);
	OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, on_group);
	OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, on_communicator);
	bool is_read =
	        definitions != NULL &&
	        OTF2_Reader_RegisterGlobalDefCallbacks(library, definitions, calls, r) ==
	                OTF2_SUCCESS &&
	        OTF2_Reader_ReadAllGlobalDefinitions(library, definitions, &count) == OTF2_SUCCESS;
	OTF2_GlobalDefReaderCallbacks_Delete(calls);
	if (!is_read || r->resolution == 0)
		return false;
	/* The locations of the measurement, those of a process one after the other. */
	vec_sort(&r->places, compare_places);
	for (uint32_t i = 0; i < r->places.count; i++) {
		const struct place *place = &r->places.items[i];
		uint32_t index = r->processes.items[place->group] - 1;
		struct measured_process *process = &r->m->processes.items[index];
		if (process->location_count == 0)
			process->first_location = r->first + i;
		const struct measured_location location = {
		        .name = place->name, .process = index, .number = process->location_count++};
		vec_push(r->arena, &r->m->locations, location);
		*number_map_at(&r->location_index, place->ref) = r->first + i + 1;
	}
	return true;
}

static bool read_location(struct reader *r, OTF2_Reader *library,
                          const OTF2_EvtReaderCallbacks *calls, uint32_t index)
{
	uint64_t count;
	OTF2_LocationRef ref = r->places.items[index].ref;
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(library, ref);
	bool is_read = definitions == NULL || OTF2_Reader_ReadAllLocalDefinitions(
	                                              library, definitions, &count) == OTF2_SUCCESS;
	if (definitions != NULL)
		(void)OTF2_Reader_CloseDefReader(library, definitions);
	OTF2_EvtReader *events = is_read ? OTF2_Reader_GetEvtReader(library, ref) : NULL;
	r->index = r->first + index;
	struct measured_location *location = &r->m->locations.items[r->index];
	r->location = location;
	r->messages = (struct number_map){.arena = r->arena};
	r->last = 0;
	r->enters.count = 0;
	r->path = measurement_root(location);
	r->cell = 0;
	r->visit = 0;
	is_read = events != NULL &&
	          OTF2_Reader_RegisterEvtCallbacks(library, events, calls, r) == OTF2_SUCCESS &&
	          OTF2_Reader_ReadAllLocalEvents(library, events, &count) == OTF2_SUCCESS;
	if (events != NULL)
		(void)OTF2_Reader_CloseEvtReader(library, events);
	if (!is_read)
		return false;
	/* Regions that are still open end at the last event; ticks become nanoseconds. */
	while (r->enters.count > 0)
		leave_path(r, r->last);
	if (location->timelines.count > 0) {
		struct measured_timeline *timeline = &location->timelines.items[0];
		timeline_end(&r->timeline, r->last);
		timeline->width = to_nanoseconds(r, timeline->width);
		timeline->end = to_nanoseconds(r, timeline->end);
		for (size_t i = 0; i < timeline->changes.count; i++)
			timeline->changes.items[i].time =
			        to_nanoseconds(r, timeline->changes.items[i].time);
		timeline_add_levels(&r->timeline, r->m, location);
	}
	if (location->number == 0 && measurement_time(location, PATH_PROGRAM).visits == 0)
		measurement_add_visit(r->m, location, PATH_PROGRAM, r->last - location->begin);
	for (size_t i = 0; i < location->times.count; i++)
		location->times.items[i].total = to_nanoseconds(r, location->times.items[i].total);
	location->begin = to_nanoseconds(r, location->begin);
	location->end = to_nanoseconds(r, r->last);
	struct measured_process *process = &r->m->processes.items[location->process];
	if (process->begin == 0 || (location->event_count > 0 && location->begin < process->begin))
		process->begin = location->begin;
	if (location->end > process->end)
		process->end = location->end;
	return true;
}

/* Returns the file that could not be read, or an empty slice. */
static struct slice read_events(struct reader *r, OTF2_Reader *library)
{
	struct slice failed = {0};
	OTF2_EvtReaderCallbacks *calls = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetEnterCallback(calls, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(calls, on_leave);
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(calls, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(calls, on_program_end);
	OTF2_EvtReaderCallbacks_SetBufferFlushCallback(calls, on_flush);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(calls, on_switch);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(calls, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(calls, on_isend);
	for (size_t i = 0; i < r->places.count; i++)
		(void)OTF2_Reader_SelectLocation(library, r->places.items[i].ref);
	bool has_files = OTF2_Reader_OpenDefFiles(library) == OTF2_SUCCESS;
	(void)OTF2_Reader_OpenEvtFiles(library);
	for (uint32_t i = 0; i < r->places.count && failed.len == 0; i++) {
		if (!read_location(r, library, calls, i))
			failed = arena_printf(r->arena, "traces/%llu.evt",
			                      (unsigned long long)r->places.items[i].ref);
	}
	if (has_files)
		(void)OTF2_Reader_CloseDefFiles(library);
	(void)OTF2_Reader_CloseEvtFiles(library);
	OTF2_EvtReaderCallbacks_Delete(calls);
	return failed;
}

const char *otf2_read(struct measurement *out, struct arena *arena, struct slice directory,
                      struct slice *failed)
{
	struct reader r = {.arena = arena, .m = out};
	struct slice file = SLICE("traces.otf2");
	const struct measured_region off = {.name = SLICE("MEASUREMENT OFF"), .kind = REGION_OFF};
	const struct measured_region flush = {.name = SLICE("TRACE BUFFER FLUSH"),
	                                      .kind = REGION_FLUSH};
	r.first = (uint32_t)out->locations.count;
	r.location_index.arena = arena;
	r.off = measurement_add_region(out, &off);
	r.flush = measurement_add_region(out, &flush);
	OTF2_Error_RegisterCallback(keep_message, &r);
	OTF2_Reader *library =
	        OTF2_Reader_Open(arena_cstr(arena, path_join(arena, directory, file)));
	bool is_open = library != NULL &&
	               OTF2_Reader_SetSerialCollectiveCallbacks(library) == OTF2_SUCCESS;
	if (is_open && !read_definitions(&r, library)) {
		is_open = false;
		file = SLICE("traces.def");
	}
	if (is_open)
		file = read_events(&r, library);
	if (library != NULL)
		(void)OTF2_Reader_Close(library);
	OTF2_Error_RegisterCallback(NULL, NULL);
	if (is_open && file.len == 0) {
		uint64_t begin = to_nanoseconds(&r, r.begin), end = to_nanoseconds(&r, r.end);
		if (out->end == 0 || begin < out->begin) {
			out->begin = begin;
			out->begins_at = r.begins_at;
		}
		out->end = end > out->end ? end : out->end;
		measurement_add_threads(out, r.first);
		return NULL;
	}
	*failed = path_join(arena, directory, file);
	return r.problem != NULL ? r.problem : "it has no clock";
}

#else

const char *otf2_read(struct measurement *out, struct arena *arena, struct slice directory,
                      struct slice *failed)
{
	*failed = path_join(arena, directory, SLICE("traces.otf2"));
	return "nbscorep was built without the OTF2 library";
}

#endif
