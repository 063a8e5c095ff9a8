/* The bytes of a notebook, built. */
#include "building.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_build(fuzz_input(data, size));
	return 0;
}
