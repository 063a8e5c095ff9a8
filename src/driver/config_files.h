/* The configuration files of a notebook, and their content. */
#pragma once

#include "driver/compile.h"
#include "settings/settings.h"

/* The name of a project's file. */
#define CONFIG_FILE_NAME "nbscorep.yaml"

/* Reads the files of the system, the user and the project, as SETTINGS permit, and adds their
 * content to LAYERS, weakest first, and their paths to C->config.files. Problems become diagnostics.
 * Returns 0 or -1. */
int config_files_read(struct compilation *c, const struct build_settings *settings,
                      config_layer_list *layers);
