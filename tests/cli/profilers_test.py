#!/usr/bin/env python3
"""Each row of PROFILERS in templates/lints.py is warned of under the instrumenters that have its hook, only."""
import re
import unittest

from support import ROOT, Case, notebook

ROWS = re.findall(r'^    \("(\w+)", "(\w+)"\): \((PROFILE|TRACE)\w*, (True|False)\)',
                  (ROOT / "templates/lints.py").read_text(), re.M)
INSTRUMENTERS = {"profile": "PROFILE", "cProfile": "PROFILE", "trace": "TRACE", "cTrace": "TRACE", "dummy": None}


class Profilers(Case):
    def warned(self, *cells, argument="--verbose"):
        """The lines with a warning, as (cell, line)."""
        self.write("x.ipynb", notebook(f"%%scorep_python_binding_arguments\n{argument}", *cells))
        done = self.nbscorep("build", "-o", "-", "x.ipynb")
        self.assertEqual(done.status, 0, done)
        self.assertIn(b"# %% cell ", done.out)
        return re.findall(r"cell (\d+):(\d+):\d+: warning: .* \[other-profiler\]", done.err.decode())

    def test_rows(self):
        self.assertGreater(len(ROWS), 10)
        for module, name, hook, sets in ROWS:
            start = ".start()" if sets == "True" else ""
            for instrumenter, of_instrumenter in INSTRUMENTERS.items():
                expected = [("3", "1")] if hook == of_instrumenter else []
                for cells in ((f"import {module}", f"{module}.{name}(1){start}"),
                              (f"from {module} import x, {name}", f"{name}(1){start}")):
                    argument = f"--instrumenter-type={instrumenter}"
                    self.assertEqual(self.warned(*cells, argument=argument), expected, cells)
            for argument in "--noinstrumenter", "--nopython":
                self.assertEqual(self.warned(f"import {module}\n{module}.{name}()", argument=argument), [])

    def test_others(self):
        for cells in (("profile.run()",), ("import os", "cProfile.Profile().enable()"),
                      ("import cProfile", "run()", "x.cProfile.run()", "Profile()"),
                      ("from cProfile import run", "x.run()", "run"),
                      ("import cProfile", "p = cProfile.Profile()", "p = Job()", "p.start()"),
                      ("import cProfile", "p = cProfile.Profile()", "with f() as p: p.start()"),
                      ("import cProfile", "p = cProfile.Profile()", "x.p.start()")):
            self.assertEqual(self.warned(*cells), [], cells)


if __name__ == "__main__":
    unittest.main()
