process = os.getpid()
at_bad_end = []  # called when an exception or a signal ends the script


def find_world():
    """MPI's ranks, where the script runs as one of several; not in what it has forked."""
    mpi = sys.modules.get("mpi4py.MPI")
    world = getattr(mpi, "COMM_WORLD", None)
    if world is None or os.getpid() != process:
        return None
    if not mpi.Is_initialized() or mpi.Is_finalized() or world.Get_size() == 1:
        return None
    return world


def flush():
    """What the script has written so far goes out, whatever state its streams are in."""
    for stream in sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__:
        try:
            stream.flush()
        except Exception:  # none, closed, or interrupted while it was written to
            pass


def binding_options():
    """The options before the script, or none where that cannot be known."""
    try:
        with open("/proc/self/cmdline", encoding="utf-8", errors="surrogateescape") as file:
            words = file.read().split("\0")
    except OSError:
        words = getattr(sys, "orig_argv", [])
    options = []
    for word in words[3:] if words[1:3] == ["-m", "scorep"] else ():
        if not word.startswith("-"):
            break
        options.append(word)
    return options


def remove_temporary():
    """The bindings' folder. The library in it is loaded, and they remove it only where Python ends
    by itself. On some file systems it cannot go while it is in use; then it is tried again."""
    name = "SCOREP_PYTHON_BINDINGS_TEMP_DIR"
    folder = os.environ.get(name)
    if folder and "--keep-files" not in binding_options():
        import shutil
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            del os.environ[name]  # else they would miss it
