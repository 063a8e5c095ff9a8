#!/usr/bin/env python3
"""The magics of the JUmPER extension, in scripts that run: what is sampled, and how."""
import json
import os
import re
import subprocess
import sys
import unittest

from magics_support import BURNS, LOAD_EXT, START, MagicsCase
from support import UNDER_DOUBLE, binary, clean_environment, code, notebook, setting

LOAD = setting("NBSCOREP_LOAD")
MIB = 1 << 20
ALLOCATES = "data = b'x' * (500 << 20)\ndel data"
WRITES = "with open('out.bin', 'wb') as file:\n    file.write(b'x' * (40 << 20))"
FINDS = """import os, signal
def sampler():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline").read().split("\\0")
        except OSError:
            continue
        if "monitor" in words and str(os.getpid()) in words:
            return int(pid)
"""
WITHOUT_NOTE = (b"nbscorep: nbscorep is not on this node (PATH, NBSCOREP): performance is not "
                b"monitored\n")


class Sampling(MagicsCase):
    CELLS = (LOAD_EXT, START, "x = 1", ALLOCATES, "y = 2", BURNS, WRITES)

    def assert_blamed(self):
        found = {cell["cell"]: cell["levels"]["process"] for cell in self.report()["cells"]}
        self.assertEqual(sorted(found), [2, 3, 4, 5, 6, 7])
        peaks = {number: figures["memory"]["peak"] for number, figures in found.items()}
        self.assertEqual(max(peaks, key=peaks.get), 4, peaks)
        self.assertGreater(peaks[4], 450 * MIB)
        self.assertLess(max(peaks[n] for n in (2, 3, 5, 6, 7)), 300 * MIB, peaks)
        seconds = {number: figures["core_seconds"] for number, figures in found.items()}
        self.assertTrue(.35 < seconds[6] < .5, seconds)
        self.assertLess(max(seconds[n] for n in (2, 3, 5)), .1, seconds)

    def test_plain(self):
        self.assertRegex(self.script(*self.CELLS), r"^Performance monitoring started "
                         r"\(PID: \d+, Interval: 0.01s\)\n$")
        self.assert_blamed()
        found = self.samples()
        self.assertEqual([mark[:2] for mark in found.marks],
                         [(what, n) for n in range(2, 8) for what in ("begin", "end")])
        self.assertTrue(all(mark[3] == "done" for mark in found.marks if mark[0] == "end"))
        self.assertIsNotNone(found.finish)

    def peaks(self):
        return {cell["cell"]: cell["levels"]["process"]["memory"]["peak"]
                for cell in self.report()["cells"]}

    def test_what_shells_leave_behind(self):
        """It is nobody's child in the tree, and counts all the same."""
        self.script(LOAD_EXT, START, "import os, time\n"
                    f"os.system(\"('{LOAD}' burn 1 .3 touch 200 300; touch done) &\");",
                    "while not os.path.exists('done'): time.sleep(.01)",
                    "print(os.environ['NBSCOREP_SAMPLED'] == str(os.getpid()))\n"
                    "%perfmonitor_stop\nprint('NBSCOREP_SAMPLED' in os.environ)")
        run = self.report()["run"]["levels"]["process"]
        self.assertGreater(run["memory"]["max"], 200 * MIB)
        self.assertGreater(run["core_seconds"], .25)

    def test_reports_are_not_the_scripts(self):
        self.write("nbscorep", f"#!/bin/sh\nif [ \"$1\" = report ]; then '{LOAD}' touch 300 100; fi\n"
                   f"exec '{binary()}' \"$@\"\n").chmod(0o755)
        self.script(LOAD_EXT, START, "%perfmonitor_perfreport", "x = 1",
                    NBSCOREP=str(self.path("nbscorep")))
        self.assertLess(self.report()["run"]["levels"]["process"]["memory"]["peak"], 200 * MIB)

    def test_measured(self):
        """Under the double of the bindings; the record shows the same as without the magics."""
        environment = self.environment(
            **UNDER_DOUBLE, PYTHON=sys.executable, TMPDIR=str(self.folder),
            SCOREP_EXPERIMENT_DIRECTORY=str(self.path("experiment")))
        regions = []
        for cells in (self.CELLS[2:], self.CELLS):
            self.compile(*cells)
            done = self.run_command(self.path("heat_run.sh"), env=environment)
            self.assertEqual(done.status, 0, done)
            events = [json.loads(line) for path in self.path("experiment").rglob("events.jsonl")
                      for line in path.read_text(encoding="utf-8").splitlines()]
            regions.append([event.get("region") for event in events])
            self.run_command("rm", "-r", "experiment")
        self.assert_blamed()
        self.assertNotIn("jumper", str(regions))
        self.assertFalse([each for each in regions[1] if each and "nbscorep" in each])
        named = [[each for each in those if each and not re.search(r"cell \d", each)]
                 for those in regions]
        self.assertEqual(*named)

    def test_run(self):
        """It tells the script where nbscorep is, also through the run script."""
        self.write("heat.ipynb", notebook(*self.CELLS))
        for options in [], ["--set", "setup=X=1"]:
            done = self.run_command(
                binary(), "run", "-q", "--no-scorep", "--force", *options, "heat.ipynb",
                env=self.environment(PYTHON=sys.executable, NBSCOREP=None))
            self.assertEqual((done.status, done.err), (0, b""), done)
            self.assert_blamed()
            self.path("heat_monitor.samples").unlink()

    def test_run_that_samples_too(self):
        """Each has a file of its own."""
        self.write("heat.ipynb", notebook(LOAD_EXT, START, "x = 1"))
        done = self.run_command(
            binary(), "run", "-q", "--no-scorep", "--monitor=0.01", "heat.ipynb",
            env=self.environment(PYTHON=sys.executable))
        self.assertEqual(done.status, 0, done)
        for name, cells in ("heat.samples", [1, 2, 3]), ("heat_monitor.samples", [2, 3]):
            self.assertEqual([cell["cell"] for cell in self.report(file=name)["cells"]], cells)

    def test_file_that_another_writes(self):
        command = [binary(), "monitor", "-q", "-o", "heat_monitor.samples", "--marks",
                   f"--attach={os.getpid()}"]
        other = subprocess.Popen(command, cwd=self.folder, env=clean_environment(),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        other.stdin.write(b"sync\n")
        other.stdin.flush()
        other.stdout.readline()
        self.script(LOAD_EXT, START, "x = 1", err=b"nbscorep: another nbscorep writes samples "
                    b"into '%s'\nnbscorep: the sampler has ended: performance is no longer "
                    b"monitored\n" % str(self.path("heat_monitor.samples")).encode())
        other.communicate(timeout=60)
        self.assertIsNotNone(self.samples().finish)

    def test_messages(self):
        out = self.script(LOAD_EXT, "%perfmonitor_stop", START, START, "%perfmonitor_stop",
                          "wrong = 'abc'\n%perfmonitor_start {wrong}\n%perfmonitor_start 0.5",
                          "%perfmonitor_stop")
        out = re.sub("(?m)^Missed samples: .*\n", "", out)  # on a machine that is busy
        self.assertEqual(re.sub(r"\d+\.\d\d ", "T ", re.sub(r"PID: \d+", "PID", out)),
                         "No active performance monitoring session\n"
                         "Performance monitoring started (PID, Interval: 0.01s)\n"
                         "Performance monitoring already running\n"
                         "Performance monitoring stopped (ran for T seconds)\n"
                         "Invalid interval value: abc\n"
                         "Performance monitoring started (PID, Interval: 0.5s)\n"
                         "Performance monitoring stopped (ran for T seconds)\n")
        self.assertTrue(self.path("heat_monitor-2.samples").exists())

    def test_without_frames(self):
        self.script(*self.CELLS, options=["--no-cell-regions"])
        self.assert_blamed()

    def test_intervals(self):
        """Said in the ways of all versions, not said, and longer than any job."""
        for words, nanoseconds in (("", 10**9), (" 1e9", 10**15),
                                   (" --monitor native_c --check-sanity 0.25  # it's", 250_000_000)):
            out = self.script(LOAD_EXT, f"%perfmonitor_start{words}", "x = 1", again=words != "")
            self.assertRegex(out, r"^Performance monitoring started \(PID: \d+, Interval: .*s\)\n$")
            self.assertEqual("Interval: 1.0s" in out, words == "")
            self.assertEqual(self.samples().head["interval"], nanoseconds)

    def test_names_of_exported_files(self):
        self.script(LOAD_EXT, START, "x = 1", "%perfmonitor_export_perfdata --level user 'a #1.csv'",
                    "%perfmonitor_export_perfdata b#2.csv --level system # x")
        self.assertTrue(self.table("a #1.csv"))
        self.assertTrue(self.table("b#2.csv"))

    def test_wrong_level(self):
        """None that could be sampled, so that no report could be printed."""
        out = self.script(LOAD_EXT, "level = 'nix'\n%perfmonitor_enable_perfreports --level $level",
                          "%perfmonitor_enable_perfreports --level slurm\nx = 1", "y = 2")
        self.assertEqual(out, "".join(
            f"%perfmonitor_enable_perfreports: Invalid level: {level}. Available levels: process, "
            "user, system\n" for level in ("nix", "slurm")))

    def test_a_dash_is_an_argument(self):
        for magic, status, said in (
                ("%perfmonitor_start -", 1, b"expected an interval in seconds, not '-'"),
                ("%perfmonitor_stop -", 1, b"unrecognized arguments: -"),
                ("%perfmonitor_export_perfdata -", 0, b"")):
            self.write("dash.ipynb", notebook(LOAD_EXT, magic))
            done = self.nbscorep("check", "-q", "dash.ipynb")
            self.assertEqual((done.status, said in done.err), (status, True), done)

    def test_missed_samples(self):
        """Those that a sampler could not take which was stopped for a moment."""
        out = self.script(
            LOAD_EXT, START, FINDS + "import time\nos.kill(sampler(), signal.SIGSTOP)\n"
            "time.sleep(0.5)\nos.kill(sampler(), signal.SIGCONT)", "%perfmonitor_stop")
        self.assertRegex(out, r"\nMissed samples: \d\d+ of \d\d+ \(\d+\.\d\d%\)\n$")

    def test_cell_that_fails(self):
        self.compile(LOAD_EXT, START, "x = 1 / 0")
        done = self.run_command(sys.executable, "heat.py", env=self.environment())
        self.assertEqual(done.status, 1, done)
        self.assertNotIn(b"jumper", done.err)
        self.assertEqual([mark[3] for mark in self.samples().marks if mark[0] == "end"],
                         ["done", "failed"])

    def test_forks_tell_nothing(self):
        self.script(LOAD_EXT, START, "import os\nif os.fork() == 0:\n    raise SystemExit\n"
                                     "_, status = os.wait()\nprint(status)\n"
                    "try:\n    os.wait()\nexcept ChildProcessError:\n    pass\n"  # the sampler is no child
                    "else:\n    raise OSError", "x = 1")
        self.assertEqual(len(self.samples().marks), 6)

    def test_processes_that_import_the_script(self):
        self.write("work.py", "def work(x):\n    return x")
        out = self.script(LOAD_EXT, START, "import multiprocessing\nfrom work import work\n"
                          "if __name__ == '__main__':\n"
                          "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
                          "        print(pool.map(work, [5]))", "%cell_history")
        self.assertEqual(out.count("started"), 1)
        self.assertIn("[5]\n", out)
        self.assertEqual(len(self.samples().marks), 6)
        self.assertIsNotNone(self.samples().finish)

    def test_child_that_lives_on(self):
        """It holds the pipe of the sampler, which ends all the same."""
        self.script(LOAD_EXT, START, "import os, time\nchild = os.fork()\nwhile child == 0:\n"
                    "    time.sleep(60)", "%perfmonitor_stop", "os.kill(child, 9)")
        self.assertIsNotNone(self.samples().finish)

    def test_await_and_shell_and_included(self):
        self.write("other.ipynb", notebook("a = 1", "%perfmonitor_perfreport"))
        out = self.script(LOAD_EXT, START, "import asyncio\nawait asyncio.sleep(0)",
                          "%%bash\necho shell", "%run other.ipynb\na",
                          "%perfmonitor_perfreport --cell 1", "get_ipython().run_line_magic("
                          "'perfmonitor_stop', '')")
        self.assertIn("shell\n", out)
        self.assertEqual(out.count("JUmPER Performance Report"), 2)
        self.assertIn("Performance monitoring stopped", out)
        self.assertEqual([mark[1] for mark in self.samples().marks if mark[0] == "begin"],
                         [2, 3, 4, 5, 6, 7])

    def test_magics_that_code_calls(self):
        """They make cells count, too, even those without a statement."""
        self.script("ip = get_ipython()\nip.run_line_magic('perfmonitor_start', '')", "# nothing",
                    "ip.run_line_magic('perfmonitor_stop', '')")
        self.assertEqual([mark[1] for mark in self.samples().marks if mark[0] == "begin"], [1, 2, 3])

    def test_cell_that_may_fail(self):
        """It is told that it failed, though the script goes on."""
        self.compile(LOAD_EXT, START, code("1 / 0", metadata={"tags": ["raises-exception"]}),
                     "x = 1", "%%capture\n1 / 0", "y = 2")
        done = self.run_command(sys.executable, "heat.py", env=self.environment())
        self.assertEqual(done.status, 0, done)
        self.assertEqual([mark[3] for mark in self.samples().marks if mark[0] == "end"],
                         ["done", "failed", "done", "failed", "done"])

    def test_fork_that_stops(self):
        """What a magic does in a child is nothing to the script's sampler."""
        out = self.script(
            LOAD_EXT, "%perfmonitor_enable_perfreports --interval 0.01", "import os\n"
            "if os.fork() == 0:\n    %perfmonitor_stop\n    %perfmonitor_perfreport\n"
            "    os._exit(0)\nstatus = os.wait()[1]", "%perfmonitor_stop")
        self.assertEqual(out.count("JUmPER Performance Report"), 1)
        self.assertIn("\nPerformance monitoring stopped", out)

    def test_threads(self):
        """Many of them ask the sampler, and each gets its own answer; what the notebook calls print or list is
        nothing to the helpers."""
        out = self.script(
            LOAD_EXT, START, "print = list = open = max = None",
            "import threading\ndef report():\n    for _ in range(3):\n        %perfmonitor_perfreport --cell 0\n"
            "threads = [threading.Thread(target=report) for _ in range(8)]\n"
            "for each in threads: each.start()\nfor each in threads: each.join()", "%cell_history")
        self.assertIn("  import threading ...\n", out)
        self.assertEqual(out.count("JUmPER Performance Report"), 24)
        self.assertIsNotNone(self.samples().finish)

    def test_folder_that_cannot_be_written(self):
        self.path("heat_monitor.samples").mkdir()
        out = self.script(
            LOAD_EXT, START, "%perfmonitor_perfreport\n%export_session s", err=b"nbscorep: '%s' is not "
            b"a regular file; it is left as it is\nnbscorep: the sampler has ended: performance is no longer "
            b"monitored\n" % str(self.path("heat_monitor.samples")).encode())
        self.assertEqual(out, "No active performance monitoring session\nSession exported to s\n")

    def test_output_that_is_not_unicode(self):
        out = self.script(LOAD_EXT, START, "x = '\u2603'", "%perfmonitor_perfreport --cell 1\n"
                          "%cell_history", PYTHONIOENCODING="ascii")
        self.assertEqual(out.count("x = '?'"), 2)

    def test_second_rank(self):
        out = self.script(LOAD_EXT, START, "%perfmonitor_perfreport", "%cell_history",
                          OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_LOCAL_RANK="1")
        self.assertEqual(out, "")
        self.assertEqual(list(self.folder.glob("*.samples")), [])

    def test_ranks_of_nodes(self):
        """The first one on a node samples, into a file of the node; the first of all reports."""
        slurm = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_LOCALID": "0"}
        out = self.script(LOAD_EXT, START, "x = 1", "%perfmonitor_perfreport\n%perfmonitor_stop",
                          SLURM_PROCID="4", SLURM_NODEID="1", **slurm)
        self.assertEqual(out, "")
        out = self.script(LOAD_EXT, START, "x = 1", "%perfmonitor_perfreport\n%perfmonitor_stop",
                          SLURM_PROCID="0", SLURM_NODEID="0", **slurm)
        self.assertIn("JUmPER Performance Report", out)
        self.script(LOAD_EXT, START, OMPI_COMM_WORLD_LOCAL_RANK="0", OMPI_COMM_WORLD_RANK="4",
                    OMPI_COMM_WORLD_LOCAL_SIZE="4", OMPI_COMM_WORLD_SIZE="8", **slurm)
        self.assertTrue(self.path(f"heat_monitor.7.{os.uname().nodename}.samples").exists())
        for node in 0, 1:
            found = self.samples(f"heat_monitor.7.{node}.samples")
            self.assertEqual([mark[1] for mark in found.marks], [2, 2, 3, 3, 4, 4])

    def test_other_ranks_of_the_node(self):
        """What the launcher has started besides is in the level of the process."""
        self.write("other.py", "data = b'x' * (300 << 20)\nopen('ready', 'w').close()\n"
                   "import time\ntime.sleep(60)")
        self.compile(LOAD_EXT, "import os, time\nwhile not os.path.exists('ready'):\n"
                     "    time.sleep(.01)", START, "x = 1", "%perfmonitor_stop")
        done = self.run_command(
            "sh", "-c", 'OMPI_COMM_WORLD_LOCAL_RANK=1 "$1" other.py & other=$!\n'
            'OMPI_COMM_WORLD_LOCAL_RANK=0 "$1" heat.py; kill $other', "sh", sys.executable,
            env=self.environment(OMPI_COMM_WORLD_LOCAL_SIZE="2", OMPI_COMM_WORLD_SIZE="2"))
        self.assertEqual((done.status, done.err), (0, b""), done)
        cells = {cell["cell"]: cell["levels"]["process"] for cell in self.report()["cells"]}
        self.assertGreater(cells[4]["memory"]["peak"], 300 * MIB)

    def test_sampler_that_dies(self):
        note = b"nbscorep: the sampler has ended: performance is no longer monitored\n"
        out = self.script(LOAD_EXT, START, FINDS + "os.kill(sampler(), signal.SIGKILL)",
                          "print('on')", err=note)
        self.assertTrue(out.endswith("on\n"), out)


class Without(MagicsCase):
    """nbscorep is not on the node."""

    def test_script_goes_on(self):
        out = self.script(
            LOAD_EXT, "%perfmonitor_fast_setup", "x = 1\nprint(x)", "%perfmonitor_perfreport",
            "%perfmonitor_plot\n%perfmonitor_export_perfdata a.csv\n%perfmonitor_stop",
            "%perfmonitor_export_cell_history h.json", "%cell_history", "%export_session s",
            "%perfmonitor_export_perfdata --name found\n", "print(found.cpu_util_avg.tolist())",
            NBSCOREP=str(self.path("none")), err=WITHOUT_NOTE)
        self.assertIn("1\nCell history exported to h.json\n", out)
        self.assertIn("x = 1 ...\n", out)
        self.assertTrue(out.endswith("[]\n"), out)
        self.assertEqual([row["cell_number"] for row in json.loads(
            self.path("h.json").read_text())], [2, 3, 4, 5])
        self.assertEqual(sorted(path.name for path in self.path("s").iterdir()),
                         ["cell_history.csv", "manifest.json"])

    def test_path(self):
        self.tool("nbscorep", f"exec '{binary()}' \"$@\"")
        self.script(LOAD_EXT, START, NBSCOREP=None, PATH=f"{self.path('bin')}:/usr/bin:/bin")
        self.assertIsNotNone(self.samples().finish)


class Marks(MagicsCase):
    """`nbscorep monitor --attach PID --marks`, without a script."""

    def test_input_that_cannot_be_waited_for(self):
        for words in ("</dev/null", "<&-"):
            done = self.run_command("sh", "-c", f"'{binary()}' monitor --marks --attach=$$ {words}")
            self.assertEqual(done.status, 3)
            self.assertIn(b"cannot sample: ", done.err)

    def test_sync(self):
        process = subprocess.Popen(["sleep", "60"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        monitor = subprocess.Popen(
            [binary(), "monitor", "-q", "-o", "x.samples", "--interval=60", "--marks",
             f"--attach={process.pid}"], cwd=self.folder, env=clean_environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        monitor.stdin.write(b"title 3 a title  \ntitle x\nbegin 3 1000\nnonsense\nsync\nsync all\n")
        monitor.stdin.flush()
        self.assertEqual([monitor.stdout.readline() for _ in range(2)], [b"done\n"] * 2)
        found = self.samples("x.samples")
        self.assertEqual(found.marks, [("begin", 3, 1000)])
        self.assertEqual(found.titles, {3: ("a title", "")})
        names = "process", "user", "system", "cores"
        rows = [len(found.group(name).rows) for name in names]
        self.assertTrue(all(rows), rows)
        out, _ = monitor.communicate(b"end 3 2000 done\nsync all\n", timeout=60)
        self.assertEqual((out, monitor.returncode), (b"done\n", 0))
        found = self.samples("x.samples")
        self.assertEqual(found.marks, [("begin", 3, 1000), ("end", 3, 2000, "done")])
        for name, count in zip(names, rows):
            self.assertGreaterEqual(len(found.group(name).rows), count + 2, name)
        self.assertIsNotNone(found.finish)



if __name__ == "__main__":
    unittest.main()
