"""Reports which cell runs. In the folder that NBSCOREP_CELLS names, each rank writes a file, and the first one
also writes to the FIFO `live`, if a process reads it."""
import atexit
import contextlib
import fcntl
import os
import resource
import sys
import time

from . import frames, job, places
from .running import run


class progress:
    cell = None  # the one that runs
    titles = {}  # of cells, by number
    lines = None  # standard error, as identify() has it
    told = []  # outputs for begins and ends of cells, likewise
    children = 0  # peak memory in bytes of children that ended before it began


def identify(descriptor):
    """Identifies an open file, because the script can close it and reuse its number."""
    status = os.fstat(descriptor)
    return descriptor, status.st_dev, status.st_ino


def tell(place, text):
    try:
        if place and os.getpid() == run.process and identify(place[0]) == place:
            os.write(place[0], text.encode("utf-8", "replace"))
    except OSError:  # no process reads, or not fast enough: the script goes on
        pass


def tell_mark(text):
    for place in progress.told:
        tell(place, text)


def children(before):
    """The largest peak memory of the script's ended children, in bytes; 0 unless it is larger than BEFORE."""
    most = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return most if most > before else 0


def memory():
    """PID of this process, its resident memory and peak memory, in bytes."""
    try:
        descriptor = os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)
        try:
            words = os.read(descriptor, 4096).split()
        finally:
            os.close(descriptor)
        resident, peak = (1024 * int(words[words.index(name) + 1])
                          for name in (b"VmRSS:", b"VmHWM:"))
        return f"{run.process} {resident} {peak}"
    except (OSError, ValueError):
        return ""


def tell_begin(cell):
    if cell not in progress.titles:
        return
    progress.cell = cell
    moment = time.monotonic_ns()
    tell_mark(f"begin {cell} {moment} {children(progress.children)} {memory()}\n")
    tell(progress.lines,
         f"nbscorep: cell {cell} of {max(progress.titles)}: {progress.titles[cell]}\n")


def tell_end(cell, error, how=None):
    if cell is None or cell != progress.cell:
        return
    moment, progress.cell = time.monotonic_ns(), None
    how = how or frames.outcome(cell, error)
    tell_mark(f"end {cell} {moment} {how} {children(progress.children)} {memory()}\n")


def tell_titles(place):
    tell(place, "".join(f"title {cell} {text}\n" for cell, text in progress.titles.items()))


def open_file(path, flags):
    """A list with the open file PATH, as identify() has it; an empty list if it cannot be opened."""
    try:
        low = os.open(path, os.O_WRONLY | flags, 0o600)
    except OSError:
        return []
    try:  # the script's own files must get the same numbers as without this file
        return [identify(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 18))]
    except OSError:
        return []
    finally:
        os.close(low)


def open_files(folder):
    """Opens the file of this rank in FOLDER. Ranks do not wait for each other."""
    rank = job.rank()
    if not run.is_rank:
        return open_file(f"{folder}/live", os.O_NONBLOCK)
    path, new = f"{folder}/rank-{rank}", os.O_CREAT | os.O_EXCL
    found = open_file(path, new)
    if found and rank == 0:
        tell_titles(found[0])
        found += open_file(f"{folder}/live", os.O_NONBLOCK)
    # Some launchers give ranks no number.
    return found or open_file(f"{path}-{os.uname().nodename}-{run.process}", new)


def watch_cells(folder, lines):
    """Begins to report to FOLDER, if that is not empty. LINES: a line for each cell goes to standard
    error."""
    progress.children = children(0)
    progress.titles = dict(places.Places(run.script, run.source).cells())
    for place in progress.told:  # the sampler
        tell_titles(place)
    if lines and sys.stderr is not None and job.rank() == 0:
        with contextlib.suppress(OSError):
            progress.lines = identify(2)
    if folder:
        progress.told += open_files(folder)
    if not (progress.told or progress.lines):
        return
    frames.before.append(tell_begin)
    frames.after.append(tell_end)
    atexit.register(lambda: tell_end(progress.cell, None, "unknown"))
