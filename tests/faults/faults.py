"""Runs nbscorep with inject.c preloaded: what it calls, and what it does when a call fails."""
import errno
import os
import signal
import subprocess

from support import binary, clean_environment, setting

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# What each class of calls can fail with. Memory is apart: there is more of it.
ERRORS = {
    "open": (errno.EMFILE, errno.EIO, errno.EINTR),
    "read": (errno.EIO, errno.EINTR),
    "list": (errno.EIO,),
    "write": (errno.ENOSPC, errno.EINTR),
    "print": (errno.ENOSPC, errno.EINTR),
    "close": (errno.EIO, errno.EINTR),
    "dup": (errno.EMFILE,),
    "pipe": (errno.EMFILE,),
    "rename": (errno.EIO,),
    "link": (errno.ENOSPC, errno.EEXIST),
    "unlink": (errno.EIO,),
    "mkdir": (errno.ENOSPC,),
    "chdir": (errno.EIO,),
    "stat": (errno.EIO,),
    "spawn": (errno.EAGAIN,),
    "wait": (errno.EINTR,),
    "watch": (errno.EMFILE,),
    "lock": (errno.EIO,),
}
SHORT = ("read", "write", "print")
SANITIZED = bool(setting("NBSCOREP_SANITIZE"))
TIMEOUT = 300  # seconds until a command hangs


class Fault:
    """The NTH call of a class of calls, and what is to happen there."""

    def __init__(self, calls, nth, mode, number=0, lasting=False):
        self.calls, self.nth, self.mode = calls, nth, mode
        self.number, self.lasting = int(number), lasting

    def variables(self):
        return {"FAULTS_CLASS": self.calls, "FAULTS_NTH": str(self.nth),
                "FAULTS_MODE": self.mode, "FAULTS_NUMBER": str(self.number),
                "FAULTS_LASTING": str(int(self.lasting))}

    def __str__(self):
        what = {"error": lambda: errno.errorcode[self.number], "short": lambda: "short",
                "signal": lambda: signal.Signals(self.number).name}[self.mode]()
        return f"{self.calls} {self.nth}{' and on' if self.lasting else ''}: {what}"


class Outcome:
    """What came of a run."""

    def __init__(self, status, out, err, log):
        self.status, self.out, self.err = status, out or b"", err or b""
        lines = [line.split(" ", 2) for line in log.splitlines()]
        self.counts = {line[1]: int(line[2]) for line in lines if line[0] == "count"}
        self.leaked = [int(line[1]) for line in lines if line[0] == "leaked"]
        self.hit = next((" ".join(line[1:]).strip() for line in lines if line[0] == "hit"), None)

    def __str__(self):
        return (f"hit {self.hit}, status {self.status}, descriptors left {self.leaked}\n"
                f"stdout {self.out[-2000:]!r}\nstderr {self.err[-4000:].decode(errors='replace')}")


def preload():
    library = setting("NBSCOREP_INJECT")
    if not library:
        raise SystemExit("NBSCOREP_INJECT must name the library made of inject.c")
    return os.path.abspath(library)


def run(folder, log, arguments, fault=None, env=None, **more):
    """nbscorep with ARGUMENTS in FOLDER. Without a fault its calls are only counted."""
    variables = fault.variables() if fault else {"FAULTS_MODE": "count"}
    if log.exists():
        log.unlink()
    # The library stands in front of the sanitizer's functions, which count on being first.
    options = "verify_asan_link_order=0:allocator_may_return_null=1:exitcode=86"
    process = subprocess.Popen(
        [binary(), *arguments], cwd=folder, **({
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
            "env": clean_environment(**(env or {}) | variables, LD_PRELOAD=preload(),
                                     FAULTS_LOG=str(log), ASAN_OPTIONS=options)} | more))
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += b"hangs"
    return Outcome(process.returncode, out, err, log.read_text() if log.exists() else "")


def sample(count, most):
    """Up to MOST of the numbers from 1 to COUNT, evenly."""
    if count <= most or setting("NBSCOREP_FAULTS") == "all":
        return range(1, count + 1)
    return sorted({1 + round((i + 0.5) * count / most - 0.5) for i in range(most)})


def faults(counts, most):
    """The faults of calls other than allocations: all that COUNTS has, at most MOST of a kind."""
    for calls, errors in ERRORS.items():
        for nth in sample(counts.get(calls, 0), most):
            for number in errors:
                yield Fault(calls, nth, "error", number)
            if calls in SHORT:
                yield Fault(calls, nth, "short")
    for calls in SHORT:
        yield Fault(calls, 1, "short", lasting=True)


def failing_allocations(counts, most):
    for nth in sample(counts["alloc"], most):
        yield Fault("alloc", nth, "error", errno.ENOMEM)
        yield Fault("alloc", nth, "error", errno.ENOMEM, lasting=True)


def signals(counts, most, classes=("open", "write", "link", "rename", "close", "print", "read")):
    for calls in classes:
        for nth in sample(counts.get(calls, 0), most):
            yield Fault(calls, nth, "signal", SIGNALS[nth % len(SIGNALS)])
