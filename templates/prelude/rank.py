# requires: quiet
@_nbscorep_quiet
def _nbscorep_rank():
    """This process's rank in its MPI or Slurm job; 0 without one."""
    import os
    names = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"]
    if "SLURM_STEP_ID" in os.environ:  # else it is 0 for what mpirun starts in a batch script
        names.append("SLURM_PROCID")
    for name in names:
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    return 0
