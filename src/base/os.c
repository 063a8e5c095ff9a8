#include "base/os.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/paths.h"

enum { MARKER_WITHIN = 1024 };

static int system_open(const char *path, int flags, unsigned mode)
{
	return open(path, flags, (mode_t)mode);
}

const struct os_calls os_system_calls = {
        .open = system_open,
        .read = read,
        .write = write,
        .close = close,
        .rename = rename,
        .unlink = unlink,
};

const struct os_calls *os_calls_in_use = &os_system_calls;

void os_set_calls(const struct os_calls *calls)
{
	os_calls_in_use = calls == NULL ? &os_system_calls : calls;
}

int os_open_retrying(const char *path, int flags, unsigned mode)
{
	int fd;
	do {
		fd = os_calls_in_use->open(path, flags | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/* True if a failed read or write should be retried. Waits if another process that shares the
 * descriptor has made it non-blocking. */
static bool try_again(int fd, short event)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	struct pollfd wait = {.fd = fd, .events = event};
	return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

long os_read(int fd, void *buffer, size_t size)
{
	ssize_t got;
	do {
		got = os_calls_in_use->read(fd, buffer, size < SSIZE_MAX ? size : SSIZE_MAX);
	} while (got < 0 && try_again(fd, POLLIN));
	return got;
}

int os_write_all(int fd, struct slice text)
{
	while (text.len > 0) {
		ssize_t written = os_calls_in_use->write(fd, text.ptr, text.len);
		if (written > 0) {
			text = slice_tail(text, (size_t)written);
		} else if (written == 0) {
			return os_fail(EIO);
		} else if (!try_again(fd, POLLOUT)) {
			return -1;
		}
	}
	return 0;
}

void os_close_quietly(int fd)
{
	int error = errno;
	if (fd >= 0)
		os_calls_in_use->close(fd);
	errno = error;
}

void os_close(int *fd)
{
	os_close_quietly(*fd);
	*fd = -1;
}

/* Fills BUFFER from FD up to the end of the file. Returns the number of bytes, or -1 and sets
 * errno. */
static long read_front(int fd, char *buffer, size_t size)
{
	size_t len = 0;
	long got = 1;
	while (got > 0 && len < size) {
		got = os_read(fd, buffer + len, size - len);
		len += got > 0 ? (size_t)got : 0;
	}
	return got < 0 ? -1 : (long)len;
}

bool os_is_missing(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP ||
	       error == ENAMETOOLONG;
}

bool os_is_unsuitable(int error)
{
	return os_is_missing(error) || error == EISDIR || error == EFBIG;
}

const char os_keep_unknown[] = "cannot be looked at";

const char *os_keep_reason(const char *path, const struct slice *markers, bool force,
                           bool *forcible)
{
	const char *reason = "was not written by nbscorep";
	struct stat status;
	*forcible = false;
	if (lstat(path, &status) != 0)
		return errno == ENOENT ? NULL : os_keep_unknown;
	/* Check before opening: opening some devices has side effects. */
	if (stat(path, &status) != 0) {
		if (!os_is_missing(errno))
			return os_keep_unknown;
		reason = "is a link that leads nowhere";
	} else if (!S_ISREG(status.st_mode)) {
		return "is not a regular file";
	} else {
		char front[MARKER_WITHIN];
		int fd = os_open_retrying(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
		long len = fd < 0 ? -1 : read_front(fd, front, sizeof front);
		os_close_quietly(fd);
		for (; len >= 0 && markers->len > 0; markers++) {
			if (slice_starts_with(slice_make(front, (size_t)len), *markers))
				return NULL;
		}
		reason = len < 0 ? os_keep_unknown : reason;
	}
	*forcible = true;
	return force ? NULL : reason;
}

int64_t os_clock(clockid_t clock)
{
	enum { NS = 1000000000 };
	struct timespec time;
	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * NS + time.tv_nsec;
}

double os_seconds(void)
{
	return (double)os_clock(CLOCK_MONOTONIC) / 1e9;
}

bool os_is_real_directory(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int os_find(const char *path, mode_t type)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return os_is_missing(errno) ? 0 : -1;
	return (status.st_mode & S_IFMT) == type ? 1 : 0;
}

bool os_is_file(const char *path)
{
	return os_find(path, S_IFREG) == 1;
}

bool os_is_directory(const char *path)
{
	return os_find(path, S_IFDIR) == 1;
}

static bool is_ours(const struct stat *status)
{
	return status->st_uid == geteuid() || status->st_uid == 0;
}

bool os_is_trusted(struct arena *arena, struct slice path)
{
	struct stat file, link, folder;
	const char *name = arena_cstr(arena, path);
	if (stat(name, &file) < 0 || lstat(name, &link) < 0 || (is_ours(&file) && is_ours(&link)))
		return true;
	return stat(arena_cstr(arena, path_folder(path)), &folder) < 0 ||
	       (folder.st_mode & S_IWOTH) == 0;
}

int os_check_readable(const char *path)
{
	if (os_is_directory(path))
		return os_fail(EISDIR);
	return access(path, R_OK);
}

int os_open_input(const char *path)
{
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
	                                : os_open_retrying(path, O_RDONLY | O_NOCTTY, 0);
	struct stat status;
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		os_close_quietly(fd);
		return os_fail(EISDIR);
	}
	return fd;
}

static void close_guarded(void *fd)
{
	os_close(fd);
}

void os_guard_descriptor(struct arena *arena, struct arena_guard *guard, int *fd)
{
	arena_guard(arena, guard, close_guarded, fd);
}

int os_read_rest(int fd, struct strbuf *out, size_t limit)
{
	char chunk[16 * 1024];
	size_t before = out->len;
	long got;
	while ((got = os_read(fd, chunk, sizeof chunk)) > 0) {
		strbuf_add(out, slice_make(chunk, (size_t)got));
		if (out->len - before > limit)
			return os_fail(EFBIG);
	}
	return got < 0 ? -1 : 0;
}

int os_read_closing(int fd, struct strbuf *out, size_t limit)
{
	struct arena_guard guard;
	os_guard_descriptor(out->arena, &guard, &fd);
	int status = os_read_rest(fd, out, limit);
	arena_unguard(out->arena);
	return status;
}

int os_read_file(const char *path, struct strbuf *out, size_t limit)
{
	int fd = os_open_input(path);
	return fd < 0 ? -1 : os_read_closing(fd, out, limit);
}

long os_read_front(const char *path, char *buffer, size_t size)
{
	int fd = os_open_input(path);
	long len = fd < 0 ? -1 : read_front(fd, buffer, size);
	os_close_quietly(fd);
	return len;
}

long os_read_own_front(const char *path, char *buffer, size_t size)
{
	struct stat status;
	long len = -1;
	int fd = os_calls_in_use->open(
	        path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0) {
		errno = EINVAL;
		len = S_ISREG(status.st_mode) ? read_front(fd, buffer, size) : -1;
	}
	os_close_quietly(fd);
	return len;
}

static void survive_signal(int number)
{
	(void)number;
}

void os_keep_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* open() takes the lowest free number, and all lower ones are taken. */
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null",
			           (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	}
}

/* Ignoring the signal would not do: started programs would inherit that. */
void os_survive_size_limit(void)
{
	struct sigaction action = {.sa_handler = survive_signal, .sa_flags = SA_RESTART}, before;
	sigaction(SIGXFSZ, &action, &before);
	if (before.sa_handler == SIG_IGN)
		sigaction(SIGXFSZ, &before, NULL);
}

struct slice os_real_path(struct arena *arena, struct slice path)
{
	if (slice_find(path, '\0', 0) < path.len) {
		errno = EINVAL;
		return SLICE("");
	}
	char resolved[PATH_MAX];
	if (realpath(arena_cstr(arena, path), resolved) != NULL)
		return arena_dup(arena, slice_from(resolved));
	/* The last component may be missing. */
	struct slice name = path_file(path);
	if (errno != ENOENT || name.len == 0 || slice_is_word_of(name, ". ..") ||
	    realpath(arena_cstr(arena, path_folder(path)), resolved) == NULL)
		return SLICE("");
	return path_join(arena, slice_from(resolved), name);
}

bool os_is_inside(struct arena *arena, struct slice path, struct slice top)
{
	struct slice inner = os_real_path(arena, path), outer = os_real_path(arena, top);
	if (inner.len == 0 || outer.len <= 1 || !slice_starts_with(inner, outer))
		return inner.len == 0 || outer.len <= 1;
	return inner.len == outer.len || inner.ptr[outer.len] == '/';
}

struct slice os_program_path(struct arena *arena)
{
	return os_real_path(arena, SLICE("/proc/self/exe"));
}

bool os_is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

bool os_is_there(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0;
}

bool os_is_lost_link(const char *path)
{
	struct stat status;
	return os_is_link(path) && stat(path, &status) != 0 && (errno == ENOENT || errno == ELOOP);
}

/* An exclusive lock over NFS requires a descriptor that is open for writing. */
bool os_is_locked(const char *path)
{
	int fd = os_calls_in_use->open(path,
	                               O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return false;
	bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	os_close_quietly(fd);
	return locked;
}

/* fts_open() of glibc 2.36 crashes if memory runs out. */
static void add_sizes(int parent, const char *name, int level, long long *size)
{
	struct stat status;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	if (S_ISREG(status.st_mode) && level <= 0)
		*size = (*size < 0 ? 0 : *size) + status.st_size;
	if (!S_ISDIR(status.st_mode))
		return;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			add_sizes(fd, entry->d_name, level - 1, size);
	}
	if (folder != NULL)
		closedir(folder);
	else
		os_close_quietly(fd);
}

long long os_tree_size(const char *path, int level)
{
	long long size = -1;
	add_sizes(AT_FDCWD, path, level, &size);
	return size;
}

static int compare_names(const void *a, const void *b)
{
	return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

static void close_folder(void *folder)
{
	(void)closedir(folder);
}

void os_guard_folder(struct arena *arena, struct arena_guard *guard, DIR *folder)
{
	arena_guard(arena, guard, close_folder, folder);
}

int os_list_folder(struct arena *arena, const char *path, struct os_names *names)
{
	const struct dirent *entry;
	struct arena_guard guard;
	int fd = os_open_retrying(path, O_RDONLY | O_DIRECTORY, 0);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	if (folder == NULL) {
		os_close_quietly(fd);
		return -1;
	}
	os_guard_folder(arena, &guard, folder);
	while (errno = 0, (entry = readdir(folder)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			vec_push(arena, &names->list, arena_dup(arena, slice_from(entry->d_name)));
	}
	int error = errno;
	arena_unguard(arena);
	vec_sort(&names->list, compare_names);
	errno = error;
	return error == 0 ? 0 : -1;
}

struct slice os_absolute(struct arena *arena, const char *path)
{
	return path_join(arena, os_real_path(arena, SLICE(".")), slice_from(path));
}

/* ---- temporary folders ---- */

const char *scratch_place(void)
{
	const char *place = getenv("TMPDIR");
	return place == NULL || place[0] == '\0' ? "/tmp" : place;
}

const char *scratch_make(struct arena *arena)
{
	struct slice folder = os_real_path(arena, slice_from(scratch_place()));
	if (folder.len == 0)
		return NULL;
	return mkdtemp(
	        arena_cstr(arena, arena_printf(arena, "%.*s/nbscorep-XXXXXX", SLICE_ARG(folder))));
}

/* Without memory, which nftw() takes. */
static int remove_tree(int parent, const char *name)
{
	_Alignas(struct dirent64) char entries[4096];
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int status = fd < 0 ? -1 : 0;
	for (bool any = true; any && status == 0;) {
		any = false;
		long len =
		        lseek(fd, 0, SEEK_SET) < 0 ? -1 : getdents64(fd, entries, sizeof entries);
		status = len < 0 ? -1 : 0;
		for (long at = 0; at < len && status == 0;) {
			const struct dirent64 *entry = (const void *)(entries + at);
			at += entry->d_reclen;
			if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
				continue;
			any = true;
			if (unlinkat(fd, entry->d_name, 0) != 0)
				status = errno == EISDIR   ? remove_tree(fd, entry->d_name)
				         : errno == ENOENT ? 0
				                           : -1;
		}
	}
	os_close_quietly(fd);
	return status == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : -1;
}

int scratch_remove(const char *folder)
{
	return remove_tree(AT_FDCWD, folder);
}
