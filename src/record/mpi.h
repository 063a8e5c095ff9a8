/* Internal to src/record: calls of MPI. */
#ifndef NBSCOREP_RECORD_MPI_H
#define NBSCOREP_RECORD_MPI_H

/* In a rank of a launcher: lets libraries that are loaded from now on, such as mpi4py, call MPI through the recorder. */
void mpi_begin(void);

#endif
