"""Starts Score-P's bindings, which start Python twice: the first time they build a library that Score-P
loads before Python starts.

Both times this package's own command runs: in place of the bindings' command `python -m scorep`, the
second start is the command of the program again. There the bindings' instrumenter gets another method
`run`, which runs the script in a true module __main__ (runner.py).
"""
import os
import shutil
import sys

# The C module, as in ending.py.
import _signal as signal

from .measurement import INITIALISED, is_loaded
from .messages import fail, note
from .running import run

TEMPORARY = "SCOREP_PYTHON_BINDINGS_TEMP_DIR"
SIGNALS = signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1


def is_shared(program):
    """True if other ranks also use the bindings' files, so that no rank removes them."""
    return bool(program.rank_of) and os.environ.get(TEMPORARY, "").startswith(program.rank_of + "/")


class Early:
    """Handles signals until the script's own handlers are installed: what the bindings and the launcher
    have made is removed. NUMBERS: signals that are blocked, because they may come between two starts."""

    def __init__(self, program):
        self.program = program
        self.ended = None
        self.former = {number: signal.getsignal(number) for number in SIGNALS}
        self.former = {number: former for number, former in self.former.items()
                       if former in (signal.SIG_DFL, signal.default_int_handler)}
        for number in self.former:
            signal.signal(number, self.stop)
        self.made = []  # folders
        self.watch_folders()

    def stop(self, number, frame):
        self.ended = 128 + number
        if number == signal.SIGUSR1:
            note("ended by SIGUSR1 before the first cell")
        raise SystemExit(self.ended)

    def watch_folders(self):
        """Notes which temporary folders are made."""
        import tempfile
        make = tempfile.mkdtemp

        def make_and_note(*arguments, **options):
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, self.former)
            try:
                self.made.append(make(*arguments, **options))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            return self.made[-1]

        tempfile.mkdtemp = make_and_note

    def check(self):
        """Ends the process if the bindings have caught the exception of a signal."""
        if self.ended is not None:
            raise SystemExit(self.ended)

    def remove(self):
        """Removes what was made, after a signal or an error."""
        from . import experiment, processes
        signal.pthread_sigmask(signal.SIG_BLOCK, self.former)
        processes.end_children({}, signal.SIGKILL)
        folders = self.made + [os.environ.get(TEMPORARY)] * (not is_shared(self.program))
        for folder in filter(None, folders):
            shutil.rmtree(folder, ignore_errors=True)
        experiment.unlock(self.program)

    def block(self):
        """Blocks the signals, which stay so in the next start. Returns their numbers as a text."""
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, self.former)
        self.check()
        return " ".join(str(int(number)) for number in self.former if number not in blocked)

    def give_way(self, install):
        """Lets INSTALL replace these handlers."""
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, self.former)
        for number, former in self.former.items():
            signal.signal(number, former)
        install()
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def run_bindings(arguments):
    """Runs the bindings' program with ARGUMENTS."""
    import runpy
    sys.argv = ["scorep", *arguments]
    sys.path.insert(0, sys.path[0])  # the bindings replace the first one
    runpy.run_module("scorep", run_name="__main__")  # alter_sys would replace __main__ again at the end


def prepare(arguments, ready):
    """Lets the bindings prepare, and calls READY with the environment in which they would start again."""
    os.environ.pop(INITIALISED, None)  # of a measured process that has started this one

    os.execve = lambda path, words, environment: ready(environment)
    os.execv = lambda path, words: ready(os.environ)
    run_bindings(arguments)


def start(program, name_directory):
    """Starts the script with the bindings. Does not return. NAME_DIRECTORY: names the experiment directory,
    which a signal takes back from now on."""
    early, execve = Early(program), os.execve

    def ready(environment):
        blocked = early.block()
        environment = {**environment, INITIALISED: "true", "NBSCOREP_READY": f"{os.getpid()} {blocked}",
                       "NBSCOREP_FOLDER": program.folder, "NBSCOREP_LOCK": program.lock}
        if program.rank_of:
            environment["NBSCOREP_RANK_OF"] = program.rank_of
        execve(program.again[0], program.again, environment)

    try:
        name_directory(program)
        if is_loaded():
            ready(dict(os.environ))
        prepare([*program.bindings, program.script], ready)
    except BaseException:
        early.remove()
        raise
    early.remove()  # --help


def prepare_ranks(program, folder):
    """Prepares the bindings once for all ranks: writes their variables to FOLDER/environment, each
    followed by a NUL, and their files to FOLDER. Ends the process."""
    import tempfile
    before = dict(os.environ)

    def ready(environment):
        with open(os.path.join(folder, "part"), "wb") as file:
            for name, value in [*environment.items(), (INITIALISED, "true")]:
                if before.get(name) != value or name == INITIALISED:
                    file.write(os.fsencode(f"{name}={value}") + b"\0")
        os.rename(os.path.join(folder, "part"), os.path.join(folder, "environment"))
        os._exit(0)

    tempfile.tempdir = folder
    prepare(["--keep-files", *program.bindings, program.script], ready)
    sys.exit("the bindings started the script without starting themselves again")


def go_on(program):
    """Runs the script in the process in which the bindings are loaded."""
    number, _, blocked = program.ready.partition(" ")
    if number not in ("ranks", str(os.getpid())):  # a variable of another process
        fail(2, "NBSCOREP_READY is set")
    early, runner = Early(program), None
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [int(word) for word in blocked.split()])
        runner = make_runner(program, early)
        run_bindings([*run.options, program.script])
    except SyntaxError as error:  # of the script, which the bindings compile before they run it
        if runner is None or runner.started or error.filename != program.script:
            raise
        sys.exit(runner.report(error))
    finally:
        if runner is None or not runner.started:
            early.remove()


def make_runner(program, early):
    """The runner of the script. The instrumenter that the bindings make starts it."""
    import scorep.instrumenter
    import scorep.user  # noqa: F401
    from .runner import Runner
    runner = Runner(program, measured=True)
    path, make = sys.path[:], scorep.instrumenter.get_instrumenter

    def get_instrumenter(*given, **named):
        scorep.instrumenter.get_instrumenter = make
        changed, sys.path[:] = sys.path[:], path  # without the script's folder, where modules may be
        instrumenter = make(*given, **named)
        sys.path[:] = changed
        usual = instrumenter.run

        def run_script(code, *names):
            early.check()
            runner.run(lambda code, main: usual(code, *[main] * max(1, len(names))), early.give_way, code)

        instrumenter.run = run_script
        return instrumenter

    scorep.instrumenter.get_instrumenter = get_instrumenter
    return runner
