/* The use of this node's NVIDIA GPUs, read through NVML. A call takes up to a tenth of a second, and
 * longer if a GPU has a fault, so gpu_thread.h has a thread for it. */
#ifndef NBSCOREP_SAMPLE_GPU_H
#define NBSCOREP_SAMPLE_GPU_H

#include <sys/types.h>

#include "sample/nvml.h"
#include "sample/series.h"

enum gpu_value {
	GPU_VALUE_UTIL,
	GPU_VALUE_BAND,
	GPU_VALUE_MEM,
	GPU_VALUE_POWER,
	GPU_VALUE_COUNT,
};

struct gpu {
	struct slice name;
	int64_t memory;     /* bytes that it has; 0: unknown */
	unsigned index;     /* NVML's and nvidia-smi's */
	unsigned has;       /* a bit for each enum gpu_value that it reports */
	bool has_processes; /* it reports the processes that use its memory */
	/* For gpu.c alone, and changed by gpus_read(): */
	struct nvml_device *device;
	unsigned readers;  /* which ones work for it */
	unsigned mig_room; /* MIG devices that it may have */
	int64_t last[GPU_VALUE_COUNT];
	const char *lost; /* why it is no longer asked */
};

struct gpus {
	struct nvml nvml;
	VECTOR(struct gpu) list; /* those that this user may look at */
	char *buffer;            /* for lists of processes */
	unsigned room;           /* how many there may be in it */
};

/* Of one GPU. */
struct gpu_state {
	int64_t values[GPU_VALUE_COUNT]; /* in the units of metrics.def */
	const char *lost; /* why it is no longer there, NVML's words, until gpus_close(); or NULL */
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
};

/* Loads LIBRARY (NVML_LIBRARY) and finds the values that each GPU reports. Returns 0, or -1 if no GPU
 * can be sampled. *NOTE, text in ARENA, is the reason if not all GPUs can be sampled, else empty. */
int gpus_open(struct gpus *gpus, struct arena *arena, const char *library, struct slice *note);

/* What gpus_open() has opened; also where memory ran out in it, if GPUS was zeroed before. */
void gpus_close(struct gpus *gpus);

/* Reads all GPUs. READING is zeroed before its first use, and keeps its memory, in ARENA. A value
 * that cannot be read now keeps its last reading. A value that a GPU does not report is 0, and so are
 * all values of a lost GPU, which is not read again. A list of processes that cannot be read is left
 * out. */
void gpus_read(struct gpus *gpus, struct arena *arena, struct gpu_reading *reading);

struct gpu_columns {
	VECTOR(struct series_column_kind) list;
};

/* Adds a column for each value that at least one GPU reports, for all GPUs; the instance is the GPU's
 * index in the list. The columns stay the same until gpus_close(). */
void gpus_columns(const struct gpus *gpus, struct arena *arena, struct gpu_columns *out);

/* The values of those columns, in their order; room for them is the caller's. */
void gpus_values(const struct gpus *gpus, const struct gpu_reading *reading, int64_t *values);

/* True if at least one GPU reports the processes that use its memory. */
bool gpus_have_processes(const struct gpus *gpus);

/* The bytes of memory of GPU that COUNT processes hold, whose PIDS are sorted: GPU_PROCESS_MEM. */
int64_t gpu_held(const struct gpu_reading *reading, unsigned gpu, const pid_t *pids, size_t count);

#endif
