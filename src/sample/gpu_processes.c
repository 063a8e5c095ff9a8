/* Who holds memory of a GPU. */
#include "sample/gpu_processes.h"

#include <stdlib.h>

#include "sample/gpu.h"

enum {
	FIRST_ROOM = 64,
	MOST_ROOM = 1 << 16,
	MOST_TRIES = 4,
	POISON = 0xAA,
};

typedef int list_function(struct nvml_device *, unsigned *, void *);

struct lister {
	struct gpus *gpus;
	struct arena *arena;
	unsigned number; /* of the GPU */
	struct gpu_reading *reading;
	size_t first; /* process of the device whose lists are read */
	bool told;
};

/* The driver may write entries of any size that is known. */
static void make_room(struct lister *l, unsigned room)
{
	struct gpus *gpus = l->gpus;
	if (room <= gpus->room || room > MOST_ROOM)
		return;
	gpus->buffer = arena_calloc(l->arena, room, NVML_PROCESS_V3);
	gpus->room = room;
}

/* The size of each of COUNT entries that the driver has written over the poison. Any other size means
 * that the driver has written more than the entries. */
static size_t entry_size(const struct gpus *gpus, unsigned count)
{
	size_t size = (size_t)gpus->room * NVML_PROCESS_V3;
	while (size > 0 && (unsigned char)gpus->buffer[size - 1] == POISON)
		size--;
	if (size == (size_t)count * NVML_PROCESS_V1 || size == (size_t)count * NVML_PROCESS_V2 ||
	    size == (size_t)count * NVML_PROCESS_V3)
		return size / count;
	return gpus->nvml.process_size;
}

/* A process that computes and draws is in two lists. */
static bool is_listed(const struct lister *l, pid_t pid)
{
	for (size_t i = l->first; i < l->reading->processes.count; i++) {
		if (l->reading->processes.items[i].pid == pid)
			return true;
	}
	return false;
}

static void take_process(struct lister *l, const char *entry)
{
	struct nvml_process from;
	memcpy(&from, entry, sizeof from);
	struct gpu_process process = {l->number, (pid_t)from.pid, (int64_t)from.memory};
	if (from.memory <= INT64_MAX && !is_listed(l, process.pid))
		vec_push(l->arena, &l->reading->processes, process);
}

static void take_processes(struct lister *l, unsigned count)
{
	if (count == 0)
		return;
	size_t size = entry_size(l->gpus, count);
	for (unsigned i = 0; i < count; i++)
		take_process(l, l->gpus->buffer + i * size);
}

/* Their number may grow from one call to the next. */
static void read_list(struct lister *l, list_function *list, struct nvml_device *device)
{
	struct gpu *gpu = &l->gpus->list.items[l->number];
	int result = NVML_INSUFFICIENT_SIZE;
	unsigned count = 0;
	if (list == NULL || gpu->lost != NULL)
		return;
	make_room(l, FIRST_ROOM);
	for (int i = 0; i < MOST_TRIES && result == NVML_INSUFFICIENT_SIZE; i++) {
		make_room(l, count * 2);
		memset(l->gpus->buffer, POISON, (size_t)l->gpus->room * NVML_PROCESS_V3);
		count = l->gpus->room;
		result = list(device, &count, l->gpus->buffer);
	}
	if (!gpu_answered(l->gpus, gpu, result) || count > l->gpus->room)
		return;
	l->told = true;
	take_processes(l, count);
}

static void read_device(struct lister *l, struct nvml_device *device)
{
	const struct nvml *nvml = &l->gpus->nvml;
	l->first = l->reading->processes.count;
	read_list(l, nvml->compute_processes, device);
	read_list(l, nvml->graphics_processes, device);
	read_list(l, nvml->mps_processes, device);
}

bool gpu_read_processes(struct gpus *gpus, struct arena *arena, unsigned number,
                        struct gpu_reading *reading)
{
	struct gpu *gpu = &gpus->list.items[number];
	struct lister l = {gpus, arena, number, reading, .told = false};
	if (gpu->mig_room == 0)
		read_device(&l, gpu->device);
	/* A GPU with MIG reports all processes only to administrators. MIG devices come and go, and
	 * handles of removed ones are used again. */
	for (unsigned i = 0; i < gpu->mig_room; i++) {
		struct nvml_device *device = NULL;
		if (gpus->nvml.mig_handle(gpu->device, i, &device) == NVML_SUCCESS)
			read_device(&l, device);
	}
	return l.told;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

int64_t gpu_held(const struct gpu_reading *reading, unsigned gpu, const pid_t *pids, size_t count)
{
	int64_t sum = 0;
	for (size_t i = 0; i < reading->processes.count; i++) {
		const struct gpu_process *process = &reading->processes.items[i];
		if (process->gpu == gpu && count > 0 &&
		    bsearch(&process->pid, pids, count, sizeof *pids, compare_pids) != NULL)
			sum += process->memory;
	}
	return sum;
}
