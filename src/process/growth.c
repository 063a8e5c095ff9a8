#include "process/growth.h"

#include <stddef.h>

enum { TIMES_MAX = 20 };

void growth_begin(struct growth *growth)
{
	growth->times = 0;
	growth->size = growth->measure == NULL ? 0 : growth->measure(growth->data);
}

bool growth_goes_on(struct growth *growth)
{
	if (growth->measure == NULL || growth->times == TIMES_MAX)
		return false;
	long long size = growth->measure(growth->data);
	bool grows = size > growth->size;
	growth->size = size;
	growth->times += grows;
	return grows;
}
