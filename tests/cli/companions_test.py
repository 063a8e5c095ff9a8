#!/usr/bin/env python3
"""What is written beside the scripts: dependency files, as make reads them, and source maps."""
import ast
import json
import os
import re
import shutil
import unittest

from support import FIXTURES, UNPRIVILEGED, Case, binary, clean_environment, notebook

# GNU make has no way to say those of test_what_make_would_run in a rule. gcc escapes these, too.
NAMES = ("plain", "a b", "two  blanks", "$x", "a$$b", "#hash", "a#b c", "it's", "ümlaut", "a&b",
         "(x)", "back\\slash x", "a\\ b", "a\\\\ b", "100%", "a%b", "a:b", "end\\")


@unittest.skipUnless(shutil.which("make"), "make is not installed")
class WithMake(Case):
    def age(self, path, seconds):
        now = path.stat().st_mtime
        os.utime(path, (now + seconds, now + seconds))

    def check_name(self, name):
        """Touched: one rebuild. Nothing touched: none."""
        path = self.write(f"{name}.ipynb", notebook("x = 1"))
        self.age(path, -100)
        self.path("dep.mk").unlink(missing_ok=True)
        self.build("-MF", "dep.mk", f"./{name}.ipynb")
        rule = self.path("dep.mk").read_text()
        # The target as the dependency file spells it is what make must find on disk.
        target = re.match(r"(.*?\.py)(?: |:)", rule)[1]
        # make takes the backslash off a percent sign in targets only.
        self.write("Makefile", "all: " + target.replace("\\%", "%") + "\n" + target +
                   ":\n\t@echo built\n\t@cd . && \"$$NB\" build -q -MF dep.mk \"$$SRC\"\n"
                   "include dep.mk\n")
        env = clean_environment(NB=binary(), SRC=f"./{name}.ipynb")

        def rebuilt():
            done = self.run_command("make", "-s", env=env)
            self.assertEqual((done.status, done.err), (0, b""), done)
            return done.out.decode().count("built")
        self.assertEqual(rebuilt(), 0, rule)
        for output in (f"{name}.py", f"{name}_run.sh"):
            self.age(self.path(output), -200)
        self.assertEqual(rebuilt(), 1, rule)
        self.assertEqual(rebuilt(), 0, rule)

    def test_names(self):
        for name in NAMES:
            with self.subTest(name):
                self.check_name(name)

    def test_standard_input(self):
        self.build("-MD", "-", stdin=notebook("x = 1"))
        self.assertEqual(self.path("notebook.d").read_text(), "notebook.py notebook_run.sh:\n")

    def test_standard_output(self):
        """There is no file that a rule or a map could be about."""
        self.write("x.ipynb", notebook("x = 1"))
        for option in (["-MD"], ["-MF", "x.d"], ["--source-map"], ["--source-map=x.json"]):
            done = self.nbscorep("build", "-o", "-", *option, "x.ipynb")
            self.assertEqual((done.status, set(self.files())), (2, {"x.ipynb"}), done)

    def test_what_make_would_run(self):
        """make takes SHELL=x for the shell to use, != for a command's output, what is behind ; for
        a recipe: none of it becomes a rule, and nothing of it is run."""
        trap = self.write("trap.ipynb", notebook("x = 1")).read_bytes()
        names = ("SHELL=trap", "SHELL!=id>pwned", "x;id>pwned;", "a\nall: pwned\nb", "a ; b", "x|y",
                 "$(shell id>pwned)", "include trap", "-include trap", "define", "export A=trap")
        for number, name in enumerate(names):
            with self.subTest(name):
                top = self.path(f"made{number}")
                path = self.write(top / f"{name}.ipynb", trap)
                self.write(top / "trap.ipynb", "#!/bin/sh\necho > pwned\n").chmod(0o755)
                done = self.nbscorep("build", "-MF", "dep.mk", f"./{path.name}", cwd=top)
                refused = set("=;\n|") & set(name)
                self.assertEqual(done.status, 1 if refused else 0, done)
                self.assertEqual((top / "dep.mk").exists(), not refused)
                self.write(top / "Makefile", "all: ; @echo made by $(SHELL)\n-include dep.mk\n")
                made = self.run_command("make", "-r", "all", cwd=top)
                self.assertEqual((made.out, made.err), (b"made by /bin/sh\n", b""), made)
                self.assertFalse((top / "pwned").exists())

    def test_what_make_would_run_of_an_included_file(self):
        for name in ("a=b", "a;id>pwned", "a&", "a\\", "a|b", "a*", "a(b)", "a ", "a?b", "a[b]", "a\tb",
                     "\va", "\fa"):
            with self.subTest(name):
                self.write(name, "")
                self.write("x.ipynb", notebook("x = 1"))
                self.build("-q", f"--filter={name}", "x.ipynb")
                done = self.nbscorep("build", "-q", "-MD", f"--filter={name}", "x.ipynb")
                self.assertEqual((done.status, self.path("x.d").exists()), (1, False), done)
                self.assertIn(b"cannot be in a dependency file: make would misread it", done.err)

    def test_names_of_modules(self):
        """In a folder that the notebook adds to sys.path."""
        for folder, status, words in (("a=b", 1, b"cannot be in a dependency file"), ("a&b", 0, b"")):
            self.write(f"{folder}/tools.py", "def f(): pass\n")
            self.write("x.ipynb", notebook(f"import sys; sys.path.append('{folder}')\n"
                                           "import tools"))
            self.build("-q", "x.ipynb")
            done = self.nbscorep("build", "-MD", "x.ipynb")
            self.assertEqual((done.status, self.path("x.d").exists()), (status, status == 0), done)
            self.assertIn(words, done.err)

    def test_what_make_would_read_as_other_files(self):
        for name in ("~x.ipynb", "./~x.ipynb", ".//./~root/x.ipynb", "*.ipynb", "a[b]c.ipynb",
                     "a\tb.ipynb", "a\t/x.ipynb"):
            with self.subTest(name):
                self.write(name, notebook("x = 1"))
                done = self.nbscorep("build", "-MF", "dep.mk", "-o", "out.py", "./" + name)
                self.assertEqual((done.status, self.path("dep.mk").exists()), (1, False), done)
                self.assertIn(b"cannot be in a dependency file", done.err)
        for output in "~x.py", "a?.py", "a\tb.py", "\tb.py", "\vb.py", "\fb.py":
            with self.subTest(output):
                self.write("x.ipynb", notebook("x = 1"))
                done = self.nbscorep("build", "-MF", "dep.mk", "-o", output, "x.ipynb")
                self.assertEqual((done.status, self.path("dep.mk").exists()), (1, False), done)
        self.write("a~]b.ipynb", notebook("x = 1"))
        self.build("-MF", "dep.mk", "a~]b.ipynb")
        self.build("-MF", "other.mk", "-o", "out.py", str(self.path("~x.ipynb")))


class FilterFile(Case):
    """SCOREP_FILTERING_FILE: looked for where the run starts, from wherever the build is called."""

    def make(self, value):
        self.write("nb/x.ipynb", notebook("%%scorep_env\nSCOREP_FILTERING_FILE=" + value, "x = 1"))
        self.write("nb/tools/a.filt", "")

    def rule(self, value, *arguments, **more):
        self.make(value)
        self.build("-MF", "dep.mk", *arguments, **more)
        return self.path("dep.mk").read_text().splitlines()[0].split(": ")[1].split()

    def test_rule(self):
        self.assertEqual(self.rule("tools/a.filt", "nb/x.ipynb"), ["nb/x.ipynb", "nb/tools/a.filt"])
        path = self.path("nb/tools/a.filt")
        self.assertEqual(self.rule(str(path), "nb/x.ipynb"), ["nb/x.ipynb", str(path)])

    def test_standard_input(self):
        self.make("tools/a.filt")
        self.build("-MF", "dep.mk", "-", stdin=notebook("%%scorep_env\nSCOREP_FILTERING_FILE=nb/tools/a.filt"))
        self.assertIn(": nb/tools/a.filt\n", self.path("dep.mk").read_text())

    def test_variable(self):
        """The name is not known for certain, so no rule holds it."""
        env = clean_environment(TOOLS=str(self.path("nb/tools")))
        self.assertEqual(self.rule("$TOOLS/a.filt", "nb/x.ipynb", env=env), ["nb/x.ipynb"])

    def test_empty(self):
        self.make("")
        done = self.build("-MF", "dep.mk", "nb/x.ipynb")
        self.assertNotIn("FILTERING_FILE", done.err.decode())
        self.assertIn(": nb/x.ipynb\n", self.path("dep.mk").read_text())

    def test_unreadable(self):
        self.make("tools/a.filt")
        self.path("nb/tools/a.filt").chmod(0)
        done = self.nbscorep("check", "nb/x.ipynb", **UNPRIVILEGED)
        self.assertIn(b"Permission denied", done.err)


class WithNinja(Case):
    @unittest.skipUnless(shutil.which("ninja"), "ninja is not installed")
    def test_names(self):
        for name in ("plain", "a b", "$x", "#hash"):  # ninja's own reader knows no quotes
            with self.subTest(name):
                self.write(f"{name}.ipynb", notebook("x = 1"))
                quoted = name.replace("$", "$$").replace(" ", "$ ")
                shell = f"'{binary()}' build -q -MF dep.d \"$$SRC\"".replace("\n", "")
                self.write("build.ninja",
                           f"rule nb\n  command = {shell}\n  depfile = dep.d\n  deps = gcc\n"
                           f"build {quoted}.py: nb\n")
                env = clean_environment(SRC=f"{name}.ipynb")
                first = self.run_command("ninja", env=env)
                self.assertEqual(first.status, 0, first)
                self.assertIn(b"no work to do", self.run_command("ninja", env=env).out)
                path = self.path(f"{name}.ipynb")
                os.utime(path, (path.stat().st_mtime + 100,) * 2)
                self.assertNotIn(b"no work to do", self.run_command("ninja", env=env).out)


class SourceMap(Case):
    def build_map(self, folder, arguments):
        arguments = [a for a in arguments if not re.match("-MD|--source-map", a)]
        done = self.nbscorep("build", "-q", "--source-map", *arguments, cwd=folder)
        return done.status == 0

    def cells_of(self, path):
        document = json.loads(path.read_text(encoding="utf-8-sig"))
        cells = document.get("cells") or [c for w in document.get("worksheets", ()) for c in w["cells"]]
        join = "\n" if document.get("nbformat") == 2 else ""
        sources = []
        for cell in cells:
            cell = cell if isinstance(cell, dict) else {}
            source = cell.get("source", cell.get("input", ""))
            if isinstance(source, list):
                source = join.join(s for s in source if isinstance(s, str))
            sources.append(source if isinstance(source, str) else "")
        return sources

    def source_of(self, folder, entry, main):
        """The cell or text whose lines the entry of a map is about."""
        name = entry.get("text", entry.get("notebook", main))
        path, = folder.rglob(name)
        if path.suffix == ".ipynb":
            return self.cells_of(path)[entry["cell"] - 1]
        return path.read_bytes().decode("utf-8-sig")

    def lines_of(self, text):
        """Lines as Python counts them; the end of the last one counts for nothing."""
        lines = re.split("\r\n|\r|\n", text)
        return lines[:-1] if lines[-1] == "" else lines

    def check_map(self, folder, map_path):
        source_map = json.loads(map_path.read_text())
        script = (folder / source_map["script"]).read_bytes().decode()
        script_lines = self.lines_of(script)
        self.assertIn(f"# nbscorep build {source_map['build']}", script_lines[:3])
        same = edited = 0
        for cell, following in zip(source_map["cells"], source_map["cells"][1:] + [{}]):
            source = self.source_of(folder, cell, source_map["notebook"])
            lines = self.lines_of(source)[cell.get("first_line", 1) - 1:]
            if "notebook" in following or "text" in following:  # it may include that one
                lines = lines[:cell["lines"]]
            self.assertLessEqual(len(lines), cell["lines"] + 1)
            for k, line in enumerate(lines, 1):
                if k > cell["lines"]:
                    self.assertEqual(line.strip(), "")
                    continue
                got = script_lines[cell["script_line"] + k - 2]
                if got.strip(" \t\f") == line.strip(" \t\f") or self.is_text(cell, line, got):
                    same += 1
                else:
                    edited += 1
                    self.check_edited(cell, line, got)
        return same, edited

    EDITS = ("scorep_notebook", "# ", "pass  # ", "import ", "# \\%", "get_ipython", "await", "pass", ";",
             "raise SystemExit")

    def is_text(self, cell, line, got):
        """A line of text for a helper is a string."""
        if not re.fullmatch(r'".*\\n"', got.strip()):
            return False
        text = ast.literal_eval(got.strip())
        installs = "install" in line and ":" in text  # it became that, its further lines nothing
        if "scorep_notebook." not in text and text != "\n" and not installs:  # a magic in it
            self.assertEqual(text, line + "\n")
        return True

    def check_edited(self, cell, line, got):
        """An edited line still shows its line: an echo, a magic, a future import, a prompt, an
        annotation in an async cell, an autocall."""
        plain = line.replace("\0", "").strip()
        if plain.startswith(("/", ",")):
            plain = plain[1:].split()[0]
        if re.sub(r"^(\s*)\((\w+)\):", r"\1\2:", got).strip() == plain or got.strip() in (")", "))"):
            return
        self.assertTrue(any(e in got + line for e in self.EDITS) or plain.startswith((">>>", "..."))
                        or "In [" in plain or plain.rstrip("; ") in got
                        or got.strip() in plain or "%" in plain or "!" in plain
                        or "\0" in line or "\ud800" <= min(line, default="") <= "\udfff"
                        or "\ufffd" in got,
                        f"cell {cell['cell']}: {line!r} became {got!r}")

    def test_every_fixture(self):
        same = edited = maps = 0
        for name in FIXTURES:
            folder = self.path(f"cases/{name}")
            arguments = self.copy_fixture(name, folder)
            before = set(folder.rglob("*"))
            if not self.build_map(folder, arguments):
                continue
            for path in sorted(set(folder.rglob("*.map.json")) - before):
                with self.subTest(name, map=path.name):
                    here = path.parent
                    if not (here / json.loads(path.read_text())["notebook"]).exists():
                        shutil.copy(folder / arguments[-1], here)
                    counts = self.check_map(here, path)
                    same, edited, maps = same + counts[0], edited + counts[1], maps + 1
        self.assertGreater(maps, 25)
        self.assertGreater(same, 1.5 * edited)

    def test_line_by_line(self):
        """Each line of each cell is marked, so that a shift by one would be seen."""
        cells = ["a1 = 1\na2 = '''\na3\n'''\na5 = 5", "", "# b1\n# b2", "from __future__ import "
                 "annotations\nc2 = 2", "%%execute_with_scorep\n\nd3 = 3\nd4 = 4\nd4",
                 "e1 = 1\r\ne2 = 2\re3 = 3", "f1 = 1\n\n\n", "\n\ng3 = 3", "if 1:\n\th2 = 2\n\th2",
                 "import asyncio\nawait asyncio.sleep(0)\ni3 = 3", "j1 = \\\n  2\nj3 = [\n 4\n]",
                 "k1 = 1\r", "l1 = 1", "m1 = 1\r\n", "n1 = 1\n\r", "o1 = 1"]
        self.write("x.ipynb", notebook(*cells))
        self.nbscorep("build", "-q", "--source-map", "x.ipynb")
        source_map = json.loads(self.path("x.map.json").read_text())
        lines = self.lines_of(self.path("x.py").read_bytes().decode())
        checked = 0
        for cell in source_map["cells"]:
            for k, line in enumerate(self.lines_of(cells[cell["cell"] - 1]), 1):
                mark = re.match(r"\s*(?:# )?([a-o]\d)\b", line)
                if mark:
                    self.assertIn(mark[1], lines[cell["script_line"] + k - 2])
                    checked += 1
        self.assertGreater(checked, 18)

    def test_ids(self):
        cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                "source": "x = 1", "id": "my-id"}
        content = json.loads(notebook(cell)) | {"nbformat_minor": 5}
        self.write("x.ipynb", json.dumps(content))
        self.build("--source-map=map", "x.ipynb")
        self.assertEqual(json.loads(self.path("map").read_text())["cells"][0]["id"], "my-id")

    def test_exception_line(self):
        """The line of a traceback leads back to the cell."""
        self.write("x.ipynb", notebook("x = 1\n\n", "y = '''\n'''\n1 / 0\nz = 3"))
        self.build("--source-map", "x.ipynb")
        done = self.run_command("python3", "x.py")
        line = int(re.search(rb'x\.py", line (\d+)', done.err)[1])
        cell = json.loads(self.path("x.map.json").read_text())["cells"][1]
        self.assertEqual(line - cell["script_line"] + 1, 3)


if __name__ == "__main__":
    unittest.main()
