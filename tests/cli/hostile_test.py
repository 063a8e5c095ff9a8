#!/usr/bin/env python3
"""Notebooks and names that mean harm, or are merely odd: nothing of theirs becomes code, nothing is
written outside, and what was code stays what it was."""
import ast
import json
import os
import resource
import random
import re
import subprocess
import sys
import unittest

from support import DOUBLE, Case, binary, clean_environment, code, markdown, notebook

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
        yield notebook(f"%%enable_multicellmode {line}\n{text}", "x = 1",
                       f"%%finalize_multicellmode {line}\n{text}")
        yield notebook(f"%%execute_with_scorep {line}\nx = 1")

    def run_all(self):
        env = clean_environment(PYTHON=sys.executable, PYTHONPATH=str(DOUBLE),
                                SCOREP_EXPERIMENT_DIRECTORY=str(self.path("e")),
                                TMPDIR=str(self.folder), PATH=os.environ["PATH"])
        for run in self.folder.rglob("*_run.sh"):
            self.run_command("bash", "-n", str(run))
            self.run_command("bash", str(run), env=env)

    def test_everywhere(self):
        for text in self.TEXTS:
            for number, content in enumerate(self.everywhere(text)):
                with self.subTest(text, number=number):
                    self.write("x.ipynb", content)
                    before = set(self.folder.rglob("*"))
                    self.nbscorep("build", "-q", "x.ipynb")
                    made = set(self.folder.rglob("*")) - before
                    for path in made:
                        if path.suffix == ".py" and number not in (7, 8):
                            self.check_script(path, text)
                    if number in (3, 4, 9, 11, 12, 13, 14):  # these can reach bash
                        self.run_all()
                    self.assertEqual([p for p in self.folder.rglob(f"*{MARK}*")
                                      if not p.name.endswith((".py", "_run.sh"))], [])
                    for path in sorted(set(self.folder.rglob("*")) - before, reverse=True):
                        path.rmdir() if path.is_dir() else path.unlink()

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

    NAMES = ("../x", "../../x.py", "/tmp/nbscorep-outside", "a/../../x", "a/..", "..", ".", "./..",
             "a/", "/", "//x", "a//../../x", "./../x", "a/./../../x", "..\\x", "~/x", "\x00", "a\x00b",
             "../", "a/b/../../../x", "$HOME/x", "$(touch x)", "-", "-o", "con", "x.ipynb", ".py",
             "x.py.py", " x ", "'../x'", '"../x"', "x/../y", "../folder/y", "a" * 300)

    def test_nothing_outside(self):
        for option in ([], ["--output-dir=out"]):
            for name in self.NAMES:
                with self.subTest(name, option=option):
                    top = self.path("top/folder")
                    (top / "out").mkdir(parents=True, exist_ok=True)
                    self.write("top/folder/x.ipynb", notebook(f"%%start_writefile {name}", "y = 1",
                                                              "%%end_writefile"))
                    self.nbscorep("build", "-q", *option, "x.ipynb", cwd=top)
                    inside = top / "out" if option else top
                    stray = [p for p in self.folder.rglob("*") if p.is_file()
                             and not p.is_relative_to(inside) and p.name != "x.ipynb"]
                    self.assertEqual(stray, [])
                    self.assertFalse(os.path.lexists("/tmp/nbscorep-outside.py"))
                    self.assertEqual(json.loads((top / "x.ipynb").read_bytes())["nbformat"], 4)
                    for path in list(inside.rglob("*")):
                        if path.is_file() and path.name != "x.ipynb":
                            path.unlink()

    def test_through_a_link(self):
        """A link in the output folder is the user's own: it may lead out. But not a file link."""
        self.write("victim", "mine")
        os.symlink("victim", self.path("prog.py"))
        self.write("x.ipynb", notebook("%%start_writefile prog", "y = 1", "%%end_writefile"))
        self.nbscorep("build", "--force", "x.ipynb")
        self.assertEqual(self.path("victim").read_text(), "mine")

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
        self.nbscorep("build", "n.ipynb")
        if self.path("a_run.sh").exists():
            self.assertTrue(self.path("a_run.sh").read_bytes().startswith(b"#!"))


class Faithful(Case):
    """Cells that are hard to frame: the same code, and the same output, framed or not."""

    CELLS = (
        "x = 1\\\n", "x = 1 \\\n  + 2\nx", "(\n", "x = ')'", "[1,\n2]\n", "\r", "\r\r\r", "\n\n",
        "x = 1\rx = 2\rx", "x = '''\r\n  a\r  b\n'''\nx", "\x0cx = 1\n\x0cx", "if 1:\n\tx = 1\n\tx",
        "if 1:\n        x = 1\n        if x:\n\t\tx = 2\nx", "if 1:\n  x = 1\n\n  # c\n# d\n  x = 3\nx",
        "class A:\n\tdef f(self):\n\t\treturn '''\n\ta\n'''\nA().f()", "x = 'a\\\nb'\nx",
        "x = f'{1:{2}}' f\"{'''a'''}\"\nx", "x = f'''{\n1\n}\n  {2}'''\nx", "def f(): return 1; x = 1\nf()",
        "if 1: pass\nelse: pass", "for i in range(2):\n    pass\nelse:\n    i\ni", "x = 1;", "x = 1; x",
        "1; 2", "1; 2;", "'doc'", '"""doc\nstring"""', "# only\n  # comments\n", "#", "  ", "\t",
        "x = 1 # %% cell 3\n# %% [markdown]\nx", "with open(__file__) as f:\n    pass", "pass",
        "...", "x = lambda: (yield)\n1", "print('a'); print('b')", "x: int = 1\nx", "del_ = 1\ndel del_",
        "def f():\n    global g\n    g = 1\nf()\ng",
        "x = [\n# c\n1,\n]\nx", "x = {'a': 1,\n'b': 2}\nx", "@property\ndef f(): pass",
        "try:\n    1/0\nexcept ZeroDivisionError:\n    x = 9\nfinally:\n    pass\nx", "assert True",
        "if 1:\n    x = '''\nno indent\n    indent\n\ttab\n'''\nx", "x = (1\n\n\n+2)\nx", "x = 1\n\\\n\nx",
        "x = '\\N{BULLET}\\x41'\nx", "x = b'\\xff' rb'\\x'\nx", "é = 1\né", "x = 1 if 1 else 2\nx",
        "match = 1\nmatch", "type = 5\ntype", "x = 0xf or 1\nx",
        "print(1,\n2)", "print(*[1,\n2])", "x = '#'\nx", "x = '''#'''\n# '''\nx", "x = 1\n    \nx\n  ",
        "if 1:\n    pass\n    # trailing\n  # odd\nx = 4\nx", "x = 1\n\n\n\n", "__name__", "()", "[]", "None",
        "print('x');", "f'{1!r:>{5}}'", "f'{{}}'", "f'{(lambda: 1)()}'",
        "f'{\"a\" if 1 else \"b\"}'", "(x := 5)", "x = 5\nprint(f'{x=}')", "'a' 'b'\n'c'", "not 1", "-1",
        "(\n1\n)", "(1,\n 2)  # c", "1 # c ;", "1; # c", "'a;'", "[i for i in\n range(2)]", "lambda: 1, 2",
        "x, y = 1, 2\nx, y", "*(1, 2), 3", "x = 1\nx #;\n#", "'''a\n''';", "'''a\n'''; # c", "1 \\\n", "1;\\\n",
        "def f():\n    '''a\n  b'''\nprint(f.__doc__)", "async def f(): return 1",
    )

    def test_same_tree_and_output(self):
        """Each cell alone, framed in each way, against the unframed script."""
        for source in self.CELLS:
            with self.subTest(source):
                self.write("x.ipynb", notebook(source))
                results = []
                for options in (["--instrument=none", "--no-cell-regions"], ["--instrument=all"],
                                ["--instrument=none"]):
                    self.nbscorep("build", "-q", *options, "x.ipynb")
                    results.append(self.body_of(self.path("x.py")))
                try:
                    wanted = self.wanted(source)
                except SyntaxError:
                    continue
                for got in results:  # a frame wants a statement
                    self.assertEqual(got, wanted if wanted or got == [] else [ast.dump(ast.Pass())])

    def wanted(self, source):
        body = ast.parse(source).body
        return [ast.dump(s) for s in body]

    def body_of(self, path):
        """The statements of the only cell, without frames, echo and the line before a cell."""
        try:
            tree = ast.parse(path.read_bytes())
        except SyntaxError as error:
            return f"{error}: {path.read_text()}"
        text = path.read_bytes()
        marker = text.index(b"# %% cell 1")
        line = text[:marker].count(b"\n") + 1
        statements = [s for s in tree.body if s.lineno > line
                      and "_nbscorep_next_cell()" not in ast.unparse(s)]
        if (len(statements) == 1 and isinstance(statements[0], ast.With)
                and "scorep." in ast.unparse(statements[0].items[0])):
            statements = statements[0].body
        return [ast.dump(self.without_echo(s)) for s in statements]

    def without_echo(self, statement):
        if (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                and getattr(statement.value.func, "id", "") == "_nbscorep_echo"):
            return ast.Expr(statement.value.args[0])
        return statement

    def test_text_that_looks_like_ours(self):
        cells = ["# %% cell 2\nx = 1", "with scorep.user.region('cell 1'):\n    x = 2",
                 "_nbscorep_echo = 5\n_nbscorep_echo", "displayhook = None\n7",
                 "# Compiled by nbscorep from y.ipynb\n# nbscorep build 0\nx",
                 "import sys\nsys.displayhook = lambda v: None\n8"]
        self.write("x.ipynb", notebook(*cells))
        self.nbscorep("build", "-q", "x.ipynb")
        ast.parse(self.path("x.py").read_bytes())

    def test_markdown_tricks(self):
        texts = ["# %% cell 9", "\x0c# %%", "a\rb\x0bc\x0cd\x1ce\x1df\x1eg\x85h\u2028i\u2029j", '"""',
                 "\\", "a\\", "\x00", "\ud800", "# -*- coding: utf-7 -*-", "%% x", " %% x", "\t%%"]
        self.write("x.ipynb", notebook(*[markdown(t) for t in texts], "x = 1"))
        self.nbscorep("build", "-q", "x.ipynb")
        script = self.path("x.py").read_bytes().decode()
        self.assertEqual(script.split("\n"), script.splitlines() + [""])
        self.assertEqual(len(re.findall("(?m)^# %% ", script)), len(texts) + 1)
        ast.parse(script)


class Large(Case):
    """Size alone is no reason to hang, crash, or slow down more than linearly."""

    def seconds(self, content, timeout=60):
        """Of the program's own computing: neither other load nor the file system counts."""
        self.write("x.ipynb", content)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.nbscorep("build", "-q", "--force", "x.ipynb", timeout=timeout)
        self.assertIn(done.status, (0, 1), done.err[:300])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime

    def check_linear(self, make, size):
        """16 times the size takes no more than 40 times as long; quadratic would be 256 times."""
        small = min(self.seconds(make(size)) for _ in range(3)) + 0.01
        try:
            large = self.seconds(make(16 * size))
        except subprocess.TimeoutExpired:
            large = float("inf")
        self.assertLess(large, 40 * small, f"{size}: {small:.3f} s, {16 * size}: {large:.3f} s")

    def check_text(self, size, **texts):
        for name, text in texts.items():
            with self.subTest(name):
                self.check_linear(lambda n, t=text: notebook(t * n), size)

    def check_notebook(self, size, **makers):
        for name, maker in makers.items():
            with self.subTest(name):
                self.check_linear(lambda n, m=maker: notebook(*m(n)), size)

    def test_many_cells(self):
        self.check_notebook(
            3_000, plain=lambda n: ["x = 1\nx"] * n, markdown=lambda n: [markdown("# x")] * n,
            marked=lambda n: ["%%execute_with_scorep\nx = 1"] * n,
            warnings=lambda n: ["%nosuch"] * n, awaits=lambda n: ["x = await f()"] * n,
            imports=lambda n: [f"import module{i}" for i in range(n)],
            futures=lambda n: ["from __future__ import annotations\nx = 1"] * n,
            unknown_futures=lambda n: [f"from __future__ import a{i}" for i in range(n)])

    def test_many_sections(self):
        self.check_notebook(50, sections=lambda n: [c for i in range(n) for c in (
            f"%%start_writefile p{i}", "x = 1", "%%end_writefile")])

    def test_many_settings(self):
        self.check_notebook(
            1_000,
            env_cell=lambda n: ["%%scorep_env\n" + "".join(f"V{i}=1\n" for i in range(n))],
            same=lambda n: ["%%scorep_env\n" + "V=1\n" * n],
            magics=lambda n: ["".join(f"%env SCOREP_X{i}=1\n" for i in range(n))],
            arguments=lambda n: ["%%scorep_python_binding_arguments\n" + "--keep-files " * n],
            lines=lambda n: ["%%scorep_python_binding_arguments\n" + "--keep-files\n" * n])

    def test_long_cells(self):
        self.check_text(
            5_000, statements="x = 1\n", definitions="def f():\n pass\n", magics="%nosuch\n",
            shell="!x\n", help="?x\n", cell_magics="%%time\n", prompts=">>> x\n",
            empty_prompts="...: \n", ipython_prompts="In [1]: x\n", comments="#\n", blank="\n",
            returns="\r", continued="\\\n", assigned="x = !y\n", assigned_magics="x = %nosuch\n",
            indented="  x\n", environ="os.environ['SCOREP_A'] = 1\n", awaits="x = await f()\n",
            triple="'''\n", f_triple="f'''{x\n", open_lines="x = (\n", blanks="  \n",
            words="ls\n", decorators="@x\n", globals="global x\n")

    def test_long_lines(self):
        self.check_text(
            20_000, quotes="'", double_quotes='"', percents="%", backslashes="\\", semicolons=";",
            ats="@", assignments="a=", lambdas="lambda:", form_feeds="\x0c", nulls="\0",
            open="(", braces="{", closing=")", ifs="if ", dots="a.", strings="'a' ",
            f_strings="f'{x}' ", f_deep="f'{", f_triple="f'''{", wide="é", tabs="\t",
            blanks=" ", questions="?", bangs="!", numbers="1e", surrogates="\ud800",
            commas=",", colons=":", walrus=":=", stars="*", hashes="#", words="x ")

    def test_inside_something(self):
        self.check_notebook(
            10_000, list=lambda n: ["x = [" + "1," * n + "]"],
            string=lambda n: ["x = '" + "é" * n + "'"], magic=lambda n: ["%nosuch " + "x" * n],
            fields=lambda n: ["f'" + "{x}" * n + "'"],
            specs=lambda n: ["f\"{x:" + "{y:" * n + "}" * n + "}\""],
            nested=lambda n: ["f'{" * n + "}'" * n],
            sum=lambda n: ["x = 1 \\\n" + " + 1 \\\n" * n + " + 1"],
            blocks=lambda n: ["".join(" " * (i % 60) + "if 1:\n" for i in range(n))],
            markdown=lambda n: [markdown("x\n" * n)], separators=lambda n: [markdown("\u2028" * n)])

    def test_deep_blocks(self):
        self.check_notebook(60, blocks=lambda n: ["".join(" " * i + "if 1:\n" for i in range(n))
                                                  + " " * n + "pass"])

    def test_fifty_thousand_cells(self):
        self.assertLess(self.seconds(notebook(*["x = 1\nx"] * 50_000)), 20)

    def test_big_outputs(self):
        output = {"output_type": "stream", "name": "stdout", "text": "x" * 10_000_000}
        self.assertLess(self.seconds(notebook(code("x = 1", outputs=[output]))), 5)

    def test_memory_limit(self):
        """Out of memory is exit 3 with a word, and no half of a file."""
        self.write("x.ipynb", notebook(*["x = '" + "y" * 5_000_000 + "'"] * 10))
        before = self.files()
        for kilobytes in (20_000, 60_000, 100_000, 150_000):
            done = self.run_command(
                "bash", "-c", f'ulimit -v {kilobytes}; exec "{binary()}" build x.ipynb')
            # A sanitizer's own memory does not fit into the limit, nor do the libraries in less.
            started = b"shared libraries" not in done.err and b"Sanitizer" not in done.err
            if done.status != 0 and started:
                self.assertEqual(done.status, 3, done)
                self.assertIn(b"memory", done.err)
                self.assertEqual(self.files(), before)



class Stdin(Case):
    def test_random_bytes(self):
        """Never a crash, whatever arrives."""
        rnd = random.Random(7)
        base = notebook("x = 1\n%time y\n!ls", markdown("a"), "%%execute_with_scorep\nf'{x}'")
        for _ in range(300):
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
            done = subprocess.run([binary(), "build", "-q", "-o", "-", "-"], input=bytes(data),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20,
                                  cwd=self.folder)
            self.assertIn(done.returncode, (0, 1), bytes(data))


if __name__ == "__main__":
    unittest.main()
