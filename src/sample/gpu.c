#include "sample/gpu.h"

#include <dlfcn.h>
#include <time.h>

#include "base/os.h"

/* ---- NVML ---- */

/* Loads LIBRARY and initialises it, which may take seconds if the driver is not in persistence mode.
 * Returns 0, or -1 with *NOTE, a text in ARENA; then NVML->library is NULL and must not be closed. */
static int nvml_open(struct nvml *nvml, struct arena *arena, const char *library,
                     struct slice *note)
{
	void *symbol;
	*nvml = (struct nvml){.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
	if (nvml->library == NULL) {
		*note = arena_printf(arena, GPUS_NOT_SAMPLED "%s", dlerror());
		return -1;
	}
	bool is_whole = true;
	/* C knows no way from an object to a function; POSIX does. */
#define NVML(field, result, parameters, name)                                                      \
	symbol = dlsym(nvml->library, name);                                                       \
	is_whole &= symbol != NULL;                                                                \
	memcpy(&nvml->field, &symbol, sizeof symbol);
#include "sample/nvml.def"
	int result = is_whole ? nvml->init() : NVML_SUCCESS;
	if (is_whole && result == NVML_SUCCESS)
		return 0;
	*note = is_whole ? arena_printf(arena, GPUS_NOT_SAMPLED "NVML: %s",
	                                nvml->error_string(result))
	                 : SLICE(GPUS_NOT_SAMPLED "the library lacks functions of NVML");
	(void)dlclose(nvml->library);
	nvml->library = NULL;
	return -1;
}

/* ---- one GPU ---- */

/* True if RESULT, of a call for GPU, is a success. */
static bool gpu_answered(struct gpus *gpus, const struct gpu *gpu, int result)
{
	if (result == NVML_GPU_IS_LOST || result == NVML_RESET_REQUIRED ||
	    result == NVML_GPU_NOT_FOUND || result == NVML_UNINITIALIZED ||
	    result == NVML_DRIVER_NOT_LOADED) {
		gpus->loss = result;
		gpus->lost = gpu->index;
	}
	return result == NVML_SUCCESS;
}

static void read_values(struct gpus *gpus, struct gpu *gpu, bool is_new)
{
	const struct nvml *nvml = &gpus->nvml;
	struct nvml_utilization use = {0};
	struct nvml_memory memory = {.version = NVML_MEMORY_VERSION};
	/* A GPU is asked for what it answered when it was opened, which IS_NEW finds. */
	unsigned power = 0, asked = is_new ? UINT_MAX : gpu->has;
	if ((asked & 1U << GPU_VALUE_UTIL) != 0 &&
	    gpu_answered(gpus, gpu, nvml->utilization(gpu->device, &use))) {
		gpu->last.values[GPU_VALUE_UTIL] = use.gpu;
		gpu->last.values[GPU_VALUE_BAND] = use.memory;
		gpu->has |= 1U << GPU_VALUE_UTIL | 1U << GPU_VALUE_BAND;
	}
	if ((asked & 1U << GPU_VALUE_MEM) != 0 &&
	    gpu_answered(gpus, gpu, nvml->memory(gpu->device, &memory))) {
		if (is_new) /* another thread may read it later */
			gpu->memory = (int64_t)memory.total;
		gpu->last.values[GPU_VALUE_MEM] = (int64_t)memory.used;
		gpu->has |= 1U << GPU_VALUE_MEM;
	}
	if ((asked & 1U << GPU_VALUE_POWER) != 0 &&
	    gpu_answered(gpus, gpu, nvml->power(gpu->device, &power))) {
		gpu->last.values[GPU_VALUE_POWER] = power;
		gpu->has |= 1U << GPU_VALUE_POWER;
	}
}

/* ---- the processes that hold its memory ---- */

enum { PROCESSES_MAX = 1024 }; /* with more, a list fails */

/* Adds the processes of DEVICE, which is the GPU at the place NUMBER in the list, or a part of it.
 * Returns false if none of its lists can be read. */
static bool read_device(struct gpus *gpus, struct arena *arena, unsigned number,
                        struct nvml_device *device, struct gpu_reading *reading)
{
	const struct nvml *nvml = &gpus->nvml;
	int (*const lists[])(struct nvml_device *, unsigned *, struct nvml_process *) = {
	        nvml->compute_processes, nvml->graphics_processes, nvml->mps_processes};
	size_t first = reading->processes.count;
	bool any = false;
	for (size_t n = 0; n < sizeof lists / sizeof *lists; n++) {
		struct nvml_process found[PROCESSES_MAX];
		unsigned count = PROCESSES_MAX;
		if (!gpu_answered(gpus, &gpus->list.items[number], lists[n](device, &count, found)))
			continue;
		any = true;
		for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
			struct gpu_process process = {number, (pid_t)found[i].pid,
			                              (int64_t)found[i].memory};
			bool counts = found[i].memory <= INT64_MAX;
			/* A process that computes and draws is in two lists. */
			for (size_t k = first; k < reading->processes.count && counts; k++)
				counts = reading->processes.items[k].pid != process.pid;
			if (counts)
				vec_push(arena, &reading->processes, process);
		}
	}
	return any;
}

/* Adds the processes of the GPU at the place NUMBER in the list. Returns false if none of its
 * lists can be read. */
static bool read_processes(struct gpus *gpus, struct arena *arena, unsigned number,
                           struct gpu_reading *reading)
{
	struct gpu *gpu = &gpus->list.items[number];
	if (gpu->mig_room == 0)
		return read_device(gpus, arena, number, gpu->device, reading);
	/* A GPU with MIG reports all processes only to administrators. MIG devices come and go, and
	 * handles of removed ones are used again. */
	bool any = false;
	for (unsigned i = 0; i < gpu->mig_room; i++) {
		struct nvml_device *device = NULL;
		if (gpus->nvml.mig_handle(gpu->device, i, &device) == NVML_SUCCESS)
			any |= read_device(gpus, arena, number, device, reading);
	}
	return any;
}

/* ---- all GPUs ---- */

static int add_gpu(struct gpus *gpus, struct arena *arena, unsigned index)
{
	struct gpu gpu = {.index = index, .name = SLICE("unknown GPU")};
	char name[NVML_NAME_SIZE] = "";
	int result = gpus->nvml.handle(index, &gpu.device);
	if (result != NVML_SUCCESS)
		return result;
	if (gpu_answered(gpus, &gpu, gpus->nvml.name(gpu.device, name, sizeof name)))
		gpu.name = arena_dup(arena, slice_make(name, strnlen(name, sizeof name)));
	read_values(gpus, &gpu, true);
	result = gpus->loss;
	gpus->loss = NVML_SUCCESS;
	if (result != NVML_SUCCESS)
		return result;
	if (gpus->nvml.mig_count(gpu.device, &gpu.mig_room) != NVML_SUCCESS)
		gpu.mig_room = 0;
	vec_push(arena, &gpus->list, gpu);
	struct gpu_reading first = {0};
	unsigned number = (unsigned)gpus->list.count - 1;
	bool has_processes = read_processes(gpus, arena, number, &first);
	gpus->list.items[number].has_processes = has_processes;
	gpus->has |= gpu.has;
	gpus->have_processes |= has_processes;
	return NVML_SUCCESS;
}

int gpus_open(struct gpus *gpus, struct arena *arena, const char *library, struct slice *note)
{
	unsigned count = 0;
	*gpus = (struct gpus){0};
	if (nvml_open(&gpus->nvml, arena, library, note) < 0)
		return -1;
	int result = gpus->nvml.count(&count); /* or the first failure */
	if (result != NVML_SUCCESS)
		count = 0;
	for (unsigned i = 0; i < count; i++) {
		int added = add_gpu(gpus, arena, i);
		result = result == NVML_SUCCESS ? added : result;
	}
	const char *why =
	        result == NVML_SUCCESS ? "NVML finds none" : gpus->nvml.error_string(result);
	*note = SLICE("");
	if (gpus->list.count == 0)
		*note = arena_printf(arena, GPUS_NOT_SAMPLED "%s", why);
	else if (gpus->list.count < count)
		*note = arena_printf(arena, "only %zu of %u GPUs are sampled: %s", gpus->list.count,
		                     count, why);
	if (gpus->list.count > 0)
		return 0;
	gpus_close(gpus);
	return -1;
}

void gpus_close(struct gpus *gpus)
{
	struct nvml *nvml = &gpus->nvml;
	if (nvml->library == NULL)
		return;
	(void)nvml->shutdown();
	(void)dlclose(nvml->library);
	nvml->library = NULL;
}

void gpus_read(struct gpus *gpus, struct arena *arena, struct gpu_reading *reading)
{
	reading->time.begin = os_clock(CLOCK_MONOTONIC);
	reading->time.wall = os_clock(CLOCK_REALTIME);
	reading->gpus.count = 0;
	reading->processes.count = 0;
	for (unsigned i = 0; i < gpus->list.count; i++) {
		struct gpu *gpu = &gpus->list.items[i];
		read_values(gpus, gpu, false);
		if (gpu->has_processes)
			(void)read_processes(gpus, arena, i, reading);
		vec_push(arena, &reading->gpus, gpu->last);
	}
	reading->time.end = os_clock(CLOCK_MONOTONIC);
	if (gpus->loss != NVML_SUCCESS)
		reading->lost =
		        arena_printf(arena, "GPU %u was lost: %s; GPUs are no longer sampled",
		                     gpus->lost, gpus->nvml.error_string(gpus->loss))
		                .ptr;
}

/* ---- columns ---- */

void gpus_columns(const struct gpus *gpus, struct arena *arena, gpu_columns *out)
{
	for (unsigned value = 0; value < GPU_VALUE_COUNT; value++) {
		for (unsigned i = 0; (gpus->has & 1U << value) != 0 && i < gpus->list.count; i++) {
			struct series_column_kind column = {METRIC_GPU_UTIL + value, i};
			vec_push(arena, out, column);
		}
	}
}

void gpus_values(const struct gpus *gpus, const struct gpu_reading *reading, int64_t *values)
{
	for (unsigned value = 0; value < GPU_VALUE_COUNT; value++) {
		for (unsigned i = 0; (gpus->has & 1U << value) != 0 && i < gpus->list.count; i++)
			*values++ = reading->gpus.items[i].values[value];
	}
}
