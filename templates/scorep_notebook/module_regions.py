"""Regions for the functions of chosen modules (--instrument-module)."""
import atexit
import os
import sys
import types

import scorep.instrumenter
import scorep.user

from .messages import note
from .running import run


class instrument_on_import:
    """--instrument-module: instruments the functions of these modules after each import. Imports no
    module earlier, so that what a module prints or reads when it is imported stays in order."""

    def __init__(self, names):
        self.names = names
        self.missing = set(names)
        for name in names:
            if name in sys.modules:
                self.instrument(sys.modules[name])

    def find_spec(self, name, path=None, target=None):
        if name not in self.names:
            return None
        with scorep.instrumenter.disable():
            found = (finder.find_spec(name, path, target)
                     for finder in sys.meta_path if finder is not self)
            spec = next(filter(None, found), None)
        load = getattr(getattr(spec, "loader", None), "exec_module", None)
        if load is not None and not isinstance(spec.loader, type):  # not a loader of all modules
            spec.loader.exec_module = lambda module: (
                load(module), self.instrument(sys.modules.get(name, module)))
        return spec

    def instrument(self, module):
        with scorep.instrumenter.disable():
            self.missing.discard(module.__name__)
            try:
                for name, value in list(vars(module).items()):  # dir() may invent names
                    if isinstance(value, types.FunctionType):
                        setattr(module, name, scorep.user.instrument_function(value))
            except Exception as error:  # older bindings
                note(f"cannot instrument module '{module.__name__}': {error!r}")

    def tell_missing(self):
        for name in sorted(self.missing) if os.getpid() == run.process else ():
            note(f"cannot instrument module '{name}': it was not imported as a Python file")


def watch_modules(names):
    on_import = instrument_on_import(names)
    sys.meta_path.insert(0, on_import)
    atexit.register(on_import.tell_missing)
