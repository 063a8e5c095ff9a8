#include "sample/gpu.h"

#include <time.h>

#include "sample/gpu_processes.h"

static const enum metric metrics[GPU_VALUE_COUNT] = {
        [GPU_VALUE_UTIL] = METRIC_GPU_UTIL,
        [GPU_VALUE_BAND] = METRIC_GPU_BAND,
        [GPU_VALUE_MEM] = METRIC_GPU_MEM,
        [GPU_VALUE_POWER] = METRIC_GPU_POWER,
};

/* ---- one GPU ---- */

static bool is_gone(int result)
{
	return result == NVML_GPU_IS_LOST || result == NVML_RESET_REQUIRED ||
	       result == NVML_GPU_NOT_FOUND || result == NVML_UNINITIALIZED ||
	       result == NVML_DRIVER_NOT_LOADED;
}

bool gpu_answered(const struct gpus *gpus, struct gpu *gpu, int result)
{
	if (is_gone(result)) {
		gpu->lost = nvml_error(&gpus->nvml, result);
		memset(gpu->last, 0, sizeof gpu->last);
	}
	return result == NVML_SUCCESS;
}

static int64_t bounded(unsigned long long number)
{
	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static bool read_utilization(const struct gpus *gpus, struct gpu *gpu)
{
	struct nvml_utilization now = {0};
	if (gpus->nvml.utilization == NULL ||
	    !gpu_answered(gpus, gpu, gpus->nvml.utilization(gpu->device, &now)))
		return false;
	gpu->last[GPU_VALUE_UTIL] = now.gpu;
	gpu->last[GPU_VALUE_BAND] = now.memory;
	return true;
}

static bool take_memory(struct gpu *gpu, unsigned long long total, unsigned long long used)
{
	if (gpu->memory == 0)
		gpu->memory = bounded(total);
	gpu->last[GPU_VALUE_MEM] = bounded(used);
	return true;
}

static bool read_memory_v2(const struct gpus *gpus, struct gpu *gpu)
{
	struct nvml_memory_v2 now = {.version = NVML_MEMORY_V2};
	return gpus->nvml.memory_v2 != NULL &&
	       gpu_answered(gpus, gpu, gpus->nvml.memory_v2(gpu->device, &now)) &&
	       take_memory(gpu, now.total, now.used);
}

static bool read_memory(const struct gpus *gpus, struct gpu *gpu)
{
	struct nvml_memory now = {0};
	return gpus->nvml.memory != NULL &&
	       gpu_answered(gpus, gpu, gpus->nvml.memory(gpu->device, &now)) &&
	       take_memory(gpu, now.total, now.used);
}

static bool read_power(const struct gpus *gpus, struct gpu *gpu)
{
	unsigned now = 0;
	if (gpus->nvml.power == NULL ||
	    !gpu_answered(gpus, gpu, gpus->nvml.power(gpu->device, &now)))
		return false;
	gpu->last[GPU_VALUE_POWER] = now;
	return true;
}

/* A GPU has those that worked when it was opened, and one for each value: the first. */
static const struct reader {
	bool (*read)(const struct gpus *gpus, struct gpu *gpu);
	unsigned values;
} readers[] = {
        {read_utilization, 1U << GPU_VALUE_UTIL | 1U << GPU_VALUE_BAND},
        {read_memory_v2, 1U << GPU_VALUE_MEM},
        {read_memory, 1U << GPU_VALUE_MEM},
        {read_power, 1U << GPU_VALUE_POWER},
};

enum { READER_COUNT = sizeof readers / sizeof *readers };

static void find_readers(const struct gpus *gpus, struct gpu *gpu)
{
	for (unsigned i = 0; i < READER_COUNT && gpu->lost == NULL; i++) {
		if ((gpu->has & readers[i].values) != 0 || !readers[i].read(gpus, gpu))
			continue;
		gpu->has |= readers[i].values;
		gpu->readers |= 1U << i;
	}
}

static void read_values(const struct gpus *gpus, struct gpu *gpu)
{
	for (unsigned i = 0; i < READER_COUNT && gpu->lost == NULL; i++) {
		if ((gpu->readers & 1U << i) != 0)
			(void)readers[i].read(gpus, gpu);
	}
}

/* ---- all GPUs ---- */

static struct slice read_name(const struct gpus *gpus, struct arena *arena, struct gpu *gpu)
{
	char name[NVML_NAME_SIZE] = "";
	if (gpus->nvml.name == NULL ||
	    !gpu_answered(gpus, gpu, gpus->nvml.name(gpu->device, name, sizeof name)))
		return SLICE("unknown GPU");
	return arena_dup(arena, slice_make(name, strnlen(name, sizeof name)));
}

/* Zero without MIG, or if MIG is not used. */
static unsigned mig_room(const struct nvml *nvml, struct nvml_device *device)
{
	unsigned count = 0;
	if (nvml->mig_count == NULL || nvml->mig_handle == NULL ||
	    nvml->mig_count(device, &count) != NVML_SUCCESS)
		return 0;
	return count;
}

static int add_gpu(struct gpus *gpus, struct arena *arena, unsigned index)
{
	struct gpu gpu = {.index = index};
	int result = gpus->nvml.handle(index, &gpu.device);
	if (result != NVML_SUCCESS)
		return result;
	gpu.name = read_name(gpus, arena, &gpu);
	find_readers(gpus, &gpu);
	gpu.mig_room = gpu.lost != NULL ? 0 : mig_room(&gpus->nvml, gpu.device);
	vec_push(arena, &gpus->list, gpu);
	struct gpu_reading first = {0};
	unsigned number = (unsigned)gpus->list.count - 1;
	gpus->list.items[number].has_processes = gpu_read_processes(gpus, arena, number, &first);
	return NVML_SUCCESS;
}

/* Opens all that can be opened; the result is the first failure. */
static int add_gpus(struct gpus *gpus, struct arena *arena, unsigned count)
{
	int first = NVML_SUCCESS;
	for (unsigned i = 0; i < count; i++) {
		int result = add_gpu(gpus, arena, i);
		if (first == NVML_SUCCESS)
			first = result;
	}
	return first;
}

static struct slice not_sampled(struct arena *arena, struct slice why)
{
	return arena_printf(arena, "no GPU is sampled: %.*s", SLICE_ARG(why));
}

/* The note for the user if COUNT GPUs are known, and RESULT is the first failure. */
static struct slice find_note(const struct gpus *gpus, struct arena *arena, unsigned count,
                              int result)
{
	const char *why =
	        result == NVML_SUCCESS ? "NVML finds none" : nvml_error(&gpus->nvml, result);
	if (gpus->list.count == 0)
		return not_sampled(arena, slice_from(why));
	if (gpus->list.count < count)
		return arena_printf(arena, "only %zu of %u GPUs are sampled: %s", gpus->list.count,
		                    count, why);
	return slice_make("", 0);
}

int gpus_open(struct gpus *gpus, struct arena *arena, const char *library, struct slice *note)
{
	unsigned count = 0;
	struct slice problem;
	*gpus = (struct gpus){0};
	if (nvml_open(&gpus->nvml, arena, library, &problem) < 0) {
		*note = not_sampled(arena, problem);
		return -1;
	}
	int result = gpus->nvml.count(&count);
	if (result == NVML_SUCCESS)
		result = add_gpus(gpus, arena, count);
	*note = find_note(gpus, arena, count, result);
	if (gpus->list.count > 0)
		return 0;
	gpus_close(gpus);
	return -1;
}

void gpus_close(struct gpus *gpus)
{
	if (gpus->nvml.library != NULL)
		nvml_close(&gpus->nvml);
}

int64_t gpu_clock(clockid_t clock)
{
	struct timespec now;
	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void gpus_read(struct gpus *gpus, struct arena *arena, struct gpu_reading *reading)
{
	reading->time.begin = gpu_clock(CLOCK_MONOTONIC);
	reading->time.wall = gpu_clock(CLOCK_REALTIME);
	reading->gpus.count = 0;
	reading->processes.count = 0;
	for (unsigned i = 0; i < gpus->list.count; i++) {
		struct gpu *gpu = &gpus->list.items[i];
		struct gpu_state state = {0};
		read_values(gpus, gpu);
		if (gpu->has_processes)
			(void)gpu_read_processes(gpus, arena, i, reading);
		memcpy(state.values, gpu->last, sizeof state.values);
		state.lost = gpu->lost;
		vec_push(arena, &reading->gpus, state);
	}
	reading->time.end = gpu_clock(CLOCK_MONOTONIC);
}

/* ---- columns ---- */

static bool has_value(const struct gpus *gpus, unsigned value)
{
	unsigned has = 0;
	for (size_t i = 0; i < gpus->list.count; i++)
		has |= gpus->list.items[i].has;
	return (has & 1U << value) != 0;
}

void gpus_columns(const struct gpus *gpus, struct arena *arena, struct gpu_columns *out)
{
	for (unsigned value = 0; value < GPU_VALUE_COUNT; value++) {
		for (unsigned i = 0; has_value(gpus, value) && i < gpus->list.count; i++) {
			struct series_column_kind column = {metrics[value], i};
			vec_push(arena, &out->list, column);
		}
	}
}

void gpus_values(const struct gpus *gpus, const struct gpu_reading *reading, int64_t *values)
{
	for (unsigned value = 0; value < GPU_VALUE_COUNT; value++) {
		for (unsigned i = 0; has_value(gpus, value) && i < gpus->list.count; i++)
			*values++ = reading->gpus.items[i].values[value];
	}
}

bool gpus_have_processes(const struct gpus *gpus)
{
	for (size_t i = 0; i < gpus->list.count; i++) {
		if (gpus->list.items[i].has_processes)
			return true;
	}
	return false;
}
