"""Starts the recorder, a shared object that writes calls into files of the experiment directory.

Variables select what is recorded, for this Python and for those that it starts:
NBSCOREP_RECORDER         the shared object
NBSCOREP_RECORD           the experiment directory
NBSCOREP_RECORD_LIMIT     MiB of events a process may write; 0: any number
NBSCOREP_RECORD_CHILDREN  "yes": Pythons that the program starts are recorded, too
NBSCOREP_RECORD_FROM      set in what a recorded Python starts
and Score-P's own, as far as they have a meaning here (SETTINGS).
"""
import os
import sys

SETTINGS = {
    "SCOREP_ENABLE_PROFILING", "SCOREP_ENABLE_TRACING", "SCOREP_EXPERIMENT_DIRECTORY",
    "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY", "SCOREP_FILTERING_FILE", "SCOREP_PROFILING_MAX_CALLPATH_DEPTH",
    "SCOREP_TOTAL_MEMORY",  # nothing is held in memory
}
LIMIT = 2048  # MiB
DEPTH = 100  # Score-P's default

# Options of the bindings that need nothing here.
OPTIONS = ("--keep-files", "--verbose", "-v", "--user", "--nouser", "--compiler", "--nocompiler", "--thread=",
           "--mpp=", "--mpi", "--instrumenter-type=")

module = None  # the shared object, once it records
_said = set()
_started, _others = set(), set()  # threads: of _thread, and of neither _thread nor threading


def tell(text):
    """Prints a remark, once."""
    if text not in _said:
        _said.add(text)
        try:
            sys.stderr.write(f"nbscorep: {text}\n")
        except Exception:  # none, or closed
            pass


def is_true(name, default):
    """A boolean as Score-P reads it: true, yes, on or a number besides 0."""
    text = os.environ.get(name, "").strip().lower()
    if not text:
        return default
    return text in ("true", "yes", "on") or (text.isdecimal() and int(text) != 0)


def number(name, default):
    text = os.environ.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default


def find_problem():
    """Why this Python cannot be recorded, or None."""
    if sys.implementation.name != "cpython":
        return f"the recorder is for CPython, not {sys.implementation.name}"
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or "free-threading" in sys.version:
        return "the recorder does not work without the global interpreter lock"
    if not (3, 8) <= sys.version_info[:2] <= (3, 14):
        return "the recorder is for Python 3.8 to 3.14"
    return None


def load(path):
    """The shared object, which must stay out of the import system: it would be recorded."""
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    loader = ExtensionFileLoader("scorep_recorder", path)
    loaded = loader.create_module(ModuleSpec("scorep_recorder", loader, origin=path))
    loader.exec_module(loaded)
    return loaded


def start(script="", with_main=False):
    """Begins to record this process into NBSCOREP_RECORD. SCRIPT: the path of the file whose lines are sampled.
    WITH_MAIN: calls are recorded from the first code of the module __main__ on, else from enable() on. Returns
    None, or why nothing is recorded."""
    global module
    problem = find_problem()
    if problem is not None:
        return problem
    try:
        loaded = load(os.environ["NBSCOREP_RECORDER"])
        if os.environ.get("SCOREP_FILTERING_FILE"):
            from . import _filter
            for rule in _filter.read(os.environ["SCOREP_FILTERING_FILE"]):
                loaded.add_rule(*rule)
        loaded.start(os.environ["NBSCOREP_RECORD"], script, is_true("SCOREP_ENABLE_PROFILING", True),
                     is_true("SCOREP_ENABLE_TRACING", False), number("NBSCOREP_RECORD_LIMIT", LIMIT) << 20,
                     number("SCOREP_PROFILING_MAX_CALLPATH_DEPTH", DEPTH), with_main)
    except Exception as error:
        return f"the recorder cannot start: {error}"
    module = loaded
    from . import instrumenter
    instrumenter.module = loaded
    import atexit
    atexit.register(end)
    os.register_at_fork(before=module.before_fork, after_in_parent=module.after_fork)
    os.environ["NBSCOREP_RECORD_FROM"] = str(os.getpid())
    if sys.version_info < (3, 12):
        watch_threads()
        watch_other_threads()
    for name in sorted(os.environ):
        if name.startswith("SCOREP_") and name not in SETTINGS:
            tell(f"'{name}' is for Score-P; the recorder does not know it")
    return None


def watch_other_threads():
    """Counts the threads that have run Python code, and that neither threading nor _thread has started."""
    import threading
    frames, active, dummy = sys._current_frames, threading._active, threading._DummyThread
    own = threading.get_ident

    def watch():
        for thread in set(frames()) - _started - {own()}:
            if thread not in active or isinstance(active[thread], dummy):
                _others.add(thread)

    module.watch(watch)


def renew():
    """Records again after another profiler has taken the hook, which it does for good before Python 3.12."""
    if module.renew():
        tell("another profiler has taken the recorder's place; calls from there to the end of its cell are missing")


def end():
    module.end()
    if _others:
        tell(f"{len(_others)} thread{'s' * (len(_others) > 1)} of a library ran Python code that is not in the"
             " measurement; with Python 3.12 or newer it would be")
    if "greenlet" in sys.modules:
        tell("the program has used greenlets, whose calls are mixed in the measurement of their thread")


def read_arguments(words):
    """Takes the bindings' options from the start of WORDS. Returns whether calls are recorded, and the instrumenter
    files."""
    instruments, files = True, []
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word in ("--noinstrumenter", "--nopython", "--instrumenter-type=dummy"):
            instruments = False
        elif name == "--instrumenter-file" and value:
            files.append(value)
        elif name + equals not in OPTIONS:
            tell(f"'{word}' is for Score-P; the recorder does not know it")
    return instruments, files


def read_file(path):
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def watch_threads():
    """Records threads that are started by _thread, which have no profile hook of their own before Python 3.12."""
    import _thread
    usual = _thread.start_new_thread

    def start_new_thread(*arguments):
        kinds = list(map(type, arguments))
        if kinds[1:] in ([tuple], [tuple, dict]) and callable(arguments[0]):
            thread = usual(module.call_in_thread, arguments)
            _started.add(thread)
            return thread
        return usual(*arguments)  # it raises an error

    _thread.start_new_thread = start_new_thread
