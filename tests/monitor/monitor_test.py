#!/usr/bin/env python3
"""nbscorep monitor against programs whose use is known."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import samples_reader as samples  # noqa: E402  pylint: disable=wrong-import-position
from support import TIMEOUT, Case, binary, clean_environment, setting  # noqa: E402

LOAD = setting("NBSCOREP_LOAD")
MIB = 1 << 20
NS = 1_000_000_000
TICK = NS // os.sysconf("SC_CLK_TCK")


class Monitored(Case):
    def command(self, *words):
        """The status may be the command's."""
        return self.run_command(binary(), "monitor", *words)

    def monitor(self, *command, options=(), status=0):
        """What is sampled of a command."""
        self.path("out.samples").unlink(missing_ok=True)
        done = self.command("-q", "-o", "out.samples", *options, "--", *command)
        self.assertEqual(done.status, status, done)
        self.assertEqual(done.err, b"")
        return samples.read(self.path("out.samples"))

    def size_of(self, name):
        return self.path(name).stat().st_size if self.path(name).exists() else 0

    def load(self, *words, options=("--interval=10ms",), status=0):
        return self.monitor(LOAD, *map(str, words), options=options, status=status)

    def assert_near(self, value, wanted, share):
        self.assertGreaterEqual(value, wanted * (1 - share))
        self.assertLessEqual(value, wanted * (1 + share))

    def assert_computed(self, group, seconds):
        """Starting takes time, too, on a busy machine and beside sanitizers; what counts twice takes more."""
        self.assertGreaterEqual(group.of("cpu")[-1], .85 * seconds * NS)
        self.assertLessEqual(group.of("cpu")[-1], 1.6 * seconds * NS)


class ControlGroup(Monitored):
    """A real one, where one can be made."""

    def make_group(self):
        lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text(
            encoding="utf-8").splitlines()]
        paths = {name: path for _, names, path in lines for name in names.split(",")}
        base = "/sys/fs/cgroup/memory" if "memory" in paths else "/sys/fs/cgroup"
        own = pathlib.Path(base + paths.get("memory", paths.get("", "/")))
        group = own / f"nbscorep-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            self.skipTest(f"no control group can be made: {error}")
        self.addCleanup(group.rmdir)
        if not (group / "memory.stat").exists():
            self.skipTest("new control groups do not count memory")
        return group

    def test_files_in_memory(self):
        """They are no memory of any process, but count as such until they are removed."""
        group = self.make_group()
        file = pathlib.Path(f"/dev/shm/nbscorep-test-{os.getpid()}")
        if os.statvfs(file.parent).f_bavail * os.statvfs(file.parent).f_frsize < 64 * MIB:
            self.skipTest("/dev/shm is too small")
        self.addCleanup(lambda: file.unlink(missing_ok=True))
        done = self.run_command(
            "sh", "-c", 'echo $$ > "$1"; shift; exec "$@"', "sh", str(group / "cgroup.procs"),
            binary(), "monitor", "-q", "-o", "x.samples", "--", sys.executable, "-c",
            f"open('{file}', 'wb').write(b'x' * {32 * MIB})")
        self.assertEqual(done.status, 0, done)
        self.assert_near(samples.read(self.path("x.samples")).group("process.cgroup")
                         .of("tmpfs")[-1], 32 * MIB, .05)
        found = json.loads(self.nbscorep("report", "--format=json", "x.samples").out)
        self.assertGreater(found["request"]["need"], 32 * MIB)


class Accuracy(Monitored):
    def assert_all_time(self, found):
        """The samples add up to what the kernel says at the end."""
        cpu = found.group("process").of("cpu")
        self.assertEqual(cpu, sorted(cpu))
        self.assert_near(cpu[-1], found.finish["user"] + found.finish["system"], .01)

    def test_threads(self):
        found = self.load("burn", 2, .5)
        self.assert_all_time(found)
        self.assert_computed(found.group("process"), 1)

    def test_short_children(self):
        """Most are never seen: what they used is found in their parent."""
        found = self.load("fork", 200, .003)
        self.assert_all_time(found)
        self.assertGreaterEqual(found.group("process").of("cpu")[-1], .6 * NS)

    def test_no_more_than_one_processor_can_do(self):
        """Though the time of children comes late, in ticks of the clock, and a program of a higher
        class keeps the sampler waiting."""
        cpu = min(os.sched_getaffinity(0))
        first = ["chrt", "-r", "1"]
        if not shutil.which("chrt") or subprocess.run([*first, "true"], check=False).returncode:
            first = []  # the user may not
        done = subprocess.run(
            [binary(), "monitor", "-q", "-o", "x.samples", "--interval=10ms", "--", *first, LOAD,
             "fork", "300", ".003", "burn", "1", ".2"], cwd=self.folder, env=clean_environment(),
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}), timeout=TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0)
        found = json.loads(self.nbscorep("report", "--format=json", "x.samples").out)
        process = found["run"]["levels"]["process"]
        self.assertLessEqual(process["cpu_percent"]["max"], 100.01)
        self.assertGreater(process["core_seconds"], 1)
        end = found["nodes"][0]["end"]
        self.assert_near(process["core_seconds"], end["user"] + end["system"], .01)

    def test_children_that_nobody_waits_for(self):
        """The kernel leaves their time to nobody, so only what was seen of them is known."""
        found = self.load("ignore", "fork", 1, .5, options=["--interval=2ms"])
        cpu = found.group("process").of("cpu")
        self.assertEqual(cpu, sorted(cpu))
        self.assert_computed(found.group("process"), .5)

    def test_orphans(self):
        found = self.load("orphan", .3)
        self.assert_computed(found.group("process"), .3)

    def test_peak_memory(self):
        found = self.load("touch", 300, 500)
        group = found.group("process")
        self.assert_near(max(group.of("peak_rss")), found.finish["peak_rss"], .02)
        self.assert_near(max(group.of("rss")), 300 * MIB, .02)

    def test_one_process_that_grows(self):
        """Each look has its memory, whatever else is read less often."""
        found = self.monitor(sys.executable, "-S", "-c", "import time\nkept = []\n"
                             "for i in range(60):\n    kept.append(bytearray(1 << 20))\n"
                             "    time.sleep(.01)", options=["--interval=5ms"])
        group = found.group("process")
        self.assertGreater(len(set(group.of("rss"))), 30)
        self.assert_near(group.of("minor_faults")[-1], found.finish["minor_faults"], .01)
        self.assertEqual(max(group.of("threads")), 1)

    def test_child_that_has_its_parents_memory(self):
        group = self.load("lend", 100, 500).group("process")
        self.assertEqual(max(group.of("processes")), 2)
        self.assert_near(max(group.of("rss")), 101 * MIB, .05)

    def test_peak_memory_between_two_samples(self):
        found = self.load("touch", 200, 150, "wait", 1200, options=["--interval=1"])
        self.assert_near(found.finish["peak_rss"], 200 * MIB, .03)
        self.assertEqual(found.finish["peak_rss"] % os.sysconf("SC_PAGESIZE"), 0)  # Linux counts pages

    def test_user_of_many_groups(self):
        """Which stand in front of the memory where Linux tells it."""
        if os.geteuid() != 0:
            self.skipTest("only root can be in groups that it chooses")
        words = map(str, ("wait", 300, "touch", 200, 150, "wait", 1200))
        process = subprocess.Popen([LOAD, *words], preexec_fn=lambda: os.setgroups(
            range(10 ** 9, 10 ** 9 + 350)))
        done = self.command("-q", "-o", "x.samples", "--interval=500ms", f"--attach={process.pid}")
        process.wait()
        self.assertEqual(done.status, 0, done)
        found = samples.read(self.path("x.samples"))
        self.assert_near(found.group("process").of("peak_rss")[-1], 200 * MIB, .05)

    def test_memory_that_is_shared(self):
        """The request for the next job counts it once, where the machine is idle enough to see that in one of three runs."""
        def need():
            self.load("share", 100, 4, 2500, options=["--interval=50ms", "--force"])
            found = json.loads(self.nbscorep("report", "--format=json", "out.samples").out)
            self.assertGreater(found["run"]["levels"]["process"]["memory"]["peak"], 500 * MIB)
            return found["request"]["need"] / MIB
        self.assertTrue(any(90 < need() < 110 for _ in range(3)))

    def test_shares_of_a_process_that_has_grown(self):
        """They are read again soon, though there is nobody to share with."""
        found = self.load("wait", 50, "touch", 200, 3000, options=["--interval=50ms"])
        self.assert_near(max(found.group("process.shares").of("pss")), 200 * MIB, .2)

    def assert_written(self, found, size, calls, processes):
        """SIZE bytes were written in CALLS. Where the node keeps accounts of processes (acct(2))
        each of PROCESSES has written its own record of 64 bytes, when it ended, as well."""
        group = found.group("process.io")
        self.assertEqual(group.of("write_chars")[0], 0)
        records = group.of("write_calls")[-1] - calls
        self.assertIn(records, range(processes + 1))
        self.assertEqual(group.of("write_chars")[-1], size + 64 * records)

    def test_written_bytes_are_exact(self):
        size = 12_345_678
        self.assert_written(self.load("write", "file", size), size, -(-size // 4096), 1)

    def test_io_of_what_has_ended(self):
        found = self.monitor("sh", "-c", f"'{LOAD}' write a 1000000; '{LOAD}' write b 2000000",
                             options=["--interval=50ms"])
        calls = sum(-(-size // 4096) for size in (1_000_000, 2_000_000))
        self.assert_written(found, 3_000_000, calls, 3)

    def test_processes_and_threads(self):
        found = self.monitor("sh", "-c", f"'{LOAD}' wait 300 burn 3 .2 & '{LOAD}' wait 900; wait",
                             options=["--interval=10ms"])
        group = found.group("process")
        self.assertEqual(max(group.of("processes")), 3)
        self.assertEqual(max(group.of("threads")), 6)

    def test_few_descriptors(self):
        many = f"for i in 1 2 3 4 5 6 7 8 9 10 11 12; do '{LOAD}' touch 10 800 & done; wait"
        self.run_command("sh", "-c", f"ulimit -n 20; exec '{binary()}' monitor -q -o x "
                         f"--interval=20ms -- sh -c \"$0\"", many)
        group = samples.read(self.path("x")).group("process")
        self.assertEqual(max(group.of("processes")), 13)
        self.assertGreater(max(group.of("rss")), 120 * MIB)

    def test_python_that_holds_its_lock(self):
        """Samples are not the program's business: none is left out, and the time is seen."""
        found = self.monitor(sys.executable, "-S", "-c", "for i in range(30_000_000): pass",
                             options=["--interval=10ms"])
        cpu = found.group("process").of("cpu")
        self.assert_all_time(found)
        self.assertGreater(len(set(cpu)), 10)  # beside busy processes it does not run in each interval

    def test_each_sample_is_read(self):
        """Also where looks at all come as often as the samples."""
        group = self.load("burn", 1, 1.5, options=["--interval=100ms"]).group("process")
        cpu, times = group.of("cpu"), [time[0] for time in group.times]
        grown = [cpu[i] > cpu[i - 1] for i in range(1, 14) if times[i] - times[i - 1] > NS / 20]
        self.assertGreater(len(grown), 8)
        self.assertTrue(all(grown), grown)

    def test_levels(self):
        found = self.load("burn", 1, .3, options=["--interval=10ms", "--levels=user,system"])
        users, tree = found.group("user").of("cpu"), found.group("process").of("cpu")
        program = {begin for begin, _, _ in found.group("process").times}
        for begin, _, _ in found.group("user").times:  # the program's part was read then
            self.assertIn(begin, program)
        self.assertGreaterEqual(users[-1] - users[0], tree[-1] - tree[0] - 2 * TICK)
        self.assertGreater(found.group("system").of("memory_used")[0], MIB)
        cores = found.group("cores")
        self.assertEqual(len(cores.columns), os.cpu_count())
        busy = sum(cores.of("core_cpu", i)[-1] - cores.of("core_cpu", i)[0]
                   for i in range(len(cores.columns)))
        self.assertGreaterEqual(busy, tree[-1] - tree[0] - (1 + len(cores.columns)) * 2 * TICK)

    def test_levels_are_read_as_often_as_the_program(self):
        found = self.load("wait", 2500, options=["--interval=200ms", "--levels=user,system"])
        program = len(found.group("process").times)
        for name in "user", "system", "cores":
            self.assertGreater(len(found.group(name).times), .7 * program, name)

    def test_job(self):
        """Without control groups: who has the job's number among its variables."""
        script = (f"'{LOAD}' burn 1 .3 & SLURM_JOB_ID=12 '{LOAD}' burn 1 .3 & '{binary()}' monitor "
                  f"-q -o x --interval=10ms -- '{LOAD}' wait 1; wait")
        number = 1_000_000 + os.getpid()  # nobody else's on this machine
        self.run_command("sh", "-c", script, env=clean_environment(SLURM_JOB_ID=str(number)))
        found = samples.read(self.path("x"))
        self.assertEqual(found.head["job"], number)
        job, users = found.group("slurm"), found.group("user")
        self.assertEqual(job.of("processes")[0], 3)  # the shell, its first child, the command
        self.assertGreater(users.of("processes")[0], 3)

    def test_child_of_the_job_that_has_its_parents_memory(self):
        number = 1_000_000 + os.getpid()  # nobody else's on this machine
        self.run_command("sh", "-c", f"'{LOAD}' lend 100 1500 & '{binary()}' monitor -q -o x "
                         f"--interval=10ms --levels=slurm -- '{LOAD}' wait 1000; wait",
                         env=clean_environment(SLURM_JOB_ID=str(number)))
        job = samples.read(self.path("x")).group("slurm")
        self.assertGreater(max(job.of("rss")), 20 * MIB)  # a busy machine takes long to touch 100
        self.assertLess(max(job.of("rss")), 150 * MIB)

    def test_who_has_waited_for_long(self):
        """What another process does behind a long sleep is not missed."""
        before = f"until test -s x; do sleep .05; done; sleep .4; exec '{LOAD}' burn 1 .3"
        until = "while ! test -e done; do sleep .05; done"
        self.run_command("sh", "-c", f"{{ SLURM_JOB_ID=$$ sh -c \"{before}\"; touch done; }} & "
                         f"SLURM_JOB_ID=$$ '{binary()}' monitor -q -o x --interval=10ms "
                         f"--levels=slurm -- sh -c '{until}'; wait", env=clean_environment())
        job = samples.read(self.path("x")).group("slurm")
        self.assertGreater(job.of("cpu")[-1] - job.of("cpu")[0], .28 * 1e9)

    def test_only_the_programs_level(self):
        found = self.load("wait", 1, options=["--levels=process"])
        self.assertEqual(found.group("user").rows + found.group("cores").rows, [])

    def test_times(self):
        found = self.load("wait", 100)
        for group in found.groups:
            ends = [end for _, end, _ in group.times]
            self.assertEqual(ends, sorted(ends))
            self.assertTrue(all(begin <= end for begin, end, _ in group.times))
            for begin, _, wall in group.times:  # the wall clock may be set meanwhile
                passed = begin - found.head["start_mono"]
                self.assertLess(abs(wall - found.head["start_wall"] - passed), 60 * NS)
        self.assertLess(abs(found.head["start_wall"] - time.time_ns()), 600 * NS)
        self.assertEqual(found.head["interval"], NS // 100)
        most = (found.finish["moment"] - found.head["start_mono"]) / found.head["interval"]
        self.assertTrue(found.missed < found.due <= most + 1, (found.missed, found.due, most))
        # On a busy machine the last ones may not have come up yet when the program has ended.
        self.assertTrue(any(self.load("wait", 100).due >= 9 for _ in range(5)))

    def test_the_sampler_is_not_among_them(self):
        found = self.load("wait", 300)
        self.assertEqual(max(found.group("process").of("processes")), 1)
        own = found.group("sampler")
        self.assertGreater(own.of("cpu")[-1], 0)
        self.assertGreater(own.of("rss")[-1], 0)


class Ranks(Monitored):
    def start(self, rank, *words, **variables):
        return (" ".join(f"{name}={value}" for name, value in variables.items()) + f" {rank} "
                f"'{binary()}' monitor -q --interval=10ms -- '{LOAD}' " + " ".join(words))

    def test_one_sampler_for_each_node(self):
        """That of the first rank, which sees what the others use; those end as their commands do."""
        step = {"SLURM_JOB_ID": 9, "SLURM_STEP_ID": 0, "SLURM_NODEID": 3}
        script = (self.start("SLURM_LOCALID=1", "burn 1 .3 wait 1200 exit 5", **step) + " & other=$!; " +
                  self.start("SLURM_LOCALID=0", "burn 1 .3 wait 900", **step) +
                  "; wait $other; exit $?")
        done = self.run_command("sh", "-c", script)
        self.assertEqual(done.status, 5, done)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["load.9.0.3.samples"])
        found = samples.read(self.path("load.9.0.3.samples"))
        self.assertEqual(found.head["node"], 3)
        group = found.group("process")
        self.assertEqual(max(group.of("processes")), 2)
        self.assert_computed(group, .6)

    def test_ranks_of_open_mpi(self):
        done = self.run_command("sh", "-c", self.start("OMPI_COMM_WORLD_LOCAL_RANK=0", "wait 1"))
        self.assertEqual(done.status, 0, done)
        self.assertEqual([path.name for path in self.folder.iterdir()],
                         [f"load.{os.uname().nodename}.samples"])

    def launch(self, *words, **variables):
        process = subprocess.Popen(
            [*words], cwd=self.folder, stdout=subprocess.DEVNULL,
            env=clean_environment(**{name: str(value) for name, value in variables.items()}))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def launch_rank(self, rank, *words):
        return self.launch(binary(), "monitor", "-q", "--interval=10ms", "-o", "x.samples", "--",
                           LOAD, *words, MPI_LOCALRANKID=rank, MPI_LOCALNRANKS=2, PMI_SIZE=2)

    def test_samplers_do_not_wait_for_each_other(self):
        both = [self.launch(binary(), "monitor", "-q", "-o", name, "--", LOAD, "wait", "300",
                            MPI_LOCALRANKID=0, MPI_LOCALNRANKS=2, PMI_SIZE=2) for name in "xy"]
        self.assertEqual([process.wait(timeout=TIMEOUT) for process in both], [0, 0])

    def test_what_else_a_launcher_has_started(self):
        """Ranks only are the program's; those that nobody has waited for yet have ended."""
        self.launch("sleep", "600")
        other, first = self.launch_rank(1, "wait", "500"), self.launch_rank(0, "wait", "50")
        self.assertEqual(first.wait(timeout=TIMEOUT), 0)
        group = samples.read(self.path("x.samples")).group("process")
        self.assertEqual(max(group.of("processes")), 2)
        self.assertGreater(group.times[-1][1] - group.times[0][0], .3 * NS)
        self.assertEqual(other.wait(timeout=TIMEOUT), 0)

    def test_script_that_is_a_rank(self):
        """What it has started besides is none, and nobody waits for it."""
        self.launch("sh", "-c", f"sleep 600 & '{binary()}' monitor -q --interval=10ms -o x.samples "
                    f"-- '{LOAD}' wait 50; kill $!", MPI_LOCALRANKID=0).wait(timeout=TIMEOUT)
        group = samples.read(self.path(f"x.{os.uname().nodename}.samples")).group("process")
        self.assertEqual(max(group.of("processes")), 1)

    def test_asked_to_end_while_others_run(self):
        self.launch_rank(1, "wait", "600000")
        first = self.launch_rank(0, "wait", "1")
        self.wait_until(lambda: self.size_of("x.samples") >= 500)
        first.terminate()
        first.wait(timeout=TIMEOUT)
        self.assertIsNotNone(samples.read(self.path("x.samples")).finish)

    @unittest.skipUnless(len(os.sched_getaffinity(0)) > 1, "needs two processors")
    def test_rank_with_a_processor_of_its_own(self):
        """Without Slurm, the processors of the launcher are those of all ranks."""
        cpus = os.sched_getaffinity(0)
        self.launch("taskset", "-c", str(min(cpus)), binary(), "monitor", "-q", "-o", "x.samples", "--",
                    "true", MPI_LOCALRANKID=0, MPI_LOCALNRANKS=2, PMI_SIZE=2).wait(timeout=TIMEOUT)
        self.assertEqual(samples.read(self.path("x.samples")).head["cpus"], len(cpus))

    def test_file_that_several_nodes_would_share(self):
        host = os.uname().nodename
        for variables, name in (
                ({"OMPI_COMM_WORLD_LOCAL_RANK": 0, "OMPI_COMM_WORLD_LOCAL_SIZE": 2,
                  "OMPI_COMM_WORLD_SIZE": 2}, "x.samples"),
                ({"MPI_LOCALRANKID": 0, "MPI_LOCALNRANKS": 2, "PMI_SIZE": 4}, f"x.{host}.samples"),
                ({"PMI_LOCAL_RANK": 0}, f"x.{host}.samples"),
                ({"SLURM_LOCALID": 0, "SLURM_STEP_ID": 1, "SLURM_STEP_NUM_NODES": 2,
                  "SLURM_NODEID": 1}, "x.1.samples"),
                ({"SLURM_LOCALID": 0, "SLURM_STEP_ID": 1, "SLURM_STEP_NUM_NODES": 1,
                  "SLURM_NODEID": 0}, "x.samples")):
            process = self.launch(binary(), "monitor", "-q", "-o", "x.samples", "--", "true",
                                  **variables)
            self.assertEqual(process.wait(timeout=TIMEOUT), 0)
            self.assertEqual([path.name for path in self.folder.iterdir()], [name])
            self.path(name).unlink()

    def test_batch_script_is_no_rank(self):
        self.run_command("sh", "-c", self.start("SLURM_LOCALID=0", "wait 1", SLURM_JOB_ID=9))
        self.assertTrue(self.path("load.9.samples").exists())


class Command(Monitored):
    def test_status(self):
        self.assertEqual(self.load("exit", 7, status=7).finish["status"], 7 << 8)
        self.monitor("sh", "-c", "kill -9 $$", status=128 + 9)

    def test_command_that_is_not_there(self):
        for command, status in (("./none", 127), ("/", 126)):
            done = self.command("--", command)
            self.assertEqual(done.status, status)
            self.assertIn(b"cannot start", done.err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_samples_of_an_earlier_run(self):
        """They are kept under another name, also if the command does not start."""
        self.monitor("true")
        before = self.path("out.samples").read_bytes()
        done = self.command("-o", "out.samples", "--", "./none")
        self.assertEqual(done.status, 127)
        self.assertIn(b"nbscorep: renamed the samples of an earlier run to 'out.samples.1'\n", done.err)
        for options in ["-q"], ["-q"], ["-q", "--force"]:
            self.assertEqual(self.command("-o", "out.samples", *options, "--", "true").status, 0)
        self.assertEqual(self.path("out.samples.1").read_bytes(), before)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["out.samples", "out.samples.1", "out.samples.2"])

    def test_output(self):
        done = self.nbscorep("monitor", "--", LOAD, "wait", "1")
        self.assertEqual(done.err, b"nbscorep: samples are in 'load.samples', which 'nbscorep "
                                   b"report' shows\n")
        self.assertEqual(samples.read(self.path("load.samples")).head["command"], f"{LOAD} wait 1")
        self.write("mine.txt", b"mine")
        done = self.nbscorep("monitor", "-o", "mine.txt", "--", LOAD)
        self.assertEqual((done.status, self.path("mine.txt").read_bytes()), (3, b"mine"))
        self.assertIn(b"'mine.txt' was not written by nbscorep; it is left as it is\n--force", done.err)
        self.nbscorep("monitor", "--force", "-o", "mine.txt", "--", LOAD)
        samples.read(self.path("mine.txt"))

    def test_output_that_is_a_link(self):
        os.symlink("nowhere", self.folder / "x.samples")
        done = self.nbscorep("monitor", "-o", "x.samples", "--", LOAD)
        self.assertEqual(done.status, 3)
        self.assertIn(b"'x.samples' is a link that leads nowhere; it is left as it is\n--force overwrites it\n",
                      done.err)
        self.assertFalse(self.path("nowhere").exists())
        self.nbscorep("monitor", "-q", "--force", "-o", "x.samples", "--", LOAD)
        samples.read(self.path("nowhere"))
        self.nbscorep("monitor", "-q", "-o", "x.samples", "--", LOAD)

    def test_output_that_is_empty(self):
        """As mktemp(1) makes them."""
        self.write("out.samples", b"")
        self.load("wait", 1)

    def test_closed_descriptors(self):
        """What is said does not get into the samples."""
        for closed in ("2>&-", "<&- >&- 2>&-"):
            self.run_command("sh", "-c", f"'{binary()}' monitor -o x -- '{LOAD}' wait 1 {closed}")
            samples.read(self.path("x"))
            self.assertNotIn(b"samples are in", self.path("x").read_bytes())

    def test_wrong_usage(self):
        for words in ([], ["x"], ["--interval=0", "--", "x"], ["--interval=0.1ms", "--", "x"],
                      ["--interval=1h", "--", "x"], ["--levels=mine", "--", "x"],
                      ["--levels=slurm", "--", "x"],
                      ["--attach=x"], ["--attach=1", "--", "x"], ["--attach= 1"],
                      ["-o", "-", "--", "true"], ["--attach=99999999999"], ["--marks", "--", "true"]):
            done = self.nbscorep("monitor", *words)
            self.assertEqual(done.status, 2, words)
            self.assertEqual(b"'--marks' requires --attach" in done.err, "--marks" in words)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_intervals(self):
        for text, interval in (("0.001", NS // 1000), ("1ms", NS // 1000), (".5", NS // 2),
                               ("2.5s", 5 * NS // 2), ("1000000", 1000000 * NS)):
            found = self.monitor("true", options=[f"--interval={text}"])
            self.assertEqual(found.head["interval"], interval, text)
        for text in ("1m", "0x1", "1e1", "inf", "nan", ".", "1.2.3", "-1", " 1", "1 s", "1,5",
                     "0.0009", "0.5ms", "1000001"):
            done = self.command(f"--interval={text}", "--", "true")
            self.assertEqual(done.status, 2, text)
            self.assertIn(f"'--interval' requires seconds from 0.001 to 1000000, or a number with "
                          f"the unit s or ms, not '{text}'\n", done.err.decode())

    def test_full_disk(self):
        """The command goes on."""
        done = self.nbscorep("monitor", "-o", "/dev/full", "--", LOAD, "exit", "5")
        self.assertEqual(done.status, 3)
        process = subprocess.Popen(
            ["sh", "-c", f"ulimit -f 1; exec '{binary()}' monitor --interval=1ms -o x -- "
             f"'{LOAD}' wait 1500 exit 5"], cwd=self.folder, env=clean_environment(),
            stderr=subprocess.PIPE)
        self.assertIn(b"cannot sample to the end: File too large", process.stderr.read())
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 5)
        self.assertLess(usage.ru_utime + usage.ru_stime, .7)  # it waits with the command

    def test_monitor_that_is_killed(self):
        """The command goes on, and what was written can be read."""
        process = subprocess.Popen(
            [binary(), "monitor", "-o", "x.samples", "--interval=1ms", "--", "sh", "-c",
             f"echo $$; '{LOAD}' wait 1200; read line; echo $line"],
            cwd=self.folder, env=clean_environment(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        process.stdout.readline()
        self.wait_until(lambda: self.size_of("x.samples") >= 5000)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=TIMEOUT)
        process.stdin.write(b"on\n")
        process.stdin.close()
        self.assertEqual(process.stdout.readline(), b"on\n")
        process.stdout.close()
        # The kernel may have ended a write of many pages in its middle.
        written = samples.read(self.path("x.samples"), whole=False)
        self.assertGreater(len(written.group("process").rows), 100)

    def test_little_is_held_back(self):
        """A sampler that is killed has written all but what it took just before."""
        process = subprocess.Popen([binary(), "monitor", "-q", "-o", "x.samples", "--interval=10ms",
                                    "--", LOAD, "wait", "3000"], cwd=self.folder,
                                   env=clean_environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        times = []
        while len(times) < 5:
            if self.path("x.samples").exists() and self.path("x.samples").stat().st_size:
                times = samples.read(self.path("x.samples"), whole=False).group("process").times
        self.assertLess(times[-1][1] - times[0][1], .9 * NS)

    def test_signals_reach_the_command(self):
        process = subprocess.Popen(
            [binary(), "monitor", "-q", "-o", "x.samples", "--", "sh", "-c",
             "trap 'exit 3' TERM; echo ready; while :; do sleep .05; done"],
            cwd=self.folder, env=clean_environment(), stdout=subprocess.PIPE)
        process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(timeout=TIMEOUT), 3)
        process.stdout.close()
        self.assertIsNotNone(samples.read(self.path("x.samples")).finish)

    def test_what_is_left_behind_goes_on(self):
        self.monitor("sh", "-c", "(sleep .2; echo done >left) & ")
        self.wait_until(lambda: self.size_of("left") > 0)


class Attached(Monitored):
    def test_path_is_as_given(self):
        """Whoever attaches it reads the file while it grows."""
        process = subprocess.Popen(["sleep", ".1"])
        done = self.nbscorep("monitor", "-q", "-o", "x.samples", f"--attach={process.pid}",
                             env=clean_environment(MPI_LOCALRANKID="1"))
        self.assertEqual((done.status, process.wait(timeout=TIMEOUT)), (0, 0))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.samples"])

    def sleeper(self):
        """A process that ends with the test."""
        process = subprocess.Popen(["sleep", "60"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def await_samples(self, enough=lambda found: True):
        self.wait_until(lambda: self.size_of("x.samples") > 0
                        and enough(samples.read(self.path("x.samples"), whole=False)))

    def attach(self, process, *options, **more):
        return subprocess.Popen([binary(), "monitor", "-q", "-o", "x.samples", "--interval=10ms",
                                 f"--attach={process.pid}", *options], cwd=self.folder,
                                env=clean_environment(), **more)

    def test_ends_with_the_process(self):
        process = subprocess.Popen(["sh", "-c", f"read line; '{LOAD}' fork 20 .01 wait 30"],
                                   cwd=self.folder, stdin=subprocess.PIPE)
        monitor = self.attach(process)
        self.await_samples()
        process.stdin.close()
        process.wait(timeout=TIMEOUT)
        self.assertEqual(monitor.wait(timeout=TIMEOUT), 0)
        found = samples.read(self.path("x.samples"))
        self.assertGreaterEqual(found.group("process").of("cpu")[-1], .15 * NS)
        self.assertEqual(found.finish["status"], -1)
        done = self.nbscorep("report", "x.samples")
        self.assertIn(b"\nEnd: not known; the program was not the sampler's child\n", done.out)

    def test_child_that_is_left_out(self):
        """And what it starts; the children beside it count."""
        process = subprocess.Popen(
            ["sh", "-c", f"read line; NBSCOREP_SAMPLED=0 sh -c \"('{LOAD}' touch 300 300; :); :\";"
             f" NBSCOREP_SAMPLED=1 '{LOAD}' touch 50 300"], cwd=self.folder, stdin=subprocess.PIPE)
        monitor = self.attach(process)
        self.await_samples()
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(monitor.wait(timeout=TIMEOUT), 0)
        most = max(samples.read(self.path("x.samples")).group("process").of("rss"))
        self.assertTrue(50 * MIB < most < 150 * MIB, most)

    def test_file_that_cannot_be_written_to_the_end(self):
        done = self.run_command("sh", "-c", f"ulimit -f 1; exec '{binary()}' monitor -o x "
                                f"--interval=1ms --attach={self.sleeper().pid}")
        self.assertEqual(done.status, 3)
        self.assertIn(b"cannot sample to the end: File too large", done.err)

    def test_children_that_are_told_of(self):
        """What lives between two samples only who waits for it knows."""
        process = self.sleeper()
        monitor = self.attach(process, "--interval=1", "--marks", stdin=subprocess.PIPE)
        begin = time.monotonic_ns()
        for line in f"begin 3 {begin}", f"end 3 {begin + NS} done {900 * MIB}", f"begin 4 {begin + NS} x":
            monitor.stdin.write(line.encode() + b"\n")
        monitor.stdin.flush()
        self.await_samples(lambda found: len(found.marks) == 3)
        process.kill()
        process.wait(timeout=TIMEOUT)
        self.assertEqual(monitor.wait(timeout=TIMEOUT), 0)
        monitor.stdin.close()
        peaks = samples.read(self.path("x.samples")).group("process").of("peak_rss")
        self.assertLess(peaks[0], 100 * MIB)
        self.assertEqual(peaks[-1], 900 * MIB)

    def test_reads_and_writes_at_marks(self):
        """They are read at each, also where the interval is too short to read them every time."""
        process = self.sleeper()
        monitor = self.attach(process, "--interval=1ms", "--marks", stdin=subprocess.PIPE)
        moment = time.monotonic_ns()
        monitor.communicate("".join(f"begin {n} {moment}\nend {n} {moment} done\n"
                                    for n in range(1, 51)).encode(), timeout=TIMEOUT)
        found = samples.read(self.path("x.samples"))
        counts = [rows["process.io"] for rows in found.rows_at_marks]
        self.assertEqual(len(counts), 100)
        self.assertEqual(counts, list(range(counts[0], counts[0] + 100)))

    def test_lines_that_are_passed_over(self):
        """Also all behind "quit", which nobody waits for."""
        process = self.sleeper()
        monitor = self.attach(process, "--marks", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        out, _ = monitor.communicate(
            b"begin 0 500\ntitle 0 none\nend 0 600 done\nbegin 3 1000\nnonsense\nbegin x\nend 3 2000 weird\n"
            + b"x" * 4096 + b"begin 9 2500\nend 3 2500\ntitle 3 it\nend 3 3000 failed\n"
            b"sync\nquit\nbegin 4 4000\nsync\n", timeout=TIMEOUT)
        self.assertEqual((out, monitor.returncode), (b"done\n", 0))
        found = samples.read(self.path("x.samples"))
        self.assertEqual(found.marks, [("begin", 3, 1000), ("end", 3, 3000, "failed")])
        self.assertEqual(list(found.titles), [3])

    def test_process_that_is_not_there(self):
        process = subprocess.Popen(["true"])
        process.wait(timeout=TIMEOUT)
        done = self.nbscorep("monitor", f"--attach={process.pid}")
        self.assertEqual(done.status, 3)
        self.assertIn(b"cannot watch process", done.err)


if __name__ == "__main__":
    unittest.main()
