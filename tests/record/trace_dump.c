/* Reads an archive through the OTF2 library and prints it for the tests: a line per location, then one per event in
 * the order of its location, or with --counts a line per region with its number of enters. Ends with status 1 where the library complains, times go back, or regions are not
 * balanced. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

enum { STRINGS = 1 << 20, LOCATIONS = 4096, DEPTH = 1 << 20 };

static char *strings[STRINGS];
static uint32_t region_names[STRINGS];
static uint64_t locations[LOCATIONS];
static size_t location_count, depth;
static uint32_t open_regions[DEPTH];
static uint64_t last;
static int faults, counts;
static uint64_t visits[STRINGS];

static const char *text_of(uint32_t string)
{
	return string < STRINGS && strings[string] != NULL ? strings[string] : "";
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
	(void)data;
	if (self < STRINGS)
		strings[self] = strdup(text);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
	(void)data, (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags;
	(void)end;
	region_names[self] = name;
	printf("region\t%s\t%s\t%u\n", text_of(name), text_of(file), begin);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
	(void)data, (void)type;
	locations[location_count++] = self;
	printf("location\t%" PRIu64 "\t%s\t%" PRIu64 "\t%u\n", self, text_of(name), events, group);
	return OTF2_CALLBACK_SUCCESS;
}

static void check_time(uint64_t time)
{
	if (time < last && faults++ == 0)
		printf("fault\tthe time goes back\n");
	last = time;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)data, (void)position, (void)attributes;
	check_time(time);
	open_regions[depth++] = region;
	visits[region]++;
	if (!counts)
		printf("enter\t%" PRIu64 "\t%" PRIu64 "\t%s\n", location, time,
		       text_of(region_names[region]));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
                                  void *data, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	(void)data, (void)position;
	check_time(time);
	if ((depth == 0 || open_regions[--depth] != region) && faults++ == 0)
		printf("fault\ta leave without its enter\n");
	if (!counts)
		printf("leave\t%" PRIu64 "\t%" PRIu64 "\t%s\t%u\n", location, time,
		       text_of(region_names[region]),
		       OTF2_AttributeList_GetNumberOfElements(attributes));
	return OTF2_CALLBACK_SUCCESS;
}

static void check(OTF2_ErrorCode code, const char *what)
{
	if (code == OTF2_SUCCESS)
		return;
	printf("fault\t%s: %s\n", what, OTF2_Error_GetDescription(code));
	exit(1);
}

static void read_definitions(OTF2_Reader *reader)
{
	uint64_t count;
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
	OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	check(OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, NULL),
	      "callbacks");
	check(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), "definitions");
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
}

static void read_events(OTF2_Reader *reader, uint64_t location)
{
	uint64_t count;
	/* They have what the numbers of the location's regions mean. */
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
	check(OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count), "definitions");
	check(OTF2_Reader_CloseDefReader(reader, definitions), "close");
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
	check(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL), "callbacks");
	last = depth = 0;
	check(OTF2_Reader_ReadAllLocalEvents(reader, events, &count), "events");
	if (depth != 0 && faults++ == 0)
		printf("fault\tregions stay open\n");
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	check(OTF2_Reader_CloseEvtReader(reader, events), "close");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	counts = argc > 2;
	OTF2_Reader *reader = OTF2_Reader_Open(argv[1]);
	if (reader == NULL)
		return 1;
	check(OTF2_Reader_SetSerialCollectiveCallbacks(reader), "open");
	read_definitions(reader);
	for (size_t i = 0; i < location_count; i++)
		check(OTF2_Reader_SelectLocation(reader, locations[i]), "select");
	check(OTF2_Reader_OpenDefFiles(reader), "open");
	check(OTF2_Reader_OpenEvtFiles(reader), "open");
	for (size_t i = 0; i < location_count; i++)
		read_events(reader, locations[i]);
	check(OTF2_Reader_CloseDefFiles(reader), "close");
	check(OTF2_Reader_CloseEvtFiles(reader), "close");
	OTF2_Reader_Close(reader);
	for (size_t i = 0; counts && i < STRINGS; i++) {
		if (visits[i] > 0)
			printf("visits\t%s\t%" PRIu64 "\n", text_of(region_names[i]), visits[i]);
	}
	return faults > 0;
}
