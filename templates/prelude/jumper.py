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
    process = __import__("os").getpid()  # the script's, not what it forks
    sampler = None
    starts = 0
    results = ""  # the folder of the set of a sweep
    path = began = interval = None  # the file of samples, of the sampler that runs or ran last
    first = 0  # index of the first cell in there
    samples = b""  # standard input of who reports on that
    children = 0  # bytes: the most that one of them held before sampling began
    imported = None  # the session that was imported last, since sampling began
    behind = []  # functions that are called behind each cell


@_nbscorep_quiet
def _nbscorep_cells_are(name, loader, sources):
    """What the script knows of the notebook that it was, and of its folder."""
    import os
    state = _nbscorep_jumper
    given = os.environ.get("NBSCOREP_RESULTS", "")
    state.results = given and os.path.abspath(given)
    state.name, state.loader, state.sources = name, loader, sources


@_nbscorep_quiet
def _nbscorep_cell_begins(number):
    import time
    state = _nbscorep_jumper
    cell = {"number": number, "end": None, "begin_time": time.time()}
    if number > state.loader:
        cell["index"] = len(state.ran)
        state.ran.append(cell)
        _nbscorep_tell_sampler(_nbscorep_mark("begin", number, time.monotonic_ns()))
    cell["begin"] = time.monotonic_ns()
    state.cell = cell
    scorep.instrumenter.nbscorep_cell_failed = False


@_nbscorep_quiet
def _nbscorep_cell_ends(number, how=None):
    """The error of a cell that may raise one does not end the script."""
    import time
    state = _nbscorep_jumper
    cell, state.cell = state.cell, None
    if cell is None:
        return
    cell["end"], cell["end_time"] = time.monotonic_ns(), time.time()
    failed = vars(scorep.instrumenter).get("nbscorep_cell_failed")
    if "index" in cell:
        how = how or ("failed" if failed else "done")
        _nbscorep_tell_sampler(_nbscorep_mark("end", number, cell["end"], how))
    for function in state.behind:
        function(cell)


@_nbscorep_quiet
def _nbscorep_children():
    """Bytes: the most that a child held that has ended."""
    import resource
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


@_nbscorep_quiet
def _nbscorep_memory():
    """This process, its resident memory and the most until now, in bytes."""
    try:
        with open("/proc/self/status", "rb") as status:
            words = status.read(4096).split()
        return [_nbscorep_jumper.process, *(1024 * int(words[words.index(name) + 1])
                                            for name in (b"VmRSS:", b"VmHWM:"))]
    except (OSError, ValueError):
        return []


@_nbscorep_quiet
def _nbscorep_mark(*words):
    """A line for the sampler, which does not see what lives between two samples."""
    children = _nbscorep_children()
    return " ".join(map(str, [*words, children if children > _nbscorep_jumper.children else 0,
                              *_nbscorep_memory()]))


@_nbscorep_quiet
def _nbscorep_note(text):
    import sys
    print(f"nbscorep: {text}", file=sys.stderr, flush=True)


@_nbscorep_quiet
def _nbscorep_say(text):
    """Prints TEXT, with what characters standard output has; of several ranks the first one."""
    import sys
    if _nbscorep_rank() > 0:
        return
    try:
        print(text, flush=True)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        print(text.encode(encoding, "replace").decode(encoding), flush=True)


_nbscorep_launchers = (  # they tell the rank on the node, how many are there, and on all nodes
    ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE"),
    ("MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE"),
    ("PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "PMI_SIZE"))


@_nbscorep_quiet
def _nbscorep_node():
    """This process's rank among those of its node, or None; and where there may be several nodes
    what its own is called."""
    import os
    known = os.environ.get
    for rank, here, everywhere in _nbscorep_launchers:
        if known(rank, "").isdecimal():
            alone = known(here) is not None and known(here) == known(everywhere)
            return int(known(rank)), "" if alone else os.uname().nodename
    if "SLURM_STEP_ID" in os.environ and known("SLURM_LOCALID", "").isdecimal():
        alone = known("SLURM_STEP_NUM_NODES") == "1"
        return int(known("SLURM_LOCALID")), "" if alone else known("SLURM_NODEID", "")
    return None, ""


@_nbscorep_quiet
def _nbscorep_is_heard(name):
    """Does this process do what the magic NAME asks for? All ranks come here, and what the script
    forks, and the processes of multiprocessing."""
    import os
    if (_nbscorep_jumper.process != os.getpid()
            or _nbscorep_globals.get("__name__") == "__mp_main__"):
        return False
    samples = ("perfmonitor_start", "perfmonitor_stop", "perfmonitor_enable_perfreports",
               "perfmonitor_fast_setup")
    here, _ = _nbscorep_node()
    if name in samples and here is not None:
        return here == 0  # the first one on a node samples, for all on it
    return _nbscorep_rank() == 0


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
def _nbscorep_tell_sampler(*lines, sync="sync"):
    """Tells LINES, and waits until the sampler has read the script and written all."""
    import os
    state = _nbscorep_jumper
    if state.sampler is None or state.process != os.getpid():
        return
    if not _nbscorep_ask_sampler(*lines, sync):
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
        # Another thread may wait for the next "done".
        return os.read(sampler.stdout.fileno(), 5) if answered.poll(30000) else b""
    except (OSError, ValueError):  # it has ended, or another thread ends it
        return b""


@_nbscorep_quiet
def _nbscorep_end_sampler():
    """Waits for its end. A process that the script has forked may hold its input open."""
    import os
    while _nbscorep_ask_sampler("quit"):
        pass
    os.environ.pop("NBSCOREP_SAMPLED", None)
    sampler, _nbscorep_jumper.sampler = _nbscorep_jumper.sampler, None
    for stream in (sampler.stdin, sampler.stdout) if sampler is not None else ():
        try:
            stream.close()
        except OSError:
            pass


@_nbscorep_quiet
def _nbscorep_result(name):
    """Where the file NAME goes: each set of a sweep has a folder of its own."""
    import os
    if _nbscorep_jumper.results:
        os.makedirs(_nbscorep_jumper.results, exist_ok=True)
    return os.path.abspath(os.path.join(_nbscorep_jumper.results, name))


@_nbscorep_quiet
def _nbscorep_samples_path():
    """Another file at each start, in each job of Slurm, and on each node; `run --monitor` has its
    own."""
    import os
    state = _nbscorep_jumper
    state.starts += 1
    parts = [f"{state.name}_monitor" + (f"-{state.starts}" if state.starts > 1 else "")]
    if os.environ.get("SLURM_JOB_ID"):
        parts.append(os.environ["SLURM_JOB_ID"])
    parts += filter(None, [_nbscorep_node()[1]])
    return _nbscorep_result(".".join([*parts, "samples"]))


@_nbscorep_quiet
def _nbscorep_program_environment():
    """Without what is preloaded for the script; the sampler leaves the program out."""
    import os
    return {**{name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
            "NBSCOREP_SAMPLED": "0"}


@_nbscorep_quiet
def _nbscorep_titles():
    """A line for each cell: the first of its text that says something."""
    for number, source in _nbscorep_jumper.sources.items():
        lines = [line.strip() for line in source.splitlines() if line.strip()] or [""]
        title = next((line for line in lines if not line.startswith("%")), lines[0])
        yield f"title {number} {title[:72]}"


@_nbscorep_quiet
def _nbscorep_spawn_sampler(program, path, interval):
    """Its process. It is no child of the script's, which may wait for all that it has."""
    import subprocess
    command = [program, "monitor", "--quiet", "--attach", str(_nbscorep_jumper.process), "--marks",
               "--output", path, "--interval", f"{min(max(interval, .001), 1e6):.9f}"]
    try:
        sampler = subprocess.Popen(
            ["/bin/sh", "-c", 'exec 3<&0; "$@" <&3 3<&- &', "sh", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env=_nbscorep_program_environment())
    except OSError as error:
        _nbscorep_note(f"cannot start the sampler: {error}")
        return None
    sampler.wait()
    return sampler


@_nbscorep_quiet
def _nbscorep_start_sampler(interval):
    """Samples every INTERVAL seconds from now on; false where nothing can."""
    import atexit
    import os
    import time
    state = _nbscorep_jumper
    program = _nbscorep_find_program()
    if program is None:
        return False
    path = _nbscorep_samples_path()
    state.children = _nbscorep_children()
    state.sampler = _nbscorep_spawn_sampler(program, path, interval)
    lines = list(_nbscorep_titles())
    first = len(state.ran)
    if state.cell is not None and "index" in state.cell:
        first = state.cell["index"]
        lines.append(_nbscorep_mark("begin", state.cell["number"], time.monotonic_ns()))
    _nbscorep_tell_sampler(*lines)
    if state.sampler is None:
        return False
    os.environ["NBSCOREP_SAMPLED"] = str(state.process)
    state.path, state.interval, state.first, state.imported = path, interval, first, None
    state.began = time.monotonic_ns()
    atexit.unregister(_nbscorep_end_cells)
    atexit.register(_nbscorep_end_cells)
    return True


@_nbscorep_quiet
def _nbscorep_end_cells():
    """At the script's end: the cell that runs is one that was left."""
    with scorep.instrumenter.disable():
        import os
        import sys
        state = _nbscorep_jumper
        if state.process != os.getpid():
            return
        failed = getattr(sys, "last_value", None) is not None
        if state.cell is not None:
            _nbscorep_cell_ends(state.cell["number"], "failed" if failed else "exited")
        if state.sampler is not None:
            _nbscorep_end_sampler()


@_nbscorep_quiet
def _nbscorep_words_before_comment(text):
    import shlex
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = []
    for word in lexer:
        if word.startswith("#"):
            break
        below = word[:1] == "-" and word[1:2].isdecimal()
        if below and words[-1:] == ["--cell"]:  # argparse takes -3:-1 for an option
            word = f"{words.pop()}={word}"
        words.append(word)
    return words


@_nbscorep_quiet
def _nbscorep_add_argument(parser, argument, default):
    option = "--" + argument.replace("_", "-")
    if argument == "words":
        parser.add_argument("words", nargs="*")
    elif isinstance(default, bool):
        parser.add_argument(option, action="store_true")
    elif isinstance(default, tuple):
        parser.add_argument(option, nargs="*")
    else:
        parser.add_argument(option, default=default)


@_nbscorep_quiet
def _nbscorep_check_level(asked):
    """Raises what is wrong with the level that was ASKED for."""
    import os
    session = None if hasattr(asked, "interval") else _nbscorep_jumper.imported
    in_job = "SLURM_JOB_ID" in os.environ or getattr(session, "in_job", False)
    levels = ["process", "user", "system"] + ["slurm"] * in_job
    level = getattr(asked, "level", levels[0])
    if level not in levels:
        raise ValueError(f"Invalid level: {level}. Available levels: {', '.join(levels)}")


@_nbscorep_quiet
def _nbscorep_jumper_words(name, line, scopes, /, **arguments):
    """The arguments of the magic NAME, or None where it is not for this process, or where they are
    wrong, and why is printed."""
    if not _nbscorep_is_heard(name):
        return None
    parser = _nbscorep_parser(name)
    for argument, default in arguments.items():
        _nbscorep_add_argument(parser, argument, default)
    try:
        words = _nbscorep_words_before_comment(_nbscorep_expand(line, *scopes))
        asked = parser.parse_intermixed_args(words)
        _nbscorep_check_level(asked)
        return asked
    except (_nbscorep_usage_error, ValueError) as problem:
        _nbscorep_say(f"%{name}: {problem}")


@_nbscorep_quiet
def _nbscorep_interval(text):
    """Seconds, or None: this is none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if 0 < seconds < float("inf"):
        return seconds
    _nbscorep_say(f"Invalid interval value: {text}")


@_nbscorep_quiet
def _nbscorep_begin_monitoring(interval):
    import os
    state = _nbscorep_jumper
    if state.sampler is not None:
        state.imported = None
        _nbscorep_say("Performance monitoring already running")
    elif _nbscorep_start_sampler(interval):
        _nbscorep_say("Performance monitoring started "
                      f"(PID: {os.getpid()}, Interval: {interval}s)")


@_nbscorep_quiet
def _nbscorep_perfmonitor_start(text, *scopes):
    """%perfmonitor_start [SECONDS] [--monitor TYPE] [--check-sanity]: there is one type"""
    asked = _nbscorep_jumper_words("perfmonitor_start", text, scopes, words=(), monitor=None,
                                   check_sanity=False)
    if asked is not None:
        interval = _nbscorep_interval(asked.words[0] if asked.words else "1.0")
        if interval is not None:
            _nbscorep_begin_monitoring(interval)
