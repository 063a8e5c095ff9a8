"""With --mpp=mpi, Score-P creates its experiment directory when MPI is initialised. A script that ends
before that is not measured, and Score-P does not report this."""
import atexit
import os
import sys

from . import job
from .flushes import experiment, identify_experiment, together
from .running import run


def tell_unmeasured():
    """Prints that Score-P has measured nothing, but not in a forked child."""
    mpi = sys.modules.get("mpi4py.MPI")
    if experiment.reported or os.getpid() != run.process or (
            hasattr(mpi, "Is_initialized") and (mpi.Is_initialized() or mpi.Is_finalized())):
        return
    experiment.reported = True
    if sys.stderr is not None and identify_experiment() in (None, experiment.before):
        print("nbscorep: nothing was measured: with --mpp=mpi Score-P needs MPI to be initialised "
              "('from mpi4py import MPI'), but the script ended before that", file=sys.stderr,
              flush=True)


def watch_mpi():
    if not together:
        return
    run.at_bad_end.append(tell_unmeasured)
    if job.rank() == 0:
        atexit.register(tell_unmeasured)
