# requires: quiet
@_nbscorep_apart
def _nbscorep_print_error(kind, error, trace):
    """Prints a traceback to standard error, without the frames of helpers and of the bindings."""
    import os
    import sys
    import traceback
    file = getattr(scorep, "__file__", None)  # none without the bindings
    bindings = os.path.dirname(file) + os.sep if file else "<bindings>"

    def is_users(frame):
        return not (frame.name.startswith("_nbscorep_") or frame.filename.startswith(bindings))

    report = traceback.TracebackException(kind, error, trace)
    parts = [report]
    for part in parts:  # grows with the causes
        part.stack[:] = filter(is_users, part.stack)
        others = part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())
        parts += [other for other in others if other is not None]
    print(end="", flush=True)  # there may be no standard output
    print("".join(report.format()), end="", file=sys.stderr, flush=True)


@_nbscorep_apart
def _nbscorep_goes_on(kind, error, trace):
    """Prints an error that ends only the cell, as sys.exit() does in Jupyter; not so Ctrl-C."""
    if kind is None or issubclass(kind, KeyboardInterrupt):
        return False
    _nbscorep_print_error(kind, error, trace)
    return True


class _nbscorep_raises:
    """Around a cell that may raise, by its tag: the traceback is shown and the script goes on."""

    @_nbscorep_quiet
    def __enter__(self):
        return self

    @_nbscorep_quiet
    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            goes_on = _nbscorep_goes_on(*exception)
            if goes_on:  # who tells of cells clears it when one begins
                scorep.instrumenter.nbscorep_cell_failed = True
            return goes_on
