/* The place of the system's nbscorep.yaml for a test, instead of driver/config_system_path.c: below the
 * folder where the program starts. */
#include "driver/config_files.h"
#include "driver/config_system_path.h"

const char *config_system_path(void)
{
	return "system/" CONFIG_FILE_NAME;
}
