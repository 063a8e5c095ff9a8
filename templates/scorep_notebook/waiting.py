"""Waits for the program in a process of its own, and passes signals on to it.

All signals are blocked, and taken one at a time with the end of the child. So none is lost, none
interrupts anything, and the status is the child's.
"""
import contextlib
import os
import signal
import time

from .messages import tell

ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
PASSED_ON = ENDING | {signal.SIGUSR1, signal.SIGUSR2}
PATIENCE = 20  # seconds until a program that was asked to end gets the next signal
AGAIN = 2  # seconds: timeout(1) signals this process and immediately its group


def patience():
    """Seconds to wait for each of the signals, or None if nbscorep ends the program itself."""
    text = os.environ.get("NBSCOREP_KILL_AFTER", "")
    try:
        return float(text or PATIENCE)
    except ValueError:
        return None


class Waiter:
    def __init__(self):
        ignored = {number for number in PASSED_ON if signal.getsignal(number) == signal.SIG_IGN}
        self.numbers = PASSED_ON - ignored  # nohup and shells without job control ignore some
        if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.former = signal.pthread_sigmask(signal.SIG_BLOCK, self.numbers | {signal.SIGCHLD})
        self.ended_by = None  # the first signal that has asked the program to end
        self.child = None  # of the last fork
        self.has_group = False  # the child's process group is its own
        self.on_usr1 = None  # called when SIGUSR1 arrives

    def fork(self, is_background=False):
        """Forks. The child is in a process group of its own, so that a signal to the group of this process
        reaches it once. At a terminal it could not read then, so it stays in the group, unless it
        IS_BACKGROUND, which does not read."""
        self.has_group = is_background or not os.isatty(0)
        child = os.fork()
        if child == 0:
            if self.has_group:
                os.setpgid(0, 0)
            if is_background and os.isatty(0):
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, self.former)
            return 0
        if self.has_group:
            with contextlib.suppress(OSError):
                os.setpgid(child, child)  # in both, as either may be first
        self.child = child
        return child

    def take(self, until):
        """The next signal, or None at the time UNTIL."""
        numbers = self.numbers | {signal.SIGCHLD}
        if until is None:
            return signal.sigwait(numbers)
        found = signal.sigtimedwait(numbers, max(0, until - time.monotonic()))
        return found and found.si_signo

    def wait(self, child, this_set=None, soft=None, all_of_group=False):
        """The status of CHILD at its end. SOFT: the signal that mpirun gets in place of the first one that
        asks to end, because it passes this one on and lets the ranks write. ALL_OF_GROUP: signals go to all
        processes of the child's group."""
        if this_set is not None:
            this_set.note(child)
        until, again, steps = None, 0, [signal.SIGTERM, signal.SIGKILL]
        while True:
            number = self.take(until)
            if number == signal.SIGCHLD:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended == child:
                    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            elif number is None:
                number, until = steps.pop(0), time.monotonic() + patience() if steps else None
                tell(f"the program has not ended after {patience():g} s; it gets "
                     + signal.Signals(number).name)
                self.send(child, number)
            elif number not in ENDING or all_of_group:
                if number == signal.SIGUSR1 and self.on_usr1:
                    self.on_usr1()
                self.send(child, number, all_of_group)
            elif self.ended_by is None:
                self.ended_by, again = number, time.monotonic() + AGAIN
                until = time.monotonic() + patience() if patience() is not None else None
                self.send(child, soft or number)
            elif soft is None or time.monotonic() >= again:
                self.send(child, number)

    def send(self, child, number, all_of_group=False):
        with contextlib.suppress(OSError):
            if (number == signal.SIGKILL or all_of_group) and self.has_group:
                os.killpg(child, number)
            else:
                os.kill(child, number)

    def tear_down(self, commands, status):
        """Lets bash run COMMANDS; NBSCOREP_STATUS is the program's STATUS."""
        child, group = self.child, self.has_group
        os.environ["NBSCOREP_STATUS"] = str(status)
        while self.take(time.monotonic()) is not None:  # meant for the program, which has ended
            pass
        teardown = self.fork()
        if teardown == 0:
            try:
                os.execvp("bash", ["bash", "-c", commands])
            except OSError as error:
                tell(f"cannot start bash: {error.strerror}")
                os._exit(127)
        self.wait(teardown, all_of_group=True)
        self.child, self.has_group = child, group

    def end_left(self):
        """Ends processes that the program has left in its process group, which would take processor time
        from the next program. Kills them after 30 seconds, unless nbscorep does this."""
        if self.child is None or not self.has_group:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child, signal.SIGTERM)
            if os.environ.get("NBSCOREP_KILL_AFTER") == "none":
                return
            until = time.monotonic() + 30
            while time.monotonic() < until:
                os.killpg(self.child, 0)
                time.sleep(0.1)
            os.killpg(self.child, signal.SIGKILL)
