/* Reads the sources that are due. */
#ifndef NBSCOREP_SAMPLE_SAMPLER_READ_H
#define NBSCOREP_SAMPLE_SAMPLER_READ_H

#include "sample/sampler_inside.h"

/* Reads the program and writes what there is; DEEP: all of it, else what is due by NOW. */
void sampler_read_program(struct sampler *s, int64_t now, bool deep);

/* Writes what the program had used when it began, at START by both clocks: nothing. What it uses
 * before the first look counts. */
void sampler_read_start(struct sampler *s, int64_t start_mono, int64_t start_wall);

/* Reads what else is due. */
void sampler_read_others(struct sampler *s, int64_t now);

/* Reads, due or not, the sources that cover the time until now. The program was read before. */
void sampler_read_up_to_now(struct sampler *s);

#endif
