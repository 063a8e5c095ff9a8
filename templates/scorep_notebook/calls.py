"""Decorators of the functions that scripts call.

Both pass the names of the caller on as the two last arguments, its globals and its locals, as magics
of IPython see them. The function itself is the attribute `with_names`, for callers that have the names
already; they turn the instrumenter off themselves unless `is_recorded`.
"""
import functools
import sys

import scorep.instrumenter


def unrecorded(function):
    """Runs FUNCTION with the instrumenter off."""
    @functools.wraps(function)
    def call(*arguments, **options):
        caller = sys._getframe(1)
        with scorep.instrumenter.disable():
            return function(*arguments, caller.f_globals, caller.f_locals, **options)

    call.with_names, call.is_recorded = function, False
    return call


def recorded(function):
    """Runs FUNCTION with the instrumenter as it is: FUNCTION runs code of the user."""
    @functools.wraps(function)
    def call(*arguments, **options):
        caller = sys._getframe(1)
        return function(*arguments, caller.f_globals, caller.f_locals, **options)

    call.with_names, call.is_recorded = function, True
    return call
