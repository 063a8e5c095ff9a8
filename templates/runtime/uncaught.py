def end_ranks(error, trace):
    """Runs after the traceback of an exception that ends the script."""
    tell_place(error, trace)
    for call in at_bad_end:
        call()
    world = find_world()
    if world is not None and not isinstance(error, SystemExit):
        flush()
        remove_temporary()
        world.Abort(1)  # the other ranks would wait for this one until the job's time is up


def find_bindings():
    """The globals of the bindings' program, which runs the script, or None."""
    frame = sys._getframe()
    while frame is not None and not (
            frame.f_globals.get("__package__") == "scorep" and "_err_exit" in frame.f_globals):
        frame = frame.f_back
    return None if frame is None else frame.f_globals


def watch_bindings(hook):
    """The bindings catch an OSError of the script and print neither its place nor its traceback."""
    bindings = find_bindings()
    if bindings is None:
        return
    leave = bindings["_err_exit"]

    def tell_and_leave(message):
        kind, error, trace = sys.exc_info()
        if trace is not None:
            hook(kind, error, trace)
        try:
            leave(message)
        finally:
            if trace is not None:
                end_ranks(error, trace)

    bindings["_err_exit"] = tell_and_leave


def leave_out_imports(trace):
    """Removes frames of imports.py, which TRACE contains before Python 3.11."""
    while trace is not None:
        following = trace.tb_next
        if following is not None and following.tb_frame.f_code.co_filename.startswith("<nbscorep"):
            trace.tb_next = following.tb_next
        else:
            trace = following


def watch_exceptions():
    """Adds a line after the traceback of an uncaught exception."""
    hook = sys.excepthook

    def tell(kind, error, trace):
        leave_out_imports(trace)
        hook(kind, error, trace)
        end_ranks(error, trace)

    def tell_measured(kind, error, trace):
        with scorep.instrumenter.disable():
            tell(kind, error, trace)

    def tell_plain(kind, error, trace):
        while trace is not None and trace.tb_frame.f_code.co_filename != script:
            trace = trace.tb_next  # a frame of this file
        tell(kind, error.with_traceback(trace), trace)

    sys.excepthook = tell_measured if measured else tell_plain
    if measured:
        watch_bindings(hook)
