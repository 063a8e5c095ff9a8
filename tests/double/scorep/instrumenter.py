"""scorep.instrumenter: switching the recording of Python calls on and off."""

import functools
import os
import platform

if os.environ.get("SCOREP_PYTHON_BINDINGS_INITIALISED") == "true":  # the first start of Python is done
    import inspect  # noqa: F401 - the real module loads it, so a script's import of it shows nothing

global_instrumenter = None


def has_c_instrumenter() -> bool:
    return platform.python_implementation() != "PyPy"


def get_instrumenter(enable_instrumenter: bool = False, instrumenter_type: str = "dummy"):
    """The process's instrumenter; the first call decides which one it is."""
    global global_instrumenter
    if global_instrumenter is None:
        if instrumenter_type in ("profile", "cProfile"):
            from scorep._instrumenters.recording import ScorepProfile as kind
        elif instrumenter_type in ("trace", "cTrace"):
            from scorep._instrumenters.recording import ScorepTrace as kind
        elif instrumenter_type == "dummy":
            from scorep._instrumenters.dummy import ScorepDummy as kind
        else:
            raise RuntimeError('instrumenter_type "%s" unkown' % instrumenter_type)
        global_instrumenter = kind(enable_instrumenter)
    return global_instrumenter


def register():
    get_instrumenter().register()


def unregister():
    get_instrumenter().unregister()


class enable:
    """Fact: `user_instrumenter:NAME` is recorded only where the call really changes the state."""

    def __init__(self, region_name: str = ""):
        self.region_name = region_name

    def __call__(self, func):
        with disable():
            @functools.wraps(func)
            def inner(*args, **kwds):
                with self:
                    return func(*args, **kwds)
        return inner

    def __enter__(self):
        self.tracer_registered = get_instrumenter().get_registered()
        if not self.tracer_registered:
            if self.region_name != "":
                get_instrumenter().region_begin("user_instrumenter", self.region_name)
            get_instrumenter().register()

    def __exit__(self, exc_type=None, exc_value=None, traceback=None):
        if not self.tracer_registered:
            get_instrumenter().unregister()
            if self.region_name != "":
                get_instrumenter().region_end("user_instrumenter", self.region_name)


class disable:
    """The opposite of enable, with the same rule for the name."""

    def __init__(self, region_name: str = ""):
        self.region_name = region_name

    def __call__(self, func):
        self.__enter__()
        try:
            @functools.wraps(func)
            def inner(*args, **kwds):
                with self:
                    return func(*args, **kwds)
        finally:
            self.__exit__()
        return inner

    def __enter__(self):
        self.tracer_registered = get_instrumenter().get_registered()
        if self.tracer_registered:
            get_instrumenter().unregister()
            if self.region_name != "":
                get_instrumenter().region_begin("user_instrumenter", self.region_name)

    def __exit__(self, exc_type=None, exc_value=None, traceback=None):
        if self.tracer_registered:
            if self.region_name != "":
                get_instrumenter().region_end("user_instrumenter", self.region_name)
            get_instrumenter().register()
