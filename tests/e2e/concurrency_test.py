#!/usr/bin/env python3
"""Notebooks with threads, processes and pickled classes, measured to their end."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import TIMEOUT, EndingCase, measured, members, wait_for  # noqa: E402
from support import DOUBLE, binary  # noqa: E402

CLASS = "class Point:\n    def __init__(self, x): self.x = x\ndef double(p): return Point(2 * p.x)"


class ConcurrencyCase(EndingCase):
    def environment(self, **more):
        return super().environment(PATH=f"{DOUBLE}/bin:{os.environ['PATH']}", **more)

    def check(self, *cells, out, keeps=()):
        """By the run script and by run: what is printed, what is kept, and that nothing is left."""
        self.make(*cells, options=["-Wno-args-thread"])
        run = [binary(), "run", "-q", "-Wno-args-thread", "heat.ipynb"]
        for command in ["./heat_run.sh"], run:
            with self.subTest(command[0]):
                process = subprocess.Popen(
                    command, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
                self.addCleanup(self.end_session, process)
                got, err = process.communicate(timeout=TIMEOUT)
                # The bindings' own, of each thread whose class is not Thread itself.
                err = re.sub(rb"(?m)^SCOREP_BINDING_PYTHON ERROR: .*\n", b"", err)
                self.assertEqual((process.returncode, got.decode(), err), (0, out, b""))
                wait_for(lambda pid=process.pid: not members(pid))
                self.assert_kept(f"user:cell {len(cells)}", *keeps)


class Threads(ConcurrencyCase):
    """They need --thread=pthread, which is added."""

    def test_thread(self):
        self.check("import threading\nfound = []\ndef work(n): found.append(n)",
                   measured("all = [threading.Thread(target=work, args=(n,)) for n in range(4)]\n"
                            "for t in all: t.start()\nfor t in all: t.join()\nsorted(found)"),
                   out="[0, 1, 2, 3]\n", keeps=["__main__:work"])

    def test_executor(self):
        self.check("from concurrent.futures import ThreadPoolExecutor\ndef work(n): return n * n",
                   measured("with ThreadPoolExecutor(2) as pool:\n"
                            "    print(list(pool.map(work, range(4))))"),
                   out="[0, 1, 4, 9]\n", keeps=["__main__:work"])

    def test_asyncio(self):
        self.check("import asyncio\ndef work(n): return n * n",
                   measured("loop = asyncio.get_running_loop()\n"
                            "await loop.run_in_executor(None, work, 3)"),
                   out="9\n", keeps=["__main__:work"])


class Processes(ConcurrencyCase):
    def test_pool(self):
        for kind in "fork", "spawn", "forkserver":
            with self.subTest(kind):
                self.check(f"import multiprocessing\n{CLASS}", measured(
                    "if __name__ == '__main__':\n"
                    f"    with multiprocessing.get_context('{kind}').Pool(2) as pool:\n"
                    "        print([p.x for p in pool.map(double, [Point(1), Point(2)])])"),
                    out="[2, 4]\n")

    def test_executor(self):
        self.check(f"from concurrent.futures import ProcessPoolExecutor\n{CLASS}", measured(
            "with ProcessPoolExecutor(2) as pool:\n"
            "    print([p.x for p in pool.map(double, [Point(1), Point(2)])])"), out="[2, 4]\n")

    @unittest.skipUnless(importlib.util.find_spec("joblib"), "needs joblib")
    def test_joblib(self):
        self.check(f"from joblib import Parallel, delayed\n{CLASS}", measured(
            "[p.x for p in Parallel(2)(delayed(double)(Point(n)) for n in (1, 2))]"),
            out="[2, 4]\n")


class Modules(ConcurrencyCase):
    """What looks for the script's names in sys.modules['__main__']."""

    def test_pickle(self):
        self.check(f"import pickle\n{CLASS}", measured(
            "pickle.loads(pickle.dumps(double)) is double, pickle.loads(pickle.dumps(Point(3))).x"),
            out="(True, 3)\n")

    def test_dataclass(self):
        self.check("from __future__ import annotations\nfrom dataclasses import dataclass, field",
                   measured("from typing import ClassVar, get_type_hints\n@dataclass\nclass A:\n"
                            "    n: int\n    m: ClassVar[int] = 2\nA(1), get_type_hints(A)['n']"),
                   out="(A(n=1), <class 'int'>)\n")

    def test_source(self):
        self.check("import inspect",
                   measured("def f():\n    return 1\nprint(inspect.getsource(f))"),
                   out="    def f():\n        return 1\n\n")


if __name__ == "__main__":
    unittest.main()
