#!/usr/bin/env python3
"""!command runs in the shell that Jupyter takes."""
import pathlib
import tempfile
import unittest

import scripts

SCRIPT = ("scorep_notebook.shell('echo 1')\n"
          "print(scorep_notebook.getoutput('echo 2'))\n")


class ShellTest(unittest.TestCase):
    def run_in(self, shell):
        done = scripts.run(SCRIPT,
                           env=scripts.environment(SHELL=shell))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_the_users_own(self):
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder, "own sh")
            own.write_text("#!/bin/sh\necho \"own: $@\"\n", encoding="utf-8")
            own.chmod(0o755)
            self.assertEqual(self.run_in(str(own)), "own: -c echo 1\n['own: -c echo 2']\n")

    def test_a_name_is_looked_for(self):
        self.assertEqual(self.run_in("bash"), "1\n['2']\n")

    def test_none_that_runs_commands(self):
        for shell in None, "", "/nonexistent/sh", "/bin/false", "/usr/sbin/nologin", "/etc/passwd":
            with self.subTest(shell):
                self.assertEqual(self.run_in(shell), "1\n['2']\n")


if __name__ == "__main__":
    unittest.main()
