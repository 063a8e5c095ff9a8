# requires: quiet
@_nbscorep_quiet
def _nbscorep_off(function, *arguments):
    """What FUNCTION gives, called with the instrumenter off: where no `with` can stand."""
    with scorep.instrumenter.disable():
        return function(*arguments)
