/* What the files gpu*.c have in common. */
#ifndef NBSCOREP_MONITOR_GPU_INSIDE_H
#define NBSCOREP_MONITOR_GPU_INSIDE_H

#include <time.h>

#include "monitor/gpu.h"

/* What CLOCK says, in nanoseconds. */
int64_t gpu_clock(clockid_t clock);

/* Was RESULT, of a call for GPU, a success? One that says that the GPU is gone is the last call. */
bool gpu_answered(const struct gpus *gpus, struct gpu *gpu, int result);

/* Adds the processes of the GPU at the place NUMBER in the list. False where it tells of none of
 * its lists. */
bool gpu_read_processes(struct gpus *gpus, struct arena *arena, unsigned number,
                        struct gpu_reading *reading);

#endif
