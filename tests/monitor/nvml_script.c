#include "nvml_script.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const function_names[FUNCTIONS] = {"init",        "count",  "handle", "name",
                                                      "utilization", "memory", "power",  "compute",
                                                      "graphics",    "mps"};

struct script nvml_script;

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

static enum function find_function(const char *name)
{
	unsigned function = 0;
	while (function < FUNCTIONS && strcmp(function_names[function], name) != 0)
		function++;
	if (function == FUNCTIONS)
		abort();
	return function;
}

static void read_values(struct values *out, char *text)
{
	char *rest = NULL;
	for (char *one = strtok_r(text, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest))
		out->list[out->count++] = strtoull(one, NULL, 10);
}

static void read_gpu(char **rest)
{
	struct gpu *gpu = &nvml_script.gpus[nvml_script.gpu_count];
	for (unsigned i = 0; i <= MOST_PARTS; i++)
		gpu->devices[i] = (struct device){nvml_script.gpu_count, i};
	nvml_script.gpu_count++;
	for (char *word; (word = strtok_r(NULL, " ", rest)) != NULL;) {
		char *value = strchr(word, '=') + 1;
		if (strncmp(word, "name=", 5) == 0)
			strncpy(gpu->name, value, sizeof gpu->name - 1);
		else if (strncmp(word, "total=", 6) == 0)
			gpu->total = strtoull(value, NULL, 10);
		else if (strncmp(word, "mig=", 4) == 0)
			gpu->parts = number(value);
		else
			read_values(word[1] == 's'   ? &gpu->used
			            : word[0] == 'u' ? &gpu->util
			            : word[0] == 'b' ? &gpu->band
			                             : &gpu->power,
			            value);
	}
}

static void read_process(char **rest)
{
	struct process *process = &nvml_script.processes[nvml_script.process_count++];
	const char *gpu = strtok_r(NULL, " ", rest);
	const char *part = strchr(gpu, '.');
	process->gpu = number(gpu);
	process->part = part == NULL ? 0 : number(part + 1) + 1;
	process->list = find_function(strtok_r(NULL, " ", rest));
	process->pid = number(strtok_r(NULL, " ", rest));
	const char *memory = strtok_r(NULL, " ", rest);
	process->memory = strcmp(memory, "unknown") == 0 ? ~0ULL : strtoull(memory, NULL, 10);
}

static void read_fault(char **rest, bool hangs)
{
	struct fault *fault = &nvml_script.faults[nvml_script.fault_count++];
	fault->function = find_function(strtok_r(NULL, " ", rest));
	fault->gpu = number(strtok_r(NULL, " ", rest));
	const char *nth = strtok_r(NULL, " ", rest);
	fault->nth = number(nth);
	fault->on = strchr(nth, '+') != NULL;
	int last = (int)number(strtok_r(NULL, " ", rest));
	fault->hang = hangs ? last : -1;
	fault->result = hangs ? SUCCESS : last;
}

static void read_line(char *line)
{
	char *rest = NULL;
	const char *word = strtok_r(line, " ", &rest);
	if (word == NULL)
		return;
	if (strcmp(word, "gpu") == 0)
		read_gpu(&rest);
	else if (strcmp(word, "process") == 0)
		read_process(&rest);
	else
		read_fault(&rest, strcmp(word, "hang") == 0);
}

void nvml_script_read(void)
{
	memset(&nvml_script, 0, sizeof nvml_script);
	const char *text = getenv("NBSCOREP_NVML_DOUBLE");
	char *copy = strdup(text == NULL ? "" : text), *rest = NULL;
	for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		read_line(line);
	free(copy);
}

int nvml_script_enter(enum function function, unsigned gpu)
{
	unsigned nth = ++nvml_script.calls[function][gpu];
	for (unsigned i = 0; i < nvml_script.fault_count; i++) {
		const struct fault *fault = &nvml_script.faults[i];
		char byte;
		if (fault->function != function || fault->gpu != gpu ||
		    (fault->on ? nth < fault->nth : nth != fault->nth))
			continue;
		while (fault->hang >= 0 && read(fault->hang, &byte, 1) > 0)
			;
		return fault->result;
	}
	return SUCCESS;
}

int nvml_script_take(enum function function, unsigned gpu, const struct values *values,
                     unsigned long long *out)
{
	if (values->count == 0)
		return NOT_SUPPORTED;
	unsigned nth = nvml_script.calls[function][gpu] - 1;
	*out = values->list[nth < values->count ? nth : values->count - 1];
	return SUCCESS;
}

unsigned nvml_double_calls(const char *function, unsigned gpu)
{
	return nvml_script.calls[find_function(function)][gpu];
}
