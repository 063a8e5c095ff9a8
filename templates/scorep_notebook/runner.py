"""Starts the script in a true module __main__, measured or not, as `python3 script.py` does.

The bindings run a script in a dictionary that is no module's, so pickle, dataclasses and
multiprocessing would not find what the script defines."""
import builtins
import importlib.machinery
import os
import sys
import types

from . import uncaught
from .running import run


def make_main():
    """A new module __main__ for the script, which is in sys.modules from now on."""
    main = types.ModuleType("__main__")
    vars(main).update(__file__=run.script, __builtins__=builtins, __cached__=None,
                      __loader__=importlib.machinery.SourceFileLoader("__main__", run.script))
    sys.modules["__main__"] = main
    return main


def run_plainly():
    """Runs the script unmeasured."""
    main = make_main()
    sys.path[0] = os.path.dirname(os.path.realpath(run.script))
    with open(run.script, "rb") as file:
        code = compile(file.read(), run.script, "exec")
    exec(code, vars(main))


def run_measured(instrumenter):
    """Lets INSTRUMENTER, which the bindings are about to use, run the script in its module."""
    usual = instrumenter.run

    def run_script(code, *ignored):
        main = make_main()
        try:
            usual(code, vars(main), vars(main))
        except KeyboardInterrupt as error:
            # Python would end itself with SIGINT, and Score-P would lose its data.
            uncaught.end_interrupted(error)

    instrumenter.run = run_script
