#!/usr/bin/env python3
"""Notebooks that %run takes in, and texts that %load takes in: where they are looked for, what is
said about them, and how much of it there may be."""
import ast
import json
import os
import sys
import unittest

from support import DOUBLE, UNPRIVILEGED, Case, binary, clean_environment, notebook, setting


class Include(Case):
    def notebooks(self, **cells):
        for name, sources in cells.items():
            self.write(f"{name}.ipynb", notebook(*sources))

    def script(self, name="main"):
        return self.path(f"{name}.py").read_text()

    def run_script(self, name="main.py", cwd=None):
        """What the script prints under the double of the bindings."""
        done = self.run_command("python3", name, cwd=cwd, env=clean_environment(PYTHONPATH=str(DOUBLE)))
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done.out.decode()

    def check(self, name="main.ipynb", form="text", **more):
        return self.nbscorep("check", f"--diagnostics-format={form}", name, **more)

    def errors(self, name="main.ipynb", form="text"):
        done = self.check(name, form)
        self.assertEqual(done.status, 1, done)
        return done.err.decode()


class Places(Include):
    def test_another_folder(self):
        """Names are relative to the notebook's folder, wherever nbscorep is called."""
        self.write("sub/main.ipynb", notebook("%run other.ipynb"))
        self.write("sub/other.ipynb", notebook("print('other')", "%nosuch"))
        self.write("other.ipynb", notebook("print('wrong')"))
        done = self.nbscorep("build", "-MD", "sub/main.ipynb")
        self.assertRegex(done.err, rb"^sub/other\.ipynb:cell 2:1:1: warning: .*'%nosuch'")
        self.assertIn("print('other')", self.path("sub/main.py").read_text())
        self.assertIn("main.ipynb sub/other.ipynb\n", self.path("sub/main.d").read_text())

    def test_absolute_name_stays_in_the_magic(self):
        self.notebooks(other=["print('other')"])
        self.write("main.ipynb", notebook(f"%run {self.path('other.ipynb')}"))
        self.build("main.ipynb")
        lines = [line for line in self.script().splitlines() if str(self.folder) in line]
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("# included below: %run ", lines[0])
        self.assertIn("with scorep_notebook.include(", lines[1])

    def test_text_of_a_magic_stays_text(self):
        """Below a magic that the cell runs within, too."""
        self.notebooks(other=["print('other')"])
        for above in "", "%%time\n":
            self.write("main.ipynb", notebook(above + "%%timeit\n%run other.ipynb"))
            self.nbscorep("build", "--force", "main.ipynb")
            self.assertIn("scorep_notebook.line_magic(", self.script())
            self.assertNotIn("print('other')", self.script())

    def test_names_with_blanks_and_quotes(self):
        self.write("a b.ipynb", notebook("print('blank')"))
        self.write("it's.ipynb", notebook("print('quote')"))
        self.notebooks(main=['%run "a b.ipynb" x', "%run a\\ b.ipynb", "%run 'a b.ipynb'", '%run "it\'s.ipynb"'])
        self.build("-MD", "main.ipynb")
        self.assertEqual(self.run_script(), "blank\n" * 3 + "quote\n")
        self.assertIn("a\\ b.ipynb", self.path("main.d").read_text())

    def test_modules_and_file_of_its_folder(self):
        """As with IPython, for the time of %run: also when the folder was changed before."""
        self.write("lib/mod.py", "name = 'mod of lib'\n")
        self.write("lib/other.ipynb", notebook("import mod\nprint(mod.name, __file__)"))
        self.write("sub/x.txt", "")
        self.notebooks(main=["%cd -q sub", "%run lib/other.ipynb",
                             "import sys\nprint(any(p.endswith('lib') for p in sys.path[:2]),"
                             " __file__.endswith('main.py'))"])
        self.build("main.ipynb")
        self.assertEqual(self.run_script(), "mod of lib lib/other.ipynb\nFalse True\n")

    def test_what_is_no_file(self):
        os.mkfifo(self.path("fifo.ipynb"))
        os.mkfifo(self.path("fifo.py"))
        self.path("folder.ipynb").mkdir()
        self.notebooks(main=["%run fifo.ipynb", "%load fifo", "%run folder.ipynb", "%load -",
                             "%load ''", "%run 'open.ipynb"])
        done = self.check(stdin=b"print('standard input')")
        self.assertEqual(done.err.count(b"there is no such file [included-file]"), 4, done)
        self.assertNotIn(b"standard input", done.err)

    def test_unreadable(self):
        self.notebooks(main=["%run other.ipynb"], other=["x"])
        self.path("other.ipynb").chmod(0)
        self.assertIn(b"cannot include 'other.ipynb': Permission denied", self.check(**UNPRIVILEGED).err)

    def test_line_ends(self):
        for end in "\r\n", "\r":
            with self.subTest(end=end):
                self.write("t.py", end.join(("if 1:", "    print('a')", "print('b')")))
                self.notebooks(main=[end.join(("for i in (1,):", "    %run other.ipynb",
                                               "    %load t.py", "    print('end')"))],
                               other=[end.join(("x = 2", "print(x)"))])
                self.build("--force", "main.ipynb")
                self.assertEqual(self.run_script(), "2\na\nb\nend\n")

    def test_sources_are_not_overwritten(self):
        text = "# Compiled by nbscorep from nothing\nx = 1\n"
        self.write("main.py", text)
        self.notebooks(main=["%load main.py"])
        self.ended(3, b"what the script is made from", "build", "--force", "main.ipynb")
        self.assertEqual(self.script(), text)
        text = "# Compiled by nbscorep from nothing\nsetup: module load scorep\n"
        self.write("nbscorep.yaml", text)
        self.write("filter", "SCOREP_REGION_NAMES_BEGIN\nSCOREP_REGION_NAMES_END\n")
        for name in "nbscorep.yaml", "filter":
            before = self.path(name).read_text()
            self.ended(3, b"what the script is made from", "build", "--force", "--filter=filter", "-o", name, "main.ipynb")
            self.assertEqual(self.path(name).read_text(), before)


class Reports(Include):
    def test_dependencies_of_sections(self):
        """Modules that several of them import are there once."""
        self.write("solver.py", "import sys\n")
        self.write("x.ipynb", notebook(*[cell for name in "ab" for cell in (
            f"%%start_writefile {name}", "import solver", "%%end_writefile")]))
        self.nbscorep("build", "-MD", "x.ipynb")
        lines = self.path("a.d").read_text().splitlines()
        self.assertEqual((lines[0].split().count("solver.py"), lines.count("solver.py:")), (1, 1))

    def test_modules_have_a_limit(self):
        """Of all together, beside that of each: what is behind it is not looked at."""
        for number in range(12):
            self.write(f"m{number}.py", "x = '" + "y" * 1_000_000 + "'\n")
        self.write("end.py", "import threading\n")
        self.write("x.ipynb", notebook("".join(f"import m{n}\n" for n in range(12)) + "import end"))
        done = self.nbscorep("build", "-MD", "x.ipynb")
        self.assertEqual((done.status, done.err), (0, b""))
        self.assertIn("m7.py", self.path("x.d").read_text())
        self.assertNotIn("end.py", self.path("x.d").read_text())

    def test_dependencies(self):
        """What was looked for, each file once, also what was missing; not what is not included."""
        self.notebooks(main=["%run a.ipynb\n%run ./a.ipynb", "%run missing.ipynb", "%load t",
                             "def f():\n    %run unused.ipynb"],
                       a=["%run b.ipynb"], b=["1"], unused=["1"])
        self.write("t.py", "1")
        self.assertEqual(self.nbscorep("build", "-q", "-MD", "main.ipynb").status, 0)
        self.assertEqual(self.path("main.d").read_text().splitlines()[0],
                         "main.py main_run.sh: main.ipynb a.ipynb b.ipynb t.py missing.ipynb")

    def test_said_once(self):
        """What an included notebook gives reason to is said once, however often it is run."""
        self.notebooks(main=["%run other.ipynb\n" * 20, "%nosuch", "%nosuch"], other=["%nosuch", "x = (1\n%profile"])
        done = self.check()
        self.assertEqual(done.err.count(b"\nother.ipynb:cell 1:1:1: "), 1, done)
        self.assertEqual(done.err.count(b"\nother.ipynb:cell 2:1:5: "), 1, done)
        self.assertEqual(done.err.count(b"'%nosuch'"), 3, done)
        self.assertTrue(done.err.endswith(b"\n1 error, 3 warnings\n"), done)

    def test_order_and_json(self):
        self.notebooks(main=["%run z.ipynb\n%run a.ipynb", "%nosuch"], z=["%nosuch"], a=["1", "%nosuch"])
        report = json.loads(self.check(form="json").out)
        self.assertEqual([(d["file"], d["cell"]) for d in report["diagnostics"]],
                         [("main.ipynb", 2), ("a.ipynb", 2), ("z.ipynb", 1)])

    def test_sarif(self):
        """The file and its line, in an included notebook and in a text."""
        self.write("sub/main.ipynb", notebook("%run other.ipynb", "%load t.py"))
        self.write("sub/other.ipynb", json.dumps(json.loads(notebook("1", "%nosuch")), indent=1))
        self.write("sub/t.py", "x = 1\n%nosuch\n")
        results = json.loads(self.check("sub/main.ipynb", "sarif").out)["runs"][0]["results"]
        found = {}
        for result in results:
            place = result["locations"][0]["physicalLocation"]
            found[place["artifactLocation"]["uri"]] = place["region"]["startLine"]
        lines = self.path("sub/other.ipynb").read_text().splitlines()
        at = next(i for i, line in enumerate(lines, 1) if "%nosuch" in line)
        self.assertEqual(found, {"sub/other.ipynb": at, "sub/t.py": 2})

    def test_place_for_ipython(self):
        """What the script says of a magic names the notebook in which it stands."""
        self.notebooks(main=["%run other.ipynb", "%load t.py", "%run more.ipy"],
                       other=["1", "x = 1\n%nosuch a", "%%nosuch\ntext"])
        self.write("t.py", "x = 1\n%nosuch b")
        self.write("more.ipy", "%nosuch c")
        self.nbscorep("build", "main.ipynb")
        script = self.script()
        for place in ("other.ipynb, cell 2, line 2", "other.ipynb, cell 3", "t.py, line 2",
                      "more.ipy, line 1"):
            self.assertIn(f'"{place}"', script)


class Verify(Include):
    """Python finds what is no Python in what is taken in, too."""

    def faults(self):
        done = self.nbscorep("check", "--diagnostics-format=json", "main.ipynb",
                             env=clean_environment(PYTHON=sys.executable))
        return [(d["file"], d.get("cell", 0), d["line"], d["text"][d["column"] - 1:])
                for d in json.loads(done.out)["diagnostics"]
                if d["kind"] in ("python-syntax", "broken-cell")]

    def test_places(self):
        self.write("lib/other.ipynb", notebook("a = 1", "if a:\n    b = 2 +* 3",
                                               "%run third.ipynb\n%load t\nc = 4 +* 5"))
        self.notebooks(main=["try:\n    %run lib/other.ipynb\nfinally:\n    x = 6 +* 7",
                             "for i in x:\n    %load t.py\n    pass\ny = 8 +* 9"],
                       third=["d = 1 +* 1"])
        self.write("t.py", "e = 0\nf = 2 +* 2\n")
        self.assertEqual(self.faults(), [
            ("main.ipynb", 1, 4, "* 7"), ("main.ipynb", 2, 4, "* 9"),
            ("lib/other.ipynb", 2, 2, "* 3"), ("lib/other.ipynb", 3, 3, "* 5"),
            ("t.py", 0, 2, "* 2"), ("third.ipynb", 1, 1, "* 1")])

    def test_parts_are_one_cell(self):
        """What stands before and behind a magic is no Python for itself."""
        self.notebooks(main=["try:\n    %run other.ipynb\nexcept E:\n    %run other.ipynb\nelse:"
                             "\n    pass", "with f():\n    %load t.py\n    x = 1",
                             "x = [\n1,\n]\n%run other.ipynb\nif x:\n    %run ./other.ipynb"],
                       other=["1", "%%bash\nif", ""])
        self.write("t.py", "if 1:\n\tx = 2\n")
        self.assertEqual(self.faults(), [])

    def test_no_cell_of_a_file_raises(self):
        self.notebooks(main=["%run other.ipynb"], other=["x = (\n1"])
        done = self.nbscorep("check", "--broken-cells=raise", "main.ipynb", env=clean_environment(PYTHON=sys.executable))
        self.assertEqual((done.status, b"other.ipynb:cell 1:1:5: error:" in done.err), (1, True), done)


class Limits(Include):
    def check_in_memory(self, megabytes, name):
        """A sanitizer's own memory fits into no limit."""
        limit = "unlimited" if setting("NBSCOREP_SANITIZE") else megabytes * 1024
        return self.run_command("bash", "-c", f'ulimit -v {limit}; exec "$@"', "-", binary(),
                                "check", "--no-verify", name)

    def test_cycle_through_links(self):
        self.notebooks(main=["%run one.ipynb"])
        self.path("one.ipynb").symlink_to("two.ipynb")
        self.path("two.ipynb").symlink_to("main.ipynb")
        self.assertIn("includes itself", self.errors())

    def test_depth(self):
        """16 notebooks inside each other are taken, 17 are not."""
        for depth in 16, 17:
            for i in range(depth):
                self.write(f"n{i}.ipynb", notebook(f"%run n{i + 1}.ipynb"))
            self.write(f"n{depth}.ipynb", notebook("print('deepest')"))
            self.write("main.ipynb", notebook("%run n1.ipynb"))
            if depth == 16:
                self.build("main.ipynb")
                self.assertEqual(self.run_script(), "deepest\n")
        self.assertIn("n16.ipynb:cell 1:1:1: error: more than 16 files", self.errors())

    def test_growth_is_found_before_it_costs(self):
        """41 notebooks that run the next one ten times: counted, and not copied first."""
        for i in range(41):
            self.write(f"n{i}.ipynb", notebook(f"%run n{i + 1}.ipynb\n" * 10))
        done = self.check_in_memory(100, "n0.ipynb")
        self.assertEqual(done.status, 1, done)
        self.assertIn(b"n0.ipynb:cell 1:1:1: error: more than 20000 cells are included", done.err)
        self.assertIn(b"--max-cells=N", done.err)

    def test_limit_of_cells(self):
        self.notebooks(main=["%run a.ipynb\n%run a.ipynb"], a=["%run b.ipynb"], b=["1", "2"])
        for most, status in ("6", 0), ("5", 1):  # twice: one cell and two
            done = self.nbscorep("build", f"--max-cells={most}", "main.ipynb")
            self.assertEqual(done.status, status, done)
        self.assertIn(b"main.ipynb:cell 1:2:1: error: more than 5 cells are included", done.err)

    def test_errors_inside_do_not_let_it_grow(self):
        """Where a cycle is an error, the count has left out what is behind it."""
        for i in range(5):
            self.write(f"n{i}.ipynb", notebook(f"%run n{(i + 1) % 5}.ipynb\n" * 5))
        self.write("main.ipynb", notebook("%run n0.ipynb\n" + "%run n4.ipynb\n" * 1000))
        done = self.check_in_memory(200, "main.ipynb")
        self.assertEqual(done.status, 1, done)
        self.assertIn(b"'n0.ipynb' includes itself", done.err)

    def test_growth_without_cells(self):
        self.notebooks(main=["%run a.ipynb\n" * 500], a=["%run b.ipynb\n" * 500], b=[])
        self.assertIn("more than 20000 cells are included", self.errors())

    def test_growth_of_text(self):
        """What is included counts as often as it is."""
        self.notebooks(main=["%run big.ipynb\n" * 3], big=[f"x = '{'a' * 1000}'"])
        for size, status in ("3018", 0), ("3017", 1):
            done = self.nbscorep("check", f"--max-code-size={size}", "main.ipynb")
            self.assertEqual(done.status, status, done)
        self.assertIn(b"main.ipynb:cell 1:3:1: error: more than 3017 bytes of code are included", done.err)

    def test_deep_nesting(self):
        """More blocks than Python nests, 20 with regions: an error at the innermost."""
        def loops(n, indent):
            return "".join(indent * i + f"for i{i} in (1,):\n" for i in range(n)) + indent * n
        for outer, inner, place in ((9, 9, None), (9, 10, b"a.ipynb:cell 1:10:10: error: "),
                                    (20, 0, b"main.ipynb:cell 1:20:39: error: ")):
            with self.subTest(outer=outer, inner=inner):
                self.notebooks(main=[loops(outer, "  ") + "%run a.ipynb"], a=[loops(inner, "\t") + "print('deep')"])
                done = self.nbscorep("build", "--force", "main.ipynb")
                self.assertEqual(done.status, 1 if place else 0, done)
                if place:
                    self.assertIn(place + b"too many statically nested blocks [python-syntax]", done.err)
                else:
                    self.assertEqual(self.run_script(), "deep\n")


if __name__ == "__main__":
    unittest.main()
