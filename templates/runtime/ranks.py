def find_rank():
    """This process's rank in its job; 0 without a launcher."""
    names = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"]
    if "SLURM_STEP_ID" in os.environ:  # else it is 0 for all ranks of mpirun in a batch script
        names.append("SLURM_PROCID")
    found = [int(os.environ[name]) for name in names if os.environ.get(name, "").isdecimal()]
    return found[0] if found else 0


def hide(value):
    """A sys.displayhook that shows nothing."""
    if value is not None:
        import builtins
        builtins._ = value


hide.nbscorep_hides = True


def hide_values():
    """Lets only rank 0 show values, unless all ranks shall."""
    if find_rank() > 0 and not all_ranks:
        sys.displayhook = hide
