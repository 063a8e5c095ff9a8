#!/usr/bin/env python3
"""Sweeps without Slurm: `run --sweep`, and single sets by the run script."""
import contextlib
import csv
import fcntl
import itertools
import json
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from ending_test import wait_for  # noqa: E402
from support import UNDER_DOUBLE, Case, binary, clean_environment, code, notebook  # noqa: E402

DEFAULTS = code("a = 0\nb = 'none'", metadata={"tags": ["parameters"]})
GRID = "grid: {a: [1, 2, 3], b: [x, y]}\n"


class Sweep(Case):
    def setUp(self):
        super().setUp()
        self.write("sweep.yaml", GRID)

    def environment(self, **more):
        return clean_environment(**UNDER_DOUBLE | {"PYTHON": sys.executable} | more)

    def make(self, *cells):
        self.write("heat.ipynb", notebook(DEFAULTS, *cells))

    def sweep(self, *options, **more):
        return self.nbscorep("run", "--sweep", "sweep.yaml", "--no-scorep", *options, "heat.ipynb",
                             env=self.environment(**more))

    def begin(self, *options, **streams):
        return subprocess.Popen([binary(), "run", "--sweep", "sweep.yaml", "--no-scorep", *options, "heat.ipynb"],
                                cwd=self.folder, env=self.environment(), **streams)

    def outputs(self):
        """By number of set."""
        return {int(path.parent.name): path.read_text()
                for path in self.folder.glob("heat_sweep/*/output.txt")}

    def results(self):
        with open(self.path("heat_sweep/results.csv"), newline="") as file:
            return list(csv.reader(file))

    def statuses(self):
        return {int(path.parent.name): path.read_text().strip()
                for path in self.folder.glob("heat_sweep/*/status")}


class Local(Sweep):
    def test_each_set_once(self):
        self.make("print(a, b)")
        for jobs in "1", "4":
            with self.subTest(jobs):
                done = self.sweep("-j", jobs)
                self.assertEqual((done.status, done.out), (0, b""), done)
                self.assertEqual(self.outputs(), {
                    1: "1 x\n", 2: "1 y\n", 3: "2 x\n", 4: "2 y\n", 5: "3 x\n", 6: "3 y\n"})
                self.assertEqual(self.statuses(), dict.fromkeys(range(1, 7), "0"))
                self.assertIn(b"nbscorep: 6 of 6 sets done, 0 failed, 0 not run", done.err)
        self.assertEqual(json.loads(self.path("heat_sweep/5/parameters.json").read_text()),
                         {"a": 3, "b": "x"})

    def test_one_fails_and_is_run_again(self):
        self.make("import os\nprint(a, b)\nif (a, b) == (2, 'x') and not os.path.exists('fixed'):"
                  "\n    raise SystemExit(7)")
        done = self.sweep("-q", "-j2")
        self.assertEqual((done.status, done.out), (1, b""), done)
        lines = done.err.decode().splitlines()
        self.assertEqual(lines[0], 'nbscorep: set 3 of 6 {"a": 2, "b": "x"}: ended with status 7; '
                                   "see heat_sweep/3/output.txt")
        self.assertRegex(lines[1], "^nbscorep: 5 of 6 sets done, 1 failed, 0 not run, in ")
        self.assertEqual(self.statuses()[3], "7")
        before = {path: path.stat().st_mtime_ns for path in self.folder.glob("heat_sweep/*/*")}
        self.write("fixed", "")
        done = self.sweep("--only=failed")
        self.assertEqual(done.status, 0, done)
        self.assertIn(b"nbscorep: 1 of 1 sets done", done.err)
        self.assertEqual(self.statuses()[3], "0")
        self.assertEqual({path.parent.name for path, time in before.items()
                          if path.stat().st_mtime_ns != time}, {"3"})
        done = self.sweep("--only=failed")
        self.assertEqual((done.status, done.err), (0, b"nbscorep: no set is 'failed'\n"))

    def test_killed_before_its_program(self):
        """It has not ended well, so it is run again."""
        self.make("print(a, b)")
        self.write("nbscorep.yaml", "setup: ['[ -e fixed ] || kill -TERM $$']\n")
        self.assertEqual(self.sweep("-q").status, 1)
        self.assertEqual(self.statuses(), dict.fromkeys(range(1, 7), "143"))
        self.write("fixed", "")
        self.assertEqual(self.sweep("-q", "--only=failed").status, 0)
        self.assertEqual(self.statuses(), dict.fromkeys(range(1, 7), "0"))

    def test_some_sets(self):
        self.make("print(a, b)")
        done = self.sweep("-q", "--only=2,5-6,2")
        self.assertEqual((done.status, done.out, done.err), (0, b"", b""))
        self.assertEqual(self.outputs(), {2: "1 y\n", 5: "3 x\n", 6: "3 y\n"})
        done = self.sweep("-q", "--only=missing")
        self.assertEqual((done.status, len(self.outputs())), (0, 6))

    def test_results_of_another_sweep(self):
        """What ran in a folder with other parameters says nothing of its set."""
        self.make("print(a, b)\nif a == 2: raise SystemExit(7)")
        self.assertEqual(self.sweep("-q", "-j4").status, 1)
        self.assertEqual([row[:-2] for row in self.results()],
                         [["set", "a", "b", "status"], ["1", "1", "x", "0"], ["2", "1", "y", "0"], ["3", "2", "x", "7"],
                          ["4", "2", "y", "7"], ["5", "3", "x", "0"], ["6", "3", "y", "0"]])
        self.assertTrue(all(float(row[-2]) > 0 and 5 < float(row[-1]) < 1000 for row in self.results()[1:]))
        self.write("sweep.yaml", "grid: {a: [1, 8], b: [x, z]}\n")
        with open(self.path("heat_sweep/6/lock")) as lock:  # as if it ran
            fcntl.flock(lock, fcntl.LOCK_SH)
            done = self.sweep("--only=failed")
        self.assertEqual((done.status, done.err), (0, b"nbscorep: moved 4 sets of another sweep to 'heat_sweep.1'\n"
                                                   b"nbscorep: no set is 'failed'\n"))
        self.assertEqual(self.path("heat_sweep.1/2/output.txt").read_text(), "1 y\n")
        self.assertIn("\n2,1,y,0,", self.path("heat_sweep.1/results.csv").read_text())
        self.assertEqual(sorted(self.outputs()), [1, 6])
        done = self.sweep("--only=missing")
        self.assertEqual(done.status, 0)
        self.assertIn(b"nbscorep: moved 1 set of another sweep to 'heat_sweep.2'\n", done.err)
        self.assertIn(b"nbscorep: 3 of 3 sets done", done.err)
        self.assertEqual([self.outputs()[set] for set in range(1, 5)],
                         ["1 x\n", "1 z\n", "8 x\n", "8 z\n"])
        self.assertEqual([row[:4] for row in self.results()[1:]],
                         [["1", "1", "x", "0"], ["2", "1", "z", "0"], ["3", "8", "x", "0"], ["4", "8", "z", "0"]])
        done = self.sweep("--only=missing")
        self.assertEqual((done.status, done.err), (0, b"nbscorep: no set is 'missing'\n"))

    def test_long_values(self):
        """Linux starts no program with a variable of more than 131,071 bytes."""
        self.make("!echo -n $a' '", "print(len(b), b[:1])")
        sets = [{"a": 1, "b": "\N{GREEK SMALL LETTER NU}" * 300_000}, {"a": 2, "b": "x" * 131_072},
                {"a": 3, "b": "\N{GRINNING FACE}" * 31_000}]
        self.write("sweep.yaml", json.dumps(sets, ensure_ascii=False))
        self.path("tmp").mkdir()
        done = self.sweep("-q", "-j1", TMPDIR=str(self.path("tmp")))
        self.assertEqual((done.status, done.out, done.err), (0, b"", b""))
        self.assertEqual(self.outputs(), {1: "1 300000 \N{GREEK SMALL LETTER NU}\n",
                                          2: "2 131072 x\n", 3: "3 31000 \N{GRINNING FACE}\n"})
        self.assertEqual(sorted(path.name for path in self.path("heat_sweep/1").iterdir()),
                         ["lock", "output.txt", "parameters.json", "status"])
        self.assertEqual(list(self.path("tmp").iterdir()), [])
        done = self.sweep("--only=failed,missing")
        self.assertEqual((done.status, done.err), (0, b"nbscorep: no set is 'failed,missing'\n"))

    def test_titles_are_cut_between_characters(self):
        self.make("print(a)")
        sets = [{"a": i, "b": "x" * i + "\N{GREEK SMALL LETTER NU}" * 100} for i in (1, 2)]
        self.write("sweep.yaml", json.dumps(sets, ensure_ascii=False))
        text = self.sweep().err.decode()
        self.assertEqual(text.count("\N{GREEK SMALL LETTER NU}...: done in "), 2, text)

    def test_set_that_cannot_begin(self):
        """It has failed."""
        self.make("print(a, b)")
        self.write("sweep.yaml", "grid: {a: [8], b: [x]}\n")
        self.path("heat_sweep/1/output.txt").mkdir(parents=True)
        for wanted in "1", "failed":
            self.assertEqual(self.sweep(f"--only={wanted}").status, 1)
        self.path("heat_sweep/1/output.txt").rmdir()
        self.assertIn(b"nbscorep: 1 of 1 sets done", self.sweep("--only=failed").err)

    def test_set_that_runs(self):
        """It is neither failed nor missing, as long as anything of it runs."""
        self.make("import os\nopen('pids', 'w').write(f'{os.getppid()} {os.getpid()}')",
                  "open('gate').read()")
        os.mkfifo(self.path("gate"))
        self.build("--sweep=sweep.yaml", "heat.ipynb")
        with subprocess.Popen(["./heat_run.sh"], cwd=self.folder, env=self.environment(
                NBSCOREP_SET="1", NBSCOREP_MEASURE="no")) as script, open(self.path("gate"), "w"):
            shell, program = map(int, self.path("pids").read_text().split())
            self.path("gate").unlink()
            self.write("gate", "")
            self.assertEqual(self.sweep("--only=failed").err, b"nbscorep: no set is 'failed'\n")
            done = self.sweep("-q", "--only=1")
            self.assertEqual(done.status, 1)
            self.assertIn(b"cannot be started: it runs already; see heat_sweep/1/output.txt",
                          done.err)
            os.kill(shell, signal.SIGKILL)
            script.wait()
            self.assertEqual(self.sweep("--only=failed").err, b"nbscorep: no set is 'failed'\n")
            self.write("sweep.yaml", "grid: {a: [7], b: [x]}\n")
            self.assertEqual(self.sweep("--only=missing").err, b"nbscorep: no set is 'missing'\n")
            self.write("sweep.yaml", GRID)
            os.kill(program, signal.SIGKILL)
        wait_for(lambda: b"1 of 1 sets done" in self.sweep("--only=failed").err)

    def test_set_that_left_something(self):
        """What outlives a set that has ended does not keep its folder."""
        self.make("import subprocess\nleft = subprocess.Popen(['setsid', 'tail', '-f', "
                  "'/dev/null'], close_fds=False, stdout=-3, stderr=-3)\n"
                  "open('left', 'a').write(f'{left.pid}\\n')\nraise SystemExit(a)")
        self.assertEqual(self.sweep("-q", "--only=1").status, 1)
        self.assertIn(b"0 of 1 sets done, 1 failed", self.sweep("--only=failed").err)
        pids = [int(line) for line in self.path("left").read_text().split()]
        self.assertEqual(len(pids), 2)
        for pid in pids:  # ended, and reaped by now or not
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def test_side_by_side(self):
        """Each of two waits for the other one."""
        self.write("sweep.yaml", "zip: {a: [1, 2], b: [2, 1]}\n")
        self.make("import os\nos.mkfifo(f'to{a}') if not os.path.exists(f'to{a}') else None",
                  "import threading\n"
                  "def tell():\n    while not os.path.exists(f'to{b}'):\n        pass\n"
                  "    open(f'to{b}', 'w').write(str(a))\n"
                  "threading.Thread(target=tell).start()\nprint(open(f'to{a}').read())")
        done = self.sweep("-q", "-j2")
        self.assertEqual((done.status, self.outputs()), (0, {1: "2\n", 2: "1\n"}), done)

    def test_arguments_reach_each(self):
        self.make("import sys; print(a, sys.argv[1:])")
        done = self.nbscorep("run", "--sweep", "sweep.yaml", "--only=1,6", "-q", "--no-scorep",
                             "heat.ipynb", "--", "-p", "b=z", "--", "one two",
                             env=self.environment())
        self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual(self.outputs(), {1: "1 ['one two']\n", 6: "3 ['one two']\n"})

    def test_measured(self):
        self.make("%%scorep_env\nSCOREP_EXPERIMENT_DIRECTORY=exp", "print(a)")
        done = self.nbscorep("run", "--sweep", "sweep.yaml", "-q", "--only=1,2", "-j2",
                             "heat.ipynb", env=self.environment())
        self.assertEqual((done.status, done.err), (0, b""))
        for number in 1, 2:
            self.assertTrue(self.path(f"heat_sweep/{number}/exp").is_dir())
        self.assertFalse(self.path("exp").exists())

    def test_each_set_is_monitored(self):
        self.make("%load_ext jumper_extension", "%perfmonitor_start 0.01", "print(a)",
                  "%perfmonitor_plot", "%perfmonitor_stop")
        done = self.sweep("-q", "--only=1,2", "-j2", NBSCOREP=binary())
        self.assertEqual((done.status, done.err), (0, b""))
        for number in 1, 2:
            for name in "heat_monitor.samples", "heat_plot-1.svg":
                self.assertTrue(self.path(f"heat_sweep/{number}/{name}").is_file(), done)
        self.assertFalse(self.path("heat_monitor.samples").exists())

    def test_option_monitor(self):
        self.make("b")
        for options in [], ["-q"]:
            done = self.sweep("--monitor=10ms", "--only=1,2", "-j2", *options)
            self.assertEqual((done.status, done.out), (0, b""), done)
            for number in 1, 2:
                output = self.path(f"heat_sweep/{number}/output.txt").read_text()
                self.assertRegex(output, "(?m)^'[xy]'$")
                self.assertEqual("\n   2      1 " in output and "Memory to request" in output, not options, output)
                samples = self.path(f"heat_sweep/{number}/heat.samples")
                report = self.nbscorep("report", "--format=json", samples)
                self.assertEqual([cell["cell"] for cell in json.loads(report.out)["cells"]], [1, 2])

    def test_wrong_interval_of_a_run_script(self):
        self.make("b")
        self.assertEqual(self.sweep("-q", "--only=1", "--monitor").status, 0)
        done = self.run_command(self.path("heat_run.sh"), env=self.environment(
            NBSCOREP=binary(), NBSCOREP_MEASUREMENT="none", NBSCOREP_SET="1", NBSCOREP_MONITOR="soon"))
        self.assertEqual((done.status, done.out), (0, b"'x'\n"), done)
        self.assertIn(b"requires seconds from 0.001 to 1000000", done.err)
        self.assertNotIn(b"Memory to request", done.err)

    def test_interrupt_starts_no_more(self):
        self.make("import os\nopen(f'runs{a}{b}', 'w').close()\nopen('gate').read()")
        os.mkfifo(self.path("gate"))
        program = self.begin("-q", stderr=subprocess.PIPE)
        with open(self.path("gate"), "w"):
            program.send_signal(signal.SIGTERM)
            err = program.communicate()[1].decode()
        self.assertEqual(program.returncode, 128 + signal.SIGTERM)
        self.assertIn("0 of 6 sets done, 1 failed, 5 not run", err)
        self.assertIn("--only=failed,missing", err)
        self.assertEqual(len(list(self.folder.glob("runs*"))), 1)
        self.assertEqual(self.statuses(), {1: "143"})
        self.path("gate").unlink()
        self.write("gate", "")
        done = self.sweep("--only=missing")
        self.assertIn(b"nbscorep: 5 of 5 sets done", done.err)


class Combined(Sweep):
    """Sets with all else that a run can have: `run --sweep` and the run script do the same."""
    MODULE = {"BASH_FUNC_module%%": "() {  export S=\"$S $*\";\n}"}
    CASES = (  # configuration, options, environment; of set 2: its output
        ("setup: ['export S=$NBSCOREP_SET']", (), {}, "1 y 2 None\n"),
        ("setup: ['cd tools', 'export S=$(pwd | grep -o tools)']", (), {}, "1 y tools None\n"),
        ("teardown: ['echo $NBSCOREP_STATUS $NBSCOREP_SET']", (), {}, "1 y None None\n0 2\n"),
        ("setup: ['export S=1']\nteardown: ['echo $S', 'false']", (), {}, "1 y 1 None\n1\n"),
        ("modules: [gcc]", (), MODULE, "1 y  load gcc None\n"),
        ("modules: [gcc]\nsetup: ['export S=$S.']", (), MODULE, "1 y  load gcc. None\n"),
        ("", ("--launcher=env R=7",), {}, "1 y None 7\n"),
        ("setup: ['export S=1']", ("--launcher=env R=7",), {}, "1 y 1 7\n"),
        ("", ("--ranks=2", "--launcher=start {ranks}"), {}, "1 y None 0\n1 y None 1\n"),
        ("setup: ['export S=1']", ("--ranks=2", "--launcher=start {ranks}"), {},
         "1 y 1 0\n1 y 1 1\n"),
    )

    def setUp(self):
        super().setUp()
        self.path("tools").mkdir()
        self.write("tools/start", "#!/bin/sh\nranks=$1 rank=0\nshift\n"
                   "while [ $rank -lt $ranks ]; do\n"
                   "    OMPI_COMM_WORLD_SIZE=$ranks OMPI_COMM_WORLD_RANK=$rank R=$rank \"$@\" ||"
                   " exit\n    rank=$((rank + 1))\ndone\n").chmod(0o755)
        self.make("import os\nprint(a, b, *map(os.environ.get, ['S', 'R']))")

    def test_both_ways(self):
        for configuration, options, more, expected in self.CASES:
            with self.subTest(configuration, options=options):
                self.write("nbscorep.yaml", configuration + "\n")
                environment = self.environment(PATH=os.pathsep.join(
                    [str(self.path("tools")), os.environ["PATH"]]), **more)
                done = self.nbscorep("run", "--sweep", "sweep.yaml", "--only=2", "-q", "--force",
                                     "--no-scorep", *options, "heat.ipynb", env=environment)
                self.assertEqual((done.status, done.out, done.err), (0, b"", b""))
                self.assertEqual(self.outputs(), {2: expected})
                self.assertEqual(self.statuses(), {2: "0"})
                shutil.rmtree(self.path("heat_sweep"))
                self.build("--force", "-Wno-args-ranks", "--sweep=sweep.yaml", *options,
                           "heat.ipynb")
                done = self.run_command("./heat_run.sh", env=environment | {
                    "NBSCOREP_SET": "2", "NBSCOREP_MEASURE": "no"})
                self.assertEqual((done.status, done.out.decode(), done.err), (0, expected, b""))
                self.assertEqual(self.statuses(), {2: "0"})
                shutil.rmtree(self.path("heat_sweep"))


class Planted(Sweep):
    """Results that somebody else has put in place, as with a folder that was downloaded."""
    NAMES = "output.txt", "status", "parameters.json", "lock"

    def setUp(self):
        super().setUp()
        self.make("print(a, b)")
        self.build("--sweep=sweep.yaml", "heat.ipynb")
        self.foreign = self.write("foreign.txt", "foreign")

    def plant(self, kind, name):
        path = self.path(f"heat_sweep/1/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if kind == "fifo":
            os.mkfifo(path)
        else:
            path.symlink_to(self.foreign if kind == "link" else self.path("new.txt"))

    def starts(self):
        """All that opens the files of a set."""
        yield lambda: self.sweep("-q", "--only=1")
        yield lambda: self.sweep("-q", "--only=failed,missing")
        yield lambda: self.run_command("./heat_run.sh", env=self.environment(
            NBSCOREP_MEASURE="no", NBSCOREP_SET="1"))

    def test_files(self):
        """Those of the run script are package/launcher_test.py's."""
        starts = itertools.cycle(list(self.starts())[:2])
        for kind in "fifo", "link", "lost link":
            for name in self.NAMES:
                with self.subTest(kind=kind, name=name):
                    self.plant(kind, name)
                    done = next(starts)()
                    self.assertEqual(done.status, 0, done)
                    self.assertEqual(self.statuses()[1], "0")
                    self.assertEqual(self.foreign.read_text(), "foreign")
                    self.assertFalse(self.path("new.txt").exists())
                    shutil.rmtree(self.path("heat_sweep"))

    def test_folder_of_a_set(self):
        self.path("heat_sweep").mkdir()
        self.path("heat_sweep/1").symlink_to(self.folder)
        for start in self.starts():
            done = start()
            self.assertNotEqual(done.status, 0, done)
            self.assertIn(b"heat_sweep/1", done.err)
        self.assertEqual({name for name in self.files() if "/" not in name},
                         {"foreign.txt", "heat.ipynb", "heat.py", "heat_run.sh", "heat_sweep.tsv",
                          "sweep.yaml"})


class Left(Sweep):
    """Each run tells its process, and what it leaves."""
    LEAVES = ("import os, subprocess, sys\n"
              "child = subprocess.Popen(['bash', '-c', {0!r} + 'echo > up; while :; do sleep 0.05; "
              "done'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
              "open('pids', 'w').write(f'{{child.pid}} {{os.getpid()}}')\n"
              "while not os.path.exists('up'): pass")

    def alive(self, file="pids"):
        def is_alive(pid):
            try:
                return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][1] != "Z"
            except OSError:
                return False
        return [pid for pid in self.path(file).read_text().split() if is_alive(pid)]

    def test_what_a_set_leaves_is_ended(self):
        self.make(self.LEAVES.format(""))
        done = self.sweep("-q", "--only=1")
        self.assertEqual((done.status, done.err), (0, b""))
        wait_for(lambda: self.alive() == [])

    def test_what_does_not_end_is_killed(self):
        """Before the next set begins."""
        self.make(self.LEAVES.format("trap true TERM;"),
                  "for line in open('all').read().split() if os.path.exists('all') else ():\n"
                  "    assert not os.path.exists(f'/proc/{line}')\n"
                  "open('all', 'a').write(f'{child.pid}\\n')\nos.remove('up')")
        done = self.sweep("-q", "--only=1,2", "--kill-after=0.2")
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.assertEqual(len(self.path("all").read_text().split()), 2)
        self.assertEqual(self.alive("all"), [])

    def test_time_limit(self):
        """Of each set. One ends when it is asked to, one must be killed, with what it has started."""
        self.make(self.LEAVES.format("trap true TERM;"),
                  "open('all', 'a').write(f'{child.pid} {os.getpid()}\\n')\n"
                  "import signal, time\nif a == 2: signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                  "while a < 3: time.sleep(.01)")
        done = self.sweep("--only=1,3,5", "-j3", "--timeout=5", "--kill-after=0.5")
        self.assertEqual(done.status, 1, done)
        err = done.err.decode()
        self.assertIn('set 1 of 6 {"a": 1, "b": "x"}: ran for too long (--timeout); see', err)
        self.assertIn('set 3 of 6 {"a": 2, "b": "x"}: ran for too long (--timeout) and was killed; '
                      'see', err)
        self.assertIn('set 5 of 6 {"a": 3, "b": "x"}: done in', err)
        self.assertIn("1 of 3 sets done, 2 failed, 0 not run", err)
        self.assertEqual(len(self.path("all").read_text().split()), 6)
        self.assertEqual(self.alive("all"), [])

    def test_nothing_outlives_a_killed_nbscorep(self):
        self.make(self.LEAVES.format(""), "open('ready', 'w').close()\nwhile True: pass")
        with self.begin("-q") as program:
            wait_for(self.path("ready").exists)
            program.kill()
        wait_for(lambda: self.alive() == [])

    def test_second_signal_kills_all(self):
        self.make(self.LEAVES.format("trap true TERM;"),
                  "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
                  "open('ready', 'w').close()\n"
                  "while signal.SIGTERM not in signal.sigpending(): pass\n"
                  "open('asked', 'w').close()\nwhile True: pass")
        with self.begin("-q", stderr=subprocess.DEVNULL) as program:
            wait_for(self.path("ready").exists)
            begin = time.monotonic()
            program.terminate()
            wait_for(self.path("asked").exists)
            wait_for(lambda: program.terminate() or program.poll() is not None)
        self.assertGreaterEqual(time.monotonic() - begin, 1, "one wish that comes twice is one")
        # The last signal may meet it when it is done.
        self.assertIn(program.returncode, (143, -signal.SIGTERM))
        wait_for(lambda: self.alive() == [])


class Terminal(Sweep):
    def shown(self, *options):
        """What comes to a terminal that standard error is."""
        terminal, its_end = pty.openpty()
        fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        with self.begin(*options, stderr=its_end) as program:
            os.close(its_end)
            text = b""
            try:
                while piece := os.read(terminal, 4096):
                    text += piece
            except OSError:  # all other ends are closed
                pass
        os.close(terminal)
        return program.returncode, text.decode()

    def test_bar(self):
        self.make("if (a, b) == (2, 'x'): raise SystemExit(7)")
        status, text = self.shown()
        self.assertEqual(status, 1)
        for line in ("[....................] 0 of 6 sets ended, 1 runs, 0 failed",
                     "[##########..........] 3 of 6 sets ended, 1 runs, 1 failed",
                     "[####################] 6 of 6 sets ended, 0 run, 1 failed"):
            self.assertIn(line, text)
        self.assertIn('nbscorep: set 3 of 6 {"a": 2, "b": "x"}: ended with status 7', text)
        self.assertIn("nbscorep: 5 of 6 sets done, 1 failed, 0 not run", text)
        self.assertNotIn("done in", text)

    def test_no_bar(self):
        self.make("print(a)")
        self.assertEqual(self.shown("-q"), (0, ""))


class RunScript(Sweep):
    def start(self, *arguments, **more):
        return self.run_command("./heat_run.sh", *arguments,
                                env=self.environment(NBSCOREP_MEASURE="no", **more))

    def setUp(self):
        super().setUp()
        self.make("import os; print(a, b, os.environ.get('NBSCOREP_RESULTS'))")
        self.build("--sweep=sweep.yaml", "heat.ipynb")

    def test_one_set(self):
        done = self.start(NBSCOREP_SET="4")
        self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual(done.out.decode(), f"2 y {self.folder}/heat_sweep/4\n")
        self.assertEqual(self.statuses(), {4: "0"})

    def test_launcher_that_passes_nothing_on(self):
        """As on other nodes; for a sweep of one set, too."""
        self.write("one.yaml", "grid: {a: [7]}\n")
        self.make("import os; print(a, b, os.environ.get('NBSCOREP_RESULTS'))")
        for sweep, values in ("one.yaml", "7 none"), ("sweep.yaml", "1 x"):
            shutil.rmtree(self.path("heat_sweep"), ignore_errors=True)
            self.build("--force", f"--sweep={sweep}", "--launcher=env -i", "heat.ipynb")
            done = self.start(NBSCOREP_SET="1")
            self.assertEqual((done.status, done.err), (0, b""), done)
            self.assertEqual(done.out.decode(), f"{values} {self.folder}/heat_sweep/1\n")

    def test_none(self):
        done = self.start(NBSCOREP_SET="none")
        self.assertEqual((done.status, done.out, done.err), (0, b"0 none None\n", b""))
        self.assertFalse(self.path("heat_sweep").exists())

    def test_no_or_wrong_set(self):
        none = "this is a sweep of 6 sets"
        for name, number, expected in (
                ("NBSCOREP_SET", "", none), ("NBSCOREP_SET", "7", "no set '7' in a sweep of 6"),
                ("NBSCOREP_SET", "0", "no set '0' in"), ("NBSCOREP_SET", "02", "no set '02' in"),
                ("NBSCOREP_SET", "x", "no set 'x' in"), ("NBSCOREP_SET", "*", "no set"),
                ("NBSCOREP_SET", "1 2", "no set '1 2' in"), ("LSB_JOBINDEX", "9", "no set '9' in"),
                ("SLURM_ARRAY_TASK_ID", "0", "no set '0' in"),
                ("LSB_JOBINDEX", "0", none)):  # a job that is no array has that
            with self.subTest(name=name, number=number):
                done = self.start(**{name: number})
                self.assertEqual((done.status, done.out), (2, b""))
                self.assertIn(expected, done.err.decode())
        self.assertFalse(self.path("heat_sweep").exists())

    def test_table_of_another_build(self):
        table = self.path("heat_sweep.tsv")
        text = table.read_text()
        for change in (lambda: table.write_text(text.replace("# nbscorep build ", "# nbscorep build 0")),
                       table.unlink, lambda: os.mkfifo(table)):
            change()
            done = self.start(NBSCOREP_SET="1")
            self.assertEqual((done.status, done.out), (1, b""))
            self.assertIn(b"heat_sweep.tsv is missing or from another build", done.err)


class Options(Sweep):
    def test_wrong_ones(self):
        self.make("print(a, b)")
        for options, expected in (
                (["--only=1"], "'--only' is for a sweep"), (["-j2"], "'--jobs' is for a sweep"),
                (["--sweep=sweep.yaml", "-j0"], "'--jobs' requires a whole number from 1 to 9999999, not '0'"),
                (["--sweep=sweep.yaml", "--only=7"], "there is no set 7: the sweep has 6"),
                (["--sweep=sweep.yaml", "--only=1,,2"], "not ''"),
                (["--sweep=sweep.yaml", "--only=3-2"], "not '3-2'"),
                (["--sweep=sweep.yaml", "--temporary"], "exclude each other")):
            with self.subTest(options):
                done = self.nbscorep("run", "--no-scorep", *options, "heat.ipynb",
                                     env=self.environment())
                self.assertEqual((done.status, done.out), (2, b""), done)
                self.assertIn(expected, done.err.decode())

    def test_no_sweep(self):
        self.make("print(a, b)")
        done = self.nbscorep("build", "--sweep", "heat.ipynb")
        self.assertEqual(done.status, 1)
        self.assertIn(b"error: there is no sweep", done.err)
        done = self.nbscorep("build", "--sweep", "missing.yaml", "heat.ipynb")
        self.assertEqual(done.status, 3)
        self.assertIn(b"missing.yaml", done.err)
        self.assertEqual(sorted(self.files()), ["heat.ipynb", "sweep.yaml"])

    def test_program_without_parameters(self):
        self.write("heat.ipynb", notebook(
            "%%start_writefile one", DEFAULTS, "print(a)", "%%end_writefile",
            "%%start_writefile two", "print(2)", "%%end_writefile"))
        self.write("sweep.yaml", "grid: {a: [1, 2]}\n")
        self.build("--sweep", "sweep.yaml", "heat.ipynb")
        self.assertEqual(sorted(name for name in self.files() if "_sweep" in name),
                         ["one_sweep.tsv"])
        before = self.files()
        for command in "run", "submit":
            with self.subTest(command):
                done = self.nbscorep(command, "--sweep", "sweep.yaml", "--program=two",
                                     "heat.ipynb", env=self.environment())
                self.assertEqual((done.status, done.out), (1, b""), done)
                self.assertIn(b"sweep.yaml:1:1: error: the sweep has no sets: the program has no "
                              b"cell tagged 'parameters' [unknown-parameter]", done.err)
                self.assertEqual(self.files(), before)
        self.assertEqual(self.sweep("--program=one").status, 0)

    def test_notebook_without_parameters(self):
        """A sweep that is asked for is not dropped, wherever it is written."""
        self.write("heat.ipynb", notebook("print(1)"))
        self.write("with.yaml", "sweep: {grid: {a: [1, 2]}}\n")
        self.write("empty.yaml", "- {}\n")
        before = self.files()
        for words, says in (
                (["--sweep", "--config", "with.yaml"], b"so 'a' cannot be set"),
                (["--sweep", "sweep.yaml"], b"so 'a' cannot be set"),
                (["--sweep", "empty.yaml"], b"the sweep has no sets")):
            for command in "build", "run", "submit":
                with self.subTest(command=command, words=words):
                    done = self.nbscorep(command, *words, "heat.ipynb", env=self.environment())
                    self.assertEqual((done.status, done.out), (1, b""), done)
                    self.assertIn(says, done.err)
                    self.assertIn(b"[unknown-parameter]", done.err)
                    self.assertEqual(self.files(), before)
        done = self.nbscorep("build", "--config", "with.yaml", "heat.ipynb")
        self.assertEqual(done.status, 0, done)

    def test_value_of_what_each_set_has(self):
        """The build's are weaker than the sweep's, so nobody would get it."""
        self.make("print(a, b)")
        self.write("more.json", '{"b": "w"}')
        for words, place in ((["-p", "a=9"], ""), (["-r", "b=w"], ""),
                             (["-f", "more.json"], "more.json:1:2: ")):
            for command in "build", "run", "submit":
                with self.subTest(words=words, command=command):
                    done = self.nbscorep(command, "-n", "--sweep=sweep.yaml", *words, "heat.ipynb",
                                         env=self.environment())
                    self.assertEqual(done.status, 0, done)
                    name = "a" if "a=9" in words else "b"
                    self.assertIn(f"{place}warning: every set of the sweep has a value of its own "
                                  f"for '{name}', so none gets this one [swept-parameter]\n",
                                  done.err.decode())
        done = self.nbscorep("run", "--no-scorep", "--sweep=sweep.yaml", "--only=1", "heat.ipynb",
                             "--", "-p", "a=9", env=self.environment())
        self.assertNotIn(b"[swept-parameter]", done.err)
        self.assertEqual(self.outputs(), {1: "9 x\n"})

    def test_value_of_what_some_sets_have(self):
        self.make("print(a, b)")
        self.write("sweep.yaml", "- {a: 1}\n- {b: x}\n")
        done = self.sweep("-p", "a=9", "-Werror")
        self.assertEqual((done.status, self.outputs()), (0, {1: "1 none\n", 2: "9 x\n"}), done)

    def test_value_without_the_sweep(self):
        self.make("print(a, b)")
        self.write("with.yaml", "sweep: {grid: {a: [1, 2]}}\nparameters: {a: 3}\n")
        for words, status in ((["-p", "a=9"], 0), (["-p", "a=9", "--sweep"], 1), (["--sweep"], 0)):
            done = self.nbscorep("run", "--no-scorep", "-Werror", "--config=with.yaml", *words,
                                 "heat.ipynb", env=self.environment())
            self.assertEqual(done.status, status, done)
            self.assertEqual(done.out, b"" if "--sweep" in words else b"9 none\n")

    def test_python_that_is_named_is_asked_for_bindings(self):
        """Not that of $PYTHON, which the script does not use then."""
        self.make("print(a, b)")
        self.write("without", f"#!/bin/sh\nexec {sys.executable} -E \"$@\"\n")
        self.path("without").chmod(0o755)
        done = self.nbscorep("run", "-q", "--sweep", "sweep.yaml", "--measurement=scorep", f"--python={sys.executable}",
                             "heat.ipynb", env=self.environment(PYTHON=str(self.path("without"))))
        self.assertEqual((done.status, len(self.outputs())), (0, 6), done)

    def test_unknown_parameter(self):
        self.make("print(a, b)")
        self.write("sweep.yaml", "grid:\n  a: [1]\n  bb: [2]\n")
        done = self.nbscorep("build", "--sweep", "sweep.yaml", "heat.ipynb")
        self.assertEqual(done.status, 1)
        self.assertIn(b"sweep.yaml:3:3: error: ", done.err)
        self.assertIn(b"'bb'", done.err)
        self.build("--sweep", "sweep.yaml", "--allow-new-parameters", "heat.ipynb")


if __name__ == "__main__":
    unittest.main()
