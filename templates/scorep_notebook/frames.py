"""Calls hooks before and after each cell of the script, at the `with` statement around it.

The classes scorep.user.region and scorep.instrumenter.disable are replaced by subclasses that call the
hooks if their name is that of a cell and their caller is the script itself. A hook runs with the
instrumenter as the code around the cell left it, so it turns the instrumenter off for what a trace
would show, and calls only C functions before that.
"""
import sys
import time

import scorep.instrumenter
import scorep.user

from .running import flush

before = []  # called with the number of the cell, before it begins
after = []  # called with the number and the exception of the cell or None, after its end
before_included = []  # called with an included notebook's name and the number of its cell
after_included = []
ended = []  # called likewise, after what the others show
failed = set()  # numbers of cells that raised an error which did not end the script
goes_on = None  # with --allow-errors: a function of an exception that shows it; true: the script continues


class _State:
    code = None  # the code of the script
    cell = None  # the cell that runs
    begin = 0.0  # since when


def fail():
    """Notes that the cell that runs has raised an error which does not end the script."""
    failed.add(_State.cell)


def outcome(number, error):
    """How cell NUMBER has ended, which has raised ERROR or None: "done", "failed", or "exited" and the script with
    it."""
    if number in failed:
        return "failed"
    return "done" if error is None else "exited" if isinstance(error, SystemExit) else "failed"


def where():
    """", in cell 7, which ran for 3 s": what a message says about the cell that runs; empty if none does."""
    if _State.cell is None:
        return ""
    return f" in cell {_State.cell}, which ran for {time.monotonic() - _State.begin:.1f} s"


def is_script(frame):
    """True if FRAME is the script's own: the first code that has used the frame of a cell."""
    if _State.code is None and frame.f_code.co_name == "<module>":
        _State.code = frame.f_code
    return frame.f_code is _State.code


def begin(number):
    for call in before:
        call(number)
    _State.cell, _State.begin = number, time.monotonic()


def handle(exception):
    """True if an exception of a cell, or None, does not end the script."""
    if goes_on is None or not exception or exception[0] is None:
        return False
    with scorep.instrumenter.disable():
        return goes_on(*exception)


def end(number, error):
    if _State.cell == number:
        for call in after + ended:
            call(number, error)
        _State.cell = None


def cell_of(name):
    """The included notebook or "", and the number of the cell with this NAME; (None, None) if it is not
    a cell's: "cell 7", "other.ipynb cell 3", "other.ipy"."""
    file, word, number = name.rpartition("cell ")
    if word and number.isdecimal() and (not file or file.endswith(".ipynb ")):
        return file[:-1], int(number)
    return (name, 1) if name.endswith(".ipy") else (None, None)


def _watched(kind):
    """KIND, a class of the bindings, with calls of the hooks."""

    class Frame(kind):
        # The hooks are called here and not in __enter__(), from whose caller the bindings take the
        # region's file.
        def __init__(self, region_name="", *arguments, **options):
            kind.__init__(self, region_name, *arguments, **options)
            self.notebook, self.cell = cell_of(region_name) if region_name else (None, None)
            nested = not self.notebook and _State.cell is not None  # it is the user's own
            if self.cell is None or nested or not is_script(sys._getframe(1)):
                self.cell = None
            elif self.notebook:
                for call in before_included:
                    call(self.notebook, self.cell)
            else:
                begin(self.cell)

        def __exit__(self, *exception):
            try:
                handled = kind.__exit__(self, *exception)
                return handled or self.cell is not None and not self.notebook and handle(exception)
            finally:
                if self.cell is not None and self.notebook:
                    for call in after_included:
                        call(self.notebook, self.cell)
                elif self.cell is not None:
                    end(self.cell, exception[1] if exception else None)

    Frame.__name__, Frame.__qualname__, Frame.__module__ = kind.__name__, kind.__qualname__, kind.__module__
    return Frame


class cell:
    """The frame of a cell in a script without regions of cells; the instrumenter is off in it unless
    MEASURED."""

    def __init__(self, number, measured=False):
        self.number = number
        is_script(sys._getframe(1))
        self.off = None if measured else scorep.instrumenter.disable()
        begin(number)

    def __enter__(self):
        if self.off is not None:
            self.off.__enter__()

    def __exit__(self, *exception):
        try:
            handled = self.off.__exit__(*exception) if self.off is not None else False
            return handled or handle(exception)
        finally:
            end(self.number, exception[1])


def watch():
    """Begins to call hooks, and to write each line of output at once."""
    for stream in sys.stdout, sys.stderr:
        getattr(stream, "reconfigure", dict)(line_buffering=True)
    after.append(lambda number, error: flush())  # a later cell may lose what this one has printed
    scorep.user.region = _watched(scorep.user.region)
    scorep.instrumenter.disable = _watched(scorep.instrumenter.disable)
