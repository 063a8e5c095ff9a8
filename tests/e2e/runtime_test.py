#!/usr/bin/env python3
"""How a script is started, and what it sees of that."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase, measured  # noqa: E402
from support import binary, notebook  # noqa: E402

RUN_SCRIPT = "./heat_run.sh",


class RuntimeCase(EndingCase):
    def ways(self, *options):
        """The run script, `run`, and `run` without measuring."""
        run = (binary(), "run", "-q", "--force", *options)
        return RUN_SCRIPT, (*run, "heat.ipynb"), (*run, "--no-scorep", "heat.ipynb")

    def run_way(self, way, **more):
        return self.run_command(*way, env=self.environment(**more))


class HandedOver(RuntimeCase):
    def test_many_cells(self):
        self.make(*["x = 1"] * 5000, "\n1 / 0")
        for way in self.ways():
            with self.subTest(way):
                done = self.run_way(way)
                self.assertIn(b"nbscorep: heat.ipynb, cell 5001, line 2 (", done.err)

    def test_name_of_the_notebook(self):
        name = "END_OF'''\"$(touch no)\\\n.ipynb"
        self.write(name, notebook("1 / 0"))
        self.build("-q", "-o", "heat.py", name)
        done = self.run_way(RUN_SCRIPT)
        self.assertRegex(done.err, rb"\nnbscorep: END_OF.* \.ipynb, cell 1, line 1 \(")
        self.assertFalse(self.path("no").exists())


class InstrumenterFile(RuntimeCase):
    CELL = "%%scorep_python_binding_arguments\n--instrumenter-file=mine.py"

    def test_users_own(self):
        self.write("mine.py", "import json, scorep.user\n\ndef wrap(f):\n    return around(f)\n\n"
                              "def around(f):\n    return scorep.user.region('mine')(f)\n\n"
                              "json.dumps = wrap(json.dumps)\nprint(__name__, __file__)\n")
        self.make(self.CELL, measured("import json\njson.dumps(1)"))
        for way in self.ways()[:2]:
            with self.subTest(way):
                done = self.run_way(way)
                self.assertEqual((done.status, done.out), (0, b"__main__ mine.py\n'1'\n"), done)
                self.assert_kept("user:mine", "user:cell 2")

    def test_missing(self):
        self.write("mine.py", "")
        self.make(self.CELL, "print('no')")
        self.path("mine.py").unlink()
        done = self.run_way(RUN_SCRIPT)
        self.assertEqual((done.status, done.out), (1, b""))
        self.assertIn(b"mine.py", done.err)


class Plain(RuntimeCase):
    def test_spawned_child_does_not_run_the_script(self):
        """Also if only a module beside the notebook spawns it (FINDINGS 3.2)."""
        self.write("helper.py", "import multiprocessing\n\ndef add(numbers):\n"
                                "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
                                "        return pool.map(abs, numbers)\n")
        self.make("print('once')\nimport helper\nprint(helper.add([-1]))")
        for way in self.ways():
            with self.subTest(way):
                done = self.run_way(way)
                self.assertEqual((done.status, done.out), (0, b"once\n[1]\n"), done)

    def test_recursion_is_as_deep_as_in_jupyter(self):
        self.make("def depth(n): return 0 if n == 0 else 1 + depth(n - 1)", "print(depth(2500))")
        self.assertEqual(self.run_way(self.ways()[2]).out, b"2500\n")


if __name__ == "__main__":
    unittest.main()
