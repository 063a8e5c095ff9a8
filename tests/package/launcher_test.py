#!/usr/bin/env python3
"""What the launcher does before and after the script: builds, measurements, names, ranks, sweeps."""
import fcntl
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launching import BUILD, LAUNCHER, PACKAGE, LaunchCase  # noqa: E402


class Checks(LaunchCase):
    def test_teardown_after_a_check(self):
        """It follows a setup, so it runs in any case."""
        self.make("x = 1", options="--ranks=2 --teardown=NBSCOREP_TEARDOWN",
                  functions="export NBSCOREP_TEARDOWN='echo down $NBSCOREP_STATUS'")
        self.assertEqual(self.run_script(env=self.environment(NBSCOREP_RANKS="x")).stdout, "down 2\n")
        (self.folder / "heat.py").unlink()
        done = self.run_script()
        self.assertEqual((done.returncode, done.stdout), (1, "down 1\n"))

    def test_no_script(self):
        done = subprocess.run([sys.executable, self.folder / PACKAGE, "--thread=pthread"],
                              stderr=subprocess.PIPE, env=self.environment(), check=False)
        self.assertEqual((done.returncode, done.stderr), (2, b"nbscorep: no script is given\n"))

    def test_kinds_of_measurement(self):
        """Without the bindings; a folder of their name has results."""
        self.make("print('ran')")
        (self.folder / "scorep").mkdir()
        for more, status, says in (
                ({"NBSCOREP_MEASUREMENT": "scorep"}, 3, "cannot measure: .* has no Score-P bindings"),
                ({"NBSCOREP_MEASURE": "no", "NBSCOREP_MEASUREMENT": "scorep"}, 0, "^$"),
                ({"NBSCOREP_MEASUREMENT": "none"}, 0, "^$"), ({"NBSCOREP_MEASUREMENT": "what"}, 2, "what"),
                ({"NBSCOREP_MEASUREMENT": "auto"}, 0,
                 r"^nbscorep: the script runs unmeasured: .* no Score-P bindings .*\n$")):
            with self.subTest(**more):
                done = self.run_script(env=self.environment(PYTHONPATH=None, **more))
                self.assertEqual((done.returncode, done.stdout), (status, "" if status else "ran\n"))
                self.assertRegex(done.stderr, says)

    def test_report_for_nbscorep(self):
        self.make("import os\nprint('NBSCOREP_CELLS' in os.environ)")
        told = self.top / "told"
        told.mkdir()
        os.mkfifo(told / "live")
        live = os.open(told / "live", os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, live)
        done = self.run_script(env=self.environment(NBSCOREP_CELLS=str(told)))
        self.assertEqual((done.stdout, done.stderr), ("False\n", ""))
        self.assertEqual((told / "measurement").read_text(), f"scorep\n{self.experiments()[0]}\n0\n\n")
        marks = os.read(live, 4096).decode().splitlines()
        self.assertEqual([mark.split()[:2] for mark in marks], [["begin", "1"], ["end", "1"]])
        self.assertEqual(marks[1].split()[3], "done")
        self.assertFalse((told / "rank-0").exists())
        done = self.run_script(env=self.environment(NBSCOREP_CELLS=str(told), NBSCOREP_MEASUREMENT="auto",
                                                    PYTHONPATH=None))
        name, directory, _, reason = (told / "measurement").read_text().split("\n")[:4]
        self.assertEqual((name, directory), ("none", ""))
        self.assertIn("no Score-P bindings", reason)


class Names(LaunchCase):
    """Of experiment directories."""

    def test_eight_at_once(self):
        self.make("import time\nfor i in range(8): print(i)")
        started = [subprocess.Popen([self.folder / "heat_run.sh"], env=self.environment(),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(8)]
        for process in started:
            self.assertEqual(process.communicate()[1], b"")
            self.assertEqual(process.returncode, 0)
        self.assertEqual(len(self.experiments()), 8)
        for path in self.experiments():
            self.assertIn("user:cell 1", self.regions(path))
        self.assertEqual(list(self.folder.glob("*.lock")), [])

    def test_in_a_job(self):
        self.make("x = 1")
        job = self.environment(SLURM_JOB_ID="7")
        self.run_script(env=job)
        self.run_script(env=job)
        self.run_script(env=self.environment(
            SLURM_JOB_ID="9", SLURM_ARRAY_JOB_ID="8", SLURM_ARRAY_TASK_ID="2", SLURM_RESTART_COUNT="1",
            SLURM_STEP_ID="3"))
        self.assertEqual([path.name for path in self.experiments()],
                         ["scorep-heat-7", "scorep-heat-7-2", "scorep-heat-8_2-restart1-step3"])

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_read_only_folder(self):
        self.make("print('ran')")
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        done = self.run_script()
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot write the measurement", done.stderr)
        self.assertEqual(self.run_script(env=self.unmeasured()).stdout, "ran\n")

    def test_mpi_that_never_begins(self):
        self.make("x = 1", options="--mpp=mpi")
        done = self.run_script()
        self.assertEqual(done.returncode, 0)
        self.assertIn("nothing was measured: with --mpp=mpi", done.stderr)
        self.assertEqual([*self.experiments(), *self.folder.glob("*.lock")], [])

    def test_signal_while_the_script_starts(self):
        """Before the process that is to measure handles signals. The one that waits for it has the name's lock."""
        self.make("x = 1", options="--teardown=NBSCOREP_TEARDOWN",
                  functions="export NBSCOREP_TEARDOWN='echo down $NBSCOREP_STATUS'")
        (self.tmp / "sitecustomize.py").write_text(
            "import os, signal, sys\nclass Finder:\n    def find_spec(self, name, *_):\n"
            "        if name.endswith('.bindings'): os.kill(os.getpid(), signal.SIGTERM)\n"
            "sys.meta_path.insert(0, Finder())\n")
        done = self.run_script(env=self.environment(PYTHONPATH=f"{self.tmp}:{self.environment()['PYTHONPATH']}"))
        self.assertEqual((done.returncode, done.stdout), (143, "down 143\n"))
        self.assertEqual([*self.experiments(), *self.folder.glob("*.lock")], [])


class Sweep(LaunchCase):
    SHOW = "import os\nprint(os.environ['NBSCOREP_PARAMETERS'], os.environ['NBSCOREP_SET'])"

    def make(self, *texts, options="", **more):
        super().make(*texts, options="--sweep=heat_sweep.tsv " + options, **more)
        (self.folder / "heat_sweep.tsv").write_text(
            f"# nbscorep build {BUILD}\n1\t{{\"a\": 1}}\n2\t{{\"a\": 2}}\n")

    def test_element_of_an_array(self):
        self.make(self.SHOW + "\nraise SystemExit(7)", options="--job-output")
        for name in "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX":
            done = self.run_script(env=self.unmeasured(**{name: "1"}))
            self.assertEqual((done.returncode, done.stdout.partition(":")[0]), (7, "set 1 of 2 {\"a\""))
            self.assertEqual((self.folder / "heat_sweep/1/output.txt").read_text(), '{"a": 1} 1\n')
            self.assertEqual((self.folder / "heat_sweep/1/status").read_text(), "7\n")

    def test_lock_is_held(self):
        """Until the status is written."""
        self.make("import fcntl, os\nlock = open(os.environ['NBSCOREP_RESULTS'] + '/lock')\n"
                  "try:\n    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
                  "except BlockingIOError:\n    print('held')")
        for env in self.environment, self.unmeasured:
            self.assertEqual(self.run_script(env=env(NBSCOREP_SET="1")).stdout, "held\n")
            with open(self.folder / "heat_sweep/1/lock") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.assertGreater(int(lock.read()), 1)

    def test_planted_files(self):
        foreign = self.top / "foreign"
        foreign.write_text("foreign")
        for kind in "link", "fifo":
            for name in "lock", "output.txt", "status", "parameters.json":
                with self.subTest(kind, name=name):
                    self.make(self.SHOW, options="--job-output")
                    path = self.folder / "heat_sweep/1" / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.unlink(missing_ok=True)
                    os.mkfifo(path) if kind == "fifo" else path.symlink_to(foreign)
                    done = self.run_script(env=self.unmeasured(SLURM_ARRAY_TASK_ID="1"))
                    self.assertEqual(done.returncode, 0, done)
                    self.assertEqual((path.parent / "status").read_text(), "0\n")
                    self.assertEqual(foreign.read_text(), "foreign")


class Folders(LaunchCase):
    def test_odd_names(self):
        for name in "a=b", "c:d", "e f", "line\nend", "\u00fc":
            with self.subTest(name):
                self.folder = self.make_folder(name)
                self.make("import os\nprint(os.getcwd() == os.path.dirname(__file__))")
                for env in self.environment(), self.environment(PYTHONSAFEPATH="1"), self.unmeasured():
                    done = self.run_script(env=env)
                    self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "True\n", ""))

    def test_modules_of_the_notebooks_name(self):
        """Nothing that the launcher imports is taken from the notebook's folder."""
        for name in "random", "tempfile", "signal", "types", "shutil", "runpy", "ctypes", "enum", "tokenize":
            (self.folder / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
        self.tool("mpirun", LAUNCHER)
        for options in "", "--ranks=2", "--teardown=NBSCOREP_TEARDOWN":
            self.make("print('ran')", "1 / 0", options=options, functions="export NBSCOREP_TEARDOWN=true")
            for env in self.environment(NBSCOREP_QUIET="yes"), self.unmeasured():
                done = self.run_script(env=env)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout, "ran\n" * (2 if "ranks" in options else 1), done)
                self.assertIn("nbscorep: heat.ipynb, cell 2, line 1 (heat.py:", done.stderr)


if __name__ == "__main__":
    unittest.main()
