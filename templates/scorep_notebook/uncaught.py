"""Uncaught exceptions: names the cell, and ends all ranks."""
import os
import signal
import sys
import traceback

from . import places
from .messages import shown
from .running import find_world, flush, remove_temporary, run


def place_of(error, trace):
    """The place in the notebook of TRACE's innermost frame that is in the script, or None."""
    line = inside = front = 0  # FRONT: a statement on the magic's own line runs, too
    if isinstance(error, SyntaxError) and error.filename == run.script:
        line = error.lineno or 0
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name == run.script:
            line, inside = trace.tb_lineno, 0
        elif name == "<magic-timeit>":  # a cell's text that a helper runs
            inside = 0 if front and trace.tb_lineno == 1 else trace.tb_lineno
        elif name == "<string>":
            inside = trace.tb_lineno - front
        elif os.path.dirname(name) == os.path.dirname(__file__):
            front = bool(trace.tb_frame.f_locals.get("statement"))
        trace = trace.tb_next
    return place_of_line(line, inside, error)


def place_of_line(line, inside, error):
    """The place in the notebook of LINE of the script, or of line INSIDE of the text given there.
    ERROR was raised at this place."""
    try:
        script = places.Places(run.script, run.source)
    except (OSError, SyntaxError, UnicodeError):  # it was removed or edited
        return None
    found = script.find(line)
    if found is None:
        return None
    file, cell, cell_line = found
    place = (file or script.notebook()) + (f", cell {cell}" if cell else "")
    if cell_line == 0 and inside:
        cell_line = script.text_line(line) + inside - 1
    if getattr(error, "filename", None) == place and getattr(error, "lineno", None):
        cell_line = error.lineno  # the cell has a syntax error
    name = os.path.basename(run.script)
    return place + (f", line {cell_line}" if cell_line > 0 else "") + f" ({name}:{line})"


def end_ranks(error):
    """Runs after the traceback of an exception that ends the script."""
    for call in run.at_bad_end:
        call()
    world = find_world()
    if world is not None and not isinstance(error, SystemExit):
        flush()
        remove_temporary()
        world.Abort(1)  # the other ranks would wait for this one until the job's time is up


def leave_out_imports(trace):
    """Removes frames of imports.py, which TRACE contains before Python 3.11."""
    while trace is not None:
        following = trace.tb_next
        if following is not None and following.tb_frame.f_code.co_filename.startswith("<nbscorep"):
            trace.tb_next = following.tb_next
        else:
            trace = following


def show(error, trace):
    """Prints the traceback as Python does at its end."""
    kind = type(error)
    try:
        sys.excepthook(kind, error, trace)
    except SystemExit:
        raise
    except BaseException as failure:
        failed = failure.with_traceback(failure.__traceback__.tb_next)
        if sys.stderr is not None:
            print("Error in sys.excepthook:", file=sys.stderr)
            sys.__excepthook__(type(failed), failed, failed.__traceback__)
            print("\nOriginal exception was:", file=sys.stderr)
            sys.__excepthook__(kind, error, trace)


def has_lost_reader(error):
    """True if the reader of standard output has gone, as after `| head`. Sets standard output to /dev/null then."""
    if not isinstance(error, BrokenPipeError) or sys.stdout is None:
        return False
    try:
        sys.stdout.flush()
        return False
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        return True


def report(error):
    """Prints the traceback of ERROR, which ends the script, and its place. Returns the exit status."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != run.script:
        trace = trace.tb_next  # a frame of this package or of the bindings
    if has_lost_reader(error):
        end_ranks(SystemExit())
        return 128 + signal.SIGPIPE
    leave_out_imports(trace)
    show_end(error, trace)
    end_ranks(error)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def show_end(error, trace):
    """Prints the traceback of ERROR, which ends the script, and its place; shows it in the executed notebook."""
    place = None if isinstance(error, SystemExit) else place_of(error, trace)
    place = "" if place is None else f"nbscorep: {shown(place)}\n"  # the line after the traceback
    error = error.with_traceback(trace)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    if run.executed is not None and sys.excepthook is sys.__excepthook__:
        run.executed.show_error(error, trace, "".join(traceback.format_exception(type(error), error, trace)) + place)
        return
    show(error, trace)
    if run.executed is not None:
        run.executed.show_error(error, trace, place)
    elif sys.stderr is not None:
        print(place, end="", file=sys.stderr, flush=True)
