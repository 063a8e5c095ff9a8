#!/usr/bin/env python3
"""What a measurement keeps when its script ends badly, under the double of the bindings."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import (DOUBLE, TIMEOUT, UNDER_DOUBLE, Case, binary, clean_environment, code,  # noqa: E402
                     notebook)
from harness import members  # noqa: E402

READY = "open('ready', 'w').close()\n"
BUSY = "def work(n):\n    return n + 1\n" + READY + "while True:\n    work(1)\n"
BEFORE = "kept = 1\n"


def measured(text):
    return "%%execute_with_scorep\n" + text


def wait_for(condition, timeout=TIMEOUT):
    """Until CONDITION holds."""
    until = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > until:
            raise AssertionError("it never happened")
        time.sleep(0.005)


class EndingCase(Case):
    def setUp(self):
        super().setUp()
        self.path("tmp").mkdir()
        self.experiment = self.path("experiment")

    def environment(self, /, **more):
        return clean_environment(**UNDER_DOUBLE | {
            "PYTHON": sys.executable, "TMPDIR": str(self.path("tmp")),
            "SCOREP_EXPERIMENT_DIRECTORY": str(self.experiment)} | more)

    def make(self, *cells, options=()):
        self.write("heat.ipynb", notebook(*cells))
        self.build("-q", *options, "heat.ipynb")

    def finish(self, *cells, options=(), **more):
        """The cells as a script that ends by itself."""
        self.make(*cells, options=options)
        return self.run_command("./heat_run.sh", env=self.environment(**more))

    def begin(self, *command):
        """A process in a session of its own, as soon as it has made the file 'ready'."""
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end_session, process)
        wait_for(lambda: self.path("ready").exists() or process.poll() is not None)
        self.assertTrue(self.path("ready").exists(), process.returncode)
        return process

    def end_session(self, process):
        for each in members(process.pid):
            os.kill(each, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def signalled(self, number, *cells, options=(), then=lambda process: None):
        """The script of CELLS, sent a signal when it is ready. Returns status, out, err."""
        shutil.rmtree(self.experiment, ignore_errors=True)
        for name in "ready", "go":
            self.path(name).unlink(missing_ok=True)
        self.make(*cells, options=options)
        process = self.begin("./heat_run.sh")
        process.send_signal(number)
        then(process)
        out, err = process.communicate(timeout=TIMEOUT)
        wait_for(lambda: not members(process.pid))  # none is left behind
        return process.returncode, out.decode(), err.decode()

    def regions(self, name="events.jsonl"):
        """What was entered; all of it was left."""
        stack, entered = {}, []
        for line in (self.experiment / name).read_text().splitlines():
            event = json.loads(line)
            open_here = stack.setdefault(event.get("location", 0), [])
            if event["event"] == "enter":
                open_here.append(event["region"])
                entered.append(event["region"])
            elif event["event"] == "leave":
                self.assertEqual(open_here.pop(), event["region"])
        self.assertFalse(any(stack.values()), stack)
        return entered

    def assert_kept(self, *regions):
        entered = self.regions()
        for region in regions:
            self.assertIn(region, entered)
        ours = [name for name in entered if "nbscorep" in name or name.startswith("scorep")]
        self.assertEqual(ours, [])
        self.assertTrue((self.experiment / "profile.cubex").exists())
        self.assertEqual(os.listdir(self.path("tmp")), [])


class AtOnce(EndingCase):
    """SIGTERM, SIGINT and SIGHUP."""

    def assert_ends(self, number, *cells, keeps=("user:cell 2",), **more):
        status, out, err = self.signalled(number, *cells, **more)
        self.assertEqual(status, 128 + number, err)
        self.assertNotIn("Traceback", err)
        self.assert_kept(*keeps)
        return out

    def test_cells(self):
        """What runs when the signal comes, or catches exceptions: the handler raises none that could be swallowed."""
        everything = f"while True:\n    try:\n        {READY}        while True: pass\n    except BaseException: pass"
        deep = ("import scorep\ndef deep(n):\n    with scorep.user.region(f'r{n}'):\n"
                f"        if n: deep(n - 1)\n        {READY}        while True: pass\ndeep(5)")
        # Python sees the signal when the call comes back.
        without_gil = f"import hashlib\n{READY}while True: hashlib.pbkdf2_hmac('sha256', b'', b'', 200000)"
        # Workers that nobody ends would wait for work for ever.
        pool = ("import multiprocessing\npool = multiprocessing.get_context('fork').Pool(2)\n"
                f"pool.map(abs, range(9))\n{READY}while True: pass")
        raises = code(measured(BUSY), metadata={"tags": ["raises-exception"]})
        kept = measured(BEFORE)
        for cells, keeps in (
                ([BEFORE, measured(deep)], ["user:r0", "user:r5", "__main__:deep"]),
                ([kept, BUSY], ["user:cell 1"]),
                ([kept, measured(f"import time\n{READY}time.sleep(1000)")], ["user:cell 2"]),
                ([BEFORE, measured(without_gil)], ["user:cell 2"]), ([BEFORE, measured(pool)], ["user:cell 2"]),
                *(([kept, cell, "print('no')"], ["user:cell 1"])
                  for cell in (raises, measured(everything), "%%capture\n" + BUSY)),
                *(([BEFORE, measured(command)], ["user:cell 2"]) for command in (
                    "!touch ready; sleep 1000", "!touch ready; sleep 1000; echo no", "x = !touch ready; sleep 1000",
                    "!(trap '' TERM; touch ready; sleep 1000)")),
                *(([BEFORE, measured(BUSY), code(f"%%scorep_python_binding_arguments\n--instrumenter-type={kind}")],
                   ["user:cell 2"]) for kind in ("profile", "trace", "cProfile", "cTrace"))):
            with self.subTest(cells):
                self.assert_ends(signal.SIGTERM, *cells, keeps=keeps)

    def test_without_standard_streams(self):
        """As after a terminal that has gone."""
        self.assert_ends(signal.SIGHUP, BEFORE, measured(
            "import os\nprint('lost', end='')\nos.close(1)\nos.close(2)\n" + BUSY))

    def test_with_threads(self):
        cell = ("import threading\ndef run():\n    while True: pass\n"
                f"threading.Thread(target=run, daemon=True).start()\n{READY}while True: pass")
        status, _, err = self.signalled(signal.SIGTERM, BEFORE, measured(cell))
        self.assertEqual(status, 143, err)
        self.assertIn("user:cell 2", [json.loads(line).get("region") for line in (
            self.experiment / "events.jsonl").read_text().splitlines()])

    def test_handlers_of_the_users(self):
        cell = ("import signal, sys\ndef stop(*_): sys.exit(7)\n"
                "signal.signal(signal.SIGTERM, stop)\n" + READY + "while True: pass")
        status, _, err = self.signalled(signal.SIGTERM, measured(BEFORE), cell)
        self.assertEqual((status, err), (7, ""))
        self.assert_kept("user:cell 1")

    def test_kept_files_stay(self):
        status, _, err = self.signalled(signal.SIGTERM, "%%scorep_python_binding_arguments\n--keep-files", BUSY)
        self.assertEqual(status, 143, err)
        self.assertEqual(len(os.listdir(self.path("tmp"))), 1)

    def test_without_bindings(self):
        self.make("import signal\nprint(signal.getsignal(signal.SIGTERM),"
                  " signal.getsignal(signal.SIGINT) is signal.default_int_handler)")
        for path in None, str(DOUBLE):
            done = self.run_command(sys.executable, "heat.py", env=self.environment(PYTHONPATH=path))
            self.assertEqual((done.status, done.err), (0, b""))
            self.assertRegex(done.out, rb"SIG_DFL.* True|^0 True")


class BetweenCells(EndingCase):
    """SIGUSR1."""

    WAIT = READY + "import os\nwhile not os.path.exists('go'): pass\nprint('done')"

    def go(self, process):
        """Lets the cell end, once the signal is there: it is delivered before kill() returns."""
        self.path("go").touch()

    def usr1(self, *cells, status=138, **more):
        got, out, err = self.signalled(signal.SIGUSR1, *cells, then=self.go, **more)
        self.assertEqual((got, out), (status, "done\n"), err)
        self.assertNotIn("Traceback", err)
        return err

    def test_before_the_next_cell(self):
        """Regions of a cell's own do not end it."""
        regions = ("import scorep\n" + self.WAIT.replace("print('done')", "") +
                   "with scorep.user.region('mine'): pass\n"
                   "with scorep.instrumenter.disable('off'): pass\nprint('done')")
        tagged, no = [code(text, metadata={"tags": ["raises-exception"]})
                      for text in (measured(self.WAIT), "print('no')")]
        for cells, keeps, options in (
                ([measured(BEFORE), self.WAIT, "print('no')"], ["user:cell 1"], ()),
                ([BEFORE, measured(regions), "print('no')"], ["user:mine"], ()),
                ([BEFORE, tagged, no], ["user:cell 2"], ()),
                (["%%enable_multicellmode", BEFORE, self.WAIT, "print('no')", "%%finalize_multicellmode"],
                 ["user:cells 1-5", "user:cell 3"], ()),
                ([BEFORE, measured(self.WAIT), "import asyncio\nawait asyncio.sleep(0)\nprint('no')"],
                 ["user:cell 2"], ()),
                ([BEFORE, self.WAIT, "print('no')"], [], ["--no-cell-regions"])):
            with self.subTest(cells):
                self.usr1(*cells, options=options)
                self.assert_kept(*keeps)

    def test_in_the_last_cell(self):
        self.assertEqual(self.usr1(BEFORE, measured(self.WAIT), status=0), "")

    def test_exit_handlers_run(self):
        handler = "import atexit\natexit.register(lambda: open('handled', 'w').close())\n"
        self.usr1(BEFORE, handler + self.WAIT, "print('no')")
        self.assertTrue(self.path("handled").exists())


class Ends(EndingCase):
    """Ends of the script's own."""

    def test_exit_status(self):
        done = self.finish(BEFORE, measured("import sys\ndef f(): sys.exit(3)\nf()"), "print('no')")
        self.assertEqual((done.status, done.out, done.err), (3, b"", b""))
        self.assert_kept("user:cell 2", "__main__:f")

    def test_exception(self):
        done = self.finish(*[BEFORE] * 4, measured("def f():\n    1 / 0\nf()"), "print('no')")
        self.assertEqual((done.status, done.out), (1, b""))
        self.assertRegex(done.err.decode(), r"ZeroDivisionError: .*\n"
                         r"nbscorep: heat\.ipynb, cell 5, line 3 \(heat\.py:\d+\)\n$")
        self.assert_kept("user:cell 5", "__main__:f")

    def test_children_of_a_fork(self):
        cell = ("import os, signal, sys\ndef f(): return sys.getprofile()\nchild = os.fork()\n"
                "if child == 0:\n    with scorep.user.region('child'):\n"
                "        print(f(), signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)\n"
                "    sys.stdout.flush()\n    os._exit(0)\n"
                "print(os.waitpid(child, 0)[1], f() is None)")
        done = self.finish("import scorep", measured(cell))
        self.assertEqual((done.status, done.out, done.err), (0, b"None True\n0 False\n", b""))
        self.assert_kept("user:cell 2")
        self.assertNotIn("user:child", self.regions())

    def test_child_of_a_fork_that_ends_by_itself(self):
        """It leaves the bindings' folder to its parent, whose own end would fail without."""
        for end, status in ("sys.exit(3)", 3), ("raise KeyError", 1), ("", 0):
            with self.subTest(end):
                done = self.finish(BEFORE, measured(
                    f"import os, sys\nchild = os.fork()\nif child == 0:\n    {end or 'pass'}\n"
                    "else:\n    print(os.waitpid(child, 0)[1] >> 8)"))
                self.assertEqual((done.status, done.out), (0, b"%d\n" % status), done)
                self.assert_kept("user:cell 2")
                shutil.rmtree(self.experiment)

    def test_signal_while_score_p_writes(self):
        for name in "SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1":
            with self.subTest(name):
                done = self.finish(BEFORE, measured(
                    "import os, signal, scorep._experiment\nkind = scorep._experiment.Experiment\n"
                    "write = kind.write_results\ndef write_signalled(*arguments):\n"
                    f"    os.kill(os.getpid(), signal.{name})\n    write(*arguments)\n"
                    "kind.write_results = write_signalled"))
                self.assertEqual((done.status, done.err), (0, b""))
                self.assert_kept("user:cell 2")
                shutil.rmtree(self.experiment)

    def test_signal_for_a_child_that_has_just_been_forked(self):
        """Its parent's handler is still there, but the measurement is the parent's."""
        cell = ("import os, signal\nhandler = signal.getsignal(signal.SIGTERM)\n"
                "child = os.fork()\nif child == 0:\n    handler(signal.SIGTERM, None)\n"
                "    os._exit(9)\nprint(os.waitpid(child, 0)[1])")
        done = self.finish(BEFORE, measured(cell))
        self.assertEqual((done.status, done.out, done.err), (0, b"15\n", b""))
        self.assert_kept("user:cell 2")

    def test_signal_before_a_child_runs(self):
        """On one processor the parent runs first. Python drops signals that a new child has, if they have handlers."""
        cell = ("import os, signal\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nends = []\n"
                "for i in range(3):\n    child = os.fork()\n    if child == 0:\n        signal.alarm(10)\n"
                "        while True: signal.pause()\n    os.kill(child, signal.SIGTERM)\n"
                "    ends.append(os.waitpid(child, 0)[1])\n"
                "print(ends, signal.pthread_sigmask(signal.SIG_BLOCK, []))")
        for measure in "yes", "no":
            done = self.finish(measured(cell), options=["--force"], NBSCOREP_MEASURE=measure)
            self.assertEqual((done.status, done.out), (0, b"[15, 15, 15] set()\n"), done)

    def test_unregister_and_an_exception(self):
        done = self.finish("import scorep", measured("scorep.unregister()"), "1 / 0")
        self.assertEqual(done.status, 1, done)
        self.assertIn(b"cell 3, line 1 (heat.py:", done.err)
        self.assert_kept("user:cell 2")


class Places(EndingCase):
    """The line behind a traceback."""

    def make(self, *cells, options=()):
        self.options = options
        super().make(*cells, options=options)

    def place(self, *cells, options=(), measure=True):
        self.make(*cells, options=options)
        done = self.run_command(*self.command(measure), env=self.environment())
        found = re.findall(r"^nbscorep: (.*) \(heat\.py:(\d+)\)$", done.err.decode(), re.M)
        self.assertLessEqual(len(found), 1, done)
        if found:
            self.assertTrue(done.err.decode().endswith(f"heat.py:{found[0][1]})\n"))
            self.assertIn("Traceback (most recent call last)", done.err.decode())
        return found[0][0] if found else done.err.decode()

    def command(self, measure):
        plain = [binary(), "run", "-q", "--force", *self.options, "--no-scorep", "heat.ipynb"]
        return ["./heat_run.sh"] if measure else plain

    def marked(self, title, text):
        """TEXT with each @ as a call of ran() that names its place."""
        self.labels += [f"{title}line {number}" for number, line in enumerate(text.split("\n"), 1)
                        if "@" in line]
        return "\n".join(line.replace("@", f"ran({f'{title}line {number}'!r})")
                         for number, line in enumerate(text.split("\n"), 1))

    def marked_cells(self, name, texts):
        cells = []
        for number, cell in enumerate(texts, 1):
            cell = code(cell) if isinstance(cell, str) else cell
            cells.append(cell | {"source": self.marked(f"{name}, cell {number}, ", cell["source"])})
        return cells

    def test_every_line(self):
        """Each call of ran() raises when its turn comes."""
        self.labels = []
        self.write("ran.py", "import os\ndef ran(place):\n    if os.environ.get('STOP') == place:\n"
                   "        raise OSError() if len(place) % 2 else ValueError()\n")
        self.write("other.ipynb", notebook(*self.marked_cells("other.ipynb", [
            "\n@", "%%time\n@\n@", "import asyncio\nawait asyncio.sleep(0)\n@"])))
        self.write("text.py", self.marked("text.py, ", "@\n\n@\n"))
        self.make(*self.marked_cells("heat.ipynb", [
            "from ran import ran",
            {"cell_type": "markdown", "metadata": {}, "source": "# text\n\nmore"},
            "@\n\nif True:\n    @\ns = \"\"\"\ntext\n\"\"\"\n@",
            measured("\n@\n@; x = (1,\n  @,\n 2)"),
            "%%time\n@\n\n@\n1",
            "%%capture\n\ndef first():\n    @",
            "%%capture\n%%time\ndef second():\n    @",
            "import asyncio\nawait asyncio.sleep(0)\n@\nasync def f():\n    @\nawait f()\n@",
            measured("%%time\nimport asyncio\nawait asyncio.sleep(0)\n@\n@"),
            "# one\n\n@\n%run other.ipynb\n@\n%run other.ipynb",
            "x = 2\n%load text.py\n@",
            "if 1:\n\t@\n@",
            "%%timeit -n 1 -r 1\n\n@\n@",
            "%%timeit -n 1 -r 1 x = 1\ny = 1\n@",
            "%%prun -q\n\n@\n@",
            "%%prun -q x = 1\n@",
            "x = \\\n  @\n%timeit -n1 -r1 @\n%time @\n@ # %% cell 9",
            "# %% Load data\n@\n# %% cell 9\n@\n\n# %% [markdown]\n@\n\n# %% cell 2\n@",
            "%%enable_multicellmode", "@\n@", "%%finalize_multicellmode",
            "\f@\r\n@\nfirst()\nsecond()",
        ]), options=["--instrument=all"])
        self.assertGreater(len(self.labels), 30)
        for number, label in enumerate(self.labels):
            for measure in ("no", "yes")[:1 + (number % 4 == 0)]:  # which takes longer
                with self.subTest(label, measure=measure):
                    done = self.run_command("./heat_run.sh", env=self.environment(
                        STOP=label, NBSCOREP_MEASURE=measure))
                    self.assertIn("Traceback", done.err.decode())
                    last = done.err.decode().splitlines()[-1]
                    self.assertRegex(last, rf"^nbscorep: {re.escape(label)} \(heat\.py:\d+\)$")

    def test_in_what_is_around_a_cell(self):
        self.assertEqual(self.place("x = 1", "%%capture --bad\n1", measure=False), "heat.ipynb, cell 2")
        self.assertEqual(self.place("x = 1", "%%bash\nexit 3"), "heat.ipynb, cell 2")

    def test_cells_that_are_no_python(self):
        self.assertEqual(self.place("x = 1", "y = 1\n\nz = (1 2)", options=["--broken-cells=raise"]),
                         "heat.ipynb, cell 2, line 3")

    def test_cell_with_which_the_script_is_no_python(self):
        self.make("x = 1", "y = 1\nprint 'z'", options=["--no-verify"])
        for measure in False, True:
            done = self.run_command(*self.command(measure), env=self.environment())
            self.assertTrue(done.err.startswith(b'  File "'), done.err)  # as Python's own
            self.assertIn(b"\nnbscorep: heat.ipynb, cell 2, line 2 (", done.err)

    def test_no_place(self):
        for measure in False, True:
            self.assertNotIn("nbscorep:", self.place("import sys\nsys.exit('bye')", measure=measure))

    def test_hook_of_the_users(self):
        cell = "import sys\nsys.excepthook = lambda *_: print('mine', file=sys.stderr)\n1 / 0"
        self.make(cell)
        for measure in False, True:
            done = self.run_command(*self.command(measure), env=self.environment())
            self.assertEqual(done.err, b"mine\nnbscorep: heat.ipynb, cell 1, line 3 (heat.py:10)\n")
            shutil.rmtree(self.experiment, ignore_errors=True)

    def test_recursion(self):
        self.assertEqual(self.place("def f():\n    f()\n", "\nf()", measure=False), "heat.ipynb, cell 1, line 2")

    def test_rebuilt_while_it_runs(self):
        done = self.finish("open('heat.py', 'w').close()", "\n1 / 0")
        self.assertIn(b"nbscorep: heat.ipynb, cell 2, line 2 (", done.err)

    def test_standard_error_is_closed(self):
        self.make("import sys\nsys.stderr = None\n1 / 0")
        for measure in False, True:
            done = self.run_command(*self.command(measure), env=self.environment())
            self.assertEqual((done.status, done.out), (1, b""))


@unittest.skipUnless(shutil.which("mpirun") and subprocess.run(
    ["/usr/bin/python3", "-c", "import mpi4py"], stderr=subprocess.DEVNULL).returncode == 0,
    "needs mpirun and mpi4py")
class Ranks(EndingCase):
    """Under MPI, where mpi4py is imported."""

    FIRST = "from mpi4py import MPI\nimport os, time\nworld = MPI.COMM_WORLD\nrank = world.rank"

    def environment(self, **more):
        return super().environment(**({
            "PYTHON": "/usr/bin/python3", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | more))

    def mpirun(self, ranks, *cells):
        self.make("%%scorep_python_binding_arguments\n--mpp=mpi", self.FIRST, *cells)
        return ["mpirun", "-n", str(ranks), "--oversubscribe", "./heat_run.sh"]

    def test_cell_timeout(self):
        """One rank passes the limit, the other one waits for it in MPI."""
        cell = code("if rank == 1: time.sleep(1000)\nworld.Barrier()", metadata={"tags": ["timeout=0.5"]})
        done = self.run_command(*self.mpirun(2, cell, "print('after')"), env=self.environment())
        self.assertEqual((done.status, done.out), (124, b""))
        self.assertIn(b"TimeoutError: the cell ran for more than 0.5 s\n", done.err)

    def test_workers_do_not_run_the_notebook(self):
        self.make("print('once', flush=True)", "from mpi4py.futures import MPIPoolExecutor\n"
                  "with MPIPoolExecutor(1) as pool:\n    print(list(pool.map(abs, [-1, 2])))")
        done = self.run_command("/usr/bin/python3", "heat.py", env=self.environment(
            OMPI_MCA_rmaps_base_oversubscribe="1"))
        self.assertEqual((done.status, done.out), (0, b"once\n[1, 2]\n"), done)

    UNMEASURED = "nbscorep: nothing was measured: with --mpp=mpi Score-P needs MPI"

    def test_end_before_mpi(self):
        """Score-P makes no directory, and does not say why."""
        for first, ranks, status in (("1 / 0", 1, 1), ("import sys\nsys.exit(3)", 1, 3),
                                     ("", 1, 0), ("", 2, 0)):
            with self.subTest(first):
                self.make(first, f"if {first == ''}: raise SystemExit", self.FIRST)
                done = self.run_command("mpirun", "-n", str(ranks), "--oversubscribe",
                                        "./heat_run.sh", env=self.environment())
                self.assertEqual((done.status, self.experiment.exists()), (status, False), done)
                self.assertEqual(done.err.decode().count(self.UNMEASURED), 1, done)

    def test_exception_before_mpi(self):
        """Each rank that fails says so, behind its traceback; an old directory is no result."""
        self.experiment.mkdir()
        self.make("1 / 0", self.FIRST)
        done = self.run_command("./heat_run.sh", env=self.environment(OMPI_COMM_WORLD_RANK="1"))
        self.assertRegex(done.err.decode(), r"\(heat.py:\d+\)\n" + self.UNMEASURED)

    def test_signal_before_mpi(self):
        status, _, err = self.signalled(signal.SIGTERM, BUSY, self.FIRST)
        self.assertEqual((status, err.count(self.UNMEASURED)), (143, 1), err)

    def test_end_after_mpi(self):
        for cells in ([self.FIRST, "1 / 0"], [self.FIRST, "MPI.Finalize()"]):
            done = self.run_command(*self.mpirun(2, *cells[1:]), env=self.environment())
            self.assertTrue(self.experiment.exists())
            self.assertNotIn(self.UNMEASURED, done.err.decode())
            shutil.rmtree(self.experiment)


if __name__ == "__main__":
    unittest.main()
