"""%run does what it does in Jupyter, and only the program that it runs is measured."""
import pathlib
import subprocess
import sys
import unittest

import kernel
import scripts
import traced

PROGRAMS = {
    "show.py": "import sys\nprint(__name__, sys.argv, __file__, sys.path[0])\n"
               "print(sys.modules[__name__].__file__, __doc__ is None)\n",
    "names.py": '"""About."""\nfrom os import path\na = 1\n_b = 2\n__version__ = 3\n'
                "def f():\n    return a\nclass C:\n    pass\n",
    "uses.py": "print(given)\ngiven += 1\n",
    "ends.py": "import sys\nx = 'before the end'\nsys.exit()\n",
    "ends3.py": "import sys\nx = 'before 3'\nsys.exit(3)\n",
    "fails.py": "x = 1\n1 / 0\n",
    "typo.py": "x = (\n",
    "guarded.py": "if __name__ == '__main__':\n    print('main')\nelse:\n    print('other')\n",
    "neighbour.py": "import beside\nprint(beside.__name__)\n",
    "latin.py": b"# coding: latin-1\nprint('\xe9')\n",
    "future.py": "def f(x: int): pass\nprint(f.__annotations__)\n",
    "folder/beside.py": "",
    "folder/imports.py": "import beside, sys\nprint(sys.path[0], __file__)\n",
    "package/__init__.py": "print('init')\n",
    "package/__main__.py": "import sys\nfrom . import part\nprint(sys.argv, __package__)\n",
    "package/part.py": "import sys\nprint('part', __name__, __package__, sys.argv)\nvalue = 5\n",
    "with space.py": "print('space')\n",
    "notes.txt": "",
    "book.ipynb": "{}",
}


def write_programs(folder):
    for name, text in PROGRAMS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


TRUTH = r" (True|False)\n", "\n"
# Cells that are compared with Jupyter, and what is replaced in the output of both.
COMPARED = {
    "what the program sees": ([
        "%run show", "%run show.py", "%run -n show.py", "%run ./folder/../show a 'b c' \"d\"",
        "%run 'with space'", "%run \"with space.py\"", "%run ~/../show", "%run latin",
        "%run guarded", "%run -n guarded", "%run folder/imports", "import beside", "%run neighbour",
        "import sys\nsys.argv[0] == 'show.py', 'folder' in sys.path[0], __name__"], TRUTH),
    "arguments": ([
        "%run show *.txt no*.txt no*such ~ ~/x", "%run show '*.txt' [n]otes.t?t",
        "name = 'notes'", r"%run show \\*.txt \\[n]\\? a\\\\b", "%run -G show *.txt ~",
        "%run show -n -x --long", "%run show $name {name}.txt", "%run -- show x"], TRUTH),
    "names": ([
        "%run names", "a, _b, __version__, f(), path.sep, C.__name__, __name__, __doc__",
        "f.__module__", "import pickle\npickle.loads(pickle.dumps(C)) is C", "'__file__' in globals()",
        "given = 1", "%run uses", "%run -i uses", "given", "%run -i names", "f()",
        "%run -i -n names", "__name__", "%run ends", "x", "%run -e ends3", "x"], ()),
    # As in Jupyter its functions keep its variables.
    "names of the program's own": (["%run names", "a = 100", "f()", "%run -i names", "a = 100", "f()"], ()),
    "mistakes": (["%run nope", "%run", "%run -q show", "%run folder", "%run 'open",
                  "%run -t -N0 show", "%run -t -Nx show", "%run nope.ipynb"], ()),
    "modules": (["%run -m package.part a -x b", "value", "%run -m package x"], ()),
    "modules behind a dash": (["%run -m package.part -- -x b", "value", "%run -m package x"], ()),
    "times": (["%run -t guarded", "%run -t -N3 guarded", "given = 1", "%run -t -N 2 -i uses", "given"],
              (r" [ \d]{7}\.\d\d", "  0.00")),
}


class RunTest(kernel.Case):
    def files(self, folder):
        write_programs(folder)

    def test_compared(self):
        for what, (cells, replaced) in COMPARED.items():
            with self.subTest(what):
                self.compare(cells, **dict(zip(("pattern", "replacement"), replaced)))

    def test_module_with_long_options(self):
        # IPython 8.5 takes them for its own.
        out, err = self.in_script(["%run -m package.part --long=1 x"])[0]
        self.assertIn("'--long=1', 'x']", out + err)

    def test_module_that_is_not_there(self):
        results = self.in_script(["%run -m nosuch", "%run -m folder", "%run -m sys"])
        for name, result in zip(["nosuch", "folder", "sys"], results):
            self.assertEqual(result, ("", f"Exception: '{name}' is not a valid modulename on sys.path\n"))

    def test_tools_that_are_not_there(self):
        results = self.in_script(["%run -d -b 3 guarded", "%run -p -s time guarded"])
        self.assertEqual([out for out, _ in results], ["main\n"] * 2)
        self.assertIn("no debugger", results[0][1])
        self.assertIn("no profiler", results[1][1])

    def test_future_of_the_script_is_not_the_programs(self):
        script = "from __future__ import annotations\n" + scripts.head() + """
scorep_notebook.run("future.py")
"""
        done = subprocess.run([sys.executable, "-c", script], cwd=self.folder(), check=False,
                              env=scripts.environment(), capture_output=True, encoding="utf-8")
        self.assertEqual(done.stdout, "{'x': <class 'int'>}\n", done.stderr)

    def test_notebook(self):
        """IPython runs one of which nothing was known when the script was made."""
        for name in "book.ipynb", "$name":
            out, err = self.in_script(["name = 'book.ipynb'", f"%run {name}"], PYTHONPATH=scripts.BARE)[1]
            self.assertEqual((out, err), ("", "RuntimeError: book.ipynb: '%run' needs IPython, which this "
                                          "Python does not have\n"))

    def test_failure_ends_the_script(self):
        for name, status, text in (("fails", 1, "ZeroDivisionError"), ("ends3", 3, ""),
                                   ("typo", 1, "SyntaxError")):
            with self.subTest(name=name):
                script = f"scorep_notebook.run('{name}')\nprint('on')\n"
                done = scripts.run(script, cwd=self.folder())
                self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
                self.assertIn(text, done.stderr)

    def test_everything_is_put_back_after_a_failure(self):
        for options in "", "-i", "-n", "-i -n":
            with self.subTest(options=options):
                cells = ["import sys\nbefore = sys.argv, sys.path[:], sys.modules['__main__'], "
                         "'fails' in sys.modules", f"%run {options} fails",
                         "before == (sys.argv, sys.path, sys.modules['__main__'], "
                         "'fails' in sys.modules)",
                         "'__file__' in globals(), __name__"]
                results = self.in_script(cells)[1:]
                self.assertEqual(results, [("", "ZeroDivisionError: division by zero\n"),
                                           ("True\n", ""), ("(False, '__main__')\n", "")])


class IncludeTest(kernel.Case):
    def files(self, folder):
        write_programs(folder)

    def test_names_are_relative_to_the_first_folder(self):
        cells = ["import os\nos.chdir('package')",
                 "with scorep_notebook.include('folder/other.ipynb'):\n"
                 "    import beside\n    print(__file__, beside.__name__)",
                 "'__file__' in globals()", "%cd -", "%dhist"]
        results = self.in_script(cells)
        self.assertEqual([out for out, _ in results[1:3]], ["folder/other.ipynb beside\n", "False\n"])
        self.assertIn("0: FOLDER\n", results[4][0])


class TraceTest(traced.TraceCase):
    """What the double of Score-P's bindings records."""

    def recorded(self, cell):
        write_programs(pathlib.Path(self.folder))
        found = [self.entered_in(cell, kind) for kind in ("profile", "trace")]
        self.assertEqual(*found)
        return [name for name in found[0] if name != "__main__:<module>"]

    def test_only_the_program_is_recorded(self):
        program = "def work():\n    pass\nwork()\n"
        for options in "", "-i", "-t -N2":
            with self.subTest(options=options):
                cell = (f"with scorep.instrumenter.disable():\n"
                        f"    open('own.py', 'w').write({program!r})\n"
                        "with scorep.user.region('cell 1'):\n"
                        f"    scorep_notebook.run('{options} own')\n")
                calls = ["__main__:work"] * (2 if "-N2" in options else 1)
                self.assertEqual(self.recorded(cell), ["user:cell 1"] + calls)

    def test_program_ends_with_an_exit(self):
        cell = ("with scorep.user.region('cell 1'):\n"
                "    scorep_notebook.run('-e ends3')\n"
                "with scorep.user.region('cell 2'):\n    pass\n")
        self.assertEqual(self.recorded(cell), ["user:cell 1", "user:cell 2"])

    def test_nothing_where_recording_is_off(self):
        cell = ("with scorep.instrumenter.disable('cell 1'):\n"
                "    scorep_notebook.run('names')\n    f()\n")
        self.assertNotIn("__main__:f", self.recorded(cell))


if __name__ == "__main__":
    unittest.main()
