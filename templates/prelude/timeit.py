# requires: quiet time
class _nbscorep_timeit_result:
    """What %timeit -o returns; all is computed at once, so the trace shows no call of it."""

    @_nbscorep_apart
    def __init__(self, loops, all_runs, compile_time, digits):
        import math
        self.loops = loops
        self.repeat = len(all_runs)
        self.all_runs = all_runs
        self.compile_time = compile_time
        self.timings = [run / loops for run in all_runs]
        self.best = min(self.timings)
        self.worst = max(self.timings)
        self.average = math.fsum(self.timings) / self.repeat
        squares = math.fsum((timing - self.average) ** 2 for timing in self.timings)
        self.stdev = (squares / self.repeat) ** 0.5
        self.text = self.describe(digits)

    @_nbscorep_apart
    def describe(self, digits):
        """The line that %timeit prints."""
        sign = _nbscorep_glyph("\xb1", "+-")
        return (f"{_nbscorep_duration(self.average, digits)} {sign} "
                f"{_nbscorep_duration(self.stdev, digits)} per loop (mean {sign} std. dev. of "
                f"{self.repeat} run{'s' * (self.repeat != 1)}, "
                f"{self.loops:,} loop{'s' * (self.loops != 1)} each)")

    @_nbscorep_quiet
    def __str__(self):
        return self.text

    @_nbscorep_quiet
    def __repr__(self):
        return "<TimeitResult : " + self.text + ">"


_nbscorep_timeit_result.__name__ = "TimeitResult"


@_nbscorep_quiet
def _nbscorep_cpu_clock():
    """User and system time together."""
    return sum(_nbscorep_clocks()[1:])


@_nbscorep_apart
def _nbscorep_timeit_compile(setup, body, names):
    """The function that times BODY, and the time that compiling it took."""
    import ast
    parsed = []
    for text, part in (setup, "setup"), (body, "stmt"):
        parsed.append(ast.parse(_nbscorep_outdent(text), f"<magic-timeit-{part}>"))
        # By itself, because a return or yield would be valid in a function.
        compile(parsed[-1], f"<magic-timeit-{part}>", "exec")
    tree = ast.parse("def timed(_nbscorep_loops, _nbscorep_clock, _nbscorep_measured):\n"
                     "    with _nbscorep_measured:\n"
                     "        _nbscorep_start = _nbscorep_clock()\n"
                     "        for _nbscorep_loop in _nbscorep_loops: pass\n"
                     "        _nbscorep_end = _nbscorep_clock()\n"
                     "        return _nbscorep_end - _nbscorep_start\n")
    block = tree.body[0].body[0].body
    block[1].body = parsed[1].body or block[1].body
    block[:0] = parsed[0].body
    start = _nbscorep_cpu_clock()
    code = compile(tree, "<magic-timeit>", "exec")
    spent = _nbscorep_cpu_clock() - start
    made = {}
    exec(code, names, made)
    return made["timed"], spent


@_nbscorep_apart
def _nbscorep_timeit_runs(run, number, repeat):
    """How many loops a run has, so that one takes 0.2 seconds, and the time of each run."""
    import gc
    import itertools

    def once(loops):
        enabled = gc.isenabled()
        gc.disable()
        try:
            return run(itertools.repeat(None, loops))
        finally:
            if enabled:
                gc.enable()

    if number == 0:
        for number in (10 ** power for power in range(10)):
            if once(number) >= 0.2:
                break
    return number, [once(number) for _ in range(repeat)]


@_nbscorep_apart
def _nbscorep_timeit_report(result):
    """Prints RESULT, and what makes it doubtful."""
    if result.worst > 4 * result.best > 0 and result.worst > 1e-6:
        print(f"The slowest run took {result.worst / result.best:0.2f} times longer than the "
              "fastest. This could mean that an intermediate result is being cached.")
    print(result)
    if result.compile_time > 0.1:
        print(f"Compiler time: {result.compile_time:.2f} s")


@_nbscorep_quiet
def _nbscorep_timeit_cell(arguments, body, *scopes):
    """%%timeit; with BODY None it is %timeit, whose statement stands in ARGUMENTS."""
    off = scorep.instrumenter.disable()
    with off:
        import time
        options, statement = _nbscorep_statement_options(arguments, "n:r:tcp:qo")
        options = dict(options)
        if body is None:
            if not statement:
                return None
            statement, body = "", statement
        clock = (_nbscorep_cpu_clock if "-c" in options else
                 time.time if "-t" in options else time.perf_counter)
        timed, compile_time = _nbscorep_timeit_compile(statement, body, _nbscorep_names(*scopes))
        measured = _nbscorep_resume(off)
        loops, runs = _nbscorep_timeit_runs(lambda each: timed(each, clock, measured),
                                            int(options.get("-n", 0)), int(options.get("-r", 7)))
        result = _nbscorep_timeit_result(loops, runs, compile_time, int(options.get("-p", 3)))
        if "-q" not in options:
            _nbscorep_timeit_report(result)
        return result if "-o" in options else None


@_nbscorep_quiet
def _nbscorep_timeit(arguments, *scopes):
    """%timeit"""
    return _nbscorep_timeit_cell(arguments, None, *scopes)
