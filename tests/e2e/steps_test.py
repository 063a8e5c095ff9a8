#!/usr/bin/env python3
"""What a run script does around the program: setup and teardown of nbscorep.yaml."""
import json
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase, measured  # noqa: E402
from support import binary, notebook  # noqa: E402

SHOW = "import os, sys\nprint('program', sys.argv[1:], os.environ.get('FROM_SETUP'))"


class StepsCase(EndingCase):
    RUN = binary(), "run", "-q", "--force", "heat.ipynb"

    def make(self, *cells, options=(), **keys):
        """KEYS are those of nbscorep.yaml, each a text or a list of lines."""
        self.write("nbscorep.yaml", json.dumps(keys, indent=1))
        super().make(*(cells or [SHOW]), options=["--force", *options])

    def start(self, *arguments, **more):
        done = self.run_command("./heat_run.sh", *arguments, env=self.environment(**more))
        return done.status, done.out.decode(), done.err.decode()


class Setup(StepsCase):
    WORKS = (  # keys of nbscorep.yaml, an argument, and what is printed
        ({"setup": ["export FROM_SETUP=\"it's $X\" # said", "cat <<A", "  $(echo here) 'x' @lines@", "END_OF_LINES",
                    "A", "f() {", "  local a=$1", "  echo \"f $a\"", "}", "f 1 &&", "f 2",
                    "if [ -z \"$NOBODY_SETS_THIS\" ]; then echo unset; fi", "[ -d /nowhere ] && echo no"],
          "env": {"X": "exported"}}, "a b",
         "  here 'x' @lines@\nEND_OF_LINES\nf 1\nf 2\nunset\nprogram ['a b'] it's exported\n"),
        # A file that is sourced would take the script's arguments for its own.
        ({"setup": ". ./activate\nset -- other\nset +e\nfalse\nset -u\nIFS=p"}, "x y", "0 \nprogram ['x y'] None\n"),
        ({"setup": ["set -euo pipefail", "f() { true; }", "f", "export FROM_SETUP=strict"]}, "x",
         "program ['x'] strict\n"),
        ({"setup": ["echo skipped", "exit 0"]}, "x", "skipped\n"))

    def test_works(self):
        self.write("activate", "echo \"$# $*\"\n")
        for keys, argument, out in self.WORKS:
            with self.subTest(keys):
                self.make(**keys)
                status, found, err = self.start(argument)
                self.assertEqual((status, found), (0, out))
                self.assertRegex(err, "^(nbscorep: setup: status 1 in line [0-9]+: false\n)?$")

    def failed(self, *lines, setup=None, **more):
        """The status and the message of a run that ended in the setup."""
        self.make(setup=setup or list(lines), **more)
        status, out, err = self.start()
        self.assertNotIn("program", out)
        self.assertFalse(self.experiment.exists())
        return status, err

    def test_strict_line_that_fails(self):
        status, err = self.failed("set -euo pipefail", "true", "echo $NOBODY_SETS_THIS")
        self.assertEqual(status, 1)
        self.assertIn("NOBODY_SETS_THIS: unbound variable", err)

    def test_python_is_chosen_behind_it(self):
        self.write("bin/python3", f"#!/bin/sh\nFROM_SETUP=mine exec {sys.executable} \"$@\"\n")
        self.path("bin/python3").chmod(0o755)
        self.make(setup="PATH=$PWD/bin:$PATH")
        self.assertEqual(self.start(PYTHON="")[:2], (0, "program [] mine\n"))
        done = self.run_command(*self.RUN, env=self.environment(PYTHON=None))
        self.assertEqual((done.status, done.out), (0, b"program [] mine\n"), done)

    def test_a_line_that_fails(self):
        got = self.failed("true", "false", "echo program")
        line = self.path("heat_run.sh").read_text().splitlines().index("false") + 1
        self.assertEqual(got, (1, f"nbscorep: setup: status 1 in line {line}: false\n"))
        self.assertEqual(self.failed("exit 7"), (7, ""))

    def test_other_failures(self):
        for line, status, words in (
                ("no-such-command x", 127, "no-such-command: command not found"),
                ("x=$(false)", 1, ""), ("true | (exit 4)", 4, ""), ("cd /nowhere", 1, "/nowhere"),
                ("g() { false; }; g", 1, ""), (". ./source", 5, "")):
            with self.subTest(line):
                self.write("source", "\n\n\n\nf() {\n\n\n\n  return 5\n}\nf\n")
                got = self.failed("true", "# nothing", line)
                self.assertEqual(got[0], status)
                self.assertIn(words, got[1])
                said = [line for line in got[1].splitlines() if line.startswith("nbscorep: ")]
                self.assertEqual(len(said), 1, got)
                self.assertTrue(said[0].startswith(f"nbscorep: setup: status {status} in line"))

    def test_no_shell(self):
        """An open quote or here-document would take in the program."""
        for key in "setup", "teardown":
            for lines in (["echo 'never ends"], ["if true; then"], ["echo )"], ["cat <<A", "x"]):
                with self.subTest(lines):
                    self.write("nbscorep.yaml", json.dumps({key: ["true", *lines]}))
                    self.write("heat.ipynb", notebook(SHOW))
                    done = self.nbscorep("build", "--force", "heat.ipynb")
                    self.assertEqual(done.status, 1, done)
                    self.assertIn(b"[config-shell]", done.err)


class Sets(StepsCase):
    def test_setup_that_fails(self):
        """The set gets a status, whatever ends bash before the program, and an earlier one goes."""
        self.write("my python", f"#!/bin/sh\nexec {sys.executable} \"$@\"\n").chmod(0o755)
        sweep = {"list": [{"n": 1}]}
        options = ["--sweep", "--allow-new-parameters"]
        for keys, status, down in (
                ({"setup": ["exit 7"], "teardown": "echo down $NBSCOREP_STATUS"}, "7", "down 7\n"),
                ({"setup": ["kill -TERM $$"], "teardown": "echo down"}, "143", "down\n"),
                ({"env": {"X": "$NB_UNSET"}}, "1", "")):
            with self.subTest(status):
                self.write("heat_sweep/1/status", "0\n")
                self.make(sweep=sweep, python=str(self.path("my python")), options=options, **keys)
                got = self.start(NBSCOREP_SET="1", PYTHON=None)
                self.assertNotIn("program", got[1])
                self.assertTrue(got[1].endswith(down), got)
                self.assertEqual(self.path("heat_sweep/1/status").read_text(), f"{status}\n")


class Teardown(StepsCase):
    def test_status_is_the_programs(self):
        for cell, status in (("print('program')", 0), ("import sys\nsys.exit(9)", 9),
                             ("1 / 0", 1), ("import os\nos.kill(os.getpid(), 9)", 137)):
            with self.subTest(cell):
                self.make(measured(cell), setup="NAME=mine", teardown=[
                    "false", "echo \"$NAME ${NBSCOREP_STATUS} $#\"", "no-such-command",
                    "trap - EXIT", "echo last; exit 3", "echo no"])
                got = self.start("x")
                self.assertEqual(got[0], status, got)
                self.assertTrue(got[1].endswith(f"mine {status} 0\nlast\n"), got)

    def test_input_and_arguments(self):
        self.make("import sys\nprint(sys.argv[1:], sys.stdin.read())", teardown="echo down")
        done = self.run_command("./heat_run.sh", "a b", stdin=b"text", env=self.environment())
        self.assertEqual((done.status, done.out), (0, b"['a b'] text\ndown\n"), done)

    def test_signal_between_the_end_and_the_teardown(self):
        tool = self.write("nbscorep", f'#!/bin/sh\n[ "$1" != record ] || kill -HUP $PPID\nexec {binary()} "$@"\n')
        tool.chmod(0o755)
        self.make(teardown="echo down $NBSCOREP_STATUS")
        status, out, _ = self.start(NBSCOREP=str(tool), NBSCOREP_MEASUREMENT="builtin")
        self.assertEqual((status, out), (0, "program [] None\ndown 0\n"))

    def test_signal_in_the_setup(self):
        os.mkfifo(self.path("gate"))  # between fork and exec a signal could be lost on a command
        self.make(setup=[": >ready", "read -r line <gate"], teardown="echo down")
        process = self.begin("./heat_run.sh")
        os.killpg(process.pid, signal.SIGTERM)  # as Slurm does
        out, _ = process.communicate(timeout=30)
        self.assertEqual(out, b"down\n")
        self.assertIn(process.returncode, (143, -signal.SIGTERM))
        self.assertFalse(self.experiment.exists())

    def test_ranks(self):
        self.write("launch", "#!/bin/sh\nshift\nexec \"$@\"\n").chmod(0o755)
        self.make(setup=["export FROM_SETUP=1", "PATH=$PATH:/nowhere", "IFS=:"],
                  teardown="echo down", options=["--launcher=./launch here"])
        self.assertEqual(self.start(), (0, "program [] 1\ndown\n", ""))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_run(self):
        self.make("import sys\nsys.exit(4)", setup="echo up", teardown="echo down")
        done = self.run_command(*self.RUN, env=self.environment())
        self.assertEqual((done.status, done.out), (4, b"up\ndown\n"), done)


if __name__ == "__main__":
    unittest.main()
