#!/usr/bin/env python3
"""`nbscorep run` under the double of the bindings: how programs start, end and are ended."""
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tarfile
import termios
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / name) for name in ("cli", "e2e")]
from ending_test import wait_for  # noqa: E402
from support import (DOUBLE, UNDER_DOUBLE, Case, binary, clean_environment, code,  # noqa: E402
                     notebook, scorep_config)

REPORT = """import json, os, sys
print(json.dumps({"cwd": os.getcwd(), "argv": sys.argv, "path": sys.path, "pid": os.getpid(),
                  "group": os.getpgrp(), "env": dict(os.environ)}))"""
READY = "import os, sys, time, signal\nprint('ready', os.getpid(), flush=True)"
BUSY = READY + "\nwhile True: time.sleep(0.01)"
PATIENCE = 30


def marked_processes(mark):
    """Processes in whose environment MARK stands; a zombie has none."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes():
                found.append((int(folder.name), (folder / "cmdline").read_bytes()))
        except OSError:
            pass
    return found


class RunCase(Case):
    def setUp(self):
        super().setUp()
        self.scratch = self.path("scratch")
        self.scratch.mkdir()
        self.experiment = self.scratch / "experiment"
        self.mark = f"NB_TEST_MARK={self.folder}".encode()
        self.path("nb").mkdir()

    def environment(self, /, **more):
        return clean_environment(**({
            **UNDER_DOUBLE, "PYTHON": sys.executable, "TMPDIR": str(self.scratch),
            "NB_TEST_MARK": str(self.folder), "SCOREP_EXPERIMENT_DIRECTORY": str(self.experiment)} | more))

    def make(self, *cells, name="nb/heat.ipynb"):
        return str(self.write(name, notebook(*cells)))

    def start(self, *arguments, env=None, session=True, **more):
        """A running `nbscorep run`, without a controlling terminal."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE} | more
        process = subprocess.Popen([binary(), "run", *arguments], start_new_session=session,
                                   env=env or self.environment(), cwd=self.scratch, **streams)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
        for pid, _ in marked_processes(self.mark):
            os.kill(pid, signal.SIGKILL)

    def nothing_left(self):
        """No process, and no temporary folder of nbscorep or the bindings."""
        self.assertEqual(marked_processes(self.mark), [])
        self.assertEqual([p.name for p in self.scratch.iterdir()
                          if p.name.startswith(("nbscorep-", "scorep."))], [])
        self.assert_no_rest()

    def run_notebook(self, *arguments, stdin=b"", clean=True, **more):
        process = self.start(*arguments, stdin=subprocess.PIPE, **more)
        out, err = process.communicate(stdin, timeout=60)
        if clean:
            self.nothing_left()
        return process.returncode, out, err

    def ready(self, process):
        """Waits for READY."""
        line = process.stdout.readline()
        self.assertTrue(line.startswith(b"ready"), (line, process.poll()))

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def events(self):
        text = (self.experiment / "events.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def balanced(self):
        depth = sum({"enter": 1, "leave": -1}.get(e["event"], 0) for e in self.events())
        self.assertEqual(depth, 0)

    def report(self, *arguments, **more):
        status, out, err = self.run_notebook(*arguments, **more)
        self.assertEqual((status, err), (0, b""), out)
        return json.loads(out)


class Program(RunCase):
    """What is started, with what."""

    def test_files_and_process_group(self):
        got = self.report(self.make(REPORT))
        self.assertEqual((got["argv"], got["group"]), (["heat.py"], got["pid"]))
        self.assertTrue(os.access(self.path("nb/heat_run.sh"), os.X_OK))
        self.assertTrue(self.events())

    def test_output_folder(self):
        self.path("out").mkdir()
        got = self.report(self.make(REPORT), f"--output-dir={self.path('out')}")
        self.assertEqual((got["argv"], got["cwd"]),
                         ([str(self.path("out/heat.py"))], str(self.path("nb"))))

    def test_temporary(self):
        got = self.report(self.make(REPORT), "--temporary")
        self.assertEqual(os.path.basename(got["argv"][0]), "heat.py")
        self.assertEqual(os.path.dirname(os.path.dirname(got["argv"][0])), str(self.scratch))
        self.assertEqual(got["cwd"], str(self.path("nb")))
        self.assertEqual(sorted(self.files(self.path("nb"))), ["heat.ipynb"])

    def test_built_by_another_meanwhile(self):
        """The values of another run are not taken for this one's: two at a time, in one folder."""
        path = self.make(code("n = 0", metadata={"tags": ["parameters"]}), "print(n)")
        python = self.write("python", f"""#!/bin/bash
case $* in *--build=*) [ -e built ] || {binary()} build -q -p n=2 '{path}'; >built; esac
exec '{sys.executable}' "$@"
""")
        os.chmod(python, 0o755)
        for options, status, out in ([], 1, b""), (["--temporary"], 0, b"1\n"):
            self.path("nb/built").unlink(missing_ok=True)
            got = self.run_notebook("-q", "--no-scorep", "-p", "n=1", *options, path,
                                    env=self.environment(PYTHON=str(python)))
            self.assertEqual(got[:2], (status, out), got)
            self.assertEqual(b"another nbscorep has built 'heat.py' with other settings" in got[2], status == 1)

    def test_run_within_a_run(self):
        """Each has a directory of its own; the inner one would rename that of the outer one, which goes on."""
        self.make("inner = 1", name="nb/inner.ipynb")
        path = self.make(f"!{binary()} run -q inner.ipynb", "outer = 1")
        for measurement in "scorep", "builtin":
            got = self.run_notebook("-q", f"--measurement={measurement}", path)
            self.assertEqual(got, (0, b"", b""))
            found = sorted([self.experiment, *self.path("nb").glob("scorep-*"),
                            *self.scratch.glob("experiment-*")])
            self.assertEqual([each.name.partition("-2")[0] for each in found], ["scorep-inner", "experiment"])
            for directory in found:
                self.assertTrue((directory / "profile.cubex").exists(), directory)
                shutil.rmtree(directory)

    def test_arguments(self):
        words = ["a b", "", "-v", "--", "--help", "$x", "it's", 'say "hi"', "line\nend", "*", "\\"]
        for options in ([], ["--no-scorep"], ["--temporary"]):
            got = self.report(self.make(REPORT), *options, "--", *words)
            self.assertEqual(got["argv"][1:], words)
            shutil.rmtree(self.experiment, ignore_errors=True)

    def test_standard_input(self):
        got = self.run_notebook("-q", self.make("print(input(), input())"), stdin=b"one\ntwo\n")
        self.assertEqual(got, (0, b"one two\n", b""))

    def test_notebook_from_standard_input(self):
        cell = "import sys; print(repr(sys.stdin.read()))\n" + REPORT
        status, out, err = self.run_notebook("-", stdin=notebook(cell))
        self.assertEqual((status, err), (0, b""))
        rest, report = out.decode().splitlines()
        self.assertEqual(rest, "''")
        self.assertEqual(json.loads(report)["cwd"], str(self.scratch))

    def test_experiment_directory_that_cannot_be(self):
        self.write("nb/file", "")
        path = self.make("%env SCOREP_EXPERIMENT_DIRECTORY=file/x/y", "print('ran')")
        status, out, err = self.run_notebook(path)
        self.assertEqual((status, out), (3, b""))
        self.assertIn(b"cannot make the folder of the experiment directory 'file/x/y'", err)

    def test_sections(self):
        path = self.make("%%start_writefile one", "print('first')", "%%end_writefile",
                         "%%start_writefile two", "print('second')", "%%end_writefile")
        self.assertEqual(self.run_notebook(path, "--program", "two"), (0, b"second\n", b""))
        self.assertEqual(self.run_notebook(path, "--program=one.py")[1], b"first\n")
        self.assertEqual(self.run_notebook(path, "--whole-notebook", "--temporary")[1], b"first\nsecond\n")
        status, out, err = self.run_notebook(path)
        self.assertEqual((status, out), (2, b""))
        self.assertIn(b"2 programs: 'one', 'two'; --program names", err)
        status, out, err = self.run_notebook(path, "--program=three")
        self.assertEqual((status, out), (2, b""))
        self.assertIn(b"no program 'three', but 'one', 'two'", err)

    def test_section_in_a_folder(self):
        path = self.make("%%start_writefile deep/one", "print('first')", "%%end_writefile")
        self.assertEqual(self.run_notebook(path, "--temporary"), (0, b"first\n", b""))

    def test_notebook_with_errors(self):
        path = self.make("%%enable_multicellmode", "x = 1")
        for options in ([], ["--temporary"]):
            status, out, err = self.run_notebook(path, *options)
            self.assertEqual((status, out), (1, b""))
            self.assertIn(b"[open-multicell]", err)
        self.assertEqual(sorted(self.files(self.path("nb"))), ["heat.ipynb"])

    def test_diagnostics_come_before_the_output(self):
        path = self.make("%env SCOREP_ENABLE_TRACING=ture", "print('ran')")
        status, out, _ = self.run_notebook(path, stderr=subprocess.STDOUT)
        self.assertEqual(status, 0)
        self.assertLess(out.index(b"[scorep-bool]"), out.index(b"ran"))

    def test_dry_run(self):
        path = self.make("print('ran')")
        for options in ([], ["--temporary"]):
            status, out, err = self.run_notebook(path, "-n", *options)
            self.assertEqual((status, err), (0, b""))
            self.assertIn(b"would write", out)
            self.assertNotIn(b"ran", out)
        self.assertEqual(sorted(self.files(self.path("nb"))), ["heat.ipynb"])

    def test_wrong_usage(self):
        path = self.make("print('ran')")
        for words in ([], [path, path], [path, "--no-scorep", "--if-available"],
                      [path, "--temporary", "-o", "x.py"], [path, "-o", "-"],
                      [path, "--timeout=soon"], [path, "--timeout=1x"], [path, "--timeout="],
                      [path, "--timeout=-1"], [path, "--kill-after=1ss"], ["--", path]):
            with self.subTest(words):
                status, out, err = self.run_notebook(*words)
                self.assertEqual((status, out), (2, b""))
                self.assertIn(b"nbscorep: ", err)

    def test_no_temporary_folder(self):
        env = self.environment(TMPDIR="/nonexistent")
        for words, told in (
                (["--temporary"], b".ipynb: error: cannot make a temporary folder in '/nonexistent': No such file or directory [io]\n"),
                (["--cell-times=t.json"], b"cannot make a temporary folder in '/nonexistent' for the times of cells: No such ")):
            status, out, err = self.run_notebook(self.make("print('ran')"), *words, env=env)
            self.assertEqual((status, out), (3, b""))
            self.assertIn(told, err)


class Recorded(RunCase):
    """The run script records the options of its build, and `run` and `submit` use them again."""

    def built(self, *options):
        path = self.make("n = 1", "import sys\nprint(sys.argv[1:])")
        self.assertEqual(self.nbscorep("build", "-q", *options, path).status, 0)
        return path

    def recorded(self):
        line = self.path("nb/heat_run.sh").read_text().splitlines()[2]
        return line.partition(": ")[2]

    def test_used_again(self):
        given = ["--slurm", "comment=it's $HOME; `x`", "-p", "n", "a b", "--allow-new-parameters", "--no-echo",
                 "--python", sys.executable]
        said = ("'--slurm=comment=it'\\''s $HOME; `x`' '--parameters=n=a b' --allow-new-parameters --no-echo "
                f"--python={sys.executable}")
        path = self.built(*given)
        self.assertEqual(self.recorded(), said)
        before = self.path("nb/heat_run.sh").read_bytes()
        for _ in range(2):
            status, out, err = self.run_notebook(path, "--no-scorep", "--", "x")
            self.assertEqual((status, out), (0, b"['x']\n"))
            self.assertIn(f"nbscorep: with the options of the last build: {said}\n".encode(), err)
            self.assertEqual(self.path("nb/heat_run.sh").read_bytes(), before)
        done = self.nbscorep("submit", "-n", path)
        self.assertIn(before, done.out)
        self.assertNotIn(b"last build", self.run_notebook("-q", path, "--no-scorep")[2])

    def test_options_count_alone(self):
        path = self.built("--slurm=time=5", "--no-echo")
        _, _, err = self.run_notebook(path, "--no-scorep", "--no-echo", "--figures=none")
        self.assertIn(b"note: no longer set, as other options of the build are given: --slurm=time=5\n", err)
        self.assertEqual(self.recorded(), "--no-echo --figures=none")
        self.assertNotIn("#SBATCH", self.path("nb/heat_run.sh").read_text())

    def test_not_recorded(self):
        """Where outputs go, what is printed, and what may be read or overwritten."""
        path = self.built("--force", "--allow-outside", "-MD", "-Wno-args-mpi", "--verify-timeout=30",
                          f"--output-dir={self.path('nb')}")
        self.assertEqual(self.recorded(), "")
        self.assertEqual(self.run_notebook(path, "--no-scorep", "--temporary")[2], b"")

    def test_measurement(self):
        path = self.built("--measurement=none")
        self.assertEqual(self.run_notebook("-q", path)[0], 0)
        self.assertFalse(self.experiment.exists())
        self.assertIn(" --measurement=none ", self.path("nb/heat_run.sh").read_text())
        self.assertEqual(self.run_notebook("-q", path, env=self.environment(NBSCOREP_MEASUREMENT="scorep"))[0], 0)
        self.assertTrue(self.events())


class RunScript(RunCase):
    """What the run script does, which starts the program."""

    def test_job_in_the_experiment_directory(self):
        jobs = {None: "local", "": "local", "17": "17", "$(touch hit) %j": "$(touch hit) %j"}
        for value, expected in (
                ("{0}/%j", "{0}/{1}"), ("{0}/a-%j/%jb%%c", "{0}/a-{1}/{1}b%c"),
                ("'{0}/%j%%'", "{0}/%j%%"), ("{0}/%%j%", "{0}/%j%"), ("{0}/%", "{0}/%"),
                ("{0}/$NAME%j~$NAME", "{0}/n%j{1}~n%j"), ("{0}/\x01%j%%", "{0}/\x01%j%%")):
            cell = f"%%scorep_env\nSCOREP_EXPERIMENT_DIRECTORY={value.format(self.scratch)}"
            path = self.make(cell, REPORT)
            for job, name in jobs.items() if value == "{0}/%j" else [("17", "17")]:
                with self.subTest(value, job=job):
                    env = self.environment(SLURM_JOB_ID=job, NAME="n%j")
                    got = self.report(path, env=env)["env"]["SCOREP_EXPERIMENT_DIRECTORY"]
                    self.assertEqual(got, expected.format(self.scratch, name))
        self.assertEqual(list(self.folder.rglob("hit")), [])

    def test_notebook_from_elsewhere(self):
        self.report(self.make(REPORT, name="a b/it's $x.ipynb"))
        self.make(REPORT)
        os.symlink(self.path("nb"), self.path("linked"))
        self.report(str(self.path("linked/heat.ipynb")))

    def pythons(self, *names):
        for name in names:
            file = self.write(name, f"#!/bin/sh\necho {name.split('/')[0]}\n")
            file.chmod(0o755)

    def test_which_python(self):
        self.pythons("variable/python", "venv/bin/python", "venv/bin/python3", "path/bin/python3",
                     "mine/python")
        venv, other = self.path("venv"), self.path("path/bin")
        base = {"PYTHON": None, "PATH": f"{other}:{os.environ['PATH']}"}
        first = f"{venv}/bin:{base['PATH']}"
        cases = (({}, "path"), ({"PYTHON": ""}, "path"),
                 ({"VIRTUAL_ENV": str(venv)}, "venv"), ({"VIRTUAL_ENV": ""}, "path"),
                 ({"VIRTUAL_ENV": str(venv), "PATH": first}, "venv"),
                 ({"VIRTUAL_ENV": str(venv), "PYTHON": str(self.path("variable/python"))},
                  "variable"))
        path = self.make("x = 1")
        for more, wanted in cases:
            with self.subTest(more):
                env = self.environment(**(base | more))
                env["PATH"] += f":{DOUBLE}/bin"
                self.assertEqual(self.run_notebook(path, env=env)[1], f"{wanted}\n".encode())
        env = self.environment(PYTHON=str(self.path("variable/python")))
        for name in ("../mine/python", str(self.path("mine/python"))):
            self.assertEqual(self.run_notebook(path, "--python", name, env=env)[1], b"mine\n")
        chosen = self.make(f"%%scorep_env\nPYTHON={self.path('mine/python')}", "x",
                            name="nb/own.ipynb")
        self.assertEqual(self.run_notebook(chosen, env=env)[1], b"mine\n")


class Refused(RunCase):
    """Options that this Score-P does not support: nothing starts."""

    def make_with(self, words, *cells):
        return self.make(f"%%scorep_python_binding_arguments\n{words}", "print('ran')", *cells)

    def config(self, text="8.4-plain.txt"):
        self.tool("scorep-config", f"echo asked >>{self.path('asked')}\n" +
                  scorep_config(text=text), folder="scratch/bin")
        return self.environment(PATH=f"{self.scratch}/bin:{os.environ['PATH']}")

    def test_refused(self):
        env = self.config()
        path = self.make_with("--nocompiler --mpp=mpi")
        for options in ([], ["--temporary"], ["--if-available"], ["-q", "-Wno-args-unsupported"]):
            status, out, err = self.run_notebook(path, *options, env=env)
            self.assertEqual((status, out), (1, b""))
            self.assertIn(b"heat.ipynb:cell 1:2:14: error: the Score-P that is installed, version "
                          b"8.4 does not support '--mpp=mpi' [args-option]", err)
            self.assertIn(b"hint: it takes none\n", err)
        self.assertFalse(self.experiment.exists())

    def test_supported(self):
        path = self.make_with("--mpp=mpi --thread=omp:ompt --cuda --io=posix")
        self.assertEqual(self.run_notebook(path)[:2], (0, b"ran\n"))

    def test_nobody_is_asked(self):
        """Where nothing depends on the answer, or nothing is measured."""
        env = self.config()
        plain = self.make_with("--nocompiler --mpp=none --thread=none --instrumenter-type=dummy")
        self.assertEqual(self.run_notebook(plain, env=env)[0], 0)
        path = self.make_with("--mpp=mpi")
        self.assertEqual(self.run_notebook(path, "--no-scorep", env=env), (0, b"ran\n", b""))
        self.assertEqual(self.run_notebook(path, "-n", env=env)[0], 0)
        self.assertFalse(self.path("asked").exists())

    def test_without_bindings_it_runs_unmeasured(self):
        env = self.config() | {"PYTHONPATH": "/nonexistent"}
        status, out, _ = self.run_notebook(self.make_with("--mpp=mpi"), "--if-available", env=env)
        self.assertEqual((status, out), (0, b"ran\n"))

    def test_environment(self):
        """The caller's variables of Score-P are checked as those of a notebook, which win."""
        cases = [({"SCOREP_ENABLE_TRACING": "ture"}, 0, b"warning: Score-P reads 'ture' as false"),
                 ({"SCOREP_ENABLE_TRACNG": "1"}, 0, b"warning: 'SCOREP_ENABLE_TRACNG' is not a variable"),
                 ({"SCOREP_ENABLE_PROFILING": "0"}, 0, b"warning: tracing and profiling are both off"),
                 ({"SCOREP_ENABLE_PROFILING": "0", "SCOREP_ENABLE_TRACING": "1"}, 0, b""),
                 ({"SCOREP_ENABLE_PROFILING": "0", "NBSCOREP_MEASUREMENT": "none"}, 0, b""),
                 ({"SCOREP_TOTAL_MEMORY": "3q"}, 1, b"error: invalid size '3q' for 'SCOREP_TOTAL_MEMORY'")]
        path = self.make("print('ran')")
        for variables, wanted, message in cases:
            with self.subTest(variables):
                status, out, err = self.run_notebook(path, env=self.environment(**variables))
                self.assertEqual((status, out), (wanted, b"ran\n" if wanted == 0 else b""))
                self.assertIn(b"environment: " + message if message else b"", err)
                self.assertEqual(err == b"", message == b"")
        path = self.make("%env SCOREP_ENABLE_TRACING=true", "print('ran')")
        err = self.run_notebook(path, env=self.environment(SCOREP_ENABLE_TRACING="ture"))[2]
        self.assertNotIn(b"environment", err)

    def test_one_that_hangs_is_ended_by_a_signal(self):
        self.tool("scorep-config", f"echo >{self.path('up')}; exec sleep 1000",
                  folder="scratch/bin")
        env = self.environment(PATH=f"{self.scratch}/bin:{os.environ['PATH']}")
        process = self.start(self.make_with("--mpp=mpi"), "--temporary", env=env)
        wait_for(self.path("up").exists)
        process.terminate()
        status, out, _ = self.finish(process)
        self.assertEqual((status, out), (143, b""))
        self.nothing_left()


class Bindings(RunCase):
    """With and without them."""

    def without(self, **more):
        return self.environment(PYTHONPATH=None, **more)

    def test_none(self):
        """A folder and a file of their name are on the way, and no bindings."""
        bare = self.without(PATH=os.environ["PATH"])
        for name, env, *options in ((None, self.without()), (None, bare, "--temporary"), ("nb/scorep/x.txt", bare),
                                    ("nb/scorep.py", bare)):
            if name:
                self.write(name, "")
            status, out, err = self.run_notebook(self.make("print('ran')"), "--measurement=scorep", *options, env=env)
            self.assertEqual((status, out), (3, b""))
            for says in (b"no Score-P bindings (module 'scorep')", b"pip install scorep",
                         b"set NBSCOREP_MEASUREMENT to builtin or none"):
                self.assertIn(says, err)
            shutil.rmtree(self.path("nb/scorep"), ignore_errors=True)
        self.assertIn(b"no scorep-config is on PATH", err)

    def test_status_1_with_bindings(self):
        """Is the program's own."""
        status, _, err = self.run_notebook(self.make("raise SystemExit(1)"))
        self.assertEqual((status, err), (1, b""))

    def test_plain(self):
        path = self.make("print('ran')")
        for env in (self.environment(), self.without(), self.without(PATH=os.environ["PATH"])):
            self.assertEqual(self.run_notebook(path, "--no-scorep", env=env), (0, b"ran\n", b""))
        self.assertFalse(self.experiment.exists())

    def test_if_available(self):
        path = self.make("print('ran')")
        for env in (self.without(), self.without(PATH=os.environ["PATH"]),
                    self.environment(PATH=os.environ["PATH"])):
            status, out, err = self.run_notebook(path, "--if-available", env=env)
            self.assertEqual((status, out), (0, b"ran\n"))
            self.assertIn(b"nbscorep: nbscorep's recorder measures: ", err)
            self.assertTrue((self.experiment / "profile.cubex").exists())
            shutil.rmtree(self.experiment)
        self.assertEqual(self.run_notebook(path, "--if-available"), (0, b"ran\n", b""))
        self.assertTrue(self.events())

    def test_no_python(self):
        path = self.make("print('ran')")
        env = self.environment(PYTHON=None)
        for word in ("/nonexistent/python", "nonexistent-python", str(self.folder)):
            for options in ([], ["--no-scorep"], ["--if-available"], ["--temporary"]):
                status, out, err = self.run_notebook(path, f"--python={word}", *options, env=env)
                self.assertEqual((status, out), (3, b""), err)
                self.assertIn(word.encode(), err)


class NoProgram(RunCase):
    """What cannot be started."""

    def test_what_is_no_program(self):
        """doctor and run find the same Python; what execvp() would not start is passed over."""
        path = self.make("print('ran')")
        self.write("first/python3", "").chmod(0o644)
        self.path("second/python3").mkdir(parents=True)
        found = f"{self.folder}/first:{self.folder}/second:{os.environ['PATH']}"
        for name, why in (("first/python3", True), ("second/python3", True), ("third/python3", True),
                          ("python3", False)):
            with self.subTest(name):
                python = str(self.path(name)) if "/" in name else name
                env = self.environment(PYTHON=None, PATH=found)
                done = self.nbscorep("run", "--no-scorep", f"--python={python}", path, env=env,
                                     cwd=self.scratch)
                told = self.nbscorep("doctor", "--json", f"--python={python}", env=env)
                states = {t["id"]: t["state"] for t in json.loads(told.out)["things"]}
                self.assertEqual(states["python"], "missing" if why else "found", told)
                if why:
                    self.assertEqual(done.status, 3)
                    self.assertIn(b"nbscorep: cannot find the Python '%s'\n" % python.encode(), done.err)
                else:
                    self.assertEqual((done.status, done.out), (0, b"ran\n"))


class Endings(RunCase):
    """Statuses and signals; nothing is left behind, whatever happens."""

    def test_status(self):
        for cell, status in (("import sys; sys.exit(3)", 3), ("raise SystemExit", 0),
                             ("raise SystemExit('text')", 1), ("import os; os._exit(77)", 77)):
            for options in ([], ["--temporary"]):
                with self.subTest(cell):
                    got = self.run_notebook(self.make(cell), *options, clean="_exit" not in cell)
                    self.assertEqual(got[0], status)

    def test_killed(self):
        cell = "import os, signal; os.kill(os.getpid(), signal.{})"
        for name, number in (("SIGKILL", 9), ("SIGSEGV", 11)):
            status, _, err = self.run_notebook(self.make(cell.format(name)), "--temporary",
                                               "--no-scorep")
            self.assertEqual(status, 128 + number)
            self.assertIn(f"killed by signal {number}".encode(), err)

    def test_commands_that_raise(self):
        """InteractiveShell.system_raise_on_error, as in IPython 9.11."""
        for switch in ("get_ipython().system_raise_on_error = True",
                       "%config InteractiveShell.system_raise_on_error = True"):
            for command in "!exit 3", "x = !exit 3":
                status, out, err = self.run_notebook(
                    self.make("!exit 3\nprint(_exit_code)", switch, command, "print('not reached')"), "--no-scorep")
                self.assertEqual((status, out), (1, b"3\n"), (switch, command))
                self.assertIn(b"CalledProcessError: Command 'exit 3' returned non-zero exit status 3.", err)

    def test_killed_with_children(self):
        """As the OOM killer does it: the workers are left to us."""
        cell = ("import os, signal, subprocess\n"
                "for i in range(3): subprocess.Popen(['sleep', '1000'])\n"
                "subprocess.Popen(['sh', '-c', 'sleep 1000 & sleep 1001 & wait'])\n"
                "os.kill(os.getpid(), signal.SIGKILL)")
        status, _, err = self.run_notebook(self.make(cell), "--temporary", "--no-scorep")
        self.assertEqual(status, 137, err)

    def test_children_that_will_not_end(self):
        cell = ("import subprocess\nchild = subprocess.Popen(['sh', '-c', "
                "'trap \"\" TERM; echo ready; while :; do sleep 1; done'], "
                "stdout=subprocess.PIPE)\nchild.stdout.readline()\nprint('ran')")
        got = self.run_notebook(self.make(cell), "--temporary", "--kill-after=0.1")
        self.assertEqual(got, (0, b"ran\n", b""))

    def test_signals_reach_the_program(self):
        """And nbscorep waits for what it does then."""
        cell = (READY.replace("print", "got = []\nfor s in (1, 2, 3, 10, 12, 15): "
                              "signal.signal(s, lambda n, f: got.append(n))\nprint") +
                "\nwhile not got: time.sleep(0.01)\ntime.sleep(0.2)\nsys.exit(40 + got[0])")
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2:
            with self.subTest(number):
                process = self.start(self.make(cell), "--temporary")
                self.ready(process)
                process.send_signal(number)
                self.assertEqual(self.finish(process)[0], 40 + number)
                self.nothing_left()
                self.balanced()
                shutil.rmtree(self.experiment)

    def test_signals_reach_the_whole_group(self):
        """As those of a terminal do."""
        helper = "import signal, time\nprint('ready 0', flush=True)\nsignal.pause()"
        for number in signal.SIGHUP, signal.SIGQUIT:
            cell = READY + f"""
import subprocess
signal.signal({number}, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-c', {helper!r}],
                         preexec_fn=lambda: signal.signal({number}, signal.SIG_DFL))
print('child', child.wait())"""
            with self.subTest(number):
                process = self.start(self.make(cell), "--no-scorep")
                self.ready(process)
                self.ready(process)
                process.send_signal(number)
                status, out, _ = self.finish(process)
                self.assertEqual((status, out), (0, f"child -{int(number)}\n".encode()))

    def test_signals_for_the_program_alone(self):
        """Its workers would die of them, and a pool wait for ever."""
        cell = ("import multiprocessing\ndef work(n):\n    open(f'at.{n}', 'w').close()\n"
                "    while not os.path.exists('go'): time.sleep(0.01)\n    return n\n"
                "pool = multiprocessing.get_context('fork').Pool(2)\n"
                "found = pool.map_async(work, range(2), 1)\n"
                "while not all(map(os.path.exists, ('at.0', 'at.1'))): time.sleep(0.01)\n"
                "here, there = os.pipe()\nos.set_blocking(there, False)\n"
                "signal.set_wakeup_fd(there)\nprint('ready', os.getpid(), flush=True)\n"
                "os.read(here, 1), open('go', 'w').close()\nprint(found.get(), flush=True)")
        process = self.start(self.make("import os, signal, sys, time", cell, "print('no')"))
        self.ready(process)
        process.send_signal(signal.SIGUSR1)
        status, out, err = self.finish(process)
        self.assertEqual((status, out), (138, b"[0, 1]\n"), err)
        self.balanced()

    def test_nbscorep_is_killed(self):
        """The program hears of it."""
        process = self.start(self.make(BUSY))
        self.ready(process)
        process.kill()
        process.wait()
        wait_for(lambda: not marked_processes(self.mark))

    def test_ignored_signals_stay_ignored(self):
        """nohup."""
        cell = "import signal; print(signal.getsignal(1) == signal.SIG_IGN)"
        got = self.run_notebook(self.make(cell),
                                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(got, (0, b"True\n", b""))

    def test_signals_of_the_program(self):
        """It starts with what nbscorep was started with."""
        path = self.make("print([l for l in open('/proc/self/status') if l[:6] in ('SigBlk', 'SigIgn')])")
        self.run_command(binary(), "build", path)
        plain = self.run_command(sys.executable, str(self.path("nb/heat.py")))
        self.assertEqual(self.run_notebook(path, "--no-scorep")[1], plain.out)

    def test_children_that_nobody_waits_for(self):
        """SIGCHLD is ignored by some callers, and inherited."""
        got = self.run_notebook(self.make("raise SystemExit(5)"), "--temporary",
                                preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(got[0], 5, got)


class TimeLimit(RunCase):
    def test_in_time(self):
        for limit in ("60", "0", "1m", "0.5h", "1d"):
            got = self.run_notebook(self.make("print(1)"), "--no-scorep", f"--timeout={limit}")
            self.assertEqual(got, (0, b"1\n", b""))

    def test_unfinished_cell(self):
        status, _, err = self.run_notebook(self.make("1", "import time; time.sleep(60)", "3"), "--timeout=1",
                                           "--temporary", "--no-scorep")
        self.assertEqual(status, 124)
        self.assertRegex(err, rb"^nbscorep: ended by SIGTERM in cell 2, which ran for [\d.]+ s\n"
                         rb"nbscorep: the program ran for more than 1 s \(--timeout\)\n$")

    def test_program_ends_in_its_own_way(self):
        cell = ("import signal, time\ngot = []\nsignal.signal(15, lambda n, f: got.append(n))\n"
                "while not got: time.sleep(0.01)\nprint('saved')")
        status, out, _ = self.run_notebook(self.make(cell), "--timeout=4")
        self.assertEqual((status, out), (124, b"saved\n"))
        self.balanced()

    def test_program_that_will_not_end(self):
        cell = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(0.01)"
        status, _, err = self.run_notebook(self.make(cell), "--timeout=4", "--kill-after=0.2",
                                           "--temporary", "--no-scorep")
        self.assertEqual(status, 137)
        self.assertIn(b"did not end when it was asked to", err)

    def test_score_p_that_writes(self):
        """It is not killed, which would break the profile, as long as that grows."""
        status, _, err = self.run_notebook(
            self.make("import time\nwhile True: time.sleep(0.01)"), "--summary", "--timeout=4", "--kill-after=2",
            env=self.environment(NBSCOREP_DOUBLE_WRITES="0.4", SCOREP_ENABLE_TRACING="yes"))
        self.assertEqual(status, 124, err)
        with tarfile.open(self.experiment / "profile.cubex") as archive:
            self.assertIn("anchor.xml", archive.getnames())
        self.assertIn(b"open elsewhere with: cube ", err)

    def test_score_p_that_hangs(self):
        """What it has not written to its end is not offered."""
        status, _, err = self.run_notebook(
            self.make("import time\nwhile True: time.sleep(0.01)"), "--summary", "--timeout=4", "--kill-after=0.5",
            env=self.environment(NBSCOREP_DOUBLE_WRITES="-1", SCOREP_ENABLE_TRACING="yes"),
            clean=False)
        self.assertEqual(status, 137, err)
        self.assertNotIn(b"open with", err)
        self.assertIn(b"  a file is incomplete: Score-P was killed while writing it\n", err)

    def test_stopped_program(self):
        """Stopped, it would not hear of SIGTERM."""
        cell = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass"
        self.assertEqual(self.run_notebook(self.make(cell), "--timeout=1", "--no-scorep")[0], 124)


class Streams(RunCase):
    def test_flood(self):
        cell = ("import sys\nfor i in range(30000):\n    print('out', i)\n"
                "    print('err', i, file=sys.stderr)")
        status, out, err = self.run_notebook(self.make(cell), "--temporary", "--no-scorep")
        self.assertEqual(status, 0)
        self.assertEqual(out, b"".join(b"out %d\n" % i for i in range(30000)))
        self.assertEqual(err, b"".join(b"err %d\n" % i for i in range(30000)))

    def test_closed_by_the_program(self):
        path = self.make("import os\nos.close(1)\nos.close(2)\nos._exit(4)")
        self.assertEqual(self.run_notebook(path, "-q", "--no-scorep"), (4, b"", b""))

    def test_reader_goes_away(self):
        """Status and all as with the run script."""
        path = self.make(READY + "\ninput()\nfor i in range(100000): print(i)")
        self.run_command(binary(), "build", path)
        found = []
        for command in ([str(self.path("nb/heat_run.sh"))],
                        [binary(), "run", path], [binary(), "run", "--temporary", "-v", path]):
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=self.environment(),
                                       cwd=self.scratch)
            self.addCleanup(self.end, process)
            self.ready(process)
            process.stdout.close()
            process.stdin.write(b"\n")
            process.stdin.close()
            err = process.stderr.read()
            found.append((process.wait(60), b"Broken pipe" in err))
            self.nothing_left()
            shutil.rmtree(self.experiment, ignore_errors=True)
        self.assertEqual(found, [(141, False)] * 3)

    def test_no_reader_of_messages(self):
        """A closed pipe does not end nbscorep before the temporary folder is removed."""
        read, write = os.pipe()
        os.close(read)
        status, out, _ = self.run_notebook(self.make("print('ran')"), "-v", "--temporary",
                                           stderr=write)
        os.close(write)
        self.assertEqual((status, out), (3, b""))

    def test_closed_output_of_cells(self):
        """An error by tag ends no script, and commands need no output of the script's."""
        self.write("x.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
            {"cell_type": "code", "id": str(i), "outputs": [], "execution_count": None,
             "metadata": {"tags": ["raises-exception"]} if i == 0 else {}, "source": source}
            for i, source in enumerate(["1/0", "!echo shell >&2", "x = !echo y",
                                        "import sys\nprint(x, file=sys.stderr)"])]}))
        done = self.run_command("sh", "-c", 'exec "$0" run --no-scorep x.ipynb >&-', binary())
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.err, rb"(?s)ZeroDivisionError.*\nshell\n\['y'\]\n")

    def test_closed_descriptors(self):
        for closed in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
            done = self.run_command(
                "sh", "-c", f'exec "$0" run --temporary --no-scorep "$1" {closed}', binary(),
                self.make("open('mark', 'w').write('x')\nraise SystemExit(6)"),
                env=self.environment())
            self.assertEqual(done.status, 6, closed)
            self.path("nb/mark").unlink()
            self.nothing_left()


class Terminal(RunCase):
    """With a controlling terminal, under job control."""

    def setUp(self):
        super().setUp()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(self.scratch)
            # Without line editing, which changes the terminal's modes.
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"],
                      self.environment(NBSCOREP_BINARY=binary(), PS1="$ ", HISTFILE=None))
        self.seen = b""
        self.addCleanup(self.close)
        settings = termios.tcgetattr(self.terminal)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(self.terminal, termios.TCSANOW, settings)
        self.type("PS1=; PS2=; set +H; stty -echo; echo be''gin")
        self.expect(b"begin")

    def close(self):
        os.close(self.terminal)
        for pid, _ in marked_processes(self.mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.waitpid(self.pid, 0)

    def type(self, line, end="\n"):
        os.write(self.terminal, (line + end).encode())

    def expect(self, text):
        """Reads up to TEXT; returns what stood before it."""
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            self.seen += os.read(self.terminal, 65536)
        before, self.seen = self.seen.split(text, 1)
        return before

    # Handlers could take two signals for one. SIGUSR1 comes through nbscorep, behind what it has sent on.
    COUNT = ("import signal, sys\nsignal.pthread_sigmask(signal.SIG_BLOCK, [2, 10])\n"
             "print('rea' + 'dy', flush=True)\ncount = 0\n"
             "while signal.sigwait([2, 10]) == 2:\n    count += 1\n    print('got one', flush=True)\n"
             "print('interrupts', count)\nsys.exit(7)")

    def send(self, number):
        """To nbscorep."""
        found = [pid for pid, line in marked_processes(self.mark)
                 if line.startswith(binary().encode())]
        self.assertEqual(len(found), 1)
        os.kill(found[0], number)

    def test_interrupt_once(self):
        path = self.make(self.COUNT)
        # Of a job of its own the shell would see that it is stopped.
        self.type(f"( $NBSCOREP_BINARY run --no-scorep --temporary '{path}'; echo sta''tus=$?. )")
        self.expect(b"ready")
        self.send(signal.SIGSTOP)  # what it sends on comes when the program has taken the first
        self.type("\x03", end="")
        self.expect(b"got one")
        self.send(signal.SIGCONT)
        self.send(signal.SIGUSR1)
        self.assertIn(b"interrupts 1\r", self.expect(b"status=7."))

    def test_signal_from_elsewhere(self):
        """Not from the terminal: sent on."""
        path = self.make(self.COUNT)
        self.type(f"$NBSCOREP_BINARY run --no-scorep --temporary '{path}' & wait; "
                  "echo sta''tus=$?.")
        self.expect(b"ready")
        self.send(signal.SIGINT)
        self.expect(b"got one")
        self.send(signal.SIGUSR1)
        self.expect(b"interrupts 1\r")

    def test_terminal_goes_away(self):
        """The leader of its session alone hears of that, as after ssh -t HOST nbscorep run."""
        path = self.make("import signal, sys\nsignal.pthread_sigmask(signal.SIG_BLOCK, [1])\n"
                         "print('rea' + 'dy', flush=True)\nsignal.sigwait([1])\n"
                         "open('heard', 'w').close()")
        self.type(f"exec $NBSCOREP_BINARY run --no-scorep --temporary '{path}'")
        self.expect(b"ready")
        os.close(self.terminal)
        self.terminal = os.open(os.devnull, os.O_RDONLY)
        heard = pathlib.Path(path).parent / "heard"
        wait_for(heard.exists)

    def all_stopped(self):
        pids = [pid for pid, _ in marked_processes(self.mark) if pid != self.pid]
        states = [pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0]
                  for pid in pids]
        return states == ["T", "T"]

    def test_stop_and_go_on(self):
        path = self.make("import time\nprint('rea' + 'dy', flush=True)\n"
                         "print('got', input(), flush=True)")
        self.type(f"$NBSCOREP_BINARY run --no-scorep --temporary '{path}'; echo sta''tus=$?.")
        self.expect(b"ready")
        self.type("\x1a", end="")
        self.expect(b"Stopped")
        self.expect(b"status=148.")
        # Until it has stopped the program may still read a line.
        wait_for(self.all_stopped)
        self.type("fg")
        self.expect(b"run --no-scorep")
        self.type("words")
        self.expect(b"got words")
        self.type("echo th''en")
        self.expect(b"then")

    def test_pipeline(self):
        """The others of a pipeline keep the terminal."""
        path = self.make("print('ran')")
        self.type(f"$NBSCOREP_BINARY run --no-scorep --temporary '{path}' | "
                  "{ cat; read x </dev/tty; echo \"read $x\"; }")
        self.expect(b"ran")
        self.type("words")
        self.expect(b"read words")

    def test_what_is_left_behind(self):
        cell = ("import os, signal, subprocess\n"
                "subprocess.Popen(['sh', '-c', 'sleep 1000 & sleep 1001 & wait'])\n"
                "subprocess.Popen(['sleep', '1002'])\n"
                "print('rea' + 'dy', flush=True)\n"
                "os.kill(os.getpid(), signal.SIGKILL)")
        self.type("sleep 999 & disown; set +m")
        self.type(f"$NBSCOREP_BINARY run --no-scorep --temporary '{self.make(cell)}'; "
                  "echo sta''tus=$?.")
        self.expect(b"status=137.")
        left = [line for _, line in marked_processes(self.mark) if b"sleep" in line]
        self.assertEqual(left, [b"sleep\x00999\x00"])


if __name__ == "__main__":
    unittest.main()
