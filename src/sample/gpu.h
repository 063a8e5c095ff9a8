/* The use of this node's NVIDIA GPUs, read through NVML. A call takes up to a tenth of a second, and
 * longer if a GPU has a fault, so gpu_thread.h has a thread for it. */
#pragma once

#include <sys/types.h>

#include "sample/series.h"

/* ---- NVML ---- */

/* NVML, the library that comes with NVIDIA's driver: loaded when the program runs, never linked.
 * What is declared here is as the NVML API Reference Guide of release 590 has it; drivers from 510 on have it, too
 * (https://docs.nvidia.com/deploy/nvml-api/). */
/* What the driver installs for programs. */
#define NVML_LIBRARY "libnvidia-ml.so.1"

/* nvmlReturn_t, as far as it makes a difference. */
enum nvml_result {
	NVML_SUCCESS = 0,
	NVML_UNINITIALIZED = 1,
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

/* nvmlMemory_v2_t, in bytes; USED is what nvidia-smi shows. */
struct nvml_memory {
	unsigned version; /* NVML_MEMORY_VERSION */
	unsigned long long total, reserved, free, used;
};

/* NVML_STRUCT_VERSION(Memory, 2). */
#define NVML_MEMORY_VERSION ((unsigned)sizeof(struct nvml_memory) | 2U << 24)

enum { NVML_NAME_SIZE = 96 }; /* NVML_DEVICE_NAME_V2_BUFFER_SIZE */

/* nvmlProcessInfo_v2_t. That of the functions _v3 is larger in the first drivers 535. */
struct nvml_process {
	unsigned pid;
	unsigned long long memory; /* all ones: not known */
	unsigned gpu_instance, compute_instance;
};

/* The functions of the library. */
struct nvml {
	void *library;
#define NVML(field, result, parameters, ...) result(*field) parameters;
#include "sample/nvml.def"
};

/* ---- the GPUs ---- */

enum gpu_value {
	GPU_VALUE_UTIL,
	GPU_VALUE_BAND,
	GPU_VALUE_MEM,
	GPU_VALUE_POWER,
	GPU_VALUE_COUNT,
};
_Static_assert(METRIC_GPU_UTIL + GPU_VALUE_BAND == METRIC_GPU_BAND &&
                       METRIC_GPU_UTIL + GPU_VALUE_MEM == METRIC_GPU_MEM &&
                       METRIC_GPU_UTIL + GPU_VALUE_POWER == METRIC_GPU_POWER,
               "in the order of metrics.def");

/* Of one GPU. */
struct gpu_state {
	int64_t values[GPU_VALUE_COUNT]; /* in the units of metrics.def */
};

struct gpu {
	struct slice name;
	int64_t memory;     /* bytes that it has; 0: unknown */
	unsigned index;     /* NVML's and nvidia-smi's */
	unsigned has;       /* a bit for each enum gpu_value that it reports */
	bool has_processes; /* it reports the processes that use its memory */
	/* For gpu.c alone, and changed by gpus_read(): */
	struct nvml_device *device;
	unsigned mig_room; /* MIG devices that it may have; 0: it has no MIG, or does not use it */
	struct gpu_state last;
};

struct gpus {
	struct nvml nvml;
	VECTOR(struct gpu) list; /* those that this user may look at */
	unsigned has;            /* what at least one of them reports, as in struct gpu */
	bool have_processes;
	/* For gpu.c alone: a result of NVML for a GPU that is no longer there, or NVML_SUCCESS; and which GPU. */
	int loss;
	unsigned lost;
};

struct gpu_process {
	unsigned gpu; /* in the list */
	pid_t pid;    /* of this PID namespace */
	int64_t memory;
};

struct gpu_reading {
	struct series_time time;
	VECTOR(struct gpu_state) gpus;
	VECTOR(struct gpu_process) processes; /* once for each GPU, or MIG device of it */
	/* A note, text in the arena of gpus_read(): a GPU is no longer there. No value is known then. NULL: all are. */
	const char *lost;
};

/* What notes begin with where there is no GPU to sample. */
#define GPUS_NOT_SAMPLED "no GPU is sampled: "

/* Loads LIBRARY (NVML_LIBRARY) and finds the values that each GPU reports. Returns 0, or -1 if no GPU
 * can be sampled. *NOTE, text in ARENA, is the reason if not all GPUs can be sampled, else empty. */
int gpus_open(struct gpus *gpus, struct arena *arena, const char *library, struct slice *note);

/* What gpus_open() has opened; also where memory ran out in it, if GPUS was zeroed before. */
void gpus_close(struct gpus *gpus);

/* Reads all GPUs. READING is zeroed before its first use, and keeps its memory, in ARENA. A value
 * that cannot be read now keeps its last reading. A value that a GPU does not report is 0. A list of
 * processes that cannot be read is left out. After the loss of a GPU it must not be called again. */
void gpus_read(struct gpus *gpus, struct arena *arena, struct gpu_reading *reading);

typedef VECTOR(struct series_column_kind) gpu_columns;

/* Adds a column for each value that at least one GPU reports, for all GPUs; the instance is the GPU's
 * index in the list. The columns stay the same until gpus_close(). */
void gpus_columns(const struct gpus *gpus, struct arena *arena, gpu_columns *out);

/* The values of those columns, in their order; room for them is the caller's. */
void gpus_values(const struct gpus *gpus, const struct gpu_reading *reading, int64_t *values);
