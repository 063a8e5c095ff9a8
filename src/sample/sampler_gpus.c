/* GPUs are read by a thread of their own; here its readings become samples. */
#include "sample/sampler_gpus.h"

#include <stdlib.h>
#include <unistd.h>

#include "sample/gpu_processes.h"
#include "sample/sampler_inside.h"
#include "sample/series_write.h"

enum { NS = SAMPLER_NS };

/* Variables with the GPUs of a job, or their number, and the value, besides an empty one, for no GPU. */
static const struct {
	const char *name;
	struct slice none;
} gpu_variables[] = {
        {"CUDA_VISIBLE_DEVICES", SLICE_INIT("-1")},
        {"SLURM_JOB_GPUS", SLICE_INIT("")},
        {"SLURM_STEP_GPUS", SLICE_INIT("")},
        {"SLURM_GPUS_ON_NODE", SLICE_INIT("0")},
};

/* True where the job has asked for a GPU, or the node has one. */
static bool expects_gpus(void)
{
	for (size_t i = 0; i < sizeof gpu_variables / sizeof *gpu_variables; i++) {
		const char *value = getenv(gpu_variables[i].name);
		if (value != NULL && value[0] != '\0' &&
		    !slice_eq(slice_from(value), gpu_variables[i].none))
			return true;
	}
	return access("/dev/nvidiactl", F_OK) == 0;
}

void sampler_open_gpus(struct sampler *s)
{
	/* NVML averages over a sixth of a second and more. */
	const int64_t period = NS / 10, open_patience = 10 * (int64_t)NS, stop_patience = NS;
	const struct gpu_thread_order order = {
	        NVML_LIBRARY, s->order.interval > period ? s->order.interval : period,
	        open_patience, stop_patience};
	s->gpus = gpu_thread_start(&order, s->arena, &s->gpu_note);
	if (s->gpus == NULL && !expects_gpus())
		s->gpu_note.len = 0;
	if (s->gpus != NULL)
		gpus_columns(gpu_thread_gpus(s->gpus), s->arena, &s->gpu_columns);
}

void sampler_describe_gpus(struct sampler *s, struct series_head *head)
{
	const struct gpus *gpus = s->gpus == NULL ? NULL : gpu_thread_gpus(s->gpus);
	for (size_t i = 0; gpus != NULL && i < gpus->list.count; i++) {
		const struct gpu *gpu = &gpus->list.items[i];
		vec_push(s->arena, &head->gpus, (struct series_gpu){gpu->name, gpu->memory});
	}
}

void sampler_add_gpus(struct sampler *s)
{
	if (s->gpu_note.len > 0)
		series_write_note(&s->writer, s->gpu_note);
	if (s->gpus == NULL)
		return;
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	struct gpu_columns memory = {0};
	s->lost = arena_calloc(s->arena, gpus->list.count, sizeof *s->lost);
	for (unsigned i = 0; i < gpus->list.count; i++)
		vec_push(s->arena, &memory.list,
		         (struct series_column_kind){METRIC_GPU_PROCESS_MEM, i});
	s->gpu_group = series_write_group(&s->writer, SLICE("gpu"), LEVEL_COUNT,
	                                  s->gpu_columns.list.items, s->gpu_columns.list.count);
	s->memory_group = series_write_group(&s->writer, SLICE("process.gpu"), LEVEL_PROCESS,
	                                     memory.list.items, memory.list.count);
}

static void write_losses(struct sampler *s, const struct gpu_reading *reading)
{
	for (unsigned i = 0; i < reading->gpus.count; i++) {
		const char *why = reading->gpus.items[i].lost;
		if (why == NULL || s->lost[i])
			continue;
		s->lost[i] = true;
		series_write_lost(&s->writer, i, reading->time.begin, slice_from(why));
	}
}

void sampler_read_gpus(struct sampler *s)
{
	enum { PROCESSES_MAX = 4096 };
	pid_t pids[PROCESSES_MAX];
	const struct gpu_reading *reading = s->gpus == NULL ? NULL : gpu_thread_take(s->gpus);
	if (reading == NULL)
		return;
	const struct gpus *gpus = gpu_thread_gpus(s->gpus);
	write_losses(s, reading);
	gpus_values(gpus, reading, s->values);
	series_write_sample(&s->writer, s->gpu_group, &reading->time, s->values);
	if (!gpus_have_processes(gpus))
		return;
	size_t count = processes_of_tree(&s->processes, pids, PROCESSES_MAX);
	for (unsigned i = 0; i < gpus->list.count; i++)
		s->values[i] = gpu_held(reading, i, pids, count);
	series_write_sample(&s->writer, s->memory_group, &reading->time, s->values);
}
