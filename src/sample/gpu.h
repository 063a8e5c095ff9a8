/* What NVIDIA's GPUs of this node do, as NVML says. A call takes up to a tenth of a second, and
 * longer where a GPU is in trouble: gpu_thread.h has a thread for it. */
#ifndef NBSCOREP_SAMPLE_GPU_H
#define NBSCOREP_SAMPLE_GPU_H

#include <sys/types.h>

#include "sample/nvml.h"
#include "sample/series_file.h"

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
	unsigned has;       /* a bit for each enum gpu_value that it can tell */
	bool has_processes; /* it can tell whose memory it holds */
	/* For gpu*.c alone, and changed by gpus_read(): */
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

/* Loads LIBRARY (NVML_LIBRARY) and finds out what each GPU can tell. Returns 0, or -1 where there
 * is nothing to sample. *NOTE, text in ARENA, says why not, or why not all; else it is empty. */
int gpus_open(struct gpus *gpus, struct arena *arena, const char *library, struct slice *note);

/* What gpus_open() has opened; also where memory ran out in it, if GPUS was zeroed before. */
void gpus_close(struct gpus *gpus);

/* Reads all GPUs. READING is zeroed before its first use, and keeps its memory, in ARENA. A value
 * that cannot be read just now is the last one; what a GPU cannot tell, and all of one that is
 * lost, is 0, and that one is not asked again. Processes of a list that cannot be read are left
 * out. */
void gpus_read(struct gpus *gpus, struct arena *arena, struct gpu_reading *reading);

struct gpu_columns {
	VECTOR(struct series_column_kind) list;
};

/* Adds the columns of what some GPU can tell, each for all GPUs, whose place in the list is the
 * instance. They stay the same until gpus_close(). */
void gpus_columns(const struct gpus *gpus, struct arena *arena, struct gpu_columns *out);

/* The values of those columns, in their order; room for them is the caller's. */
void gpus_values(const struct gpus *gpus, const struct gpu_reading *reading, int64_t *values);

/* Can some GPU tell whose memory it holds? */
bool gpus_have_processes(const struct gpus *gpus);

/* What CLOCK says, in nanoseconds. */
int64_t gpu_clock(clockid_t clock);

/* Was RESULT, of a call for GPU, a success? One that says that the GPU is gone is the last call. */
bool gpu_answered(const struct gpus *gpus, struct gpu *gpu, int result);

#endif
