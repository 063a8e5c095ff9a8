"""What the environment says about the job: ranks and batch systems (facts: Slurm, PBS, LSF, launchers)."""
import os

# The variables of launchers: the rank of this process, the number of ranks.
_LAUNCHERS = (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMIX_RANK", ""), ("PMI_RANK", "PMI_SIZE"),
              ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"))


def _number(name):
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 10 else None


def launched_rank():
    """This process's rank as its launcher gives it, or None."""
    found = [_number(rank) for rank, _ in _LAUNCHERS]
    if "SLURM_STEP_ID" in os.environ:  # else it is 0 for all ranks of mpirun in a batch script
        found.append(_number("SLURM_PROCID"))
    return next((rank for rank in found if rank is not None), None)


def shell_rank():
    """The same for sh, as an expression that is empty for None."""
    text = "${SLURM_STEP_ID:+${SLURM_PROCID:-}}"
    for rank, _ in reversed(_LAUNCHERS):
        text = f"${{{rank}:-{text}}}"
    return text


def rank():
    """This process's rank; 0 without a launcher."""
    return launched_rank() or 0


def size():
    """The number of ranks of the program of which this process is one, or None if no launcher tells."""
    found = [_number(size) for _, size in _LAUNCHERS if size]
    if "SLURM_STEP_ID" in os.environ:
        found.append(_number("SLURM_STEP_NUM_TASKS"))
    return next((size for size in found if size is not None), None)


def is_one_of_several():
    """True if a launcher has started this process as one of several ranks. Variables of a launcher of one
    process, which shells below it inherit, do not count."""
    return (size() or 1) > 1 or rank() > 0


def is_batch():
    """True in a job of a batch system."""
    return any(os.environ.get(name) for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"))
