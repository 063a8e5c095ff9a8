"""The instrumenters that record: by profile events, or by trace events.

Python calls and returns are recorded, C functions are not. threading's hook is set before ours
and cleared after it, so that neither call shows up among the events.
"""

import functools
import gc
import sys
import threading

from scorep import _bindings


def _without_collector(event):
    """EVENT with the garbage collector off, on CPython 3.11.0 to 3.11.2.

    These versions call the hook at a function's start before they set the frame's stack pointer
    (python/cpython#101975): a collection inside the hook walks a stale frame and can crash. The
    hook of the real bindings is C code that allocates nothing which the collector tracks.
    """
    if not (3, 11) <= sys.version_info < (3, 11, 3):
        return event

    @functools.wraps(event)
    def guarded(self, frame, why, argument):
        if not gc.isenabled():
            return event(self, frame, why, argument)
        gc.disable()
        try:
            return event(self, frame, why, argument)
        finally:
            gc.enable()

    return guarded


class ScorepInstrumenter:
    region_begin = staticmethod(_bindings.region_begin)
    region_end = staticmethod(_bindings.region_end)
    code_enter = staticmethod(_bindings.code_enter)
    code_leave = staticmethod(_bindings.code_leave)
    parameter_int = staticmethod(_bindings.parameter_int)
    parameter_uint = staticmethod(_bindings.parameter_uint)
    parameter_string = staticmethod(_bindings.parameter_string)
    set_recording = staticmethod(_bindings.set_recording)
    force_finalize = staticmethod(_bindings.force_finalize)

    def __init__(self, enable_instrumenter: bool = True):
        self._registered = False
        self._enabled = enable_instrumenter

    def register(self):
        if not self._registered:
            self._enable()
            self._registered = True

    def unregister(self):
        if self._registered:
            self._disable()
            self._registered = False

    def get_registered(self) -> bool:
        return self._registered

    def run(self, code, globals=None, locals=None):
        if self._enabled:
            self.register()
        try:
            exec(code, globals, locals)
        finally:
            self.unregister()

    def reregister_exit_handler(self):
        """The exit handler here cannot be lost."""


class ScorepProfile(ScorepInstrumenter):
    """--instrumenter-type=profile and cProfile."""

    def _enable(self):
        threading.setprofile(self._event)
        sys.setprofile(self._event)

    def _disable(self):
        sys.setprofile(None)
        threading.setprofile(None)

    @_without_collector
    def _event(self, frame, why, _argument):
        if why == "call":
            _bindings.frame_enter(frame)
        elif why == "return":
            _bindings.frame_leave(frame)


class ScorepTrace(ScorepInstrumenter):
    """--instrumenter-type=trace and cTrace."""

    def _enable(self):
        threading.settrace(self._event)
        sys.settrace(self._event)

    def _disable(self):
        sys.settrace(None)
        threading.settrace(None)

    @_without_collector
    def _event(self, frame, why, _argument):
        if why == "call":
            frame.f_trace_lines = False
            _bindings.frame_enter(frame)
            return self._event
        if why == "return":
            _bindings.frame_leave(frame)
        return self._event
