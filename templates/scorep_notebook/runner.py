"""Starts the script in a true module __main__, measured or not, as `python3 script.py` does.

The bindings run a script in a dictionary that is no module's, so pickle, dataclasses and
multiprocessing would not find what the script defines."""
import builtins
import importlib
import importlib.machinery
import os
import sys
import types
import warnings

from . import job
from .launch import read_script
from .messages import fail
from .running import run, start


def make_main():
    """A new module __main__ for the script, which is in sys.modules from now on."""
    main = types.ModuleType("__main__")
    vars(main).update(__file__=run.script, __builtins__=builtins, __cached__=None,
                      __loader__=importlib.machinery.SourceFileLoader("__main__", run.script))
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    return main


def hide(value):
    """A sys.displayhook that shows nothing."""
    if value is not None:
        builtins._ = value


hide.nbscorep_hides = True


class Runner:
    """Runs the script of a program that was launched (launch.py)."""

    started = False

    def __init__(self, program, measured=False, recorded=False):
        """RECORDED: by nbscorep's recorder, not by Score-P."""
        self.program = program
        run.process, run.folder = os.getpid(), os.getcwd()
        run.script, run.measured, run.recorded, run.agrees = program.script, measured, recorded, True
        if measured and not recorded:
            from .bindings import is_shared
            run.options = ["--keep-files"] * is_shared(program) + program.bindings
        run.is_rank = bool(program.rank_of) or job.launched_rank() is not None
        package = sys.modules[__package__]
        if not hasattr(package, "frames"):  # it is not initialised: see __main__.py
            package.__spec__.loader.exec_module(package)
        self.path = sys.path[:]  # without the script's folder, where modules of any name may be

    def run(self, enter, install=lambda install: install(), code=None):
        """Runs the script by ENTER(code, names). INSTALL calls what installs handlers of signals. CODE: the
        script's, if it is compiled already."""
        self.started = True
        error = None
        try:
            self.prepare(install)
            if code is None:
                code = self.compile()
            elif self.program.regions:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # they have been shown
                    code = self.compile()
            enter(code, vars(make_main()))
        except SystemExit as end:
            if isinstance(end.code, int) or end.code is None:
                self.end(int(end.code or 0) & 0xff)
                raise
            if sys.stderr is not None:  # as Python does after the end
                print(end.code, file=sys.stderr, flush=True)
            self.end(1)
            sys.exit(1)
        except BaseException as raised:
            error = raised
        status = 0
        if error is not None:
            try:
                status, error = self.report(error), None
            except SystemExit as end:  # of the script's sys.excepthook
                self.end(int(end.code or 0) & 0xff if isinstance(end.code, (int, type(None))) else 1)
                raise
        self.end(status)
        if status != 0:
            sys.exit(status)

    def end(self, status):
        if run.executed is not None:
            run.executed.finish(status)

    def report(self, error):
        """Prints the traceback of ERROR, which ends the script. Returns the exit status."""
        path, sys.path[:] = sys.path[:], self.path
        from . import uncaught
        sys.path[:] = path
        return uncaught.report(error)

    def compile(self):
        regions = self.program.regions
        if regions and run.measured:
            from .regions import compile_with_regions, wishes
            wishes.regions = "defs" if "defs" in regions else regions
            return compile_with_regions(run.source, run.script, "exec")
        return compile(run.source, run.script, "exec", dont_inherit=True)

    def prepare(self, install):
        program = self.program
        former = os.environ.get("PYTHONPATH")
        if former is None or former.partition(":")[0] != program.folder:
            os.environ["PYTHONPATH"] = program.folder + (":" + former if former else "")
        self.set_path()
        sys.argv[:] = [program.given, *program.arguments]
        # As by jedi, which IPython loads in kernels.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))
        if job.rank() > 0 and not program.all_ranks:
            start.displayhook = sys.displayhook = hide
        run.source = read_script(program)
        importlib.import_module("__future__")  # the import of the script would be recorded
        lines = (os.environ.get("NBSCOREP_PROGRESS") or program.progress and "lines") == "lines"
        cells = os.environ.get("NBSCOREP_CELLS", "")
        if not (program.rank_of or os.path.exists(os.path.join(cells, "live"))):  # no process reads
            cells = ""
        take = os.environ.pop
        executed, html = take("NBSCOREP_EXECUTED", ""), take("NBSCOREP_HTML", "")
        output_limit, cell_timeout = take("NBSCOREP_OUTPUT_LIMIT", ""), take("NBSCOREP_CELL_TIMEOUT", "")
        if executed or html:
            from .executed import write_executed
            write_executed(program, executed or "yes", html, output_limit)
        if cell_timeout:
            from . import cell_limit
            cell_limit.watch(cell_timeout)
        if take("NBSCOREP_ALLOW_ERRORS", ""):
            from . import frames
            from .captured import goes_on
            frames.goes_on = goes_on
        interval = os.environ.pop("NBSCOREP_MONITOR", "")
        if interval:
            from .monitored import monitor_script
            monitor_script(program.name, interval)
        if lines or cells or interval:
            from . import progress
            progress.watch_cells(cells, lines)
        if run.measured:
            self.prepare_measurement()
        # Not for what the script starts.
        for name in "NBSCOREP_BUILD", "NBSCOREP_CELLS", "NBSCOREP_PROGRESS", "NBSCOREP_QUIET", "NBSCOREP_REPORT":
            os.environ.pop(name, None)
        from . import ending
        install(ending.install)
        if program.rank_of and os.path.exists(os.path.join(program.rank_of, "asked")):  # before it started
            ending.ending.asked = True
        if run.measured and program.instrument_module:  # last: calls of the others are not measured
            from .module_regions import watch_modules
            watch_modules(program.instrument_module)
        folder = take("NBSCOREP_CWD", "")
        if folder:
            try:
                os.chdir(folder)
            except OSError as error:
                fail(1, f"cannot run in '{folder}': {error.strerror}")

    def prepare_measurement(self):
        from . import experiment, flushes, running, unrecorded
        if self.program.imports != "record":
            unrecorded.quieten_imports()
        unrecorded.watch_threads()
        if run.recorded:
            if sys.version_info < (3, 12):
                from scorep import _recorder
                from . import frames
                frames.before.append(lambda number: _recorder.renew())
            return
        flushes.watch()
        running.remove_temporary()
        directory, recorder = os.environ.get(experiment.VARIABLE, ""), os.environ.pop("NBSCOREP_RECORDER", "")
        if os.path.isdir(directory):
            experiment.unlock(self.program)
            if recorder:
                from .lines import sample_lines
                sample_lines(recorder, os.path.abspath(directory), self.program)
        else:  # with --mpp=mpi Score-P makes it later
            import atexit
            atexit.register(self.unlock)
            run.at_end.append(self.unlock)

    def unlock(self):
        if os.getpid() == run.process:
            from . import experiment
            experiment.unlock(self.program)

    def set_path(self):
        """Makes sys.path what `python3 SCRIPT` has, with the notebook's folder from PYTHONPATH."""
        folder, own = self.program.folder, os.path.dirname(os.path.realpath(run.script))
        # The bindings put the script's folder first, and an instrumenter file may add others.
        path = self.path + [each for each in sys.path
                            if each not in self.path and each != os.path.dirname(run.script)]
        if not sys.flags.ignore_environment:
            path = [folder] + [each for each in path if each != folder]
        sys.path[:] = [own] + path
