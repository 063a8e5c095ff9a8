#!/usr/bin/env python3
"""Helpers and the names of a notebook keep out of each other's way."""
import os
import tempfile
import unittest

import snippets
from traced import TraceCase

CALLS = (
    ("shell", "_nbscorep_shell('echo {1 + 1}', globals(), locals())", "2\n"),
    ("getoutput", "lines = _nbscorep_getoutput('echo b; echo a', globals(), locals())\n"
                  "say(lines.s, lines.sort().s, lines.grep('A').s, lines.fields(0).s, lines.p)",
     "b a a b a b a []\n"),
    ("env", "_nbscorep_setenv('A', '{1 + 1}', globals(), locals())", "env: A=2\n"),
    ("script", "_nbscorep_script('sh ', ('echo hi\\n'), globals(), locals())", "hi\n"),
    ("files", "_nbscorep_writefile(file, 'x', globals(), locals())", "Writing "),
    ("folders", "_nbscorep_cd('/', globals(), locals())", "/\n"),
    ("display", "display(3)", "3\n"),
    ("precision", "_nbscorep_precision('2', globals(), locals()); display(3.14159)", "3.14\n"),
    ("session", "say('lines' in _nbscorep_who_ls('', globals(), locals()))", "False\n"),
    ("capture", "with _nbscorep_capture('kept', globals()):\n    say(1)\nsay(kept.stdout)",
     "1\n\n"),
    ("raises", "with _nbscorep_raises():\n    1 / 0\nsay('on')", "on\n"),
    ("timeit", "_nbscorep_timeit('-n1 -r1 -q 1', globals(), locals())", ""),
    ("time", "_nbscorep_time_text('say(1)', globals(), locals())", "1\n"),
    ("run", "_nbscorep_run(program, globals(), locals())", "None\n"),
)
SHADOWS = "print len list dict str int float type sorted open repr set map sum any all getattr" \
          " hasattr isinstance format zip filter tuple range sys os re"


class NamesTest(unittest.TestCase):
    def test_builtins_that_the_notebook_assigns_to(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write("print(globals().get('sys'))\nlen\n")
            for snippet, code, expected in CALLS:
                with self.subTest(snippet):
                    front = (f"program = {program!r}\nfile = {program + '.txt'!r}\nsay = print\n"
                             + "".join(f"{name} = None\n" for name in SHADOWS.split()))
                    done = snippets.run(front + code, snippet)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(done.stdout.startswith(expected), done.stdout)

    def test_program_sees_no_names_of_the_notebook(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write("try:\n    mine\nexcept NameError:\n    print('unknown')\n")
            done = snippets.run(f"mine = 1\n_nbscorep_run({program!r}, globals(), locals())", "run")
            self.assertEqual((done.stdout, done.stderr), ("unknown\n", ""))


class ListTraceTest(TraceCase):
    def test_lines_of_a_command(self):
        for code in ("lines.p", "lines.l", "lines.s", "lines.grep('a')", "lines.fields(0)",
                     "lines.sort()"):
            self.assert_trace(code, [], "getoutput",
                              setup="lines = _nbscorep_getoutput('echo a', globals(), locals())")


if __name__ == "__main__":
    unittest.main()
