#!/usr/bin/env python3
"""A script's output is there when it is printed: each line at once and in one piece, the rest of it
where a cell ends, however the script is started. What was printed is not lost."""
import os
import pathlib
import select
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase, measured  # noqa: E402
from support import TIMEOUT, binary  # noqa: E402

WAIT = "import os, time\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\n"
# Cells, options, the stream, and what it has while the last cell waits.
SEEN = (
    (["print('one')\n" + WAIT], [], "stdout", b"one\n"),
    (["print('one')\nprint('two', end='')", WAIT], [], "stdout", b"one\ntwo"),
    (["%%enable_multicellmode", "print('one', end='')", "%%finalize_multicellmode",
      "import asyncio\nawait asyncio.sleep(0)\nprint('two', end='')", WAIT], [], "stdout", b"onetwo"),
    (["print('one', end='')", WAIT], ["--no-cell-regions"], "stdout", b"one"),
    (["import sys\nprint('one', file=sys.stderr)\nsys.stderr.write('two')", WAIT], [], "stderr", b"one\ntwo"),
)
# Cells, and all that they write.
WRITTEN = {
    "beside children": (["import subprocess\nprint('one')\nsubprocess.run(['echo', 'two'])\nprint('three', end=' ')",
                         "!echo four\nprint('five')"], b"one\ntwo\nthree four\nfive\n"),
    "another stream": (["import io, sys\nsys.stdout = io.StringIO()\nprint('one')",
                        "text = sys.stdout.getvalue()\nsys.stdout = sys.__stdout__\nprint(text)"], b"one\n\n"),
    "a stream without flush": (["import sys\nclass Out:\n    def write(self, text):\n"
                                "        sys.__stdout__.write(text.upper())",
                                "sys.stdout = Out()\nprint('one')", "print('two')", "sys.stdout = sys.__stdout__"],
                               b"ONE\nTWO\n"),
    "no stream": (["import sys\nsys.stdout = None\nprint('one')", "print('two')"], b""),
    "a stream that is closed": (["import sys\nout, sys.stdout = sys.stdout, sys.stderr\nout.write('one')",
                                 "out.close()", "1"], b"one"),
    "another encoding": (["import sys\nsys.stdout.reconfigure(line_buffering=False, encoding='latin-1')",
                          "print('\\xe4')"], b"\xe4\n"),
    "a value that Jupyter shows as HTML": (["class Q:\n    def _repr_html_(self):\n        return '<b>x</b>y'", "Q()"],
                                           b"xy\n"),
    "a value that shows itself": (["class Q:\n    def _ipython_display_(self):\n        print('shown')", "Q()"],
                                  b"shown\n"),
    # The bindings give a script the dictionary of the module.
    "builtins": (["__builtins__.print(sorted(vars(__builtins__))[0])\nf = lambda: __builtins__.len('abc')\nf()"],
                 b"ArithmeticError\n3\n"),
}


class OutputCase(EndingCase):
    def ways(self):
        """Command and environment: of Python alone, of the run script, measured and not, and of `run`."""
        run = binary(), "run", "-q", "--force"
        return [((sys.executable, "heat.py"), self.environment(PYTHONPATH=None)),
                (("./heat_run.sh",), self.environment()),
                (("./heat_run.sh",), self.environment(NBSCOREP_MEASURE="no")),
                ((*run, "--summary", "heat.ipynb"), self.environment())]

    def each_way(self, check):
        for number, (command, environment) in enumerate(self.ways()):
            with self.subTest(command, number=number):
                check(command, environment)

    def start(self, command, environment, **streams):
        process = subprocess.Popen(command, cwd=self.folder, env=environment,
                                   stdin=subprocess.DEVNULL, **streams)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class Seen(OutputCase):
    def test_while_the_last_cell_waits(self):
        for cells, options, stream, expected in SEEN:
            self.make(*cells, options=options)
            self.each_way(lambda *way: self.check(stream, expected, *way))

    def check(self, stream, expected, command, environment):
        self.path("go").unlink(missing_ok=True)
        read, write = os.pipe()
        process = self.start(command, environment,
                             **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: write})
        os.close(write)
        found = b""
        while len(found) < len(expected) and select.select([read], [], [], TIMEOUT)[0]:
            data = os.read(read, 1)
            if not data:
                break
            found += data
        self.assertEqual(found, expected)
        self.path("go").touch()
        os.close(read)
        process.wait(TIMEOUT)

    def test_lines_are_written_in_one_piece(self):
        """A pipe of packets gives back what one write wrote."""
        def check(command, environment):
            read, write = os.pipe2(os.O_DIRECT)
            process = self.start(command, environment, stdout=write)
            os.close(write)
            packets = [os.read(read, 1000), os.read(read, 1000)]
            os.close(read)
            self.assertEqual(packets, [b"one two 3\n", b"four\n"])
            process.wait(TIMEOUT)

        self.make(measured("print('one', 'two', 3)\nprint('four')"))
        self.each_way(check)

    def test_written(self):
        for what, (cells, expected) in WRITTEN.items():
            with self.subTest(what):
                self.make(*cells)
                self.each_way(lambda *way: self.check_end(way, (0,), expected))

    def test_killed(self):
        self.make("for i in range(3):\n    print('line', i)\nprint('end', end='')",
                  "import os\nos.kill(os.getpid(), 9)")
        self.each_way(lambda *way: self.check_end(way, (-9, 137), b"line 0\nline 1\nline 2\nend"))

    def check_end(self, way, statuses, expected):
        command, environment = way
        done = self.run_command(*command, env=environment)
        self.assertIn(done.status, statuses, done)
        self.assertEqual(done.out, expected, done)


if __name__ == "__main__":
    unittest.main()
