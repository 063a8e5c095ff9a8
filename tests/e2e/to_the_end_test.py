#!/usr/bin/env python3
"""Notebooks measured to their end that start threads and processes."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import TIMEOUT, EndingCase, measured, members, wait_for  # noqa: E402
from support import binary  # noqa: E402

CLASS = "class Point:\n    def __init__(self, x): self.x = x\ndef double(p): return Point(2 * p.x)"


class ToTheEndCase(EndingCase):
    def finish_both(self, *cells, **expected):
        """By the run script and by run."""
        self.make(*cells)
        run = [binary(), "run", "-q", "heat.ipynb"]
        for command in ["./heat_run.sh"], run:
            with self.subTest(command[0]):
                self.finish_one(command, f"user:cell {len(cells)}", **expected)

    def finish_one(self, command, last, out, keeps=()):
        """COMMAND prints OUT, and nothing of it is left but its data."""
        process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end_session, process)
        got, told = process.communicate(timeout=TIMEOUT)
        told = told.decode()
        if sys.version_info < (3, 11):  # the bindings' own, of each thread that is no plain Thread
            told = re.sub(r"(?m)^SCOREP_BINDING_PYTHON ERROR: .*\n", "", told)
        self.assertEqual((process.returncode, got.decode(), told), (0, out, ""))
        wait_for(lambda: not members(process.pid))
        self.assertEqual(os.listdir(self.path("tmp")), [])
        self.assert_kept(last, *keeps)


class Threads(ToTheEndCase):
    """They need --thread=pthread, which run scripts have."""

    def test_executor(self):
        self.finish_both("from concurrent.futures import ThreadPoolExecutor\n"
                         "def work(n): return n * n",
                   measured("with ThreadPoolExecutor(2) as pool:\n"
                            "    print(list(pool.map(work, range(4))))"),
                   out="[0, 1, 4, 9]\n", keeps=["__main__:work"])

    def test_classes_of_threads(self):
        """The bindings report an exit without an enter of each that is not Thread itself."""
        self.finish_both("import threading\nclass Worker(threading.Thread):\n"
                         "    def run(self): work(self.name)\ndef work(name): pass",
                         measured("timer = threading.Timer(100, print)\nthreads = [timer, Worker()]\n"
                                  "for each in threads: each.start()\ntimer.cancel()\n"
                                  "for each in threads: each.join()\nlen(threads)"),
                         out="2\n", keeps=["__main__:work"])
        if sys.version_info >= (3, 11):
            self.assertNotIn("error_region", self.regions())

    def test_child_of_asyncio(self):
        """Up to Python 3.11 a thread waits for it."""
        self.finish_both("import asyncio",
                         measured("child = await asyncio.create_subprocess_exec('true')\n"
                                  "await child.wait()"), out="0\n")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_first_use_of_matplotlib(self):
        """It looks for fonts, and starts a thread that says so when that takes long."""
        self.path("fonts").mkdir()
        self.make(measured("import matplotlib.pyplot as plt\nplt.rcParams['font.size']"))
        done = self.run_command("./heat_run.sh", env=self.environment(
            MPLCONFIGDIR=str(self.path("fonts"))))
        self.assertEqual((done.status, done.out), (0, b"10.0\n"), done)
        self.assert_kept("user:cell 1")


class Processes(ToTheEndCase):
    def test_pool(self):
        self.finish_both(f"import multiprocessing\n{CLASS}", measured(
            "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
            "    print([p.x for p in pool.map(double, [Point(1), Point(2)])])"), out="[2, 4]\n")
        # As in Jupyter, a spawned process does not know what the notebook defines.
        for kind in "spawn", "forkserver":
            with self.subTest(kind):
                self.finish_both("import math, multiprocessing", measured(
                    f"with multiprocessing.get_context('{kind}').Pool(2) as pool:\n"
                    "    print(pool.map(math.sqrt, [4, 16]))"), out="[2.0, 4.0]\n")

    @unittest.skipUnless(importlib.util.find_spec("joblib"), "needs joblib")
    def test_joblib(self):
        self.finish_both(f"from joblib import Parallel, delayed\n{CLASS}", measured(
            "[p.x for p in Parallel(2)(delayed(double)(Point(n)) for n in (1, 2))]"),
            out="[2, 4]\n")


if __name__ == "__main__":
    unittest.main()
