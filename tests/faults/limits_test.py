#!/usr/bin/env python3
"""Standard output without a reader, and limits of the system."""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from faults import SANITIZED  # noqa: E402
from support import TIMEOUT, Case, binary, clean_environment, notebook  # noqa: E402

PRINTING = (
    ["--help"], ["--version"], ["build", "--help"], ["build", "-Whelp"], ["magics"],
    ["magics", "%cd"], ["schema"], ["completion", "fish"],
    ["check", "--no-verify", "--print-config", "heat.ipynb"],
    ["check", "--no-verify", "--print-env", "heat.ipynb"],
    ["check", "--no-verify", "--print-requirements", "heat.ipynb"],
    ["check", "--no-verify", "--diagnostics-format=sarif", "heat.ipynb"],
    ["ir", "heat.ipynb"], ["ir", "--format=yaml", "heat.ipynb"], ["parameters", "heat.ipynb"],
    ["build", "-o", "-", "heat.ipynb"], ["build", "-n", "-v", "heat.ipynb"],
    ["submit", "--dry-run", "heat.ipynb"],
)
OUTPUTS = {"heat.py", "heat_run.sh"}
SPACE = 1 << 20


class Limited(Case):
    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook("%pip install x", "!ls", "%unknown"))

    def start(self, *arguments, before=None, **streams):
        """The status, and what it wrote to pipes."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE} | streams
        process = subprocess.Popen([binary(), *arguments], cwd=self.folder, preexec_fn=before,
                                   env=clean_environment(), **streams)
        out, err = process.communicate(timeout=TIMEOUT)
        return process.returncode, out, err

    def outputs(self):
        return set(self.files()) - {"heat.ipynb"}

    def limit(self, what, amount):
        return lambda: resource.setrlimit(what, (amount, amount))


class Streams(Limited):
    def test_output_without_reader(self):
        for arguments in PRINTING:
            with self.subTest(arguments):
                read, write = os.pipe()
                os.close(read)
                status, _, err = self.start(*arguments, stdout=write)
                os.close(write)
                self.assertIn(status, (-signal.SIGPIPE, *([0] if "-v" in arguments else [])), err)
                self.assertEqual(self.outputs(), set())


class Limits(Limited):
    def test_size_of_files(self):
        for arguments, stdout in ((["build", "heat.ipynb"], None), (["init"], None),
                                  (["schema"], "out")):
            with self.subTest(arguments):
                out = open(self.path(stdout), "wb") if stdout else subprocess.DEVNULL
                status, _, err = self.start(*arguments, stdout=out,
                                            before=self.limit(resource.RLIMIT_FSIZE, 100))
                if stdout:
                    out.close()
                    self.path(stdout).unlink()
                self.assertEqual(status, 3, err)
                self.assertIn(b"File too large", err)
                self.assertEqual(self.outputs(), set())

    def test_programs_keep_the_limit(self):
        """What `run` starts is ended by the system as ever, or not, as it wishes."""
        self.write("heat.ipynb", notebook("x = 1"))
        python = self.tool("python", "grep SigCgt /proc/self/status; grep SigIgn /proc/self/status")
        status, out, err = self.start("run", "-q", "--no-scorep", f"--python={python}",
                                      "heat.ipynb")
        self.assertEqual(status, 0, err)
        caught = int(out.split()[1], 16) | int(out.split()[3], 16)
        self.assertFalse(caught >> (signal.SIGXFSZ - 1) & 1)

    def check_sizes(self, kind, sizes, *options, message):
        """With each limit of SIZES, a build writes all or nothing, and says what was missing."""
        statuses = set()
        for size in sizes:
            with self.subTest(size):
                status, _, err = self.start("build", *options, "heat.ipynb",
                                            before=self.limit(kind, size))
                statuses.add(status)
                # The system has not even loaded it.
                if status == 127 or b"cannot enable executable stack" in err:
                    continue
                self.assertIn(status, (0, 3), err)
                self.assertEqual(self.outputs(), OUTPUTS if status == 0 else set())
                if status == 3:
                    self.assertIn(message, err)
                for name in self.outputs():
                    self.path(name).unlink()
        # A build needs no more descriptors than its loader.
        self.assertLessEqual({0, 127} if kind == resource.RLIMIT_NOFILE else {0, 3}, statuses)

    def test_descriptors(self):
        self.check_sizes(resource.RLIMIT_NOFILE, range(3, 14), "-W", "no-unknown-magic",
                         message=b"Too many open files")

    @unittest.skipIf(SANITIZED, "sanitizers reserve terabytes")
    def test_address_space(self):
        self.write("heat.ipynb", notebook(*[f"x = '{'a' * SPACE}'" for _ in range(8)]))
        self.check_sizes(resource.RLIMIT_AS, range(4 * SPACE, 160 * SPACE, 12 * SPACE),
                         message=b"out of memory")


if __name__ == "__main__":
    unittest.main()
