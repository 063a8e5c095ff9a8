#!/usr/bin/env python3
"""Runs of notebooks that nbscorep's recorder measures: the same regions as under the bindings, and data that stay."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from recorded import NBSCOREP, RecordCase, TIMEOUT, Profile, Trace, clean_environment, pythons  # noqa: E402
from harness import members  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOUBLE = ROOT / "tests" / "double"
# Notebooks of each kind. In `processes` and `os-exit` children are measured here, under the bindings they are not.
FIXTURES = "await", "figures", "frames", "future", "heat", "own-names", "run-notebook", "times"


def notebook(*cells):
    return json.dumps({"cells": [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                                  "source": cell} for cell in cells],
                       "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 4})


class RunCase(RecordCase):
    def environment(self, **more):
        return clean_environment(**{"PYTHON": sys.executable, "NBSCOREP": NBSCOREP, "SCOREP_ENABLE_TRACING": "true",
                                    "SCOREP_EXPERIMENT_DIRECTORY": str(self.folder / "out"), **more})

    def run_words(self, *words, status=0, **more):
        done = subprocess.run(words, cwd=self.folder, env=self.environment(**more), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def build(self, *cells, options=()):
        self.write("heat.ipynb", notebook(*cells))
        self.run_words(NBSCOREP, "build", "-q", *options, "heat.ipynb")

    def own_regions(self):
        return [region for _, region in self.trace().calls() if region.startswith(("user", "__main__"))]


class Agreement(RunCase):
    def visits(self, name, measurement):
        """How often each region is entered, by a fixture's programs."""
        folder = self.folder / measurement / name
        shutil.copytree(next((ROOT / "fixtures").glob(f"*/{name}")), folder, ignore=shutil.ignore_patterns("expected"))
        args = (folder / "args").read_text().split() if (folder / "args").exists() else []
        notebooks = [] if any(word.endswith(".ipynb") for word in args) else ["notebook.ipynb"]
        environment = self.environment(SCOREP_EXPERIMENT_DIRECTORY=None, NBSCOREP_MEASUREMENT=measurement)
        if measurement == "scorep":
            environment.update(PATH=f"{DOUBLE}/bin:{environment['PATH']}", PYTHONPATH=str(DOUBLE))
        subprocess.run([NBSCOREP, "build", "-q", *args, *notebooks], cwd=folder, env=environment,
                       capture_output=True, timeout=TIMEOUT)
        found = collections.Counter()
        for script in folder.rglob("*_run.sh"):
            subprocess.run([script], cwd=script.parent, env=environment, capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        for path in folder.rglob("events.jsonl"):
            events = map(json.loads, path.read_text().splitlines())
            found.update(event["region"] for event in events if event["event"] == "enter")
        for path in folder.rglob("traces.otf2") if measurement == "builtin" else ():
            trace = Trace(path.parent, counts=True)
            self.assertEqual(trace.faults, [])
            found.update(trace.visits())
        return found

    def test_fixtures(self):
        self.trace_is_possible()
        for name in FIXTURES:
            with self.subTest(name):
                wanted = self.visits(name, "scorep")
                self.assertGreater(len(wanted), 0)
                self.assertEqual(self.visits(name, "builtin"), wanted)


class RealScoreP(RunCase):
    """The visits of each thread are those that Score-P 8.4 counted, where its traces are present."""

    # Cells of which nothing is left to run have no frame today, and a thread's last call is not recorded. Whether
    # Thread.start waits in a Condition depends on which of the two threads the machine runs first.
    GONE = re.compile(r"user_instrumenter:cell 1|threading\.Thread:_delete|threading\.Condition:.*")

    def test_visits(self):
        self.trace_is_possible()
        archive = ROOT.parent / "shared" / "traces" / "scorep-8.4.tar.xz"
        if not archive.exists() or not os.access("/usr/bin/python3.11", os.X_OK):
            self.skipTest("needs shared/traces and Debian's Python 3.11")
        with tarfile.open(archive) as traces:
            traces.extractall(self.folder)
        for name in "serial_cells", "threads_mixed":
            with self.subTest(name):
                shutil.copy(self.folder / name / "notebook.ipynb", self.folder / f"{name}.ipynb")
                self.run_words(NBSCOREP, "run", "-q", "--measurement=builtin", f"{name}.ipynb",
                               PYTHON="/usr/bin/python3.11")
                self.assertEqual(self.visits(self.folder / "out"), self.visits(self.folder / name))
                shutil.rmtree(self.folder / "out")

    def visits(self, directory):
        """Of each thread, in an order that does not depend on time."""
        trace = Trace(directory)
        self.assertEqual(trace.faults, [])
        found = [collections.Counter(region for kind, region in events
                                     if kind == "enter" and not self.GONE.fullmatch(region))
                 for events in trace.events.values()]
        return sorted(found, key=lambda counts: sorted(counts.items()))


class Runs(RunCase):
    def test_auto(self):
        """Without the bindings the recorder measures, and one line reports that."""
        self.build("def f():\n    pass", "f()")
        done = self.run_words("./heat_run.sh")
        self.assertIn("nbscorep's recorder measures:", done.stderr)
        self.assertIn("measured 1 process with 1 thread: out\n", done.stderr)
        self.assertEqual(self.own_regions(), ["__main__:<module>", "user:cell 1", "user:cell 2", "__main__:f"])

    def test_auto_prefers_the_bindings(self):
        self.build("1")
        done = self.run_words("./heat_run.sh", PYTHONPATH=str(DOUBLE), PATH=f"{DOUBLE}/bin:{os.environ['PATH']}")
        self.assertEqual(done.stderr, "")
        self.assertTrue((self.folder / "out" / "events.jsonl").exists())

    def test_without_nbscorep(self):
        self.build("print(1)")
        done = self.run_words("./heat_run.sh", NBSCOREP=None)
        self.assertEqual(done.stdout, "1\n")
        self.assertIn("the script runs unmeasured:", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_nbscorep_run(self):
        self.write("heat.ipynb", notebook("def f():\n    pass", "f()"))
        done = self.run_words(NBSCOREP, "run", "--summary", "heat.ipynb")
        self.assertIn(f"experiment directory: {self.folder}/out", done.stderr)
        self.assertIn("2      0.0", done.stderr)  # the cell's time
        self.assertIn("__main__:f", self.own_regions())

    def test_options(self):
        self.build("def f():\n    pass\nf()", options=["--measurement=builtin"])
        script = (self.folder / "heat.py").read_bytes()
        self.assertIn("--measurement=builtin", (self.folder / "heat_run.sh").read_text())
        self.build("def f():\n    pass\nf()", options=["--measurement=none"])
        self.assertEqual((self.folder / "heat.py").read_bytes(), script)
        self.run_words("./heat_run.sh")
        self.assertFalse((self.folder / "out").exists())
        self.run_words("./heat_run.sh", NBSCOREP_MEASUREMENT="builtin")
        self.assertIn("__main__:f", self.own_regions())

    def test_other_program(self):
        """The one that $NBSCOREP names has the recorder; a run's own need not be asked."""
        self.write("heat.ipynb", notebook("1"))
        other, asked = self.folder / "other", self.folder / "asked"
        other.write_text(f"#!/bin/sh\n>'{asked}'\nexec '{NBSCOREP}' \"$@\"\n")
        other.chmod(0o755)
        for program, is_asked in (NBSCOREP, False), (str(other), True):
            self.run_words(NBSCOREP, "run", "-q", "--measurement=builtin", "heat.ipynb", NBSCOREP=program)
            self.assertEqual(asked.exists(), is_asked, program)

    def test_existing_directory(self):
        """Booleans are read as Score-P reads them."""
        self.build("1")
        for value, status, count in ("on", 0, 1), ("2", 0, 2), ("0", 3, 2), ("no", 3, 2):
            self.run_words("./heat_run.sh", status=status, SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY=value)
            self.assertEqual(len(list(self.folder.glob("out*"))), count, value)

    def test_status_and_error(self):
        self.build("def f():\n    1 / 0", "f()")
        done = self.run_words("./heat_run.sh", status=1)
        self.assertIn("nbscorep: heat.ipynb, cell 1, line 2", done.stderr)
        self.assertIn("__main__:f", self.own_regions())

    def test_ranks(self):
        self.write("launch", "#!/usr/bin/python3\nimport os, subprocess, sys\n"
                   "ranks = [subprocess.Popen(sys.argv[1:], env=dict(os.environ, OMPI_COMM_WORLD_RANK=str(rank),\n"
                   "         OMPI_COMM_WORLD_SIZE='2')) for rank in range(2)]\n"
                   "sys.exit(max(rank.wait() for rank in ranks))\n")
        (self.folder / "launch").chmod(0o755)
        self.build("def f():\n    pass\nf()", options=[f"--launcher={self.folder}/launch", "--ranks=2"])
        self.run_words("./heat_run.sh")
        for rank in "rank-0", "rank-1":
            self.assertEqual(Profile(self.folder / "out" / rank).by_region()["__main__:f"], 1)
            self.assertFalse((self.folder / "out" / rank / "recording").exists())

    def test_sweep_and_teardown(self):
        self.write("nbscorep.yaml", "teardown: [echo torn down]\n")
        self.write("sets.yaml", "grid: {n: [1, 2]}\n")
        tagged = json.loads(notebook("n = 0"))
        tagged["cells"][0]["metadata"]["tags"] = ["parameters"]
        tagged["cells"] += json.loads(notebook("def f():\n    pass\nfor _ in range(n):\n    f()"))["cells"]
        self.write("heat.ipynb", json.dumps(tagged))
        done = self.run_words(NBSCOREP, "run", "-q", "--sweep=sets.yaml", "heat.ipynb",
                              SCOREP_EXPERIMENT_DIRECTORY=None)
        found = sorted(Profile(path.parent).by_region()["__main__:f"]
                       for path in self.folder.rglob("profile.cubex"))
        self.assertEqual(found, [1, 2], done.stderr)

    def test_another_profiler(self):
        """The hook comes back at the next cell, and a remark names the gap before Python 3.12."""
        for version, python in pythons().items():
            with self.subTest(version):
                self.build("def f():\n    pass", "import cProfile\np = cProfile.Profile()\np.enable()\nf()\n"
                           "p.disable()", "f()")
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                done = self.run_words("./heat_run.sh", PYTHON=python)
                self.assertIn((2, "__main__:f"), self.trace().calls())
                self.assertEqual("another profiler has taken" in done.stderr, version < "3.12")


@unittest.skipUnless(shutil.which("mpirun") and subprocess.run(
    ["/usr/bin/python3", "-c", "import mpi4py"], check=False, capture_output=True).returncode == 0,
    "needs mpirun and mpi4py")
class Ranks(RunCase):
    """Calls of MPI are recorded through its profiling interface."""

    def test_mpi(self):
        self.build("from mpi4py import MPI\ncomm = MPI.COMM_WORLD", "%%execute_with_scorep\nfor _ in range(20):\n"
                   "    comm.Barrier()\nprint(comm.allreduce(comm.rank))",
                   "%%execute_with_scorep\nimport time\nif comm.rank == 0:\n    time.sleep(0.3)\n"
                   "    comm.send('x', 1)\nelif comm.rank == 1:\n    comm.recv(source=0)")
        done = self.run_words("mpirun", "-n", "3", "--oversubscribe", "./heat_run.sh", PYTHON="/usr/bin/python3",
                              OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.assertEqual(done.stdout.split(), ["3"] * 3)
        for rank in range(3):
            regions = [region for _, region in Trace(self.folder / f"out/rank-{rank}").calls()]
            self.assertEqual(regions.count("MPI_Barrier"), 20)
            self.assertEqual(regions.count("MPI_Init_thread"), 1)
        for traced in True, False:  # the same of the trace and of the profile
            with self.subTest(traced=traced):
                found = json.loads(self.run_words(NBSCOREP, "report", "--format=json", "out").stdout)["measurement"]
                kinds = {row["function"]: row["visits"] for row in found["functions"]}
                self.assertEqual(kinds["MPI_Barrier"], 60)
                self.assertGreaterEqual(kinds["MPI_Send"], 1)  # mpi4py's allreduce() of objects sends, too
                self.assertEqual([row["name"] for row in found["locations"]],
                                 [f"Rank {rank}, Master thread" for rank in range(3)])
                cells = {row["title"]: row for row in found["cells"]}
                self.assertGreater(cells["cell 2"]["mpi_collective"], 1)
                self.assertGreater(cells["cell 3"]["mpi_message"], 30)  # rank 1 waits for rank 0
                self.assertLess(cells["cell 3"]["load_balance"], 0.5)
            for rank in range(3):
                (self.folder / f"out/rank-{rank}/traces.otf2").unlink(missing_ok=True)


class Killed(RunCase):
    """What was recorded before SIGKILL is there."""

    COUNTING = ("import mmap\nfile = open('count', 'w+b')\nfile.truncate(4096)\n"
                "count = memoryview(mmap.mmap(file.fileno(), 4096)).cast('Q')\n"
                "def f():\n    pass\n"
                "while True:\n    f()\n    count[0] += 1\n")

    def count(self):
        try:
            with open(self.folder / "count", "rb") as file:
                return int.from_bytes(file.read(8), sys.byteorder)
        except FileNotFoundError:
            return 0

    def kill_after(self, calls, words, number=signal.SIGKILL):
        process = subprocess.Popen(words, cwd=self.folder, env=self.environment(), start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + TIMEOUT
        while self.count() < calls and time.monotonic() < until and process.poll() is None:
            time.sleep(0.001)
        for each in [process.pid] if number != signal.SIGKILL else members(process.pid):
            os.kill(each, number)
        process.communicate()
        return self.count()

    def check(self, counted):
        self.run_words(NBSCOREP, "record", "--recover", "out")
        trace = self.trace(counts=True)
        self.assertIn(trace.visits()["__main__:f"] - counted, (0, 1))
        # The kill may come between the event and the profile's open call, or between its visit and the end of that.
        self.assertIn(trace.visits()["__main__:f"] - self.profile().by_region()["__main__:f"], (-1, 0, 1))

    def test_all_at_once(self):
        self.write("count.py", self.COUNTING)
        for calls in 1, 20_000, 300_000:
            with self.subTest(calls):
                counted = self.kill_after(calls, [NBSCOREP, "record", "--", sys.executable, "count.py"])
                self.assertGreaterEqual(counted, calls)
                self.check(counted)
                (self.folder / "count").unlink()

    def test_the_script_alone(self):
        """nbscorep converts what is there, and reports that the process was killed."""
        self.write("count.py", self.COUNTING + "    if count[0] == 50_000:\n"
                                               "        import os\n        os.kill(os.getpid(), 9)\n")
        self.write("heat.ipynb", notebook((self.folder / "count.py").read_text()))
        self.run_words(NBSCOREP, "build", "-q", "heat.ipynb")
        for words in ([NBSCOREP, "record", "-o", "out", "--", sys.executable, "count.py"], ["./heat_run.sh"],
                      [NBSCOREP, "run", "heat.ipynb"]):
            with self.subTest(words):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                (self.folder / "count").unlink(missing_ok=True)
                done = self.run_words(*words, status=137)
                self.assertIn("was killed", done.stderr)
                self.assertEqual(self.trace(counts=True).visits()["__main__:f"], 50_000)

    def test_report_converts_what_a_kill_has_left(self):
        self.write("count.py", self.COUNTING)
        counted = self.kill_after(10_000, [NBSCOREP, "record", "--", sys.executable, "count.py"])
        done = self.run_words(NBSCOREP, "report", "out")
        self.assertIn("the process was killed, or called os._exit(); what it had recorded until then is whole", done.stderr)
        self.assertNotIn("samples", done.stderr)
        self.assertIn(self.trace(counts=True).visits()["__main__:f"] - counted, (0, 1))
        again = self.run_words(NBSCOREP, "report", "out")
        self.assertIn("__main__:f", again.stdout)
        self.assertEqual(again.stderr, "")

    def test_report_of_a_notebook_needs_samples(self):
        self.write("count.py", self.COUNTING)
        self.kill_after(10_000, [NBSCOREP, "record", "--", sys.executable, "count.py"])
        done = self.run_words(NBSCOREP, "report", "--notebook=x.ipynb", "out", status=1)
        self.assertIn("no file *.samples", done.stderr)

    def test_a_child_that_begins_afterwards(self):
        """The results of the others stay as they are."""
        self.write("child.py", "def child():\n    pass\nchild()\n")
        self.write("main.py", "import os, subprocess\ndef f():\n    pass\nf()\n"
                              "subprocess.Popen(['sh', '-c', 'until [ -e out/MANIFEST.md ]; do sleep 0.01; done;'\n"
                              f"                  ' exec {sys.executable} child.py'])\nos.kill(os.getpid(), 9)\n")
        self.record(sys.executable, "main.py", status=137, NBSCOREP_RECORD_CHILDREN="yes")
        first = (self.folder / "out/profile.cubex").read_bytes()
        refused = self.run_words(NBSCOREP, "record", "--recover", "out", status=3)
        self.assertIn("it already has results", refused.stderr)
        self.assertEqual((self.folder / "out/profile.cubex").read_bytes(), first)
        (self.folder / "late").mkdir()
        (self.folder / "out/recording").rename(self.folder / "late/recording")
        self.run_words(NBSCOREP, "record", "--recover", "late")
        self.assertEqual(Profile(self.folder / "late").by_region()["__main__:child"], 1)
        self.assertEqual(self.profile().by_region()["__main__:f"], 1)

    def test_a_run(self):
        self.build(self.COUNTING)
        counted = self.kill_after(10_000, ["./heat_run.sh"])
        self.check(counted)

    def test_sigterm_ends_a_run_with_its_data(self):
        self.build(self.COUNTING)
        counted = self.kill_after(10_000, ["./heat_run.sh"], signal.SIGTERM)
        self.assertIn(self.trace(counts=True).visits()["__main__:f"] - counted, (0, 1))


class Lines(RunCase):
    """The table names the slow line, where no function has a name."""

    SLOW = {
        "a loop": (["x = 0\nfor i in range(15_000_000):\n    x += i"], "cell 1", "x += i"),
        "a library call": (["import json", "y = 1\ns = json.dumps(list(range(5_000_000)))"], "cell 2", "s = json"),
        "a comprehension": (["import time", "end = time.time() + 0.6\nz = [0 for _ in iter(lambda: time.time() < end, False)]"], "cell 2",
                            "z = [0"),
        "a cell with await": (["import asyncio", "n = 1\nawait asyncio.sleep(0)\nfor i in range(14_000_000): n += i"], "cell 2",
                              "line 3          for i in range"),
        "waiting": (["import time", "time.sleep(0.3)\n2\ntime.sleep(0.6)"], "cell 2", "time.sleep(0.6)"),
        "a library of Python": (["import statistics", "x = 1\ns = statistics.pstdev(range(3_000_000))"], "cell 2",
                                "s = statistics"),
        "a regular expression": (["import re", "re.match('(a+)+b', 'a' * 25)"], "cell 2", "re.match"),
        "writing": (["with open('out.txt', 'w') as file:\n"
                     "    for i in range(8_000_000): file.write('line\\n')"], "cell 1", "file.write"),
        "a function of another cell": (["def f(n):\n    t = 0\n    while t < n: t += 1", "f(10)",
                                        "f(20_000_000)"], "cell 3", "while t < n: t += 1"),
    }

    def test_slow_lines(self):
        for name, (cells, cell, line) in self.SLOW.items():
            with self.subTest(name):
                self.build(*cells)
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                done = self.run_words("./heat_run.sh", SCOREP_ENABLE_TRACING=None)
                rows = [row.strip() for row in done.stderr.splitlines() if " s  " in row]
                self.assertTrue(rows, done)
                self.assertIn(cell, rows[0])
                samples = (self.folder / "out" / "lines.csv").read_text().splitlines()
                self.assertEqual(samples[0], "outer_line,line,seconds,cpu_seconds,native_seconds,delay_seconds,lock_seconds")
                self.assertGreater(sum(float(row.split(",")[2]) for row in samples[1:]), 0.25)
                self.assertIn(line, rows[1] if "for i in range(15" not in rows[1] else rows[2])
                self.assertEqual(sum("time.sleep" in row for row in rows), 2 if name == "waiting" else 0, rows)
                self.assertFalse(list((self.folder / "out").glob("recording*")))

    def places(self, *samples):
        """The cell and place of each finding, by its rule."""
        done = self.run_words(NBSCOREP, "report", "--format=json", "out", *samples)
        return {(row["name"], row["cell"]): row.get("place", "")
                for row in json.loads(done.stdout)["measurement"]["findings"] if row["name"] != "busy-node"}

    def test_places_in_the_notebook(self):
        self.write("other.ipynb", notebook("a = 1", "def wait():\n    time.sleep(0.5)\nwait()"))
        cells = ("import time; time.sleep(0.5)", "x = 1\n%run other.ipynb\ntime.sleep(0.01)",
                 "import asyncio\nawait asyncio.sleep(0.5)\ny = sum(range(100))",
                 "for i in range(60):\n    time.sleep(0.01)\n    print(i, flush=True)",
                 "time.sleep(0.2)\n\n# %% cell 9\nz = 1\ntime.sleep(0.4)")
        self.write("heat.ipynb", notebook(*cells))
        self.run_words(NBSCOREP, "run", "-q", "--monitor=0.1", "heat.ipynb")
        places = self.places("heat.samples")
        self.assertEqual({rule for rule, _ in places}, {"waiting"}, places)
        self.assertTrue(places["waiting", "cell 1"].startswith("line 1: import time"), places)
        self.assertEqual(places["waiting", "cell 2"], "other.ipynb cell 2, line 2: time.sleep(0.5)")
        self.assertEqual(places["waiting", "cell 3"], "")
        self.assertEqual(places["waiting", "cell 4"], "line 2: time.sleep(0.01)")
        self.assertEqual(places["waiting", "cell 5"], "line 5: time.sleep(0.4)")
        self.build("a = 1\nb = 2", "c = 3")
        self.assertEqual(self.places("heat.samples"), places)  # of the script that ran
        copy = self.folder / "out/script.py"
        copy.unlink()
        for make in (lambda: None, lambda: os.mkfifo(copy)):
            make()
            self.assertIn("has samples of lines, but no 'script.py'", self.run_words(NBSCOREP, "report", "out").stderr)

    def test_line_that_several_cells_call(self):
        """Without regions of cells, its time is that of all calls."""
        self.build("import time\ndef f():\n    time.sleep(0.25)", "f()", "f()", "f()", "time.sleep(0.4)",
                   options=["--no-cell-regions"])
        self.run_words("./heat_run.sh")
        self.assertEqual(self.places(), {("waiting", "the script"): "cell 1, line 3: time.sleep(0.25)"})

    def test_a_script_without_cells(self):
        self.write("plain.py", "import time\ntime.sleep(0.5)\n")
        self.record(sys.executable, "plain.py")
        self.assertEqual(self.places(), {("waiting", "the script"): "line 2: time.sleep(0.5)"})
        lines = self.folder / "out/lines.csv"
        head = lines.read_text().splitlines()[0]
        for row in ("1,1,-1,0,0,0,0", "1,5e9,1,0,0,0,0", "1,1,1,0,0,0"):
            lines.write_text(f"{head}\n{row}\n")
            self.assertIn("is not what this nbscorep writes", self.run_words(NBSCOREP, "report", "out").stderr, row)

    def test_under_score_p(self):
        """The recorder samples lines there, too, and nothing of it is in Score-P's trace."""
        cells = ["import time", "def f():\n    time.sleep(0.4)\nf()", "1\nx = time.sleep(0.6)"]
        self.build(*cells)
        environment = {"PATH": f"{DOUBLE}/bin:{os.environ['PATH']}", "PYTHONPATH": str(DOUBLE)}
        traces = []
        for nbscorep, words in ((NBSCOREP, ["./heat_run.sh"]), ("/nowhere/nbscorep", ["./heat_run.sh"]),
                                (NBSCOREP, [NBSCOREP, "run", "--force", "heat.ipynb"])):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            done = self.run_words(*words, NBSCOREP=nbscorep, **environment)
            traces.append((self.folder / "out" / "events.jsonl").read_text())
            rows = [row.split("  ")[-1].strip() for row in done.stderr.splitlines() if " s  " in row]
            self.assertEqual(rows, ["cell 3", "x = time.sleep(0.6)", "cell 2", "time.sleep(0.4)"]
                             if nbscorep == NBSCOREP else [], done.stderr)
            self.assertEqual((self.folder / "out" / "lines.csv").exists(), nbscorep == NBSCOREP)
            self.assertFalse((self.folder / "out" / "recording").exists())
        self.assertEqual(traces[1:], traces[:1] * 2)


if __name__ == "__main__":
    unittest.main()
