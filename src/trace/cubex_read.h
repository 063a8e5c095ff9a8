/* Reads a profile of CUBE 4, Score-P's or that of a converted recording. */
#pragma once

#include "trace/measurement.h"

/* True if the file PATH is a tar archive with an end, whose last member is Cube's anchor.xml: Score-P was not killed while
 * it wrote it. */
bool cubex_is_complete(const char *path);

/* Adds what the profile PATH has to OUT. Nothing is known of moments there, nor of messages. Returns NULL, or what is
 * wrong with the file. */
const char *cubex_read(struct measurement *out, struct arena *arena, const char *path);
