#include "scorep/directory.h"

#include "base/arena.h"

bool scorep_names_directory(struct slice name)
{
	return slice_eq(name, SLICE("SCOREP_EXPERIMENT_DIRECTORY"));
}

bool scorep_directory_part(struct slice *rest, struct slice *text)
{
	bool is_job = slice_starts_with(*rest, SLICE("%j"));
	bool is_percent = slice_starts_with(*rest, SLICE("%%"));
	if (rest->len == 0)
		return false;
	*text = slice_sub(*rest, 0, is_job ? 0 : slice_find(*rest, '%', 1));
	if (is_percent)
		*text = slice_sub(*rest, 1, slice_find(*rest, '%', 2));
	*rest = slice_sub(*rest, is_job ? 2 : text->len + is_percent, rest->len);
	return true;
}
