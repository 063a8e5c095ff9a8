/* The path of the configuration of the whole machine. A test links another one. */
#ifndef NBSCOREP_DRIVER_CONFIG_SYSTEM_PATH_H
#define NBSCOREP_DRIVER_CONFIG_SYSTEM_PATH_H

#include "driver/config_files.h"

/* The system's file; a test's program has a path of its own here. */
const char *config_system_path(void);

#endif
