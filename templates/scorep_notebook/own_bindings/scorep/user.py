"""Regions of a program, and its other calls to a measurement. The names are those of Score-P's bindings."""
import functools
import sys

from .instrumenter import disable, get_instrumenter


def region_begin(name, file_name=None, line_number=None):
    frame = sys._getframe(1)
    get_instrumenter().region_begin("user", name, file_name or frame.f_code.co_filename,
                                    line_number or frame.f_lineno)


def region_end(name):
    get_instrumenter().region_end("user", name)


class region:
    """A region as a context manager or decorator. Without a name, a decorator records the function itself,
    unless that is recorded anyhow."""

    def __init__(self, region_name=""):
        self.region_name = region_name
        self.func = None

    def __call__(self, func):
        with disable():
            self.func = func

            @functools.wraps(func)
            def inner(*arguments, **options):
                with self:
                    return func(*arguments, **options)
        return inner

    def __enter__(self):
        instrumenter = get_instrumenter()
        if self.region_name:
            frame = sys._getframe(1)
            instrumenter.region_begin("user", self.region_name, frame.f_code.co_filename, frame.f_lineno)
        elif not callable(self.func):
            raise RuntimeError("A region name needs to be specified.")
        elif not instrumenter.get_registered():
            code = self.func.__code__
            instrumenter.region_begin(self.func.__module__, self.func.__name__, code.co_filename,
                                      code.co_firstlineno)
        return self

    def __exit__(self, *exception):
        if self.region_name:
            get_instrumenter().region_end("user", self.region_name)
        elif not get_instrumenter().get_registered():
            get_instrumenter().region_end(self.func.__module__, self.func.__name__)
        return False


def instrument_function(fun, instrumenter_fun=region):
    return instrumenter_fun()(fun)


def instrument_module(module, instrumenter_fun=region):
    for name, value in list(vars(module).items()):
        if hasattr(value, "__code__"):
            setattr(module, name, instrument_function(value, instrumenter_fun))


def enable_recording():
    get_instrumenter().set_recording(True)


def disable_recording():
    get_instrumenter().set_recording(False)


def __getattr__(name):
    """Rewinding, parameters, the online access: what the recorder does not record."""
    return getattr(get_instrumenter(), name)
