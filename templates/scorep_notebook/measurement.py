"""What measures a script: Score-P or nothing.

A measurement has a name, the reason why nothing is measured if that is so, the experiment directory,
and start(program), which does not return before the script's end.
"""
import os


class Unmeasured:
    """Nothing is recorded."""
    name, directory = "none", ""

    def __init__(self, reason):
        self.reason = reason

    def start(self, program):
        from .runner import Runner
        Runner(program).run(exec)


class ScoreP:
    """Score-P measures, through its bindings."""
    name, reason, directory = "scorep", "", ""

    def start(self, program):
        from . import bindings
        bindings.start(program, self.name_directory)

    def name_directory(self, program):
        from . import experiment
        self.directory = experiment.name_directory(program)
        if not program.rank_of:
            report(self)


def inode_of(path):
    """The inode of a file; 0 if it does not exist."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def report(measurement):
    """Writes which measurement it is into the folder NBSCOREP_CELLS, for nbscorep."""
    folder = os.environ.get("NBSCOREP_CELLS")
    if folder:
        directory = os.path.abspath(measurement.directory) if measurement.directory else ""
        try:
            with open(os.path.join(folder, "measurement"), "w", encoding="utf-8",
                      errors="surrogateescape") as file:
                file.write(f"{measurement.name}\n{directory}\n{inode_of(directory)}\n{measurement.reason}\n")
        except OSError:  # nbscorep has ended
            pass


def wanted(program):
    """auto, scorep or none, as the variables or the option say."""
    measure = os.environ.get("NBSCOREP_MEASURE")
    if measure in ("no", "yes"):
        return "none" if measure == "no" else "scorep"
    name = os.environ.get("NBSCOREP_MEASUREMENT") or program.measurement or "scorep"
    if name not in ("auto", "scorep", "none"):
        from .messages import fail
        fail(2, f"NBSCOREP_MEASUREMENT is auto, scorep or none, not '{name}'")
    return name


def choose(program):
    """The measurement of the script. Ends the process with status 3 if it is not possible."""
    name, reason = wanted(program), "it is not requested"
    if name != "none":
        from .bindings import find_problem
        problem = find_problem()
        if problem is None:
            return ScoreP()
        from .messages import fail, tell
        if name == "scorep":
            fail(3, f"cannot measure: {problem}\n"
                    "Install the bindings (pip install scorep) into a virtual environment, and set PYTHON to "
                    "its python\nor build with --python; put Score-P's programs on PATH; or set "
                    "NBSCOREP_MEASURE=no to run unmeasured")
        reason = problem
        if not os.environ.get("NBSCOREP_QUIET"):
            tell(f"the script runs unmeasured: {reason}")
    measurement = Unmeasured(reason)
    if not program.rank_of:
        report(measurement)
    return measurement
