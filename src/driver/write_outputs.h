/* Writes the files of a notebook's programs, and lists them. */
#ifndef NBSCOREP_DRIVER_WRITE_OUTPUTS_H
#define NBSCOREP_DRIVER_WRITE_OUTPUTS_H

#include "base/name_set.h"
#include "driver/outputs.h"

/* Where files of this run went. */
struct taken {
	struct arena *arena; /* lives as long as the run */
	struct name_set paths;
	VECTOR(struct slice) notebooks; /* of each path */
	bool lists;                     /* a dry run also prints the run script */
};

/* Makes the files of C's programs and writes them, unless this is a dry run, and prints what it does
 * on request. Errors go to c->diags. Returns 0 or -1. */
int build_write(struct compilation *c, const struct build_settings *settings, struct taken *taken,
                struct outputs *out);

#endif
