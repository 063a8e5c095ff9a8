/* Stands in for libFuzzer where a target is only to replay inputs: the files and folders that are
 * its arguments. Says which one it was when a target aborts. */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static const char *current = "";
static unsigned long replayed;

/* The sanitizers abort, too, so that the name is told. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return "abort_on_error=1:handle_abort=0";
}

const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

static void on_abort(int number)
{
	const char *parts[] = {"\nreplay: it was ", current, "\n"};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		(void)!write(STDERR_FILENO, parts[i], strlen(parts[i]));
	signal(number, SIG_DFL);
	raise(number);
}

static int replay(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(size + (size == 0));
	if (file == NULL || data == NULL || fread(data, 1, size, file) != size) {
		perror(path);
		exit(2);
	}
	fclose(file);
	current = path;
	LLVMFuzzerTestOneInput(data, size);
	replayed++;
	free(data);
	return 0;
}

static int visit(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)place;
	return type == FTW_F ? replay(path, (size_t)info->st_size) : 0;
}

int main(int argc, char **argv)
{
	signal(SIGABRT, on_abort);
	for (int i = 1; i < argc; i++) {
		struct stat info;
		if (stat(argv[i], &info) != 0 || nftw(argv[i], visit, 16, FTW_PHYS) != 0) {
			perror(argv[i]);
			return 2;
		}
	}
	printf("%lu inputs\n", replayed);
	return replayed > 0 ? 0 : 2;
}
