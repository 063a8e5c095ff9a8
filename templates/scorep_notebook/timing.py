"""%time and %timeit."""
import ast
import gc
import itertools
import math
import resource
import sys
import time

import scorep.instrumenter

from . import calls
from .magic_arguments import Resume, as_python, merged_names, statement_options
from .outputs import echo, out


def encodable(glyph, plain):
    """GLYPH, or PLAIN if standard output cannot show GLYPH."""
    try:
        glyph.encode(sys.stdout.encoding or "ascii")
        return glyph
    except (AttributeError, LookupError, UnicodeError):
        return plain


def duration(seconds, digits=3):
    """SECONDS as text with a suitable unit."""
    if seconds < 60:
        power = min(-(math.floor(math.log10(seconds)) // 3), 3) if seconds > 0 else 3
        unit = ("s", "ms", encodable("\xb5s", "us"), "ns")[power]
        return "%.*g %s" % (digits, seconds * (1, 1e3, 1e6, 1e9)[power], unit)
    parts = []
    for unit, length in ("d", 86400), ("h", 3600), ("min", 60), ("s", 1):
        count = int(seconds / length)
        seconds %= length
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts)


def clocks():
    """Wall, user and system time in seconds."""
    return (time.perf_counter(), *resource.getrusage(resource.RUSAGE_SELF)[:2])


kept_values = []


def timed_value(value):
    """Keeps the value of a timed expression, which is shown after the times."""
    kept_values.append(value)


class timed:
    """The context of %time: prints the times of its code, then shows the value that the code kept, which
    becomes Out[NUMBER]. NO_RAISE: the script goes on after an exception."""

    def __init__(self, number=None, no_raise=False):
        self.number, self.no_raise = number, no_raise

    def __enter__(self):
        with scorep.instrumenter.disable():
            self.first = len(kept_values)
        self.start = clocks()

    def __exit__(self, kind, *exception):
        end = clocks()
        with scorep.instrumenter.disable():
            kept = kept_values[self.first:]
            del kept_values[self.first:]
            # IPython compiles the code before it looks at the clock.
            if kind is None or issubclass(kind, (Exception, KeyboardInterrupt)) and not issubclass(kind, SyntaxError):
                wall, user, system = (after - before for before, after in zip(self.start, end))
                print(f"CPU times: user {duration(user)}, "
                      f"sys: {duration(system)}, "
                      f"total: {duration(user + system)}")
                print(f"Wall time: {duration(wall)}")
        if kind is not None:
            return self.no_raise and issubclass(kind, Exception)
        for value in kept:
            if self.number is None:
                echo(value)
            else:
                out(self.number, value)
        return False


@calls.recorded
def time_text(text, *scopes):
    """%time with a statement that cannot follow `with`. Returns the value of its last expression."""
    off = scorep.instrumenter.disable()
    with off:
        option = "--no-raise-error"
        no_raise = text.startswith(option)
        text = text[len(option):].lstrip() if no_raise else text
        statements = ast.parse(as_python(text, scopes[0]), "<timed exec>").body
        # exec() has a frame of its own, so the instrumenter is on only inside this `with`.
        tree = ast.parse("with _scorep_notebook_measured: pass\n_scorep_notebook_measured.value = 0")
        keep = tree.body.pop()
        if statements:
            if isinstance(statements[-1], ast.Expr) and not text.rstrip().endswith(";"):
                keep.value = statements[-1].value
                statements[-1] = keep
            tree.body[0].body = statements
        code = compile(tree, "<timed exec>", "exec")
        names = merged_names(*scopes)
        names["_scorep_notebook_measured"] = measured = Resume(off)
        with timed(no_raise=no_raise):
            exec(code, names)
        return measured.value


class TimeitResult:
    """The value of %timeit -o."""

    def __init__(self, loops, all_runs, compile_time, digits):
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

    def describe(self, digits):
        """The line that %timeit prints."""
        sign = encodable("\xb1", "+-")
        return (f"{duration(self.average, digits)} {sign} "
                f"{duration(self.stdev, digits)} per loop (mean {sign} std. dev. of "
                f"{self.repeat} run{'s' * (self.repeat != 1)}, "
                f"{self.loops:,} loop{'s' * (self.loops != 1)} each)")

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<TimeitResult : " + self.text + ">"


def cpu_clock():
    """User and system time together."""
    return sum(clocks()[1:])


def timeit_compile(setup, body, names):
    """The function that times BODY, and the time to compile it."""
    parsed = []
    for text, part in (setup, "setup"), (body, "stmt"):
        parsed.append(ast.parse(text, f"<magic-timeit-{part}>"))
        # Compiled separately, because return and yield would be valid in a function.
        compile(parsed[-1], f"<magic-timeit-{part}>", "exec")
    tree = ast.parse("def timed(_scorep_notebook_loops, _scorep_notebook_clock, _scorep_notebook_measured):\n"
                     "    with _scorep_notebook_measured:\n"
                     "        _scorep_notebook_start = _scorep_notebook_clock()\n"
                     "        for _scorep_notebook_loop in _scorep_notebook_loops: pass\n"
                     "        _scorep_notebook_end = _scorep_notebook_clock()\n"
                     "        return _scorep_notebook_end - _scorep_notebook_start\n")
    block = tree.body[0].body[0].body
    block[1].body = parsed[1].body or block[1].body
    block[:0] = parsed[0].body
    start = cpu_clock()
    code = compile(tree, "<magic-timeit>", "exec")
    spent = cpu_clock() - start
    made = {}
    exec(code, names, made)
    return made["timed"], spent


def timeit_runs(run, number, repeat):
    """The number of loops in a run, chosen so that it takes 0.2 seconds, and the time of each run."""

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


def timeit_report(result):
    """Prints RESULT, and a warning if it is unreliable."""
    if result.worst > 4 * result.best > 0 and result.worst > 1e-6:
        print(f"The slowest run took {result.worst / result.best:0.2f} times longer than the "
              "fastest. This could mean that an intermediate result is being cached.")
    print(result)
    if result.compile_time > 0.1:
        print(f"Compiler time: {result.compile_time:.2f} s")


@calls.recorded
def timeit_cell(arguments, body, *scopes):
    """%%timeit; if BODY is None, %timeit, whose statement is in ARGUMENTS."""
    off = scorep.instrumenter.disable()
    with off:
        options, statement = statement_options(arguments, "n:r:tcp:qov:")
        options = dict(options)
        if body is None:
            if not statement:
                return None
            statement, body = "", statement
        clock = (cpu_clock if "-c" in options else
                 time.time if "-t" in options else time.perf_counter)
        statement, body = (as_python(text, scopes[0]) for text in (statement, body))
        run_timed, compile_time = timeit_compile(statement, body, merged_names(*scopes))
        measured = Resume(off)
        loops, runs = timeit_runs(lambda each: run_timed(each, clock, measured),
                                  int(options.get("-n", 0)), int(options.get("-r", 7)))
        result = TimeitResult(loops, runs, compile_time, int(options.get("-p", 3)))
        if "-q" not in options:
            timeit_report(result)
        if "-v" in options:
            scopes[0][options["-v"]] = result
        return result if "-o" in options else None


@calls.recorded
def timeit(arguments, *scopes):
    return timeit_cell.with_names(arguments, None, *scopes)
