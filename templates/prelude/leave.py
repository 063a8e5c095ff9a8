_nbscorep_process = __import__("os").getpid()


def _nbscorep_world():
    """MPI's ranks, where the script runs as one of several; not in what it has forked."""
    import os
    import sys
    mpi = sys.modules.get("mpi4py.MPI")
    world = getattr(mpi, "COMM_WORLD", None)
    if world is None or os.getpid() != _nbscorep_process:
        return None
    if not mpi.Is_initialized() or mpi.Is_finalized() or world.Get_size() == 1:
        return None
    return world


def _nbscorep_flush():
    """What the script has written so far goes out, whatever state its streams are in."""
    import sys
    for stream in sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__:
        try:
            stream.flush()
        except Exception:  # none, closed, or interrupted while it was written to
            pass


def _nbscorep_remove_temporary():
    """The bindings' folder, which they remove themselves only where Python ends by itself."""
    import itertools
    import os
    import shutil
    folder = os.environ.get("SCOREP_PYTHON_BINDINGS_TEMP_DIR")
    try:
        with open("/proc/self/cmdline", encoding="utf-8", errors="surrogateescape") as file:
            words = file.read().split("\0")
    except OSError:
        return
    if not folder or words[1:3] != ["-m", "scorep"]:
        return
    options = itertools.takewhile(lambda word: word.startswith("-"), words[3:])
    if "--keep-files" not in options:
        shutil.rmtree(folder, ignore_errors=True)
