/* Which processes hold memory of a GPU. */
#ifndef NBSCOREP_SAMPLE_GPU_PROCESSES_H
#define NBSCOREP_SAMPLE_GPU_PROCESSES_H

#include "sample/gpu.h"

/* The bytes of memory of GPU that COUNT processes hold, whose PIDS are sorted: GPU_PROCESS_MEM. */
int64_t gpu_held(const struct gpu_reading *reading, unsigned gpu, const pid_t *pids, size_t count);

/* Adds the processes of the GPU at the place NUMBER in the list. Returns false if none of its
 * lists can be read. */
bool gpu_read_processes(struct gpus *gpus, struct arena *arena, unsigned number,
                        struct gpu_reading *reading);

#endif
