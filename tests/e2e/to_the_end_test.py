#!/usr/bin/env python3
"""Notebooks measured to their end: threads, processes, pickled classes, output, SIGKILL."""
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import TIMEOUT, EndingCase, measured, members, wait_for  # noqa: E402
from support import DOUBLE, binary  # noqa: E402

CLASS = "class Point:\n    def __init__(self, x): self.x = x\ndef double(p): return Point(2 * p.x)"


class ToTheEndCase(EndingCase):
    def environment(self, **more):
        return super().environment(PATH=f"{DOUBLE}/bin:{os.environ['PATH']}", **more)

    def finish_both(self, *cells, **expected):
        """By the run script and by run."""
        self.make(*cells)
        run = [binary(), "run", "-q", "heat.ipynb"]
        for command in ["./heat_run.sh"], run:
            with self.subTest(command[0]):
                self.finish_one(command, f"user:cell {len(cells)}", **expected)

    def finish_one(self, command, last, out, err="", status=0, keeps=()):
        """COMMAND prints OUT, and ERR unless that is None, and nothing of it is left. Its data are,
        where it was not killed."""
        process = subprocess.Popen(
            command, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end_session, process)
        got, told = process.communicate(timeout=TIMEOUT)
        told = told.decode()
        if sys.version_info < (3, 11):  # the bindings' own, of each thread that is no plain Thread
            told = re.sub(r"(?m)^SCOREP_BINDING_PYTHON ERROR: .*\n", "", told)
        code = process.returncode  # of a process, and as shells tell it
        self.assertEqual((128 - code if code < 0 else code, got.decode()), (status, out), told)
        if err is not None:
            self.assertEqual(told, err)
        wait_for(lambda: not members(process.pid))
        self.assertEqual(os.listdir(self.path("tmp")), [])
        if status != 128 + signal.SIGKILL:
            self.assert_kept(last, *keeps)


class Threads(ToTheEndCase):
    """They need --thread=pthread, which run scripts have."""

    def test_thread(self):
        self.finish_both("import threading\nfound = []\ndef work(n): found.append(n)",
                   measured("all = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n"
                            "for t in all: t.start()\nfor t in all: t.join()\nsorted(found)"),
                   out="[0, 1, 2, 3]\n", keeps=["__main__:work"])

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

    def test_asyncio(self):
        self.finish_both("import asyncio\ndef work(n): return n * n",
                   measured("loop = asyncio.get_running_loop()\n"
                            "await loop.run_in_executor(None, work, 3)"),
                   out="9\n", keeps=["__main__:work"])

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

    def test_executor(self):
        self.finish_both(f"from concurrent.futures import ProcessPoolExecutor\n{CLASS}", measured(
            "with ProcessPoolExecutor(2) as pool:\n"
            "    print([p.x for p in pool.map(double, [Point(1), Point(2)])])"), out="[2, 4]\n")

    @unittest.skipUnless(importlib.util.find_spec("joblib"), "needs joblib")
    def test_joblib(self):
        self.finish_both(f"from joblib import Parallel, delayed\n{CLASS}", measured(
            "[p.x for p in Parallel(2)(delayed(double)(Point(n)) for n in (1, 2))]"),
            out="[2, 4]\n")


class Modules(ToTheEndCase):
    """What looks for the script's names in sys.modules['__main__']."""

    def test_pickle(self):
        self.finish_both(f"import pickle\n{CLASS}", measured(
            "pickle.loads(pickle.dumps(double)) is double, pickle.loads(pickle.dumps(Point(3))).x"),
            out="(True, 3)\n")

    def test_modules_of_sys(self):
        self.finish_both(f"import sys\n{CLASS}", measured(
            "getattr(sys.modules[__name__], 'double') is double"), out="True\n")

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
    def test_objects_in_arrays_and_tables(self):
        self.finish_both(f"import numpy as np, pandas as pd\n{CLASS}", measured(
            "np.save('points.npy', [Point(3)], allow_pickle=True)\n"
            "pd.DataFrame({'p': [Point(4)]}).to_pickle('points.pickle')\n"
            "[np.load('points.npy', allow_pickle=True)[0].x, "
            "pd.read_pickle('points.pickle')['p'][0].x]"), out="[3, 4]\n")

    def test_dataclass(self):
        self.finish_both("from __future__ import annotations\nfrom dataclasses import dataclass",
                   measured("from typing import ClassVar, get_type_hints\n@dataclass\nclass A:\n"
                            "    n: int\n    m: ClassVar[int] = 2\nA(1), get_type_hints(A)['n'] is int"),
                   out="(A(n=1), True)\n")

    def test_source(self):
        self.finish_both("import inspect",
                   measured("def f():\n    return 1\nprint(inspect.getsource(f))"),
                   out="    def f():\n        return 1\n\n")


class Output(ToTheEndCase):
    def test_flood(self):
        lines = range(100000)
        self.finish_both(measured("import sys\nfor i in range(100000):\n    print('out', i)\n"
                                  "    print('err', i, file=sys.stderr)"),
                         out="".join(f"out {i}\n" for i in lines),
                         err="".join(f"err {i}\n" for i in lines))

    def test_child_that_closes_its_output(self):
        child = "import os; os.close(1); os.write(2, b'still here\\n'); os._exit(4)"
        self.finish_both(measured("import subprocess, sys\nprint('before', flush=True)\n"
                                  f"code = subprocess.call([sys.executable, '-c', {child!r}])\n"
                                  "print('after', code)"),
                         out="before\nafter 4\n", err="still here\n")

    def test_output_closed_by_the_script(self):
        self.finish_both(measured("import os, sys\nprint('before', flush=True)\n"
                                  "sys.stdout.close()\nos.close(1)"), out="before\n", err="")


class Killed(ToTheEndCase):
    """As by the kernel when memory runs out: what was measured is lost, nothing else is left."""

    def test_script(self):
        kill = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
        self.finish_both(measured(kill), status=137, out="", err=None)

    def test_script_with_children(self):
        cell = ("import os, signal, subprocess\n"
                "subprocess.Popen(['sh', '-c', 'sleep 1000 & sleep 1001 & wait'])\n"
                "os.kill(os.getpid(), signal.SIGKILL)")
        self.make(measured(cell))
        self.finish_one([binary(), "run", "-q", "heat.ipynb"], "", status=137, out="", err=None)

    def test_child(self):
        self.finish_both(measured("import signal, subprocess\nsubprocess.call("
                                  "['sh', '-c', 'kill -9 $$'])"), out="-9\n", err="")


if __name__ == "__main__":
    unittest.main()
