"""Calls functions when a module is imported."""
import sys

import scorep.instrumenter


class on_import:
    """Calls FUNCTION with the module NAME after its import; at once if it is imported already."""

    def __init__(self, name, function):
        self.name = name
        self.function = function
        if name in sys.modules:
            function(sys.modules[name])
        else:
            sys.meta_path.insert(0, self)

    def call(self, module):
        with scorep.instrumenter.disable():
            self.function(sys.modules.get(self.name, module))

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        with scorep.instrumenter.disable():
            sys.meta_path.remove(self)
            from importlib.util import find_spec  # takes 2 ms to import
            spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (load(module), self.call(module))
        return spec
