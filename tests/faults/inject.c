/* To be preloaded: counts the calls of a program to the C library by class, and lets one of them
 * fail, fall short, or come with a signal. README.md has the variables that steer it. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum call {
#define CLASS(id, name) CALL_##id,
#include "classes.def"
#undef CLASS
	CALL_COUNT
};

static const char *const class_names[] = {
#define CLASS(id, name) [CALL_##id] = (name),
#include "classes.def"
#undef CLASS
};

enum mode { MODE_COUNT, MODE_ERROR, MODE_SHORT, MODE_SIGNAL };

enum { DESCRIPTORS_MAX = 256, LINE_MAX_BYTES = 512 };

static struct {
	bool on;
	enum call call;
	enum mode mode;
	int number;        /* errno, or the signal */
	unsigned long nth; /* from 1 on */
	bool lasting;      /* all calls of the class from there on */
	const char *log;
	atomic_ulong *counts; /* shared with forked children */
	bool was_open[DESCRIPTORS_MAX];
} plan;

/* ---- the log, written past all that is wrapped ---- */

static void log_line(const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	long fd = syscall(SYS_openat, AT_FDCWD, plan.log, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (fd < 0 || len < 0)
		return;
	syscall(SYS_write, fd, line, len < (int)sizeof line ? len : (int)sizeof line - 1);
	syscall(SYS_close, fd);
}

static bool is_open(int fd)
{
	return syscall(SYS_fcntl, fd, F_GETFD) >= 0;
}

static unsigned long to_number(const char *name)
{
	const char *text = getenv(name);
	return text == NULL ? 0 : strtoul(text, NULL, 10);
}

static enum call to_class(const char *name)
{
	int i = 0;
	while (i < CALL_COUNT && (name == NULL || strcmp(name, class_names[i]) != 0))
		i++;
	return (enum call)i;
}

/* What this program starts is not to be disturbed. */
static void forget_variables(void)
{
	static const char *const names[] = {"LD_PRELOAD",    "FAULTS_LOG",    "FAULTS_CLASS",
	                                    "FAULTS_MODE",   "FAULTS_NUMBER", "FAULTS_NTH",
	                                    "FAULTS_LASTING"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

/* dlerror() allocates memory: NEXT, which takes away what it is about to tell, is not to come then. */
static void find_memory_functions(void)
{
	char *volatile block = calloc(1, 1);
	free(block);
	block = malloc(1);
	free(realloc(block, 2));
}

__attribute__((constructor)) static void begin(void)
{
	static const char *const modes[] = {"count", "error", "short", "signal"};
	static char log[4096];
	const char *mode = getenv("FAULTS_MODE"), *path = getenv("FAULTS_LOG");
	if (path == NULL || mode == NULL)
		return;
	snprintf(log, sizeof log, "%s", path);
	plan.log = log;
	plan.call = to_class(getenv("FAULTS_CLASS"));
	while (plan.mode < MODE_SIGNAL && strcmp(mode, modes[plan.mode]) != 0)
		plan.mode++;
	plan.number = (int)to_number("FAULTS_NUMBER");
	plan.nth = to_number("FAULTS_NTH");
	plan.lasting = to_number("FAULTS_LASTING") != 0;
	plan.counts = mmap(NULL, CALL_COUNT * sizeof *plan.counts, PROT_READ | PROT_WRITE,
	                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < DESCRIPTORS_MAX; i++)
		plan.was_open[i] = is_open(i);
	forget_variables();
	find_memory_functions();
	plan.on = plan.counts != MAP_FAILED;
}

__attribute__((destructor)) static void end(void)
{
	if (!plan.on)
		return;
	plan.on = false;
	for (int i = 0; i < CALL_COUNT; i++)
		log_line("count %s %lu\n", class_names[i], plan.counts[i]);
	for (int i = 0; i < DESCRIPTORS_MAX; i++) {
		if (is_open(i) && !plan.was_open[i])
			log_line("leaked %d\n", i);
	}
}

/* ---- what happens at a call ---- */

/* Is this the call? */
static bool is_hit(enum call call, const char *function, const char *subject)
{
	if (!plan.on)
		return false;
	unsigned long number = atomic_fetch_add(&plan.counts[call], 1) + 1;
	if (plan.mode == MODE_COUNT || call != plan.call || number < plan.nth ||
	    (number > plan.nth && !plan.lasting))
		return false;
	if (number == plan.nth)
		log_line("hit %s %s\n", function, subject);
	return true;
}

/* Must the call fail? errno says how. A signal comes before the call. */
static bool fails(enum call call, const char *function, const char *subject)
{
	int error = errno;
	bool hit = is_hit(call, function, subject);
	errno = error;
	if (hit && plan.mode == MODE_SIGNAL)
		kill(getpid(), plan.number);
	if (!hit || plan.mode != MODE_ERROR)
		return false;
	errno = plan.number;
	return true;
}

/* The same of a call that moves *SIZE bytes, which becomes one byte where it must fall short. */
static bool fails_moving(enum call call, const char *function, size_t *size)
{
	int error = errno;
	bool hit = is_hit(call, function, "");
	errno = error;
	if (hit && plan.mode == MODE_SIGNAL)
		kill(getpid(), plan.number);
	if (hit && plan.mode == MODE_SHORT && *size > 1)
		*size = 1;
	if (!hit || plan.mode != MODE_ERROR)
		return false;
	errno = plan.number;
	return true;
}

/* The next definition of the wrapped function: the C library's, or a sanitizer's. */
#define NEXT(function)                                                                             \
	static __typeof__(&(function)) next;                                                       \
	if (next == NULL)                                                                          \
		*(void **)&next = dlsym(RTLD_NEXT, #function);

/* ---- memory ---- */

void *malloc(size_t size)
{
	NEXT(malloc)
	return fails(CALL_ALLOC, "malloc", "") ? NULL : next(size);
}

void *calloc(size_t count, size_t size)
{
	NEXT(calloc)
	return fails(CALL_ALLOC, "calloc", "") ? NULL : next(count, size);
}

void *realloc(void *old, size_t size)
{
	NEXT(realloc)
	return fails(CALL_ALLOC, "realloc", "") ? NULL : next(old, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	NEXT(posix_memalign)
	return fails(CALL_ALLOC, "posix_memalign", "") ? ENOMEM : next(out, alignment, size);
}

/* ---- descriptors ---- */

int open(const char *path, int flags, ...)
{
	NEXT(open)
	va_list args;
	va_start(args, flags);
	unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(args, unsigned) : 0;
	va_end(args);
	return fails(CALL_OPEN, "open", path) ? -1 : next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	NEXT(openat)
	va_list args;
	va_start(args, flags);
	unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(args, unsigned) : 0;
	va_end(args);
	return fails(CALL_OPEN, "openat", path) ? -1 : next(folder, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen)
	return fails(CALL_OPEN, "fopen", path) ? NULL : next(path, mode);
}

DIR *opendir(const char *path)
{
	NEXT(opendir)
	return fails(CALL_OPEN, "opendir", path) ? NULL : next(path);
}

struct dirent *readdir(DIR *folder)
{
	NEXT(readdir)
	return fails(CALL_LIST, "readdir", "") ? NULL : next(folder);
}

/* What a signalfd, a timerfd and an eventfd give never comes in parts. */
static bool is_whole(int fd)
{
	char path[64], target[16] = "";
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof target - 1) > 0 &&
	       strncmp(target, "anon_inode:", strlen("anon_inode:")) == 0;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	NEXT(read)
	size_t part = size;
	if (fails_moving(CALL_READ, "read", &part))
		return -1;
	return next(fd, buffer, part == size || is_whole(fd) ? size : part);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	NEXT(pread)
	return fails_moving(CALL_READ, "pread", &size) ? -1 : next(fd, buffer, size, offset);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	NEXT(write)
	enum call call = fd == STDOUT_FILENO || fd == STDERR_FILENO ? CALL_PRINT : CALL_WRITE;
	return fails_moving(call, fd == STDERR_FILENO ? "write stderr" : "write", &size)
	               ? -1
	               : next(fd, bytes, size);
}

/* As Linux does: the descriptor is closed whatever close() says. */
int close(int fd)
{
	NEXT(close)
	bool failed = fails(CALL_CLOSE, "close", "");
	int error = errno, status = next(fd);
	if (!failed)
		return status;
	errno = error;
	return -1;
}

int dup(int fd)
{
	NEXT(dup)
	return fails(CALL_DUP, "dup", "") ? -1 : next(fd);
}

int dup2(int fd, int other)
{
	NEXT(dup2)
	return fails(CALL_DUP, "dup2", "") ? -1 : next(fd, other);
}

int fcntl(int fd, int command, ...)
{
	NEXT(fcntl)
	va_list args;
	va_start(args, command);
	long argument = va_arg(args, long);
	va_end(args);
	bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
	return copies && fails(CALL_DUP, "fcntl", "") ? -1 : next(fd, command, argument);
}

int pipe2(int ends[2], int flags)
{
	NEXT(pipe2)
	return fails(CALL_PIPE, "pipe2", "") ? -1 : next(ends, flags);
}

int signalfd(int fd, const sigset_t *set, int flags)
{
	NEXT(signalfd)
	return fails(CALL_PIPE, "signalfd", "") ? -1 : next(fd, set, flags);
}

int ftruncate(int fd, off_t size)
{
	NEXT(ftruncate)
	return fails(CALL_LOCK, "ftruncate", "") ? -1 : next(fd, size);
}

int flock(int fd, int operation)
{
	NEXT(flock)
	return fails(CALL_LOCK, "flock", "") ? -1 : next(fd, operation);
}

/* ---- what becomes readable ---- */

int epoll_create1(int flags)
{
	NEXT(epoll_create1)
	return fails(CALL_WATCH, "epoll_create1", "") ? -1 : next(flags);
}

int epoll_ctl(int fd, int operation, int other, struct epoll_event *event)
{
	NEXT(epoll_ctl)
	return fails(CALL_WATCH, "epoll_ctl", "") ? -1 : next(fd, operation, other, event);
}

int timerfd_create(int clock, int flags)
{
	NEXT(timerfd_create)
	return fails(CALL_WATCH, "timerfd_create", "") ? -1 : next(clock, flags);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	NEXT(timerfd_settime)
	return fails(CALL_WATCH, "timerfd_settime", "") ? -1 : next(fd, flags, new, old);
}

int eventfd(unsigned value, int flags)
{
	NEXT(eventfd)
	return fails(CALL_WATCH, "eventfd", "") ? -1 : next(value, flags);
}

/* The C library of Debian 12 has a function for it; nbscorep is to be built with older ones. */
long syscall(long number, ...)
{
	NEXT(syscall)
	long arguments[6];
	va_list args;
	va_start(args, number);
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		arguments[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_pidfd_open && fails(CALL_WATCH, "pidfd_open", ""))
		return -1;
	return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
	            arguments[5]);
}

/* ---- names of files ---- */

int rename(const char *old, const char *new)
{
	NEXT(rename)
	return fails(CALL_RENAME, "rename", new) ? -1 : next(old, new);
}

int linkat(int old_folder, const char *old, int new_folder, const char *new, int flags)
{
	NEXT(linkat)
	return fails(CALL_LINK, "linkat", new) ? -1 : next(old_folder, old, new_folder, new, flags);
}

int unlink(const char *path)
{
	NEXT(unlink)
	return fails(CALL_UNLINK, "unlink", path) ? -1 : next(path);
}

int remove(const char *path)
{
	NEXT(remove)
	return fails(CALL_UNLINK, "remove", path) ? -1 : next(path);
}

int mkdir(const char *path, mode_t mode)
{
	NEXT(mkdir)
	return fails(CALL_MKDIR, "mkdir", path) ? -1 : next(path, mode);
}

char *mkdtemp(char *pattern)
{
	NEXT(mkdtemp)
	return fails(CALL_MKDIR, "mkdtemp", pattern) ? NULL : next(pattern);
}

int chdir(const char *path)
{
	NEXT(chdir)
	return fails(CALL_CHDIR, "chdir", path) ? -1 : next(path);
}

/* ---- what is known of files ---- */

int stat(const char *path, struct stat *out)
{
	NEXT(stat)
	return fails(CALL_STAT, "stat", path) ? -1 : next(path, out);
}

int lstat(const char *path, struct stat *out)
{
	NEXT(lstat)
	return fails(CALL_STAT, "lstat", path) ? -1 : next(path, out);
}

int fstat(int fd, struct stat *out)
{
	NEXT(fstat)
	return fails(CALL_STAT, "fstat", "") ? -1 : next(fd, out);
}

int fstatat(int folder, const char *path, struct stat *out, int flags)
{
	NEXT(fstatat)
	return fails(CALL_STAT, "fstatat", path) ? -1 : next(folder, path, out, flags);
}

ssize_t readlinkat(int folder, const char *path, char *target, size_t size)
{
	NEXT(readlinkat)
	return fails(CALL_STAT, "readlinkat", path) ? -1 : next(folder, path, target, size);
}

int access(const char *path, int mode)
{
	NEXT(access)
	return fails(CALL_STAT, "access", path) ? -1 : next(path, mode);
}

char *realpath(const char *path, char *out)
{
	NEXT(realpath)
	return fails(CALL_STAT, "realpath", path) ? NULL : next(path, out);
}

char *getcwd(char *out, size_t size)
{
	NEXT(getcwd)
	return fails(CALL_STAT, "getcwd", "") ? NULL : next(out, size);
}

/* ---- processes ---- */

pid_t fork(void)
{
	NEXT(fork)
	return fails(CALL_SPAWN, "fork", "") ? -1 : next();
}

int execvpe(const char *file, char *const argv[], char *const variables[])
{
	NEXT(execvpe)
	return fails(CALL_SPAWN, "execvpe", file) ? -1 : next(file, argv, variables);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *data)
{
	NEXT(pthread_create)
	return fails(CALL_SPAWN, "pthread_create", "") ? errno
	                                               : next(thread, attributes, run, data);
}

/* A call that returns at once is not interrupted. */
static bool waits(int options)
{
	return (options & WNOHANG) == 0;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	NEXT(waitpid)
	return waits(options) && fails(CALL_WAIT, "waitpid", "") ? -1 : next(pid, status, options);
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	NEXT(waitid)
	return waits(options) && fails(CALL_WAIT, "waitid", "") ? -1
	                                                        : next(type, id, info, options);
}

int poll(struct pollfd *descriptors, nfds_t count, int timeout)
{
	NEXT(poll)
	return fails(CALL_WAIT, "poll", "") ? -1 : next(descriptors, count, timeout);
}
