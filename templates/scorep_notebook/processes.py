"""Ends the processes that the script has started."""
import contextlib
import os
import signal


def list_processes():
    """The processes of the script's session: for each its parent and its start time."""
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
    """Sends a signal to the descendants of the script, and to those CHILDREN that have lost their
    parent. Adds all of them to CHILDREN with their start times, because another process can get the
    same PID later."""
    processes = list_processes()
    found = [os.getpid()] + [child for child, (_, began) in processes.items()
                             if children.get(child) == began]
    for parent in found:  # grows
        found += [child for child, (its_parent, _) in processes.items()
                  if its_parent == parent and child not in found]
    children.update((child, processes[child][1]) for child in found[1:])
    for child, (_, began) in processes.items():
        if children.get(child) == began:
            with contextlib.suppress(OSError):
                os.kill(child, number)


def end_children(children, number):
    """The same, but stops the processes first: a shell could start another one before it ends."""
    before = None
    while len(children) != before:
        before = len(children)
        send_signal(children, signal.SIGSTOP)
    send_signal(children, number)
    send_signal(children, signal.SIGCONT)
