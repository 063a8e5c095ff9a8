# requires: quiet
class _nbscorep_included:
    """%run of the notebook NAME: __file__ names it, and modules are found in its folder."""
    start = __import__("os").getcwd()  # what names are relative to

    @_nbscorep_quiet
    def __init__(self, name, names):
        self.name = name
        self.names = names

    @_nbscorep_quiet
    def __enter__(self):
        with scorep.instrumenter.disable():
            import os
            import sys
            path = os.path.realpath(os.path.join(self.start, self.name))
            self.folder = os.path.dirname(path)
            self.added = self.folder not in sys.path
            if self.added:
                sys.path.insert(0, self.folder)
            self.before = {key: self.names[key] for key in ("__file__",) if key in self.names}
            self.names["__file__"] = self.name

    @_nbscorep_quiet
    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            import sys
            self.names.pop("__file__", None)
            self.names.update(self.before)
            if self.added and self.folder in sys.path:
                sys.path.remove(self.folder)
