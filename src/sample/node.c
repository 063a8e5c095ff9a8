#include "sample/node.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sample/procfs.h"

enum { NS = 1000000000, KIB = 1024, TEXT_MAX = 64 * 1024 };

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

void node_open(struct node *node)
{
	long cores = sysconf(_SC_NPROCESSORS_CONF);
	node->cores = cores < 1 ? 1 : (size_t)cores;
	node->stat = open_file("/proc/stat");
	node->meminfo = open_file("/proc/meminfo");
	node->net = open_file("/proc/net/dev");
	node->own = open_file("/proc/self/statm");
}

int64_t node_memory_used(const struct node *node)
{
	char buffer[TEXT_MAX];
	struct slice text = procfs_read(node->meminfo, buffer, sizeof buffer);
	int64_t total = procfs_number(text, SLICE("MemTotal:"));
	int64_t available = procfs_number(text, SLICE("MemAvailable:"));
	return total < 0 || available < 0 ? -1 : (total - available) * KIB;
}

static int64_t number_of(struct slice word)
{
	int64_t number = 0;
	for (size_t i = 0; i < word.len && ascii_is_digit(word.ptr[i]); i++)
		number = number * 10 + (word.ptr[i] - '0');
	return number;
}

/* user nice system idle iowait irq softirq steal guest guest_nice (proc(5)); guests are in user. */
static int64_t busy_ticks(struct slice rest)
{
	enum { IDLE = 3, IOWAIT = 4, STEAL = 7 };
	int64_t sum = 0;
	for (int i = 0; i <= STEAL; i++) {
		int64_t ticks = number_of(slice_next_word(&rest));
		sum += i == IDLE || i == IOWAIT || i == STEAL ? 0 : ticks;
	}
	return sum;
}

bool node_cores(const struct node *node, int64_t *busy)
{
	char buffer[TEXT_MAX];
	struct slice rest = procfs_read(node->stat, buffer, sizeof buffer), line;
	bool any = false;
	memset(busy, 0, node->cores * sizeof *busy);
	while (slice_next_line(&rest, &line) && slice_starts_with(line, SLICE("cpu"))) {
		struct slice name = slice_next_word(&line);
		if (name.len == 3) /* the sum of all */
			continue;
		size_t core = (size_t)number_of(slice_sub(name, 3, name.len));
		if (core < node->cores)
			busy[core] = busy_ticks(line) * (NS / sysconf(_SC_CLK_TCK));
		any = true;
	}
	return any;
}

bool node_net(const struct node *node, int64_t *received, int64_t *sent)
{
	char buffer[TEXT_MAX];
	struct slice text = procfs_read(node->net, buffer, sizeof buffer);
	procfs_net(text, received, sent);
	return text.len > 0;
}

int64_t node_own_memory(const struct node *node)
{
	char buffer[256];
	return procfs_resident(procfs_read(node->own, buffer, sizeof buffer));
}

void node_close(struct node *node)
{
	const int files[] = {node->stat, node->meminfo, node->net, node->own};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (files[i] >= 0)
			close(files[i]);
	}
}
