"""Limits of the time that a cell may take: --cell-timeout, and the tag timeout=SECONDS.

A timer of the process ends the script as a signal does, so that data and outputs are kept: an exception at any
moment would make Score-P abort. Python handles the timer's signal when a call of a C library has returned, so
a cell that stays in one is ended after it.
"""
import os
import types

import _signal as signal

import scorep.instrumenter

from . import frames
from .messages import fail
from .running import run


class limit:
    now = 0.0  # that the cell that runs may take


def arm(seconds):
    limit.now = seconds
    if seconds:
        signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def strike(number, frame):
    """Ends the script, with the traceback of what runs."""
    if os.getpid() != run.process:  # a child that has set a timer of its own
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGALRM)
        return
    scorep.instrumenter.unregister()
    from . import ending, uncaught
    trace, whole = None, None  # from the script's own frame on, and from the first one on
    while frame is not None:
        whole = types.TracebackType(whole, frame, frame.f_lasti, frame.f_lineno)
        trace = whole if frame.f_code.co_filename == run.script else trace
        frame = frame.f_back
    uncaught.show_end(TimeoutError(f"the cell ran for more than {limit.now:g} s"), trace or whole)
    ending.end_now(ending.TIMED_OUT)


def watch(text):
    """Limits each cell to TEXT, in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < 1e9:  # also true for NaN
        fail(2, f"NBSCOREP_CELL_TIMEOUT is not a time in seconds: '{text}'")
    frames.before.append(lambda number: arm(seconds))
    frames.ended.append(lambda number, error: arm(0))


class cell_timeout:
    """The context of a cell with the tag timeout=SECONDS, which counts in place of the limit for all; 0: none."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        with scorep.instrumenter.disable():
            arm(self.seconds)

    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            arm(0)
