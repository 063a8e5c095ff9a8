"""Threads that end while the instrumenter is on."""
import sys
import threading


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
