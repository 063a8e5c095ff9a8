#!/usr/bin/env python3
"""Runs a test program for ctest, and reports how many tests passed, failed and were skipped.

    run.py NAME FILE_test.py|PROGRAM [ARGUMENT...]

FILE_test.py is a file of unittest cases, PROGRAM one of cmocka's. Each sees the environment of a
login shell (harness.py). A program without tests fails. One with skipped tests ends with a line that
ctest's SKIP_REGULAR_EXPRESSION finds, unless a test failed. NBSCOREP_TEST_COUNTS names a file to which
the counts are appended, for summary.py.
"""
import json
import pathlib
import re
import subprocess
import sys

import harness


class Counts:
    """The tests of a program: numbers of those that passed or failed, reasons of those skipped."""

    def __init__(self, passed=0, failed=0, skipped=()):
        self.passed, self.failed, self.skipped = passed, failed, list(skipped)

    def save(self, name):
        path = harness.setting("NBSCOREP_TEST_COUNTS")
        if path:
            line = json.dumps({"name": name} | vars(self)) + "\n"
            with open(path, "ab", buffering=0) as file:  # one write, as others append as well
                file.write(line.encode())

    def report(self, name):
        """Prints the line that ctest looks for. Returns the exit status."""
        self.save(name)
        if not self.passed + self.failed + len(self.skipped):
            print(f"{name}: no test was run", file=sys.stderr)
            return 1
        if self.failed:
            return 1
        for reason in self.skipped:
            print(f"skipped: {reason}", file=sys.stderr)
        if self.skipped:
            print(f"nbscorep tests: {len(self.skipped)} skipped", file=sys.stderr)
        return 0


def run_program(words):
    """Counts of the cmocka program WORDS. One that dies or fails has one failed test at least."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=harness.clean_environment())
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.flush()

    def number(what):
        return sum(map(int, re.findall(rb"\[ *%s *\] (\d+) test\(s\)" % what, done.stdout)))
    return Counts(number(b"PASSED"), number(b"FAILED") or int(done.returncode != 0),
                  ["skip() in a unit test"] * number(b"SKIPPED"))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    name, program, arguments = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    if program.suffix == ".py":
        import cases  # pylint: disable=import-outside-toplevel  # what it needs takes time to load
        counts = Counts(*cases.run(program, arguments))
    else:
        counts = run_program([program, *arguments])
    return counts.report(name)


if __name__ == "__main__":
    sys.exit(main())
