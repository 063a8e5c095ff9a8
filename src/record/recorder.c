/* The process that is recorded, and the module `scorep_recorder` through which Python controls it. */
#include "record/recorder.h"

#include <errno.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "record/hooks.h"
#include "record/regions.h"

/* ---- lines of the script ---- */

/* Which lines of the script take the time. A timer thread takes the interpreter's lock a
 * hundred times a second and looks at the main thread's stack. The time since the look before goes to the line that
 * is found there. A call of C that keeps the lock delays the look, and then counts in full for the line that called
 * it. (Py_AddPendingCall() would let the main thread look by itself, but up to 3.11 a loop without calls does not
 * notice a call that another thread adds.) */

enum { INTERVAL = 10000000 }; /* nanoseconds */

static struct {
	struct store *store;
	struct recording_line *table;
	int64_t last;     /* nanoseconds of CLOCK_MONOTONIC */
	PyObject *script; /* its path as codes have it; NULL: none of its code has been seen */
	struct PyThreadState *main;
	unsigned long main_ident;
	PyObject *current_frames; /* sys._current_frames */
	PyObject *watcher;        /* called after every tenth sample; NULL: none */
	unsigned samples;
	pid_t process;
	pthread_t thread;
	bool is_running, is_paused;
	pthread_mutex_t mutex; /* of HAS_ENDED */
	pthread_cond_t condition;
	bool has_ended;
} lines = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void add_time(uint32_t outer, uint32_t inner, uint64_t nanoseconds)
{
	uint64_t key = ((uint64_t)outer << 32 | inner) * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; i < RECORDING_LINES; i++) {
		struct recording_line *line = &lines.table[((key >> 32) + i) % RECORDING_LINES];
		if (line->nanoseconds == 0) {
			line->outer = outer;
			line->inner = inner;
		}
		if (line->outer == outer && line->inner == inner) {
			line->nanoseconds += nanoseconds;
			return;
		}
	}
}

/* True if CODE is the script's own. */
static bool is_script(PyObject *code)
{
	PyObject *file = PyObject_GetAttrString(code, "co_filename");
	bool found = file == lines.script;
	if (!found && lines.script == NULL && file != NULL) {
		const char *path = PyUnicode_AsUTF8AndSize(file, NULL);
		found = path != NULL && strcmp(path, recorder.order.script) == 0;
		if (found) {
			Py_IncRef(file);
			lines.script = file;
		}
	} else if (!found && file != NULL) {
		found = PyUnicode_Compare(file, lines.script) == 0;
	}
	Py_DecRef(file);
	PyErr_Clear();
	return found;
}

/* The frame of the main thread, a new reference, or NULL. */
static PyObject *main_frame(void)
{
	if (PyThreadState_GetFrame != NULL)
		return PyThreadState_GetFrame(lines.main);
	PyObject *frames = PyObject_CallFunction(lines.current_frames, NULL);
	PyObject *ident = PyLong_FromUnsignedLong(lines.main_ident);
	PyObject *frame = frames == NULL || ident == NULL ? NULL : PyDict_GetItem(frames, ident);
	if (frame != NULL)
		Py_IncRef(frame);
	Py_DecRef(ident);
	Py_DecRef(frames);
	PyErr_Clear();
	return frame;
}

/* Counts the time since the sample before. Runs with the lock. */
static void sample(void)
{
	int64_t now = clock_nanoseconds(CLOCK_MONOTONIC);
	uint32_t inner = 0, outer = 0;
	PyObject *first = main_frame();
	for (PyObject *frame = first; frame != NULL; frame = frame_caller(frame)) {
		if (!is_script(frame_code(frame)))
			continue;
		int line = PyFrame_GetLineNumber(frame);
		outer = line > 0 ? (uint32_t)line : 0;
		if (inner == 0)
			inner = outer;
	}
	Py_DecRef(first);
	add_time(outer, inner, (uint64_t)(now - lines.last));
	lines.last = now;
	if (lines.watcher != NULL && ++lines.samples % 10 == 0) {
		Py_DecRef(PyObject_CallFunction(lines.watcher, NULL));
		PyErr_Clear();
	}
}

/* Waits until the time UNTIL, or until the end. Returns false at the end. */
static bool wait_until(int64_t until)
{
	const struct timespec time = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
	pthread_mutex_lock(&lines.mutex);
	int result = 0;
	while (!lines.has_ended && result != ETIMEDOUT)
		result = pthread_cond_timedwait(&lines.condition, &lines.mutex, &time);
	bool goes_on = !lines.has_ended;
	pthread_mutex_unlock(&lines.mutex);
	return goes_on;
}

static void *run_timer(void *data)
{
	int64_t next = clock_nanoseconds(CLOCK_MONOTONIC) + INTERVAL;
	(void)data;
	int state = PyGILState_Ensure();
	struct PyThreadState *own = PyEval_SaveThread();
	while (wait_until(next)) {
		recorder_see();
		PyEval_RestoreThread(own);
		sample();
		own = PyEval_SaveThread();
		next += INTERVAL;
		if (next < lines.last) /* the lock was not to be had */
			next = lines.last + INTERVAL;
	}
	PyEval_RestoreThread(own);
	PyGILState_Release(state);
	return NULL;
}

/* Starts the timer. Returns 0, or -1 and sets errno. */
static int start_timer(void)
{
	sigset_t all, before;
	sigfillset(&all);
	lines.has_ended = false;
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's threads */
	int error = pthread_create(&lines.thread, NULL, run_timer, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	lines.is_running = error == 0;
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Begins to sample the script of the order in this process. Returns 0, or -1 and sets errno. */
static int lines_begin(void)
{
	pthread_condattr_t attributes;
	lines.store = store_new(recorder.folder, "lines");
	if (lines.store == NULL ||
	    store_map(lines.store, RECORDING_LINES * sizeof *lines.table) != 0)
		return -1;
	lines.table = (struct recording_line *)(void *)lines.store->at;
	lines.last = clock_nanoseconds(CLOCK_MONOTONIC);
	lines.process = getpid();
	lines.main = PyThreadState_Get();
	lines.main_ident = PyThread_get_thread_ident();
	PyObject *sys = PyImport_ImportModule("sys");
	lines.current_frames = sys == NULL ? NULL : PyObject_GetAttrString(sys, "_current_frames");
	Py_DecRef(sys);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&lines.condition, &attributes);
	return start_timer();
}

/* Ends it. */
static void lines_end(void)
{
	if (!lines.is_running || lines.process != getpid()) /* the thread is its parent's */
		return;
	lines.is_running = false;
	pthread_mutex_lock(&lines.mutex);
	lines.has_ended = true;
	pthread_cond_signal(&lines.condition);
	pthread_mutex_unlock(&lines.mutex);
	struct PyThreadState *own = PyEval_SaveThread(); /* it may wait for the lock */
	pthread_join(lines.thread, NULL);
	PyEval_RestoreThread(own);
	store_flush(lines.store);
}

/* Ends the timer thread before a fork, and starts it again some instructions after it: Python 3.12 and later warn of a
 * fork in a process with several threads. */
static void lines_pause(void)
{
	lines_end();
	lines.is_paused = lines.process == getpid() && lines.table != NULL;
}

static int go_on(void *data)
{
	(void)data;
	if (lines.is_paused && lines.process == getpid() && recorder.is_on)
		(void)start_timer();
	lines.is_paused = false;
	return 0;
}

static void lines_continue(void)
{
	if (lines.is_paused)
		(void)Py_AddPendingCall(go_on, NULL);
}

/* ---- clocks and files ---- */

struct recorder recorder;

enum { PROCESS_SIZE = 1 << 16 }; /* the words of the command, cut */

/* ---- the process ---- */

/* Makes DIRECTORY/recording/PID, with a number if an earlier process had the same. */
static int make_folder(void)
{
	const char *directory = recorder.order.directory;
	char folder[sizeof recorder.folder];
	int number = 1, result;
	snprintf(folder, sizeof folder, "%s/" RECORDING_FOLDER, directory);
	if (mkdir(directory, 0777) != 0 && errno != EEXIST)
		return -1;
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return -1;
	do {
		char end[32] = "";
		if (number > 1)
			snprintf(end, sizeof end, "-%d", number);
		snprintf(recorder.folder, sizeof recorder.folder, "%.4200s/%ld%s", folder,
		         (long)getpid(), end);
		result = mkdir(recorder.folder, 0777);
		number++;
	} while (result != 0 && errno == EEXIST);
	if (result != 0)
		recorder.folder[0] = '\0';
	return result;
}

/* Field 22 of /proc/PID/stat: the time of the start. 0 without /proc. */
static uint64_t read_start(void)
{
	char text[1024], *at;
	FILE *file = fopen("/proc/self/stat", "re");
	size_t size = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
	if (file != NULL)
		fclose(file);
	text[size] = '\0';
	at = strrchr(text, ')'); /* the name before it may contain blanks */
	for (int field = 2; at != NULL && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at == NULL ? 0 : strtoull(at, NULL, 10);
}

/* The script and the command's words, each with a NUL after it, into the rest of the file. */
static void write_words(struct recording_process *process)
{
	size_t most = PROCESS_SIZE - sizeof *process - 1,
	       script = strlen(recorder.order.script) + 1;
	char *text = (char *)(process + 1);
	FILE *file = fopen("/proc/self/cmdline", "re");
	memcpy(text, recorder.order.script, script);
	process->script_size = (uint32_t)script;
	if (file == NULL)
		return;
	process->words_size = (uint32_t)fread(text + script, 1, most - script, file);
	fclose(file);
}

int recorder_begin(void)
{
	if (make_folder() != 0)
		return -1;
	struct store *store = store_new(recorder.folder, "process");
	if (store == NULL || store_map(store, PROCESS_SIZE) != 0) {
		int error = errno;
		store_close(store);
		errno = error;
		return -1;
	}
	struct recording_process *process = (struct recording_process *)(void *)store->at;
	recorder.process_store = store;
	recorder.process = process;
	recorder.location_count = 0;
	recorder.recording_count = 0;
	recorder.event_size = 0;
	recorder.clock = clock_choose();
	snprintf(process->host, sizeof process->host, "?");
	(void)gethostname(process->host, sizeof process->host - 1);
	snprintf(process->interpreter, sizeof process->interpreter, "python%u.%u",
	         recorder.version / 100, recorder.version % 100);
	process->pid = (int32_t)getpid();
	process->pid_start = read_start();
	process->clock = (uint32_t)recorder.clock;
	process->profiling = recorder.order.profiling;
	process->tracing = recorder.order.tracing;
	write_words(process);
	process->first = process->seen[0] = clock_instant(recorder.clock);
	if (region_begin_child() != 0)
		return -1;
	memcpy(process->magic, RECORDING_MAGIC,
	       sizeof RECORDING_MAGIC); /* last: the file is complete */
	store_flush(store);
	recorder.is_on = true;
	return 0;
}

void recorder_see(void)
{
	struct recording_process *process = recorder.process;
	uint32_t other = 1 - process->latest;
	process->seen[other] = clock_instant(recorder.clock);
	atomic_signal_fence(memory_order_seq_cst);
	process->latest = other; /* a moment that was stored in part is not used */
}

void recorder_end_trace(int error)
{
	if (recorder.process == NULL || recorder.process->trace_error != 0)
		return;
	recorder.process->trace_error = error == 0 ? EIO : error;
	recorder_see();
	if (error == RECORDING_LIMIT)
		fprintf(stderr,
		        "nbscorep: the trace has reached its limit of %llu MiB and ends here; "
		        "record less (a "
		        "filter), or set NBSCOREP_RECORD_LIMIT\n",
		        (unsigned long long)(recorder.order.limit >> 20));
	else
		fprintf(stderr, "nbscorep: the trace ends here: %s\n", strerror(error));
}

void recorder_note_gap(int error)
{
	if (recorder.process == NULL || recorder.process->gap_error != 0)
		return;
	recorder.process->gap_error = error == 0 ? EIO : error;
	fprintf(stderr, "nbscorep: calls are missing from the measurement: %s\n", strerror(error));
}

void recorder_end(void)
{
	recorder.is_on = false;
	if (recorder.process == NULL)
		return;
	lines_end();
	recorder_see();
	recorder.process->ended = 1;
	store_flush(recorder.process_store);
	location_flush();
}

/* The child has what its parent had, but writes nothing into its files. It gets files when it records its first
 * call (location_get()); most children start another program at once. */
static void begin_child(void)
{
	recorder.fork_records = location_here != NULL && location_here->is_recording;
	recorder.is_forked = recorder.is_on;
	recorder.order.starts_with_main = false; /* it begins in the middle of it */
	recorder.process = NULL;
	recorder.folder[0] = '\0';
	location_here = NULL;
}

/* ---- the module ---- */

static PyObject *answer(bool value)
{
	PyObject *object = value ? &_Py_TrueStruct : &_Py_FalseStruct;
	Py_IncRef(object);
	return object;
}

static PyObject *nothing(void)
{
	Py_IncRef(Py_None);
	return Py_None;
}

static bool copy_text(char *out, size_t size, PyObject *text)
{
	ssize_t length = 0;
	const char *found = PyUnicode_AsUTF8AndSize(text, &length);
	if (found == NULL)
		return false;
	if ((size_t)length >= size || strlen(found) != (size_t)length) {
		PyErr_Format(PyExc_OSError, "the path is too long");
		return false;
	}
	memcpy(out, found, (size_t)length + 1);
	return true;
}

/* Where the trace takes memory. */
static void check_file_system(void)
{
	struct statfs status;
	const char *from = getenv("NBSCOREP_RECORD_FROM"); /* the others would repeat it */
	if ((from == NULL || from[0] == '\0') && recorder.order.tracing &&
	    statfs(recorder.folder, &status) == 0 && status.f_type == TMPFS_MAGIC)
		fprintf(stderr,
		        "nbscorep: '%s' is on tmpfs, so the trace takes memory; choose another "
		        "directory\n",
		        recorder.order.directory);
}

/* 311 for "3.11.2 (main, ..." */
static unsigned read_version(void)
{
	unsigned minor = 0;
	for (const char *digit = Py_GetVersion() + 2; *digit >= '0' && *digit <= '9'; digit++)
		minor = minor * 10 + (unsigned)(*digit - '0');
	return 300 + minor;
}

static PyObject *refuse_directory(void)
{
	return PyErr_Format(PyExc_OSError, "%s: %s", strerror(errno), recorder.order.directory);
}

/* start(directory, script, profiling, tracing, limit, depth, starts_with_main) */
static PyObject *start(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	enum { DIRECTORY, SCRIPT, PROFILING, TRACING, LIMIT, DEPTH, STARTS_WITH_MAIN, COUNT };
	struct recorder_order *order = &recorder.order;
	if (count != COUNT || recorder.process != NULL)
		return PyErr_Format(PyExc_TypeError, "start() takes 7 arguments, once");
	if (!copy_text(order->directory, sizeof order->directory, arguments[DIRECTORY]) ||
	    !copy_text(order->script, sizeof order->script, arguments[SCRIPT]))
		return NULL;
	order->profiling = PyObject_IsTrue(arguments[PROFILING]) == 1;
	order->tracing = PyObject_IsTrue(arguments[TRACING]) == 1;
	order->limit = (uint64_t)PyLong_AsLong(arguments[LIMIT]);
	order->depth = (uint32_t)PyLong_AsLong(arguments[DEPTH]);
	recorder.awaits_main = order->starts_with_main =
	        PyObject_IsTrue(arguments[STARTS_WITH_MAIN]) == 1;
	recorder.main_thread = (uintptr_t)pthread_self();
	recorder.version = read_version();
	if (PyErr_Occurred() != NULL || hook_begin(self) != 0)
		return NULL;
	if (region_begin() != 0)
		return PyErr_Format(PyExc_RuntimeError, "code objects have no free slot");
	if (recorder_begin() != 0)
		return refuse_directory();
	pthread_atfork(NULL, NULL, begin_child);
	check_file_system();
	if (order->script[0] != '\0' && lines_begin() != 0)
		return refuse_directory();
	return nothing();
}

/* sample(directory, script): only the lines of the script, while others record its calls */
static PyObject *sample_only(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	enum { DIRECTORY, SCRIPT, COUNT };
	struct recorder_order *order = &recorder.order;
	if (count != COUNT || recorder.process != NULL)
		return PyErr_Format(PyExc_TypeError, "sample() takes 2 arguments, once");
	if (!copy_text(order->directory, sizeof order->directory, arguments[DIRECTORY]) ||
	    !copy_text(order->script, sizeof order->script, arguments[SCRIPT]))
		return NULL;
	recorder.version = read_version();
	if (recorder_begin() != 0)
		return refuse_directory();
	pthread_atfork(NULL, NULL, begin_child);
	return lines_begin() != 0 ? refuse_directory() : nothing();
}

/* watch(function): called without arguments, about ten times a second, in the timer's thread */
static PyObject *watch(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	if (count != 1)
		return PyErr_Format(PyExc_TypeError, "watch() takes a function");
	Py_IncRef(arguments[0]);
	lines.watcher = arguments[0];
	return nothing();
}

/* add_rule(is_file, excludes, pattern), before start() */
static PyObject *add_rule(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	enum { IS_FILE, EXCLUDES, PATTERN, COUNT };
	const char *pattern =
	        count == COUNT ? PyUnicode_AsUTF8AndSize(arguments[PATTERN], NULL) : NULL;
	if (pattern == NULL)
		return PyErr_Occurred() != NULL
		               ? NULL
		               : PyErr_Format(PyExc_TypeError, "add_rule() takes 3 arguments");
	if (!region_add_rule(PyObject_IsTrue(arguments[IS_FILE]) == 1,
	                     PyObject_IsTrue(arguments[EXCLUDES]) == 1, pattern))
		return PyErr_Format(PyExc_RuntimeError, "out of memory");
	return nothing();
}

static PyObject *set_recording_calls(bool on)
{
	struct location *location = location_get();
	return answer(location != NULL && hook_set(location, on));
}

/* enable(), disable(): calls of this thread; true if that is a change */
static PyObject *enable(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	return set_recording_calls(true);
}

static PyObject *disable(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	return set_recording_calls(false);
}

/* renew(): at a place where another profiler may have ended; true if calls before it are missing */
static PyObject *renew(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	return answer(location_here != NULL && hook_renew(location_here));
}

static PyObject *is_enabled(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	return answer(location_here != NULL && location_here->is_recording);
}

/* define(module, name, file, line): the number of a region for enter() and leave(), which do nothing for one that is
 * not recorded */
static PyObject *define(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	enum { MODULE, NAME, SOURCE, LINE, COUNT };
	const char *module, *name, *file;
	if (count != COUNT)
		return PyErr_Format(PyExc_TypeError,
		                    "a region has a module, a name, a file and a line");
	if ((module = PyUnicode_AsUTF8AndSize(arguments[MODULE], NULL)) == NULL ||
	    (name = PyUnicode_AsUTF8AndSize(arguments[NAME], NULL)) == NULL ||
	    (file = PyUnicode_AsUTF8AndSize(arguments[SOURCE], NULL)) == NULL)
		return NULL;
	long line = PyLong_AsLong(arguments[LINE]);
	if (PyErr_Occurred() != NULL)
		return NULL;
	if (location_get() == NULL)
		return PyLong_FromLong(REGION_LATER);
	uint32_t region =
	        region_define(RECORDING_USER, module, name, file, line < 0 ? 0 : (uint32_t)line);
	return PyLong_FromLong((long)region);
}

/* The number of a region that define() has returned; 0 with an exception. */
static uint32_t read_region(PyObject *const *arguments, ssize_t count)
{
	long region = count == 1 ? PyLong_AsLong(arguments[0]) : -1;
	if (region >= 0 && region < (long)RECORDING_REGION_MAX)
		return (uint32_t)region;
	if (region == REGION_LATER)
		return REGION_UNRECORDED;
	if (PyErr_Occurred() == NULL)
		PyErr_Format(PyExc_TypeError, "a region's number is missing");
	return 0;
}

/* enter(region), leave(region) */
static PyObject *enter(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	struct location *location = location_get();
	uint32_t region = read_region(arguments, count);
	if (region != 0 && location != NULL)
		location_enter(location, region, NULL);
	return PyErr_Occurred() != NULL ? NULL : nothing();
}

static PyObject *leave(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	uint32_t region = read_region(arguments, count);
	if (region != 0 && location_here != NULL)
		location_leave(location_here, region);
	return PyErr_Occurred() != NULL ? NULL : nothing();
}

/* call_in_thread(function, arguments[, named]): in a thread that _thread has started */
static PyObject *call_in_thread(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	if (count != 2 && count != 3)
		return PyErr_Format(PyExc_TypeError, "a thread calls a function with arguments");
	hook_begin_thread(NULL);
	return PyObject_Call(arguments[0], arguments[1], count == 3 ? arguments[2] : NULL);
}

/* before_fork(), after_fork(), in the parent */
static PyObject *before_fork(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	lines_pause();
	return nothing();
}

static PyObject *after_fork(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	lines_continue();
	return nothing();
}

/* set_on(bool): of all threads, calls and regions */
static PyObject *set_on(PyObject *self, PyObject *const *arguments, ssize_t count)
{
	(void)self;
	if (count == 1 && recorder.process != NULL && recorder.process->ended == 0)
		recorder.is_on = PyObject_IsTrue(arguments[0]) == 1;
	return nothing();
}

static PyObject *end(PyObject *self, PyObject *none)
{
	(void)self;
	(void)none;
	recorder_end();
	return nothing();
}

PyObject *PyInit_scorep_recorder(void);

__attribute__((visibility("default"))) PyObject *PyInit_scorep_recorder(void)
{
	static PyMethodDef methods[] = {
	        {"add_rule", (void *)add_rule, METH_FASTCALL, NULL},
	        {"start", (void *)start, METH_FASTCALL, NULL},
	        {"sample", (void *)sample_only, METH_FASTCALL, NULL},
	        {"watch", (void *)watch, METH_FASTCALL, NULL},
	        {"enable", (void *)enable, METH_NOARGS, NULL},
	        {"disable", (void *)disable, METH_NOARGS, NULL},
	        {"renew", (void *)renew, METH_NOARGS, NULL},
	        {"is_enabled", (void *)is_enabled, METH_NOARGS, NULL},
	        {"define", (void *)define, METH_FASTCALL, NULL},
	        {"call_in_thread", (void *)call_in_thread, METH_FASTCALL, NULL},
	        {"enter", (void *)enter, METH_FASTCALL, NULL},
	        {"leave", (void *)leave, METH_FASTCALL, NULL},
	        {"before_fork", (void *)before_fork, METH_NOARGS, NULL},
	        {"after_fork", (void *)after_fork, METH_NOARGS, NULL},
	        {"set_on", (void *)set_on, METH_FASTCALL, NULL},
	        {"end", (void *)end, METH_NOARGS, NULL},
	        {NULL, NULL, 0, NULL},
	};
	static PyModuleDef definition = {
	        .head = {1, NULL},
	        .name = "scorep_recorder",
	        .doc = "Records calls of Python functions into files; see _recorder.py.",
	        .size = -1,
	        .methods = methods,
	};
	return PyModule_Create2(&definition, PYTHON_API_VERSION);
}
