/* Alone in its file, so that a test can link another one. */
#include "driver/config_system_path.h"

#include "driver/config_files.h"
#include "version.h"

const char *config_system_path(void)
{
	return NBSCOREP_SYSCONFDIR "/" CONFIG_FILE_NAME;
}
