#!/usr/bin/env python3
"""A notebook may have the name of a module: its script has another name, so what imports the module or
runs it with `python3 -m` gets the module, in the script and in what it starts. Each case runs in the
folder of the script, as a user has it."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase  # noqa: E402
from support import binary, notebook  # noqa: E402


class NamesakeCase(EndingCase):
    def make_named(self, name, *cells, options=()):
        self.write(f"{name}.ipynb", notebook(*cells))
        self.build(*options, f"{name}.ipynb")  # without a word

    def ways(self, name):
        """By hand, without and with the bindings; the run script; `run`, which does not measure."""
        run = binary(), "run", "-q", "--force"
        plain = self.environment(PYTHONPATH=None)
        return [((sys.executable, f"{name}_script.py"), plain),
                ((sys.executable, "-m", "scorep", "--thread=pthread", f"{name}_script.py"), self.environment()),
                ((f"./{name}_run.sh",), self.environment()),
                ((*run, "--no-scorep", f"{name}.ipynb"), self.environment())]

    def check(self, name, *cells, expected, options=()):
        self.make_named(name, *cells, options=options)
        for number, (command, environment) in enumerate(self.ways(name)):
            with self.subTest(command, name=name, number=number):
                done = self.run_command(*command, env=environment)
                self.assertEqual((done.status, done.out), (0, expected), done)


# Notebooks by name, modules in the folder `site` and beside them, and what they print.
SITE = "import sys\nsys.path.insert(1, 'site')"
MODULES = (
    ("xml", {}, ["import xml.dom.minidom\nfrom xml.etree import ElementTree as tree\nimport xml",
                 "print(xml.dom.minidom.__name__, tree.fromstring('<a/>').tag)"], b"xml.dom.minidom a\n"),
    # Another package alone imports it, and finds it where Python has it.
    ("xgboost", {"site/xgboost.py": "value = 6\n", "site/client.py": "import xgboost\nvalue = xgboost.value\n"},
     [SITE, "import client\nclient.value"], b"6\n"),
    ("mine", {"site/mine.py": "value = 6\nclass A:\n    pass\n", "helper.py": "import mine\nvalue = mine.value\n"},
     [SITE, "import mine, pickle\ntype(pickle.loads(pickle.dumps(mine.A()))).__module__"], b"'mine'\n"),
    ("mine", {}, [SITE, "import helper\nhelper.value"], b"6\n"),
    # Helpers wait for the import.
    ("pandas", {"site/pandas.py": "shown = []\ndef set_option(*option):\n    shown.append(option)\n"},
     [SITE, "import pandas\npandas.shown"], b"[('display.max_columns', 20)]\n"),
)


class Modules(NamesakeCase):
    def test_modules_that_python_starts_with(self):
        """In one version or another; site and the bindings import them before the script runs."""
        for name in ("random", "tempfile", "os", "re", "types", "codecs", "site", "encodings", "runpy", "threading",
                     "tokenize", "linecache"):
            self.check(name, f"import {name} as module\nimport random, tempfile",
                       "print(module.__name__, module.__spec__.name, __name__)",
                       expected=f"{name} {name} __main__\n".encode())

    def test_others(self):
        for name, files, cells, expected in MODULES:
            for file, text in files.items():
                self.write(file, text)
            self.check(name, *cells, expected=expected)


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

    def test_module_as_a_command(self):
        """python3 -m timeit would run a script of that name again and again."""
        self.check("timeit", f"!{sys.executable} -m timeit -n 1 -r 1 pass >log; echo $?", expected=b"0\n")


class Names(NamesakeCase):
    def test_only_such_scripts(self):
        self.make_named("heat", "import random\n1")
        self.assertEqual(sorted(self.files()), ["heat.ipynb", "heat.py", "heat_run.sh"])
        for name in "random", "sitecustomize", "usercustomize":
            self.make_named(name, "1")
            self.assertFalse(self.path(f"{name}.py").exists())
            self.assertTrue(self.path(f"{name}_script.py").exists())
            self.assertTrue(self.path(f"{name}_run.sh").exists())

    def test_name_that_was_asked_for(self):
        self.write("heat.ipynb", notebook("1"))
        done = self.nbscorep("build", "-o", "random.py", "heat.ipynb")
        self.assertEqual(done.status, 1)
        self.assertIn(b"'random.py' would hide the module 'random'; use another name", done.err)

    def test_places(self):
        self.make_named("random", "x = 1", "\ndef f():\n    1 / 0\nf()")
        done = self.run_command("./random_run.sh", env=self.environment())
        self.assertRegex(done.err, rb"nbscorep: random.ipynb, cell 2, line 3 \(random_script.py:\d+\)\n$")


if __name__ == "__main__":
    unittest.main()
