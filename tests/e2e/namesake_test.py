#!/usr/bin/env python3
"""A notebook may be called like a module: whatever imports the module gets the module, in the script
and in what it starts, and Python, the bindings and their library start. Each case runs in the folder
of the script, as a user has it."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase  # noqa: E402
from support import DOUBLE, binary, notebook  # noqa: E402


class NamesakeCase(EndingCase):
    def environment(self, **more):
        return super().environment(PATH=f"{DOUBLE}/bin:{os.environ['PATH']}", **more)

    def make_named(self, name, *cells, options=()):
        self.write(f"{name}.ipynb", notebook(*cells))
        self.build(*options, f"{name}.ipynb")  # without a word

    def ways(self, name):
        """By hand, without and with the bindings; the run script; `run`."""
        run = binary(), "run", "-q", "--force"
        plain = self.environment(PYTHONPATH=None)
        return [((sys.executable, f"{name}.py"), plain),
                ((sys.executable, "-m", "scorep", "--thread=pthread", f"{name}.py"), self.environment()),
                ((f"./{name}_run.sh",), self.environment()),
                ((f"./{name}_run.sh",), self.environment(NBSCOREP_MEASURE="no")),
                ((*run, f"{name}.ipynb"), self.environment()),
                ((*run, "--no-scorep", f"{name}.ipynb"), self.environment())]

    def check(self, name, *cells, expected, options=()):
        self.make_named(name, *cells, options=options)
        for number, (command, environment) in enumerate(self.ways(name)):
            with self.subTest(command, name=name, number=number):
                done = self.run_command(*command, env=environment)
                self.assertEqual((done.status, done.out), (0, expected), done)


class Modules(NamesakeCase):
    def test_modules_that_python_starts_with(self):
        """In one version or another; site and the bindings import them before the script runs."""
        for name in ("random", "tempfile", "os", "re", "types", "enum", "functools", "collections",
                     "contextlib", "abc", "codecs", "io", "site", "encodings", "importlib", "runpy",
                     "subprocess", "threading", "inspect", "tokenize", "warnings", "platform",
                     "keyword", "traceback", "linecache", "signal", "stat", "string"):
            self.check(name, f"import {name} as module\nimport random, tempfile",
                       "print(module.__name__, module.__spec__.name, __name__)",
                       expected=f"{name} {name} __main__\n".encode())

    def test_package_with_submodules(self):
        self.check("xml", "import xml.dom.minidom\nfrom xml.etree import ElementTree as tree\n"
                          "import xml", "print(xml.dom.minidom.__name__, tree.fromstring('<a/>').tag)",
                   expected=b"xml.dom.minidom a\n")

    def test_module_that_only_another_package_imports(self):
        """The notebook does not import it, and the package is found where Python has it."""
        self.write("site/xgboost.py", "value = 6\n")
        self.write("site/client.py", "import xgboost\nvalue = xgboost.value\n")
        self.check("xgboost", "import sys\nsys.path.append('site')", "import client\nclient.value",
                   expected=b"6\n")

    def test_module_that_the_notebook_imports(self):
        self.write("site/mine.py", "value = 6\nclass A:\n    pass\n")
        self.check("mine", "import sys\nsys.path.append('site')",
                   "import mine, pickle\ntype(pickle.loads(pickle.dumps(mine.A()))).__module__",
                   expected=b"'mine'\n")

    def test_module_that_a_module_beside_it_imports(self):
        self.write("site/mine.py", "value = 6\n")
        self.write("helper.py", "import mine\nvalue = mine.value\n")
        self.check("mine", "import sys\nsys.path.append('site')", "import helper\nhelper.value",
                   expected=b"6\n")

    def test_other_loaders(self):
        """A module in an archive, and one that a finder of the user's own finds."""
        import zipfile
        with zipfile.ZipFile(self.path("site.zip"), "w") as archive:
            archive.writestr("xgboost.py", "value = 6\n")
        self.check("xgboost", "import sys\nsys.path.append('site.zip')", "import xgboost\nxgboost.value",
                   expected=b"6\n")
        finder = ("import sys\nfrom importlib.util import spec_from_loader\nclass Finder:\n"
                  "    @classmethod\n    def find_spec(cls, name, path=None, target=None):\n"
                  "        return spec_from_loader(name, cls) if name == 'xgboost' else None\n"
                  "    create_module = staticmethod(lambda spec: None)\n"
                  "    exec_module = staticmethod(lambda module: setattr(module, 'value', 7))\n"
                  "sys.meta_path.append(Finder)")
        self.check("xgboost", finder, "import xgboost\nxgboost.value", expected=b"7\n")

    def test_same_folder_by_two_names(self):
        self.path("other").symlink_to(self.folder)
        self.write("site/xgboost.py", "value = 6\n")
        self.check("xgboost", "import sys\nsys.path[:0] = ['other', '.', 'site']",
                   "import xgboost\nxgboost.value", expected=b"6\n")

    def test_no_such_module(self):
        """It means the script, as it does under any other name."""
        self.check("xgboost", "import sys\nif __name__ == '__main__':\n    sys.path[1:] = []\n"
                          "    import xgboost\n    print(xgboost.__name__, xgboost.value)\nvalue = 5",
                   expected=b"xgboost 5\n")

    def test_broken_module(self):
        self.write("site/xgboost.py", "1 / 0\n")
        self.check("xgboost", "import sys\nsys.path.append('site')",
                   "try:\n    import xgboost\nexcept ZeroDivisionError:\n"
                   "    print('xgboost' in sys.modules)", expected=b"False\n")

    def test_helpers_that_wait_for_an_import(self):
        self.write("site/pandas.py", "shown = []\ndef set_option(*option):\n"
                                     "    shown.append(option)\n")
        self.check("pandas", "import sys\nsys.path.insert(1, 'site')", "import pandas\npandas.shown",
                   expected=b"[('display.max_columns', 20)]\n")

    def test_regions_of_its_functions(self):
        self.write("site/xgboost.py", "def step():\n    pass\n")
        self.make_named("xgboost", "import sys\nsys.path.append('site')",
                        "%%execute_with_scorep\nimport xgboost\nxgboost.step()",
                        options=["--instrument-module=xgboost"])
        done = self.run_command("./xgboost_run.sh", env=self.environment())
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.assertIn("xgboost:step", self.regions())


class Children(NamesakeCase):
    def test_commands(self):
        self.check("random", f"!{sys.executable} -c 'import random; print(random.randint(1, 1))'",
                   "import subprocess, sys\n_ = subprocess.run([sys.executable, '-c',\n"
                   "    'import tempfile, random; print(random.choice([2]))'])",
                   expected=b"1\n2\n")

    def test_multiprocessing(self):
        for method in "fork", "spawn", "forkserver":
            self.check("random", "import random, operator, multiprocessing",
                       f"with multiprocessing.get_context('{method}').Pool(1) as pool:\n"
                       "    print(pool.map(operator.neg, [random.choice([1])]),\n"
                       "          pool.apply(random.choice, ([2],)))", expected=b"[-1] 2\n",
                       options=["-Wno-unmeasured-processes"])

    def test_multiprocessing_of_a_script(self):
        """What is guarded as a script is imported again, as __mp_main__."""
        self.check("random", "import random, multiprocessing\ndef f(x):\n    return x + 1",
                   "if __name__ == '__main__':\n"
                   "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
                   "        print(pool.map(f, [1]))", expected=b"[2]\n",
                   options=["-Wno-unmeasured-processes"])


class Text(NamesakeCase):
    def test_only_such_scripts_are_indented(self):
        self.make_named("heat", "import random\n1")
        self.assertNotIn("_nbscorep_gives_way", self.path("heat.py").read_text())
        self.make_named("random", "from __future__ import annotations",
                        "text = '''a\nb'''\nprint(text)", "from math import *",
                        "import asyncio\nawait asyncio.sleep(0)\nprint(pi > 3)")
        text = self.path("random.py").read_text()
        self.assertIn("\n# %% cell 2\n    with ", text)
        self.assertIn("        text = '''a\nb'''\n", text)
        done = self.run_command(sys.executable, "random.py", env=self.environment(PYTHONPATH=None))
        self.assertEqual((done.status, done.out), (0, b"a\nb\nTrue\n"), done)

    def test_places(self):
        self.make_named("random", "x = 1", "\ndef f():\n    1 / 0\nf()")
        done = self.run_command("./random_run.sh", env=self.environment())
        self.assertRegex(done.err, rb"nbscorep: random.ipynb, cell 2, line 3 \(random.py:\d+\)\n$")

    def test_groups_and_included_notebooks(self):
        self.write("other.ipynb", notebook("y = 2\nprint(y)"))
        self.check("random", "%%enable_multicellmode", "x = 1", "# nothing", "%%finalize_multicellmode",
                   "%run other.ipynb", "x", expected=b"2\n1\n")

    def test_deep_nesting(self):
        """The script has one level more; what still fits for Python runs."""
        for depth in 90, 97:
            cell = "".join(f"{' ' * i}if 1:\n" for i in range(depth)) + " " * depth + "print(1)"
            self.write("random.ipynb", notebook(cell))
            self.nbscorep("build", "-q", "random.ipynb")
            done = subprocess.run([sys.executable, self.path("random.py")], capture_output=True,
                                  check=False, env=self.environment(PYTHONPATH=None))
            self.assertEqual((done.returncode, done.stdout), (0, b"1\n"), (depth, done.stderr))


if __name__ == "__main__":
    unittest.main()
