#!/usr/bin/env python3
"""Modules that the package changes when a script imports them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import scripts

SPAWN = """
print("runs", __name__, flush=True)
import multiprocessing
process = multiprocessing.get_context("spawn").Process(target=print, args=("child",))
process.start()
process.join()
print(process.exitcode)
"""
GUARDED = """
import multiprocessing
def work():
    print("work", flush=True)
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""


POOL = """
import multiprocessing
class Point: pass
def double(n):
    return 2 * n
with multiprocessing.get_context("spawn").Pool(1) as pool:
    for function, value in (double, 1), (repr, Point()), (abs, -1):
        try:
            print(pool.apply(function, (value,)).partition(" object")[0])
        except Exception as error:
            print(type(error).__name__, str(error).partition(",")[0])
"""


class AdjustmentsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_file(self, text, *options, **environment):
        (self.folder / "script.py").write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, *options, "script.py"], cwd=self.folder,
                              env=scripts.environment(**environment), capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_spawned_processes_do_not_run_the_script_again(self):
        expected = "runs __main__\nchild\n0\n"
        for early in "", "import multiprocessing.spawn\n":
            with self.subTest(early):
                self.assertEqual(self.run_file(early + scripts.head() + SPAWN), expected)

    def test_pool_of_spawned_processes(self):
        """It would start workers forever."""
        self.assertEqual(self.run_file(scripts.head() + POOL), (
            "RuntimeError 'double' is defined in the notebook\n<__mp_main__.Point\n"
            "AttributeError 'int' object has no attribute 'partition'\n"))

    def test_processes_of_a_program_that_run_runs_do(self):
        (self.folder / "own.py").write_text(GUARDED, encoding="utf-8")
        self.assertEqual(self.run_file(scripts.head() + "scorep_notebook.run('own')\n"), "work\n")


if __name__ == "__main__":
    unittest.main()
