#include "run/complete.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"

/* A tar archive: for each member a header and its content in whole blocks, then two blocks of zeros. */
enum { BLOCK = 512, NAME_SIZE = 100, SIZE_AT = 124, SIZE_DIGITS = 12, MAGIC_AT = 257 };

/* Reads a member's size, an octal number, or returns -1. GNU tar writes larger sizes in binary. */
static int64_t read_size(const unsigned char *header)
{
	const unsigned char *field = header + SIZE_AT;
	int64_t size = 0;
	if ((field[0] & 0x80) != 0) {
		for (int i = 4; i < SIZE_DIGITS; i++)
			size = (int64_t)((uint64_t)size << 8 | field[i]);
		return size;
	}
	for (int i = 0; i < SIZE_DIGITS && field[i] != '\0' && field[i] != ' '; i++) {
		if (field[i] < '0' || field[i] > '7')
			return -1;
		size = size * 8 + (field[i] - '0');
	}
	return size;
}

static bool is_empty(const unsigned char *block)
{
	for (int i = 0; i < BLOCK; i++) {
		if (block[i] != 0)
			return false;
	}
	return true;
}

static bool is_anchor(const unsigned char *header)
{
	return strncmp((const char *)header, "anchor.xml", NAME_SIZE) == 0;
}

static bool reaches_end(int fd)
{
	unsigned char block[BLOCK];
	bool anchored = false;
	for (int64_t at = 0; pread(fd, block, BLOCK, at) == BLOCK;) {
		if (is_empty(block))
			return anchored && pread(fd, block, BLOCK, at + BLOCK) == BLOCK
		&&is_empty(block);
		int64_t size = read_size(block);
		if (size < 0 || size > INT64_MAX / 2 ||
		    memcmp(block + MAGIC_AT, "ustar", strlen("ustar")) != 0)
			return false;
		anchored = is_anchor(block);
		at += BLOCK
		+(size + BLOCK - 1) / BLOCK
		*BLOCK;
		if (at < 0)
			return false;
	}
	return false;
}

bool complete_profile(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool complete = fd >= 0 && reaches_end(fd);
	if (fd >= 0)
		close(fd);
	return complete;
}

bool complete_traces(const char *path)
{
	static const char magic[] = "OTF2";
	enum { FIRST = 16 };
	char front[FIRST];
	long len = os_read_own_front(path, front, sizeof front);
	for (long i = 0; i + (long)strlen(magic) <= len; i++) {
		if (memcmp(front + i, magic, strlen(magic)) == 0)
			return true;
	}
	return false;
}
