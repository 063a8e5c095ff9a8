/* The GPUs of the double of libnvidia-ml.so.1, as the lines of $NBSCOREP_NVML_DOUBLE describe them:
 *
 *     gpu [name=TEXT] [total=BYTES] [used=LIST] [util=LIST] [band=LIST] [power=LIST] [mig=COUNT]
 *     process GPU[.MIG] compute|graphics|mps PID BYTES|unknown
 *     fail FUNCTION GPU NTH[+] RESULT    the NTH call from 1 on, or all from that one on
 *     hang FUNCTION GPU NTH[+] FD        the same, until FD is at its end
 *
 * A LIST has a value for each call, the last one for all others, and comma between; what is not
 * named is not supported. FUNCTION: init, count, handle, name, utilization, memory, power,
 * compute, graphics or mps; the first two have GPU 0. */
#pragma once

#include <stdbool.h>

/* nvmlReturn_t, in the NVML API Reference Guide's numbers. */
enum {
	SUCCESS = 0,
	INVALID = 2,
	NOT_SUPPORTED = 3,
	NOT_FOUND = 6,
	TOO_SMALL = 7,
	OTHER_VERSION = 25
};

enum { MOST_GPUS = 8, MOST_PARTS = 4, MOST_VALUES = 8, MOST_PROCESSES = 512, MOST_FAULTS = 16 };
enum function {
	INIT,
	COUNT,
	HANDLE,
	NAME,
	UTILIZATION,
	MEMORY,
	POWER,
	COMPUTE,
	GRAPHICS,
	MPS,
	FUNCTIONS
};

struct values {
	unsigned long long list[MOST_VALUES];
	unsigned count;
};

struct device {
	unsigned gpu, part; /* PART: 0, or number of a MIG device from 1 */
};

struct gpu {
	char name[64];
	unsigned long long total;
	struct values used, util, band, power;
	unsigned parts;
	struct device devices[MOST_PARTS + 1];
};

struct process {
	unsigned gpu, part, pid;
	enum function list;
	unsigned long long memory;
};

struct fault {
	enum function function;
	unsigned gpu, nth;
	bool on;    /* and from then on */
	int result; /* or: */
	int hang;   /* until this descriptor is at its end */
};

extern struct script {
	struct gpu gpus[MOST_GPUS];
	unsigned gpu_count;
	struct process processes[MOST_PROCESSES];
	unsigned process_count;
	struct fault faults[MOST_FAULTS];
	unsigned fault_count;
	unsigned calls[FUNCTIONS][MOST_GPUS];
} nvml_script;

/* Reads the script anew. */
void nvml_script_read(void);

/* Counts a call and lets it fail or hang as the script has it. */
int nvml_script_enter(enum function function, unsigned gpu);

/* The value for this call, of a GPU whose VALUES are these. */
int nvml_script_take(enum function function, unsigned gpu, const struct values *values,
                     unsigned long long *out);

/* How often FUNCTION was called for GPU: for tests. */
unsigned nvml_double_calls(const char *function, unsigned gpu);
