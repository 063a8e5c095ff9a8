/* Internal to src/record: calls of MPI. */
#pragma once

/* In a rank of a launcher: lets libraries that are loaded from now on, such as mpi4py, call MPI through the recorder. */
void mpi_begin(void);
