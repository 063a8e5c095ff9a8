#!/usr/bin/env python3
"""What a trace shows of a script is the notebook's: no region comes from nbscorep's own files or
lines, in the fixtures of SUBJECTS, also with --imports=record. Under the double of the bindings."""
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase  # noqa: E402
from support import FIXTURES  # noqa: E402

# Others have no code of nbscorep's around that these have not.
SUBJECTS = "examples", "inclusion", "jumper", "magics", "measurement", "processes", "python"
CELLS = ("user:", "user_instrumenter:")
SCRIPT = "__main__:<module>"


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_ours(place, script, first_cell):
    """Was the region of a function made by nbscorep's own code? Of a PLACE in functions.jsonl."""
    name, in_script = place["region"], os.path.basename(place["file"]) == script
    return (place["file"].startswith("<nbscorep")
            or re.search(r":_(nbscorep|cell_\d)", name) is not None
            or in_script and place["line"] < first_cell and name != SCRIPT)


def outside_of_cells(events):
    """What is entered directly in the script, or without it, and is no cell's frame."""
    found, stack = [], []
    for event in events:
        if event["event"] == "enter" and not event.get("location"):
            if stack in ([], [SCRIPT]) and not event["region"].startswith((*CELLS, SCRIPT)):
                found.append(event["region"])
            stack.append(event["region"])
        elif event["event"] == "leave" and not event.get("location"):
            stack.pop()
    return found


class TraceCase(EndingCase):
    def setUp(self):
        super().setUp()
        self.runs = 0

    def check_script(self, run_script, framed, **more):
        script = next(path for path in (run_script.with_name(run_script.name.replace("_run.sh", end))
                                        for end in (".py", "_script.py")) if path.exists())
        text = script.read_text(encoding="utf-8").splitlines()
        first_cell = next((n for n, line in enumerate(text, 1) if line.startswith("# %%")), 0)
        done = self.run_command(str(run_script), cwd=run_script.parent,
                                env=self.environment(**more))
        for path in list(self.folder.rglob("functions.jsonl")):
            functions, self.events = read(path), read(path.with_name("events.jsonl"))
            shutil.rmtree(path.parent)
            self.runs += 1
            self.assertEqual([f"{each['region']} line {each['line']}" for each in functions
                              if is_ours(each, script.name, first_cell)], [])
            if framed:
                self.assertEqual(outside_of_cells(self.events), [])
        return done


class Fixtures(TraceCase):
    def test_no_region_is_ours(self):
        for name, path in FIXTURES.items():
            if path.parent.name not in SUBJECTS or (path / "no-run").exists():
                continue
            folder = self.path("all")  # in which the package is written once
            arguments = self.copy_fixture(name, folder)
            self.nbscorep("build", "-q", "--imports=record", *arguments, cwd=folder, env=self.environment())
            for run_script in sorted(folder.rglob("*_run.sh")):
                with self.subTest(name, script=run_script.name):
                    self.check_script(run_script, framed="--no-cell-regions" not in arguments)
            for made in set(folder.glob("*")) - set(folder.glob("scorep_notebook_*")):
                (shutil.rmtree if made.is_dir() else os.unlink)(made)
        self.assertGreater(self.runs, 60)


class Helpers(TraceCase):
    """What the fixtures do not run with the instrumenter on."""

    def check(self, *cells, **more):
        self.make(*cells, options=["--imports=record"])
        done = self.check_script(self.path("heat_run.sh"), True, **more)
        self.assertEqual((done.status, self.runs), (0, 1), done)
        return {event.get("region") for event in self.events}

    def test_pandas(self):
        self.write("pandas.py", "def set_option(name, value):\n    return f()\n"
                                "def f(): pass\nprint('loaded')")
        regions = self.check("def f(): pass\nimport pandas\nf()\npandas.f()")
        self.assertIn("__main__:f", regions)
        self.assertIn("pandas:<module>", regions)
        self.assertIn("pandas:f", regions)
        self.assertNotIn("pandas:set_option", regions)

    def test_processes(self):
        self.check("import multiprocessing\ndef f(x): return x + 1\n"
                   "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
                   "    print(pool.map(f, [1]))")


if __name__ == "__main__":
    unittest.main()
