/* The order of the steps is that of the library's own example for a serial writer: events of all locations, their
 * (empty) local definitions, then the global ones. Definitions are like those of Score-P (shared traces): a tree of
 * machine and node, a location group per process, a location per thread. */
#include "trace/otf2_write.h"

/* Callbacks have the parameters of the library's types. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef NBSCOREP_OTF2

#include <otf2/otf2.h>

enum { NS_PER_SECOND = 1000000000 };

struct writer {
	struct arena *arena;
	const struct recording *recording;
	const struct measurement *measurement; /* of the recording */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *definitions;
	OTF2_EvtWriter *events; /* of the location that is written */
	uint64_t *counts;       /* of events, by location */
	uint32_t string_count;
	OTF2_ErrorCode error; /* the first one */
};

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
	return OTF2_FLUSH;
}

static void keep_error(struct writer *w, OTF2_ErrorCode code)
{
	if (w->error == OTF2_SUCCESS)
		w->error = code;
}

/* As Score-P numbers them: the thread above 32 bits of the process. */
static OTF2_LocationRef location_ref(const struct measured_location *location)
{
	return (uint64_t)location->number << 32 | location->process;
}

static uint32_t add_string(struct writer *w, struct slice text)
{
	keep_error(w, OTF2_GlobalDefWriter_WriteString(w->definitions, w->string_count,
	                                               arena_cstr(w->arena, text)));
	return w->string_count++;
}

/* ---- events ---- */

static int write_event(void *data, enum recording_event kind, uint32_t region, uint64_t time)
{
	struct writer *w = data;
	keep_error(w, kind == RECORDING_ENTER
	                      ? OTF2_EvtWriter_Enter(w->events, NULL, time, region)
	                      : OTF2_EvtWriter_Leave(w->events, NULL, time, region));
	return w->error == OTF2_SUCCESS ? 0 : 1;
}

/* The words of the commands are the first strings; a process without words has the name of its interpreter. */
static void write_program_begin(struct writer *w, uint32_t process)
{
	uint32_t first = 0; /* string of this process */
	for (uint32_t i = 0; i < process; i++) {
		size_t before = w->recording->processes.items[i].words.count;
		first += before > 0 ? (uint32_t)before : 1;
	}
	size_t count = w->recording->processes.items[process].words.count;
	uint32_t *words = arena_calloc(w->arena, count + 1, sizeof *words);
	for (uint32_t i = 0; i < count; i++)
		words[i] = first + 1 + i;
	keep_error(w, OTF2_EvtWriter_ProgramBegin(
	                      w->events, NULL, w->measurement->processes.items[process].begin,
	                      first, count > 0 ? (uint32_t)count - 1 : 0, words));
}

static int write_events(struct writer *w)
{
	int result = 0;
	keep_error(w, OTF2_Archive_OpenEvtFiles(w->archive));
	for (size_t i = 0; result >= 0 && i < w->measurement->locations.count; i++) {
		const struct measured_location *location = &w->measurement->locations.items[i];
		uint32_t process = location->process;
		w->events = OTF2_Archive_GetEvtWriter(w->archive, location_ref(location));
		if (w->events == NULL) {
			result = -1;
			break;
		}
		if (location->number == 0)
			write_program_begin(w, process);
		result = recording_events(w->recording, i, write_event, w);
		if (location->number == 0 &&
		    w->recording->processes.items[process].head.ended != RECORDING_UNENDED)
			keep_error(w, OTF2_EvtWriter_ProgramEnd(
			                      w->events, NULL,
			                      w->measurement->processes.items[process].end,
			                      OTF2_UNDEFINED_INT64));
		keep_error(w, OTF2_EvtWriter_GetNumberOfEvents(w->events, &w->counts[i]));
		keep_error(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
	}
	keep_error(w, OTF2_Archive_CloseEvtFiles(w->archive));
	keep_error(w, OTF2_Archive_OpenDefFiles(w->archive));
	for (size_t i = 0; result >= 0 && i < w->measurement->locations.count; i++) {
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(
		        w->archive, location_ref(&w->measurement->locations.items[i]));
		keep_error(w, OTF2_Archive_CloseDefWriter(w->archive, writer));
	}
	keep_error(w, OTF2_Archive_CloseDefFiles(w->archive));
	return result;
}

/* ---- definitions ---- */

static void write_locations(struct writer *w)
{
	const struct measurement *m = w->measurement;
	uint32_t node = 1, node_class = add_string(w, SLICE("node"));
	keep_error(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(
	                      w->definitions, 0, add_string(w, SLICE("Linux")),
	                      add_string(w, SLICE("machine")), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	keep_error(w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
	                      w->definitions, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
	keep_error(w, OTF2_GlobalDefWriter_WriteSystemTreeNode(
	                      w->definitions, node, add_string(w, m->processes.items[0].host),
	                      node_class, 0));
	keep_error(w, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
	                      w->definitions, node, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
	for (uint32_t i = 0; i < m->processes.count; i++) {
		keep_error(w, OTF2_GlobalDefWriter_WriteLocationGroup(
		                      w->definitions, i, add_string(w, m->processes.items[i].name),
		                      OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
		                      OTF2_UNDEFINED_LOCATION_GROUP));
	}
	for (size_t i = 0; i < m->locations.count; i++) {
		const struct measured_location *location = &m->locations.items[i];
		keep_error(w, OTF2_GlobalDefWriter_WriteLocation(
		                      w->definitions, location_ref(location),
		                      add_string(w, location->name), OTF2_LOCATION_TYPE_CPU_THREAD,
		                      w->counts[i], location->process));
	}
}

static void write_definitions(struct writer *w)
{
	const struct measurement *m = w->measurement;
	keep_error(w, OTF2_GlobalDefWriter_WriteClockProperties(w->definitions, NS_PER_SECOND,
	                                                        m->begin, m->end - m->begin,
	                                                        (uint64_t)m->begins_at));
	for (uint32_t i = 0; i < m->processes.count; i++) {
		const struct recorded_process *process = &w->recording->processes.items[i];
		for (size_t k = 0; k < process->words.count; k++)
			(void)add_string(w, process->words.items[k]);
		if (process->words.count == 0)
			(void)add_string(w, m->processes.items[i].program);
	}
	const uint32_t empty = add_string(w, SLICE(""));
	struct slice file = {0};
	uint32_t file_string = empty;
	for (uint32_t i = 0; i < m->regions.count; i++) {
		const struct measured_region *region = &m->regions.items[i];
		uint32_t name = add_string(w, measurement_region_text(w->arena, region));
		OTF2_RegionRole role =
		        region->kind == REGION_MPI_MESSAGE      ? OTF2_REGION_ROLE_POINT2POINT
		        : region->kind == REGION_MPI_COLLECTIVE ? OTF2_REGION_ROLE_COLL_OTHER
		        : region->kind == REGION_MPI_FILE       ? OTF2_REGION_ROLE_FILE_IO
		                                                : OTF2_REGION_ROLE_FUNCTION;
		if (!slice_eq(file, region->file)) {
			file = region->file;
			file_string = file.len == 0 ? empty : add_string(w, file);
		}
		keep_error(w, OTF2_GlobalDefWriter_WriteRegion(
		                      w->definitions, i, name, name, empty, role,
		                      measurement_is_mpi(region->kind) ? OTF2_PARADIGM_MPI
		                                                       : OTF2_PARADIGM_USER,
		                      OTF2_REGION_FLAG_NONE, file_string, region->line, 0));
	}
	write_locations(w);
}

static OTF2_ErrorCode be_quiet(void *data, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list arguments)
{
	return code;
}

const char *otf2_write(struct arena *arena, const char *directory,
                       const struct recording *recording, uint64_t *events)
{
	static const OTF2_FlushCallbacks flushes = {before_flush, NULL}; /* no flush is an event */
	struct writer w = {
	        .arena = arena, .recording = recording, .measurement = &recording->measurement};
	OTF2_Error_RegisterCallback(be_quiet, NULL);
	w.counts = arena_calloc(arena, w.measurement->locations.count + 1, sizeof *w.counts);
	w.archive = OTF2_Archive_Open(
	        directory, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
	        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (w.archive == NULL)
		return "the archive cannot be opened";
	keep_error(&w, OTF2_Archive_SetFlushCallbacks(w.archive, &flushes, NULL));
	keep_error(&w, OTF2_Archive_SetSerialCollectiveCallbacks(w.archive));
	keep_error(&w, OTF2_Archive_SetCreator(w.archive, "nbscorep"));
	int result = write_events(&w);
	w.definitions = OTF2_Archive_GetGlobalDefWriter(w.archive);
	if (w.definitions != NULL)
		write_definitions(&w);
	keep_error(&w, OTF2_Archive_Close(w.archive));
	for (size_t i = 0; i < w.measurement->locations.count; i++)
		*events += w.counts[i];
	if (result < 0)
		return "the recording cannot be read";
	return w.error == OTF2_SUCCESS ? NULL : OTF2_Error_GetDescription(w.error);
}

#else

const char *otf2_write(struct arena *arena, const char *directory,
                       const struct recording *recording, uint64_t *events)
{
	return "nbscorep was built without the OTF2 library";
}

#endif
