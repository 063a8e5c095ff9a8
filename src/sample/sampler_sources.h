/* The sources of samples besides GPUs. */
#ifndef NBSCOREP_SAMPLE_SAMPLER_SOURCES_H
#define NBSCOREP_SAMPLE_SAMPLER_SOURCES_H

#include "sample/sampler_inside.h"

/* Makes the groups of all sources, and decides which are read, and how often. */
void sampler_add_sources(struct sampler *s);

/* Room for the values of any source; all groups are known. */
void sampler_make_room(struct sampler *s);

/* Sets the counters among the values of source ID, which is the program's, to 0. */
void sampler_clear_counters(struct sampler *s, enum source_id id);

#endif
