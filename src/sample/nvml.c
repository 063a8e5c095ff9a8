#include "sample/nvml.h"

#include <dlfcn.h>

enum { MOST_NAMES = 4 };

struct function {
	size_t offset;
	const char *names[MOST_NAMES];
};

static const struct function functions[] = {
#define NVML(field, result, parameters, ...) {offsetof(struct nvml, field), {__VA_ARGS__}},
#include "sample/nvml.def"
#undef NVML
};

static void find_functions(struct nvml *nvml)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const struct function *function = &functions[i];
		void *symbol = NULL;
		for (size_t k = 0; k < MOST_NAMES && symbol == NULL && function->names[k] != NULL;
		     k++)
			symbol = dlsym(nvml->library, function->names[k]);
		/* C knows no way from an object to a function; POSIX does. */
		memcpy((char *)nvml + function->offset, &symbol, sizeof symbol);
	}
	bool old = dlsym(nvml->library, "nvmlDeviceGetComputeRunningProcesses_v2") == NULL;
	nvml->process_size = old ? NVML_PROCESS_V1 : NVML_PROCESS_V2;
}

const char *nvml_error(const struct nvml *nvml, int result)
{
	const char *text = nvml->error_string == NULL ? NULL : nvml->error_string(result);
	return text == NULL ? "an error of NVML" : text;
}

static int init(struct nvml *nvml, struct arena *arena, struct slice *problem)
{
	if (nvml->init == NULL || nvml->count == NULL || nvml->handle == NULL) {
		*problem = SLICE("the library lacks functions of NVML");
		return -1;
	}
	int result = nvml->init();
	if (result == NVML_SUCCESS)
		return 0;
	*problem = arena_printf(arena, "NVML: %s", nvml_error(nvml, result));
	return -1;
}

static void unload(struct nvml *nvml)
{
	(void)dlclose(nvml->library);
	nvml->library = NULL;
}

int nvml_open(struct nvml *nvml, struct arena *arena, const char *library, struct slice *problem)
{
	*nvml = (struct nvml){.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
	if (nvml->library == NULL) {
		*problem = arena_printf(arena, "%s", dlerror());
		return -1;
	}
	find_functions(nvml);
	if (init(nvml, arena, problem) == 0)
		return 0;
	unload(nvml);
	return -1;
}

void nvml_close(struct nvml *nvml)
{
	if (nvml->shutdown != NULL)
		(void)nvml->shutdown();
	unload(nvml);
}
