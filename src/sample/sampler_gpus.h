/* Makes samples of the readings of the GPU thread. */
#ifndef NBSCOREP_SAMPLE_SAMPLER_GPUS_H
#define NBSCOREP_SAMPLE_SAMPLER_GPUS_H

#include "sample/sampler_inside.h"

/* Lets NVML find GPUs, if there are any. */
void sampler_open_gpus(struct sampler *s);

void sampler_describe_gpus(struct sampler *s, struct series_head *head);

/* Makes the groups of GPUs, after all others. */
void sampler_add_gpus(struct sampler *s);

/* Takes what has been read of them since. */
void sampler_read_gpus(struct sampler *s);

#endif
