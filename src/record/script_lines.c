#include "record/script_lines.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record/hooks.h"
#include "record/recorder.h"

enum { INTERVAL = 10000000, SHORTEST_NATIVE = 1000000 }; /* nanoseconds */

static struct {
	struct store *store;
	struct recording_line *table;
	int64_t last;     /* nanoseconds of CLOCK_MONOTONIC */
	int64_t last_cpu; /* of the main thread's clock */
	int64_t last_delay;
	char delay_path[64];            /* of the file of the main thread's scheduling */
	char call_path[64];             /* of that which has the system call that it is in */
	uintptr_t runtime, runtime_end; /* where CPython keeps its state; 0: not known */
	int64_t switch_interval;
	clockid_t main_clock;
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

/* The first two numbers of the file PATH, 0 where they are missing. */
static void read_numbers(const char *path, uint64_t *first, uint64_t *second)
{
	char text[128], *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[size < 0 ? 0 : size] = '\0';
	*first = strtoull(text, &end, 10);
	*second = strtoull(end, NULL, 0);
}

/* The nanoseconds in which the main thread waited for a processor so far: the second number of
 * /proc/PID/task/TID/schedstat (Linux, Documentation/scheduler/sched-stats.rst). Without it 0. */
static int64_t main_delay(void)
{
	uint64_t running, waiting;
	read_numbers(lines.delay_path, &running, &waiting);
	return (int64_t)waiting;
}

/* True if the main thread waits for the interpreter's lock now: it sleeps in futex() on a word of CPython's state, where
 * the lock's condition and mutex are from 3.8 on (Python/ceval_gil.c); /proc/PID/task/TID/syscall has the call's number and
 * arguments, see proc(5). */
static bool main_waits_for_lock(void)
{
	uint64_t call, word;
	if (lines.runtime == 0)
		return false;
	read_numbers(lines.call_path, &call, &word);
	return call == SYS_futex && word >= lines.runtime && word < lines.runtime_end;
}

static void runtime_find(void)
{
	Dl_info info;
	ElfW(Sym) *symbol = NULL;
	void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
	if (runtime != NULL && dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) != 0 &&
	    symbol != NULL) {
		lines.runtime = (uintptr_t)runtime;
		lines.runtime_end = lines.runtime + symbol->st_size;
	}
}

static void add_time(uint32_t outer, uint32_t inner, const struct line_time *time)
{
	uint64_t key = ((uint64_t)outer << 32 | inner) * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; i < RECORDING_LINES; i++) {
		struct recording_line *line = &lines.table[((key >> 32) + i) % RECORDING_LINES];
		if (line->time.total == 0) {
			line->outer = outer;
			line->inner = inner;
		}
		if (line->outer == outer && line->inner == inner) {
			line->time.total += time->total;
			line->time.cpu += time->cpu;
			line->time.native += time->native;
			line->time.delay += time->delay;
			line->time.lock += time->lock;
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

/* Counts the time since the sample before. Runs with the lock, for which the timer asked at the moment ASKED, when the
 * main thread had run for ASKED_CPU, and WAITED for the lock. LATE: by how much the timer has just overslept, as it will
 * when it waits for the switch interval. */
static void sample(int64_t asked, int64_t asked_cpu, bool waited, int64_t late)
{
	int64_t now = clock_nanoseconds(CLOCK_MONOTONIC), cpu = clock_nanoseconds(lines.main_clock);
	bool was_free = now - asked < lines.switch_interval / 8;
	bool was_kept = cpu - asked_cpu > lines.switch_interval + SHORTEST_NATIVE + late;
	int64_t delay = main_delay();
	int64_t time = now - lines.last, used = cpu - lines.last_cpu;
	int64_t delayed = delay - lines.last_delay;
	used = used < time ? used : time;
	delayed = delayed < 0 ? 0 : delayed < time - used ? delayed : time - used;
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
	add_time(outer, inner,
	         &(struct line_time){.total = (uint64_t)time,
	                             .cpu = (uint64_t)used,
	                             .native = was_free || was_kept ? (uint64_t)used : 0,
	                             .delay = (uint64_t)delayed,
	                             .lock = waited ? (uint64_t)(time - used - delayed) : 0});
	lines.last = now;
	lines.last_cpu = cpu;
	lines.last_delay = delay;
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
		bool waits = main_waits_for_lock();
		int64_t cpu = clock_nanoseconds(lines.main_clock);
		int64_t asked = clock_nanoseconds(CLOCK_MONOTONIC);
		PyEval_RestoreThread(own);
		sample(asked, cpu, waits, asked - next);
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

int lines_begin(void)
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
	if (pthread_getcpuclockid(pthread_self(), &lines.main_clock) != 0)
		return -1;
	snprintf(lines.delay_path, sizeof lines.delay_path, "/proc/self/task/%ld/schedstat",
	         syscall(SYS_gettid));
	snprintf(lines.call_path, sizeof lines.call_path, "/proc/self/task/%ld/syscall",
	         syscall(SYS_gettid));
	runtime_find();
	lines.last_cpu = clock_nanoseconds(lines.main_clock);
	lines.last_delay = main_delay();
	PyObject *sys = PyImport_ImportModule("sys");
	PyObject *interval =
	        sys == NULL ? NULL : PyObject_CallMethod(sys, "getswitchinterval", NULL);
	lines.switch_interval =
	        interval == NULL ? 5000000 : (int64_t)(PyFloat_AsDouble(interval) * 1e9);
	PyErr_Clear();
	Py_DecRef(interval);
	lines.current_frames = sys == NULL ? NULL : PyObject_GetAttrString(sys, "_current_frames");
	Py_DecRef(sys);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&lines.condition, &attributes);
	return start_timer();
}

void lines_end(void)
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

void lines_pause(void)
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

void lines_continue(void)
{
	if (lines.is_paused)
		(void)Py_AddPendingCall(go_on, NULL);
}

void lines_watch(PyObject *function)
{
	Py_IncRef(function);
	lines.watcher = function;
}
