# requires: quiet
@_nbscorep_quiet
def _nbscorep_rank():
    """This process's rank in its MPI or Slurm job; 0 without one."""
    import os
    # Slurm's comes last: it is 0 for all that a batch script's own shell starts, mpirun's included.
    for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
                 "SLURM_PROCID"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    return 0
