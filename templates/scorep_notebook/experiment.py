"""The name of the experiment directory.

Each measured run has a directory of its own, because two programs in one directory destroy each other's
data. Without the variable SCOREP_EXPERIMENT_DIRECTORY the name is made of the script's and the time, in a
Slurm job of the job's number. The file NAME.lock reserves a name until Score-P has made the directory.
"""
import os
import time

from . import job
from .messages import fail, tell

VARIABLE = "SCOREP_EXPERIMENT_DIRECTORY"


def slurm_name():
    """The part of the name that is the Slurm job's: the element of the array, the restart, and after the
    start within the job the step or mpirun's name of it. None outside of jobs."""
    get = os.environ.get
    if not get("SLURM_JOB_ID"):
        return None
    name = get("SLURM_ARRAY_JOB_ID") or get("SLURM_JOB_ID")
    if get("SLURM_ARRAY_TASK_ID"):
        name += "_" + get("SLURM_ARRAY_TASK_ID")
    if get("SLURM_RESTART_COUNT", "0") != "0":
        name += "-restart" + get("SLURM_RESTART_COUNT")
    if get("OMPI_COMM_WORLD_RANK"):  # only ranks on other nodes are in a step
        return name + "-mpirun" + get("PMIX_NAMESPACE", "")
    return name + ("-step" + get("SLURM_STEP_ID") if get("SLURM_STEP_ID") else "")


def lock(program):
    """Reserves the name of the job or the time, or that and a number if it is taken. Returns the name."""
    name = f"scorep-{program.name}-" + (slurm_name() or time.strftime("%Y%m%d-%H%M%S"))
    number, free = 1, name
    while True:
        try:
            os.close(os.open(free + ".lock", os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
            program.lock = os.path.abspath(free) + ".lock"
            if not os.path.lexists(free):
                return free
            unlock(program)
        except FileExistsError:
            pass
        except OSError as error:
            fail(3, f"cannot write the measurement to '{os.getcwd()}': {error.strerror}; set "
                    f"{VARIABLE}, or NBSCOREP_MEASURE=no to run unmeasured")
        number += 1
        free = f"{name}-{number}"


def unlock(program):
    """Removes the reservation."""
    path, program.lock = program.lock, ""
    if path:
        try:
            os.unlink(path)
        except OSError:
            pass


def make_name(program):
    """A name for this run. None if the ranks cannot know the same one: then Score-P makes it."""
    if not job.is_one_of_several():
        return lock(program)
    prefix, slurm = f"scorep-{program.name}-", slurm_name()
    if slurm:
        return prefix + slurm
    launch = os.environ.get("PMIX_NAMESPACE") or ("" if program.together else str(os.getppid()))
    return prefix + launch.replace("/", "_") if launch else None


def make_parents(name):
    """Score-P makes its directory, but not the folders above it."""
    try:
        os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
    except OSError as error:
        fail(3, f"cannot make the folder of the experiment directory '{name}': {error.strerror}")


def own_directory(program, name, size):
    """The directory below NAME of this rank, if it is measured separately. SIZE: the number of ranks as a
    text, if it is known from elsewhere."""
    rank, known = job.launched_rank(), job.size()
    if program.together or known == 1 or (known is None and size == "1"):
        return name
    if rank is None:
        if known is None and not size:
            return name
        rank = f"{os.uname().nodename}-{os.getpid()}"  # a launcher that does not number ranks
    name = name or make_name(program)
    if rank == 0 and not program.rank_of:
        tell_ranks(name, " (no --mpp=mpi)")
    return f"{name}/rank-{rank}"


def tell_ranks(name, reason):
    """Says that each rank is measured separately, below NAME, and the REASON."""
    if not os.environ.get("NBSCOREP_QUIET"):
        tell(f"each rank is measured separately{reason}, in {name}/rank-N")


def name_directory(program):
    """Sets and returns the experiment directory of this process; "" if Score-P names it itself."""
    name = os.environ.get(VARIABLE) or ("" if program.rank_of else make_name(program) or "")
    if job.launched_rank() is not None or program.rank_of:
        name = own_directory(program, name, program.ranks)
    if name:
        make_parents(name)
        os.environ[VARIABLE] = name
    return name


def make_directory(program):
    """Makes the experiment directory of this process, for the recorder. Returns its name."""
    name = name_directory(program)
    if not name:  # several ranks of an unknown number
        name = f"scorep-{program.name}-{os.uname().nodename}-{os.getpid()}"
    overwrite = os.environ.get("SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY", "true").lower()
    overwrites = int(overwrite) if overwrite.isdecimal() else overwrite in ("true", "yes", "on")
    if os.path.isdir(name) and not overwrites:
        fail(3, f"the experiment directory '{name}' exists, and SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY is false")
    move_aside(name)
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        fail(3, f"cannot make the experiment directory '{name}': {error.strerror}")
    unlock(program)
    os.environ[VARIABLE] = name
    return name


def move_aside(name):
    """Renames an existing directory, as Score-P does."""
    if os.path.isdir(name):
        stamp = os.stat(name).st_mtime_ns
        os.rename(name, name.rstrip("/") + time.strftime("-%Y%m%d_%H%M_", time.localtime(stamp // 10**9))
                  + f"{stamp % 10**9:09}")


def name_directory_of_ranks(program):
    """The same in the process that starts the ranks. Renames an existing directory below which each rank
    will have its own, as Score-P does, because an earlier run may have had more ranks."""
    name = os.environ.get(VARIABLE)
    if not name:
        name = lock(program)
    elif not program.together and program.ranks != "1":
        move_aside(name)
    make_parents(name)
    os.environ[VARIABLE] = name
    return name
