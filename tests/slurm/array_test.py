#!/usr/bin/env python3
"""A sweep as an array of jobs, in a real Slurm."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from ending_test import wait_for  # noqa: E402
from sweep_test import Sweep  # noqa: E402


def setUpModule():
    global slurm
    slurm = cluster.start(unittest.addModuleCleanup)


class Array(Sweep):
    def environment(self, **more):
        return slurm.environment(**(super().environment() | {
            "SLURM_CONF": slurm.configuration} | more))

    def submit(self, *words):
        return slurm.submit(*words, cwd=self.path("elsewhere"), env=self.environment())

    def ends(self, job, *numbers):
        """State and exit status of the elements of JOB."""
        found = [slurm.end_of(f"{job}_{number}") for number in numbers]
        return {number: (each["JobState"], each["ExitCode"])
                for number, each in zip(numbers, found)}

    def setUp(self):
        super().setUp()
        self.path("elsewhere").mkdir()
        self.make("import os\nprint(a, b)",
                  "if (a, b) == (2, 'x') and not os.path.exists('fixed'):\n    raise SystemExit(7)")

    def test_six_sets_of_which_one_fails(self):
        self.build("--sweep=sweep.yaml", "heat.ipynb")
        job = self.submit("../heat_run.sh")
        self.assertEqual(self.ends(job, *range(1, 7)), {
            number: ("FAILED", "7:0") if number == 3 else ("COMPLETED", "0:0")
            for number in range(1, 7)})
        self.assertEqual(self.outputs(), {
            1: "1 x\n", 2: "1 y\n", 3: "2 x\n", 4: "2 y\n", 5: "3 x\n", 6: "3 y\n"})
        self.assertEqual(self.statuses(), {n: "7" if n == 3 else "0" for n in range(1, 7)})
        self.assertEqual(json.loads(self.path("heat_sweep/4/parameters.json").read_text()),
                         {"a": 2, "b": "y"})
        for number in range(1, 7):
            self.assertTrue(self.path(f"heat_sweep/{number}/scorep/MANIFEST.md").is_file())
        said = slurm.output_of(slurm.end_of(f"{job}_3"))
        self.assertEqual(said, 'set 3 of 6 {"a": 2, "b": "x"}: output in '
                               f"{self.folder}/heat_sweep/3/output.txt\n")
        self.write("fixed", "")
        done = self.nbscorep("submit", "--parsable", "--sweep=sweep.yaml", "--only=failed",
                             "heat.ipynb", env=self.environment())
        self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual(self.ends(done.out.decode().strip(), 3), {3: ("COMPLETED", "0:0")})
        self.assertEqual(set(self.statuses().values()), {"0"})

    def test_chosen_sets(self):
        for only, expected in (("1,2,3,5", "1-3,5"), ("missing", "1-6")):
            done = self.nbscorep("submit", "-n", "--sweep=sweep.yaml", f"--only={only}",
                                 "heat.ipynb", env=self.environment())
            self.assertEqual((done.status, done.out.decode().splitlines()[-1]),
                             (0, f"sbatch --parsable --array={expected} ./heat_run.sh"))
        for options, status, expected in (
                (["--sweep=sweep.yaml", "--only=failed"], 0, b"nbscorep: no set is 'failed'\n"),
                (["--sweep=sweep.yaml", "--only=9"], 2, b"there is no set 9"),
                (["--no-echo", "--only=1"], 2, b"'--only' is for a sweep")):
            done = self.nbscorep("submit", *options, "heat.ipynb", env=self.environment())
            self.assertEqual((done.status, done.out), (status, b""), done)
            self.assertIn(expected, done.err)

    def test_limit(self):
        self.write("sweep.yaml", "list: [{a: 5}, {a: 6}, {a: 7}]\nlimit: 1\n")
        self.make("import os\nos.mkdir('lock')", "print(a)", "os.rmdir('lock')")
        self.build("--sweep=sweep.yaml", "heat.ipynb")
        job = self.submit("../heat_run.sh")
        self.assertEqual(set(self.ends(job, 1, 2, 3).values()), {("COMPLETED", "0:0")})
        self.assertEqual(self.outputs(), {1: "5\n", 2: "6\n", 3: "7\n"})

    def test_output_of_the_users(self):
        self.build("--sweep=sweep.yaml", "--slurm", "output=log-%a.txt", "heat.ipynb")
        job = self.submit("--array=6", "../heat_run.sh")
        self.ends(job, 6)
        self.assertEqual(self.path("elsewhere/log-6.txt").read_text(), "3 y\n")
        self.assertEqual(self.outputs(), {})

    def test_element_is_cancelled(self):
        self.make("open(f'begun{a}{b}', 'w').close()",
                  "import time\nwhile (a, b) == (1, 'y'): time.sleep(0.01)")
        self.build("--sweep=sweep.yaml", "heat.ipynb")
        job = self.submit("--array=1-2", "../heat_run.sh")
        slurm.wait_for(f"{job}_2", "RUNNING")
        wait_for(self.path("begun1y").exists)
        done = self.nbscorep("submit", "-n", "--sweep=sweep.yaml", "--only=failed", "heat.ipynb",
                             env=self.environment())
        self.assertEqual((done.status, done.err), (0, b"nbscorep: no set is 'failed'\n"))
        slurm.must("scancel", f"{job}_2")
        self.assertEqual(self.ends(job, 1, 2)[1], ("COMPLETED", "0:0"))
        self.assertEqual(self.statuses(), {1: "0", 2: "143"}, self.outputs())
        self.assertTrue(self.path("heat_sweep/2/scorep/MANIFEST.md").is_file())


if __name__ == "__main__":
    unittest.main()
