# The run script's mpirun hands on no other signal than this one, and kills the ranks that still
# write when the first one ends with an error; the run script then tells the status itself.
LAUNCHED = os.environ.pop("NBSCOREP_ENDING", "") == "USR2"


class ending:
    """How the script ends on a signal, so that Score-P keeps its data."""

    now = False
    asked = False  # to end before the next cell
    cell = None  # that the script came to last
    handlers = {}  # signal: handler, and what was there before


def list_processes():
    """What the script's session runs: for each process its parent and when it began."""
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


def send_signal(children, number):
    """Sends a signal to what the script has started, and what that has, and to those CHILDREN that
    have lost their parent. Adds them all to CHILDREN, with when they began: a number can be another
    process's later."""
    processes = list_processes()
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


def end_children(children, number):
    """The same, but they are stopped first: a shell could start one more before its end."""
    before = None
    while len(children) != before:
        before = len(children)
        send_signal(children, signal.SIGSTOP)
    send_signal(children, number)
    send_signal(children, signal.SIGCONT)


def finalise_ranks():
    """mpirun ends all ranks as soon as one leaves without this, also those that still write."""
    if find_world() is not None:
        sys.modules["mpi4py.MPI"].Finalize()


def finalise(number, frame):
    """Ends at once. An exception would come between a function's entry and its event, which makes
    Score-P abort; so would ending it without closing what is open, which force_finalize() does."""
    if os.getpid() != process:  # a child that has just been forked, and is not measured
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return
    scorep.instrumenter.unregister()
    ending.now = True
    try:
        for other in ending.handlers:
            signal.signal(other, signal.SIG_IGN)
        if find_world() is not None:  # a rank that never comes would keep this one waiting
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(20)
        children = {}
        end_children(children, signal.SIGTERM)
        flush()
        scorep.user.force_finalize()
        for call in at_bad_end if find_rank() == 0 else ():
            call()
        remove_temporary()
        end_children(children, signal.SIGKILL)
        finalise_ranks()
    finally:
        os._exit(0 if number == signal.SIGUSR2 else 128 + number)


def hold():
    """In front of a fork: a pool's thread would replace each worker that is ended."""
    while ending.now:
        import time
        time.sleep(1)


def leave(cell):
    """Ends the normal way, before a cell."""
    ending.asked = False
    world = find_world()
    if world is None or world.Get_rank() == 0:
        print(f"nbscorep: ended by SIGUSR1 before cell {cell}", file=sys.stderr, flush=True)
    # mpirun kills the ranks that still write when one of them ends with another status.
    raise SystemExit(128 + signal.SIGUSR1 if world is None else 0)


def ends_here():
    """True if the script ends before the cell that it comes to."""
    if (agrees or frames.none) and find_ranks():  # all of them come here
        return agree(ending.asked)
    return ending.asked and find_world() is None


def ask(cell):
    """Ends the script before the cell, if that is wanted. A cell may have several frames."""
    if ending.cell == cell:
        return
    ending.cell = cell
    if ending.asked or agrees or frames.none:
        with frames.disable():
            if ends_here():
                leave(cell)


def end_later(number, frame):
    """SIGUSR1. It makes no call that a trace would show, and leaves the instrumenter as it is."""
    ending.asked = True
    watch_frames()


def own_handlers():
    """Those that the script has left in their places."""
    return [(number, both) for number, both in ending.handlers.items()
            if signal.getsignal(number) is both[0]]


def forget():
    """In the child of a fork, which Score-P does not measure: signals and calls are Python's."""
    scorep.instrumenter.unregister()
    scorep.instrumenter.global_instrumenter = None  # the next one is a dummy
    # The bindings of a child that ends by itself would remove it, and then fail in the parent.
    os.environ.pop("SCOREP_PYTHON_BINDINGS_TEMP_DIR", None)
    for number, (_, former) in own_handlers():
        signal.signal(number, former)


def ignore_signals():
    """At the script's end: Python would give the signals back, while Score-P still writes."""
    for number, _ in own_handlers():
        signal.signal(number, signal.SIG_IGN)


def end_well():
    """Installs all that, where Score-P measures."""
    if type(scorep.instrumenter.get_instrumenter()).__name__.endswith("Dummy"):
        return
    prepare_frames()
    frames.in_front.insert(0, ask)
    if agrees:  # before each cell, also where no signal came to this rank
        watch_frames()
    handlers = [(signal.SIGTERM, finalise, signal.SIG_DFL),
                (signal.SIGINT, finalise, signal.default_int_handler),
                (signal.SIGHUP, finalise, signal.SIG_DFL),
                (signal.SIGUSR1, end_later, signal.SIG_DFL)]
    if LAUNCHED:
        handlers.append((signal.SIGUSR2, finalise, signal.SIG_DFL))
    for number, handler, former in handlers:
        if signal.getsignal(number) == former:  # else somebody has a reason, such as nohup
            ending.handlers[number] = handler, former
            signal.signal(number, handler)
    os.register_at_fork(before=hold, after_in_child=forget)
    import atexit
    atexit.register(ignore_signals)  # the script's own run before it
    atexit.register(agree_at_end)
