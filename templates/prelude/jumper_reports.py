# requires: jumper
class _nbscorep_reports:
    """The reports behind cells."""
    options = None  # None: there are none
    plots = 0


@_nbscorep_quiet
def _nbscorep_indexes(text):
    """The cells that JUmPER's range means, as nbscorep numbers them; None: it is no such range."""
    import re
    ran = _nbscorep_jumper.ran
    found = re.fullmatch(r"(\d*)(:?)(\d*)", text)
    if found is None or not text:
        return None
    first = int(found[1] or 0)
    last = int(found[3] or len(ran) - 1) if found[2] else first
    if not first <= last < len(ran):
        return None
    return f"{ran[first]['number']}:{ran[last]['number']}"


@_nbscorep_quiet
def _nbscorep_run_report(form, level, *options):
    """What `nbscorep report` says of the samples so far: None and why, or its text and nothing."""
    import subprocess
    state = _nbscorep_jumper
    if state.path is None:
        return None, "" if state.missing else "No active performance monitoring session"
    _nbscorep_tell_sampler()
    done = subprocess.run([state.program, "report", "--format", form, "--level", level, *options,
                           "--", state.path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=_nbscorep_program_environment())
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace"), ""
    return None, done.stderr.decode("utf-8", "replace").strip() or "No performance data available"


@_nbscorep_quiet
def _nbscorep_report(form, level, *options):
    """The same, or None; why is printed."""
    text, problem = _nbscorep_run_report(form, level, *options)
    if problem:
        print(problem)
    return text


@_nbscorep_quiet
def _nbscorep_sampled():
    """What the samples' file says of the node and of how it was sampled."""
    import json
    text, _ = _nbscorep_run_report("json", "process")
    return {} if text is None else json.loads(text)["nodes"][0]


@_nbscorep_quiet
def _nbscorep_perfmonitor_stop(text, *scopes):
    """%perfmonitor_stop"""
    import time
    state = _nbscorep_jumper
    if _nbscorep_jumper_words("perfmonitor_stop", text, scopes) is None or state.missing:
        return
    if state.sampler is None:
        print("No active performance monitoring session")
        return
    if state.cell is not None and "index" in state.cell:
        _nbscorep_tell_sampler(f"end {state.cell['number']} {time.monotonic_ns()} done")
    seconds = (time.monotonic_ns() - state.began) / 1e9
    if state.sampler is not None:
        _nbscorep_end_sampler()
    print(f"Performance monitoring stopped (ran for {seconds:.2f} seconds)")
    samples = _nbscorep_sampled().get("samples", {})
    if samples.get("missed"):
        print(f"Missed samples: {samples['missed']} of {samples['due']} "
              f"({100 * samples['missed'] / samples['due']:.2f}%)")


@_nbscorep_quiet
def _nbscorep_report_options(asked):
    """The range of cells that was ASKED for as options, or None, which is said."""
    if asked.cell is None or asked.cell.strip() == ":":
        return []
    cells = _nbscorep_indexes(asked.cell)
    if cells is not None:
        return ["--cell", cells]
    print(f"Invalid cell range format: {asked.cell}")


@_nbscorep_quiet
def _nbscorep_perfreport(text, *scopes):
    """%perfmonitor_perfreport [--cell RANGE] [--level LEVEL] [--text]"""
    asked = _nbscorep_jumper_words("perfmonitor_perfreport", text, scopes, cell=None,
                                   level="process", text=False)
    options = None if asked is None else _nbscorep_report_options(asked)
    if options is not None:
        report = _nbscorep_report("text", asked.level, *options)
        if report is not None:
            print(report, end="")


@_nbscorep_quiet
def _nbscorep_has_code(source):
    """Is it more than line magics?"""
    lines = [line.strip() for line in source.splitlines()]
    return any(line and not line.startswith(("%", "#")) or line.startswith("%%")
               for line in lines)


@_nbscorep_quiet
def _nbscorep_report_behind(cell):
    """The report that JUmPER shows behind a cell; the node and the sampler are the same for all."""
    state = _nbscorep_jumper
    level = _nbscorep_reports.options
    wanted = state.sampler is not None and "index" in cell
    if wanted and _nbscorep_has_code(state.sources.get(cell["number"], "")):
        report = _nbscorep_report("text", level, "--cell", str(cell["number"]))
        if report is not None:
            print(report.rpartition("\n\n")[0] or report, flush=True)


@_nbscorep_quiet
def _nbscorep_enable_reports(interval, level):
    state = _nbscorep_jumper
    if state.sampler is None:
        _nbscorep_begin_monitoring(interval)
    _nbscorep_reports.options = level
    if state.sampler is not None:
        state.behind = [_nbscorep_report_behind]
        print("Performance reports enabled for each cell")


@_nbscorep_quiet
def _nbscorep_enable_perfreports(text, *scopes):
    """%perfmonitor_enable_perfreports [--level LEVEL] [--interval SECONDS] [--text]"""
    asked = _nbscorep_jumper_words("perfmonitor_enable_perfreports", text, scopes,
                                   level="process", interval="1.0", text=False)
    interval = None if asked is None else _nbscorep_interval(asked.interval)
    if interval is not None:
        _nbscorep_enable_reports(interval, asked.level)


@_nbscorep_quiet
def _nbscorep_disable_perfreports(text, *scopes):
    """%perfmonitor_disable_perfreports"""
    if _nbscorep_jumper_words("perfmonitor_disable_perfreports", text, scopes) is not None:
        _nbscorep_jumper.behind = []
        print("Performance reports disabled")


@_nbscorep_quiet
def _nbscorep_perfmonitor_setup(text, *scopes):
    """%perfmonitor_fast_setup"""
    if _nbscorep_jumper_words("perfmonitor_fast_setup", text, scopes) is not None:
        _nbscorep_enable_reports(1.0, "process")


@_nbscorep_quiet
def _nbscorep_perfmonitor_plot(text, *scopes):
    """%perfmonitor_plot ...: all metrics that were sampled, in a file"""
    import os
    state = _nbscorep_jumper
    asked = _nbscorep_jumper_words("perfmonitor_plot", text, scopes, metrics=None, cell=None,
                                   level="process", save_jpeg=None, pickle=None, backend=None)
    options = None if asked is None else _nbscorep_report_options(asked)
    if options is None:
        return
    _nbscorep_reports.plots += 1
    name = f"{state.name}_plot-{_nbscorep_reports.plots}.svg"
    instead = [f"in place of {each}" for each in (asked.save_jpeg, asked.pickle) if each]
    if asked.metrics:
        instead.insert(0, "all metrics")
    if _nbscorep_report("svg", asked.level, *options, "--output", os.path.abspath(name)) is None:
        return
    print(f"Performance plot: {name}" + (f" ({', '.join(instead)})" if instead else ""))
