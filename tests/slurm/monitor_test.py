#!/usr/bin/env python3
"""nbscorep monitor in jobs of a real Slurm of two virtual nodes: who samples whom, and where."""
import json
import os
import pathlib
import shutil
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "monitor"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster  # noqa: E402
import samples_reader as samples  # noqa: E402
from ending_test import wait_for  # noqa: E402
from support import DOUBLE, Case, binary, notebook, setting  # noqa: E402

LOAD = setting("NBSCOREP_LOAD")
MIB = 1 << 20
NS = 1_000_000_000
MONITOR = f"{binary()} monitor -q"
TERM = 15


def setUpModule():
    global slurm
    slurm = cluster.start(unittest.addModuleCleanup)


class MonitorCase(Case):
    def environment(self, **more):
        return slurm.environment(PYTHON="/usr/bin/python3", PYTHONPATH=str(DOUBLE),
                                 PATH=f"{DOUBLE}/bin:{os.environ['PATH']}", **more)

    def srun(self, *words, **more):
        return slurm.must("srun", *words, cwd=self.folder, env=self.environment(), **more)

    def start(self, commands, *options):
        """The job of a script of COMMANDS."""
        self.write("job.sh", f"#!/bin/bash\n{commands}\n")
        job = slurm.submit(*options, "job.sh", cwd=self.folder, env=self.environment())
        self.addCleanup(slurm.end, job)
        return job

    def run_job(self, commands, *options):
        job = self.start(commands, *options)
        slurm.wait_for(job, "COMPLETED")
        return job

    def names(self):
        return sorted(path.name for path in self.folder.glob("*.samples"))

    def read(self, name):
        return samples.read(self.path(name))

    def report(self, *words):
        return json.loads(self.nbscorep("report", "--format=json", *words).out)

    def assert_used(self, found, seconds, processes=None, started=1):
        """Also what ended, or began, between two samples is known. To start takes some, too, of each that is STARTED,
        on a busy machine more; what counts twice takes twice as much."""
        group = found.group("process")
        self.assertGreater(group.of("cpu")[-1] / NS, .97 * seconds)
        self.assertLess(group.of("cpu")[-1] / NS, 1.4 * seconds + .1 * started)
        if processes is not None:
            self.assertEqual(max(group.of("processes")), processes)


class Ranks(MonitorCase):
    """One sampler on each node, which sees all ranks there and nobody else."""

    def test_of_a_step(self):
        self.srun("-N2", "-n4", "--ntasks-per-node=2", *MONITOR.split(), "--interval=20ms",
                  "-o", "run.samples", "--", LOAD, "burn", "1", ".3", "wait", "200")
        self.assertEqual(self.names(), ["run.0.samples", "run.1.samples"])
        for node in 0, 1:
            found = self.read(f"run.{node}.samples")
            self.assertEqual((found.head["node"], found.head["host"]), (node, f"nb{node + 1}"))
            self.assert_used(found, .6, processes=2)
            self.assertEqual(found.finish["status"], 0)

    def test_are_merged(self):
        self.srun("-N2", "-n2", *MONITOR.split(), "--", LOAD, "burn", "1", ".3")
        found = self.report(".")
        nodes = found["run"]["by_node"]
        self.assertEqual([node["host"] for node in found["nodes"]], ["nb1", "nb2"])
        self.assertEqual(len(nodes), 2)
        self.assertAlmostEqual(found["run"]["levels"]["process"]["core_seconds"], .6, delta=.03)
        self.assertIn("(on each node)", self.nbscorep("report", ".").out.decode())

    def test_of_one_node(self):
        self.srun("-n2", *MONITOR.split(), "-o", "run.samples", "--", "true")
        self.assertEqual(self.names(), ["run.samples"])

    def test_first_one_ends_first(self):
        """What the others use until they end is sampled, too, and nothing of it is lost."""
        burn = f"exec {LOAD} burn 1 .$((1 + 2 * SLURM_PROCID))"
        self.srun("-n3", *MONITOR.split(), "-o", "x.samples", "--", "sh", "-c", burn)
        self.assert_used(self.read("x.samples"), .1 + .3 + .5, started=3)

    def test_first_one_fails(self):
        """Whoever started the ranks is to know, and may end the others."""
        done = slurm.command(
            "srun", "-n2", "--kill-on-bad-exit", *MONITOR.split(), "-o", "x.samples", "--", "sh",
            "-c", "[ $SLURM_PROCID = 1 ] || exit 3; exec sleep 600", cwd=self.folder)
        self.assertEqual(done.status, 128 + TERM, done)
        self.assertEqual(self.read("x.samples").finish["status"], 3 << 8)

    def test_steps_do_not_share_a_file(self):
        step = f"srun -N1 -n1 --exact {MONITOR} -- {LOAD} wait 1"
        job = self.run_job(f"{step} & {step} & wait; {step}", "-N2", "-n2")
        self.assertEqual(self.names(), [f"load.{job}.{step}.0.samples" for step in (0, 1, 2)])

    @unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
    def test_of_mpirun(self):
        """Its own step of Slurm says nothing of the ranks."""
        job = self.run_job(f"mpirun -n 4 {MONITOR} --interval=20ms -- {LOAD} burn 1 .3 wait 200",
                           "-N2", "-n4", "--ntasks-per-node=2")
        names = [f"load.{job}.nb{node}.samples" for node in (1, 2)]
        self.assertEqual(self.names(), names)
        for name in names:
            self.assert_used(self.read(name), .6, processes=2)
        self.assertEqual(len(self.report(".")["run"]["by_node"]), 2)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "needs two processors")
    def test_each_with_processors_of_its_own(self):
        first, second = sorted(os.sched_getaffinity(0))[:2]
        self.srun("-n2", "sh", "-c", f"[ $SLURM_PROCID = 0 ] && cpu={first} || cpu={second}\n"
                  f"exec taskset -c $cpu {MONITOR} -o x.samples -- true")
        self.assertEqual(self.read("x.samples").head["cpus"], 2)


class Job(MonitorCase):
    def test_level(self):
        """All of the job on the node, and nothing beside it."""
        beside = self.start(f"exec {LOAD} burn 1 600", "-w", "nb1")
        slurm.wait_for(beside, "RUNNING")
        self.wait_until_used(f"{LOAD} burn 1 600", 2)  # more than the job itself will use
        self.run_job(f"{LOAD} burn 1 .3 & srun -n2 {MONITOR} --interval=20ms -o x.samples -- "
                     f"{LOAD} burn 1 .3 wait 300; wait", "-w", "nb1", "-n2")
        slurm.must("scancel", beside)
        found = self.read("x.samples")
        job, users = (found.group(name).of("cpu") for name in ("slurm", "user"))
        self.assertGreater(job[-1], .85 * NS)  # the one beside may have begun before the samples
        self.assertLess(job[-1], 1.5 * NS)  # with srun and the monitors
        self.assertGreater(users[-1] - users[0], job[-1] - job[0] + .3 * NS)

    def wait_until_used(self, command, seconds):
        """Waits until a process with this command line has used so much processor time."""
        words, until = command.replace(" ", "\0") + "\0", time.monotonic() + 60
        ticks = seconds * os.sysconf("SC_CLK_TCK")
        while time.monotonic() < until:
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    if path.read_text() == words and int((path.parent / "stat").read_text().rpartition(
                            ")")[2].split()[11]) >= ticks:
                        return
                except (OSError, UnicodeError):
                    pass
            time.sleep(0.05)
        self.fail(f"no process '{command}' has used {seconds} s")

    def limit(self, option):
        self.run_job(f"srun {MONITOR} -o x.samples -- true", "-n2", option)
        return self.read("x.samples").head["memory_limit"] // MIB

    def test_memory_limit(self):
        self.assertEqual(self.limit("--mem=300M"), 300)
        self.assertEqual(self.limit("--mem-per-cpu=100M"), 200)


class End(MonitorCase):
    """What was sampled can be read, however it ended."""

    def end_by_scancel(self, command):
        job = self.start(f"srun -n2 {MONITOR} --interval=10ms -o x.samples -- {command}", "-n2")
        # More than the first sample is there after a second.
        wait_for(lambda: self.path("x.samples").exists()
                 and self.path("x.samples").stat().st_size > 2000, cluster.JOB_TIMEOUT)
        slurm.must("scancel", job)
        slurm.end_of(job)
        self.assertGreater(len(self.read("x.samples").group("process").rows), 10)
        return self.nbscorep("report", "x.samples").out.decode()

    def test_by_the_signal(self):
        self.assertIn("End: signal 15", self.end_by_scancel("sleep 600"))

    def test_as_it_wants_to(self):
        self.write("end.sh", "trap 'exit 4' TERM\nwhile :; do sleep .05; done\n")
        self.assertIn("End: status 4", self.end_by_scancel("bash end.sh"))

    def test_not_before_it_is_killed(self):
        self.write("end.sh", "trap '' TERM\nwhile :; do sleep 1; done\n")
        # Slurm kills the command or its sampler first.
        self.assertRegex(self.end_by_scancel("bash end.sh"), "End: (not known|signal 9)")


class Notebook(MonitorCase):
    CELLS = ("import time", "end = time.process_time() + .15\nwhile time.process_time() < end: pass")

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook(*self.CELLS))

    def test_run(self):
        self.srun("-n1", binary(), "run", "--no-scorep", "--monitor=20ms", "-q", "heat.ipynb")
        name, = self.names()
        self.assertRegex(name, r"^heat\.\d+\.0\.0\.samples$")
        self.assertEqual([cell["cell"] for cell in self.report(name)["cells"]], [1, 2])

    def test_run_of_ranks(self):
        self.srun("-n2", binary(), "run", "--no-scorep", "--monitor=20ms", "-q", "heat.ipynb")
        name, = self.names()
        found = self.read(name)
        self.assertGreaterEqual(found.group("process").of("cpu")[-1], .3 * NS)
        self.assertEqual([cell["cell"] for cell in self.report(name)["cells"]], [1, 2])

    def test_submit(self):
        """The ranks that the run script starts, each node's in a file of its own."""
        # A node's samples end with its first rank, so the ranks end together, as those of MPI do.
        meet = ("import glob, os\nopen('met.' + os.environ['SLURM_PROCID'], 'w').close()\n"
                "while len(glob.glob('met.*')) < 4: time.sleep(.01)")
        self.write("heat.ipynb", notebook(*self.CELLS, meet))
        done = self.run_command(
            binary(), "submit", "--wait", "--parsable", "--no-scorep", "--monitor=20ms", "--ranks=4",
            "--slurm=nodes=2", "--launcher=srun -n {ranks} --ntasks-per-node=2", "heat.ipynb",
            timeout=cluster.JOB_TIMEOUT, env=self.environment(NBSCOREP=binary()))
        self.assertEqual(done.status, 0, done)
        job, _, output = done.out.decode().partition("\n")
        self.assertEqual(output.count("Memory to request for the next job: --mem="), 1, output)
        self.assertEqual(self.names(), [f"heat.{job}.0.samples", f"heat.{job}.1.samples"])
        self.assertEqual([cell["cell"] for cell in self.report(self.names()[0])["cells"]], [1, 2, 3])
        # Also what a rank used before its node's sampler began.
        used = [self.read(name).group("process").of("cpu")[-1] for name in self.names()]
        self.assertGreaterEqual(sum(used), .6 * NS)

    def test_submit_and_report(self):
        """At the job's end, of all ranks, with the samples of both nodes."""
        done = self.run_command(
            binary(), "submit", "--wait", "--parsable", "--measurement=builtin", "--report", "--ranks=4",
            "--slurm=nodes=2", "--launcher=srun -n {ranks} --ntasks-per-node=2", "heat.ipynb",
            timeout=cluster.JOB_TIMEOUT, env=self.environment(NBSCOREP=binary()))
        self.assertEqual(done.status, 0, done)
        job, _, output = done.out.decode().partition("\n")
        self.assertIn(f"nbscorep report of scorep-heat-{job}: ", output)
        self.assertIn("4 processes", output)
        self.assertNotIn("Memory to request", output)
        self.assertRegex(output, r"(?m)^  cell 2 +4 +\d+\.\d+ +\d")  # visits, seconds, and CPU of the samples
        self.assertTrue((self.folder / f"scorep-heat-{job}/report.html").is_file())


if __name__ == "__main__":
    unittest.main()
