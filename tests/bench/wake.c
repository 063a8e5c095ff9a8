/*
 * What the system itself takes for a sample:
 *
 *     wake INTERVAL_NS SECONDS PID
 *
 * waits for a timer at each interval, and reads /proc/loadavg and /proc/PID/stat, as any sampler must to
 * see who came and what PID used. Writes its processor time for each, in nanoseconds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { NS = 1000000000 };

static long long processor_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * (long long)NS + time.tv_nsec;
}

int main(int argc, char **argv)
{
	char path[64], text[4096];
	if (argc != 4)
		return 2;
	long long interval = strtoll(argv[1], NULL, 10);
	long long count = strtoll(argv[2], NULL, 10) * NS / interval;
	snprintf(path, sizeof path, "/proc/%ld/stat", strtol(argv[3], NULL, 10));
	int files[] = {open("/proc/loadavg", O_RDONLY | O_CLOEXEC),
	               open(path, O_RDONLY | O_CLOEXEC)};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct timespec step = {.tv_sec = interval / NS, .tv_nsec = interval % NS};
	struct itimerspec times = {.it_interval = step, .it_value = step};
	if (timerfd_settime(timer, 0, &times, NULL) != 0)
		return 1;
	long long begin = processor_time();
	for (long long i = 0; i < count; i++) {
		uint64_t expired;
		if (read(timer, &expired, sizeof expired) < 0 ||
		    pread(files[0], text, sizeof text, 0) < 0 ||
		    pread(files[1], text, sizeof text, 0) < 0)
			return 1;
	}
	printf("%lld\n", (processor_time() - begin) / count);
	return 0;
}
