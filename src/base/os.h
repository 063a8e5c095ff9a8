/* All contact with files. Errors come back as -1 with errno set; nothing is printed here. */
#ifndef NBSCOREP_BASE_OS_H
#define NBSCOREP_BASE_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/strbuf.h"
#include "base/vector.h"

/* What stands at a path where an output is to go. */
enum os_occupant {
	OS_FREE,    /* nothing */
	OS_MARKED,  /* a regular file that begins with the marker */
	OS_FOREIGN, /* another regular file, or a link that leads nowhere */
	OS_SPECIAL, /* a folder, a device, a FIFO: never to be replaced */
};

/* Does the file at PATH begin with MARKER (up to a kilobyte)? A symbolic link is followed for
 * reading. Does not block on FIFOs. -1 and errno when it cannot be told. */
int os_occupant(const char *path, struct slice marker, enum os_occupant *out);

/* Nanoseconds of CLOCK. */
int64_t os_clock(clockid_t clock);

/* Seconds since some moment in the past, by the clock that nobody sets. */
double os_seconds(void);

/* Is there a folder at PATH? */
bool os_is_directory(const char *path);

/* Is there a folder at PATH, and not a symbolic link to one? */
bool os_is_real_directory(const char *path);

/* Does PATH lead into the folder TOP, or to it, when links are followed? True where one of them
 * cannot be found: that is said when it is used. */
bool os_is_inside(struct arena *arena, struct slice path, struct slice top);

/* True if another process holds a lock, of flock(2), on the file PATH. False if that is not known, and
 * for a symbolic link. */
bool os_is_locked(const char *path);

/* Is there a symbolic link at PATH? */
bool os_is_link(const char *path);

/* Is there one that leads nowhere? */
bool os_is_lost_link(const char *path);

/* Is there anything at PATH, a link that leads nowhere, too? */
bool os_is_there(const char *path);

struct os_names {
	VECTOR(struct slice) list; /* in the order of their bytes */
};

/* Adds the names of what is in the folder PATH, without "." and "..", to NAMES. Returns 0, or -1
 * with errno. */
int os_list_folder(struct arena *arena, const char *path, struct os_names *names);

/* The same of an open folder, which it closes. */
int os_list_descriptor(struct arena *arena, int fd, struct os_names *names);

/* Bytes of the regular files at PATH and below it, from LEVEL on: 0 is PATH, 1 what is in that folder.
 * Returns -1 if there is none. */
long long os_tree_size(const char *path, int level);

/* Is there a regular file at PATH, or a link to one, as far as can be told? */
bool os_is_file(const char *path);

/* The same, and of a folder: 1, 0, or -1 and errno where the system fails to say. */
int os_find_file(const char *path);
int os_find_folder(const char *path);

/* Does ERROR, of a path, say that there is nothing for this user? Otherwise the system failed. */
bool os_is_missing(int error);

/* Does ERROR, of reading a file, lie in what its path names: nothing for this user, a folder, or
 * too much? Otherwise the system failed. */
bool os_is_unsuitable(int error);

/* False where anybody may have put the file PATH there: it, or the link that it is, is neither the
 * user's nor root's, and stands in a folder that everybody can write to, like /tmp. */
bool os_is_trusted(struct arena *arena, struct slice path);

/* Returns 0 if the file at PATH can be read and is not a folder, else -1 and sets errno. */
int os_check_readable(const char *path);

/* Opens PATH for reading ("-": standard input); a folder fails with EISDIR. */
int os_open_input(const char *path);

/* Reads up to SIZE bytes, again after EINTR. 0 at the end, -1 and errno on failure. */
long os_read(int fd, void *buffer, size_t size);

/* Opens PATH like os_open_input(), hands the descriptor and DATA to USE, and closes it, also when
 * memory of ARENA runs out in USE. Returns what USE returns and keeps its errno; -1 and errno where
 * PATH cannot be opened, and USE is not called. */
int os_with_input(struct arena *arena, const char *path, int (*use)(int fd, void *data),
                  void *data);

/* The same of an open descriptor, which it closes. */
int os_use_descriptor(struct arena *arena, int fd, int (*use)(int fd, void *data), void *data);

/* Adds all that is in the file PATH ("-": standard input) to OUT. Returns 0, or -1 with errno:
 * EFBIG when it is more than LIMIT. */
int os_read_file(const char *path, struct strbuf *out, size_t limit);

/* The same of an open descriptor, which stays open. */
int os_read_rest(int fd, struct strbuf *out, size_t limit);

/* As os_read_file(), but what does not begin with BEGINNING is not read to its end. */
int os_read_file_that_begins(const char *path, struct slice beginning, struct strbuf *out,
                             size_t limit);

/* Fills BUFFER from the beginning of the file PATH. Returns how many bytes there are, or -1 with
 * errno. */
long os_read_front(const char *path, char *buffer, size_t size);

/* The same of a file that only this program writes: a symbolic link, or what is not a regular file, fails
 * with ELOOP or EINVAL. Does not block. */
long os_read_own_front(const char *path, char *buffer, size_t size);

/* Writes all of TEXT, again after EINTR and short writes. */
int os_write_all(int fd, struct slice text);

/* A file to be put in place. */
struct os_file {
	const char *path;
	struct slice text;
	unsigned mode; /* as the umask allows */
	/* Writes the content in place of TEXT, where it is not NULL: to FD, in parts if it is long.
	 * Returns 0, or -1 with errno. It may be called twice, and should fail with EINTR when
	 * os_is_asked_to_end(). */
	int (*produce)(int fd, void *data);
	void *data;
};

/* Takes the numbers of closed standard descriptors, so that no file of this program gets one of them and
 * reads or writes what is for them; using one fails as before. Programs that it starts find them closed. */
void os_keep_standard_descriptors(void);

/* From now on a write beyond the limit of a file's size (RLIMIT_FSIZE) fails with EFBIG, instead of
 * ending the program. Programs that it starts know nothing of that. */
void os_survive_size_limit(void);

/* PATH with symbolic links and dots resolved; a last component that does not exist is kept. An
 * empty slice and errno when its folder does not exist. */
struct slice os_real_path(struct arena *arena, struct slice path);

/* The file of the running program, with symbolic links resolved. An empty slice and errno when the
 * system does not say. */
struct slice os_program_path(struct arena *arena);

/* The system calls that can fail in interesting ways; each as its manual page says. */
struct os_calls {
	int (*open)(const char *path, int flags, unsigned mode);
	ssize_t (*read)(int fd, void *buffer, size_t size);
	ssize_t (*write)(int fd, const void *bytes, size_t size);
	int (*dup)(int fd);
	int (*close)(int fd);
	int (*link)(int old_folder, const char *old_path, int new_folder, const char *new_path,
	            int flags);
	int (*rename)(const char *old_path, const char *new_path);
	int (*unlink)(const char *path);
};

/* The system's own calls: what a fault-injecting test hands on to. */
extern const struct os_calls os_system_calls;

/* Lets this module use CALLS, which must stay valid; NULL: the system's own. For tests; it is
 * process-wide, as the file system is. */
void os_set_calls(const struct os_calls *calls);

/* open() with O_CLOEXEC, again after EINTR. */
int os_open_retrying(const char *path, int flags, unsigned mode);

/* Closes without touching errno: for the way out after another failure. */
void os_close_quietly(int fd);

/* PATH's folder, with its slash; empty for the current folder. */
struct slice os_folder_of(const char *path);

#endif
