/* Signatures: what a run is bound by. signatures.def is the table. */
#ifndef NBSCOREP_REPORT_SIGNATURES_H
#define NBSCOREP_REPORT_SIGNATURES_H

#include "report/measure.h"

enum signature {
#define SIGNATURE(id, name, text) SIGNATURE_##id,
#include "report/signatures.def"
#undef SIGNATURE
	SIGNATURE_COUNT
};

/* Bit I is signature I. */
typedef unsigned signature_set;

/* "CPU-BOUND". */
struct slice signature_name(enum signature signature);

/* What FIGURES show, where MEMORY bytes are there, and GPU_MEMORY bytes on GPUs; 0: unknown. All
 * but SIGNATURE_GPU_IDLE, which takes samples. */
signature_set signatures_of(const struct figures *figures, double memory, double gpu_memory);

/* SIGNATURE_GPU_IDLE, if a GPU shows it in STRETCH. */
signature_set signatures_of_gpus(const struct series *series, enum level level,
                                 struct stretch stretch);

#endif
