"""%%capture, and cells that may raise an exception."""
import io
import os
import shlex
import sys
import traceback

import scorep.instrumenter

from .magic_arguments import expand
from . import frames
from .rich_display import publish, shown
from .running import run


class Output:
    """A captured output: its formats by MIME type."""

    def __init__(self, data, metadata):
        self.data = data
        self.metadata = metadata

    def display(self):
        with scorep.instrumenter.disable():
            publish(self.data, self.metadata)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.data, self.metadata


class CapturedOutput:
    """The value that %%capture NAME stores in NAME."""

    def __init__(self, stdout, stderr):
        self.texts = stdout, stderr
        self.outputs = []

    def __str__(self):
        return self.stdout

    @property
    def stdout(self):
        return self.texts[0].getvalue() if self.texts[0] else ""

    @property
    def stderr(self):
        return self.texts[1].getvalue() if self.texts[1] else ""

    def show(self):
        """Writes the captured output to standard output and error, and shows the captured objects."""
        with scorep.instrumenter.disable():
            sys.stdout.write(self.stdout)
            sys.stderr.write(self.stderr)
            sys.stdout.flush()
            sys.stderr.flush()
        for output in self.outputs:
            output.display()

    __call__ = show


def capture_options(arguments, names):
    """The name in the arguments of %%capture, and the options that exclude streams."""
    options = {"--no-stdout", "--no-stderr", "--no-display"}
    words = shlex.split(expand(arguments, names))
    rest = [word for word in words if word not in options]
    if len(rest) > 1 or (rest and rest[0].startswith("-")):
        raise ValueError(f"%%capture: unrecognized arguments: {arguments}")
    return rest[0] if rest else None, options.intersection(words)


class capture:
    """%%capture: stores the output of its code in the variable that its arguments name."""

    def __init__(self, arguments):
        names = sys._getframe(1).f_globals
        with scorep.instrumenter.disable():
            self.names = names
            self.name, self.shown = capture_options(arguments, names)

    def __enter__(self):
        with scorep.instrumenter.disable():
            self.before = (sys.stdout, sys.stderr, shown.sink, shown.stream)
            out = None if "--no-stdout" in self.shown else io.StringIO()
            err = None if "--no-stderr" in self.shown else io.StringIO()
            self.captured = captured = CapturedOutput(out, err)
            if "--no-display" in self.shown:
                shown.stream = shown.stream or sys.stdout
            else:
                shown.sink = lambda *output: captured.outputs.append(Output(*output))
            sys.stdout = out or sys.stdout
            sys.stderr = err or sys.stderr
        return captured

    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            figures = sys.modules.get(f"{__package__}.figures")
            if figures is not None and "--no-display" not in self.shown:
                figures.flush_figures()
            sys.stdout, sys.stderr, shown.sink, shown.stream = self.before
            handled = goes_on(*exception)
            if self.name and (handled or exception[0] is None):
                self.names[self.name] = self.captured
            return handled


def print_error(kind, error, trace):
    """Prints a traceback to standard error, without frames of this package and of the bindings."""
    folders = tuple(os.path.dirname(module.__file__) + os.sep for module in (scorep, frames))

    def is_users(frame):
        return not frame.filename.startswith(folders)

    report = traceback.TracebackException(kind, error, trace)
    parts = [report]
    for part in parts:  # grows with the causes
        part.stack[:] = filter(is_users, part.stack)
        others = part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())
        parts += [other for other in others if other is not None]
    print(end="", flush=True)  # sys.stdout may be None
    text = "".join(report.format())
    if run.executed is not None and not isinstance(error, SystemExit):
        run.executed.show_error(error, trace, text, ends=False)
    else:
        print(text, end="", file=sys.stderr, flush=True)


def goes_on(kind, error, trace):
    """Prints an error that ends only its cell, and returns True. sys.exit() does so as in Jupyter;
    Ctrl-C ends the script."""
    if kind is None or issubclass(kind, KeyboardInterrupt):
        return False
    print_error(kind, error, trace)
    frames.fail()
    return True


class may_raise:
    """The context of a cell with the tag raises-exception: prints the traceback and continues."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            return goes_on(*exception)
