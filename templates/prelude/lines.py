def _nbscorep_line_by_line(sys, *frames):
    """Each line of output goes out at once, the rest of it at the end of a cell."""
    def flush_first(leave):
        def __exit__(self, *exception):
            caller = sys._getframe(1)
            while caller.f_code.co_name == "__exit__":  # of a subclass
                caller = caller.f_back
            try:
                if caller.f_code.co_name == "<module>":
                    sys.stdout.flush()
                    sys.stderr.flush()
            except Exception:  # none, closed or full: the next output fails
                pass
            return leave(self, *exception)
        return __exit__

    for stream in sys.stdout, sys.stderr:
        getattr(stream, "reconfigure", dict)(line_buffering=True)
    for kind in set(map(type, frames)):
        kind.__exit__ = flush_first(kind.__exit__)

__builtins__ = __import__("builtins")  # of which the bindings give a script the dictionary
type(_nbscorep_line_by_line)(  # as a function of a module scorep..., which they never record
    _nbscorep_line_by_line.__code__, {"__name__": "scorep.nbscorep", "__builtins__": __builtins__})(
    __import__("sys"), scorep.instrumenter.disable(), scorep.user.region("cell"))
