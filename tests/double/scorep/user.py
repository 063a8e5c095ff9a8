"""scorep.user: regions, parameters and the end of the measurement."""

import functools
import inspect

from scorep.instrumenter import disable, get_instrumenter


def region_begin(name: str, file_name=None, line_number=None):
    """Fact: a region begun and not ended costs the whole measurement."""
    with disable():
        get_instrumenter().region_begin("user", name)


def region_end(name: str):
    get_instrumenter().region_end("user", name)


class region:
    """`user:NAME` as a context manager or decorator; a decorator without a name records the
    function itself, unless the instrumenter does so anyhow."""

    def __init__(self, region_name: str = ""):
        self.region_name = region_name
        self.func = None

    def __call__(self, func):
        with disable():
            self.func = func

            @functools.wraps(func)
            def inner(*args, **kwds):
                with self:
                    return func(*args, **kwds)

            return inner

    def __enter__(self):
        registered = get_instrumenter().get_registered()
        with disable():
            if self.region_name != "":
                get_instrumenter().region_begin("user", self.region_name)
            elif not callable(self.func):
                raise RuntimeError("A region name needs to be specified.")
            elif not registered:
                get_instrumenter().code_enter(
                    self.func.__code__, self.func.__module__, self.func.__name__
                )
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self.region_name != "":
            get_instrumenter().region_end("user", self.region_name)
        elif not get_instrumenter().get_registered():
            get_instrumenter().code_leave(self.func.__code__)
        return False


def instrument_function(fun, instrumenter_fun=region):
    return instrumenter_fun()(fun)


def instrument_module(module, instrumenter_fun=region):
    for name in dir(module):
        value = module.__dict__[name]
        if inspect.isfunction(value):
            module.__dict__[name] = instrument_function(value, instrumenter_fun)


def enable_recording():
    get_instrumenter().set_recording(True)


def disable_recording():
    get_instrumenter().set_recording(False)


def parameter_int(name: str, val: int):
    get_instrumenter().parameter_int(name, val)


def parameter_uint(name: str, val: int):
    get_instrumenter().parameter_uint(name, val)


def parameter_string(name: str, string: str):
    get_instrumenter().parameter_string(name, string)


def force_finalize():
    """Write the results now. Events after this call are not recorded."""
    get_instrumenter().force_finalize()


def reregister_exit_handler():
    get_instrumenter().reregister_exit_handler()
