"""Starts the recorder in a Python that `nbscorep record` starts, and in processes of multiprocessing. Its folder
is on PYTHONPATH. Runs the sitecustomize of this Python, which it hides."""
import importlib
import os
import sys


def read_words():
    """The command of this process."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return os.fsdecode(file.read()).split("\0")
    except OSError:
        return []


def is_recorded(words):
    if "NBSCOREP_RECORD" not in os.environ or words[1:3] == ["-m", "scorep"]:  # which does it itself
        return False
    if os.environ.get("NBSCOREP_RECORD_FROM") == str(os.getpid()):  # another interpreter of this process
        return False
    if not os.environ.get("NBSCOREP_RECORD_FROM") or os.environ.get("NBSCOREP_RECORD_CHILDREN") == "yes":
        return True
    return "--multiprocessing-fork" in words or any("multiprocessing.forkserver import main" in word
                                                    for word in words)


def begin():
    folder = os.path.dirname(os.path.abspath(__file__))
    kept, sys.path[:] = sys.path[:], [path for path in sys.path if os.path.abspath(path or ".") != folder]
    hidden = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ImportError:
        sys.modules["sitecustomize"] = hidden
    sys.path[:] = kept
    words = read_words()
    if is_recorded(words):
        from scorep import _recorder
        script = next((word for word in words[1:] if word.endswith(".py")), "")
        problem = _recorder.start(os.path.abspath(script) if script else "", with_main=True)
        if problem is None:
            _recorder.module.enable()
        else:
            _recorder.tell(problem)


begin()
