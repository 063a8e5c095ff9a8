"""Magics of the JUmPER extension: sampling of the script by `nbscorep monitor`."""
import atexit
import contextlib
import functools
import os
import select
import shlex
import shutil
import subprocess
import sys
import time

import scorep.instrumenter

from . import calls, frames, job, places
from .magic_arguments import UsageError, expand, make_parser
from .messages import note
from .progress import children, memory
from .running import program_environment


class state:
    """The state of the sampling. Moments are in nanoseconds of CLOCK_MONOTONIC."""
    name = "script"  # of the file of samples
    sources = {}  # of the notebook's cells, by their numbers
    loader = 0  # the cell that loads the extension: later cells have an index, from 0
    ran = []  # the cells that have an index, as they began
    cell = None  # the cell that runs
    program = None  # the path of nbscorep
    missing = False  # True if a search did not find it
    process = os.getpid()  # the script; a fork has another one
    sampler = None
    starts = 0
    results = os.environ.get("NBSCOREP_RESULTS", "") and os.path.abspath(os.environ["NBSCOREP_RESULTS"])
    path = began = interval = None  # the file of samples, of the sampler that runs or ran last
    first = 0  # the index of its first cell
    samples = b""  # standard input of `nbscorep report`
    children = 0  # peak memory in bytes of children that ended before sampling began
    imported = None  # the last imported session, since sampling began
    after_cell = []  # functions that are called after each cell
    report_level = None  # of the report after each cell
    plots = 0  # number of plots


@calls.unrecorded
def monitor_cells(name, loader, names, local_names):
    """Begins to count the cells of the script, whose results are called after NAME. LOADER: the cell that
    loads the extension, or 0."""
    state.name, state.loader = name, loader
    state.sources = places.sources(names["__file__"])
    frames.before.append(cell_begins)
    frames.after.append(cell_ends)


def cell_begins(number):
    with scorep.instrumenter.disable():
        cell = {"number": number, "end": None, "begin_time": time.time()}
        if number > state.loader:
            cell["index"] = len(state.ran)
            state.ran.append(cell)
            tell_sampler(mark("begin", number, time.monotonic_ns()))
        cell["begin"] = time.monotonic_ns()
        state.cell = cell


def cell_ends(number, error=None, how=None):
    """An error that ends only its cell makes it a failed one."""
    with scorep.instrumenter.disable():
        cell, state.cell = state.cell, None
        if cell is None:
            return
        cell["end"], cell["end_time"] = time.monotonic_ns(), time.time()
        if "index" in cell:
            tell_sampler(mark("end", number, cell["end"], how or frames.outcome(number, error)))
        for function in state.after_cell:
            function(cell)


def mark(*words):
    """A line for the sampler, with the memory that it cannot see between two samples."""
    return " ".join(map(str, [*words, children(state.children), memory()]))


def say(text):
    """Prints TEXT, in rank 0 only. Replaces characters that standard output cannot encode."""
    if job.rank() > 0:
        return
    try:
        print(text, flush=True)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        print(text.encode(encoding, "replace").decode(encoding), flush=True)


LAUNCHERS = (  # the local rank, the number of local ranks, the number of all ranks
    ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"),
    ("MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE"),
    ("PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "PMI_SIZE"))


def local_rank():
    """This process's rank on its node, or None; and the name of the node, or "" if it is the only one."""
    known = os.environ.get
    for rank, here, everywhere in LAUNCHERS:
        if known(rank, "").isdecimal():
            alone = known(here) is not None and known(here) == known(everywhere)
            return int(known(rank)), "" if alone else os.uname().nodename
    if "SLURM_STEP_ID" in os.environ and known("SLURM_LOCALID", "").isdecimal():
        alone = known("SLURM_STEP_NUM_NODES") == "1"
        return int(known("SLURM_LOCALID")), "" if alone else known("SLURM_NODEID", "")
    return None, ""


def is_heard(name):
    """True if this process runs the magic NAME, which all ranks and forked processes call."""
    if state.process != os.getpid():
        return False
    samples = ("perfmonitor_start", "perfmonitor_stop", "perfmonitor_enable_perfreports",
               "perfmonitor_fast_setup")
    here, _ = local_rank()
    if name in samples and here is not None:
        return here == 0  # the first rank on a node samples all ranks on it
    return job.rank() == 0


def find_nbscorep():
    """The path of nbscorep on this node, or None, which is reported once."""
    if state.program is None and not state.missing:
        state.program = shutil.which(os.environ.get("NBSCOREP") or "nbscorep")
        state.missing = state.program is None
        if state.missing:
            note("nbscorep is not on this node (PATH, NBSCOREP): "
                 "performance is not monitored")
    return state.program


def tell_sampler(*lines, sync="sync"):
    """Sends LINES to the sampler and waits until it has sampled the script and written the file."""
    if state.sampler is None or state.process != os.getpid():
        return
    if not ask_sampler(*lines, sync):
        end_sampler()
        note("the sampler has ended: performance is no longer monitored")


def ask_sampler(*lines):
    """Sends LINES and returns the answer; empty if the sampler has ended or does not answer."""
    sampler = state.sampler
    try:
        sampler.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        sampler.stdin.flush()
        answered = select.poll()
        answered.register(sampler.stdout, select.POLLIN)
        # Another thread may wait for the next "done".
        return os.read(sampler.stdout.fileno(), 5) if answered.poll(30000) else b""
    except (OSError, ValueError):  # it has ended, or another thread ends it
        return b""


def end_sampler():
    """Ends the sampler and waits for it. A forked process may keep its input open, so it gets a command."""
    while ask_sampler("quit"):
        pass
    os.environ.pop("NBSCOREP_SAMPLED", None)
    sampler, state.sampler = state.sampler, None
    for stream in (sampler.stdin, sampler.stdout) if sampler is not None else ():
        with contextlib.suppress(OSError):
            stream.close()


def result_file(name):
    """The path of the result file NAME. Each set of a sweep has its own folder."""
    if state.results:
        os.makedirs(state.results, exist_ok=True)
    return os.path.abspath(os.path.join(state.results, name))


def samples_path(name):
    """The path for samples of NAME, another one in each job of Slurm and on each node."""
    return result_file(".".join(filter(None, [name, os.environ.get("SLURM_JOB_ID"), local_rank()[1], "samples"])))


def titles():
    """A line for each cell with its title."""
    for number, source in state.sources.items():
        lines = [line.strip() for line in source.splitlines() if line.strip()] or [""]
        title = next((line for line in lines if not line.startswith("%")), lines[0])
        yield f"title {number} {title[:72]}"


def spawn_sampler(program, path, interval):
    """Starts the sampler. It is not a child of the script, which may wait for all of its children."""
    command = [program, "monitor", "--quiet", "--attach", str(state.process), "--marks",
               "--output", path, "--interval", interval]
    try:
        sampler = subprocess.Popen(
            ["/bin/sh", "-c", 'exec 3<&0; "$@" <&3 3<&- &', "sh", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env=program_environment())
    except OSError as error:
        note(f"cannot start the sampler: {error}")
        return None
    sampler.wait()
    return sampler


def start_sampler(interval):
    """Starts to sample every INTERVAL seconds. Returns False if that is impossible."""
    program = find_nbscorep()
    if program is None:
        return False
    state.starts += 1
    path = samples_path(f"{state.name}_monitor" + (f"-{state.starts}" if state.starts > 1 else ""))
    state.children = children(0)
    state.sampler = spawn_sampler(program, path, f"{min(max(interval, .001), 1e6):.9f}")
    lines = list(titles())
    first = len(state.ran)
    if state.cell is not None and "index" in state.cell:
        first = state.cell["index"]
        lines.append(mark("begin", state.cell["number"], time.monotonic_ns()))
    tell_sampler(*lines)
    if state.sampler is None:
        return False
    os.environ["NBSCOREP_SAMPLED"] = str(state.process)
    state.path, state.interval, state.first, state.imported = path, interval, first, None
    state.began = time.monotonic_ns()
    atexit.unregister(end_cells)
    atexit.register(end_cells)
    return True


def end_cells():
    """Ends the sampling at the script's end, which may be inside a cell."""
    with scorep.instrumenter.disable():
        if state.process != os.getpid():
            return
        failed = getattr(sys, "last_value", None) is not None
        if state.cell is not None:
            cell_ends(state.cell["number"], how="failed" if failed else "exited")
        if state.sampler is not None:
            end_sampler()


def words_before_comment(text):
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = []
    for word in lexer:
        if word.startswith("#"):
            break
        below = word[:1] == "-" and word[1:2].isdecimal()
        if below and words[-1:] == ["--cell"]:  # argparse takes -3:-1 for an option
            word = f"{words.pop()}={word}"
        words.append(word)
    return words


def add_argument(parser, argument, default):
    option = "--" + argument.replace("_", "-")
    if argument == "words":
        parser.add_argument("words", nargs="*")
    elif isinstance(default, bool):
        parser.add_argument(option, action="store_true")
    elif isinstance(default, tuple):
        parser.add_argument(option, nargs="*")
    else:
        parser.add_argument(option, default=default)


def check_level(asked):
    """Raises ValueError if the requested level does not exist."""
    session = None if hasattr(asked, "interval") else state.imported
    in_job = "SLURM_JOB_ID" in os.environ or getattr(session, "in_job", False)
    levels = ["process", "user", "system"] + ["slurm"] * in_job
    level = getattr(asked, "level", levels[0])
    if level not in levels:
        raise ValueError(f"Invalid level: {level}. Available levels: {', '.join(levels)}")


def jumper_magic(**arguments):
    """Decorates the function of a magic, which gets the values of ARGUMENTS, given here with their defaults, and
    the script's names. It is not called where another process runs the magic, nor, after a message, with wrong
    arguments."""
    def decorate(function):
        @functools.wraps(function)
        def magic(line, *scopes):
            name = function.__name__
            if not is_heard(name):
                return
            parser = make_parser(name)
            for argument, default in arguments.items():
                add_argument(parser, argument, default)
            try:
                words = words_before_comment(expand(line, *scopes))
                asked = parser.parse_intermixed_args(words)
                check_level(asked)
            except (UsageError, ValueError) as problem:
                say(f"%{name}: {problem}")
            else:
                function(asked, scopes[0])

        return calls.unrecorded(magic)

    return decorate


def read_interval(text):
    """TEXT as seconds. Prints a message and returns None if it is not a valid interval."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if 0 < seconds < float("inf"):
        return seconds
    say(f"Invalid interval value: {text}")


def begin_monitoring(interval):
    if state.sampler is not None:
        state.imported = None
        say("Performance monitoring already running")
    elif start_sampler(interval):
        say("Performance monitoring started "
            f"(PID: {os.getpid()}, Interval: {interval}s)")


@jumper_magic(words=(), monitor=None, check_sanity=False)
def perfmonitor_start(asked, names):
    """%perfmonitor_start [SECONDS] [--monitor TYPE] [--check-sanity]: there is one type"""
    interval = read_interval(asked.words[0] if asked.words else "1.0")
    if interval is not None:
        begin_monitoring(interval)
