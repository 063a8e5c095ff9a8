/* Regions are numbered in the order in which they are first seen. A code object has its region's number in an
 * extra slot of its own, so that no code is kept alive. Names are those of Score-P's bindings (facts:
 * bindings.md): the module's name, with that of the class of `self` after it, and the function's. */
#include "record/regions.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/recorder.h"

enum { CODE_UNRECORDED = RECORDING_REGION_MAX }; /* in the slot; 0: not seen yet */

static struct number_table numbers;        /* of regions, by the hash of their records */
static struct recording_region **records;  /* number N has the index N - 1 */
static uint32_t record_count, record_room; /* of RECORDS */

static ssize_t slot = -1;
static int (*get_extra)(PyObject *code, ssize_t index, void **extra);
static int (*set_extra)(PyObject *code, ssize_t index, void *extra);

/* Codes that were called before, by their address. It is emptied when a code with a region is freed, because another
 * one can get the address. */
enum { CACHE_SIZE = 256 };
static struct {
	PyObject *code;
	uint32_t region;
} cache[CACHE_SIZE];

static void empty_cache(void *extra)
{
	if (extra != NULL)
		memset(cache, 0, sizeof cache);
}

int region_begin(void)
{
	get_extra = PyUnstable_Code_GetExtra != NULL ? PyUnstable_Code_GetExtra : _PyCode_GetExtra;
	set_extra = PyUnstable_Code_SetExtra != NULL ? PyUnstable_Code_SetExtra : _PyCode_SetExtra;
	ssize_t (*request)(void (*)(void *)) = PyUnstable_Eval_RequestCodeExtraIndex != NULL
	                                               ? PyUnstable_Eval_RequestCodeExtraIndex
	                                               : _PyEval_RequestCodeExtraIndex;
	if (slot < 0 && get_extra != NULL && set_extra != NULL && request != NULL)
		slot = request(empty_cache);
	return slot < 0 ? -1 : 0;
}

/* ---- the filter ---- */

struct rule {
	bool is_file, excludes;
	char *pattern;
};

static struct {
	struct rule *rules;
	size_t count;
} filter;

bool region_add_rule(bool is_file, bool excludes, const char *pattern)
{
	struct rule *rules = realloc(filter.rules, (filter.count + 1) * sizeof *rules);
	if (rules == NULL)
		return false;
	filter.rules = rules;
	struct rule *rule = &rules[filter.count];
	rule->is_file = is_file;
	rule->excludes = excludes;
	rule->pattern = strdup(pattern);
	if (rule->pattern == NULL)
		return false;
	filter.count++;
	return true;
}

/* The last rule that fits counts, of those for files and of those for names. */
static bool is_excluded(const char *module, const char *name, const char *file)
{
	char text[1024];
	bool by_file = false, by_name = false;
	snprintf(text, sizeof text, "%s:%s", module, name);
	for (size_t i = 0; i < filter.count; i++) {
		const struct rule *rule = &filter.rules[i];
		if (fnmatch(rule->pattern, rule->is_file ? file : text, 0) == 0)
			*(rule->is_file ? &by_file : &by_name) = rule->excludes;
	}
	return by_file || by_name;
}

/* ---- the table ---- */

/* FNV-1a. */
static uint64_t hash_of(const struct recording_region *record)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	const unsigned char *bytes = (const unsigned char *)record;
	for (uint32_t i = 0; i < record->size; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* The entry of RECORD, or the free one that it would take: two records may have the same hash. */
static struct number_entry *find_number(const struct recording_region *record, uint64_t *hash)
{
	for (*hash = hash_of(record);; ++*hash) {
		struct number_entry *entry = number_table_find(&numbers, *hash | 1);
		const struct recording_region *known =
		        entry->key == 0 ? NULL : records[entry->number - 1];
		if (known == NULL ||
		    (known->size == record->size && memcmp(known, record, record->size) == 0))
			return entry;
	}
}

static bool records_reserve(void)
{
	uint32_t room = record_room == 0 ? 256 : record_room * 2;
	if (record_count < record_room)
		return true;
	struct recording_region **larger = realloc(records, room * sizeof *records); /* NOLINT */
	if (larger == NULL)
		return false;
	records = larger;
	record_room = room;
	return true;
}

static struct recording_region *make_record(enum recording_region_kind kind, const char *module,
                                            const char *name, const char *file, uint32_t line)
{
	size_t module_size = strlen(module) + 1, name_size = strlen(name) + 1;
	size_t file_size = strlen(file) + 1;
	size_t size = sizeof(struct recording_region) + module_size + name_size + file_size;
	struct recording_region *record = calloc(1, size);
	if (record == NULL)
		return NULL;
	*record = (struct recording_region){(uint32_t)size, (uint32_t)kind, line};
	char *text = (char *)(record + 1);
	memcpy(text, module, module_size);
	memcpy(text + module_size, name, name_size);
	memcpy(text + module_size + name_size, file, file_size);
	return record;
}

uint32_t region_define(enum recording_region_kind kind, const char *module, const char *name,
                       const char *file, uint32_t line)
{
	if (is_excluded(module, name, file))
		return REGION_UNRECORDED;
	struct recording_region *record = make_record(kind, module, name, file, line);
	if (record == NULL || !records_reserve() || !number_table_reserve(&numbers)) {
		free(record);
		recorder_note_gap(ENOMEM);
		return REGION_LATER;
	}
	uint64_t hash;
	struct number_entry *entry = find_number(record, &hash);
	if (entry->key != 0) {
		free(record);
		return entry->number;
	}
	bool is_full = record_count + 1 >= RECORDING_REGION_MAX;
	if (is_full || store_write(recorder.folder, "regions", record, record->size, -1) != 0) {
		recorder_note_gap(is_full ? EOVERFLOW : errno);
		free(record);
		return REGION_LATER;
	}
	records[record_count++] = record;
	number_table_put(&numbers, entry, hash | 1, record_count);
	return record_count;
}

/* A forked child writes a file of its own with the regions that are known, because codes have their numbers. */
int region_begin_child(void)
{
	int result = 0;
	for (uint32_t i = 0; result == 0 && i < record_count; i++)
		result = store_write(recorder.folder, "regions", records[i], records[i]->size, -1);
	return result;
}

/* ---- codes ---- */

/* Makes the end of TEXT a whole character of UTF-8, if it WAS_CUT. */
void text_cut(char *text, bool was_cut)
{
	size_t at = strlen(text);
	while (was_cut && at > 0 && ((unsigned char)text[at - 1] & 0xC0) == 0x80)
		at--;
	if (was_cut && at > 0)
		text[at - 1] = '\0';
}

static const char *text_of(PyObject *text, const char *instead)
{
	const char *found = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, NULL);
	if (found == NULL)
		PyErr_Clear();
	return found == NULL ? instead : found;
}

/* The index of NAME in the tuple LIST of CODE, whose length is added to *COUNT; -1: it is not there. */
static ssize_t index_of(PyObject *code, const char *list, PyObject *name, ssize_t *count)
{
	PyObject *names = PyObject_GetAttrString(code, list);
	ssize_t index = names == NULL ? -1 : PySequence_Index(names, name);
	PyErr_Clear(); /* it is not there */
	*count += names == NULL ? 0 : PyTuple_Size(names);
	Py_DecRef(names);
	return index;
}

/* True if CODE is a function's, with a variable NAME: an argument, another one, or one of the function around it. */
static bool has_variable(PyObject *code, PyObject *name)
{
	enum { CO_OPTIMIZED = 1 };
	ssize_t count = 0;
	PyObject *flags = PyObject_GetAttrString(code, "co_flags");
	bool is_function = flags != NULL && (PyLong_AsLong(flags) & CO_OPTIMIZED) != 0;
	Py_DecRef(flags);
	return is_function && (index_of(code, "co_varnames", name, &count) >= 0 ||
	                       index_of(code, "co_freevars", name, &count) >= 0 ||
	                       index_of(code, "co_cellvars", name, &count) >= 0);
}

/* Where the variables of a frame are, up to 3.11. f_locals would copy them into a dictionary that keeps them alive.
 * These versions get no new layout any more. */
static PyObject **variables_of(PyObject *frame)
{
	enum { FRAME_OFFSET_311 = 24, OFFSET_311 = 72, OFFSET_310 = 352, OFFSET_38 = 360 };
	char *at = (char *)frame;
	if (recorder.version == 311)
		at = *(char **)(void *)(at + FRAME_OFFSET_311) + OFFSET_311;
	else
		at += recorder.version == 310 ? OFFSET_310 : OFFSET_38;
	return (PyObject **)(void *)at;
}

/* The closure's cell number INDEX of the function that FRAME runs, in 3.11, which copies it later; borrowed. */
static PyObject *closure_cell(PyObject *frame, ssize_t index)
{
	enum { FRAME_OFFSET = 24 }; /* its first field is the function */
	PyObject *function = **(PyObject ***)(void *)((char *)frame + FRAME_OFFSET);
	PyObject *closure = PyObject_GetAttrString(function, "__closure__");
	PyObject *cell =
	        closure == NULL || closure == Py_None ? NULL : PyTuple_GetItem(closure, index);
	Py_DecRef(closure);
	PyErr_Clear();
	return cell;
}

/* The variable NAME of FRAME, a new reference; NULL: it has no value. */
static PyObject *frame_variable(PyObject *frame, PyObject *code, PyObject *name)
{
	if (PyFrame_GetVar != NULL)
		return PyFrame_GetVar(frame, name);
	ssize_t locals = 0, cells = 0, frees = 0;
	ssize_t local = index_of(code, "co_varnames", name, &locals);
	ssize_t cell = index_of(code, "co_cellvars", name, &cells);
	ssize_t free_variable = index_of(code, "co_freevars", name, &frees);
	PyObject **variables = variables_of(frame), *value = NULL;
	if (local >= 0)
		value = variables[local];
	if (value == NULL && cell >= 0 && recorder.version < 311)
		value = variables[locals + cell];
	if (value == NULL && free_variable >= 0)
		value = recorder.version == 311 ? closure_cell(frame, free_variable)
		                                : variables[locals + cells + free_variable];
	if (value != NULL && value->type == &PyCell_Type)
		return PyCell_Get(value);
	if (value != NULL)
		Py_IncRef(value);
	return value;
}

/* Copies the last part of the name of TYPE. Its attribute __name__ may be a program's. */
static void copy_type_name(char *out, size_t size, const PyObject *type)
{
	enum {
		NAME_OFFSET = 24
	}; /* tp_name follows the head of an object with a size, in all versions */
	const char *name = *(const char *const *)(const void *)((const char *)type + NAME_OFFSET);
	const char *point = strrchr(name, '.');
	snprintf(out, size, "%s", point == NULL ? name : point + 1);
	text_cut(out, strlen(name) >= size);
}

/* What is in the slot of CODE from now on, or REGION_LATER. */
static uint32_t define_code(PyObject *code, PyObject *frame)
{
	char buffer[1024], kind[256];
	PyObject *globals = PyObject_GetAttrString(frame, "f_globals");
	PyObject *module_object =
	        globals == NULL ? NULL : PyDict_GetItemString(globals, "__name__");
	const char *module = text_of(module_object, "unkown"); /* as the bindings spell it */
	if (recorder.awaits_main && strcmp(module, "__main__") != 0) {
		Py_DecRef(globals);
		return REGION_LATER;
	}
	recorder.awaits_main = false;
	PyObject *name = PyObject_GetAttrString(code, "co_name");
	PyObject *file = PyObject_GetAttrString(code, "co_filename");
	PyObject *line = PyObject_GetAttrString(code, "co_firstlineno");
	PyObject *word = PyUnicode_FromString("self");
	PyObject *self =
	        word != NULL && has_variable(code, word) ? frame_variable(frame, code, word) : NULL;
	uint32_t region = REGION_UNRECORDED;
	if (self != NULL) {
		copy_type_name(kind, sizeof kind, self->type);
		int length = snprintf(buffer, sizeof buffer, "%s.%s", module, kind);
		text_cut(buffer, length >= (int)sizeof buffer);
		module = buffer;
	}
	PyErr_Clear();
	long number = line == NULL ? 0 : PyLong_AsLong(line);
	if (strncmp(module, "scorep", strlen("scorep")) != 0 &&
	    strcmp(text_of(name, ""), "_unsetprofile") != 0)
		region = region_define(RECORDING_FUNCTION, module, text_of(name, "?"),
		                       text_of(file, ""), number < 0 ? 0 : (uint32_t)number);
	Py_DecRef(self);
	Py_DecRef(word);
	Py_DecRef(line);
	Py_DecRef(file);
	Py_DecRef(name);
	Py_DecRef(globals);
	PyErr_Clear();
	return region == REGION_UNRECORDED ? CODE_UNRECORDED : region;
}

uint32_t region_known(PyObject *code)
{
	void *extra = NULL;
	if (get_extra(code, slot, &extra) != 0)
		PyErr_Clear();
	uint32_t region = (uint32_t)(uintptr_t)extra;
	return region == CODE_UNRECORDED ? REGION_UNRECORDED : region;
}

static size_t cache_index(PyObject *code)
{
	return ((uintptr_t)code >> 5) % CACHE_SIZE;
}

/* The region of a CODE that is not in the cache. */
RARE static uint32_t region_find(struct location *location, PyObject *code, PyObject *frame)
{
	void *extra = NULL;
	if (get_extra(code, slot, &extra) != 0)
		PyErr_Clear();
	uint32_t region = (uint32_t)(uintptr_t)extra;
	if (region == 0) {
		/* A collection in a hook can crash 3.11.0 to 3.11.2 (python/cpython#101975). */
		int collects = PyGC_Disable != NULL ? PyGC_Disable() : 0;
		location->is_busy = true;
		if (frame == NULL)
			frame = PyEval_GetFrame();
		region = frame == NULL ? REGION_LATER : define_code(code, frame);
		location->is_busy = false;
		if (collects)
			PyGC_Enable();
		void *number = (void *)(uintptr_t)region; /* NOLINT: what the slot holds */
		if (region == REGION_LATER || set_extra(code, slot, number) != 0) {
			PyErr_Clear();
			return region == CODE_UNRECORDED ? REGION_UNRECORDED : region;
		}
	}
	if (region == CODE_UNRECORDED)
		region = REGION_UNRECORDED;
	cache[cache_index(code)].code = code;
	cache[cache_index(code)].region = region;
	return region;
}

uint32_t region_of(struct location *location, PyObject *code, PyObject *frame)
{
	size_t at = cache_index(code);
	return cache[at].code == code ? cache[at].region : region_find(location, code, frame);
}
