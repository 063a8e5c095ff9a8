"""The report after a run, as the variable NBSCOREP_REPORT requests: what limits the run, and what to try."""
import glob
import os

from . import job
from .messages import tell


def prepare(program):
    """Lets the script be sampled, too. The ranks that something else has started do not know when all have ended."""
    if job.is_one_of_several():
        program.reports = False
        del os.environ["NBSCOREP_REPORT"]  # the monitor's report is printed
        if job.rank() == 0:
            tell("no report: the run script does not start the ranks; 'nbscorep report' makes one of their "
                 "experiment directory")
    elif not os.environ.get("NBSCOREP_MONITOR"):
        os.environ["NBSCOREP_MONITOR"] = "0.1"


def find_samples(program, began):
    """The file of samples that the script has written since BEGAN, or what those of several nodes begin with, as
    `nbscorep report` takes it; in a list, which is empty without any."""
    base = os.path.join(os.environ.get("NBSCOREP_RESULTS", ""),
                        ".".join(filter(None, [program.name, os.environ.get("SLURM_JOB_ID")])))
    found = [base + ".samples", *glob.glob(glob.escape(base) + ".*.samples")]
    # The clock of a file system may be late.
    found = [path for path in found if os.path.isfile(path) and os.stat(path).st_mtime > began - 1]
    return found if len(found) < 2 else [base]


def report_run(program, measurement, began):
    """Prints the findings to standard error, and draws the page into the experiment directory."""
    from .measurement import call, find_nbscorep
    directory, nbscorep = measurement.directory, find_nbscorep()
    if not nbscorep:
        tell("no report: no nbscorep is on PATH")
        return
    if not os.path.isdir(directory):
        tell(f"no report: the experiment directory '{directory}' does not exist" if directory else
             "nothing was measured, so nothing can be reported")
        return
    samples, page = find_samples(program, began), os.path.abspath(os.path.join(directory, "report.html"))
    to_errors = [(os.POSIX_SPAWN_DUP2, 2, 1)]
    call([nbscorep, "report", "--format=text", "--", directory, *samples], to_errors)
    is_drawn = call([nbscorep, "report", "--force", "--output", page, "--", directory, *samples]) == 0
    if is_drawn and not os.environ.get("NBSCOREP_QUIET"):
        tell(f"page: {page}")
