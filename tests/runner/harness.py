"""What all test programs share: their settings, and the environment of what they start.

Importing this module makes os.environ that of a plain login shell, so that a program which a test
starts sees what it sees for a user, whatever the caller of the tests exports (PYTHONUNBUFFERED,
SCOREP_*, SLURM_*, a virtual environment ...). What is for the tests themselves (NBSCOREP_*) moves to
setting(). Programs also start with no signal ignored or blocked, which `nohup` and `&` would change.
"""
import atexit
import contextlib
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile

# What a login shell sets; and what a person sets for sanitizers and for temporary files.
KEPT = re.compile(r"(HOME|LANG|LC_\w+|LOGNAME|MAIL|PATH|PWD|SHELL|USER|TZ|TMPDIR|[A-Z]+SAN_OPTIONS)$")

_settings = {name: text for name, text in os.environ.items() if name.startswith("NBSCOREP")}
for _name in [name for name in os.environ if not KEPT.match(name)]:
    del os.environ[_name]
os.environ["TERM"] = "xterm"
os.environ["HWLOC_HIDE_ERRORS"] = "2"  # Open MPI's complaint where there is no /sys

# The tests themselves go on ignoring such a signal; exec() resets a handler to the default action.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
for _number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:  # Python ignores these two
    if signal.getsignal(_number) == signal.SIG_IGN:
        with contextlib.suppress(OSError):  # valgrind keeps some for itself
            signal.signal(_number, lambda *_: None)

# An installed nbscorep is not the one to test: run scripts would find its recorder.
os.environ["PATH"] = ":".join(folder for folder in os.environ["PATH"].split(":")
                              if not os.path.exists(f"{folder}/nbscorep") or os.path.exists(f"{folder}/sh"))

# In place of the user's own configuration and cache; programs may create folders there.
NO_CONFIG = tempfile.mkdtemp(prefix="nbscorep-test-config-")
os.chmod(NO_CONFIG, 0o755)
atexit.register(shutil.rmtree, NO_CONFIG, ignore_errors=True)


def setting(name, default=None):
    """What the caller of the tests, or ctest, set as NAME (NBSCOREP_*); DEFAULT if that is empty."""
    return _settings.get(name) or default


def clean_environment(**more):
    """A login shell's environment without the user's configuration and cache, changed by MORE. A
    variable that is None is left out."""
    changed = {**os.environ, "XDG_CONFIG_HOME": NO_CONFIG, "XDG_CACHE_HOME": NO_CONFIG, **more}
    return {name: text for name, text in changed.items() if text is not None}


def members(session):
    """Processes of a session, but for those that have ended."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(int(path.parent.name))
    return found


def binary():
    """The absolute path of the nbscorep to test. Ends the program if no setting names it."""
    path = setting("NBSCOREP")
    if not path:
        sys.exit("NBSCOREP must name the nbscorep to test")
    return os.path.abspath(path)
