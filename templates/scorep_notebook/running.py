"""The run of the script: which one, whether it is measured, and how it ends."""
import os
import sys


class run:
    measured = False
    recorded = False  # measured by nbscorep's recorder
    script = ""  # its path, as Python has it
    folder = ""  # where the launcher has started; empty: the current folder
    at_end = []  # called when a signal ends the script
    options = []  # arguments of the bindings
    executed = None  # the module executed.py, if it writes an executed notebook
    is_rank = True  # a launcher has started this process
    source = None  # its bytes when it began: a build may replace the file while it runs
    process = os.getpid()  # that runs the script
    at_bad_end = []  # called when an exception or a signal ends the script
    agrees = False  # ranks of the script communicate, so they end together


class start:
    """What the process had when the script began, before a cell could change it."""
    displayhook = sys.displayhook
    folder = ""  # the current one; empty if it has been removed


def note_folder():
    """Notes the current folder, which the script can change later."""
    try:
        start.folder = os.getcwd()
    except FileNotFoundError:
        pass


def program_environment():
    """The environment of nbscorep's programs: without libraries preloaded for the script, and excluded from samples."""
    return {**{name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
            "NBSCOREP_SAMPLED": "0"}


def find_world():
    """MPI's world, if the script runs as one of several ranks; None otherwise and in a forked child."""
    mpi = sys.modules.get("mpi4py.MPI")
    world = getattr(mpi, "COMM_WORLD", None)
    if world is None or os.getpid() != run.process:
        return None
    if not mpi.Is_initialized() or mpi.Is_finalized() or world.Get_size() == 1:
        return None
    return world


def flush():
    """Flushes what the script has written so far, whatever state its streams are in."""
    for stream in sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__:
        try:
            stream.flush()
        except Exception:  # missing, closed, or interrupted during a write
            pass


def remove_temporary():
    """Removes the bindings' folder, which they remove only if Python ends normally. The library in it
    is already loaded. Some file systems cannot remove a file in use; then a later call removes it."""
    name = "SCOREP_PYTHON_BINDINGS_TEMP_DIR"
    folder = os.environ.get(name)
    if folder and "--keep-files" not in run.options:
        import shutil
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            del os.environ[name]  # else the bindings would miss it
