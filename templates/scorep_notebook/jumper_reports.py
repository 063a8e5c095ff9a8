"""Reports of JUmPER, on demand and after each cell."""
import json
import re
import subprocess
import time

from .jumper import (begin_monitoring, end_sampler, find_nbscorep, is_heard, jumper_magic, mark,
                     read_interval, say, state, tell_sampler)
from .running import program_environment


def indexes(text):
    """JUmPER's range of cells TEXT as a range of nbscorep's numbers, or None if it is invalid."""
    if state.imported is None:
        numbers = [cell["number"] for cell in state.ran]
        done = sum(cell["end"] is not None for cell in state.ran)
    else:
        numbers = state.imported.numbers
        done = len(numbers)
    found = re.fullmatch(r"(-?[0-9]{1,9})?(?:(:)(-?[0-9]{1,9})?)?", text)
    if found is None or not text:
        return None
    first = int(found[1] or 0)
    last = int(found[3] or len(numbers) - 1) if found[2] else first
    first, last = (each + done if each < 0 else each for each in (first, last))
    if not 0 <= first <= last < len(numbers):
        return None
    return f"{numbers[first]}:{numbers[last]}"


def problem(text, options):
    """The message for TEXT, the errors of `nbscorep report` with OPTIONS."""
    if "--cell" in options and "no cell of " in text:
        return "No performance data available: these cells were not sampled"
    lines = [line for line in text.splitlines() if not line.startswith("try 'nbscorep")]
    return "\n".join(lines).replace("nbscorep: ", "") or "No performance data available"


def run_apart(command, given):
    """Runs COMMAND with the standard input GIVEN. Returns True on success, its output, and its errors. It is
    not a child of the script, so its usage is not attributed to the script."""
    apart = 'exec 3<&0; { "$@" <&3 3<&-; printf "\\0%d" "$?"; } &'
    done = subprocess.run(["/bin/sh", "-c", apart, "sh", *command], input=given,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=program_environment())
    out, _, status = done.stdout.rpartition(b"\0")
    return status == b"0", out.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def run_report(form, level, *options, session=None):
    """Runs `nbscorep report` on the current samples, or on those of the imported SESSION, at LEVEL or the
    first level available. Returns its output and "", or None and a message."""
    source = session or state
    if source.path is None:
        return None, "" if state.missing else "No active performance monitoring session"
    program = find_nbscorep()
    if program is None:
        return None, ""
    tell_sampler(sync="sync all")
    if source.first > 0:
        options += "--first-index", str(source.first)
    if level is not None:
        options += "--level", level
    command = [program, "report", "--format", form, *options, "--", source.path]
    try:
        good, text, messages = run_apart(command, source.samples)
    except OSError as error:
        return None, f"No report: {error}"
    return (text, "") if good else (None, problem(messages, options))


def report_of(form, level, *options):
    """The report on the last imported session, or else on the current samples. Prints a message and returns
    None if that fails."""
    text, problem = run_report(form, level, *options, session=state.imported)
    if problem:
        say(problem)
    return text


def sampled_state(session=None):
    """The data about the node and the sampling in the file of samples."""
    text, _ = run_report("json", None, session=session)
    return {} if text is None else json.loads(text)["nodes"][0]


@jumper_magic()
def perfmonitor_stop(asked, names):
    if state.missing:
        return
    if state.sampler is None:
        say("No active performance monitoring session")
        return
    if state.cell is not None and "index" in state.cell:
        tell_sampler(
            mark("end", state.cell["number"], time.monotonic_ns(), "done"))
    seconds = (time.monotonic_ns() - state.began) / 1e9
    if state.sampler is not None:
        end_sampler()
    say(f"Performance monitoring stopped (ran for {seconds:.2f} seconds)")
    samples = sampled_state().get("samples", {})
    if samples.get("missed"):
        say(f"Missed samples: {samples['missed']} of {samples['due']} "
            f"({100 * samples['missed'] / samples['due']:.2f}%)")


def report_options(asked):
    """The range of cells in the arguments ASKED as options. Prints a message and returns None if it is
    invalid."""
    if asked.cell is None or asked.cell.strip() == ":":
        return []
    cells = indexes(asked.cell)
    if cells is not None:
        return ["--cell", cells]
    say(f"Invalid cell range format: {asked.cell}")


@jumper_magic(cell=None, level="process", text=False)
def perfmonitor_perfreport(asked, names):
    """%perfmonitor_perfreport [--cell RANGE] [--level LEVEL] [--text]"""
    options = report_options(asked)
    if options is not None:
        report = report_of("text", asked.level, *options)
        if report is not None:
            say(report.rstrip("\n"))


def has_code(source):
    """True if SOURCE has more than line magics and comments."""
    lines = [line.strip() for line in source.splitlines()]
    return any(line and not line.startswith(("%", "#")) or line.startswith("%%")
               for line in lines)


def report_after(cell):
    """Prints the report that JUmPER shows after a cell, without the part that is the same for all cells."""
    wanted = (state.sampler is not None and "index" in cell
              and is_heard("perfmonitor_perfreport"))
    if wanted and has_code(state.sources.get(cell["number"], "")):
        report, problem = run_report("text", state.report_level, "--cell", str(cell["number"]))
        say(problem if report is None else report.rpartition("\n\n")[0] or report)


def enable_reports(interval, level):
    if state.sampler is None:
        begin_monitoring(interval)
    state.report_level = level
    if state.sampler is not None:
        state.after_cell = [report_after]
        say("Performance reports enabled for each cell")


@jumper_magic(level="process", interval="1.0", text=False)
def perfmonitor_enable_perfreports(asked, names):
    """%perfmonitor_enable_perfreports [--level LEVEL] [--interval SECONDS] [--text]"""
    interval = read_interval(asked.interval)
    if interval is not None:
        enable_reports(interval, asked.level)


@jumper_magic()
def perfmonitor_disable_perfreports(asked, names):
    state.after_cell = []
    say("Performance reports disabled")


@jumper_magic()
def perfmonitor_fast_setup(asked, names):
    enable_reports(1.0, "process")
