#!/usr/bin/env python3
"""Filter files of Score-P: their syntax, and how the run finds them."""
import json
import os
import random
import sys
import unittest

from support import UNDER_DOUBLE, Case, clean_environment, notebook

REGIONS = "SCOREP_REGION_NAMES_BEGIN\n{}SCOREP_REGION_NAMES_END\n"
FILES = "SCOREP_FILE_NAMES_BEGIN\n{}SCOREP_FILE_NAMES_END\n"

GOOD = [
    "", "\n\n", "# nothing\n", REGIONS.format(""), FILES.format("EXCLUDE *\n"),
    "SCOREP_REGION_NAMES_BEGIN EXCLUDE * INCLUDE a b SCOREP_REGION_NAMES_END",
    REGIONS.format("EXCLUDE a\\ b a\\#b # c\n\tMANGLED _Z1a\tDEMANGLED main\n"),
    REGIONS.format("EXCLUDE main\n") * 2 + FILES.format("INCLUDE *\nEXCLUDE */x/*\n"),
    REGIONS.format("EXCLUDE [a-z]?* 'q' \"r\" $x \u00fc \\\\x\n"),
    "#\\\n#SCOREP_REGION_NAMES_BEGIN\n",
]
# Text, then line, column, length and the beginning of the message.
BAD = [
    ("EXCLUDE *\n", 1, 1, 7, "'EXCLUDE' is outside a block"),
    ("\n  main\n", 2, 3, 4, "'main' is outside a block"),
    (REGIONS.format("main\n"), 2, 1, 4, "'main' is not after EXCLUDE or INCLUDE"),
    (REGIONS.format("MANGLED\n"), 2, 1, 7, "'MANGLED' is allowed only after EXCLUDE or INCLUDE"),
    (FILES.format("EXCLUDE \u00fc MANGLED x\n"), 2, 11, 7, "'MANGLED' is allowed only after"),
    (REGIONS.format("SCOREP_FILE_NAMES_END\n"), 2, 1, 21, "'SCOREP_FILE_NAMES_END' does not match"),
    ("SCOREP_FILE_NAMES_END\n", 1, 1, 21, "'SCOREP_FILE_NAMES_END' does not match an open block"),
    (REGIONS.format("SCOREP_REGION_NAMES_BEGIN\n"), 2, 1, 25, "'SCOREP_REGION_NAMES_BEGIN' is inside"),
    (REGIONS.format("EXCLUDE a\\\n"), 2, 10, 1, "Score-P refuses a backslash here"),
    (REGIONS.format("EXCLUDE a\n").replace("\n", "\r\n"), 1, 26, 1, "the line ends with CR LF"),
    ("exclude *\n", 1, 1, 7, "'exclude' is outside a block"),
]


class Filter(Case):
    def setUp(self):
        super().setUp()
        self.write("nb/x.ipynb", notebook("x = 1"))

    def check(self, text):
        self.write("f.filt", text)
        done = self.nbscorep("check", "--no-verify", "--diagnostics-format=json", "--filter=f.filt", "nb/x.ipynb")
        found = json.loads(done.out)["diagnostics"]
        self.assertEqual(done.status, any(d["severity"] == "error" for d in found))
        self.assertLess(len(found), 15)
        return found

    def test_good(self):
        for text in GOOD:
            with self.subTest(text):
                self.assertEqual(self.check(text), [])

    def test_bad(self):
        for text, line, column, length, message in BAD:
            with self.subTest(text):
                first = self.check(text)[0]
                got = [first["file"], first["kind"], first["line"], first["column"], first.get("length", 0)]
                self.assertEqual(got, ["f.filt", "filter-syntax", line, column, length])
                self.assertTrue(first["message"].startswith(message), first)
                self.assertNotIn("cell", first)

    def test_other_files(self):
        self.assertEqual(len(self.check("x " * 100_000)), 10)
        self.assertEqual(len(self.check(bytes(range(256)) * 100)), 1)
        self.check("\\" * 100_000)
        self.check(REGIONS.format("EXCLUDE " + "y" * 1_000_000 + "\n"))

    def test_anything(self):
        chance = random.Random(4)
        words = [" ", "\n", "\\", "#", "\t", "a", "EXCLUDE", "INCLUDE", "MANGLED", "\r",
                 "SCOREP_REGION_NAMES_BEGIN", "SCOREP_REGION_NAMES_END", "SCOREP_FILE_NAMES_END"]
        for _ in range(100):
            self.check("".join(chance.choices(words, k=30)))


class Place(Case):
    """The name that the run has."""

    def exported(self, name, *arguments, **more):
        self.build(*arguments, **more)
        lines = self.path(name).read_text().splitlines()
        found = [line for line in lines if line.startswith("export SCOREP_FILTERING_FILE=")]
        return found[-1].split("=", 1)[1] if found else None

    def setUp(self):
        super().setUp()
        self.write("nb/x.ipynb", notebook("import os", "open(os.environ['SCOREP_FILTERING_FILE'])"))
        self.write("filters/my f.filt", FILES.format("EXCLUDE *\n"))
        self.path("out").mkdir()

    def test_relative_to_the_notebook_or_absolute(self):
        given = ["--filter", "filters/my f.filt"]
        expected = "'../filters/my f.filt'"
        self.assertEqual(self.exported("nb/x_run.sh", *given, "nb/x.ipynb"), expected)
        self.assertEqual(self.exported("out/x_run.sh", *given, "--output-dir=out", "nb/x.ipynb"), expected)
        self.assertEqual(self.exported("nb/x_run.sh", "--filter=../filters/my f.filt", "x.ipynb",
                                       cwd=self.path("nb")), expected)
        self.path("link").symlink_to("nb")
        self.assertEqual(self.exported("nb/x_run.sh", *given, "link/x.ipynb"), expected)
        self.assertEqual(self.exported("notebook_run.sh", *given, "-", stdin=notebook("1")), "'filters/my f.filt'")
        path = self.path("filters/my f.filt")
        self.assertEqual(self.exported("nb/x_run.sh", f"--filter={path}", "nb/x.ipynb"), f"'{path}'")

    def test_nothing_expands(self):
        for name in ("$HOME.filt", "$(touch hit)", "it's", "-", "-f", "%j"):
            self.write(name, "")
            self.build(f"--filter={name}", "nb/x.ipynb")
            done = self.run_script()
            self.assertEqual(done.status, 0, done)
        self.assertEqual(list(self.folder.rglob("hit")), [])

    def run_script(self):
        return self.run_command(str(self.path("nb/x_run.sh")), cwd=self.path("out"),
                                env=clean_environment(**UNDER_DOUBLE,
                                                      PYTHON=sys.executable))

    def test_run_finds_it(self):
        self.build("--filter=filters/my f.filt", "nb/x.ipynb")
        done = self.run_script()
        self.assertEqual(done.status, 0, done)
        os.rename(self.path("filters"), self.path("gone"))
        self.assertEqual(self.run_script().status, 1)
        os.rename(self.path("gone"), self.path("filters"))
        done = self.nbscorep("run", "--no-scorep", "--filter=filters/my f.filt", "nb/x.ipynb")
        self.assertEqual(done.status, 0, done)

    def test_print_env(self):
        done = self.nbscorep("check", "--no-verify", "--print-env", "--filter=filters/my f.filt", "nb/x.ipynb")
        self.assertIn(b"export SCOREP_FILTERING_FILE='../filters/my f.filt'  # command line\n",
                      done.out)

    def test_unreadable(self):
        for name, reason in (("none", "No such file"), ("nb", "Is a directory"),
                             ("none/f", "No such file")):
            self.ended(3, f"cannot read the filter file '{name}': {reason}".encode(), "build", f"--filter={name}",
                       "nb/x.ipynb")
        done = self.nbscorep("build", "--filter=", "nb/x.ipynb")
        self.assertEqual((done.status, done.err.splitlines()[0]), (2, b"nbscorep: '--filter=' has no value"))
        self.assertFalse(self.path("nb/x.py").exists())

    def test_of_the_notebook(self):
        """It is checked where its name is known, and may be made before the run."""
        self.path(".git").mkdir()
        for value, message in (("../filters/bad", b"filters/bad:1:1: error: "),
                               ("none", b"cell 1:1:28: warning: cannot read the filter file"),
                               ("$NOWHERE/none", b""), ("../filters/my f.filt", b"")):
            self.write("filters/bad", "x")
            self.write("nb/y.ipynb", notebook(f"%env SCOREP_FILTERING_FILE={value}"))
            done = self.nbscorep("check", "--no-verify", "nb/y.ipynb")
            self.assertIn(message, done.err)
            self.assertEqual(bool(done.err), bool(message), done)
        self.write("nb/y.ipynb", notebook("x = 1", nbscorep={"build": {"filter": "none"}}))
        self.ended(1, b"[missing-file]", "check", "--no-verify", "nb/y.ipynb")


if __name__ == "__main__":
    unittest.main()
