_nbscorep_globals = globals()


class _nbscorep_builtins(dict):
    """Python's builtins and, behind them, the script's names: helpers do not see `list = 1`."""
    __missing__ = _nbscorep_globals.__getitem__


_nbscorep_builtins = _nbscorep_builtins(vars(__import__("builtins")))


def _nbscorep_apart(function, name="__main__"):
    """FUNCTION, but names that the notebook gives to other things mean to it what Python says."""
    made = type(function)(function.__code__,
                          {"__name__": name, "__builtins__": _nbscorep_builtins},
                          function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


_nbscorep_apart = _nbscorep_apart(_nbscorep_apart, "scorep.nbscorep")


def _nbscorep_quiet(function):
    """The same, and not in the trace: the bindings record no function of a module scorep..."""
    return _nbscorep_apart(function, "scorep.nbscorep")


_nbscorep_quiet = _nbscorep_quiet(_nbscorep_quiet)
