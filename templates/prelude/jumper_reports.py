# requires: jumper
class _nbscorep_reports:
    """The reports behind cells."""
    options = None  # None: there are none


@_nbscorep_quiet
def _nbscorep_indexes(text):
    """The cells that JUmPER's range means, as nbscorep numbers them; None: it is no such range."""
    import re
    state = _nbscorep_jumper
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


@_nbscorep_quiet
def _nbscorep_problem(text, options):
    """What is printed where `nbscorep report` with OPTIONS says TEXT."""
    if "--cell" in options and "no cell of " in text:
        return "No performance data available: these cells were not sampled"
    lines = [line for line in text.splitlines() if not line.startswith("try 'nbscorep")]
    return "\n".join(lines).replace("nbscorep: ", "") or "No performance data available"


@_nbscorep_quiet
def _nbscorep_run_apart(command, given):
    """Whether COMMAND ended well, what it printed, and its errors; GIVEN is its standard input. It
    is no child of the script's, whose use would be the script's."""
    import subprocess
    apart = 'exec 3<&0; { "$@" <&3 3<&-; printf "\\0%d" "$?"; } &'
    done = subprocess.run(["/bin/sh", "-c", apart, "sh", *command], input=given,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=_nbscorep_program_environment())
    out, _, status = done.stdout.rpartition(b"\0")
    return status == b"0", out.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@_nbscorep_quiet
def _nbscorep_run_report(form, level, *options, session=None):
    """What `nbscorep report` says of the samples so far, or of those of SESSION, which was
    imported, at LEVEL, or the first one that it has: None and why, or its text and nothing."""
    state = _nbscorep_jumper
    source = session or state
    if source.path is None:
        return None, "" if state.missing else "No active performance monitoring session"
    program = _nbscorep_find_program()
    if program is None:
        return None, ""
    _nbscorep_tell_sampler(sync="sync all")
    if source.first > 0:
        options += "--first-index", str(source.first)
    if level is not None:
        options += "--level", level
    command = [program, "report", "--format", form, *options, "--", source.path]
    try:
        good, text, told = _nbscorep_run_apart(command, source.samples)
    except OSError as error:
        return None, f"No report: {error}"
    return (text, "") if good else (None, _nbscorep_problem(told, options))


@_nbscorep_quiet
def _nbscorep_report(form, level, *options):
    """The same of the session that was imported last, else of the own; None: why is printed."""
    text, problem = _nbscorep_run_report(form, level, *options, session=_nbscorep_jumper.imported)
    if problem:
        _nbscorep_say(problem)
    return text


@_nbscorep_quiet
def _nbscorep_sampled(session=None):
    """What the samples' file says of the node and of how it was sampled."""
    import json
    text, _ = _nbscorep_run_report("json", None, session=session)
    return {} if text is None else json.loads(text)["nodes"][0]


@_nbscorep_quiet
def _nbscorep_perfmonitor_stop(text, *scopes):
    """%perfmonitor_stop"""
    import time
    state = _nbscorep_jumper
    if _nbscorep_jumper_words("perfmonitor_stop", text, scopes) is None or state.missing:
        return
    if state.sampler is None:
        _nbscorep_say("No active performance monitoring session")
        return
    if state.cell is not None and "index" in state.cell:
        _nbscorep_tell_sampler(
            _nbscorep_mark("end", state.cell["number"], time.monotonic_ns(), "done"))
    seconds = (time.monotonic_ns() - state.began) / 1e9
    if state.sampler is not None:
        _nbscorep_end_sampler()
    _nbscorep_say(f"Performance monitoring stopped (ran for {seconds:.2f} seconds)")
    samples = _nbscorep_sampled().get("samples", {})
    if samples.get("missed"):
        _nbscorep_say(f"Missed samples: {samples['missed']} of {samples['due']} "
                      f"({100 * samples['missed'] / samples['due']:.2f}%)")


@_nbscorep_quiet
def _nbscorep_report_options(asked):
    """The range of cells that was ASKED for as options, or None, which is said."""
    if asked.cell is None or asked.cell.strip() == ":":
        return []
    cells = _nbscorep_indexes(asked.cell)
    if cells is not None:
        return ["--cell", cells]
    _nbscorep_say(f"Invalid cell range format: {asked.cell}")


@_nbscorep_quiet
def _nbscorep_perfreport(text, *scopes):
    """%perfmonitor_perfreport [--cell RANGE] [--level LEVEL] [--text]"""
    asked = _nbscorep_jumper_words("perfmonitor_perfreport", text, scopes, cell=None,
                                   level="process", text=False)
    options = None if asked is None else _nbscorep_report_options(asked)
    if options is not None:
        report = _nbscorep_report("text", asked.level, *options)
        if report is not None:
            _nbscorep_say(report.rstrip("\n"))


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
    wanted = (state.sampler is not None and "index" in cell
              and _nbscorep_is_heard("perfmonitor_perfreport"))
    if wanted and _nbscorep_has_code(state.sources.get(cell["number"], "")):
        report, problem = _nbscorep_run_report("text", _nbscorep_reports.options, "--cell",
                                               str(cell["number"]))
        _nbscorep_say(problem if report is None else report.rpartition("\n\n")[0] or report)


@_nbscorep_quiet
def _nbscorep_enable_reports(interval, level):
    state = _nbscorep_jumper
    if state.sampler is None:
        _nbscorep_begin_monitoring(interval)
    _nbscorep_reports.options = level
    if state.sampler is not None:
        state.behind = [_nbscorep_report_behind]
        _nbscorep_say("Performance reports enabled for each cell")


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
        _nbscorep_say("Performance reports disabled")


@_nbscorep_quiet
def _nbscorep_perfmonitor_setup(text, *scopes):
    """%perfmonitor_fast_setup"""
    if _nbscorep_jumper_words("perfmonitor_fast_setup", text, scopes) is not None:
        _nbscorep_enable_reports(1.0, "process")
