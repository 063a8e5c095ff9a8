#include "record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILE_MODE = 0666 };

struct store *store_new(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	struct store *store = calloc(1, sizeof *store + size);
	if (store != NULL)
		snprintf(store->path, size, "%s/%s", folder, name);
	return store;
}

/* The program may close any descriptor, and then another file may get its number, so none is kept. */
static int open_file(const char *path, int flags)
{
	return open(path, flags | O_CREAT | O_CLOEXEC | O_NOCTTY, FILE_MODE);
}

static int write_at(int fd, const char *bytes, size_t size, off_t offset)
{
	while (size > 0) {
		ssize_t count = pwrite(fd, bytes, size, offset);
		if (count < 0 && errno != EINTR)
			return -1;
		if (count > 0) {
			bytes += count;
			size -= (size_t)count;
			offset += count;
		}
	}
	return 0;
}

static void close_quietly(int fd)
{
	int error = errno;
	close(fd);
	errno = error;
}

/* Memory with the file's content, for file systems without shared mappings. */
static char *map_plain(const struct store *store, size_t size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at != MAP_FAILED && store->at != NULL)
		memcpy(at, store->at, store->size);
	return at;
}

int store_map(struct store *store, size_t size)
{
	int fd = open_file(store->path, O_RDWR);
	if (fd < 0)
		return -1;
	int error = posix_fallocate(fd, 0, (off_t)size);
	char *at = MAP_FAILED;
	if (error == 0 && !store->is_plain)
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool is_plain = at == MAP_FAILED;
	if (error == 0 && is_plain && (at = map_plain(store, size)) == MAP_FAILED)
		error = errno;
	close(fd);
	errno = error;
	if (error != 0)
		return -1;
	if (store->at != NULL)
		munmap(store->at, store->size);
	store->is_plain = is_plain;
	store->at = at;
	store->size = size;
	return 0;
}

void store_flush(const struct store *store)
{
	int fd = store != NULL && store->is_plain ? open_file(store->path, O_WRONLY) : -1;
	if (fd < 0)
		return;
	(void)write_at(fd, store->at, store->size, 0);
	close(fd);
}

void store_close(struct store *store, size_t used)
{
	if (store == NULL)
		return;
	store_flush(store);
	if (store->at != NULL)
		munmap(store->at, store->size);
	if (used < store->size)
		(void)!truncate(store->path, (off_t)used);
	free(store);
}

int store_write(const char *folder, const char *name, const void *bytes, size_t size, off_t offset)
{
	char path[4500];
	int result = 0;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open_file(path, O_WRONLY | (offset < 0 ? O_APPEND : 0));
	if (fd < 0)
		return -1;
	if (offset >= 0) {
		result = write_at(fd, bytes, size, offset);
	} else {
		ssize_t count = write(fd, bytes, size);
		if (count != (ssize_t)size) {
			errno = count < 0 ? errno : ENOSPC;
			result = -1;
		}
	}
	close_quietly(fd);
	return result;
}
