#!/usr/bin/env python3
"""Signals to a run script: statuses and data, measured or not, alone, with a teardown, with ranks."""
import contextlib
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launching import TIMEOUT, LaunchCase  # noqa: E402

READY = "with open('ready', 'w') as file: file.write('x')\n"
BUSY = "def work(n):\n    return n + 1\nprint('here', end='')\n" + READY + "while True:\n    work(1)"
BLOCKED = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [{}])\n" + READY + "while True: pass"
# Goes on when the signal has come: it is delivered before kill() returns.
WAIT = ("import signal, os\nhere, there = os.pipe()\nos.set_blocking(there, False)\n"
        "signal.set_wakeup_fd(there)\n" + READY + "os.read(here, 1)\nprint('done')")
TEARDOWN = {"options": "--teardown=NBSCOREP_TEARDOWN",
            "functions": "export NBSCOREP_TEARDOWN='echo \"down $NBSCOREP_STATUS\"'"}
ENDING = signal.SIGTERM, signal.SIGINT, signal.SIGHUP


class SignalCase(LaunchCase):
    def ways(self):
        """Measured or not, without and with a teardown."""
        for env in self.environment, self.unmeasured:
            for more in {}, TEARDOWN:
                yield env, more

    def send(self, number, *texts, ready=1, env=None, also=lambda process: None, **more):
        """Sends a signal to the script of cells with TEXTS when it is ready. Returns status, out, err."""
        self.make(*texts, **more)
        process = self.begin(env=env)
        self.wait_ready(ready)
        process.send_signal(number)
        also(process)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assert_none_left(process)
        self.assertEqual(list(self.tmp.iterdir()), [])
        self.assertEqual(list(self.folder.glob("*.lock")), [])
        # Score-P says this of functions that are open at the end.
        return process.returncode, out, re.sub("SCOREP_BINDING_PYTHON ERROR: .*\n", "", err)


class AtOnce(SignalCase):
    def test_status_and_data(self):
        for number in ENDING:
            for env, more in self.ways():
                with self.subTest(number, env=env.__name__, **more):
                    name = f"scorep-{number}-{len(more)}"
                    status, out, err = self.send(number, "x = 1", BUSY, **more,
                                                 env=env(SCOREP_EXPERIMENT_DIRECTORY=name))
                    self.assertEqual(status, 128 + number)
                    said = f"nbscorep: ended by {signal.Signals(number).name} in cell 2, which ran for \\d+\\.\\d s\n"
                    self.assertRegex(err, "^" + (said if number != signal.SIGINT else "") + "$")
                    self.assertEqual(out, "here" + (f"down {128 + number}\n" if more else ""))
                    if env == self.environment:
                        self.assertIn("user:cell 2", self.regions(self.folder / name))

    def test_within_a_message(self):
        """A signal that comes while the script, or the message about the signal before it, is written."""
        stream = ("import io, os, sys\nclass Raw(io.RawIOBase):\n    def writable(self):\n        return True\n"
                  "    def write(self, data):\n        os.kill(os.getpid(), 15)\n        return os.write(2, data)\n"
                  "sys.__stderr__ = sys.stderr = io.TextIOWrapper(io.BufferedWriter(Raw()), line_buffering=True)\n")
        for way in "print('x', file=sys.stderr)", "os.kill(os.getpid(), 15)":
            self.make(stream, way)
            done = self.run_script()
            self.assertEqual(done.returncode, 143, done)
            self.assertRegex(done.stderr, r"\Anbscorep: ended by SIGTERM in cell 2, which ran for \d+\.\d s\n"
                                          r"(SCOREP_BINDING_PYTHON ERROR: .*\n)?\Z")

    def test_children_are_ended(self):
        cell = ("import subprocess\nsubprocess.Popen(['sh', '-c', \"trap '' TERM; echo x >ready; "
                "while :; do sleep 1; done\"])\nwhile True: pass")
        for env, more in self.ways():
            with self.subTest(env=env.__name__, **more):
                self.assertEqual(self.send(signal.SIGTERM, cell, env=env(), **more)[0], 143)

    def test_ignored_signals_stay_ignored(self):
        for env, more in self.ways():
            self.make("import os, signal\nwaits = 'NBSCOREP_TEST' in os.environ\n"
                      "os.kill(os.getppid() if waits else os.getpid(), signal.SIGHUP)\nprint(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)", **more)
            done = subprocess.run(["bash", "-c", "trap '' HUP; exec \"$0\"", self.folder / "heat_run.sh"],
                                  env=env(**({"NBSCOREP_TEST": "1"} if more else {})), capture_output=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout[:5]), (0, b"True\n"), done)

    def test_many_signals_that_do_not_end(self):
        """The status is the program's."""
        self.make(READY + "import time, sys\nuntil = time.monotonic() + 0.5\n"
                  "while time.monotonic() < until: pass\nsys.exit(40)", **TEARDOWN)
        process = self.begin(env=self.unmeasured())
        self.wait_ready()
        while process.poll() is None:
            process.send_signal(signal.SIGWINCH)
            process.send_signal(signal.SIGCHLD)
        self.assertEqual(process.communicate()[0], "down 40\n")
        self.assertEqual(process.returncode, 40)

    def test_teardown_gets_signals(self):
        self.make("x = 1", options="--teardown=NBSCOREP_TEARDOWN",
                  functions="export NBSCOREP_TEARDOWN='echo x >ready; sleep 1000'")
        process = self.begin(env=self.unmeasured())
        self.wait_ready()
        os.killpg(process.pid, signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assert_none_left(process)

    def test_program_that_does_not_end(self):
        """It gets SIGTERM, then SIGKILL."""
        cell = BLOCKED.format("2, 15")
        status, out, err = self.send(signal.SIGINT, cell, env=self.unmeasured(NBSCOREP_KILL_AFTER="0.2"),
                                     **TEARDOWN)
        self.assertEqual((status, out), (137, "down 137\n"))
        self.assertEqual(err, "nbscorep: the program has not ended after 0.2 s; it gets SIGTERM\n"
                              "nbscorep: the program has not ended after 0.2 s; it gets SIGKILL\n")


class Terminal(SignalCase):
    def test_input_and_interrupt(self):
        """A program with a teardown reads from the terminal, and gets Ctrl-C."""
        self.make("print('read', input())", "print('busy')\nwhile True: pass", **TEARDOWN)
        for env in self.environment(), self.unmeasured():
            pid, terminal = pty.fork()
            if pid == 0:
                os.execve(self.folder / "heat_run.sh", ["heat_run.sh"], env)
            out = b""
            os.write(terminal, b"hello\n")
            while b"busy" not in out:
                out += os.read(terminal, 100)
            os.write(terminal, b"\x03")
            with contextlib.suppress(OSError):  # at the end
                while True:
                    out += os.read(terminal, 100)
            os.close(terminal)
            self.assertEqual(os.waitpid(pid, 0)[1] >> 8, 130)
            self.assertIn(b"read hello", out)
            self.assertIn(b"down 130", out)


class BetweenCells(SignalCase):
    def test_usr1(self):
        for env, more in self.ways():
            with self.subTest(env=env.__name__, **more):
                status, out, err = self.send(signal.SIGUSR1, "x = 1", WAIT, "print('no')", env=env(), **more)
                self.assertEqual((status, err), (138, "nbscorep: ended by SIGUSR1 before cell 3\n"))
                self.assertEqual(out, "done\n" + ("down 138\n" if more else ""))
        for path in self.experiments():
            self.assertIn("user:cell 2", self.regions(path))


class Preparing(SignalCase):
    def with_bindings(self, main):
        """The environment with a package scorep whose __main__ is MAIN."""
        package = self.top / "bindings" / "scorep"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "__main__.py").write_text(main)
        return self.environment(PYTHONPATH=str(package.parent))

    def test_while_the_bindings_prepare(self):
        env = self.with_bindings(
            "import os, subprocess, tempfile\nfolder = tempfile.mkdtemp(prefix='scorep.')\n"
            "child = subprocess.Popen(['sh', '-c', 'echo x >ready; while :; do : >\"$0\"/x; done', folder],\n"
            "                         stderr=subprocess.DEVNULL)\n"
            "child.wait()\n")
        for number in signal.SIGTERM, signal.SIGUSR1:
            for more in {}, TEARDOWN:
                with self.subTest(number, **more):
                    status, out, err = self.send(number, "print('no')", **more, env=env)
                    self.assertEqual((status, "no\n" in out), (128 + number, False), err)

    def test_between_the_starts(self):
        """The second start of Python finds the signal."""
        self.make("print('no')")
        (self.folder / "sitecustomize.py").write_text(
            "import os, signal\nif 'NBSCOREP_READY' in os.environ:\n"
            "    os.kill(os.getpid(), signal.SIGTERM)\n")
        env = self.environment()
        env["PYTHONPATH"] = f"{self.folder}:{env['PYTHONPATH']}"
        done = self.run_script(env=env)
        self.assertEqual((done.returncode, done.stdout), (143, ""), done)
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_as_the_preparation_for_ranks_ends(self):
        """The signal comes too late for the process that prepares, and before the ranks."""
        env = self.with_bindings(
            "import os, signal, sys\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])\n"
            "os.kill(os.getppid(), signal.SIGUSR1)\nos.execve(sys.executable, [], dict(os.environ))\n")
        self.tool("mpirun", "#!/bin/sh\necho ranks\n")
        self.make("print('no')", options="--ranks=2")
        done = self.run_script(env=env)
        self.assertEqual((done.returncode, done.stdout), (138, ""), done)
        self.assertEqual([*self.tmp.iterdir(), *self.experiments(), *self.folder.glob("*.lock")], [])


if __name__ == "__main__":
    unittest.main()
