#!/usr/bin/env python3
"""The run script as a job of a real Slurm of two virtual nodes, under the double."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster  # noqa: E402
from ending_test import BEFORE, EndingCase, measured, wait_for  # noqa: E402
from support import DOUBLE, binary, notebook  # noqa: E402

HAS_MPI = shutil.which("mpirun") and subprocess.run(
    ["/usr/bin/python3", "-c", "import mpi4py"], stderr=subprocess.DEVNULL).returncode == 0
WHERE = "import os, sys\nprint(os.getcwd(), *sys.argv[1:], sep='|')"
READY = "import os\nopen('ready.' + os.environ['SLURM_JOB_ID'], 'w').close()\n"
WATCH = ("import signal\nhere, there = os.pipe()\nos.set_blocking(there, False)\n"
         "signal.set_wakeup_fd(there)\n")
AWAIT = "os.read(here, 1);"  # until a signal has come
BUSY = ("import time\ndef work(n):\n    time.sleep(n)\n" + READY
        + "while True:\n    work(0.001)\n")  # the double has all events in memory


def setUpModule():
    global slurm
    slurm = cluster.start(unittest.addModuleCleanup)


class JobCase(EndingCase):
    def environment(self, **more):
        return slurm.environment(**({
            "PYTHON": "/usr/bin/python3", "PYTHONPATH": str(DOUBLE),
            "PATH": f"{DOUBLE}/bin:{os.environ['PATH']}", "TMPDIR": str(self.path("tmp"))} | more))

    def submit(self, *words, cwd=None, **more):
        job = slurm.submit(*words, cwd=cwd or self.folder, env=self.environment(**more))
        self.addCleanup(slurm.end, job)
        return job

    def done(self, job, *states):
        """What a job has printed that has COMPLETED, or is in one of STATES."""
        return slurm.output_of(slurm.wait_for(job, *(states or ["COMPLETED"])))

    def busy(self, *words, **more):
        """A job of heat_run.sh, or WORDS, when it is in a cell that never ends."""
        job = self.submit(*(words or ["heat_run.sh"]), **more)
        self.wait_until_busy(job)
        return job

    def wait_until_busy(self, job):
        number = slurm.wait_for(job, "RUNNING")["JobId"]
        wait_for(self.path(f"ready.{number}").exists, cluster.JOB_TIMEOUT)

    def experiments(self):
        return sorted(path.name for path in self.folder.glob("scorep-*"))

    def assert_kept(self, *regions, name=None, ranks=1):
        """All data of the experiment NAME, which is else the only one."""
        self.experiment = self.folder / (name or " ".join(self.experiments()))
        for number in range(ranks):
            entered = self.regions(f"events.{number}.jsonl" if number else "events.jsonl")
            for region in regions:
                self.assertIn(region, entered)
        self.assertTrue((self.experiment / "profile.cubex").exists())


class Start(JobCase):
    """sbatch, salloc, srun, and none of them."""

    def test_from_anywhere(self):
        """Slurm runs a copy in a folder of its own."""
        self.path("nb with blanks").mkdir()
        self.path("else where").mkdir()
        self.write("nb with blanks/heat.ipynb", notebook(WHERE))
        folder = self.path("nb with blanks")
        self.build("-q", "heat.ipynb", cwd=folder)
        os.symlink(folder / "heat_run.sh", self.path("link of mine"))
        os.symlink("../link of mine", self.path("else where/heat_run.sh"))
        (self.path("else where/linked")).symlink_to(folder)
        output = f"--output={self.folder}/%j.out"
        jobs = [(self.submit(output, *command, "a b", "/heat_run.sh", cwd=self.path(cwd)), command)
                for command, cwd in (
                    ([str(folder / "heat_run.sh")], "else where"),
                    (["../nb with blanks/heat_run.sh"], "else where"),
                    (["heat_run.sh"], "nb with blanks"),
                    ([f"--chdir={folder}", "heat_run.sh"], "nb with blanks"),
                    (["--chdir=/", "./heat_run.sh"], "nb with blanks"),
                    (["link of mine"], "."),
                    (["./heat_run.sh"], "else where"),
                    (["linked/heat_run.sh"], "else where"))]
        for job, command in jobs:
            with self.subTest(command):
                out = slurm.end_of(job)
                self.assertEqual(slurm.output_of(out), f"{folder}|a b|/heat_run.sh\n")
                self.assertEqual(out["JobState"], "COMPLETED")

    def test_inside_of_salloc(self):
        self.make(WHERE)
        for command in (["./heat_run.sh"], ["srun", "./heat_run.sh"],
                        [binary(), "run", "-q", "heat.ipynb"]):
            done = self.run_command("salloc", "--quiet", *command, env=self.environment())
            self.assertEqual((done.status, done.out.decode()), (0, f"{self.folder}\n"), done)
        names = [re.fullmatch(r"scorep-heat-\d+(-step0)?", name) for name in self.experiments()]
        self.assertEqual((len(names), len([name for name in names if name[1]])), (3, 1))

    def test_status_and_dependency(self):
        self.make("import os, sys\nwith open('order', 'a') as f:\n    f.write(sys.argv[1])\n"
                  "sys.exit(int(sys.argv[2]))")
        first = self.submit("--begin=now+1", "heat_run.sh", "a", "0")
        second = self.submit(f"--dependency=afterok:{first}", "heat_run.sh", "b", "7")
        third = self.submit(f"--dependency=afternotok:{second}", "heat_run.sh", "c", "0")
        fourth = self.submit("--kill-on-invalid-dep=yes", f"--dependency=afterok:{second}",
                             "heat_run.sh", "d", "0")
        self.done(third)
        self.assertEqual(self.path("order").read_text(), "abc")
        self.assertEqual(slurm.wait_for(second, "FAILED")["ExitCode"], "7:0")
        slurm.wait_for(fourth, "CANCELLED")


class Experiments(JobCase):
    """Each job has a directory of its own."""

    def test_names(self):
        self.make("1")
        self.write("twice.sh", "#!/bin/bash\n./heat_run.sh\n./heat_run.sh\n"
                   "srun -n1 ./heat_run.sh & srun -n1 ./heat_run.sh & wait\nsrun -n2 ./heat_run.sh")
        job = self.submit("heat_run.sh")
        array = self.submit("--array=3,5", "heat_run.sh")
        twice = self.submit("-n2", "twice.sh")
        given = self.submit("heat_run.sh", SCOREP_EXPERIMENT_DIRECTORY="mine")
        for each in job, f"{array}_3", f"{array}_5", twice, given:
            self.done(each)
        wanted = [f"{job}", f"{array}_3", f"{array}_5", f"{twice}", f"{twice}-2",
                  f"{twice}-step0", f"{twice}-step1", f"{twice}-step2"]
        self.assertEqual(self.experiments(), sorted("scorep-heat-" + name for name in wanted))
        for name in wanted[:-1] + [f"{twice}-step2/rank-{rank}" for rank in (0, 1)]:
            self.assert_kept(name="scorep-heat-" + name)
        self.assertTrue(self.path("mine").is_dir())

    def test_job_in_a_name(self):
        self.make("%%scorep_env\nSCOREP_EXPERIMENT_DIRECTORY=runs/of-%j", "1")
        job = self.submit("heat_run.sh")
        self.done(job)
        self.assert_kept(name=f"runs/of-{job}")

    def test_requeued(self):
        self.make(BEFORE, measured("import os\nif not int(os.getenv('SLURM_RESTART_COUNT', 0)):"
                                   "\n    " + BUSY.replace("\n", "\n    ")))
        job = self.busy("--requeue", "heat_run.sh")
        slurm.must("scontrol", "requeue", job)
        # It would wait for two minutes; but the first start's credentials, which are revoked now,
        # are told from those of the next one by their second.
        wait_for(lambda: slurm.jobs(job)[0]["Reason"] == "BeginTime")
        slurm.must("scontrol", "update", f"JobId={job}", "StartTime=now+3")
        self.done(job)
        self.assertEqual(self.experiments(),
                         [f"scorep-heat-{job}", f"scorep-heat-{job}-restart1"])
        for name in self.experiments():
            self.assert_kept("user:cell 2", name=name)


class Ending(JobCase):
    """A job that does not end by itself keeps its data."""

    def test_scancel_of_an_element(self):
        self.make(BEFORE, measured("import os\nif os.environ['SLURM_ARRAY_TASK_ID'] == '2':\n    "
                                   + BUSY.replace("\n", "\n    ")))
        job = self.submit("--array=1-3", "heat_run.sh")
        self.wait_until_busy(f"{job}_2")
        slurm.must("scancel", f"{job}_2")
        self.assertIn("CANCELLED", self.done(f"{job}_2", "CANCELLED"))
        for task in 1, 2, 3:
            self.done(f"{job}_{task}", "CANCELLED" if task == 2 else "COMPLETED")
            self.assert_kept("user:cell 2", name=f"scorep-heat-{job}_{task}")

    def test_scancel_with_a_signal(self):
        """The batch script is the program: it has replaced the shell."""
        self.make(BEFORE, measured("import os\n" + WATCH + READY + AWAIT), "print('no')")
        job = self.busy()
        slurm.must("scancel", "--batch", "--signal=USR1", job)
        end = slurm.wait_for(job, "FAILED")
        self.assertEqual(end["ExitCode"], "138:0")
        self.assertIn("ended by SIGUSR1 before cell 3", slurm.output_of(end))
        self.assert_kept("user:cell 2")


class Log(JobCase):
    """What a program prints is in the job's log at once."""
    LINES = "first", "second", "third"

    def check_log(self, job):
        """Each line comes before the program may print the next one."""
        path = pathlib.Path(slurm.wait_for(job, "RUNNING")["StdOut"])
        for count, line in enumerate(self.LINES, 1):
            wanted = [each for each in self.LINES[:count]]
            wait_for(lambda: path.exists() and wanted == [  # pylint: disable=cell-var-from-loop
                each for each in path.read_text().splitlines() if each in self.LINES],
                cluster.JOB_TIMEOUT)
            self.path(f"go.{line}").touch()
        self.wait_until_busy(job)

    def make_printing(self, *options):
        waits = ("import os, time\ndef say(line):\n    print(line)\n"
                 "    while not os.path.exists(f'go.{line}'): time.sleep(.01)\n")
        self.make(waits + f"rank = int(os.environ['SLURM_PROCID'])\nif rank == 0:\n"
                  f"    for line in {self.LINES}: say(line)",
                  measured("if rank == 0:\n    print('printed in front of the end')\n    "
                           + READY.replace("\n", "\n    ") + "\nwhile True: time.sleep(.01)"),
                  options=list(options))

    def test_batch_script_is_killed(self):
        self.make_printing()
        job = self.submit("heat_run.sh")
        self.check_log(job)
        slurm.must("scancel", "--batch", "--signal=KILL", job)
        log = slurm.output_of(slurm.end_of(job))
        self.assertEqual(log.splitlines()[:4], [*self.LINES, "printed in front of the end"])

    def test_step_is_killed(self):
        """The run script outlives it, and prints what is known of the cells."""
        self.make_printing("--ranks=2")
        job = self.submit("heat_run.sh")
        self.check_log(job)
        slurm.must("scancel", "--signal=KILL", f"{job}.0")
        log = self.done(job, "FAILED").splitlines()
        self.assertEqual([line for line in log if line in self.LINES or "printed" in line],
                         [*self.LINES, "printed in front of the end"])
        self.assertTrue(log[-2].endswith(" [unfinished]"), log)
        self.assertEqual(log[-1], "2 ranks")


@unittest.skipUnless(HAS_MPI, "needs mpirun and mpi4py")
class Steps(JobCase):
    """Ranks on both nodes."""

    FIRST = ("from mpi4py import MPI\nimport os, sys, time\nworld = MPI.COMM_WORLD\n"
             "rank = world.rank\nopen(f'started.{rank}', 'w').close()\n")
    BUSY = ("open(f'ready.{rank}', 'w').close()\n"
            "while len([n for n in os.listdir() if n.startswith('ready.')]) < 2: pass\n"
            + BUSY.replace("import os\n", "if rank == 0: "))  # both are in the cell
    LAUNCHERS = "srun --mpi=pmix -n {ranks}", "mpirun -n {ranks}"

    def make_ranks(self, launcher, *cells):
        for path in self.folder.glob("ready.*"):
            path.unlink()
        self.make(self.FIRST, *cells,
                  options=["--force", "--ranks=2", "--launcher=" + launcher])

    def submit_ranks(self, **more):
        """A job in which both have started, the third one at the latest: rarely, on a busy machine, Open MPI calls a
        null pointer in MPI_Init, when another rank is faster (open-mpi/ompi, issue 12495). srun's others wait then."""
        for _ in range(3):
            for path in self.folder.glob("started.*"):
                path.unlink()
            job = self.submit("-N2", "-n2", "heat_run.sh", **more)
            log = self.path(f"slurm-{job}.out")
            wait_for(lambda: len([*self.folder.glob("started.*")]) == 2
                     or log.exists() and b"Failing at address: (nil)" in log.read_bytes(), cluster.JOB_TIMEOUT)
            if len([*self.folder.glob("started.*")]) == 2:
                break
            slurm.end(job)
        return job

    def test_on_both_nodes(self):
        for launcher in self.LAUNCHERS:
            with self.subTest(launcher):
                self.make_ranks(launcher, measured(
                    "names = world.gather((rank, os.environ['SLURMD_NODENAME']))\n"
                    "if rank == 0: print(names)"))
                job = self.submit_ranks(NBSCOREP_QUIET="yes")
                self.assertEqual(self.done(job), "[(0, 'nb1'), (1, 'nb2')]\n")
                self.assert_kept("user:cell 2", name=f"scorep-heat-{job}", ranks=2)

    def test_programs_beside_each_other(self):
        """Under mpirun a program without MPI is started several times, too."""
        self.make("1")
        self.write("two.sh", "#!/bin/bash\nmpirun -n 2 ./heat_run.sh")
        self.done(self.submit("-n2", "two.sh"))
        name, = self.experiments()
        for rank in 0, 1:
            self.assert_kept(name=f"{name}/rank-{rank}")

    def test_ranks_without_mpi(self):
        """They run on two nodes at the same time; none takes another one's directory."""
        self.make(measured("import os, time\nrank = os.environ['SLURM_PROCID']\n"
                           "open(f'ready.{rank}', 'w').close()\n"
                           "while not os.path.exists(f'ready.{1 - int(rank)}'): time.sleep(.01)"),
                  options=["--ranks=2", "--slurm=nodes=2"])
        job = self.submit("heat_run.sh")
        log = self.done(job).splitlines()
        self.assertEqual(log[0], "nbscorep: each rank is measured separately (no --mpp=mpi), in "
                         f"scorep-heat-{job}/rank-N")
        self.assertRegex(log[2], r"^     1( +\d+\.\d{3} s){3}  [01] +import os, time$")
        self.assertEqual(log[3:], ["2 ranks"])  # also of the one on the other node
        for rank in 0, 1:
            self.assert_kept("user:cell 1", name=f"scorep-heat-{job}/rank-{rank}")

    def test_signal_before_the_limit(self):
        """As --signal=B:USR1@120 has it sent: it reaches all ranks through the batch script."""
        wait = WATCH + self.BUSY.partition("while True:")[0] + AWAIT
        for launcher in self.LAUNCHERS:
            with self.subTest(launcher):
                self.make_ranks(launcher, measured(wait), "print('no')")
                job = self.submit_ranks()
                self.wait_until_busy(job)
                slurm.must("scancel", "--batch", "--signal=USR1", job)
                self.assertEqual(self.done(job).count("ended by SIGUSR1 before cell 3"), 1)
                self.assert_kept("user:cell 2", name=f"scorep-heat-{job}", ranks=2)

    def test_rank_that_writes_for_long(self):
        """Slurm's SIGTERM comes to mpirun itself, too, which kills what is slow."""
        slow = ("import scorep._experiment\nkind = scorep._experiment.Experiment\n"
                "write = kind.write_results\ndef write_late(*arguments):\n"
                "    until = time.monotonic() + 3\n    while time.monotonic() < until: pass\n"
                "    write(*arguments)\nkind.write_results = write_late\n")
        for launcher in self.LAUNCHERS:
            with self.subTest(launcher):
                self.make_ranks(launcher, slow, measured(self.BUSY))
                job = self.submit_ranks()
                self.wait_until_busy(job)
                slurm.must("scancel", job)
                self.done(job, "CANCELLED")
                self.assert_kept("user:cell 3", name=f"scorep-heat-{job}", ranks=2)


if __name__ == "__main__":
    unittest.main()
