/* Include it after cmocka.h. */
#ifndef NBSCOREP_TESTS_UNIT_DESCRIPTORS_H
#define NBSCOREP_TESTS_UNIT_DESCRIPTORS_H

#include <dirent.h>

/* The number of descriptors that this process has open, one more for the count itself. */
static int open_descriptors(void)
{
	int count = 0;
	DIR *folder = opendir("/proc/self/fd");
	assert_non_null(folder);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

#endif
