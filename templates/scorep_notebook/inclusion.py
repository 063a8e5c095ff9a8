"""%run of a notebook that the script includes."""
import os
import sys

import scorep.instrumenter

from .running import start


class include:
    """The context of %run NAME: __file__ is NAME, and modules in the notebook's folder can be imported."""

    def __init__(self, name):
        self.name = name
        self.names = sys._getframe(1).f_globals

    def __enter__(self):
        with scorep.instrumenter.disable():
            path = os.path.realpath(os.path.join(start.folder, self.name))
            self.folder = os.path.dirname(path)
            self.added = self.folder not in sys.path
            if self.added:
                sys.path.insert(0, self.folder)
            self.before = {key: self.names[key] for key in ("__file__",) if key in self.names}
            self.names["__file__"] = self.name

    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            self.names.pop("__file__", None)
            self.names.update(self.before)
            if self.added and self.folder in sys.path:
                sys.path.remove(self.folder)
