#include "run/runtime_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"

int runtime_file_open(struct slice text)
{
	int fd = memfd_create("nbscorep", MFD_CLOEXEC);
	if (fd < 0 || os_write_all(fd, text) == 0)
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}
