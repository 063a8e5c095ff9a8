/* What a notebook may have read, and what its run needs besides the script. It may have read files of its
 * project, or of the tree of --untrusted. What the user names, on the command line or in configuration files, is
 * read wherever it is. */
#pragma once

#include "driver/compile.h"
#include "emit/run_script.h"
#include "settings/settings.h"

/* Sets C->tree and C->diags.hidden. The project is the nearest folder with .git from the notebook's upwards,
 * else the nearest with nbscorep.yaml, else the notebook's own; a folder that contains the user's home
 * is none. Returns 0, or -1 with a diagnostic. */
int project_init(struct compilation *c, const struct build_settings *settings);

/* Reads the file at PATH, which OPTION of build names, and notes it in C->needed. Where the notebook's metadata
 * sets the option, the tree decides, and no line is shown. More than LIMIT bytes are a failure. Returns 0, or -1
 * with a diagnostic. */
int project_read(struct compilation *c, struct slice option, struct slice path, size_t limit,
                 struct slice *out);

/* Reads the regions of --regions into OUT: the word, or the names in a file. Returns 0, or -1 with a diagnostic. */
int project_read_regions(struct compilation *c, region_list *out);

/* Reports what is wrong with the filter files of the programs of C, since a job with such a file ends at once, and notes
 * them in C->needed. */
void project_find_needed(struct compilation *c);
