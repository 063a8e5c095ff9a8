/* Makes an archive of two MPI ranks in the folder of its argument, with events that those of fixtures do not have. Reads a line per
 * event: its name, the location (rank), the time in nanoseconds, and a region, or what the event needs. Ends with status 1
 * where the library complains. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

enum { RANKS = 2, SECOND = 1000000000, SPAN = 100 };

static const char *const strings[] = {"", "machine", "rank", "main", "MPI_Isend", "!$omp parallel"};
static const struct {
	OTF2_RegionRole role;
	OTF2_Paradigm paradigm;
} regions[] = {{OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER},
               {OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
               {OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP}};

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
	(void)data, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static void check(OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS)
		exit(1);
}

static OTF2_ErrorCode write_event(OTF2_EvtWriter *w, const char *name, uint64_t time, uint64_t more)
{
	if (strcmp(name, "enter") == 0)
		return OTF2_EvtWriter_Enter(w, NULL, time, (uint32_t)more);
	if (strcmp(name, "leave") == 0)
		return OTF2_EvtWriter_Leave(w, NULL, time, (uint32_t)more);
	if (strcmp(name, "flush") == 0) /* until MORE */
		return OTF2_EvtWriter_BufferFlush(w, NULL, time, more);
	if (strcmp(name, "switch") == 0)
		return OTF2_EvtWriter_MeasurementOnOff(w, NULL, time, (OTF2_MeasurementMode)more);
	if (strcmp(name, "isend") == 0) /* MORE bytes to rank 1 */
		return OTF2_EvtWriter_MpiIsend(w, NULL, time, 1, 0, 0, more, 0);
	return OTF2_ERROR_INVALID_ARGUMENT;
}

int main(int argc, char **argv)
{
	static const OTF2_FlushCallbacks flushes = {before_flush, NULL};
	static const uint64_t ranks[RANKS] = {0, 1};
	char line[128];
	uint64_t counts[RANKS] = {0};
	OTF2_EvtWriter *writers[RANKS];
	OTF2_Archive *archive = OTF2_Archive_Open(
	        argc == 2 ? argv[1] : "", "traces", OTF2_FILEMODE_WRITE,
	        OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
	        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (archive == NULL)
		return 1;
	check(OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL));
	check(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
	check(OTF2_Archive_OpenEvtFiles(archive));
	for (uint64_t i = 0; i < RANKS; i++)
		writers[i] = OTF2_Archive_GetEvtWriter(archive, i);
	while (fgets(line, sizeof line, stdin) != NULL) {
		char *rest = line;
		const char *name = strsep(&rest, " ");
		uint64_t location = rest == NULL ? RANKS : strtoull(rest, &rest, 10);
		if (location >= RANKS)
			return 1;
		counts[location]++;
		uint64_t time = strtoull(rest, &rest, 10), more = strtoull(rest, &rest, 10);
		check(*rest == '\n' ? write_event(writers[location], name, time, more)
		                    : OTF2_ERROR_INVALID_ARGUMENT);
	}
	for (uint64_t i = 0; i < RANKS; i++)
		check(OTF2_Archive_CloseEvtWriter(archive, writers[i]));
	check(OTF2_Archive_CloseEvtFiles(archive));
	OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
	check(OTF2_GlobalDefWriter_WriteClockProperties(w, SECOND, 0, (uint64_t)SPAN * SECOND, 1));
	for (uint32_t i = 0; i < sizeof strings / sizeof *strings; i++)
		check(OTF2_GlobalDefWriter_WriteString(w, i, strings[i]));
	for (uint32_t i = 0; i < sizeof regions / sizeof *regions; i++)
		check(OTF2_GlobalDefWriter_WriteRegion(w, i, 3 + i, 3 + i, 0, regions[i].role,
		                                       regions[i].paradigm, 0, 0, 0, 0));
	check(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, 1, 1,
	                                               OTF2_UNDEFINED_SYSTEM_TREE_NODE));
	for (uint32_t i = 0; i < RANKS; i++) {
		check(OTF2_GlobalDefWriter_WriteLocationGroup(w, i, 2,
		                                              OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		                                              OTF2_UNDEFINED_LOCATION_GROUP));
		check(OTF2_GlobalDefWriter_WriteLocation(w, i, 2, OTF2_LOCATION_TYPE_CPU_THREAD,
		                                         counts[i], i));
	}
	check(OTF2_GlobalDefWriter_WriteGroup(w, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS,
	                                      OTF2_PARADIGM_MPI, 0, RANKS, ranks));
	check(OTF2_GlobalDefWriter_WriteGroup(w, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP,
	                                      OTF2_PARADIGM_MPI, 0, RANKS, ranks));
	check(OTF2_GlobalDefWriter_WriteComm(w, 0, 0, 1, OTF2_UNDEFINED_COMM, 0));
	check(OTF2_Archive_Close(archive));
	return 0;
}
