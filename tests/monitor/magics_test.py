#!/usr/bin/env python3
"""The magics of the JUmPER extension, in scripts that run."""
import csv
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import samples_reader as samples  # noqa: E402  pylint: disable=wrong-import-position
from support import DOUBLE, Case, binary, clean_environment, code, notebook  # noqa: E402

MIB = 1 << 20
LOAD_EXT = "%load_ext jumper_extension"
START = "%perfmonitor_start 0.01"
ALLOCATES = "data = b'x' * (500 << 20)\ndel data"
BURNS = ("import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end:\n"
         "    pass")
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
HISTORY = ["cell_index", "raw_cell", "start_time", "end_time", "duration", "wallclock_start_time",
           "wallclock_end_time", "cell_magics", "cell_number"]
WITHOUT_NOTE = (b"nbscorep: nbscorep is not on this node (PATH, NBSCOREP): performance is not "
                b"monitored\n")


class MagicsCase(Case):
    def environment(self, **more):
        return clean_environment(**{"NBSCOREP": binary()} | more)

    def compile(self, *cells, options=()):
        self.write("heat.ipynb", notebook(*cells))
        done = self.nbscorep("build", "--force", *options, "heat.ipynb")
        self.assertEqual(done.status, 0, done)
        return done

    def script(self, *cells, status=0, err=b"", options=(), **more):
        """What the script prints under plain Python."""
        self.compile(*cells, options=options)
        done = self.run_command(sys.executable, "heat.py", env=self.environment(**more))
        self.assertEqual((done.status, done.err), (status, err), done)
        return done.out.decode()

    def report(self, *options, file="heat_monitor.samples"):
        done = self.nbscorep("report", "--format=json", *options, file)
        self.assertEqual(done.status, 0, done)
        return json.loads(done.out)

    def table(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def no_pandas(self):
        """A folder for PYTHONPATH."""
        self.write("lib/pandas.py", "raise ImportError")
        return str(self.path("lib"))

    def samples(self, name="heat_monitor.samples"):
        return samples.read(self.path(name))


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

    def test_measured(self):
        """Under the double of the bindings; the record shows the same as without the magics."""
        environment = self.environment(
            PYTHON=sys.executable, PYTHONPATH=str(DOUBLE), TMPDIR=str(self.folder),
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
                    b"into '%s'\nnbscorep: the sampler is gone: performance is no longer "
                    b"monitored\n" % str(self.path("heat_monitor.samples")).encode())
        other.communicate(timeout=60)
        self.assertIsNotNone(self.samples().finish)

    def test_without_frames(self):
        self.script(*self.CELLS, options=["--no-cell-regions"])
        self.assert_blamed()

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

    def test_arguments_of_all_versions(self):
        self.script(LOAD_EXT, "%perfmonitor_start --monitor native_c --check-sanity 0.25  # it's",
                    "x = 1", "%perfmonitor_export_perfdata --level user 'a #1.csv'",
                    "%perfmonitor_export_perfdata b#2.csv --level system # x", PYTHONPATH=str(
                        self.folder))
        self.assertEqual(self.samples().head["interval"], 250_000_000)
        self.assertTrue(self.table("a #1.csv"))
        self.assertTrue(self.table("b#2.csv"))

    def test_wrong_level(self):
        """None that could be sampled, so that no report could be printed."""
        out = self.script(LOAD_EXT, "level = 'nix'\n%perfmonitor_enable_perfreports --level $level",
                          "%perfmonitor_enable_perfreports --level slurm\nx = 1", "y = 2")
        self.assertEqual(out, "".join(
            f"%perfmonitor_enable_perfreports: Invalid level: {level}. Available levels: process, "
            "user, system\n" for level in ("nix", "slurm")))

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

    def test_cell_that_exits(self):
        self.script(LOAD_EXT, START, "import sys\nsys.exit(3)", status=3)
        self.assertEqual(self.samples().marks[-1][3], "exited")

    def test_forks_tell_nothing(self):
        self.script(LOAD_EXT, START, "import os\nif os.fork() == 0:\n    raise SystemExit\n"
                                     "_, status = os.wait()\nprint(status)", "x = 1")
        self.assertEqual(len(self.samples().marks), 6)

    def test_no_child_of_the_scripts(self):
        out = self.script(LOAD_EXT, START, "import os\ntry:\n    os.wait()\n"
                                           "except ChildProcessError:\n    print('none')")
        self.assertTrue(out.endswith("none\n"))

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
        """Many of them ask the sampler, and each gets its own answer."""
        out = self.script(
            LOAD_EXT, START, "import threading\ndef report():\n    for _ in range(3):\n"
            "        %perfmonitor_perfreport --cell 0\n"
            "threads = [threading.Thread(target=report) for _ in range(8)]\n"
            "for each in threads: each.start()\nfor each in threads: each.join()")
        self.assertEqual(out.count("JUmPER Performance Report"), 24)
        self.assertIsNotNone(self.samples().finish)

    def test_folder_that_cannot_be_written(self):
        self.path("heat_monitor.samples").mkdir()
        out = self.script(
            LOAD_EXT, START, "%perfmonitor_perfreport\n%export_session s", err=b"nbscorep: '%s' "
            b"exists and holds no samples\nnbscorep: the sampler is gone: performance is no longer "
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

    def test_names_of_the_script(self):
        """What the notebook calls print or list is nothing to the helpers."""
        out = self.script(LOAD_EXT, "print = list = open = max = None", START, "x = 1",
                          "%perfmonitor_perfreport", "%cell_history")
        self.assertIn("JUmPER Performance Report", out)

    def test_sampler_that_dies(self):
        note = b"nbscorep: the sampler is gone: performance is no longer monitored\n"
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
            NBSCOREP=str(self.path("none")), err=WITHOUT_NOTE)
        self.assertIn("1\nCell history exported to h.json\n", out)
        self.assertIn("x = 1 ...\n", out)
        self.assertEqual([row["cell_number"] for row in json.loads(
            self.path("h.json").read_text())], [2, 3, 4, 5])
        self.assertEqual(sorted(path.name for path in self.path("s").iterdir()),
                         ["cell_history.csv", "manifest.json"])

    def test_path(self):
        self.tool("nbscorep", f"exec '{binary()}' \"$@\"")
        self.script(LOAD_EXT, START, NBSCOREP=None, PATH=f"{self.path('bin')}:/usr/bin:/bin")
        self.assertIsNotNone(self.samples().finish)


class Reports(MagicsCase):
    def test_place(self):
        out = self.script(LOAD_EXT, START, "print('before')", "%perfmonitor_perfreport --cell 1",
                          "print('behind')", "%perfmonitor_stop",
                          "%perfmonitor_perfreport --level system --text")
        parts = re.split(r"-{40}\nJUmPER Performance Report\n", out)
        self.assertEqual(len(parts), 3)
        self.assertTrue(parts[0].endswith("before\n"))
        self.assertIn("(1 cell)", parts[1])
        self.assertRegex(parts[1], "(?m)^ *3 ")
        self.assertIn("\nbehind\nPerformance monitoring stopped", parts[1])
        self.assertIn("level system", parts[2])

    def test_ranges(self):
        """As JUmPER counts cells: from 0, behind the one that loads it."""
        for cells, numbers in (("0", [3]), ("1:2", [4, 5]), (":1", [3, 4]), ("2:", [5, 6]),
                               (":", [3, 4, 5, 6]), ("-1", [6]), ("-3:-2", [4, 5])):
            with self.subTest(cells):
                out = self.script("x = 0", LOAD_EXT, START, "x = 1", "x = 2",
                                  f"%perfmonitor_perfreport --cell {cells}")
                self.assertEqual([int(n) for n in re.findall(r"(?m)^ *(\d+) +\d+ .*s?$", out)],
                                 numbers, out)
        for cells in ("99", "2:1", "1:99", "x", "-9", "1-2"):
            out = self.script(LOAD_EXT, START, f"r = '{cells}'\n"
                              "%perfmonitor_perfreport --cell {r}")
            self.assertTrue(out.endswith(f"\nInvalid cell range format: {cells}\n"), out)

    def test_index_behind_a_restart(self):
        """Cells keep the index that they have; those of the time before are not there."""
        out = self.script(LOAD_EXT, START, "x = 1", "%perfmonitor_stop", START, "y = 2",
                          "%perfmonitor_perfreport --cell 4", "%perfmonitor_perfreport --cell 1",
                          "%perfmonitor_export_perfdata a.csv")
        self.assertRegex(out, r"(?m)^ +6 +4 .* y = 2$")
        self.assertTrue(out.endswith("\nNo performance data available: these cells were not "
                                     "sampled\nPerformance data exported to a.csv\n"), out)
        self.assertLessEqual({row["cell_index"] for row in self.table("a.csv")},
                             {"", "3", "4", "5", "6", "7"})

    def test_behind_cells(self):
        out = self.script(LOAD_EXT, "%perfmonitor_enable_perfreports --interval 0.01",
                          "print('one')", "%cell_history", "%%bash\necho two",
                          "%perfmonitor_disable_perfreports", "print('three')")
        self.assertEqual(out.count("JUmPER Performance Report"), 2)
        self.assertRegex(out, r"(?s)one\n-{40}\nJUmPER.*two\n-{40}\nJUmPER.*three\n$")
        self.assertRegex(out, r"(?m)^ +3 +1 .* print\('one'\)$")
        self.assertNotIn("Host:", out)

    def test_no_session(self):
        self.assertEqual(self.script(LOAD_EXT, "%perfmonitor_perfreport"),
                         "No active performance monitoring session\n")

    def no_matplotlib(self):
        """A folder for PYTHONPATH."""
        self.write("lib/matplotlib.py", "raise ImportError")
        return str(self.path("lib"))

    def test_plot(self):
        out = self.script(
            LOAD_EXT, START, BURNS, "%perfmonitor_plot --metrics cpu_summary,io --cell 1 "
            "--save-jpeg x.jpg --live 2.0 60", "%perfmonitor_plot --metrics nothing",
            "%perfmonitor_plot --backend plotly --live", PYTHONPATH=self.no_matplotlib())
        self.assertTrue(out.endswith(
            "Performance plot: heat_plot-1.svg (in place of x.jpg)\n'--metrics' knows no 'nothing',"
            " but cpu, mem, io, gpu and those that JUmPER has in them\n"
            "Performance plot: heat_plot-2.svg\n"), out)
        for number, titles in ((1, ["Processor use", "Storage", "Read and write calls"]),
                               (2, ["Processor use", "Memory", "Storage"])):
            text = self.path(f"heat_plot-{number}.svg").read_text()
            self.assertEqual(re.findall(r'class="title".*>([\w ]+?) \(', text), titles)

    READS = ("import pickle\nwith open('data.pkl', 'rb') as file:\n    data = pickle.load(file)\n"
             "print(sorted(data))\nprint(data['metrics'], data['level'], data['cell_range'])\n"
             "rows, figure = data['processed_data'], data['figure']")

    def test_plot_without_matplotlib(self):
        """What comes behind such a magic opens the file that it names."""
        out = self.script(
            LOAD_EXT, START, BURNS,
            "%perfmonitor_plot --metrics io --cell 1 --level user --pickle data.pkl", self.READS,
            "print(figure, len(rows) > 0, rows[0].keys() >= {'time', 'io_read'})",
            "%perfmonitor_plot --pickle no/data.pkl",
            PYTHONPATH=f"{self.no_matplotlib()}:{self.no_pandas()}")
        self.assertRegex(out, r"heat_plot-1\.svg \(data\.pkl\)\n\['axes', 'cell_range', 'figure', "
                         r"'level', 'metric_subsets', 'metrics', 'processed_data', 'show_idle'\]\n"
                         r"\['io_read', 'io_write', 'io_read_count', 'io_write_count'\] user 1\n"
                         r"None True True\nCannot save the plot as no/data\.pkl: .*\n"
                         r"Performance plot: heat_plot-2\.svg \(in place of no/data\.pkl\)\n$")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not there")
    def test_plot_with_matplotlib(self):
        out = self.script(
            LOAD_EXT, START, BURNS, "%perfmonitor_plot --save-jpeg a.jpg --pickle data.pkl",
            self.READS, "for axes in data['axes']:\n    print(axes.get_title(), [line.get_label() "
            "for line in axes.lines])\nfigure.savefig('again.png')",
            "%perfmonitor_plot --metrics cpu_all --save-jpeg no/a.jpg",
            PYTHONPATH=self.no_pandas())
        self.assertIn("heat_plot-1.svg (a.jpg, data.pkl)\n", out)
        self.assertIn("cpu_summary (process) ['cpu_util_avg', 'cpu_util_min', 'cpu_util_max']\n"
                      "memory (process) ['memory']\n", out)
        self.assertRegex(out, r"Cannot save the plot as no/a\.jpg: .*\n"
                              r".* heat_plot-2\.svg \(in place of no/a\.jpg\)\n$")
        self.assertEqual(self.path("a.jpg").read_bytes()[:3], b"\xff\xd8\xff")
        self.assertTrue(self.path("again.png").exists())

    def test_help_and_resources(self):
        out = self.script(LOAD_EXT, "%perfmonitor_help", "%perfmonitor_resources")
        self.assertIn("perfmonitor_plot", out)
        self.assertRegex(out, r"CPUs: \d+\n  CPU affinity: \[0.*\]\nMemory: [\d.]+ GB\nGPUs: ")


class Exports(MagicsCase):
    def test_perfdata(self):
        self.script(LOAD_EXT, "x = 0", START, BURNS, "%perfmonitor_export_perfdata old.csv",
                    "%perfmonitor_export_perfdata --file new.json --level user",
                    "%perfmonitor_export_perfdata \"with blank.csv\" --level system")
        rows = self.table("old.csv")
        self.assertEqual(list(rows[0])[:9],
                         ["time", "memory", "io_read_count", "io_write_count", "io_read",
                          "io_write", "cpu_util_avg", "cpu_util_min", "cpu_util_max"])
        self.assertEqual(list(rows[0])[-1], "cell_index")
        self.assertEqual({row["cell_index"] for row in rows} - {"", "-"} - {"1", "2", "3"}, set())
        self.assertIn("2", {row["cell_index"] for row in rows})
        loaded = json.loads(self.path("new.json").read_text())
        self.assertIsInstance(loaded[-1]["memory"], float)
        self.assertTrue(self.table("with blank.csv"))

    def pandas(self):
        """A stand-in, in a folder for PYTHONPATH."""
        self.write("lib/pandas.py", "class DataFrame(list):\n    pass\n")
        return str(self.path("lib"))

    def test_data_frames(self):
        out = self.script(
            LOAD_EXT, START, BURNS, "%perfmonitor_export_perfdata",
            "%perfmonitor_export_perfdata --name perf", "print(type(perf), perf[0].keys() =="
            " perfdata_df[0].keys())", "%perfmonitor_export_cell_history --name cells",
            "print([c['cell_index'] for c in cells])", PYTHONPATH=self.pandas())
        self.assertRegex(out, r"DataFrame perfdata_df: \d+ rows\nDataFrame perf: \d+ rows\n"
                         r"<class 'pandas.DataFrame'> True\nDataFrame cells: 5 rows\n"
                         r"\[0, 1, 2, 3, 4\]\n$")

    def test_without_pandas(self):
        self.script(LOAD_EXT, START, "%perfmonitor_export_perfdata", PYTHONPATH=self.no_pandas(),
                    err=b"nbscorep: pandas is not there, so there is no DataFrame "
                        b"perfdata_df\n")

    def test_history(self):
        out = self.script("a = 1", LOAD_EXT, "x = '\u00fc'\n%time y = 2", "3",
                          "%cell_history",
                          "%perfmonitor_export_cell_history\n%perfmonitor_export_cell_history h.csv"
                          "\n%perfmonitor_export_cell_history --file h.json",
                          "%perfmonitor_load_cell_history h.csv\n%show_cell_history",
                          "x = [row['cell_number'] for row in loaded_cell_history_df]\nx, "
                          "loaded_cell_history_df[1]['raw_cell']",
                          "%perfmonitor_load_cell_history --file none.csv",
                          PYTHONPATH=self.pandas())
        rows = self.table("h.csv")
        self.assertEqual(list(rows[0]), HISTORY)
        self.assertEqual([(row["cell_index"], row["cell_number"], row["raw_cell"])
                          for row in rows[:2]],
                         [("0", "3", "x = '\u00fc'\n%time y = 2"), ("1", "4", "3")])
        self.assertEqual(rows[0]["cell_magics"], "['time y = 2']")
        self.assertEqual([row["raw_cell"] for row in json.loads(
            self.path("h.json").read_text(encoding="utf-8"))], [row["raw_cell"] for row in rows])
        for row in rows:
            self.assertLess(abs(float(row["end_time"]) - float(row["start_time"])
                                - float(row["duration"])), 1e-6)
        self.assertIn("Cell history loaded from h.csv: 3 cells\n", out)
        self.assertEqual(len(re.findall(r"(?m)^    0      3 .*  x = '\u00fc' \.\.\.$", out)), 2)
        self.assertIn("\n([3, 4, 5], '3')\n", out)
        self.assertTrue(out.endswith("Cannot load none.csv: No such file or directory\n"))

    def test_files_of_anybody(self):
        rows = ",".join(HISTORY[:7]) + "\nx,\ny,a,b,c,nan,1e300,inf\n"
        self.write("bad/cell_history.csv", rows)
        self.write("bad/manifest.json", "[" * 9)
        self.write("odd/cell_history.csv", rows)
        self.write("odd/manifest.json", '{"first_index": "x"}')
        self.write("odd/monitor.samples", b"no samples")
        self.write("worst/cell_history.csv", b"\xff\0\n\0")
        self.write("worst/monitor.samples", b"")
        with zipfile.ZipFile(self.path("cut.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("cell_history.csv", "a" * 9999)
        data = bytearray(self.path("cut.zip").read_bytes())
        data[47] ^= 255
        self.write("cut.zip", bytes(data))
        self.write("bad.json", json.dumps([dict.fromkeys(HISTORY, [1]), {}]))
        self.write("worse.json", "[1]")
        self.write("deep.json", "[" * 100000)
        out = self.script(
            LOAD_EXT, *(f"%import_session {name}\n%cell_history\n%perfmonitor_perfreport --cell 0"
                        for name in ("bad", "cut.zip", "odd", "worst")),
            *(f"%perfmonitor_load_cell_history {name}.json" for name in ("bad", "worse", "deep")),
            "print('on')", PYTHONPATH=self.pandas())
        self.assertIn("    y      -        nans  -         -         a\n", out)
        self.assertTrue(out.endswith("on\n"))
        self.assertIn("Cannot import the session bad: ", out)
        self.assertIn("Cannot import the session cut.zip: ", out)
        self.assertIn("Session imported from odd: 2 cells\n", out)
        self.assertIn("Cannot load worse.json: it holds no list of rows\n", out)
        self.assertIn("Cannot load deep.json: ", out)

    def test_load_perfdata(self):
        out = self.script(LOAD_EXT, START, BURNS, "%perfmonitor_export_perfdata a.csv",
                          "%perfmonitor_export_perfdata a.json",
                          "%perfmonitor_load_perfdata --file a.csv\nb = loaded_perfdata_df",
                          "%perfmonitor_load_perfdata a.json\nprint([row['time'] for row in b] == "
                          "[row['time'] for row in loaded_perfdata_df][:len(b)])",
                          "%perfmonitor_load_perfdata heat.py", PYTHONPATH=self.pandas())
        self.assertIn("\nTrue\n", out)
        self.assertIn("Cannot load heat.py: ", out)

    def test_sessions(self):
        out = self.script(LOAD_EXT, "x = 0", START, BURNS, "%export_session",
                          "%export_session one.zip", "%export_session 'a folder'",
                          "%import_session heat.py", "%perfmonitor_perfreport --cell 3")
        names = ["cell_history.csv", "manifest.json", "monitor.samples", "perf_process.csv",
                 "perf_system.csv", "perf_user.csv"]
        self.assertEqual(sorted(path.name for path in self.path("a folder").iterdir()), names)
        with zipfile.ZipFile(self.path("one.zip")) as archive:
            self.assertEqual(sorted(archive.namelist()), names)
            manifest = json.loads(archive.read("manifest.json"))
            rows = list(csv.DictReader(io.StringIO(archive.read("perf_user.csv").decode())))
        self.assertEqual((manifest["levels"], manifest["first_index"]),
                         (["process", "user", "system"], 1))
        cpus = sorted(os.sched_getaffinity(0))
        monitor = manifest["monitor"]
        self.assertEqual((monitor["cpu_handles"], monitor["num_cpus"], monitor["num_gpus"]),
                         (cpus, len(cpus), 0))
        self.assertEqual(monitor["num_system_cpus"], os.cpu_count())
        self.assertLessEqual(monitor["start_time"], float(rows[0]["time"]))
        self.assertGreater(monitor["memory_limits"]["system"], .1)
        self.assertIn("memory", rows[0])
        self.assertTrue(self.path("heat_session.zip").exists())
        self.assertIn("Cannot import the session heat.py: ", out)
        self.assertRegex(out, r"(?m)^ +5 +3 .* %export_session$")

    def test_session_of_the_extension(self):
        columns = ("time,memory,io_read_count,io_write_count,io_read,io_write,cpu_util_avg,"
                   "cpu_util_min,cpu_util_max,cpu_util_0,cpu_util_1,cell_index\n")
        for level in "process", "system":
            self.write(f"session/perf_{level}.csv", columns + "".join(
                f"{100 + k},{.5 if k < 6 else 2.0},{10 * k},0,{k << 20},0,"
                f"{50 if k < 6 else 100},0,100,{50 if k < 6 else 100},{50 if k < 6 else 100},\n"
                for k in range(11)))
        self.write("session/cell_history.csv", "cell_index,cell_magics,raw_cell,start_time,"
                   "end_time,duration\n0,[],import numpy,101,104.0,3\n"
                   "1,[],\"a = 1\nb\",106.0,109,3\n")
        self.write("session/manifest.json", json.dumps({"version": "1.0", "monitor": {
            "interval": 1.0, "start_time": 100.0, "wallclock_start_time": 1.7e9, "num_cpus": 2,
            "memory_limits": {"system": 16.0}}}))
        out = self.script(
            LOAD_EXT, "%import_session session", "%perfmonitor_perfreport", "%perfmonitor_plot",
            "%perfmonitor_perfreport --cell 1 --level system", "%export_session again")
        whole, second = out.split("Performance plot: heat_plot-1.svg\n")
        self.assertRegex(whole, r"(?m)^ +1 +0 +3.000 +50.0 +3.000 +512.0 .* import numpy$")
        self.assertRegex(whole, r"(?m)^ +2 +1 +3.000 +100.0 +6.000 +2048.0 .* a = 1$")
        self.assertRegex(second, r"(?m)^ all +3.000 +100.0 +6.000 +2048.0 ")
        done = self.nbscorep("report", "again/monitor.samples")
        self.assertEqual((done.status, done.err), (0, b""))

    def test_session_of_the_extension_from_a_job(self):
        """Its I/O is what was counted so far by the time since the row before."""
        cpus = ",".join(f"cpu_util_{k}" for k in range(4))
        columns = ("time,memory,io_read_count,io_write_count,io_read,io_write,cpu_util_avg,"
                   f"cpu_util_min,cpu_util_max,{cpus},gpu_util_avg,gpu_util_0,gpu_band_0,gpu_mem_0,"
                   "gpu_power_0,cell_index\n")
        table = columns + "".join(
            f"{100 + k / 2},.5,{2 * (40 + k)},0,{2 * 4096 * k},0,50,0,100,100,100,0,0,25,25,5,2.5,"
            "300,0\n" for k in range(11))
        for level in "slurm", "system":
            self.write(f"job/perf_{level}.csv", table)
        self.write("job/perf_user.csv", columns)
        self.write("job/cell_history.csv", "cell_index,cell_magics,raw_cell,start_time,end_time,"
                   "duration\n0,[],x = 1,90,95,5\n1,[],y = 1,100.5,104.5,4\n")
        self.write("job/manifest.json", json.dumps({"version": "1.0", "monitor": {
            "interval": .5, "start_time": 100.0, "wallclock_start_time": 1.7e9, "num_cpus": 3,
            "num_gpus": 1, "gpu_memory": 93.58, "gpu_name": "NVIDIA H100", "slurm_job": "307",
            "cpu_handles": [35, 34, 40], "memory_limits": {"system": 755.15, "slurm": 64.0}}}))
        out = self.script(LOAD_EXT, "%import_session job", "%perfmonitor_resources",
                          "%perfmonitor_perfreport --level slurm", "%export_session again")
        self.assertIn("CPUs: 3\n  CPU affinity: 34-35,40\nMemory: 64.00 GB\nGPUs: 1\n"
                      "  GPU 0: NVIDIA H100, 93.58 GB\n", out)
        self.assertRegex(out, r"(?m)^GPU Util \(Across 1 GPUs?\) +25.00 +25.00 +25.00 ")
        self.assertRegex(out, r"(?m)^GPU Memory \(GB\) +2.50 +2.50 +2.50 +93.58$")
        self.assertRegex(out, r"(?m)^ +1 +0 +5.000 +- +- +- ")
        self.assertRegex(out, r"(?m)^ +2 +1 +4.000 +50.0 +6.000 +512.0 ")
        done = self.nbscorep("report", "--format=json", "--level=system", "again/monitor.samples")
        found = json.loads(done.out)
        self.assertEqual((found["nodes"][0]["job"], found["nodes"][0]["interval"]), ("307", .5))
        system = found["run"]["levels"]["system"]
        self.assertEqual(system["counters"]["read_calls"], 9)
        self.assertEqual(system["counters"]["read_bytes"], 9 * 4096)
        self.assertAlmostEqual(system["core_seconds"], 10, places=6)
        manifest = json.loads(self.path("again/manifest.json").read_text())["monitor"]
        self.assertEqual((manifest["num_cpus"], manifest["num_system_cpus"], manifest["num_gpus"],
                          manifest["cpu_handles"], manifest["slurm_job"], manifest["interval"]),
                         (3, 4, 1, [34, 35, 40], "307", .5))

    def test_odd_session_of_the_extension(self):
        self.write("odd/perf_process.csv", "time,memory,cpu_util_avg,gpu_util_0\n1,1,9,5\n3,1,9,5\n")
        self.write("odd/cell_history.csv", "cell_index,start_time,end_time\n0,1,2\n")
        self.write("odd/manifest.json", json.dumps({"monitor": {
            "cpu_handles": [-5, True, 70000, "x", 3], "gpu_name": "  ", "num_gpus": 1}}))
        out = self.script(LOAD_EXT, "%import_session odd", "%perfmonitor_resources",
                          "%export_session again")
        self.assertIn("CPU affinity: 3\n", out)
        self.assertIn("  GPU 0: GPU, 0.00 GB\n", out)
        monitor = json.loads(self.path("again/manifest.json").read_text())["monitor"]
        self.assertEqual((monitor["cpu_handles"], monitor["num_system_cpus"]), ([3], 0))

    def test_imported_session(self):
        """Reports, plots and exports are about it, until somebody samples again."""
        self.script(LOAD_EXT, "x = 0", START, BURNS, "%export_session 'a folder'",
                    "%export_session one.zip")
        self.path("heat_monitor.samples").unlink()
        for name in "'a folder'", "one.zip":
            out = self.script(
                LOAD_EXT, f"%import_session {name}", "%perfmonitor_perfreport --cell 2",
                "%perfmonitor_plot --cell 2", "%perfmonitor_export_perfdata a.csv",
                "%perfmonitor_resources", "%perfmonitor_perfreport --cell 0\n%cell_history",
                "%export_session again", START, "y = 2", "%perfmonitor_perfreport --cell 8")
            self.assertRegex(out, r"(?m)^ +4 +2 .* import time$")
            self.assertIn("Performance plot: heat_plot-1.svg\n", out)
            self.assertIn("Resources of the imported session ", out)
            self.assertIn("No performance data available: these cells were not sampled\n", out)
            self.assertRegex(out, r"(?m)^    2      4 .* import time \.\.\.$")
            self.assertRegex(out, r"(?m)^ +10 +8 .* y = 2$")
            self.assertIn("2", {row["cell_index"] for row in self.table("a.csv")})
            self.assertEqual(self.samples("again/monitor.samples").marks[0][:2], ("begin", 3))

class Marks(MagicsCase):
    """`nbscorep monitor --attach PID --marks`, without a script."""

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

    def test_usage(self):
        done = self.nbscorep("monitor", "--marks", "--", "true")
        self.assertEqual(done.status, 2)
        self.assertIn(b"'--marks' wants --attach", done.err)

    def test_input_that_cannot_be_waited_for(self):
        for words in ("</dev/null", "<&-"):
            done = self.run_command("sh", "-c", f"'{binary()}' monitor --marks --attach=$$ {words}")
            self.assertEqual(done.status, 2)
            self.assertIn(b"'--marks' wants a pipe as standard input", done.err)


if __name__ == "__main__":
    unittest.main()
