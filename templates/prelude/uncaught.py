# requires: quiet place leave
def _nbscorep_fatal(error, trace):
    """Behind the traceback of an exception that ends the script."""
    _nbscorep_tell_place(error, trace)
    world = _nbscorep_world()
    if world is not None and not isinstance(error, SystemExit):
        _nbscorep_flush()
        _nbscorep_remove_temporary()
        world.Abort(1)  # the other ranks would wait for this one until the job's time is up


def _nbscorep_watch_bindings(hook):
    """The bindings catch an OSError of the script's and say neither where it was raised nor how."""
    import sys
    frame = sys._getframe()
    while frame is not None and not (
            frame.f_globals.get("__package__") == "scorep" and "_err_exit" in frame.f_globals):
        frame = frame.f_back
    if frame is None:
        return
    leave = frame.f_globals["_err_exit"]

    def tell_and_leave(message):
        kind, error, trace = sys.exc_info()
        if trace is not None:
            hook(kind, error, trace)
        try:
            leave(message)
        finally:
            if trace is not None:
                _nbscorep_fatal(error, trace)

    frame.f_globals["_err_exit"] = tell_and_leave


def _nbscorep_watch_exceptions():
    """One more line behind the traceback of an uncaught exception."""
    import sys
    hook = sys.excepthook

    @_nbscorep_quiet
    def tell(kind, error, trace):
        with scorep.instrumenter.disable():
            hook(kind, error, trace)
            _nbscorep_fatal(error, trace)

    sys.excepthook = tell
    _nbscorep_watch_bindings(hook)


_nbscorep_watch_exceptions()
