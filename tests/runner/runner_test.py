#!/usr/bin/env python3
"""What run.py and summary.py count, and when they fail."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

RUNNER = pathlib.Path(__file__).resolve().parent
CASES = """
    import os, subprocess, unittest

    def setUpModule():
        if "module" in os.environ.get("HOME", ""):
            raise unittest.SkipTest("no module")

    class Case(unittest.TestCase):
        def test_passes(self):
            pass

        def test_environment(self):
            self.assertNotIn("PYTHONUNBUFFERED", os.environ)

        def test_signals(self):
            for name in "INT", "HUP", "USR1":
                done = subprocess.run(["sh", "-c", "kill -" + name + " $$; echo ignored"],
                                      stdout=subprocess.PIPE)
                self.assertEqual((done.returncode < 0, done.stdout), (True, b""), name)

        @unittest.skip("no reason")
        def test_skipped(self):
            pass

        def test_subtests(self):
            for number in range(4):
                with self.subTest(number=number):
                    if number == 1:
                        self.skipTest("one of four")
                    self.assertLess(number, {limit})
"""
JUNIT = """<testsuite>
    <testcase name="cli.a" status="{status}"/>
    <testcase name="golden.b" status="run"/>
    <testcase name="corpus.c" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
</testsuite>"""


def no_signals():
    """As `nohup command &` in a script: some signals are ignored. One is blocked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])


class RunnerCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.counts = self.folder / "counts"

    def write(self, name, text):
        path = self.folder / name
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        path.chmod(0o755)
        return path

    def start(self, *words, **more):
        return subprocess.run(
            [sys.executable, RUNNER / words[0], *words[1:]], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8", check=False, preexec_fn=no_signals,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NBSCOREP_TEST_COUNTS": str(self.counts)}
            | more)

    def summary(self, status="run"):
        junit = self.write("junit.xml", JUNIT.format(status=status))
        done = self.start("summary.py", junit, self.counts)
        return done.returncode, done.stdout.splitlines()


class Unittest(RunnerCase):
    def run_cases(self, limit=4, **more):
        return self.start("run.py", "cli.a", self.write("a_test.py", CASES.format(limit=limit)),
                          **more)

    def test_skipped_tests_are_counted_one_by_one(self):
        done = self.run_cases()
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (0, "nbscorep tests: 2 skipped"), done.stdout)
        self.assertEqual(self.summary(), (0, [
            "skipped: cli.a: a_test.Case.test_skipped: no reason",
            "skipped: cli.a: a_test.Case.test_subtests: one of four",
            "skipped: corpus.c: SKIP_RETURN_CODE=77", "4 passed, 0 failed, 3 skipped"]))

    def test_failed_subtests_are_one_test(self):
        done = self.run_cases(limit=2)
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("nbscorep tests:", done.stdout)
        self.assertEqual(self.summary("fail")[1][-1], "4 passed, 1 failed, 2 skipped")
        self.assertEqual(self.summary("fail")[0], 1)

    def test_skipped_module(self):
        done = self.run_cases(HOME="/module")
        self.assertIn("nbscorep tests: 1 skipped", done.stdout)
        self.assertEqual(self.summary()[1][-1], "1 passed, 0 failed, 2 skipped")

    def test_nothing_to_run(self):
        done = self.start("run.py", "cli.a", self.write("a_test.py", "import unittest\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("cli.a: no test was run", done.stdout)

    def test_file_that_cannot_be_loaded(self):
        done = self.start("run.py", "cli.a", self.write("a_test.py", "import nosuchmodule\n"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.summary("fail"), (1, [
            "skipped: corpus.c: SKIP_RETURN_CODE=77", "1 passed, 1 failed, 1 skipped"]))


class Programs(RunnerCase):
    def run_program(self, text):
        program = self.write("program", f"#!/bin/sh\n{text}\n")
        done = self.start("run.py", "cli.a", program)
        return done.returncode, self.summary("run" if done.returncode == 0 else "fail")[1][-1]

    def test_failures(self):
        text = "echo '[  PASSED  ] 2 test(s).'; echo '[  FAILED  ] 3 test(s), listed below:'; exit 3"
        self.assertEqual(self.run_program(text), (1, "3 passed, 3 failed, 1 skipped"))

    def test_death(self):
        self.assertEqual(self.run_program("echo '[  PASSED  ] 2 test(s).'; kill -9 $$"),
                         (1, "3 passed, 1 failed, 1 skipped"))


class Summary(RunnerCase):
    def test_failure_that_the_program_did_not_count(self):
        self.counts.write_text('{"name": "cli.a", "passed": 9, "failed": 0, "skipped": []}\n')
        self.assertEqual(self.summary("fail")[1][-1], "1 passed, 1 failed, 1 skipped")


if __name__ == "__main__":
    unittest.main()
