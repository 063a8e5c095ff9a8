"""%%bash, %%script and similar: programs that get the cell as their input."""
import atexit
import contextlib
import signal
import subprocess
import tempfile
import time

import scorep.instrumenter

from . import calls
from .child import child, output_sinks, wait
from .magic_arguments import UsageError, make_parser, split_words

BACKGROUND = []  # processes


@calls.unrecorded
def script(arguments, text, *scopes):
    """%%bash and similar: runs a program with TEXT as its input."""
    options, command = script_options(split_words(arguments, *scopes))
    if text == "":
        raise UsageError("%%script is a cell magic, but the cell body is empty.")
    if not command:
        raise TypeError("%%script needs the name of a program")
    body = (text if text.endswith("\n") else text + "\n").encode(errors="replace")
    run = script_in_background if options.bg else script_here
    try:
        run(options, command, body, scopes[0])
    except FileNotFoundError as problem:
        if problem.filename != command[0]:
            raise
        print(f"Couldn't find program: {command[0]!r}")


def script_options(words):
    """The options of %%script, and the program with its own arguments."""
    parser = make_parser("%%script")
    parser.add_argument("--out")
    parser.add_argument("--err")
    parser.add_argument("--bg", action="store_true")
    parser.add_argument("--proc")
    parser.add_argument("--no-raise-error", action="store_true")
    return parser.parse_known_args(words)


def script_input(body):
    """A file that contains BODY. A pipe would block if the program is slow or ends early."""
    file = tempfile.TemporaryFile()
    file.write(body)
    file.seek(0)
    return file


def script_here(options, command, body, names):
    """Runs a program and waits for it. Its output goes to the script's, or to the variables in OPTIONS."""
    targets = options.out, options.err
    kept = {name: [] for name in targets if name}
    sinks = [kept[name].append if name else sink
             for name, sink in zip(targets, output_sinks())]
    with script_input(body) as file:
        status = wait(child(command, sinks, file), sinks)
    names.update((name, "".join(parts)) for name, parts in kept.items())
    if status != 0 and not options.no_raise_error:
        raise subprocess.CalledProcessError(status, body)


def script_in_background(options, command, body, names):
    """Starts a program in the background. Its output goes to the variables in OPTIONS, or is discarded."""
    with script_input(body) as file:
        process = subprocess.Popen(
            command, stdin=file,
            stdout=subprocess.PIPE if options.out or options.proc else subprocess.DEVNULL,
            stderr=subprocess.PIPE if options.err or options.proc else subprocess.DEVNULL)
    if not BACKGROUND:
        atexit.unregister(kill_background)
        atexit.register(kill_background)
    BACKGROUND.append(process)
    if options.out:
        names[options.out] = Proxy(process.stdout)
    if options.err:
        names[options.err] = Proxy(process.stderr)
    if options.proc:
        names[options.proc] = Proxy(process)


def awaitable(value):
    """VALUE, of a class that can be awaited: IPython 8 returns a future, IPython 7 the value."""
    def wait(self):
        return value
        yield

    return type(type(value).__name__, (type(value),), {"__await__": wait})(value)


class Proxy:
    """A program in the background, or its output. Methods that wait can also be awaited."""

    def __init__(self, subject):
        self._subject = subject

    def __iter__(self):
        return iter(self._subject)

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
                return awaitable(result) if waits else result

        return call


def kill_background():
    """Ends the programs in the background, with SIGINT, SIGTERM and SIGKILL."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGKILL:
        running = [process for process in BACKGROUND if process.poll() is None]
        for process in running:
            process.send_signal(number)
        # After SIGKILL only the kernel takes time.
        until = time.monotonic() + (10 if number == signal.SIGKILL else 0.1)
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0, until - time.monotonic()))
    BACKGROUND.clear()


@calls.unrecorded
def killbgscripts(text, *scopes):
    kill_background()
    print("All background processes were killed.")
