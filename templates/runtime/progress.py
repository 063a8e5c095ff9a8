"""Reports which cell runs. Given: titles of cells, by number; told_to, a pipe of `nbscorep run` (its
descriptor, device and inode) or None; a flag that is true if standard error also gets a line for
each cell. If the variable NBSCOREP_CELLS names a folder, each rank writes a file there, and the
first one also writes to the FIFO `live`, if a process reads it."""
import atexit
import resource
import time


class progress:
    cell = None  # the one that runs
    last = max(titles, default=0)
    lines = None  # standard error, like told_to
    told = []  # outputs for begins and ends of cells, like told_to
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the run script, in KiB


def identify(descriptor):
    """Identifies an open file, because the script can close it and reuse its number."""
    status = os.fstat(descriptor)
    return descriptor, status.st_dev, status.st_ino


def tell(place, text):
    try:
        if place and os.getpid() == process and identify(place[0]) == place:
            os.write(place[0], text.encode("utf-8", "replace"))
    except OSError:  # no process reads, or not fast enough: the script goes on
        pass


def tell_mark(text):
    for place in progress.told:
        tell(place, text)


def children():
    """The largest peak memory of the script's ended children, in bytes; 0 if unknown."""
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return 1024 * most if most > progress.children else 0


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
        return f"{process} {resident} {peak}"
    except (OSError, ValueError):
        return ""


def tell_end(how, moment):
    """Reports the end of the cell that runs: done, failed, exited, or unknown."""
    if how == "done" and vars(sys.modules["scorep.instrumenter"]).get("nbscorep_cell_failed"):
        how = "failed"  # with an error that the cell may raise
    if progress.cell is not None:
        tell_mark(f"end {progress.cell} {moment} {how} {children()} {memory()}\n")
    progress.cell = None


def tell_begin(cell):
    if cell == progress.cell or cell not in titles:
        return
    moment = time.monotonic_ns()
    tell_end("done", moment)  # the last cell had no frame
    progress.cell = cell
    sys.modules["scorep.instrumenter"].nbscorep_cell_failed = False
    tell_mark(f"begin {cell} {moment} {children()} {memory()}\n")
    tell(progress.lines, f"nbscorep: cell {cell} of {progress.last}: {titles[cell]}\n")


def tell_end_of_frame(cell, frame):
    """Score-P takes a region's place from the caller of __enter__(), so wraps only __exit__()."""
    kind = type(frame)

    class Framed(kind):
        __slots__ = ()

        def __exit__(self, *error):
            moment = time.monotonic_ns()
            try:
                return kind.__exit__(self, *error)
            finally:
                if cell == progress.cell:
                    raised = error[0] if error else None
                    tell_end("done" if raised is None else "exited"
                             if issubclass(raised, SystemExit) else "failed", moment)

    Framed.__name__ = kind.__name__
    try:
        frame.__class__ = Framed
    except TypeError:  # the next cell's begin ends this one
        pass


def watch_import():
    """For scripts that are not measured: they make or import the modules of their frames themselves."""
    import builtins
    import_module = builtins.__import__

    def import_and_watch(name, *args, **kwargs):
        module = import_module(name, *args, **kwargs)
        if name == "scorep.user":
            builtins.__import__ = import_module
            prepare_frames()
            watch_frames()
        return module

    builtins.__import__ = import_and_watch


def open_file(path, flags):
    """A list with the open file PATH, like told_to; an empty list if it cannot be opened."""
    import fcntl
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
    rank = find_rank()
    path, new = f"{folder}/rank-{rank}", os.O_CREAT | os.O_EXCL
    found = open_file(path, new)
    if found and rank == 0:
        tell(found[0], "".join(f"title {cell} {text}\n" for cell, text in titles.items()))
        found += open_file(f"{folder}/live", os.O_NONBLOCK)
    # Some launchers give ranks no number.
    return found or open_file(f"{path}-{os.uname().nodename}-{process}", new)


def watch_cells():
    folder = os.environ.pop("NBSCOREP_CELLS", "")
    try:
        if told_to and identify(told_to[0]) == told_to:
            os.set_inheritable(told_to[0], False)
            progress.told.append(told_to)
        if says and sys.stderr is not None and find_rank() == 0:
            progress.lines = identify(2)
    except OSError:
        pass
    if folder:
        progress.told += open_files(folder)
    if not (progress.told or progress.lines):
        return
    frames.in_front.append(tell_begin)
    frames.inside.append(tell_end_of_frame)
    atexit.register(lambda: tell_end("unknown", time.monotonic_ns()))
    if measured:
        prepare_frames()
        watch_frames()
    else:
        watch_import()


watch_cells()
