"""What is not recorded: imports of modules (--imports=quiet), and the end of threads."""
import builtins
import functools
import importlib
import sys
import threading

import scorep.instrumenter


def quiet(usual):
    """USUAL, which imports, with the instrumenter off. Only in the main thread: other threads share
    the instrumenter's state, but each has its own instrumentation."""
    main = threading.main_thread().ident

    @functools.wraps(usual)
    def quiet_import(*args, **kwargs):
        instrumenter = scorep.instrumenter.global_instrumenter  # making one would import, too
        measures = (instrumenter is not None and instrumenter.get_registered()
                    and threading.get_ident() == main)
        if measures:
            instrumenter.unregister()
        try:
            return usual(*args, **kwargs)
        except BaseException as error:  # removes this frame, where Python (3.11) permits it
            error.__traceback__ = error.__traceback__.tb_next
            raise
        finally:
            # A forked child has another instrumenter, which does nothing.
            if measures and instrumenter is scorep.instrumenter.global_instrumenter:
                instrumenter.register()

    # A warning about an import names the importing line: Python skips frames with this file name.
    name = "<nbscorep importlib._bootstrap>"
    quiet_import.__code__ = quiet_import.__code__.replace(co_filename=name)
    return quiet_import


def quieten_imports():
    """Implements --imports=quiet."""
    for module, names in (builtins, ["__import__"]), (importlib, ["import_module", "reload"]):
        for name in names:
            setattr(module, name, quiet(getattr(module, name)))


def stop_recording(usual):
    """Wraps USUAL, the last call of a thread since Python 3.11. The frames below it were not entered
    under the instrumenter. If the thread's class is not Thread itself, the bindings do not know them
    by name, and report "a region exit without an enter"."""
    def delete(self):
        sys.setprofile(None)
        sys.settrace(None)
        usual(self)

    return delete


def watch_threads():
    if hasattr(threading.Thread, "_delete"):  # an internal method of Python
        threading.Thread._delete = stop_recording(threading.Thread._delete)
