/* Prints what the monitor sees of GPUs, to be held against nvidia-smi:
 *
 *     gpu_dump [LIBRARY [READINGS]]
 *
 * One line for each GPU and process of each reading, a second apart. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample/gpu_thread.h"

static void print_gpus(const struct gpus *gpus)
{
	for (size_t i = 0; i < gpus->list.count; i++) {
		const struct gpu *gpu = &gpus->list.items[i];
		printf("GPU %u: %.*s, %" PRId64 " MiB, values 0x%x, processes %d, MIG devices %u\n",
		       gpu->index, SLICE_ARG(gpu->name), gpu->memory >> 20, gpu->has,
		       gpu->has_processes, gpu->mig_room);
	}
}

static void print_reading(const struct gpus *gpus, const struct gpu_reading *reading)
{
	printf("reading of %.3f ms\n", (double)(reading->time.end - reading->time.begin) / 1e6);
	for (size_t i = 0; i < reading->gpus.count; i++) {
		const struct gpu_state *state = &reading->gpus.items[i];
		printf("  GPU %u: %" PRId64 " %%, memory %" PRId64 " %%, %" PRId64 " MiB, %" PRId64
		       " mW\n",
		       gpus->list.items[i].index, state->values[GPU_VALUE_UTIL],
		       state->values[GPU_VALUE_BAND], state->values[GPU_VALUE_MEM] >> 20,
		       state->values[GPU_VALUE_POWER]);
	}
	for (size_t i = 0; i < reading->processes.count; i++) {
		const struct gpu_process *process = &reading->processes.items[i];
		printf("  GPU %u: process %d has %" PRId64 " MiB\n",
		       gpus->list.items[process->gpu].index, (int)process->pid,
		       process->memory >> 20);
	}
	(void)fflush(stdout);
}

static void print_readings(struct gpu_thread *thread, long count)
{
	struct pollfd one = {.fd = gpu_thread_fd(thread), .events = POLLIN};
	while (count > 0 && poll(&one, 1, -1) == 1) {
		const struct gpu_reading *reading = gpu_thread_take(thread);
		if (reading == NULL)
			continue;
		print_reading(gpu_thread_gpus(thread), reading);
		count--;
	}
}

int main(int argc, char **argv)
{
	const int64_t second = 1000000000;
	const struct gpu_thread_order order = {argc > 1 ? argv[1] : NVML_LIBRARY, second,
	                                       60 * second, 10 * second};
	struct arena arena;
	struct slice note;
	arena_init(&arena, NULL);
	struct gpu_thread *thread = gpu_thread_start(&order, &arena, &note);
	if (note.len > 0)
		printf("note: %.*s\n", SLICE_ARG(note));
	if (thread != NULL) {
		print_gpus(gpu_thread_gpus(thread));
		print_readings(thread, argc > 2 ? strtol(argv[2], NULL, 10) : 5);
		gpu_thread_stop(thread);
	}
	arena_release(&arena);
	return thread == NULL;
}
