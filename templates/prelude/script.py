# requires: child expand options quiet
_nbscorep_background = []


@_nbscorep_apart
def _nbscorep_script(arguments, text, *scopes):
    """%%bash and its like: runs a program with TEXT as its input."""
    options, command = _nbscorep_script_options(_nbscorep_words(arguments, *scopes))
    if text == "":
        raise _nbscorep_usage_error("%%script is a cell magic, but the cell body is empty.")
    if not command:
        raise TypeError("%%script needs the name of a program")
    body = (text if text.endswith("\n") else text + "\n").encode(errors="replace")
    run = _nbscorep_script_behind if options.bg else _nbscorep_script_here
    try:
        run(options, command, body, scopes[0])
    except FileNotFoundError as problem:
        if problem.filename != command[0]:
            raise
        print(f"Couldn't find program: {command[0]!r}")


@_nbscorep_apart
def _nbscorep_script_options(words):
    """The options of %%script, and the program with its own arguments."""
    parser = _nbscorep_parser("%%script")
    parser.add_argument("--out")
    parser.add_argument("--err")
    parser.add_argument("--bg", action="store_true")
    parser.add_argument("--proc")
    parser.add_argument("--no-raise-error", action="store_true")
    return parser.parse_known_args(words)


@_nbscorep_apart
def _nbscorep_script_input(body):
    """A file with BODY in it: a program may be slow to read it, or end before."""
    import tempfile
    file = tempfile.TemporaryFile()
    file.write(body)
    file.seek(0)
    return file


@_nbscorep_apart
def _nbscorep_script_here(options, command, body, names):
    """Runs a script, its output where ours goes or in the variables that OPTIONS name."""
    import subprocess
    targets = options.out, options.err
    kept = {name: [] for name in targets if name}
    sinks = [kept[name].append if name else sink
             for name, sink in zip(targets, _nbscorep_sinks())]
    with _nbscorep_script_input(body) as file:
        status = _nbscorep_wait(_nbscorep_child(command, sinks, file), sinks)
    names.update((name, "".join(parts)) for name, parts in kept.items())
    if status != 0 and not options.no_raise_error:
        raise subprocess.CalledProcessError(status, body)


@_nbscorep_apart
def _nbscorep_script_behind(options, command, body, names):
    """Starts a script in the background; its output goes to the names in OPTIONS or nowhere."""
    import subprocess
    with _nbscorep_script_input(body) as file:
        process = subprocess.Popen(
            command, stdin=file,
            stdout=subprocess.PIPE if options.out or options.proc else subprocess.DEVNULL,
            stderr=subprocess.PIPE if options.err or options.proc else subprocess.DEVNULL)
    if not _nbscorep_background:
        import atexit
        atexit.unregister(_nbscorep_kill_background)
        atexit.register(_nbscorep_kill_background)
    _nbscorep_background.append(process)
    if options.out:
        names[options.out] = _nbscorep_proxy(process.stdout)
    if options.err:
        names[options.err] = _nbscorep_proxy(process.stderr)
    if options.proc:
        names[options.proc] = _nbscorep_proxy(process)


@_nbscorep_quiet
def _nbscorep_awaitable(value):
    """VALUE, which an await leaves as it is: IPython 8 gives a future, IPython 7 the value."""
    def wait(self):
        return value
        yield

    return type(type(value).__name__, (type(value),), {"__await__": wait})(value)


class _nbscorep_proxy:
    """A script in the background, or its output: the methods that wait may be awaited as well."""

    @_nbscorep_quiet
    def __init__(self, subject):
        self._subject = subject

    @_nbscorep_quiet
    def __iter__(self):
        return iter(self._subject)

    @_nbscorep_quiet
    def __getattr__(self, name):
        with scorep.instrumenter.disable():
            value = getattr(self._subject, name)
            if name == "returncode":
                return self._subject.poll()
            if name in ("stdout", "stderr"):
                return value and type(self)(value)
        if not callable(value):
            return value

        def call(*args, **kwargs):
            with scorep.instrumenter.disable():
                result = value(*args, **kwargs)
                waits = name in ("wait", "communicate", "read", "readline")
                return _nbscorep_awaitable(result) if waits else result

        return call


@_nbscorep_apart
def _nbscorep_kill_background():
    """Ends the scripts in the background, more and more firmly."""
    import signal
    import subprocess
    import time
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
        running = [process for process in _nbscorep_background if process.poll() is None]
        for process in running:
            process.send_signal(number)
        until = time.monotonic() + 0.1
        for process in running:
            try:
                process.wait(max(0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
    _nbscorep_background.clear()


@_nbscorep_apart
def _nbscorep_killbgscripts(text, *scopes):
    """%killbgscripts"""
    _nbscorep_kill_background()
    print("All background processes were killed.")
