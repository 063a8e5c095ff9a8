/* All file access. Functions return -1 and set errno on failure; nothing is printed here. */
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "base/base.h"

/* Returns NULL if the file at PATH may be written: nothing is there, or it begins with
 * one of MARKERS (each at most a kilobyte; an empty one ends them), or FORCE and it is neither folder
 * nor device nor FIFO. Otherwise returns the reason, a predicate for a message after the file's name,
 * and sets *FORCIBLE if FORCE would permit it. Follows symbolic links. Does not block on FIFOs. */
extern const char os_keep_unknown[]; /* the reason if the system fails, which sets errno */
const char *os_keep_reason(const char *path, const struct slice *markers, bool force,
                           bool *forcible);

/* Nanoseconds of CLOCK. */
int64_t os_clock(clockid_t clock);

/* Seconds on a monotonic clock whose start is arbitrary. */
double os_seconds(void);

/* True if PATH is a folder, or a symbolic link to one. */
bool os_is_directory(const char *path);

/* True if PATH is a folder, and not a symbolic link to one. */
bool os_is_real_directory(const char *path);

/* True if PATH, with links followed, is TOP or below it. Also true if PATH or TOP cannot be
 * resolved; the failure is reported when the path is used. */
bool os_is_inside(struct arena *arena, struct slice path, struct slice top);

/* True if another process holds a flock(2) lock on the file PATH. False if that is not known, and
 * for a symbolic link. */
bool os_is_locked(const char *path);

/* True if PATH is a symbolic link. */
bool os_is_link(const char *path);

/* True if PATH is a dangling symlink. */
bool os_is_lost_link(const char *path);

/* True if PATH exists, also as a dangling symlink. */
bool os_is_there(const char *path);

struct os_names {
	VECTOR(struct slice) list; /* sorted by bytes */
};

/* Adds the names of the entries of the folder PATH, without "." and "..", to NAMES. Returns 0, or
 * -1 and sets errno. */
int os_list_folder(struct arena *arena, const char *path, struct os_names *names);

/* Guards FOLDER: arena_unguard(), or a failure of ARENA, closes it. */
void os_guard_folder(struct arena *arena, struct arena_guard *guard, DIR *folder);

/* The total size in bytes of the regular files at PATH and below it, from LEVEL on: level 0 is
 * PATH, level 1 its entries. Returns -1 without any such file. */
long long os_tree_size(const char *path, int level);

/* True if PATH is a regular file or a link to one. False if that is not known. */
bool os_is_file(const char *path);

/* 1 if PATH, with links followed, is of TYPE, such as S_IFREG or S_IFDIR; 0 if not, or -1 and sets errno if this is
 * not known. */
int os_find(const char *path, mode_t type);

/* True if ERROR means that the path does not exist for this user; otherwise the system failed. */
bool os_is_missing(int error);

/* True if reading failed with ERROR because of what the path names: it does not exist for this
 * user, is a folder, or is too large. Otherwise the system failed. */
bool os_is_unsuitable(int error);

/* False if any user may have created the file PATH: the file or its link belongs to neither this
 * user nor root, and its folder is writable for all, like /tmp. */
bool os_is_trusted(struct arena *arena, struct slice path);

/* Returns 0 if the file at PATH can be read and is not a folder, else -1 and sets errno. */
int os_check_readable(const char *path);

/* Opens PATH for reading ("-": standard input). Returns the descriptor, or -1 and sets errno; to
 * EISDIR for a folder. */
int os_open_input(const char *path);

/* Reads up to SIZE bytes and retries after EINTR. Returns 0 at the end, or -1 and sets errno. */
long os_read(int fd, void *buffer, size_t size);

/* Guards the descriptor *FD: arena_unguard(), or a failure of ARENA, is os_close(FD). */
void os_guard_descriptor(struct arena *arena, struct arena_guard *guard, int *fd);

/* Appends the content of the file PATH ("-": standard input) to OUT. Returns 0, or -1 and sets
 * errno; to EFBIG if the file is larger than LIMIT. */
int os_read_file(const char *path, struct strbuf *out, size_t limit);

/* The same for an open descriptor, which stays open; os_read_closing() closes it in any case. */
int os_read_rest(int fd, struct strbuf *out, size_t limit);
int os_read_closing(int fd, struct strbuf *out, size_t limit);

/* Fills BUFFER from the beginning of the file PATH. Returns the number of bytes read, or -1 and
 * sets errno. */
long os_read_front(const char *path, char *buffer, size_t size);

/* The same for a file that only this program writes. Fails with ELOOP for a symbolic link, and with
 * EINVAL for other files that are not regular. Does not block. */
long os_read_own_front(const char *path, char *buffer, size_t size);

/* Writes all of TEXT; retries after EINTR and short writes. Returns 0, or -1 and sets errno. */
int os_write_all(int fd, struct slice text);

/* A file to be written and put in place. */
struct os_file {
	const char *path;
	struct slice head, text; /* written one after the other */
	unsigned mode;           /* before the umask */
};

/* Occupies closed standard descriptors, so that no file of this program gets their numbers. Reads
 * and writes on them fail as before. Programs that this process starts find them closed. */
void os_keep_standard_descriptors(void);

/* Lets writes beyond the limit of a file's size (RLIMIT_FSIZE) fail with EFBIG instead of ending
 * the program. Programs that this process starts do not inherit this. */
void os_survive_size_limit(void);

/* PATH with symbolic links and dots resolved; a last component that does not exist is kept. Returns
 * an empty slice and sets errno if PATH cannot be resolved. */
struct slice os_real_path(struct arena *arena, struct slice path);

/* The file of the running program, with symbolic links resolved. Returns an empty slice and sets
 * errno if this is not known. */
struct slice os_program_path(struct arena *arena);

/* The system calls that tests let fail; each works as its manual page specifies. */
struct os_calls {
	int (*open)(const char *path, int flags, unsigned mode);
	ssize_t (*read)(int fd, void *buffer, size_t size);
	ssize_t (*write)(int fd, const void *bytes, size_t size);
	int (*close)(int fd);
	int (*rename)(const char *old_path, const char *new_path);
	int (*unlink)(const char *path);
};

/* The system's own calls, to which a fault-injecting test delegates. */
extern const struct os_calls os_system_calls;

/* The calls that this module and its neighbours use. */
extern const struct os_calls *os_calls_in_use;

/* Makes this module use CALLS, which must stay valid; NULL: the system's own. For tests. The
 * setting is process-wide. */
void os_set_calls(const struct os_calls *calls);

/* Sets errno to ERROR and returns -1. */
static inline int os_fail(int error)
{
	errno = error;
	return -1;
}

/* open() with O_CLOEXEC; retries after EINTR. */
int os_open_retrying(const char *path, int flags, unsigned mode);

/* Closes FD, unless it is -1, and keeps errno, for cleaning up after another failure; os_close() then sets *FD to -1. */
void os_close_quietly(int fd);
void os_close(int *fd);

/* PATH, if it is relative after the current folder. In ARENA. */
struct slice os_absolute(struct arena *arena, const char *path);

/* Where temporary folders are: $TMPDIR, or /tmp. */
const char *scratch_place(void);

/* Makes a private folder there. Returns its absolute path, in ARENA, or NULL and sets
 * errno. */
const char *scratch_make(struct arena *arena);

/* Removes FOLDER and its contents. Returns 0, or -1 and sets errno if a part of it is left. */
int scratch_remove(const char *folder);
