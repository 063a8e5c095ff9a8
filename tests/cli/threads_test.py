#!/usr/bin/env python3
"""What starts threads gets --thread=pthread: each row of ir/threads.def, and nothing else."""
import re
import unittest

from support import ROOT, Case, notebook

TABLE = (ROOT / "src/ir/threads.def").read_text()
MODULES = re.findall(r'^STARTS_THREADS_IMPORT\("(\w+)"\)', TABLE, re.M)
NAMES = re.findall(r'^STARTS_THREADS_NAME\("(\w+)", "(\w*)"\)', TABLE, re.M)


class Threads(Case):
    def added(self, *cells, options=()):
        """What --thread=pthread is added for, or None."""
        self.write("x.ipynb", notebook(*cells))
        done = self.nbscorep("build", "-o", "-", *options, "x.ipynb")
        self.assertEqual(done.status, 0, done)
        found = re.findall(rb"'(\w+)' may start threads; .* \[args-thread\]", done.err)
        self.assertLessEqual(len(found), 1)
        return found[0].decode() if found else None

    def test_imports(self):
        self.assertGreater(len(MODULES), 20)
        for module in MODULES:
            for text in f"import {module}.x as y", f"from {module} import x":
                self.assertEqual(self.added(text), module)

    def test_names(self):
        self.assertGreater(len(NAMES), 10)
        for name, module in NAMES:
            imported = [f"import {module}"] if module else []
            self.assertEqual(self.added("x = 1", *imported, f"x.{name}(1)"), name)
            self.assertEqual(self.added(f"def f(x): x.{name}(1)", *imported), name)
            self.assertIsNone(self.added(f"def {name}(): pass", *imported))

    def test_names_of_modules_that_are_not_imported(self):
        for name, module in NAMES:
            if module:
                self.assertIsNone(self.added("import os", f"os.{name}(1)"))

    def test_mpi_executors_need_both(self):
        self.write("x.ipynb", notebook("from mpi4py.futures import MPICommExecutor"))
        done = self.nbscorep("check", "--print-env", "x.ipynb")
        self.assertIn(b"[args-mpi]", done.err + done.out)
        self.assertIn(b"[args-thread]", done.err + done.out)
        self.assertIsNone(self.added("from mpi4py import MPI"))

    def test_drawing(self):
        for module in "matplotlib", "seaborn", "cartopy", "mplfinance":
            self.assertEqual(self.added(f"import {module}"), module)
        self.assertEqual(self.added("import pandas as pd", "x = 1\nx.plot()"), "pandas")
        self.assertEqual(self.added("import pandas as pd", "%matplotlib inline"), "pandas")
        self.assertIsNone(self.added("import pandas as pd", "x = 1\nx.describe()"))
        self.assertIsNone(self.added("x = 1\nx.plot()"))

    def test_no_threads_of_python(self):
        for module in "numpy", "numba", "requests", "asyncio", "http.server", "logging.handlers":
            self.assertIsNone(self.added(f"import {module}"))

    def test_given(self):
        self.assertIsNone(self.added("%%scorep_python_binding_arguments\n--thread=none",
                                     "import threading"))


if __name__ == "__main__":
    unittest.main()
