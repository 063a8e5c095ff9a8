/* The process that is recorded, and the module `scorep_recorder` through which Python controls it. */
#include "record/recorder.h"

#include <errno.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "record/hooks.h"
#include "record/mpi.h"
#include "record/regions.h"
#include "record/script_lines.h"

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
		store_close(store, SIZE_MAX);
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
	static atomic_flag is_seen = ATOMIC_FLAG_INIT; /* by a thread in MPI, which has no lock */
	struct recording_process *process = recorder.process;
	if (atomic_flag_test_and_set(&is_seen))
		return;
	uint32_t other = 1 - process->latest;
	process->seen[other] = clock_instant(recorder.clock);
	atomic_signal_fence(memory_order_seq_cst);
	process->latest = other; /* a moment that was stored in part is not used */
	atomic_flag_clear(&is_seen);
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

/* Ends all threads' locations and the process. Nothing is recorded after it. */
static void recorder_end(void)
{
	enum recording_end end = recorder.is_on ? RECORDING_ENDED : RECORDING_ENDED_OFF;
	recorder.is_on = false;
	if (recorder.process == NULL || recorder.process->ended != RECORDING_UNENDED)
		return;
	lines_end();
	recorder_see();
	recorder.process->ended = end;
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
	mpi_begin();
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
	lines_watch(arguments[0]);
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
	if (count == 1 && recorder.process != NULL && recorder.process->ended == RECORDING_UNENDED)
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
