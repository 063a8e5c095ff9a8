def _nbscorep_quiet(function):
    """FUNCTION, but not in the trace: the bindings record no function of a module scorep..."""
    return type(function)(function.__code__, {**globals(), "__name__": "scorep.nbscorep"},
                          function.__name__, function.__defaults__, function.__closure__)
