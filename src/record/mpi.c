/* The profiling interface of MPI: a library that defines MPI_Send is called in place of MPI's own, which has the
 * name PMPI_Send, too (MPI 3.1, chapter 14). The recorder is loaded before mpi4py, and becomes part of the global
 * scope, where the dynamic linker looks first. Nothing of MPI's header is needed: all arguments of these functions are
 * integers and pointers, and the most that there are (Alltoallw, Comm_spawn, Sendrecv with 12) are passed on as they
 * are, whatever a function takes.
 *
 * mpi4py calls MPI without the interpreter's lock. Only the caller's own location is used without it, which must have
 * recorded before; the number of a region is found with the lock. */
#include "record/mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/record_location.h"
#include "record/recorder.h"
#include "record/regions.h"

enum { MPI_ERR_OTHER = 15 }; /* MPICH's and Open MPI's; what uses MPI ends with either */

#define ARGUMENTS                                                                                  \
	void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j,  \
	        void *k, void *l
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l

typedef int mpi_function(ARGUMENTS);

struct mpi_call {
	const char *name;
	_Atomic(mpi_function *) real;
	_Atomic uint32_t region; /* 0: not known yet */
};

/* Finds "PMPI_..." in the library that has it: its place among the others differs by MPI. */
static int find_real(struct dl_phdr_info *library, size_t size, void *data)
{
	struct mpi_call *call = data;
	char name[64];
	(void)size;
	void *handle = dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle == NULL)
		return 0;
	snprintf(name, sizeof name, "P%s", call->name);
	mpi_function *real = (mpi_function *)dlsym(handle, name);
	dlclose(handle);
	if (real != NULL)
		atomic_store(&call->real, real);
	return real != NULL;
}

RARE static uint32_t find_region(struct mpi_call *call)
{
	int state = PyGILState_Ensure();
	uint32_t region = region_define(RECORDING_USER, "", call->name, "", 0);
	if (region != REGION_LATER)
		atomic_store(&call->region, region == REGION_UNRECORDED ? UINT32_MAX : region);
	PyGILState_Release(state);
	return region;
}

static int mpi_call(struct mpi_call *call, ARGUMENTS)
{
	struct location *location = location_here;
	uint32_t region = 0;
	if (atomic_load_explicit(&call->real, memory_order_relaxed) == NULL &&
	    dl_iterate_phdr(find_real, call) == 0)
		return MPI_ERR_OTHER;
	if (location != NULL && location->head != NULL && recorder.is_on && !recorder.awaits_main) {
		region = atomic_load_explicit(&call->region, memory_order_relaxed);
		if (region == 0)
			region = find_region(call);
	}
	bool is_recorded = region != 0 && region < REGION_LATER;
	if (is_recorded)
		location_enter(location, region, NULL);
	int result = atomic_load_explicit(&call->real, memory_order_relaxed)(PASSED);
	if (is_recorded)
		location_leave(location, region);
	return result;
}

#define MPI_FUNCTION(function, kind)                                                               \
	__attribute__((visibility("default"))) int MPI_##function(ARGUMENTS);                      \
	int MPI_##function(ARGUMENTS)                                                              \
	{                                                                                          \
		static struct mpi_call call = {.name = "MPI_" #function};                          \
		return mpi_call(&call, PASSED);                                                    \
	}
#include "record/mpi_functions.def"

void mpi_begin(void)
{
	static const char *const variables[] = {
	        "OMPI_COMM_WORLD_RANK", "PMI_RANK",     "PMIX_RANK", "MPI_LOCALRANKID",
	        "MV2_COMM_WORLD_RANK",  "SLURM_STEP_ID"};
	Dl_info own;
	bool is_rank = false;
	for (size_t n = 0; n < sizeof variables / sizeof *variables; n++)
		is_rank |= getenv(variables[n]) != NULL;
	if (is_rank && dladdr((void *)mpi_begin, &own) != 0)
		(void)dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}
