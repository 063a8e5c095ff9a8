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
        found = re.findall(rb"'(\w+)'(?: in '[\w./]+')? may start threads; .* \[args-thread\]",
                           done.err)
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

    def added_by(self, *cells):
        """The same by the file lib/work.py that a cell leads to."""
        self.write("lib/work.py", "import threading\n")
        return self.added(*cells)

    def test_scripts(self):
        for line in ("%run lib/work.py", "%run lib/work", "%run -i './lib/work.py' 1 2",
                     "%%execute_with_scorep\n%run lib/work.py"):
            self.assertEqual(self.added_by(line), "threading", line)
        for line in "%run lib/none.py", "%run -m lib.work", "%run {name}.py", "%run":
            self.assertIsNone(self.added_by(line), line)

    def test_modules_beside_a_script(self):
        self.write("lib/main.py", "import work\n")
        self.assertEqual(self.added_by("%run lib/main.py"), "threading")

    def test_each_script_has_the_modules_beside_it(self):
        self.write("lib/plain.py", "")
        self.write("a/main.py", "import work\n")
        self.write("a/work.py", "")
        self.assertIsNone(self.added_by("%run lib/plain.py", "%run a/main.py"))
        self.write("a/work.py", "import threading\n")
        self.assertEqual(self.added("try:\n    import work\nexcept ImportError:\n    pass",
                                    "%run lib/plain.py", "%run a/main.py"), "threading")

    def test_modules_beside_an_included_notebook(self):
        self.write("lib/inner.ipynb", notebook("import work"))
        self.assertEqual(self.added_by("%run lib/inner.ipynb"), "threading")

    def test_folders(self):
        for line in ("import sys; sys.path.append('lib')", "sys.path.insert(0, './lib/')",
                     "sys.path += ['lib']", "sys.path.extend(['x', 'lib'])",
                     "sys.path.append(os.path.join(os.getcwd(), 'lib'))", "%cd lib", "%cd ./lib/",
                     "import os; os.chdir('lib')", "sys.path.append(str(Path('.') / 'lib'))"):
            self.assertEqual(self.added_by(line, "import work"), "threading", line)
        for line in ("path.append('lib')", "x.sys.path = 'lib'", "sys.path.append(name)", "sys.path",
                     "sys.path.append('lib", "sys.path.append(", "sys.path +=", "chdir", "%cd -",
                     "sys.path.append('l\\ib')"):
            self.assertIsNone(self.added_by(f"def f():\n    {line}", "import work"), line)
        self.write("deep/lib/work.py", "import threading\n")
        self.assertEqual(self.added("sys.path.append(os.path.join('deep', 'lib'))", "import work"),
                         "threading")

    def test_files_that_cells_write(self):
        text = "%%writefile made.py\nimport threading"
        self.assertEqual(self.added(text, "import made"), "threading")
        self.assertEqual(self.added(text, "%run ./made.py"), "threading")
        self.assertEqual(self.added(text, "%%writefile -a ./made.py\nx = 1", "import made"),
                         "threading")
        self.assertEqual(self.added(text.replace("made", "pkg/__init__"), "import pkg"),
                         "threading")
        self.assertEqual(self.added(text.replace("writefile", "file"), "%run made.py"), "threading")
        self.assertEqual(self.added(text, "%%writefile made.py\nx = 1", "import made"), None)
        self.assertIsNone(self.added(text))
        self.assertIsNone(self.added(text.replace("made.py", "made.txt"), "import made"))

    def test_lines_of_magics_take_no_place_of_files(self):
        self.assertEqual(self.added_by(*["%time x = 1"] * 300, "%run lib/work.py"), "threading")

    def test_code_in_lines_of_magics(self):
        for line in ("%time import threading", "%time from threading import Thread as T",
                     "%timeit -n1 -r 1 import threading", "%prun -s time import threading",
                     "%%timeit -n1 import threading\nthreading.Thread()"):
            self.assertEqual(self.added(line), "threading", line)
        self.assertIsNone(self.added("%time print('import threading')", "%who import threading"))
        self.assertEqual(self.added_by("import sys; sys.path.append('lib')", "%time import work"),
                         "threading")

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
