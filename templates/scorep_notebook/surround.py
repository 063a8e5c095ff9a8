"""What surrounds a script while it runs: signals, uncaught exceptions, the cells that are reported.

The run script passes a file that calls begin() to Python: as the bindings' instrumenter file, or, if
nothing is measured, as Python's program, followed by the script."""
import importlib
import os
import sys

import scorep.instrumenter

from . import ending, flushes, job, progress, quiet_imports, runner, threads, uncaught
from .running import binding_options, remove_temporary, run
from .start import start


def close_descriptor(program):
    """Closes the descriptor of the file that called, which children of the script would inherit."""
    for option in binding_options() if run.measured else [f"={program}"]:
        _, _, name = option.partition("=/dev/fd/")
        if name.isdecimal():
            os.close(int(name))


def run_instrumenter_file():
    """Runs the user's instrumenter file: the bindings use only the last one, which calls this."""
    name = "--instrumenter-file="
    files = [word[len(name):] for word in binding_options() if word.startswith(name)]
    if len(files) > 1:
        with open(files[-2]) as file:
            text = file.read()
        exec(compile(text, files[-2], "exec"), {"__name__": "__main__", "__file__": files[-2]})


def begin(told_to=None, lines=False, agrees=False, all_ranks=False, records_imports=False, regions=(),
          modules=()):
    """Prepares the script, and runs it if it is not measured. AGREES: its ranks communicate. TOLD_TO, LINES:
    see progress.py. REGIONS: "defs" or patterns, MODULES: names."""
    run.measured = sys.modules["__main__"].__spec__ is not None  # python3 -m scorep
    program = None if run.measured else sys.argv.pop(0)
    run.script, run.agrees = sys.argv[0], agrees
    try:
        with open(run.script, "rb") as file:
            run.source = file.read()
    except OSError:  # it cannot be run
        pass
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))  # as by jedi, which IPython loads in kernels
    importlib.import_module("__future__")  # the import of the script would be recorded
    uncaught.watch_exceptions()
    if job.rank() > 0 and not all_ranks:
        start.displayhook = sys.displayhook = runner.hide
    close_descriptor(program)
    progress.watch_cells(told_to, lines)
    if not run.measured:
        runner.run_plainly()
        return
    if not records_imports:
        quiet_imports.quieten_imports()
    if regions:
        from .regions import watch_script
        watch_script(regions)
    threads.watch_threads()
    flushes.watch_flushes()
    from .late_mpi import watch_mpi
    watch_mpi()
    remove_temporary()
    ending.end_well()
    runner.run_measured(scorep.instrumenter.get_instrumenter())
    run_instrumenter_file()
    if modules:
        from .module_regions import watch_modules
        watch_modules(modules)
