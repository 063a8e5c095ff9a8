"""Runs the script on several ranks: finds the launcher, lets the bindings prepare once for all ranks, and
waits."""
import contextlib
import os
import shutil
import signal
import sys
import tempfile

from . import experiment, job, measurement
from .messages import fail, tell

# What is passed on to other nodes; not every launcher does this. Options name more.
EXPORTS = ("PYTHONPATH", "MPLBACKEND", "SCOREP_TOTAL_MEMORY", "SCOREP_EXPERIMENT_DIRECTORY",
           "NBSCOREP_START_FOLDER", "NBSCOREP_PARAMETERS", "NBSCOREP_RESULTS", "NBSCOREP_MONITOR", "NBSCOREP_EXECUTED",
           "NBSCOREP_HTML", "NBSCOREP_OUTPUT_LIMIT", "NBSCOREP_CELL_TIMEOUT", "NBSCOREP_ALLOW_ERRORS", "NBSCOREP_CWD",
           "NBSCOREP_PROGRESS", "NBSCOREP_REPORT")


def is_mpirun(words):
    """True for launchers of MPI itself, which kill their ranks a second after SIGTERM."""
    name = os.path.basename(words[0])
    return name.startswith(("mpirun", "mpiexec")) or name in ("orterun", "prterun")


def find_launcher(program):
    """The words of the launcher: srun inside an allocation, else mpirun or mpiexec."""
    if program.launcher:
        if "{ranks}" in program.launcher and not program.ranks:
            fail(2, f"launcher '{program.launcher}' requires a number of ranks; use --ranks or set "
                    "NBSCOREP_RANKS")
        # Blanks separate the words; no other character is special.
        return program.launcher.replace("{ranks}", program.ranks).split() or fail(2, "the launcher is empty")
    names = (["srun"] if os.environ.get("SLURM_JOB_ID") else []) + ["mpirun", "mpiexec"]
    name = next(filter(shutil.which, names), None)
    if name is None:
        fail(3, f"cannot start {program.ranks} ranks: neither mpirun nor mpiexec is on PATH, and this is no "
                "allocation of Slurm; install an MPI (Debian: openmpi-bin), or name a launcher with --launcher or "
                "NBSCOREP_LAUNCHER")
    words = [name, "-n", program.ranks]
    if program.tag_output:
        words.append(tag_option(name))
    return words


def tag_option(name):
    """The option of launcher NAME that puts a rank's name before each line of its output."""
    if name == "srun":
        return "--label"
    version = output_of([name, "--version"])
    return "--tag-output" if "Open MPI" in version or "OpenRTE" in version else "-prepend-rank"


def output_of(words):
    """What a short command prints."""
    import subprocess
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                              check=False).stdout
    except OSError:
        return ""


def make_folder(program):
    """Makes the folder that the ranks share: beside the script if there are several nodes."""
    parent, nodes = os.environ.get("TMPDIR") or "/tmp", os.environ.get("SLURM_JOB_NUM_NODES", "1")
    if nodes.isdecimal() and int(nodes) > 1:
        parent = os.path.dirname(program.script)
    parent = os.environ.get("NBSCOREP_SHARED_TMPDIR") or parent
    try:
        return os.path.abspath(tempfile.mkdtemp(prefix="nbscorep-", dir=parent))
    except OSError as error:
        fail(3, f"cannot make a folder in '{parent}': {error.strerror}")


def time_cells(folder):
    """Makes the folder where each rank writes when its cells begin and end, if that is used: by nbscorep,
    which sets NBSCOREP_CELLS, in a job's log, or at a terminal. Returns it, or None."""
    cells = os.environ.get("NBSCOREP_CELLS")
    if cells and not os.path.exists(os.path.join(cells, "live")):  # no process reads
        return None
    if not cells and (os.environ.get("NBSCOREP_QUIET") or not (job.is_batch() or os.isatty(2))):
        return None
    made = os.path.join(folder, "cells")
    os.mkdir(made)
    if cells:
        os.symlink(os.path.join(cells, "live"), os.path.join(made, "live"))
    return made


def show_cells(cells):
    """Copies the files of the ranks for nbscorep, or prints a table of them."""
    files = [os.path.join(cells, name) for name in sorted(os.listdir(cells)) if name.startswith("rank-")]
    if not files:
        return
    if os.environ.get("NBSCOREP_CELLS"):
        for file in files:
            shutil.copy(file, os.environ["NBSCOREP_CELLS"])
    else:
        from . import cell_table
        cell_table.show(files)


def prepare(program, waiter, folder):
    """Lets the bindings prepare for all ranks. Returns the words before a rank's command: a shell names its
    experiment directory, because Score-P reads the name before Python starts, and `env` sets the variables
    that load the bindings. They are empty if each rank has to prepare by itself."""
    messages = os.path.join(folder, "messages")
    child = waiter.fork(is_background=True)
    if child == 0:
        from . import bindings
        os.dup2(os.open(messages, os.O_WRONLY | os.O_CREAT, 0o600), 2)
        try:
            bindings.prepare_ranks(program, folder)
        except SystemExit as error:
            print(error.code, file=sys.stderr, flush=True)
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
        os._exit(1)
    status = waiter.wait(child)
    if waiter.ended_by or os.path.exists(os.path.join(folder, "asked")):
        raise SystemExit(128 + (waiter.ended_by or signal.SIGUSR1))
    if status != 0:
        with open(messages, encoding="utf-8", errors="replace") as file:
            sys.stderr.write(file.read())
        tell("cannot prepare the bindings once for all ranks; each rank prepares its own")
        return []
    with open(os.path.join(folder, "environment"), encoding="utf-8", errors="surrogateescape") as file:
        variables = file.read().split("\0")
    begin, directory = ': >"$NBSCOREP_RANK_OF/started"; ', os.environ[experiment.VARIABLE]
    if not program.together and program.ranks != "1":
        experiment.make_parents(os.path.join(directory, "rank-0"))
        # Not all launchers number their ranks, and not all start several.
        own = "/rank-${rank:-$(uname -n)-$$}" if program.ranks else "${rank:+/rank-$rank}"
        begin += f"rank={job.shell_rank()}; {experiment.VARIABLE}=$0{own}; export {experiment.VARIABLE}; "
    return ["/bin/sh", "-c", begin + 'exec env "$@"', directory, "NBSCOREP_READY=ranks", *filter(None, variables)]


def explain(words, folder):
    """mpirun has printed why it starts no rank, but not how to change that here."""
    if is_mpirun(words) and not os.path.exists(os.path.join(folder, "started")) \
            and "not enough slots" in output_of([*words, "true"]):
        tell("Open MPI starts one rank per core, or per task of a job; to start more, build with --launcher "
             f"'{words[0]} --oversubscribe -n {{ranks}}' or set NBSCOREP_LAUNCHER to it")


def run(program, measured, waiter, this_set):
    """Runs the ranks, which MEASURED measures. Returns the status."""
    words = find_launcher(program)
    folder = make_folder(program)
    try:
        return run_in(folder, words, program, measured, waiter, this_set)
    finally:
        experiment.unlock(program)
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.rmdir(measured.directory)  # no rank has started


def run_in(folder, words, program, measured, waiter, this_set):
    cells = time_cells(folder)
    own = {"NBSCOREP_RANK_OF": folder, "NBSCOREP_FOLDER": program.folder}
    own.update(NBSCOREP_MEASURE="", NBSCOREP_MEASUREMENT=measured.name)
    if cells:
        own["NBSCOREP_CELLS"] = cells
    if is_mpirun(words):
        own["NBSCOREP_ENDING"] = "USR2"
        if os.environ.get("SLURM_JOB_ID"):
            # Slurm sends TERM to mpirun itself, too. mpirun always waits that long, so only in a job.
            os.environ.setdefault("OMPI_MCA_odls_base_sigkill_timeout", "20")
    elif os.environ.get("SLURM_CPUS_PER_TASK"):
        # srun reads only this one. mpirun's own srun would give all ranks of a node the cores of one rank.
        os.environ.setdefault("SRUN_CPUS_PER_TASK", os.environ["SLURM_CPUS_PER_TASK"])
    # For ranks yet to start; the process that prepares may be gone.
    waiter.on_usr1 = lambda: open(os.path.join(folder, "asked"), "w").close()
    prepared = []
    if measured.name != "none":
        program.together = program.together and measured.name == "scorep"
        measured.directory = experiment.name_directory_of_ranks(program)
        measurement.report(measured)
        if not program.together and program.ranks not in ("", "1"):
            experiment.tell_ranks(measured.directory, " (no --mpp=mpi)" if measured.name == "scorep" else "")
        if measured.name == "scorep" and os.environ.get("NBSCOREP_PREPARE") != "no":
            prepared = prepare(program, waiter, folder)
    exported = [f"{name}={os.environ[name]}" for name in dict.fromkeys([*EXPORTS, *program.export])
                if name in os.environ and name not in own]
    command = [*words, "env", *exported, *(f"{name}={value}" for name, value in own.items()),
               *prepared, *program.again]
    child = waiter.fork(is_background=True)
    if child == 0:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            tell(f"cannot start '{command[0]}': {error.strerror}")
        os._exit(127)
    status = waiter.wait(child, this_set, signal.SIGUSR2 if is_mpirun(words) else None)
    if 0 < status <= 128:
        explain(words, folder)
    if cells:
        show_cells(cells)
    # 128 + SIGALRM: ranks that ended had waited for a rank that could not end. 128 + SIGUSR2: a rank got
    # the signal before it could handle it.
    if waiter.ended_by and status in (0, 1, 128 + signal.SIGALRM, 128 + signal.SIGUSR2):
        status = 128 + waiter.ended_by
    return status
