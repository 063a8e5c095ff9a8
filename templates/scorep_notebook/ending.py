"""Ends the script on a signal, so that its data and its output are kept."""
import atexit
import os
import sys

# The C module: the import of `signal` takes longer than all else that a short script needs.
import _signal as signal
from _thread import get_ident

import scorep.instrumenter
import scorep.user

from . import frames, job, messages
from .running import find_world, flush, remove_temporary, run


# mpirun passes on no other signal than this one, and kills ranks that
# still write when the first one ends with an error. The process that waits for mpirun then sets the status.
LAUNCHED = os.environ.pop("NBSCOREP_ENDING", "") == "USR2"


TIMED_OUT = 124  # the status after a cell's time limit, as that of timeout(1)


class ending:
    now = False
    asked = False  # to end before the next cell
    handlers = {}  # signal: handler, and the former one
    masks = {}  # of the threads that fork


def finalise_ranks(status):
    """Without this, mpirun ends all ranks when the first one ends, even ranks that still write. A cell's time limit is
    that of one rank; others may wait for it in MPI, and are ended after some seconds to write."""
    world = find_world()
    if world is not None and status == TIMED_OUT:
        import time
        time.sleep(5)
        world.Abort(status)
    elif world is not None:
        sys.modules["mpi4py.MPI"].Finalize()


def finalise(number, frame):
    """Ends the script at once. An exception could come between a function's entry and its event, which
    makes Score-P abort. So do regions that are open at the end, which force_finalize() closes."""
    if os.getpid() != run.process:  # a child that has just been forked, and is not measured
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return
    if ending.now:  # a second signal
        return
    ending.now = True
    scorep.instrumenter.unregister()
    if number != signal.SIGINT and job.rank() == 0:  # a user's own Ctrl-C needs no word
        name = {signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}.get(number, "a signal")
        messages.tell(f"ended by {name}{frames.where()}")
    end_now(0 if number == signal.SIGUSR2 else 128 + number)


def end_now(status):
    """Ends the script with STATUS, and keeps its data and outputs."""
    ending.now = True
    try:
        for other in ending.handlers:
            signal.signal(other, signal.SIG_IGN)
        if find_world() is not None:  # a rank that never arrives would block this one
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
        from .processes import end_children
        children = {}
        end_children(children, signal.SIGTERM)
        flush()
        if run.executed is not None:
            run.executed.finish(status, "killed")
        scorep.user.force_finalize()
        for call in run.at_bad_end if job.rank() == 0 else ():
            call()
        for call in run.at_end:
            call()
        remove_temporary()
        end_children(children, signal.SIGKILL)
        finalise_ranks(status)
    finally:
        os._exit(status)


def hold():
    """Runs before a fork: a pool's thread would replace each worker that is ended. Blocks the signals that have
    handlers: Python forgets those that a new child gets before it runs, such as a pool's SIGTERM."""
    while ending.now:
        import time
        time.sleep(1)
    ending.masks[get_ident()] = signal.pthread_sigmask(signal.SIG_BLOCK, ending.handlers)


def release():
    """Runs after a fork, in both processes."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ending.masks.pop(get_ident()))


def leave(cell):
    """Ends the script normally, before a cell."""
    ending.asked = False
    world = find_world()
    if world is None or world.Get_rank() == 0:
        messages.note(f"ended by SIGUSR1 before cell {cell}")
    # mpirun kills ranks that still write when one of them ends with another status.
    raise SystemExit(128 + signal.SIGUSR1 if world is None else 0)


def ends_here():
    """True if the script ends before the cell that it has reached."""
    from . import agreement
    if run.agrees and agreement.has_ranks():  # all ranks call this
        return agreement.agree(ending.asked)
    return ending.asked and find_world() is None


def ask(cell):
    """Ends the script before the cell, if it was asked to."""
    if ending.asked or run.agrees and "mpi4py.MPI" in sys.modules:
        with scorep.instrumenter.disable():
            if ends_here():
                leave(cell)


def end_later(number, frame):
    """Handles SIGUSR1. Makes no call that a trace would show."""
    ending.asked = True


def own_handlers():
    """The handlers that the script has not replaced."""
    return [(number, both) for number, both in ending.handlers.items()
            if signal.getsignal(number) is both[0]]


def forget():
    """Runs in a forked child: restores Python's signals and, as Score-P does not measure it, calls."""
    if not run.recorded:
        scorep.instrumenter.unregister()
        scorep.instrumenter.global_instrumenter = None  # the next one is a dummy
    # The bindings of a child that ends normally would remove the folder, and then fail in the parent.
    os.environ.pop("SCOREP_PYTHON_BINDINGS_TEMP_DIR", None)
    for number, (_, former) in own_handlers():
        signal.signal(number, former)
    release()


def ignore_signals():
    """Runs at the script's end: Python would restore the handlers while Score-P still writes."""
    for number, _ in own_handlers():
        signal.signal(number, signal.SIG_IGN)


def agree_at_end():
    if "mpi4py.MPI" in sys.modules:
        from . import agreement
        agreement.agree_at_end()


def install():
    frames.before.insert(0, ask)
    handlers = [(signal.SIGTERM, finalise, signal.SIG_DFL),
                (signal.SIGINT, finalise, signal.default_int_handler),
                (signal.SIGHUP, finalise, signal.SIG_DFL),
                (signal.SIGUSR1, end_later, signal.SIG_DFL)]
    if LAUNCHED:
        handlers.append((signal.SIGUSR2, finalise, signal.SIG_DFL))
    for number, handler, former in handlers:
        if signal.getsignal(number) == former:  # else it was set on purpose, such as by nohup
            ending.handlers[number] = handler, former
            signal.signal(number, handler)
    os.register_at_fork(before=hold, after_in_parent=release, after_in_child=forget)
    atexit.register(ignore_signals)  # runs after the script's own functions
    atexit.register(agree_at_end)
