/* A thread that reads GPUs at its own pace, since NVML may take longer than a sample has time, and
 * for ever where a GPU is in trouble. */
#pragma once

#include "sample/gpu.h"

struct gpu_thread;

struct gpu_thread_order {
	const char *library; /* NVML_LIBRARY; stays as it is until the program ends */
	int64_t period;      /* nanoseconds, above 0; a reading that takes longer leaves out some */
	/* Nanoseconds to wait for NVML when the thread begins (seconds for each GPU where the
	 * driver is not kept awake), and when it ends. */
	int64_t open_patience, stop_patience;
};

/* Starts the thread, which opens the GPUs, and waits for that up to the order's limit. Returns NULL
 * if no GPU can be sampled. *NOTE, text in ARENA, is the reason if not all GPUs can be sampled, else
 * empty. All signals are blocked in the thread. */
struct gpu_thread *gpu_thread_start(const struct gpu_thread_order *order, struct arena *arena,
                                    struct slice *note);

/* The GPUs, until gpu_thread_stop(): for gpus_columns(), gpus_values(),
 * names, indices and memory. NULL without a thread. */
const struct gpus *gpu_thread_gpus(const struct gpu_thread *thread);

/* A descriptor that can be read when there is a reading that was not taken. */
int gpu_thread_fd(const struct gpu_thread *thread);

/* The newest reading, or NULL if no reading was made since the last call. It is valid until the next
 * call of this function or of gpu_thread_stop(). The first reading is made at once, none after that of a loss. */
const struct gpu_reading *gpu_thread_take(struct gpu_thread *thread);

/* Ends the thread and frees what it has. One that NVML does not let go of in time is left alone,
 * and does that itself later. */
void gpu_thread_stop(struct gpu_thread *thread);
