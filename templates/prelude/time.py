# requires: quiet statement
@_nbscorep_apart
def _nbscorep_glyph(glyph, plain):
    """GLYPH, or PLAIN where standard output cannot show it."""
    import sys
    try:
        glyph.encode(sys.stdout.encoding or "ascii")
        return glyph
    except (AttributeError, LookupError, UnicodeError):
        return plain


@_nbscorep_apart
def _nbscorep_duration(seconds, digits=3):
    """SECONDS in the unit that suits them."""
    import math
    if seconds < 60:
        power = min(-(math.floor(math.log10(seconds)) // 3), 3) if seconds > 0 else 3
        unit = ("s", "ms", _nbscorep_glyph("\xb5s", "us"), "ns")[power]
        return "%.*g %s" % (digits, seconds * (1, 1e3, 1e6, 1e9)[power], unit)
    parts = []
    for unit, length in ("d", 86400), ("h", 3600), ("min", 60), ("s", 1):
        count = int(seconds / length)
        seconds %= length
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts)


@_nbscorep_quiet
def _nbscorep_clocks():
    """Wall, user and system time in seconds."""
    import resource
    import time
    return (time.perf_counter(), *resource.getrusage(resource.RUSAGE_SELF)[:2])


_nbscorep_kept = []
_nbscorep_keep = _nbscorep_kept.append  # a builtin, so the trace does not show it


class _nbscorep_time:
    """%time: prints the times of the code in it, then shows the values that the code kept, of which
    there is one, for Out[NUMBER]."""

    @_nbscorep_quiet
    def __init__(self, number=None):
        self.number = number

    @_nbscorep_quiet
    def __enter__(self):
        with scorep.instrumenter.disable():
            _nbscorep_clocks()  # loads the modules
            self.first = len(_nbscorep_kept)
        self.start = _nbscorep_clocks()

    @_nbscorep_quiet
    def __exit__(self, kind, *exception):
        end = _nbscorep_clocks()
        with scorep.instrumenter.disable():
            import sys
            kept = _nbscorep_kept[self.first:]
            del _nbscorep_kept[self.first:]
            if kind is None:
                wall, user, system = (after - before for before, after in zip(self.start, end))
                print(f"CPU times: user {_nbscorep_duration(user)}, "
                      f"sys: {_nbscorep_duration(system)}, "
                      f"total: {_nbscorep_duration(user + system)}")
                print(f"Wall time: {_nbscorep_duration(wall)}")
        if kind is None:
            for value in kept:
                if self.number is None:
                    sys.displayhook(value)
                else:
                    _nbscorep_out(self.number, value)


@_nbscorep_quiet
def _nbscorep_time_text(text, *scopes):
    """%time with a statement that cannot stand behind `with`: the value of its last expression."""
    off = scorep.instrumenter.disable()
    with off:
        import ast
        statements = ast.parse(_nbscorep_outdent(text), "<timed exec>").body
        # The frame of exec() is not the user's: the instrumenter is on only in this `with`.
        tree = ast.parse("with _nbscorep_measured: pass\n_nbscorep_measured.value = 0")
        keep = tree.body.pop()
        if statements:
            if isinstance(statements[-1], ast.Expr):
                keep.value = statements[-1].value
                statements[-1] = keep
            tree.body[0].body = statements
        code = compile(tree, "<timed exec>", "exec")
        names = _nbscorep_names(*scopes)
        names["_nbscorep_measured"] = measured = _nbscorep_resume(off)
        with _nbscorep_time():
            exec(code, names)
        return measured.value
