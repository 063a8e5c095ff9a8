#!/usr/bin/env python3
"""Killed at any moment, a build leaves each file as it was or as it is to be, complete; and what is
left of two builds is never run together."""
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from support import TIMEOUT, UNDER_DOUBLE, Case, binary, clean_environment, notebook

KILLS = 100
MOST_BUILDS = 5000  # that many ended before their signal came: the delays are wrong
SIZE = 1_000_000  # large enough that the build takes a few milliseconds and several writes
NAMES = ("heat.py", "heat_run.sh")


def version(word):
    return notebook(f"import scorep\nprint('this is {word}')\nx = '{word * (SIZE // len(word))}'",
                    f"%env SCOREP_METRIC_RUSAGE={word}", f"y = '{word}'")


class Killed(Case):
    def setUp(self):
        super().setUp()
        self.versions = [version("first"), version("other")]
        self.complete = []
        for content in self.versions:
            self.write("heat.ipynb", content)
            self.build_once()
            self.complete.append([self.path(name).read_bytes() for name in NAMES])
        self.assertNotEqual(self.complete[0][0], self.complete[1][0])
        self.assertNotEqual(self.complete[0][1], self.complete[1][1])

    def build_once(self):
        start = time.monotonic()
        self.build("-q", "--no-verify", "heat.ipynb")
        return time.monotonic() - start

    def start(self, number, delay):
        """True if the signal NUMBER, DELAY seconds after the start, ended the build."""
        process = subprocess.Popen([binary(), "build", "-q", "--no-verify", "heat.ipynb"], cwd=self.folder,
                                   env=clean_environment(), stdin=subprocess.DEVNULL)
        end = time.monotonic() + delay
        while time.monotonic() < end:  # sleep() is not exact enough
            pass
        process.send_signal(number)
        status = process.wait(timeout=TIMEOUT)
        self.assertIn(status, (0, -number))
        return status == -number

    def run_script(self):
        return self.run_command("./heat_run.sh", env=clean_environment(
            **UNDER_DOUBLE, PYTHON=sys.executable, TMPDIR=str(self.folder),
            SCOREP_EXPERIMENT_DIRECTORY=str(self.path("experiment"))))

    def found_versions(self):
        """Which version each file is of; a missing or torn file fails."""
        found = []
        for index, name in enumerate(NAMES):
            content = self.path(name).read_bytes()
            versions = [v for v in (0, 1) if content == self.complete[v][index]]
            self.assertEqual(len(versions), 1, f"{name} is neither the old nor the new one")
            found.append(versions[0])
        return found

    def check_mixed(self):
        done = self.run_script()
        self.assertEqual(done.status, 1, done)
        self.assertNotIn(b"this is", done.out)
        for content in (self.path(name).read_bytes() for name in NAMES):
            build = content.split(b"# nbscorep build ")[1].split(b"\n")[0]
            self.assertIn(build, done.err)

    def sweep(self):
        """Temporary files may stay behind a kill; they are hidden and carry our name."""
        for path in self.folder.iterdir():
            if path.name not in (*NAMES, "heat.ipynb", "experiment") and path.name[:7] != "scorep_":
                self.assertRegex(path.name, r"^(\.heat.*\.nbscorep-\w{6}|\.scorep_notebook_\w+\.\w{6})$")
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_killed_at_random(self):
        usual = max(self.build_once() for _ in range(5))
        delays = random.Random(1)
        builds = killed = mixed = new = old = 0
        before = self.found_versions()
        while killed < KILLS:
            builds += 1
            self.assertLess(builds, MOST_BUILDS)
            wanted = builds % 2
            self.write("heat.ipynb", self.versions[wanted])
            killed += self.start(signal.SIGKILL, delays.uniform(0, 1.2 * usual))
            found = self.found_versions()
            for was, now in zip(before, found):
                self.assertIn(now, (was, wanted))
            if found[0] != found[1]:
                mixed += 1
                self.check_mixed()
            else:
                new += found[0] == wanted
                old += found[0] != wanted
            before = found
            self.sweep()
        print(f"\n{builds} builds: {killed} killed, {old} old, {new} new, {mixed} mixed pairs", file=sys.stderr)

    def test_edited_run_script(self):
        """A pair from one build stays a pair when somebody edits it: it is for people, too."""
        run = self.path("heat_run.sh")
        run.write_bytes(run.read_bytes().replace(b"set -eu", b"set -eu\necho edited"))
        done = self.run_script()
        self.assertEqual((done.status, done.out), (0, b"edited\nthis is other\n"), done)


if __name__ == "__main__":
    unittest.main()
