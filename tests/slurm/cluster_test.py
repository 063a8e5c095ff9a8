#!/usr/bin/env python3
"""The Slurm that the tests start themselves leaves nothing behind."""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from ending_test import wait_for  # noqa: E402
from support import Case  # noqa: E402


def processes(folder):
    """Those that know of a file in FOLDER."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            known = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) + b"/" in known:
            found.append(path.name)
    return found


class Cluster(Case):
    def assert_nothing_left(self, folder):
        self.assertEqual((processes(folder), folder.exists()), ([], False))

    def start(self):
        return cluster.start(self.addCleanup)

    def test_stop_ends_jobs(self):
        slurm = self.start()
        job = slurm.submit("--wrap", "trap '' TERM; env -i setsid sleep 1000", cwd=self.folder)
        slurm.wait_for(job, "RUNNING")
        slurm.stop()
        self.assert_nothing_left(slurm.folder)

    def test_test_program_is_killed(self):
        program = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import cluster\n"
             "slurm = cluster.Cluster()\nslurm.submit('--wrap', 'sleep 1000')\n"
             "print(slurm.folder, flush=True)\nimport time\ntime.sleep(1000)",
             pathlib.Path(__file__).parent], cwd=self.folder, stdout=subprocess.PIPE,
            start_new_session=True)
        with program:
            folder = pathlib.Path(program.stdout.readline().decode().strip())
            self.assertTrue(processes(folder))
            os.killpg(program.pid, signal.SIGKILL)
        wait_for(lambda: not processes(folder) and not folder.exists())


if __name__ == "__main__":
    unittest.main()
