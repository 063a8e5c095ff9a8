#!/usr/bin/env python3
"""Code that runs besides the cells' own: modules beside the notebook, scripts of %run, files that
cells write. If it imports mpi4py, the run script has --mpp=mpi."""
import re
import unittest

from support import Case, notebook


class Others(Case):
    def added(self, *cells, options=()):
        """What --mpp=mpi is added for, or None."""
        self.write("x.ipynb", notebook(*cells))
        done = self.nbscorep("build", "-o", "-", *options, "x.ipynb")
        self.assertEqual(done.status, 0, done)
        found = re.findall(rb"'(\w+)'(?: in '[\w./]+')? may communicate with other ranks; .* "
                           rb"\[args-mpi\]", done.err)
        self.assertLessEqual(len(found), 1)
        return found[0].decode() if found else None

    def added_by(self, *cells, **more):
        """The same by the file lib/work.py that a cell leads to."""
        self.write("lib/work.py", "import mpi4py\n")
        return self.added(*cells, **more)

    def test_scripts(self):
        for line in ("%run lib/work.py", "%run lib/work", "%run -i './lib/work.py' 1 2",
                     "%%execute_with_scorep\n%run lib/work.py"):
            self.assertEqual(self.added_by(line), "mpi4py", line)
        for line in "%run lib/none.py", "%run -m lib.work", "%run {name}.py", "%run":
            self.assertIsNone(self.added_by(line), line)
        # Lines of magics do not count as files, whose number has a limit.
        self.assertEqual(self.added_by(*["%time x = 1"] * 300, "%run lib/work.py"), "mpi4py")

    def test_modules_beside_a_script_or_notebook(self):
        self.write("lib/main.py", "import work\n")
        self.write("lib/inner.ipynb", notebook("import work"))
        for name in "main.py", "inner.ipynb":
            self.assertEqual(self.added_by(f"%run lib/{name}"), "mpi4py")

    def test_each_script_has_the_modules_beside_it(self):
        self.write("lib/plain.py", "")
        self.write("a/main.py", "import work\n")
        self.write("a/work.py", "")
        self.assertIsNone(self.added_by("%run lib/plain.py", "%run a/main.py"))
        self.write("a/work.py", "import mpi4py\n")
        self.assertEqual(self.added("try:\n    import work\nexcept ImportError:\n    pass",
                                    "%run lib/plain.py", "%run a/main.py"), "mpi4py")

    def test_folders(self):
        for line in ("import sys; sys.path.append('lib')", "sys.path.insert(0, './lib/')",
                     "sys.path += ['lib']", "sys.path.extend(['x', 'lib'])",
                     "sys.path.append(os.path.join(os.getcwd(), 'lib'))", "%cd lib", "%cd ./lib/",
                     "import os; os.chdir('lib')", "sys.path.append(str(Path('.') / 'lib'))"):
            self.assertEqual(self.added_by(line, "import work"), "mpi4py", line)
        for line in ("path.append('lib')", "x.sys.path = 'lib'", "sys.path.append(name)", "sys.path",
                     "chdir", "%cd -", "sys.path.append('l\\ib')"):
            self.assertIsNone(self.added_by(f"def f():\n    {line}", "import work"), line)
        for no_python in "sys.path.append('lib", "sys.path.append(", "sys.path +=":
            self.assertIsNone(self.added_by(f"def f():\n    {no_python}", "import work",
                                            options=["--no-verify"]), no_python)
        self.write("deep/lib/work.py", "import mpi4py\n")
        self.assertEqual(self.added("sys.path.append(os.path.join('deep', 'lib'))", "import work"), "mpi4py")

    def test_files_that_cells_write(self):
        text = "%%writefile made.py\nimport mpi4py"
        self.assertEqual(self.added(text, "import made"), "mpi4py")
        self.assertEqual(self.added(text, "%run ./made.py"), "mpi4py")
        self.assertEqual(self.added(text, "%%writefile -a ./made.py\nx = 1", "import made"), "mpi4py")
        self.assertEqual(self.added(text.replace("made", "pkg/__init__"), "import pkg"), "mpi4py")
        self.assertEqual(self.added(text.replace("writefile", "file"), "%run made.py"), "mpi4py")
        self.assertEqual(self.added(text, "%%writefile made.py\nx = 1", "import made"), None)
        self.assertIsNone(self.added(text))
        self.assertIsNone(self.added(text.replace("made.py", "made.txt"), "import made"))

    def test_what_a_cell_writes_is_there_instead_of_a_file(self):
        self.write("work.py", "import mpi4py\n")
        self.assertEqual(self.added("import work"), "mpi4py")
        self.assertIsNone(self.added("%%writefile work.py\nx = 1", "import work"))

    def test_code_in_lines_of_magics(self):
        for line in ("%time import mpi4py", "%time from mpi4py import MPI as M",
                     "%timeit -n1 -r 1 import mpi4py", "%prun -s time import mpi4py",
                     "%%timeit -n1 import mpi4py\nmpi4py.rc()"):
            self.assertEqual(self.added(line), "mpi4py", line)
        self.assertIsNone(self.added("%time print('import mpi4py')", "%who import mpi4py"))
        self.assertEqual(self.added_by("import sys; sys.path.append('lib')", "%time import work"), "mpi4py")


class Given(Case):
    """--thread=pthread is there always, --mpp=mpi for mpi4py, unless the notebook has the option."""

    def arguments(self, *cells, options=()):
        self.write("x.ipynb", notebook(*cells))
        done = self.nbscorep("build", *options, "x.ipynb")
        self.assertEqual(done.status, 0, done)
        self.assertNotIn(b"thread", done.err)
        return re.search(r" --build=\S+(.*) x.py \"\$@\"", self.path("x_run.sh").read_text())[1].split()

    HEAD = "%%scorep_python_binding_arguments\n"

    def test_threads(self):
        for cell in "x = 1", "import threading", "import numpy", "%%bash\nls":
            self.assertEqual(self.arguments(cell), ["--thread=pthread"], cell)
        self.assertEqual(self.arguments(self.HEAD + "--instrumenter-type=trace", "x = 1"),
                         ["--instrumenter-type=trace", "--thread=pthread"])

    def test_threads_given(self):
        for word in "--thread=none", "--thread=omp:ompt", "--thread=$T":
            self.assertEqual([w.strip('"') for w in self.arguments(self.HEAD + word, "x = 1")], [word])
        self.assertEqual(self.arguments("x = 1", options=["--set", "args=--thread=none"]), ["--thread=none"])

    def test_mpi(self):
        self.assertEqual(self.arguments("from mpi4py.futures import MPICommExecutor"),
                         ["--thread=pthread", "--mpp=mpi"])
        self.assertEqual(self.arguments(self.HEAD + "--mpp=none", "import mpi4py"),
                         ["--mpp=none", "--thread=pthread"])


if __name__ == "__main__":
    unittest.main()
