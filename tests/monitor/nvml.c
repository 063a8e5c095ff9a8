/* A libnvidia-ml.so.1 for tests, whose GPUs are those of a script. Declarations and numbers are those of
 * the NVML API Reference Guide, and independent of the program's. */
#include <string.h>

#include "nvml_script.h"

typedef struct device *nvmlDevice_t;

/* ---- first versions ---- */

typedef struct {
	unsigned gpu, memory;
} nvmlUtilization_t;

int nvmlShutdown(void);
const char *nvmlErrorString(int result);
int nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length);
int nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *out);
int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *out);

int nvmlShutdown(void)
{
	return SUCCESS;
}

const char *nvmlErrorString(int result)
{
	switch (result) {
	case 4:
		return "Insufficient Permissions";
	case 9:
		return "Driver Not Loaded";
	case 15:
		return "GPU is lost";
	default:
		return "Unknown Error";
	}
}

int nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
	const struct gpu *gpu = &nvml_script.gpus[device->gpu];
	int result = nvml_script_enter(NAME, device->gpu);
	if (result == SUCCESS)
		strncpy(name, gpu->name, length);
	return result;
}

int nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *out)
{
	const struct gpu *gpu = &nvml_script.gpus[device->gpu];
	unsigned long long util = 0, band = 0;
	int result = nvml_script_enter(UTILIZATION, device->gpu);
	if (result == SUCCESS)
		result = nvml_script_take(UTILIZATION, device->gpu, &gpu->util, &util);
	if (result == SUCCESS)
		result = nvml_script_take(UTILIZATION, device->gpu, &gpu->band, &band);
	*out = (nvmlUtilization_t){(unsigned)util, (unsigned)band};
	return result;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *out)
{
	unsigned long long power = 0;
	int result = nvml_script_enter(POWER, device->gpu);
	if (result == SUCCESS)
		result = nvml_script_take(POWER, device->gpu, &nvml_script.gpus[device->gpu].power,
		                          &power);
	*out = (unsigned)power;
	return result;
}

/* ---- second versions ---- */

typedef struct {
	unsigned pid;
	unsigned long long memory;
	unsigned part, instance;
} nvmlProcessInfo_v2_t;

static int processes(enum function list, nvmlDevice_t device, unsigned *count,
                     nvmlProcessInfo_v2_t *out)
{
	unsigned room = *count, found = 0;
	int result = nvml_script_enter(list, device->gpu);
	if (result == TOO_SMALL)
		*count = ~0U;
	if (result != SUCCESS)
		return result;
	for (unsigned i = 0; i < nvml_script.process_count; i++) {
		const struct process *process = &nvml_script.processes[i];
		if (process->gpu != device->gpu || process->part != device->part ||
		    process->list != list)
			continue;
		if (found < room)
			out[found] =
			        (nvmlProcessInfo_v2_t){process->pid, process->memory, ~0U, ~0U};
		found++;
	}
	*count = found;
	return found > room ? TOO_SMALL : SUCCESS;
}

#define PROCESSES(name, list)                                                                      \
	int name(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v2_t *out);                 \
	int name(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v2_t *out)                  \
	{                                                                                          \
		return processes(list, device, count, out);                                        \
	}

PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2, COMPUTE)
PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2, GRAPHICS)
PROCESSES(nvmlDeviceGetMPSComputeRunningProcesses_v2, MPS)

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	nvml_script_read();
	return nvml_script_enter(INIT, 0);
}

int nvmlDeviceGetCount_v2(unsigned *out);
int nvmlDeviceGetCount_v2(unsigned *out)
{
	*out = nvml_script.gpu_count;
	return nvml_script_enter(COUNT, 0);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *out);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *out)
{
	if (index >= nvml_script.gpu_count)
		return INVALID;
	*out = &nvml_script.gpus[index].devices[0];
	return nvml_script_enter(HANDLE, index);
}

/* What a driver keeps for itself. */
enum { RESERVED = 64 };

typedef struct {
	unsigned version;
	unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *out);
int nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *out)
{
	const struct gpu *gpu = &nvml_script.gpus[device->gpu];
	unsigned long long used = 0;
	int result = nvml_script_enter(MEMORY, device->gpu);
	if (result == SUCCESS && out->version != 0x2000028)
		result = OTHER_VERSION;
	if (result == SUCCESS)
		result = nvml_script_take(MEMORY, device->gpu, &gpu->used, &used);
	out->total = gpu->total;
	out->reserved = RESERVED;
	out->free = gpu->total - used - RESERVED;
	out->used = used;
	return result;
}

int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *out);
int nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *out)
{
	*out = nvml_script.gpus[device->gpu].parts;
	return SUCCESS;
}

/* The last one that there may be is not there. */
int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *out);
int nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *out)
{
	struct gpu *gpu = &nvml_script.gpus[device->gpu];
	if (index + 1 >= gpu->parts)
		return NOT_FOUND;
	*out = &gpu->devices[index + 1];
	return SUCCESS;
}
