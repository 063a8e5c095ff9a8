# requires: quiet place leave uncaught
class _nbscorep_ending:
    """How the script ends on a signal, so that Score-P keeps its data."""

    now = False
    asked = False  # to end in front of the next cell
    handlers = {}  # signal: handler, and what was there before
    has_line = False  # a line in front of each cell asks
    watched = ()  # the frames of cells, where there is no such line


def _nbscorep_processes():
    """What the script's session runs: for each process its parent and when it began."""
    import os
    found = {}
    for name in filter(str.isdecimal, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == os.getsid(0) and fields[0] != b"Z":
            found[int(name)] = int(fields[1]), fields[19]
    return found


def _nbscorep_kill(children, number):
    """Sends a signal to what the script has started, and what that has, and to those CHILDREN that
    have lost their parent. Adds them all to CHILDREN, with when they began: a number can be another
    process's later."""
    import os
    processes = _nbscorep_processes()
    found = [os.getpid()] + [child for child, (_, began) in processes.items()
                             if children.get(child) == began]
    for parent in found:  # grows
        found += [child for child, (its_parent, _) in processes.items()
                  if its_parent == parent and child not in found]
    children.update((child, processes[child][1]) for child in found[1:])
    for child, (_, began) in processes.items():
        if children.get(child) == began:
            try:
                os.kill(child, number)
            except OSError:
                pass


def _nbscorep_end_children(children, number):
    """The same, but they are stopped first: a shell could start one more before its end."""
    import signal
    before = None
    while len(children) != before:
        before = len(children)
        _nbscorep_kill(children, signal.SIGSTOP)
    _nbscorep_kill(children, number)
    _nbscorep_kill(children, signal.SIGCONT)


@_nbscorep_quiet
def _nbscorep_finalise(number, frame):
    """Ends at once. An exception would come between a function's entry and its event, which makes
    Score-P abort; so would ending it without closing what is open, which force_finalize() does."""
    scorep.instrumenter.unregister()
    import os
    import signal
    _nbscorep_ending.now = True
    try:
        for other in _nbscorep_ending.handlers:
            signal.signal(other, signal.SIG_IGN)
        if _nbscorep_world() is not None:  # a rank that never comes would keep this one waiting
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
        children = {}
        _nbscorep_end_children(children, signal.SIGTERM)
        _nbscorep_flush()
        scorep.user.force_finalize()
        _nbscorep_remove_temporary()
        _nbscorep_end_children(children, signal.SIGKILL)
    finally:
        os._exit(128 + number)


@_nbscorep_quiet
def _nbscorep_hold():
    """In front of a fork: a pool's thread would replace each worker that is ended."""
    while _nbscorep_ending.now:
        import time
        time.sleep(1)


def _nbscorep_leave(line):
    """Ends the normal way, in front of the cell at LINE of the script."""
    import signal
    import sys
    _nbscorep_ending.asked = False
    world = _nbscorep_world()
    row, _ = _nbscorep_row(line)
    if world is None or world.Get_rank() == 0:
        print(f"nbscorep: ended by SIGUSR1 in front of cell {row[1]}", file=sys.stderr, flush=True)
    # mpirun kills the ranks that still write when one of them ends with another status.
    raise SystemExit(128 + signal.SIGUSR1 if world is None else 0)


def _nbscorep_next_cell():
    """The line in front of each cell of a script whose ranks must agree, or that has no frames."""
    import sys
    world = _nbscorep_world()
    asked = _nbscorep_ending.asked
    if world is not None:
        import array
        flag = array.array("i", [asked])
        mpi = sys.modules["mpi4py.MPI"]
        world.Allreduce(mpi.IN_PLACE, [flag, mpi.INT], op=mpi.MAX)
        asked = flag[0]
    if asked:
        _nbscorep_leave(sys._getframe(1).f_lineno)


def _nbscorep_watched(frame_of_cell, names, disable):
    """FRAME_OF_CELL, but the script ends where it is the frame of a cell."""
    import sys
    getframe = sys._getframe

    @_nbscorep_quiet
    def begin(*args, **kwargs):
        caller = getframe(1)
        if caller.f_globals is names and caller.f_code.co_name == "<module>":
            with disable():
                row, _ = _nbscorep_row(caller.f_lineno)
                if row is not None and row[2:] == (0, 0) and _nbscorep_world() is None:
                    _nbscorep_leave(caller.f_lineno)
        return frame_of_cell(*args, **kwargs)

    return begin


@_nbscorep_quiet
def _nbscorep_end_later(number, frame):
    """SIGUSR1. It makes no call that a trace would show, and leaves the instrumenter as it is."""
    _nbscorep_ending.asked = True
    if not _nbscorep_ending.has_line:
        scorep.instrumenter.disable, scorep.user.region = _nbscorep_ending.watched


@_nbscorep_quiet
def _nbscorep_forget():
    """In the child of a fork, which Score-P does not measure: signals and calls are Python's."""
    import signal
    scorep.instrumenter.unregister()
    scorep.instrumenter.global_instrumenter = None  # the next one is a dummy
    for number, (handler, former) in _nbscorep_ending.handlers.items():
        if signal.getsignal(number) is handler:
            signal.signal(number, former)


def _nbscorep_end_well():
    """Installs all that, where Score-P measures."""
    if not hasattr(scorep, "__file__"):
        return  # the stand-in
    if type(scorep.instrumenter.get_instrumenter()).__name__.endswith("Dummy"):
        return
    import os
    import signal
    disable, region = scorep.instrumenter.disable, scorep.user.region
    _nbscorep_ending.watched = [_nbscorep_watched(each, globals(), disable)
                                for each in (disable, region)]
    for number, handler, former in (
            (signal.SIGTERM, _nbscorep_finalise, signal.SIG_DFL),
            (signal.SIGINT, _nbscorep_finalise, signal.default_int_handler),
            (signal.SIGUSR1, _nbscorep_end_later, signal.SIG_DFL)):
        if signal.getsignal(number) == former:  # else somebody has a reason, such as nohup
            _nbscorep_ending.handlers[number] = handler, former
            signal.signal(number, handler)
    os.register_at_fork(before=_nbscorep_hold, after_in_child=_nbscorep_forget)


_nbscorep_end_well()
