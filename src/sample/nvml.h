/* NVML, the library that comes with NVIDIA's driver: loaded when the program runs, never linked.
 * What is declared here is as the NVML API Reference Guide of release 590 has it
 * (https://docs.nvidia.com/deploy/nvml-api/). */
#ifndef NBSCOREP_SAMPLE_NVML_H
#define NBSCOREP_SAMPLE_NVML_H

#include "base/arena.h"

/* What the driver installs for programs. */
#define NVML_LIBRARY "libnvidia-ml.so.1"

/* nvmlReturn_t, as far as it makes a difference. */
enum nvml_result {
	NVML_SUCCESS = 0,
	NVML_UNINITIALIZED = 1,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_GPU_IS_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_GPU_NOT_FOUND = 28,
};

struct nvml_device; /* nvmlDevice_t is a pointer to it */

/* nvmlUtilization_t: percent of the last sample period, which is 1/6 to 1 second. */
struct nvml_utilization {
	unsigned gpu, memory;
};

/* nvmlMemory_t, in bytes. Since release 510 USED holds what the driver reserves, too. */
struct nvml_memory {
	unsigned long long total, free, used;
};

/* nvmlMemory_v2_t; USED is what nvidia-smi shows. */
struct nvml_memory_v2 {
	unsigned version; /* NVML_MEMORY_V2 */
	unsigned long long total, reserved, free, used;
};

/* NVML_STRUCT_VERSION(Memory, 2). */
#define NVML_MEMORY_V2 ((unsigned)sizeof(struct nvml_memory_v2) | 2U << 24)

enum {
	NVML_NAME_SIZE = 96, /* NVML_DEVICE_NAME_V2_BUFFER_SIZE */
	/* nvmlProcessInfo_t begins with PID and memory. Behind them: nothing; with functions _v2,
	 * ids of MIG; and in the first drivers 535 a number more, with functions _v3, which had it
	 * neither before nor after (pull request 79 of XuehaiPan/nvitop). */
	NVML_PROCESS_V1 = 16,
	NVML_PROCESS_V2 = 24,
	NVML_PROCESS_V3 = 32,
};

/* What nvmlProcessInfo_t begins with. */
struct nvml_process {
	unsigned pid;
	unsigned long long memory; /* all ones: not known */
};

/* The functions that the library has; else NULL. */
struct nvml {
	void *library;
#define NVML(field, result, parameters, ...) result(*field) parameters;
#include "sample/nvml.def"
#undef NVML
	size_t process_size; /* of nvmlProcessInfo_t, where nothing else shows it */
};

#endif
