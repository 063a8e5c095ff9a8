#!/usr/bin/env python3
"""Helpers and the names of a notebook keep out of each other's way."""
import os
import tempfile
import unittest

import scripts
from traced import TraceCase

CALLS = (
    ("shell", "scorep_notebook.shell('echo {1 + 1}')", "2\n"),
    ("getoutput", "lines = scorep_notebook.getoutput('echo b; echo a')\n"
     "say(lines.s, lines.sort().s, lines.grep('A').s, lines.fields(0).s, lines.p)",
     "b a a b a b a []\n"),
    ("env", "scorep_notebook.setenv('A', '{1 + 1}')", "env: A=2\n"),
    ("script", "scorep_notebook.script('sh ', ('echo hi\\n'))", "hi\n"),
    ("files", "scorep_notebook.writefile(file, 'x')", "Writing "),
    ("folders", "scorep_notebook.cd('/')", "/\n"),
    ("display", "display(3)", "3\n"),
    ("precision", "scorep_notebook.precision('2'); display(3.14159)", "3.14\n"),
    ("session", "say('lines' in scorep_notebook.who_ls(''))", "False\n"),
    ("capture", "with scorep_notebook.capture('kept'):\n    say(1)\nsay(kept.stdout)",
     "1\n\n"),
    ("raises", "with scorep_notebook.may_raise():\n    1 / 0\nsay('on')", "on\n"),
    ("timeit", "scorep_notebook.timeit('-n1 -r1 -q 1')", ""),
    ("time", "scorep_notebook.time_text('say(1)')", "1\n"),
    ("run", "scorep_notebook.run(program)", "None\n"),
)
SHADOWS = "print len list dict str int float type sorted open repr set map sum any all getattr" \
          " hasattr isinstance format zip filter tuple range sys os re"


class NamesTest(unittest.TestCase):
    def test_builtins_that_the_notebook_assigns_to(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write("print(globals().get('sys'))\nlen\n")
            for name, code, expected in CALLS:
                with self.subTest(name):
                    front = (f"program = {program!r}\nfile = {program + '.txt'!r}\nsay = print\n"
                             + "".join(f"{name} = None\n" for name in SHADOWS.split()))
                    done = scripts.run(front + code)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(done.stdout.startswith(expected), done.stdout)


class ListTraceTest(TraceCase):
    def test_lines_of_a_command(self):
        self.assert_trace("lines.p, lines.l, lines.s, lines.grep('a'), lines.fields(0), lines.sort()", [],
                          setup="lines = scorep_notebook.getoutput('echo a')")


if __name__ == "__main__":
    unittest.main()
