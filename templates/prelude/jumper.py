# requires: quiet rank options
# All functions here are quiet: they run between the user's cells, and at the script's end.
class _nbscorep_jumper:
    """What the magics of the JUmPER extension know; moments are nanoseconds of CLOCK_MONOTONIC."""
    name = "script"  # of the file of samples
    sources = {}  # of the notebook's cells, by their numbers
    loader = 0  # the cell that loads the extension: those behind it have an index, from 0
    ran = []  # the cells that have an index, as they began
    cell = None  # that runs
    program = None  # nbscorep, where it was found
    missing = False  # it was looked for, and is not there
    sampler = pid = None  # its process, and that of the script
    starts = 0
    path = began = interval = None  # the file of samples, of the sampler that runs or ran last
    first = 0  # index of the first cell in there
    behind = []  # functions that are called behind each cell


@_nbscorep_quiet
def _nbscorep_cells_are(name, loader, sources):
    """What the script knows of the notebook that it was."""
    state = _nbscorep_jumper
    state.name, state.loader, state.sources = name, loader, sources


@_nbscorep_quiet
def _nbscorep_cell_begins(number):
    import time
    state = _nbscorep_jumper
    cell = {"number": number, "end": None, "begin_time": time.time()}
    if number > state.loader:
        cell["index"] = len(state.ran)
        state.ran.append(cell)
        _nbscorep_tell_sampler(f"begin {number} {time.monotonic_ns()}")
    cell["begin"] = time.monotonic_ns()
    state.cell = cell


@_nbscorep_quiet
def _nbscorep_cell_ends(number, how="done"):
    import time
    state = _nbscorep_jumper
    cell, state.cell = state.cell, None
    if cell is None:
        return
    cell["end"], cell["end_time"] = time.monotonic_ns(), time.time()
    if "index" in cell:
        _nbscorep_tell_sampler(f"end {number} {cell['end']} {how}")
    for function in state.behind:
        function(cell)


@_nbscorep_quiet
def _nbscorep_note(text):
    import sys
    print(f"nbscorep: {text}", file=sys.stderr, flush=True)


@_nbscorep_quiet
def _nbscorep_find_program():
    """nbscorep on this node, or None, which is said once."""
    import os
    import shutil
    state = _nbscorep_jumper
    if state.program is None and not state.missing:
        state.program = shutil.which(os.environ.get("NBSCOREP") or "nbscorep")
        state.missing = state.program is None
        if state.missing:
            _nbscorep_note("nbscorep is not on this node (PATH, NBSCOREP): "
                           "performance is not monitored")
    return state.program


@_nbscorep_quiet
def _nbscorep_tell_sampler(*lines):
    """Tells LINES, and waits until the sampler has read the script and written all."""
    import os
    state = _nbscorep_jumper
    if state.sampler is None or state.pid != os.getpid():
        return
    if not _nbscorep_ask_sampler(*lines, "sync"):
        _nbscorep_end_sampler()
        _nbscorep_note("the sampler is gone: performance is no longer monitored")


@_nbscorep_quiet
def _nbscorep_ask_sampler(*lines):
    """What it answers, nothing when it has ended, or does not answer."""
    import os
    import select
    sampler = _nbscorep_jumper.sampler
    try:
        sampler.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        sampler.stdin.flush()
        answered = select.poll()
        answered.register(sampler.stdout, select.POLLIN)
        return os.read(sampler.stdout.fileno(), 64) if answered.poll(30000) else b""
    except OSError:
        return b""


@_nbscorep_quiet
def _nbscorep_end_sampler():
    """Waits for its end. A process that the script has forked may hold its input open."""
    state = _nbscorep_jumper
    while _nbscorep_ask_sampler("quit"):
        pass
    for stream in state.sampler.stdin, state.sampler.stdout:
        try:
            stream.close()
        except OSError:
            pass
    state.sampler = None


@_nbscorep_quiet
def _nbscorep_samples_path():
    """Another file at each start, and in each job of Slurm; `run --monitor` has its own."""
    import os
    state = _nbscorep_jumper
    state.starts += 1
    parts = [f"{state.name}_monitor" + (f"-{state.starts}" if state.starts > 1 else "")]
    if os.environ.get("SLURM_JOB_ID"):
        parts.append(os.environ["SLURM_JOB_ID"])
    return os.path.abspath(".".join([*parts, "samples"]))


@_nbscorep_quiet
def _nbscorep_program_environment():
    """What is preloaded is the script's."""
    import os
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


@_nbscorep_quiet
def _nbscorep_titles():
    """A line for each cell: the first of its text that says something."""
    for number, source in _nbscorep_jumper.sources.items():
        lines = [line.strip() for line in source.splitlines() if line.strip()]
        title = next((line for line in lines if not line.startswith("%")), lines[0])
        yield f"title {number} {title[:72]}"


@_nbscorep_quiet
def _nbscorep_start_sampler(interval):
    """Samples every INTERVAL seconds from now on; false where nothing can."""
    import atexit
    import os
    import subprocess
    import time
    state = _nbscorep_jumper
    program = _nbscorep_find_program()
    if program is None:
        return False
    state.path, state.pid, state.interval = _nbscorep_samples_path(), os.getpid(), interval
    command = [program, "monitor", "--quiet", "--attach", str(state.pid), "--marks",
               "--output", state.path, "--interval", f"{max(interval, .001):.9f}"]
    # No child of the script's, which may wait for all that it has.
    state.sampler = subprocess.Popen(
        ["/bin/sh", "-c", 'exec 3<&0; "$@" <&3 3<&- &', "sh", *command], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, start_new_session=True, env=_nbscorep_program_environment())
    state.sampler.wait()
    lines = list(_nbscorep_titles())
    state.first = len(state.ran)
    if state.cell is not None and "index" in state.cell:
        state.first = state.cell["index"]
        lines.append(f"begin {state.cell['number']} {time.monotonic_ns()}")
    _nbscorep_tell_sampler(*lines)
    state.began = time.monotonic_ns()
    atexit.unregister(_nbscorep_end_cells)
    atexit.register(_nbscorep_end_cells)
    return state.sampler is not None


@_nbscorep_quiet
def _nbscorep_end_cells():
    """At the script's end: the cell that runs is one that was left."""
    with scorep.instrumenter.disable():
        import os
        import sys
        state = _nbscorep_jumper
        if state.pid != os.getpid():
            return
        state.behind = []
        failed = getattr(sys, "last_value", None) is not None
        if state.cell is not None:
            _nbscorep_cell_ends(state.cell["number"], "failed" if failed else "exited")
        if state.sampler is not None:
            _nbscorep_end_sampler()


@_nbscorep_quiet
def _nbscorep_jumper_words(name, line, scopes, /, **arguments):
    """The arguments of the magic NAME, or None, and why is printed, where they are wrong. The first
    rank is the only one that does something, and of the processes of multiprocessing the first."""
    import shlex
    if _nbscorep_rank() > 0 or _nbscorep_globals.get("__name__") == "__mp_main__":
        return None
    parser = _nbscorep_parser(name)
    for argument, default in arguments.items():
        if argument == "words":
            parser.add_argument("words", nargs="*")
        elif isinstance(default, bool):
            parser.add_argument(f"--{argument}", action="store_true")
        else:
            parser.add_argument("--" + argument.replace("_", "-"), default=default)
    try:
        words = shlex.split(_nbscorep_expand(line, *scopes), comments=True)
        return parser.parse_args(words)
    except (_nbscorep_usage_error, ValueError) as problem:
        print(f"%{name}: {problem}")


@_nbscorep_quiet
def _nbscorep_interval(text):
    """Seconds, or None: this is none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if 0 < seconds < float("inf"):
        return seconds
    print(f"Invalid interval value: {text}")


@_nbscorep_quiet
def _nbscorep_begin_monitoring(interval):
    import os
    state = _nbscorep_jumper
    if state.sampler is not None:
        print("Performance monitoring already running")
    elif _nbscorep_start_sampler(interval):
        print(f"Performance monitoring started (PID: {os.getpid()}, Interval: {interval}s)")


@_nbscorep_quiet
def _nbscorep_perfmonitor_start(text, *scopes):
    """%perfmonitor_start [SECONDS]"""
    asked = _nbscorep_jumper_words("perfmonitor_start", text, scopes, words=())
    if asked is not None:
        interval = _nbscorep_interval(asked.words[0] if asked.words else "1.0")
        if interval is not None:
            _nbscorep_begin_monitoring(interval)
