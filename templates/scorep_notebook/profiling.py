"""%prun: the profiler of Python."""
import cProfile
import io
import pathlib
import pstats

from . import calls
from .magic_arguments import as_python, merged_names, number_or_text, statement_options


def prun_report(stats, limits):
    """The report of pstats as text."""
    shown, stats.stream = stats.stream, io.StringIO()
    try:
        stats.print_stats(*map(number_or_text, limits))
        return stats.stream.getvalue().rstrip()
    finally:
        stats.stream = shown


def prun_save(name, what, write, stopped):
    """Writes a file and prints its name."""
    write(name)
    print(f"\n*** {what} file {name!r}.{stopped}")


@calls.unrecorded
def prun_cell(arguments, body, *scopes):
    """%%prun: the profiler replaces Score-P's instrumenter for this code."""
    options, statement = statement_options(arguments, "D:l:rs:T:q")
    given = {key: [value for name, value in options if name == key] for key, _ in options}
    profile = cProfile.Profile()
    code = as_python(f"{statement}\n{body}", scopes[0])
    names = merged_names(*scopes)
    stopped = ""
    try:
        profile.runctx(code, names, names)
    except SystemExit:
        stopped = "*** SystemExit exception caught in code being profiled."
    stats = pstats.Stats(profile).strip_dirs().sort_stats(*given.get("-s", ["time"]))
    report = prun_report(stats, given.get("-l", []))
    if "-q" not in given:
        print(report)
    print(stopped, end=" ")
    if "-D" in given:
        prun_save(given["-D"][0], "Profile stats marshalled to",
                  profile.dump_stats, stopped)
    if "-T" in given:
        prun_save(given["-T"][0], "Profile printout saved to text", lambda name:
                  pathlib.Path(name).write_text(report, "utf-8"), stopped)
    return stats if "-r" in given else None


@calls.unrecorded
def prun(arguments, *scopes):
    return prun_cell.with_names(arguments, "", *scopes)
