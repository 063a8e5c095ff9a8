"""Two things of a measurement that Score-P does not report, printed at the end.

Score-P writes a trace that does not fit into memory to disk while the program runs. Each time it prints two
lines, but never how much memory is required. With --mpp=mpi it creates its experiment directory when MPI is
initialised, so a script that ends before that is not measured.
"""
import atexit
import os
import sys

from . import job
from .ending import ending
from .messages import note
from .running import run


HEADER = 67  # bytes of a file of events that has none yet; Score-P may open it long before it flushes
together = {"--mpp=mpi", "--mpi"} & set(run.options)  # ranks share an experiment directory


class experiment:
    path = os.path.abspath(os.environ.get("SCOREP_EXPERIMENT_DIRECTORY")
                           or "scorep-measurement-tmp")
    memory = os.environ.get("SCOREP_TOTAL_MEMORY") or "16000k"  # Score-P's default
    before = None  # with --mpp=mpi the directory of an earlier run stays until MPI is initialised
    reported = False  # "nothing was measured" was printed
    reported_flushes = False


def identify_experiment():
    try:
        status = os.stat(experiment.path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def read_flushed():
    """The number of bytes that the rank with the largest trace has written so far."""
    sizes = {}
    if together and identify_experiment() == experiment.before:
        return 0
    try:
        with os.scandir(os.path.join(experiment.path, "traces")) as files:
            for file in files:
                name, ending = os.path.splitext(file.name)
                if ending == ".evt" and name.isdecimal():  # the rank in the low 32 bits, the thread above
                    rank = int(name) & 0xFFFFFFFF
                    sizes[rank] = sizes.get(rank, 0) + max(file.stat().st_size - HEADER, 0)
    except OSError:
        return 0
    return max(sizes.values(), default=0)


def read_size(text):
    """A number of bytes, as Score-P reads it: digits, a unit, a b; 0 for another text."""
    digits = text.lower().rstrip("b").rstrip("kmgtpe")
    unit = text[len(digits):len(digits) + 1].lower()
    return int(digits) << 10 * " kmgtpe".find(unit or " ") if digits.isdecimal() else 0


def report_flushes():
    """Runs before Score-P writes the rest: its memory must hold the rest and what was written."""
    mpi = sys.modules.get("mpi4py.MPI")
    if (experiment.reported_flushes or ending.now or os.getpid() != run.process or sys.stderr is None
            or getattr(mpi, "Is_finalized", bool)()):
        return
    flushed = read_flushed()
    if flushed == 0:
        return
    experiment.reported_flushes = True
    step = 1 << 26
    needed = -(-(read_size(experiment.memory) + flushed) // step) * 64
    advice = f"set it to {needed}M" if needed < 4096 else "record less: at most 4095M are possible"
    note("the program waited while Score-P wrote its trace, which did not fit into "
         f"SCOREP_TOTAL_MEMORY={ascii(experiment.memory)[1:-1]}; {advice}")


def tell_unmeasured():
    """Prints that Score-P has measured nothing, but not in a forked child."""
    mpi = sys.modules.get("mpi4py.MPI")
    if experiment.reported or os.getpid() != run.process or (
            hasattr(mpi, "Is_initialized") and (mpi.Is_initialized() or mpi.Is_finalized())):
        return
    experiment.reported = True
    if sys.stderr is not None and identify_experiment() in (None, experiment.before):
        note("nothing was measured: with --mpp=mpi Score-P needs MPI to be initialised "
             "('from mpi4py import MPI'), but the script ended before that")


def watch():
    experiment.before = identify_experiment()
    if job.rank() == 0 or not together:
        run.at_bad_end.append(report_flushes)
        atexit.register(report_flushes)
    if together:
        run.at_bad_end.append(tell_unmeasured)
        if job.rank() == 0:
            atexit.register(tell_unmeasured)
