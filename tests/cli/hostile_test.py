#!/usr/bin/env python3
"""Notebooks and names that mean harm, or are merely odd: nothing of theirs becomes code, nothing is
written outside, and what was code stays what it was."""
import ast
import os
import random
import sys
import unittest

from support import is_in_package, UNDER_DOUBLE, Case, clean_environment, code, markdown, notebook

MARK = "HIT"  # what injected code would create


class Injected(Case):
    """Text that would be code if it were not quoted."""

    TEXTS = (f"\nimport os; os.mkdir('{MARK}')\n", f"\ropen('{MARK}', 'w')\r", f"$(mkdir {MARK})",
             f"`mkdir {MARK}`", f"\"; mkdir {MARK}; \"", f"'; mkdir {MARK}; '",
             f"\"\"\"\nimport os; os.mkdir('{MARK}')\n\"\"\"", f"\\\nimport os; os.mkdir('{MARK}')",
             f"\x0cimport os; os.mkdir('{MARK}')", f"\u2028import os; os.mkdir('{MARK}')",
             f"\x85open('{MARK}', 'w')", f"\x1copen('{MARK}', 'w')", f"\0open('{MARK}', 'w')",
             f"\n# %% cell 99\nopen('{MARK}', 'w')", "@environment@ @arguments@ @build@",
             "coding: utf-7", "# -*- coding: rot13 -*-", "vim: set fileencoding=latin-1 :",
             f"+AAo-open('{MARK}','w')", "\ud800", "\udcff", "\U0001f600", "\x1b[31m")

    def everywhere(self, text):
        """TEXT in every place that a notebook offers."""
        line = text.replace("\n", " ").replace("\r", " ")
        yield notebook(markdown(text), "x = 1")
        yield notebook({"cell_type": "raw", "metadata": {}, "source": text}, "x = 1")
        yield notebook({"cell_type": f"odd{text}", "metadata": {}, "source": text}, "x = 1")
        yield notebook(code("x = 1", id=text, metadata={"tags": [text], "name": text}))
        yield notebook("x = 1", kernelspec={"name": text, "display_name": text,
                                            "language": "python"}, title=text, authors=[text])
        yield notebook(f"%nosuch {line}\n%nosuch{line}\nx = 1")
        yield notebook(f"%%nosuch {line}\n{text}", "x = 1")
        yield notebook(f"!echo {line}\nx = !echo {line}\n?{line}\nx = 1")
        yield notebook(f"%%bash\n{text}", "x = 1")
        yield notebook(f"%%scorep_env\nSCOREP_METRIC_PAPI={line}\nFOO={line}", "x = 1")
        yield notebook(f"%env SCOREP_METRIC_PAPI={line}\n%env FOO={line}\n%env {line}", "x = 1")
        yield notebook(f"%%scorep_python_binding_arguments\n'--libwrap={line}'", "x = 1")
        yield notebook(f"%%start_writefile {line}", "x = 1", "%%end_writefile")
        yield notebook(f"%%enable_multicellmode {line}\n{text}", "x = 1", f"%%finalize_multicellmode {line}\n{text}")
        yield notebook(f"%%execute_with_scorep {line}\nx = 1")

    # Notebooks of everywhere() by name: in some the text is meant to run, some need IPython, and in
    # one it stands among the arguments of Python itself.
    SHELL = ("n07", "n08")
    IPYTHON = ("n05", "n06")
    ARGUMENTS = "n11"

    RUN_ALL = ("import runpy, sys\n"
               "for number, path in enumerate(sys.argv[1:]):\n"
               "    try:\n"
               "        runpy.run_path(path, run_name='__main__')\n"
               "    except BaseException as error:\n"
               "        print(repr(error))\n"
               "print('ran', number + 1)\n")

    def run_scripts(self, scripts, cwd):
        """In one Python for all of them."""
        done = self.run_command(sys.executable, "-c", self.RUN_ALL, *map(str, scripts), cwd=cwd)
        self.assertEqual(done.out.splitlines()[-1], b"ran %d" % len(scripts), done)

    def run_run_scripts(self, runs, cwd):
        """With a Python that does nothing, where it is the text in bash alone that counts."""
        idle = self.write("idle", "#!/bin/sh\n")
        idle.chmod(0o755)
        env = clean_environment(**UNDER_DOUBLE, TMPDIR=str(self.folder),
                                SCOREP_EXPERIMENT_DIRECTORY=str(self.path("e")))
        for run in runs:
            python = sys.executable if run.name.startswith(self.ARGUMENTS) else str(idle)
            done = self.run_command("bash", str(run), cwd=cwd, env=env | {"PYTHON": python})
            self.assertEqual((done.status, done.out, done.err), (0, b"", b""), run)

    def test_everywhere(self):
        for index, text in enumerate(self.TEXTS):
            with self.subTest(text):
                top = self.path(f"text{index}")
                names = [self.write(top / f"n{number:02}.ipynb", content).name
                         for number, content in enumerate(self.everywhere(text))]
                done = self.nbscorep("build", "-q", *names, cwd=top)
                made = [p for p in sorted(top.rglob("*.py")) if not is_in_package(p)]
                self.assertEqual(done.status, 0 if len(made) == len(names) else 1, done)
                scripts = [p for p in made if p.stem not in self.SHELL]
                runs = [p for p in sorted(top.rglob("*_run.sh")) if not p.name.startswith(self.SHELL + self.IPYTHON)]
                self.assertGreater(len(scripts), 8)
                for path in scripts:
                    self.check_script(path, text)
                self.run_scripts([p for p in scripts if p.stem not in self.IPYTHON], top)
                self.run_run_scripts(runs, top)
                self.assertEqual([p for p in top.rglob(f"*{MARK}*") if not p.name.endswith((".py", "_run.sh"))], [])

    NAMES = (f"$(mkdir {MARK})", f"`mkdir {MARK}`", f"; mkdir {MARK};", f"'; mkdir {MARK}; '",
             f'"; mkdir {MARK}; "', f"\nmkdir {MARK}\n", f"x\nEND_OF_RUNTIME\nmkdir {MARK}\n",
             "--help", "-c", "~", "*", "'''", "\\", "@build@ {ranks} %s $HOME", "a\udcffb",
             "\x1b[31m", "\u202ex", "# nbscorep build 0123456789abcdef", "n" * 240)

    def test_names_of_files(self):
        """The run script finds its script and starts it, whatever they are called."""
        for number, name in enumerate(self.NAMES):
            with self.subTest(name):
                top = self.path(f"name{number}")
                self.write(top / f"{name}.ipynb", notebook("print('ran')"))
                self.build(f"./{name}.ipynb", cwd=top)
                done = self.run_command("bash", f"./{name}_run.sh", cwd=top, env=clean_environment(
                    PYTHON=sys.executable, NBSCOREP_MEASURE="no"))
                self.assertEqual((done.status, done.out, done.err), (0, b"ran\n", b""), done)
                self.assertFalse((top / MARK).exists())

    def check_script(self, path, text):
        """No call of the text's has become the script's."""
        calls = [n for n in ast.walk(ast.parse(path.read_bytes())) if isinstance(n, ast.Call)]
        found = [ast.unparse(n) for n in calls
                 if ast.unparse(n.func) in ("open", "os.mkdir", "mkdir", "os.system")
                 and any(MARK in str(getattr(a, "value", "")) for a in n.args)]
        self.assertEqual(found, [], text)

    def test_name_that_declares_an_encoding(self):
        """PEP 263: the first two lines decide how Python reads the file."""
        for name in ("coding: utf-7", "-*- coding: latin-1 -*-", "vim:fileencoding=utf-16",
                     "coding=rot13", "encoding:x", "coding:utf-8"):
            with self.subTest(name):
                self.write(f"{name}.ipynb", notebook("print('ä€')"))
                self.build("-o", "x.py", f"./{name}.ipynb")
                done = self.run_command(sys.executable, "-X", "utf8", "x.py")
                self.assertEqual((done.status, done.out.decode()), (0, "ä€\n"), done)

    def test_cell_that_declares_an_encoding(self):
        self.write("x.ipynb", notebook("# -*- coding: latin-1 -*-\nprint('ä')",
                                       "# coding: utf-7\nprint('+AGE-')"))
        self.build("x.ipynb")
        done = self.run_command(sys.executable, "-X", "utf8", "x.py")
        self.assertEqual(done.out.decode(), "ä\n+AGE-\n", done)


class Outside(Case):
    """%%start_writefile from somebody else's notebook."""

    # Names that are refused, those in a folder that is not there, and those of a file inside.
    REFUSED = ("../x", "../../x.py", "/tmp/nbscorep-outside", "a/../../x", "a/..", "..", ".", "./..",
               "a/", "/", "//x", "a//../../x", "./../x", "a/./../../x", "\x00", "a\x00b", "../",
               "a/b/../../../x", "x/../y", "../folder/y")
    MISSING = "~/x", "$HOME/x", "'../x'", '"../x"', "a" * 300
    INSIDE = "..\\x", "$(touch x)", "-", "-o", "con", "x.ipynb", ".py", "x.py.py", " x "

    def made(self, name, *options):
        """Status, messages, and which files a program called NAME leaves."""
        self.write("top/folder/x.ipynb", notebook(f"%%start_writefile {name}", "y = 1", "%%end_writefile"))
        self.path("top/folder/out").mkdir(exist_ok=True)
        before = self.files()
        done = self.nbscorep("build", "-q", *options, "x.ipynb", cwd=self.path("top/folder"))
        found = self.files()
        self.assertLessEqual(before.items(), found.items())
        new = sorted(found.keys() - before.keys())
        for path in new:
            self.path(path).unlink()
        self.assertFalse(os.path.lexists("/tmp/nbscorep-outside.py"))
        return done.status, done.err, new

    def test_nothing_outside(self):
        for option, folder in ([], "top/folder"), (["--output-dir=out"], "top/folder/out"):
            for name in self.REFUSED:
                with self.subTest(name, option=option):
                    status, err, new = self.made(name, *option)
                    self.assertEqual((status, new), (1, []))
                    self.assertIn(b"[output-name]", err)
            for name in self.MISSING:
                with self.subTest(name, option=option):
                    status, err, new = self.made(name, *option)
                    self.assertEqual((status, new), (3, []))
                    self.assertIn(b"[io]", err)
            for name in self.INSIDE:
                with self.subTest(name, option=option):
                    stem = f"{folder}/{name.strip().removesuffix('.py') or '.py'}"
                    self.assertEqual(self.made(name, *option), (0, b"", [f"{stem}.py", f"{stem}_run.sh"]))

    def test_one_place_by_two_names(self):
        for a, b in (("x", "./x"), ("x", "x.py"), ("x", "sub/../x"), ("sub/x", "sub//x"),
                     ("sub/x", "./sub/./x")):
            with self.subTest(a=a, b=b):
                self.path("sub").mkdir(exist_ok=True)
                self.write("n.ipynb", notebook(f"%%start_writefile {a}", "first = 1",
                                               "%%end_writefile", f"%%start_writefile {b}",
                                               "second = 2", "%%end_writefile"))
                done = self.nbscorep("build", "n.ipynb")
                self.assertEqual(done.status, 1, done)

    def test_section_over_another_program(self):
        """A section's script at the place of another section's run script."""
        self.write("n.ipynb", notebook("%%start_writefile a", "x = 1", "%%end_writefile",
                                       "%%start_writefile a_run.sh", "y = 1", "%%end_writefile"))
        self.build("n.ipynb")
        self.assertEqual(sorted(self.files()), ["a.py", "a_run.sh", "a_run.sh.py", "a_run.sh_run.sh", "n.ipynb"])
        self.assertTrue(self.path("a_run.sh").read_bytes().startswith(b"#!"))
        self.assertIn(b"y = 1", self.path("a_run.sh.py").read_bytes())


class Framed(Case):
    """fuzz.frames compares the trees of cells that are Python."""

    def test_what_is_no_python_stays_so(self):
        cells = "x = 1\\\n", "(\n", "if 1:\n        x = 1\n        if x:\n\t\tx = 2\nx", "1 \\\n", "1;\\\n"
        names = [self.write(f"n{number}.ipynb", notebook(source)).stem for number, source in enumerate(cells)]
        for options in (["--instrument=none", "--no-cell-regions"], ["--instrument=all"], ["--instrument=none"]):
            self.build("-q", "--no-verify", *options, *[f"{name}.ipynb" for name in names])
            for name, source in zip(names, cells):
                with self.subTest(source, options=options), self.assertRaises(SyntaxError):
                    ast.parse(self.path(f"{name}.py").read_bytes())

    def test_name_of_a_helper(self):
        """A notebook that takes one of our names is still a script that Python compiles."""
        self.write("x.ipynb", notebook("scorep_notebook = 5\nscorep_notebook"))
        self.build("-q", "x.ipynb")
        ast.parse(self.path("x.py").read_bytes())


class Garbled(Case):
    def test_random_bytes(self):
        """Never a crash, whatever arrives, from files and from standard input."""
        rnd = random.Random(7)
        base = notebook("x = 1\n%time y\n!ls", markdown("a"), "%%execute_with_scorep\nf'{x}'")
        for batch in range(10):
            texts = [self.garbled(base, rnd) for _ in range(30)]
            names = [self.write(f"n{batch}-{number}.ipynb", text).name for number, text in enumerate(texts)]
            with self.subTest(names):
                done = self.nbscorep("build", "-q", *names)
                self.assertIn(done.status, (0, 1), done)
            with self.subTest(texts[0]):
                done = self.nbscorep("build", "-q", "-o", "-", "-", stdin=texts[0])
                self.assertIn(done.status, (0, 1), done)

    def garbled(self, base, rnd):
        data = bytearray(base)
        for _ in range(rnd.randint(1, 12)):
            at = rnd.randrange(len(data))
            action = rnd.random()
            if action < 0.4:
                data[at] = rnd.randrange(256)
            elif action < 0.7:
                del data[at:at + rnd.randint(1, 20)]
            else:
                data[at:at] = rnd.choice([b"\\u0000", b"\xff", b"[", b"{", b'"', b"\\ud800", b"\n",
                                          b"null", b"1e999", b"%%", b"\\n"])
        return bytes(data)


if __name__ == "__main__":
    unittest.main()
