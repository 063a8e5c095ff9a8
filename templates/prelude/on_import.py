# requires: quiet
class _nbscorep_on_import:
    """Calls FUNCTION with the module NAME as soon as it is imported; now, where it is already."""

    @_nbscorep_apart
    def __init__(self, name, function):
        import sys
        self.name = name
        self.function = function
        if name in sys.modules:
            function(sys.modules[name])
        else:
            sys.meta_path.insert(0, self)

    @_nbscorep_quiet
    def call(self, module):
        import sys
        with scorep.instrumenter.disable():
            self.function(sys.modules.get(self.name, module))  # a script may have given way to it

    @_nbscorep_quiet
    def find_spec(self, name, path=None, target=None):
        import sys
        if name != self.name:
            return None
        with scorep.instrumenter.disable():
            import importlib.util
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (load(module), self.call(module))
        return spec
