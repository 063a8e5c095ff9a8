#!/usr/bin/env python3
"""Python as a witness: check, build, --broken-cells=raise. With the tests' Python."""
import ast
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from support import TIMEOUT, Case, binary, clean_environment, code, markdown, notebook

PYTHON_2 = b"hint: this is Python 2"
# Python 2 that no Python 3 takes.
OLD_LINES = [
    "print 'x'", "print x,", "for i in y: print i", "exec 'x = 1'", "raise E, 'x'",
    "raise E, 'x', tb", "x = `y`", "if a <> b: pass", "x = 0777", "x = 10L", "x = 0xFFL",
    "x = ur'a'", "def f((a, b)): pass", "f = lambda (a, b): a",
    "try: pass\nexcept E, e: pass", "try: pass\nexcept (A, B), e: pass",
]
# As wrong, but for reasons of its own.
NEW_LINES = [
    "x = '<>' y", "x = = 1", "x = 'raise E, x' 'except A, b:' 1", "print(x", "This is some prose",
    "```python", "x = 1.5.2", "f(lambda x: (1,) = 2)", "import a, b as", "if x = 1: pass",
]


class Verify(Case):
    def environment(self, python=sys.executable):
        return clean_environment(PYTHON=python)

    def verify(self, command, *arguments, python=sys.executable):
        return self.nbscorep(*command.split(), *arguments, env=self.environment(python))

    def check(self, *cells, options=()):
        """The faults that `check` finds, as {cell: diagnostic}."""
        self.write("x.ipynb", notebook(*cells))
        done = self.verify("check --diagnostics-format=json", *options, "x.ipynb")
        faults = {d["cell"]: d for d in json.loads(done.out)["diagnostics"]
                  if d["kind"] == "python-syntax"}
        self.assertEqual(done.status, 1 if faults else 0, done)
        return faults

    def fake_python(self, commands, name="python"):
        path = self.write(name, "#!/bin/sh\n" + commands)
        path.chmod(0o755)
        return str(path)

    def answering_python(self, answer):
        """One that answers each question by the line ANSWER."""
        return self.fake_python(
            'while read -r _ number size; do head -c "$size" >/dev/null\n'
            f'echo "nbscorep:{answer}"; echo "nbscorep:done $number"; done')

    def counting_python(self, name="python"):
        """The tests' Python, which leaves a line in the file `starts` for each start."""
        return self.fake_python(f'echo "$$ $PWD" >>"{self.folder}/starts"\n'
                                f'exec "{sys.executable}" "$@"', name)

    def starts(self):
        path = self.path("starts")
        return path.read_text().splitlines() if path.exists() else []


# Cells, and the one fault in them, at a token that all versions of Python name: cell, line, column, text from there on.
PLACES = {
    "indented": (["if True:\n    x = 1 +* 2"], (1, 2, 12, "* 2")),
    "numbers count all cells": ([markdown("# a"), "x = 1", "x = 1 +* 2"], (3, 1, 8, "* 2")),
    "below magics": (["%%time\n\n# c\nx = 1 +* 2"], (1, 4, 8, "* 2")),
    "beside lowered magics": (["!ls\n%env A=1\nx = 1 +* 2\n%matplotlib inline"], (1, 3, 8, "* 2")),
    "behind wide and long characters": (["x = 'é漢😀' +* 2"], (1, 1, 12, "* 2")),
    "displayed": (["x = 1\nx y"], (1, 2, 3, "y")),  # its own text counts, not that of the call
    "displayed call": (["f(1,\n  2 +* 3,\n  4)"], (1, 2, 6, "* 3,")),
    "displayed clause": (["x for x in y"], (1, 1, 3, "for x in y")),
    "prompts": ([">>> x = 1\n>>> y = 1 +* 2"], (1, 2, 12, "* 2")),
    "indented as a whole": (["    x = 1\n    y = 1 +* 2"], (1, 2, 12, "* 2")),
    "tabs": (["if 1:\n\tx = 1\n\tif 2:\n\t\ty = 1 +* 2"], (1, 4, 10, "* 2")),
    "CR LF": (["x = 1\r\n# a\r\ny = 1 +* 2\r\nz = 2"], (1, 3, 8, "* 2")),
    "CR": (["x = 1\r# a\ry = 1 +* 2\rz = 2"], (1, 3, 8, "* 2")),
    "no line ends": (["x = '\v\x1c\x85\u2028'\n\fy = 1 +* 2"], (1, 2, 9, "* 2")),
    "behind a string of several lines": (['x = """a\n  b\nc""" +* 2'], (1, 3, 7, "* 2")),
    "await": (["import asyncio\nawait asyncio.sleep(0)\nx = 1 +* 2"], (1, 3, 8, "* 2")),
    "missing value": (["x = 1\ny = \n\n\n"], (1, 2, 3, "= ")),  # the last character before
    "missing colon": (["x = 1\nif é"], (1, 2, 4, "é")),
    "group": (["%%enable_multicellmode", "x = 1", "x = 1 +* 2", "%%finalize_multicellmode"], (3, 1, 8, "* 2")),
    "second section": (["%%start_writefile a", "x = 1", "%%end_writefile", "%%start_writefile b", "x = 1 +* 2",
                        "%%end_writefile"], (5, 1, 8, "* 2")),
}


class Places(Verify):
    def test_table(self):
        for name, (cells, expected) in PLACES.items():
            with self.subTest(name):
                found = self.check(*cells)
                self.assertEqual([(d["cell"], d["line"], d["column"], d["text"][d["column"] - 1:])
                                  for d in found.values()], [expected])

    def test_f_string(self):
        """Before 3.12 Python counts inside of the field: the line is the place, or the cell."""
        fault = self.check("x = f'{abc + defg +* b}'")[1]
        self.assertIn((fault.get("line"), fault.get("column")), [(None, None), (1, 1), (1, 19)])

    def test_nul(self):
        found = self.check("x = 1", "y = 2\nz = '\0'")
        self.assertEqual([(d["cell"], d["line"]) for d in found.values()], [(2, 2)])

    def test_lines_in_messages_are_the_cells(self):
        found = self.check("x = 1", "# a\n\nx = (1,\n     2]")
        self.assertRegex(found[2]["message"], r"'\]' does not match .* '\(' on line 3$")


# A cell may begin with it, but cells in the middle of a script cannot, and it does not move.
FLUFL = "from __future__ import barry_as_FLUFL"


class Findings(Verify):
    def test_each_broken_cell_and_no_other(self):
        """What one cell leaves open does not reach the next one."""
        cells = ["x = 1", "x = (1,", "y = [2]", 'z = """', "a = 1", "if x:", "b = 2\nb", "'",
                 "c = 3", "def f():\n", "  d = 4", "x = {", "return", "yield 1", "await x",
                 "async def f(): pass", "def f(a, a): pass", "f{x}", "é = 1", "x = 'a\\N'",
                 "\tx = 1\n        y = 2", ""]
        broken = {2, 4, 6, 8, 10, 12, 13, 14, 17, 18, 20, 21}
        self.assertEqual(set(self.check(*cells)), broken)

    def test_indented_for_no_reason(self):
        """Inside of a frame it would compile."""
        self.assertEqual(set(self.check("# a\n    x = 1", "x = 1\n\n# a\n", "    x = 1")), {1})

    def test_only_the_whole_script_shows_it(self):
        found = self.check("x = 1", f"# new\n{FLUFL}\nx = 2", "x = 3")
        self.assertEqual([(d["cell"], d["line"]) for d in found.values()], [(2, 2)])

    def test_the_lexer_says_nothing_more(self):
        self.write("x.ipynb", notebook("x = (1,", "'", "if x\n  y", "x = '\0'"))
        done = self.verify("check x.ipynb")
        self.assertNotIn(b"[lex]", done.err)
        self.assertNotIn(b"[nul-byte]", done.err)
        self.assertTrue(done.err.endswith(b"\n4 errors\n"), done)

    def test_none(self):
        """Fine cells, cells that are not compiled and empty cells have no faults."""
        for cells in (["x = 1\nx", "!ls", "await f()", "for i in x:\n  pass"],
                      ["%%bash\nfoo (", "%%html\n<p>", markdown("x ="), "%%writefile a\nx ="],
                      ["", " ", "# a", "\n\n"], []):
            self.assertEqual(self.check(*cells), {})

    def test_python_2(self):
        for lines, expected in ((OLD_LINES, True), (NEW_LINES, False)):
            for line in lines:
                self.write("x.ipynb", notebook("x = 1\n" + line))
                done = self.verify("check x.ipynb")
                self.assertEqual((done.status, PYTHON_2 in done.err), (1, expected), (line, done))

    def test_other_languages(self):
        """What editors note about a cell explains more than Python's message."""
        for metadata, name in (({"vscode": {"languageId": "javascript"}}, "javascript"),
                               ({"dotnet_interactive": {"language": "csharp"}}, "csharp"),
                               ({"polyglot_notebook": {"kernelName": "pwsh"},
                                 "vscode": {"languageId": "polyglot-notebook"}}, "pwsh"),
                               ({"vscode": {"languageId": "r"}, "tags": ["x"]}, "r")):
            found = self.check("x = 1", code("const x = 1;", metadata=metadata))
            self.assertEqual(found[2]["message"],
                             f"the cell's language is '{name}' by its metadata, not Python")
            self.assertEqual(found[2]["hint"], "tag the cell 'skip' to leave it out")
            self.assertEqual(self.check(code("x = 1", metadata=metadata)), {})
        for metadata in ({"vscode": {"languageId": "python"}}, {"vscode": {"languageId": 5}},
                         {"vscode": []}, {"vscode": {"languageId": ""}},
                         {"polyglot_notebook": {"kernelName": "pythonkernel"}}):
            found = self.check(code("x = = 1", metadata=metadata))
            self.assertEqual(found[1]["message"], "invalid syntax")

    def test_messages_begin_in_lower_case(self):
        self.assertTrue(self.check("print 'x'")[1]["message"].startswith("missing parentheses in"))

    def test_too_deep_for_python(self):
        """It is refused or not, but nothing breaks."""
        for cell in ("x = " + "(" * 5000 + ")" * 5000, "x = " + "-" * 20000 + "1",
                     "x = " + "+".join(["1"] * 20000), "x" + ".a" * 20000, "[" * 50000):
            self.write("x.ipynb", notebook(cell, "y ="))
            done = self.verify("check x.ipynb")
            self.assertRegex(done.err, rb"cell 2:1:3: error|\[not-verified\]")

    def test_many_broken_cells(self):
        found = self.check(*["x = 1", "x = 1 +* 2"] * 500)
        self.assertEqual(set(found), set(range(2, 1001, 2)))

    def test_many_that_only_the_whole_script_shows(self):
        """Each costs a compilation: there is an end to it."""
        found = self.check("x = 1", *[FLUFL] * 200)
        self.assertGreater(len(found), 10)


class Nothing(Verify):
    """What must not happen."""

    def test_nothing_is_run(self):
        witness = self.path("witness")
        touch = f"open({str(witness)!r}, 'w')\n"
        for name in ("re", "sys", "sitecustomize", "usercustomize", "codecs", "warnings"):
            self.write(f"{name}.py", touch)
        self.write("x.ipynb", notebook(touch, "x =", f"@{touch}def f(): pass"))
        self.nbscorep("check", "x.ipynb", env=clean_environment(
            PYTHON=sys.executable, PYTHONPATH=str(self.folder), PYTHONSTARTUP="re.py"))
        self.assertFalse(witness.exists())
        self.assertNotIn("__pycache__", os.listdir(self.folder))

    def test_no_warnings_of_python(self):
        self.write("x.ipynb", notebook("x = 1\nx is 1", "y = '\\d'", "assert (x, 1)", "1()"))
        for more in ({}, {"PYTHONWARNINGS": "error"}):
            done = self.nbscorep("check", "x.ipynb", env=self.environment() | more)
            self.assertEqual((done.status, done.err), (0, b""))

    def test_errors_write_nothing(self):
        self.write("x.ipynb", notebook("x ="))
        before = self.files()
        for command in "build", "build --verify", "run", "submit", "build -n":
            done = self.verify(f"{command} --source-map -MD x.ipynb")
            self.assertEqual(done.status, 1)
            self.assertIn(b"x.ipynb:cell 1:1:3: error: invalid syntax [python-syntax]", done.err)
            self.assertEqual((self.files(), done.out), (before, b""))
        self.assertEqual(self.verify("build -o - --verify x.ipynb").out, b"")
    def test_verified_build_is_the_same(self):
        self.write("x.ipynb", notebook("x = 1\nx", "%%time\nx", "await f()", "!ls"))
        texts = [self.verify(f"build -q {o} -o - x.ipynb").out
                 for o in ("--no-verify", "", "--verify", "--broken-cells=raise", "--broken-cells=error")]
        self.assertEqual(len(set(texts)), 1)
        self.assertIn(b"scorep_notebook.echo(x)", texts[0])

    def test_no_verify(self):
        self.write("x.ipynb", notebook("x ="))
        python = self.counting_python()
        off = self.environment(python) | {"NBSCOREP_VERIFY": "0"}
        for command in ["check"], ["build"], ["build", "--python", python]:
            done = self.verify(" ".join(command), "--no-verify", "x.ipynb", python=python)
            self.assertEqual((done.status, done.err), (0, b""))
            done = self.nbscorep(*command, "x.ipynb", env=off)
            self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual(self.starts(), [])
        self.assertEqual(self.nbscorep("build", "--verify", "x.ipynb", env=off).status, 1)
        self.assertEqual(len(self.starts()), 1)

    def test_configuration_turns_it_off(self):
        self.write("x.ipynb", notebook("x ="))
        self.write("nbscorep.yaml", "build: {no-verify: true}\n")
        self.assertEqual(self.verify("build x.ipynb").status, 0)
        self.assertEqual(self.verify("build --verify x.ipynb").status, 1)
        self.write("nbscorep.yaml", "build: {verify: true}\n")
        self.assertEqual(self.verify("build x.ipynb", python="/nowhere/x").status, 3)
        self.assertEqual(self.verify("build --no-verify x.ipynb", python="/nowhere/x").status, 0)

    def test_usage(self):
        self.write("x.ipynb", notebook("x = 1"))
        for wrong in ("--verify --no-verify", "--verify-timeout=x", "--verify-timeout=",
                      "--verify-timeout=1d2"):
            self.assertEqual(self.verify(f"build {wrong} x.ipynb").status, 2)
        self.write("nbscorep.yaml", "build: {verify-timeout: soon}\n")
        done = self.verify("build x.ipynb")
        self.assertEqual(done.status, 1)
        self.assertIn(b"nbscorep.yaml:1:", done.err)
        self.assertIn(b"'verify-timeout' expects seconds, not 'soon'", done.err)


class WithoutPython(Verify):
    def setUp(self):
        super().setUp()
        self.write("x.ipynb", notebook("x ="))
        self.write("y.ipynb", notebook("y ="))

    def test_check_says_so_once(self):
        done = self.verify("check x.ipynb y.ipynb", python="/nowhere/python3")
        self.assertEqual(done.status, 0)
        self.assertEqual(done.err.count(b"[not-verified]"), 1)
        self.assertIn(b"remark: Python '/nowhere/python3' does not exist, so the script is not checked", done.err)
        done = self.nbscorep("check", "x.ipynb", env=clean_environment(PATH="/nowhere"))
        self.assertIn(b"Python 'python3' does not exist", done.err)

    def test_asked_for_it_is_an_error(self):
        for command in ("build --verify", "build --verify --python=/nowhere/python3",
                        "check --python=python9", "ir --python=python9"):
            before = self.files()
            done = self.verify(f"{command} x.ipynb", python="/nowhere/python3")
            self.assertEqual(done.status, 3, done)
            self.assertRegex(done.err, rb"error: cannot compile the script with '\S*/?python\d'")
            self.assertEqual(self.files(), before)

    def test_build_says_so(self):
        """That alone is no failure."""
        for options in "", "--python=/nowhere/python3", "--broken-cells=raise":
            done = self.verify(f"build {options} x.ipynb", python="/nowhere/python3")
            self.assertEqual(done.status, 0, done)
            self.assertIn(b"remark: Python '/nowhere/python3' does not exist, so the script is not checked "
                          b"[not-verified]", done.err)
            self.assertTrue(self.path("x_run.sh").exists())

    def test_option_wins_over_the_variable(self):
        done = self.verify("check", f"--python={sys.executable}", "x.ipynb", python="/nowhere/x")
        self.assertEqual(done.status, 1)

    def test_each_failure_is_told(self):
        for commands, says in (
                ("echo one >&2; echo no licence >&2; exit 3", b"it ended with status 3: no licence"),
                ("kill -11 $$", b"it was killed by signal 11"), ("yes", b"its answer is too long"),
                ('read -r _ n size; head -c "$size" >/dev/null; echo nbscorep:fault 0 0 0 0 0 0 SyntaxError x',
                 b"it ended with status 0")):
            done = self.verify("check x.ipynb y.ipynb", python=self.fake_python(commands))
            self.assertEqual((done.status, done.err.count(says + b" [not-verified]")), (0, 2), done)

    def test_answers_that_cannot_be_read(self):
        for answer in ("fault", "fault 9 0 0 0 0 0 SyntaxError x", "fault -1 0 0 0 0 0 SyntaxError x", "fault 0 0 0 0 0 0",
                       "fault 0 x 0 0 0 0 SyntaxError x", "fault 0 99999999999999999999 0 0 0 0 SyntaxError x",
                       "python", "python 3 /usr/bin/python3", "python 3.x /usr/bin/python3"):
            done = self.verify("check x.ipynb", python=self.answering_python(answer))
            self.assertIn(b"its answer cannot be read [not-verified]", done.err, answer)

    def test_text_before_the_answer(self):
        python = self.fake_python('echo Loading modules; read -r _ n size; head -c "$size" >/dev/null\n'
                                  'echo nbscorep:fault 0 1 1 1 0 0 SyntaxError bad; echo nbscorep:done 1; echo more')
        self.assertIn(b"cell 1:1:1: error: bad", self.verify("check x.ipynb", python=python).err)

    def test_python_is_too_old(self):
        old = "import sys; sys.version_info = (3, 6, 8); exec(sys.argv.pop())"
        python = self.fake_python(
            f"for last; do :; done; exec {sys.executable} -c '{old}' \"$last\"")
        done = self.verify("check x.ipynb y.ipynb", python=python)
        self.assertEqual(done.err.count(b"it is Python 3.6; scripts need 3.8 or newer "
                                        b"[not-verified]"), 1, done)

    def test_fault_in_no_cell(self):
        python = self.answering_python("fault 1 9 0 0 1 0 SyntaxError bad")
        done = self.verify("check x.ipynb", python=python)
        self.assertEqual(done.status, 1)
        self.assertIn(b"error: the script does not compile: line 9: bad [python-syntax]", done.err)

    def test_places_beyond_the_cell(self):
        """A wrong answer is shown somewhere; it is believed nowhere."""
        for place in ("0 9 9 9", "0 1 999 999", "0 1 99999999 99999999", "0 0 1 1", "0 1 0 9"):
            python = self.answering_python(f"fault {place} 0 0 SyntaxError bad")
            done = self.verify("check x.ipynb", python=python)
            self.assertIn(b": error: bad [python-syntax]", done.err)


class OneStart(Verify):
    """One Python answers for all notebooks of a call, each in its turn."""

    def test_many_notebooks(self):
        names = [self.write(f"n{i:03}.ipynb", notebook(f"x = {i}", "x =" if i % 10 == 0 else "x"))
                 .name for i in range(100)]
        for command in "check", "build":
            self.path("starts").unlink(missing_ok=True)
            done = self.verify(command, *names, python=self.counting_python())
            self.assertEqual(done.status, 1)
            self.assertEqual(re.findall(r"n(\d+).ipynb:cell 2:1:3: error", done.err.decode()),
                             [f"{i:03}" for i in range(0, 100, 10)])
            self.assertEqual(len(self.starts()), 1)

    def test_relative_path(self):
        self.write("x.ipynb", notebook("x ="))
        self.counting_python()
        self.assertEqual(self.verify("build --python=./python x.ipynb").status, 1)
        self.assertEqual(self.verify("check x.ipynb", python="./python").status, 1)
        self.assertEqual(len(self.starts()), 2)

    def test_each_is_reported_in_its_turn(self):
        """The second answer waits for what is said of the first notebook."""
        os.mkfifo(self.path("go"))
        python = self.fake_python(
            'while read -r _ number size; do head -c "$size" >/dev/null\n'
            f'[ "$number" = 1 ] || read -r _ <"{self.folder}/go"\n'
            'echo nbscorep:fault 0 1 1 1 0 0 SyntaxError bad; echo nbscorep:done "$number"; done')
        self.write("x.ipynb", notebook("x ="))
        self.write("y.ipynb", notebook("y ="))
        with subprocess.Popen([binary(), "check", "x.ipynb", "y.ipynb"], cwd=self.folder,
                              stderr=subprocess.PIPE, env=self.environment(python)) as process:
            self.assertEqual(process.stderr.readline(),
                             b"x.ipynb:cell 1:1:1: error: bad [python-syntax]\n")
            self.path("go").write_text("on\n")
            self.assertIn(b"y.ipynb:cell 1:1:1: error: bad", process.stderr.read())

    def test_one_that_ends_by_itself(self):
        """After each answer: the next notebook gets a new one."""
        python = self.fake_python(
            'read -r _ number size; head -c "$size" >/dev/null\n'
            'echo nbscorep:fault 0 1 1 1 0 0 SyntaxError bad; echo nbscorep:done "$number"')
        names = [self.write(f"{name}.ipynb", notebook("x =")).name for name in "abc"]
        done = self.verify("check", *names, python=python)
        self.assertEqual(done.err.count(b"error: bad [python-syntax]"), 3, done)

    def test_crash_in_one(self):
        python = self.fake_python(
            'while read -r _ number size; do text=$(head -c "$size")\n'
            'case $text in *crash*) kill -SEGV $$ ;; esac\n'
            'echo nbscorep:fault 0 1 1 1 0 0 SyntaxError bad; echo nbscorep:done "$number"; done')
        names = [self.write(f"{name}.ipynb", notebook(name)).name
                 for name in ("a", "crash", "b")]
        done = self.verify("check", *names, python=python)
        self.assertEqual(done.err.count(b"error: bad [python-syntax]"), 2, done)
        self.assertIn(b"crash.ipynb: remark: '%s' did not check the script: it was "
                      b"killed by signal 11 [not-verified]" % python.encode(), done.err)


class TimeLimit(Verify):
    # Keeps CPython 3.8 to 3.11 busy for minutes.
    BOMB = 'f"' + "{x}" * 200000 + '"'

    def hanging_python(self):
        """It tells its process, and that of what it has started, and never answers."""
        return self.fake_python(f'sleep 1000 & echo "$$ $!" >"{self.folder}/pids.new"\n'
                                f'mv "{self.folder}/pids.new" "{self.folder}/pids"; wait')

    def pids(self):
        return [int(pid) for pid in self.path("pids").read_text().split()]

    def test_limit(self):
        self.write("x.ipynb", notebook("x = 1"))
        done = self.verify("build --verify-timeout=0.5 x.ipynb", python=self.hanging_python())
        self.assertEqual(done.status, 0)
        self.assertIn(b"did not check the script: it takes longer than 0.5 s "
                      b"[not-verified]\n    hint: --verify-timeout=SECONDS gives it more time",
                      done.err)
        self.assertTrue(self.path("x.py").exists())
        self.assert_gone(*self.pids())
        self.path("x.py").unlink()
        self.ended(3, b": it takes longer than 0.5 s", "build", "--verify", "--verify-timeout=0.5", "x.ipynb",
                   env=self.environment(self.hanging_python()))
        self.assertFalse(self.path("x.py").exists())

    def test_configured(self):
        self.write("x.ipynb", notebook("x = 1"))
        self.write("nbscorep.yaml", "build: {verify-timeout: 0.3}\n")
        done = self.verify("build x.ipynb", python=self.hanging_python())
        self.assertIn(b"longer than 0.3 s", done.err)
        done = self.verify("build --verify-timeout=0.2 x.ipynb", python=self.hanging_python())
        self.assertIn(b"longer than 0.2 s", done.err)

    def test_others_are_checked(self):
        """The bomb costs its own check only; each notebook has the whole time."""
        self.write("a.ipynb", notebook("x ="))
        self.write("b.ipynb", notebook(self.BOMB, "x ="))
        self.write("c.ipynb", notebook("x ="))
        done = self.verify("check --verify-timeout=1.5 a.ipynb b.ipynb c.ipynb")
        self.assertEqual(done.status, 1)
        for name in b"a.ipynb", b"c.ipynb":
            self.assertIn(name + b":cell 1:1:3: error: ", done.err)
        self.assertRegex(done.err, rb"b.ipynb(: remark: .* longer than 1.5 s|:cell 2:1:3: error)")

    def test_signals(self):
        """However nbscorep ends, its Python does; and it ends at once."""
        self.write("x.ipynb", notebook("x = 1"))
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL:
            for command in "check", "build", "run":
                with self.subTest(number=number, command=command):
                    self.path("pids").unlink(missing_ok=True)
                    with subprocess.Popen(
                            ["bash", "-c", 'ulimit -c 0; exec "$@"', "-", binary(), command,
                             "--verify-timeout=1000", "x.ipynb"],
                            cwd=self.folder, stderr=subprocess.PIPE,
                            env=self.environment(self.hanging_python())) as process:
                        while not self.path("pids").exists():
                            self.assertIsNone(process.poll())
                        process.send_signal(number)
                        self.assertEqual(process.communicate(timeout=TIMEOUT)[1], b"")
                        self.assertEqual(process.returncode, -number)
                    leader, other = self.pids()
                    self.assert_gone(leader)
                    if number == signal.SIGKILL:
                        os.kill(other, signal.SIGKILL)
                    self.assert_gone(other)
                    self.assertFalse(self.path("x.py").exists())


class Shim(Verify):
    """A script that looks in its folder for the version to start, as those of pyenv do."""

    def setUp(self):
        super().setUp()
        self.write("x.ipynb", notebook("x = 1"))
        self.write(".python-version", "evil")
        self.shim = self.tool("python3", (
            f'echo "$$ $PWD" >>"{self.folder}/starts"\n'
            'folder=${PYENV_DIR:-$PWD}\n'
            f'[ -e "$folder/.python-version" ] && exec "{self.folder}/evil"\n'
            f'exec "{sys.executable}" "$@"'), folder="pyenv/shims")

    def shimmed(self, **more):
        return clean_environment(**({"PATH": f"{self.path('pyenv/shims')}:{os.environ['PATH']}"} | more))

    def test_the_notebooks_folder_does_not_count(self):
        for more in {}, {"PYENV_DIR": str(self.folder)}:
            done = self.nbscorep("check", "x.ipynb", env=self.shimmed(**more))
            self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual({start.split(" ", 1)[1] for start in self.starts()}, {"/"})

    def test_pyenv(self):
        shim = pathlib.Path.home() / ".pyenv/shims/python3"
        if not os.access(shim, os.X_OK):
            self.skipTest("no pyenv here")
        self.write(".python-version", "no-such-version\n")
        self.write("x.ipynb", notebook("x = = 1"))
        self.ended(1, b"x.ipynb:cell 1:1:5: error: invalid syntax", "check", f"--python={shim}", "x.ipynb",
                   env=self.shimmed())


# Cells that only newer versions of Python take.
NEWER = {(3, 10): "match x:\n    case 1: pass", (3, 11): "try: pass\nexcept* OSError: pass",
         (3, 12): "type X = int", (3, 14): 't"{x}"'}


class OtherPython(Verify):
    """The Python that checks need not be the one that runs the script."""

    def setUp(self):
        super().setUp()
        versions = [version for version in NEWER if version > sys.version_info[:2]]
        if not versions:
            self.skipTest("no newer syntax is known")
        self.version = b"Python %d.%d" % versions[-1]
        self.write("x.ipynb", notebook("x = 1", NEWER[versions[-1]]))
        self.path("bin").mkdir()
        self.path("bin/python3").symlink_to(sys.executable)
        self.on_path = clean_environment(PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def built(self, config="", env=None, *options):
        self.write("nbscorep.yaml", config)
        return self.nbscorep("build", "--force", *options, "x.ipynb", env=env or self.on_path)

    def test_same_python(self):
        for env in self.on_path, self.environment():
            done = self.built(env=env)
            self.assertEqual(done.status, 1)
            self.assertRegex(done.err, rb"cell 2:1:\d+: error: .* \[python-syntax\]")
            self.assertIn(b"hint: %s may take this, but '" % self.version, done.err)

    def test_perhaps_another_one(self):
        """Modules and setup may change it, or a configuration names it that may not start it."""
        for config in ("modules: [Python]", "setup: [. venv/bin/activate]",
                       "python: python3.99", "python: /opt/python/bin/python3"):
            with self.subTest(config):
                done = self.built(config)
                self.assertEqual(done.status, 0)
                self.assertRegex(done.err, rb"cell 2:1:\d+: warning: .* \[newer-python\]")
                own = "Python %d.%d" % sys.version_info[:2]
                self.assertIn(b"hint: %s may take this, but 'python3' is %s; --python "
                              % (self.version, own.encode()), done.err)
                self.assertTrue(self.path("x.py").exists())

    def test_notebook_chooses_it(self):
        for line in "PATH=/opt/python/bin:$PATH", "PYTHON=/opt/python/bin/python3":
            cell = json.loads(self.path("x.ipynb").read_bytes())["cells"][1]["source"]
            self.write("y.ipynb", notebook(f"%%scorep_env\n{line}", cell))
            self.ended(0, b"[newer-python]", "build", "--force", "y.ipynb", env=self.on_path)

    def test_named_by_the_user(self):
        for env in self.environment(), self.on_path | {"PYTHON": sys.executable}:
            self.assertEqual(self.built("modules: [Python]", env).status, 1)
            self.assertEqual(self.built("python: /opt/python3", env).status, 1)
        self.assertEqual(self.built("modules: [Python]", None,
                                    f"--python={sys.executable}").status, 1)

    def test_no_python_takes_it(self):
        self.write("x.ipynb", notebook("x = = 1"))
        done = self.built("modules: [Python]")
        self.assertEqual(done.status, 1)
        self.assertIn(b"x.ipynb:cell 1:1:5: error: invalid syntax [python-syntax]", done.err)


class Configured(Verify):
    """A Python that a configuration names."""

    def setUp(self):
        super().setUp()
        self.write("nb/x.ipynb", notebook("x = 1"))
        self.python = self.counting_python()
        self.env = clean_environment(XDG_CONFIG_HOME=str(self.path("home")))

    def starts_of(self, *arguments):
        self.path("starts").unlink(missing_ok=True)
        done = self.nbscorep(*arguments, "nb/x.ipynb", env=self.env)
        self.assertEqual(done.status, 0, done)
        return len(self.starts())

    def test_projects(self):
        """It may be untrusted: only run starts it."""
        self.write("nbscorep.yaml", "python: ./python\n")
        for command in ["check"], ["build"], ["build", "--verify"], ["run", "-n"], ["ir"]:
            self.assertEqual(self.starts_of(*command), 0, command)
        self.assertEqual(self.starts_of("run", "--no-scorep"), 2)
        self.assertEqual(self.starts_of("run", "--no-scorep", "--no-verify"), 1)
        self.env["PYTHON"] = sys.executable
        self.assertEqual(self.starts_of("run", "--no-scorep"), 0)

    def test_users(self):
        self.write("home/nbscorep/config.yaml", f"python: {self.python}\n")
        for command in "check", "build":
            self.assertEqual(self.starts_of(command), 1)

    def test_command_lines(self):
        self.assertEqual(self.starts_of("check", "--set", f"python={self.python}"), 1)
        self.assertEqual(self.starts_of("check", "--set", "python=./python"), 1)


class Raise(Verify):
    def build_and_run(self, *cells, options=()):
        """The script that raises: its text, and how it runs."""
        self.write("it's.ipynb", notebook(*cells))
        built = self.verify("build --broken-cells=raise", *options, "it's.ipynb", "-o", "out.py",
                            "--source-map")
        self.assertEqual(built.status, 0, built)
        script = self.path("out.py").read_text()
        ast.parse(script)
        return built, script, self.run_command(sys.executable, "out.py")

    def test_traceback_shows_the_place(self):
        _, _, ran = self.build_and_run("%%time\n\nif True:\n    x = 1 +* 2")
        lines = ran.err.decode().splitlines()
        at = lines.index('  File "it\'s.ipynb, cell 1", line 4')
        # Python 3.13 marks all of the line behind the place.
        self.assertEqual([line.strip().rstrip("^") for line in lines[at + 1:]],
                         ["x = 1 +* 2", "", "SyntaxError: invalid syntax"])
        self.assertEqual(lines[at + 2].index("^") - lines[at + 1].index("x"), 7)

    def test_types(self):
        for cell, name in (("x = 1\n  y = 2", "IndentationError"), ("x =", "SyntaxError"),
                           ("if 1:\n\tx = 1\n        y = 2", "TabError"),
                           ("x = '\0'", "SyntaxError")):
            _, _, ran = self.build_and_run(cell)
            self.assertRegex(ran.err.decode().splitlines()[-1], f"^{name}: ")

    def test_message_is_pythons(self):
        _, _, ran = self.build_and_run("print 'x'")
        alone = self.run_command(sys.executable, "-c", "print 'x'")
        self.assertEqual(ran.err.splitlines()[-1], alone.err.splitlines()[-1])

    def test_lines_keep_their_places(self):
        """A line of the cell is a comment on the line where it would stand."""
        cell = "%%execute_with_scorep\n\nx = 1 +* 2\n  '''%%time\n!ls\n\ny?\n# é"
        _, script, _ = self.build_and_run("x = 1", cell, "y = 2")
        lines = script.splitlines()
        cells = json.loads(self.path("out.map.json").read_text())["cells"]
        self.assertEqual([c["cell"] for c in cells], [1, 2, 3])
        entry = cells[1]
        self.assertEqual(entry["lines"], len(cell.splitlines()))
        for i, line in enumerate(cell.splitlines()):
            written = lines[entry["script_line"] - 1 + i]
            self.assertTrue(written.replace("\\%%", "%%").endswith(("# " + line).rstrip()),
                            (line, written))

    def test_nothing_of_it_is_code(self):
        """Whatever stands in the cell: one statement, which raises."""
        for cell in ('x = """', "'''\n\"\"\"\nimport os", "x = (\nimport os\n)", "x = 1 \\",
                     "!ls\n%time x\nx = \ny?", "x =\rimport os",
                     "x = '\u2028import os\x0cimport os\x85'y",
                     "raise SyntaxError('x') y\nawait x", "from __future__ import braces",
                     "%%time\nx =\nx", "%%capture c\nx =",
                     "%%execute_with_scorep\n>>> x =\n... y"):
            _, script, ran = self.build_and_run("print('one')", cell)
            frame = ast.parse(script).body[-1]
            while isinstance(frame.body[0], ast.With):
                frame = frame.body[0]
            self.assertEqual([type(s) for s in frame.body], [ast.Raise], cell)
            self.assertEqual(ran.out, b"one\n")

    def test_other_cells_are_as_ever(self):
        cells = ["from __future__ import annotations\nx = 1\nx", "%%time\nx",
                 "import asyncio\nawait asyncio.sleep(0)"]
        _, script, _ = self.build_and_run(*cells, "x =")
        self.write("fine.ipynb", notebook(*cells))
        fine = self.verify("build -q fine.ipynb -o -").out.decode()
        behind = re.compile(r"(?s)^# %% cell 1\n.*?(?=\n# %% cell 4|\Z)", re.M)
        self.assertEqual(behind.search(script)[0].rstrip(), behind.search(fine)[0].rstrip())

    def test_sections(self):
        _, _, ran = self.build_and_run("x =", "%%start_writefile s", "print('in')", "y =",
                                        "%%end_writefile")
        self.assertEqual(ran.out, b"in\n")
        self.assertIn(b"cell 4", ran.err)

    def test_only_the_whole_script_shows_it(self):
        _, script, _ = self.build_and_run("x = 1", "global x\nx = 2")
        compile(script, "out.py", "exec")

    def test_bodies_of_magics(self):
        """%%time of what is no Python fails when it is reached; it is not left out."""
        _, _, ran = self.build_and_run("%%time\nx = (", "print('no')")
        self.assertEqual((ran.status, ran.out), (1, b""))

    def test_long_lines(self):
        _, _, ran = self.build_and_run("x = '" + "é" * 5000 + "' +* 2 # " + "b" * 5000)
        self.assertIn(b"' +* 2", ran.err)
        self.assertLess(len(ran.err), 20000)
        text, carets, _ = ran.err.decode().splitlines()[-3:]
        self.assertEqual(carets.index("^"), text.index("* 2 #"))

    def test_warnings_can_be_errors(self):
        self.write("x.ipynb", notebook("x ="))
        self.assertEqual(self.verify("build --broken-cells=raise -Werror x.ipynb").status, 1)
        done = self.verify("check --broken-cells=raise -Wno-broken-cell x.ipynb")
        self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual(list(self.files()), ["x.ipynb"])

    def test_what_is_no_cell_has_a_number(self):
        self.write("x.ipynb", notebook("x =").replace(
            b'"cells": [', b'"cells": [' + b"7," * 20000))
        done = self.verify("build --broken-cells=raise -Wno-cell-type x.ipynb")
        self.assertEqual(done.status, 0, done.err[-2000:])
        self.assertIn(b"cell 20001:1:", done.err)

    def test_tagged_cell_raises_without_the_option(self):
        """As in nbclient, which goes on after it: no error, no warning, and the cell prints it."""
        expected = code("print('not this')\nx = 1 +* 2", metadata={"tags": ["raises-exception"]})
        lexer_sees_it = code("x = (", metadata={"tags": ["raises-exception"]})
        for cell in expected, lexer_sees_it:
            self.write("x.ipynb", notebook("print('one')", cell, "print('two')"))
            done = self.verify("build x.ipynb")
            self.assertEqual((done.status, done.err), (0, b""))
            ran = self.run_command(sys.executable, "x.py")
            self.assertEqual((ran.status, ran.out), (0, b"one\ntwo\n"))
            self.assertRegex(ran.err, rb'File "x.ipynb, cell 2", line \d[^|]*\nSyntaxError: .+\n')
        self.write("x.ipynb", notebook(expected, "y ="))
        done = self.verify("check x.ipynb")
        self.assertEqual(done.status, 1)
        self.assertEqual(re.findall(rb"cell (\d):", done.err), [b"2"])

    def test_other_errors_stay_errors(self):
        self.write("x.ipynb", notebook("x =", "%%enable_multicellmode"))
        done = self.verify("build --broken-cells=raise x.ipynb")
        self.assertEqual(done.status, 1)
        self.assertIn(b"[open-multicell]", done.err)

    def test_ir(self):
        self.write("x.ipynb", notebook("x ="))
        done = self.verify("ir --broken-cells=raise x.ipynb")
        (block,) = json.loads(done.out)["programs"][0]["blocks"]
        self.assertTrue(block["code"].startswith("raise SyntaxError("))
        self.assertEqual(self.verify("ir --python", sys.executable, "x.ipynb").status, 1)


if __name__ == "__main__":
    unittest.main()
