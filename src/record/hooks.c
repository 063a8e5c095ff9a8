/* How calls of Python functions become events: sys.monitoring from 3.12 on, where a function that is not recorded
 * costs nothing after its first call; below, a profile hook in each thread. */
#include "record/hooks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record/recorder.h"
#include "record/regions.h"

static struct {
	PyObject *module; /* the argument of the profile hook */
	/* of sys.monitoring */
	PyObject *set_events, *tool, *all_events, *no_events, *disable;
	/* of threading: the code of Thread._bootstrap and its file; its threads; a thread's method */
	PyObject *bootstrap, *threading_file, *active, *run;
	PyObject *get_profile; /* sys.getprofile */
	/* threading.setprofile, and what it gets up to 3.11 */
	PyObject *set_thread_hook, *thread_hook;
	bool is_on;
} hooks;

/* ---- events ---- */

/* The location of this thread if it records calls. */
static inline struct location *recording_location(void)
{
	struct location *location = location_here;
	if (location == NULL)
		location = location_get();
	return location != NULL && location->is_recording && !location->is_busy ? location : NULL;
}

/* True if threading has started this thread. */
static bool is_of_threading(void)
{
	PyObject *ident = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
	bool found = ident != NULL && PyDict_Contains(hooks.active, ident) == 1;
	Py_DecRef(ident);
	PyErr_Clear();
	return found;
}

/* True if CODE is the first of a thread's own: its method run(), or else code of another file than threading's. */
static bool is_own_code(PyObject *code)
{
	PyObject *name = PyObject_GetAttrString(code, "co_name");
	PyObject *file = PyObject_GetAttrString(code, "co_filename");
	bool is_own = name != NULL && file != NULL &&
	              (PyUnicode_Compare(name, hooks.run) == 0 ||
	               PyUnicode_Compare(file, hooks.threading_file) != 0);
	Py_DecRef(file);
	Py_DecRef(name);
	PyErr_Clear();
	return is_own;
}

/* Decides whether this thread records, in its first event, CODE's start. As under the bindings, a thread of threading
 * does from its run() on, and one that was started while the instrumenter was off does not. */
RARE static void begin_location(PyObject *code)
{
	struct location *location = location_get();
	if (location == NULL || !location->is_recording || hooks.set_events == NULL ||
	    (uintptr_t)pthread_self() == recorder.main_thread)
		return;
	location->is_held = code == hooks.bootstrap;
	if (location->is_held || is_of_threading())
		location_set_recording(location, false);
}

/* Lets a thread of threading record from the first code of its own on. */
RARE static void release_location(PyObject *code)
{
	if (!is_own_code(code))
		return;
	location_here->is_held = false;
	location_set_recording(location_here, true);
}

static PyObject *on_enter(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	(void)count;
	if (location_here == NULL)
		begin_location(arguments[0]);
	if (location_here != NULL && location_here->is_held)
		release_location(arguments[0]);
	struct location *location = recording_location();
	if (location == NULL)
		return Py_None; /* which needs no reference since 3.12 */
	uint32_t region = region_of(location, arguments[0], NULL);
	if (region == REGION_UNRECORDED)
		return hooks.disable;
	if (region != REGION_LATER)
		location_enter(location, region, arguments[0]);
	return Py_None;
}

static PyObject *on_leave(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	(void)count;
	struct location *location = recording_location();
	if (location == NULL)
		return Py_None;
	if (!location_leave_code(location, arguments[0]) && !recorder.awaits_main)
		return hooks.disable;
	return Py_None;
}

/* The same for exceptions, whose events cannot be disabled for one code object. */
static PyObject *on_throw(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)on_enter(self, arguments, count);
	return Py_None;
}

static PyObject *on_unwind(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)on_leave(self, arguments, count);
	return Py_None;
}

PyObject *frame_code(PyObject *frame)
{
	/* Up to 3.11, which get no new layout any more: after a variable object's head and f_back; of 3.11's own frame. */
	enum { CODE_OFFSET = 32, FRAME_OFFSET_311 = 24 };
	const char *at = (const char *)frame;
	if (recorder.version == 311)
		at = *(const char *const *)(const void *)(at + FRAME_OFFSET_311);
	if (recorder.version <= 311)
		return *(PyObject *const *)(const void *)(at + CODE_OFFSET);
	PyObject *code = PyFrame_GetCode(frame);
	Py_DecRef(code);
	return code;
}

static int on_profile(PyObject *object, PyObject *frame, int what, PyObject *argument)
{
	(void)object;
	(void)argument;
	if (what != PyTrace_CALL && what != PyTrace_RETURN)
		return 0;
	struct location *location = recording_location();
	if (location == NULL)
		return 0;
	PyObject *code = frame_code(frame);
	if (what == PyTrace_CALL) {
		uint32_t region = region_of(location, code, frame);
		if (region != REGION_UNRECORDED && region != REGION_LATER)
			location_enter(location, region, code);
	} else {
		(void)location_leave_code(location, code);
	}
	return 0;
}

/* ---- switching ---- */

static void set_monitoring(bool on)
{
	if (hooks.is_on == on)
		return;
	hooks.is_on = on;
	Py_DecRef(PyObject_CallFunction(hooks.set_events, "OO", hooks.tool,
	                                on ? hooks.all_events : hooks.no_events));
	PyErr_Clear();
}

/* For this thread. */
static void set_hook(struct location *location, bool records)
{
	location_set_recording(location, records);
	if (hooks.set_events != NULL)
		set_monitoring(recorder.recording_count > 0);
	else
		PyEval_SetProfile(records ? on_profile : NULL, records ? hooks.module : NULL);
}

PyObject *frame_caller(PyObject *frame)
{
	enum { BACK_OFFSET = 24 }; /* of 3.8 */
	if (PyFrame_GetBack == NULL)
		return *(PyObject **)(void *)((char *)frame + BACK_OFFSET);
	PyObject *back = PyFrame_GetBack(frame);
	Py_DecRef(back);
	return back;
}

/* Functions that have ended while nothing was recorded, or while another profiler had the hook, are left. */
static void leave_ended(struct location *location)
{
	enum { MOST = 4096 };
	PyObject **codes;
	size_t count = 0;
	if (location->head == NULL || location->head->depth == 0 ||
	    (codes = calloc(MOST, sizeof *codes)) == NULL) /* NOLINT: pointers */
		return;
	size_t at = MOST;
	for (PyObject *frame = PyEval_GetFrame(); frame != NULL && count < MOST;
	     frame = frame_caller(frame), count++)
		codes[--at] = frame_code(frame);
	if (count < MOST)
		location_leave_ended(location, codes + at, count);
	free(codes);
}

bool hook_set(struct location *location, bool records)
{
	if (location->is_recording == records)
		return false;
	if (!records)
		set_hook(location, false);
	recorder.new_threads_record = records;
	if (hooks.set_events == NULL) {
		PyObject *hook = records ? hooks.thread_hook : Py_None;
		location->is_busy = true;
		Py_DecRef(PyObject_CallFunction(hooks.set_thread_hook, "O", hook));
		location->is_busy = false;
		PyErr_Clear();
	}
	if (records) {
		leave_ended(location);
		set_hook(location, true);
	}
	return true;
}

bool hook_renew(struct location *location)
{
	if (!location->is_recording || hooks.set_events != NULL)
		return false;
	PyObject *hook = PyObject_CallFunction(hooks.get_profile, NULL);
	bool is_lost = hook == Py_None;
	Py_DecRef(hook);
	PyErr_Clear();
	if (!is_lost)
		return false;
	leave_ended(location);
	PyEval_SetProfile(on_profile, hooks.module);
	return true;
}

void hook_end_main(struct location *location)
{
	location_set_recording(location, false);
	recorder.new_threads_record = false;
}

void hook_begin_thread(PyObject *frame)
{
	struct location *location = location_get();
	if (location == NULL)
		return;
	if (recorder.new_threads_record)
		set_hook(location, true);
	if (frame != NULL && location->is_recording)
		(void)on_profile(NULL, frame, PyTrace_CALL, NULL);
}

/* The hook that threading.setprofile() gives to new threads: (frame, event, argument). */
static PyObject *on_thread(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	const char *event = count == 3 ? PyUnicode_AsUTF8AndSize(arguments[1], NULL) : NULL;
	hook_begin_thread(event != NULL && strcmp(event, "call") == 0 ? arguments[0] : NULL);
	Py_IncRef(Py_None);
	return Py_None;
}

/* ---- beginning ---- */

static bool add_callback(PyObject *monitoring, PyObject *events, PyMethodDef *method, long *all)
{
	PyObject *event = PyObject_GetAttrString(events, method->name);
	PyObject *callback = PyCFunction_NewEx(method, NULL, NULL);
	PyObject *add = PyObject_GetAttrString(monitoring, "register_callback");
	PyObject *result = event == NULL || callback == NULL || add == NULL
	                           ? NULL
	                           : PyObject_CallFunction(add, "OOO", hooks.tool, event, callback);
	if (event != NULL)
		*all |= PyLong_AsLong(event);
	Py_DecRef(add);
	Py_DecRef(callback);
	Py_DecRef(event);
	Py_DecRef(result);
	return result != NULL;
}

/* Takes a tool id that no profiler of the standard library uses. */
static bool take_tool(PyObject *monitoring)
{
	static const long ids[] = {4, 3};
	PyObject *use = PyObject_GetAttrString(monitoring, "use_tool_id"), *used = NULL;
	for (size_t i = 0; use != NULL && used == NULL && i < sizeof ids / sizeof *ids; i++) {
		PyErr_Clear();
		used = PyObject_CallFunction(use, "ls", ids[i], "nbscorep");
		if (used != NULL)
			hooks.tool = PyLong_FromLong(ids[i]);
	}
	Py_DecRef(used);
	Py_DecRef(use);
	return hooks.tool != NULL;
}

static bool begin_monitoring(PyObject *monitoring)
{
	static PyMethodDef methods[] = {
	        {"PY_START", (void *)on_enter, METH_FASTCALL, NULL},
	        {"PY_RESUME", (void *)on_enter, METH_FASTCALL, NULL},
	        {"PY_THROW", (void *)on_throw, METH_FASTCALL, NULL},
	        {"PY_RETURN", (void *)on_leave, METH_FASTCALL, NULL},
	        {"PY_YIELD", (void *)on_leave, METH_FASTCALL, NULL},
	        {"PY_UNWIND", (void *)on_unwind, METH_FASTCALL, NULL},
	};
	long all = 0;
	PyObject *events = PyObject_GetAttrString(monitoring, "events");
	bool done = events != NULL && take_tool(monitoring);
	for (size_t i = 0; done && i < sizeof methods / sizeof *methods; i++)
		done = add_callback(monitoring, events, &methods[i], &all);
	hooks.disable = PyObject_GetAttrString(monitoring, "DISABLE");
	hooks.all_events = PyLong_FromLong(all);
	hooks.no_events = PyLong_FromLong(0);
	hooks.set_events = done ? PyObject_GetAttrString(monitoring, "set_events") : NULL;
	Py_DecRef(events);
	return done && hooks.set_events != NULL && hooks.disable != NULL;
}

static bool begin_threading(void)
{
	static PyMethodDef method = {"begin_thread", (void *)on_thread, METH_FASTCALL, NULL};
	PyObject *threading = PyImport_ImportModule("threading");
	PyObject *thread = threading == NULL ? NULL : PyObject_GetAttrString(threading, "Thread");
	PyObject *bootstrap = thread == NULL ? NULL : PyObject_GetAttrString(thread, "_bootstrap");
	if (bootstrap != NULL &&
	    (hooks.bootstrap = PyObject_GetAttrString(bootstrap, "__code__")) != NULL)
		hooks.threading_file = PyObject_GetAttrString(hooks.bootstrap, "co_filename");
	if (threading != NULL) {
		hooks.active = PyObject_GetAttrString(threading, "_active");
		hooks.set_thread_hook = PyObject_GetAttrString(threading, "setprofile");
	}
	hooks.run = PyUnicode_FromString("run");
	hooks.thread_hook = PyCFunction_NewEx(&method, NULL, NULL);
	Py_DecRef(bootstrap);
	Py_DecRef(thread);
	Py_DecRef(threading);
	return hooks.threading_file != NULL && hooks.active != NULL && hooks.run != NULL &&
	       hooks.set_thread_hook != NULL && hooks.thread_hook != NULL;
}

int hook_begin(PyObject *module)
{
	hooks.module = module;
	PyObject *sys = PyImport_ImportModule("sys");
	bool done = sys != NULL && begin_threading() &&
	            (hooks.get_profile = PyObject_GetAttrString(sys, "getprofile")) != NULL;
	if (done && recorder.version >= 312) {
		PyObject *monitoring = PyObject_GetAttrString(sys, "monitoring");
		done = monitoring != NULL && begin_monitoring(monitoring);
		Py_DecRef(monitoring);
		if (!done && PyErr_Occurred() == NULL)
			PyErr_Format(PyExc_RuntimeError,
			             "other tools have taken sys.monitoring's ids");
	}
	Py_DecRef(sys);
	return done ? 0 : -1;
}
