"""Runs a compiled notebook: what is given, and the order of the steps.

Words that begin with "-" before the script are options: those named below are the launcher's, all
others are arguments of Score-P's bindings. The order is: the script's build, the set of a sweep, the
ranks, the measurement, the script. Each process that this starts runs the same command again; variables
show it how far the run is:

NBSCOREP_READY    the bindings are loaded in this process: its number, or "ranks"
NBSCOREP_RANK_OF  the folder that the ranks of a run share; this process is one of them
NBSCOREP_BUILD    the build that `nbscorep run` has written and starts: its id and the script's name
NBSCOREP_FOLDER   the notebook's folder
NBSCOREP_LOCK     the file that reserves the name of the experiment directory
"""
import io
import os
import sys
import time

from .measurement import choose, is_loaded
from .messages import fail, shown

VALUES = {"build", "imports", "launcher", "measurement", "ranks", "sweep", "teardown", "failed"}
LISTS = {"export", "instrument-module", "regions"}
FLAGS = {"all-ranks", "job-output", "progress", "tag-output"}


class Program:
    """The script to run, and how."""

    def __init__(self, words):
        original = getattr(sys, "orig_argv", [])  # since Python 3.10
        self.again = [sys.executable, *original[1:len(original) - len(sys.argv)],
                      os.path.dirname(os.path.abspath(__file__)), *words]  # the command that runs this again
        self.build = self.launcher = self.measurement = self.ranks = self.sweep = self.teardown = self.failed = ""
        self.imports = "quiet"
        self.export, self.instrument_module, self.regions = [], [], []
        self.all_ranks = self.job_output = self.progress = self.tag_output = False
        self.bindings = []  # arguments of the bindings
        while words and words[0].startswith("-"):
            self.take(words[0])
            words = words[1:]
        if not words:
            fail(2, "no script is given")
        self.given, self.arguments = words[0], words[1:]
        # All ranks are measured as one program.
        self.together = any(word == "--mpi" or word.startswith("--mpp=") and word != "--mpp=none"
                            for word in self.bindings)
        if self.teardown:  # the variable that has its commands
            self.teardown = os.environ.pop(self.teardown, "")
        self.script = os.path.abspath(self.given)  # as Python has it since 3.9
        self.ready = os.environ.pop("NBSCOREP_READY", "")
        self.rank_of = os.environ.pop("NBSCOREP_RANK_OF", "")
        self.folder = os.environ.pop("NBSCOREP_FOLDER", "") or os.getcwd()
        self.lock = os.environ.pop("NBSCOREP_LOCK", "")
        self.reports = bool(os.environ.get("NBSCOREP_REPORT"))

    def take(self, word):
        name, equals, value = word[2:].partition("=")
        if word.startswith("--") and equals and name in VALUES:
            setattr(self, name, value)
        elif word.startswith("--") and equals and name in LISTS:
            getattr(self, name.replace("-", "_")).append(value)
        elif word[:2] == "--" and name in FLAGS and not equals:
            setattr(self, name.replace("-", "_"), True)
        else:
            self.bindings.append(word)

    @property
    def name(self):
        """The name of the script without its ending."""
        name = os.path.basename(self.script)
        return name[:-3] if name.endswith(".py") else name


def build_of(file):
    """The build id in the comments at the top of a script or table, or "none". FILE: its lines."""
    for line in file:
        if line.startswith(b"# nbscorep build "):
            return line.split()[3].rstrip(b":").decode("ascii", "replace")
        if not line.startswith(b"#"):
            break
    return "none"


def read_script(program):
    """The script's text, if it is from the build of the run script and of the nbscorep that starts them."""
    try:
        with open(program.script, "rb") as file:
            text = file.read()
    except OSError as error:
        fail(1, f"cannot read '{program.script}': {error.strerror}")
    found, name = build_of(io.BytesIO(text)), os.path.basename(program.script)
    wanted, _, of = os.environ.get("NBSCOREP_BUILD", "").partition(" ")
    if of == name and wanted != found:
        fail(1, f"another nbscorep has built '{name}' with other settings before this run began; for several "
                "runs at a time, give each --temporary, or use --sweep")
    if program.build not in ("", found):
        fail(1, f"'{name}' is from another build ({found}, expected {program.build}); build the notebook again")
    return text


def leave_outer_run():
    """If a measured script starts this one: leaves that script's experiment directory, which would be renamed, and
    the recorder's bindings, which would be taken for Score-P's."""
    if "NBSCOREP_RECORD" not in os.environ and "SCOREP_PYTHON_BINDINGS_INITIALISED" not in os.environ:
        return
    if is_loaded():  # then it is the directory of this process
        return
    if os.path.isdir(os.environ.get("SCOREP_EXPERIMENT_DIRECTORY", "")):
        del os.environ["SCOREP_EXPERIMENT_DIRECTORY"]
    inherited = os.environ.get("PYTHONPATH", "").split(":")
    for paths in sys.path, inherited:
        paths[:] = [path for path in paths if os.path.basename(path) != "own_bindings"]
    os.environ["PYTHONPATH"] = ":".join(inherited)


def start_and_wait(program, wants_ranks, measurement=None):
    """Starts the script as another process or as ranks, waits, and does what comes after the end."""
    from . import waiting
    waiter, began = waiting.Waiter(), time.time()
    this_set = status = None
    try:
        if program.sweep:
            from . import sweep
            this_set = sweep.begin(program)
        if program.failed:  # bash has ended before the program, with this status; 0: by a signal
            status = int(program.failed) or 143
        else:
            if measurement is None:
                measurement = choose(program)
            if wants_ranks:
                from . import ranks
                status = ranks.run(program, measurement, waiter, this_set)
            else:
                measurement.prepare(program)
                child = waiter.fork()
                if child != 0:
                    status = waiter.wait(child, this_set)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    if status is None:  # the child
        measurement.start(program)
        return
    if measurement is not None and measurement.directory:
        measurement.finish()
    if program.reports and measurement is not None:
        from . import reporting
        reporting.report_run(program, measurement, began)
    if program.lock:  # a signal may have ended the script before it removed this
        from . import experiment
        experiment.unlock(program)
    if program.teardown:
        waiter.tear_down(program.teardown, status)
    if this_set is not None:
        waiter.end_left()
        this_set.finish(status)
    sys.exit(status)


def print_parameters(script, text):
    """Prints the parameters in the TEXT of the script and the lines that set them. False if it takes none."""
    import re
    found = re.search(r"^scorep_notebook\.take_parameters\((.*)\)", text, re.MULTILINE)
    if found is None:
        return False
    print(f"parameters of {shown(os.path.basename(script))}, for -p NAME=VALUE or -f FILE:")
    cell = text.partition("\n# %% injected parameters\n")[0].rpartition("\n# %% ")[2]
    for name in re.findall(r'"(\w+)"', found[1]):
        line = re.search(rf"^ *({name} *(?::[^=\n]+)?=(?!=).*)", cell, re.MULTILINE)
        print("  " + shown(line[1].rstrip() if line else name))
    return True


def main(words):
    name, _, order = words[0].partition("=") if words else ("", "", "")
    if name == "--executed-writer":
        from . import executed_writer
        executed_writer.main(order)
        return
    if name == "--results":
        from . import results
        results.main(order)
        return
    program = Program(words)
    if program.ready:
        from . import bindings
        bindings.go_on(program)
        return
    if program.failed:
        start_and_wait(program, wants_ranks=False)
        return
    for name, value in ("MPLBACKEND", "Agg"), ("SCOREP_TOTAL_MEMORY", "512M"):
        if not os.environ.get(name):
            os.environ[name] = value
    if program.rank_of:
        with open(os.path.join(program.rank_of, "started"), "w"):  # for ranks.py
            pass
        choose(program).start(program)
        return
    leave_outer_run()
    try:
        text = read_script(program)
        if program.arguments == ["--help"]:
            if print_parameters(program.script, text.decode("utf-8", "replace")):
                sys.exit()
        wants_ranks, measurement = find_ranks(program), None
        if program.reports:
            from . import reporting
            reporting.prepare(program)
        if not (wants_ranks or program.teardown or program.sweep or program.reports):
            measurement = choose(program)
    except SystemExit as error:
        if program.teardown:
            from . import waiting
            waiting.Waiter().tear_down(program.teardown, error.code)
        raise
    if measurement is None or measurement.waits:
        start_and_wait(program, wants_ranks, measurement)
    else:
        measurement.start(program)


def find_ranks(program):
    """True if this process is to start ranks of the script. Sets the number of ranks, which may stay
    unknown, and the launcher."""
    get = os.environ.get
    program.launcher = get("NBSCOREP_LAUNCHER") or program.launcher
    program.ranks = get("NBSCOREP_RANKS") or program.ranks
    if program.ranks and not (program.ranks.isascii() and program.ranks.isdecimal()
                              and program.ranks[0] != "0" and len(program.ranks) < 10):
        fail(2, f"NBSCOREP_RANKS is not a number of ranks: '{program.ranks}'")
    if not program.ranks and (program.together or program.launcher):
        tasks = get("SLURM_NTASKS", "")  # what was requested from sbatch or salloc
        if tasks.isascii() and tasks.isdecimal() and len(tasks) < 10 and int(tasks) > 1:
            program.ranks = tasks
    if not (program.ranks or program.launcher):
        return False
    from . import job
    return not job.is_one_of_several()
