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

struct region_entry {
	uint64_t hash;
	struct recording_region *record; /* NULL: free */
	uint32_t number;
};

static struct {
	struct region_entry *entries;
	uint32_t size, count; /* SIZE: a power of 2 */
	uint32_t numbers;     /* in the file */
} table;

static ssize_t slot = -1;
static int (*get_extra)(PyObject *code, ssize_t index, void **extra);
static int (*set_extra)(PyObject *code, ssize_t index, void *extra);

int region_begin(void)
{
	get_extra = PyUnstable_Code_GetExtra != NULL ? PyUnstable_Code_GetExtra : _PyCode_GetExtra;
	set_extra = PyUnstable_Code_SetExtra != NULL ? PyUnstable_Code_SetExtra : _PyCode_SetExtra;
	ssize_t (*request)(void (*)(void *)) = PyUnstable_Eval_RequestCodeExtraIndex != NULL
	                                               ? PyUnstable_Eval_RequestCodeExtraIndex
	                                               : _PyEval_RequestCodeExtraIndex;
	if (slot < 0 && get_extra != NULL && set_extra != NULL && request != NULL)
		slot = request(NULL);
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
	char *copy = strdup(pattern);
	if (copy == NULL)
		return false;
	rules[filter.count++] = (struct rule){is_file, excludes, copy};
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

static struct region_entry *find_entry(const struct recording_region *record, uint64_t hash)
{
	uint32_t mask = table.size - 1, at = (uint32_t)hash & mask;
	for (;; at = (at + 1) & mask) {
		struct region_entry *entry = &table.entries[at];
		if (entry->record == NULL ||
		    (entry->hash == hash && entry->record->size == record->size &&
		     memcmp(entry->record, record, record->size) == 0))
			return entry;
	}
}

static bool table_grow(void)
{
	struct region_entry *old = table.entries;
	uint32_t size = table.size;
	struct region_entry *larger = calloc(size == 0 ? 1024 : size * 2, sizeof *larger);
	if (larger == NULL)
		return false;
	table.entries = larger;
	table.size = size == 0 ? 1024 : size * 2;
	for (uint32_t i = 0; i < size; i++) {
		if (old[i].record != NULL)
			*find_entry(old[i].record, old[i].hash) = old[i];
	}
	free(old);
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
		return 0;
	struct recording_region *record = make_record(kind, module, name, file, line);
	if (record == NULL || (table.count * 2 >= table.size && !table_grow())) {
		free(record);
		return 0;
	}
	uint64_t hash = hash_of(record);
	struct region_entry *entry = find_entry(record, hash);
	if (entry->record != NULL) {
		free(record);
		return entry->number;
	}
	if (table.numbers + 1 >= RECORDING_REGION_MAX ||
	    store_write(recorder.folder, "regions", record, record->size, -1) != 0) {
		recorder_end_trace(errno);
		free(record);
		return 0;
	}
	*entry = (struct region_entry){hash, record, ++table.numbers};
	table.count++;
	return entry->number;
}

/* A forked child writes a file of its own with the regions that are known, because codes have their numbers. */
int region_begin_child(void)
{
	struct recording_region **records =
	        calloc(table.numbers + 1, sizeof(*records)); /* NOLINT */
	int result = records == NULL ? -1 : 0;
	for (uint32_t i = 0; result == 0 && i < table.size; i++) {
		if (table.entries[i].record != NULL)
			records[table.entries[i].number - 1] = table.entries[i].record;
	}
	for (uint32_t i = 0; result == 0 && i < table.numbers; i++)
		result = store_write(recorder.folder, "regions", records[i], records[i]->size, -1);
	free(records);
	return result;
}

/* ---- codes ---- */

static const char *text_of(PyObject *text, const char *instead)
{
	const char *found = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, NULL);
	if (found == NULL)
		PyErr_Clear();
	return found == NULL ? instead : found;
}

/* True if CODE has a variable of this name: an argument, another one, or one of the function around it. */
static bool has_variable(PyObject *code, const char *name)
{
	static const char *const lists[] = {"co_varnames", "co_freevars", "co_cellvars"};
	PyObject *text = PyUnicode_FromString(name);
	int found = 0;
	for (size_t i = 0; text != NULL && found == 0 && i < sizeof lists / sizeof *lists; i++) {
		PyObject *names = PyObject_GetAttrString(code, lists[i]);
		found = names == NULL ? 0 : PySequence_Contains(names, text);
		Py_DecRef(names);
	}
	Py_DecRef(text);
	return found > 0;
}

/* The name of the class of the variable `self` of FRAME, whose code has one; a new reference, or NULL. Up to 3.11
 * the frame keeps its arguments in a dictionary afterwards, as under the bindings. It must not be cleared:
 * sys.setprofile() copies it back. */
static PyObject *class_of_self(PyObject *frame)
{
	PyObject *self = NULL, *locals = NULL;
	if (PyFrame_GetVarString != NULL)
		self = PyFrame_GetVarString(frame, "self");
	else if ((locals = PyObject_GetAttrString(frame, "f_locals")) != NULL)
		self = PyMapping_GetItemString(locals, "self");
	PyObject *name = self == NULL ? NULL : PyObject_GetAttrString(self->type, "__name__");
	Py_DecRef(self);
	Py_DecRef(locals);
	PyErr_Clear();
	return name;
}

/* What is in the slot of CODE from now on, or REGION_LATER. */
static uint32_t define_code(PyObject *code, PyObject *frame)
{
	char buffer[512];
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
	PyObject *kind = has_variable(code, "self") ? class_of_self(frame) : NULL;
	uint32_t region = 0;
	if (kind != NULL) {
		snprintf(buffer, sizeof buffer, "%s.%s", module, text_of(kind, "?"));
		module = buffer;
	}
	long number = line == NULL ? 0 : PyLong_AsLong(line);
	if (strncmp(module, "scorep", strlen("scorep")) != 0 &&
	    strcmp(text_of(name, ""), "_unsetprofile") != 0)
		region = region_define(RECORDING_FUNCTION, module, text_of(name, "?"),
		                       text_of(file, ""), number < 0 ? 0 : (uint32_t)number);
	Py_DecRef(kind);
	Py_DecRef(line);
	Py_DecRef(file);
	Py_DecRef(name);
	Py_DecRef(globals);
	PyErr_Clear();
	return region == 0 ? CODE_UNRECORDED : region;
}

uint32_t region_known(PyObject *code)
{
	void *extra = NULL;
	if (get_extra(code, slot, &extra) != 0)
		PyErr_Clear();
	uint32_t region = (uint32_t)(uintptr_t)extra;
	return region == CODE_UNRECORDED ? REGION_UNRECORDED : region;
}

uint32_t region_of(struct location *location, PyObject *code, PyObject *frame)
{
	void *extra = NULL;
	if (get_extra(code, slot, &extra) != 0)
		PyErr_Clear();
	uint32_t region = (uint32_t)(uintptr_t)extra;
	if (__builtin_expect(region == 0, 0)) {
		/* A collection in a hook can crash 3.11.0 to 3.11.2 (python/cpython#101975). */
		int collects = PyGC_Disable != NULL ? PyGC_Disable() : 0;
		location->is_busy = true;
		if (frame == NULL)
			frame = PyEval_GetFrame();
		region = frame == NULL ? REGION_LATER : define_code(code, frame);
		location->is_busy = false;
		if (collects)
			PyGC_Enable();
		if (region != REGION_LATER && set_extra(code, slot, (void *)(uintptr_t)region) != 0)
			PyErr_Clear();
	}
	return region == CODE_UNRECORDED ? REGION_UNRECORDED : region;
}
