#!/usr/bin/env python3
"""nbscorep check on many notebooks: folders, the summary, and as a hook of pre-commit."""
import json
import os
import pathlib
import re
import shlex
import unittest

from support import ROOT, UNPRIVILEGED, Case, binary, clean_environment, notebook

try:
    import yaml
except ImportError:
    yaml = None

CLEAN, WARNED = notebook("x = 1"), notebook("%nosuch", "%nosuch")
FAULTY = notebook("%nosuch", "%%enable_multicellmode")


class Check(Case):
    def check(self, *arguments, **more):
        return self.nbscorep("check", "--no-verify", *arguments, **more)

    def last_line(self, *arguments):
        return self.check(*arguments).err.decode().splitlines()[-1]


class Summary(Check):
    def setUp(self):
        super().setUp()
        for name, text in (("c1", CLEAN), ("c2", CLEAN), ("w", WARNED), ("f", FAULTY)):
            self.write(f"{name}.ipynb", text)

    def test_counts(self):
        for names, status, line in (
                ("c1 c2", 0, "2 notebooks: 2 clean"),
                ("c1 w", 0, "2 notebooks: 1 clean, 1 with warnings; 2 warnings"),
                ("f f", 1, "2 notebooks: 2 with errors; 2 errors, 2 warnings"),
                ("c1 w f c2", 1, "4 notebooks: 2 clean, 1 with warnings, 1 with errors;"
                                 " 1 error, 3 warnings"),
                ("c1 gone f", 3, "3 notebooks: 1 clean, 1 with errors, 1 not checked;"
                                 " 2 errors, 1 warning")):
            with self.subTest(names):
                done = self.check(*(f"{name}.ipynb" for name in names.split()))
                self.assertEqual(done.status, status)
                self.assertEqual(done.err.decode().splitlines()[-1], line)

    def test_quiet(self):
        self.assertEqual(self.check("-q", "c1.ipynb", "w.ipynb").err, b"")
        self.assertEqual(self.last_line("-q", "c1.ipynb", "w.ipynb", "f.ipynb"),
                         "3 notebooks: 2 clean, 1 with errors; 1 error")
        self.assertEqual(self.last_line("-q", "c1.ipynb", "gone.ipynb"),
                         "2 notebooks: 1 clean, 1 not checked; 1 error")

    def test_only_of_several(self):
        """Only check has a summary, and only its text has."""
        self.assertEqual(self.check("c1.ipynb").err, b"")
        self.assertEqual(self.last_line("w.ipynb"), "2 warnings")
        done = self.nbscorep("build", "c1.ipynb", "w.ipynb")
        self.assertEqual((done.status, done.err.splitlines()[-1]), (0, b"2 warnings"), done)
        for form in ("json", "sarif"):
            done = self.check(f"--diagnostics-format={form}", "c1.ipynb", "w.ipynb")
            self.assertEqual((done.status, done.err), (0, b""))
            self.assertIsInstance(json.loads(done.out), dict)


class Folders(Check):
    def names(self, *arguments):
        """The notebooks that were looked at, in order."""
        done = self.check(*arguments)
        self.assertEqual(done.status, 0, done)
        return re.findall(r"^(.*?):cell 1:", done.err.decode(), re.M)

    def notebooks(self, *names):
        for name in names:
            self.write(name, notebook("%nosuch"))

    def test_order(self):
        self.notebooks("b.ipynb", "a/z.ipynb", "a/b/c.ipynb", "B.ipynb", "a.ipynb", "é.ipynb")
        self.write("a/no.txt", "")
        self.write("README", "")
        self.assertEqual(self.names("."), ["B.ipynb", "a/b/c.ipynb", "a/z.ipynb", "a.ipynb", "b.ipynb", "é.ipynb"])
        for name in ("a", "a/", "a//"):
            self.assertEqual(self.names(name), ["a/b/c.ipynb", "a/z.ipynb"])
        self.assertEqual(self.names("b.ipynb", "a"), ["b.ipynb", "a/b/c.ipynb", "a/z.ipynb"])
        self.assertEqual(self.names(str(self.path("a/b"))), [str(self.path("a/b/c.ipynb"))])

    def test_hidden(self):
        self.notebooks("x.ipynb", ".hidden.ipynb", ".ipynb_checkpoints/x-checkpoint.ipynb",
                       "a/.ipynb_checkpoints/y.ipynb", ".git/z.ipynb")
        self.assertEqual(self.names("."), ["x.ipynb"])
        self.assertEqual(self.names(".git"), [".git/z.ipynb"])
        self.assertEqual(self.names(".hidden.ipynb"), [".hidden.ipynb"])

    def test_links(self):
        """One to a notebook is a notebook; one to a folder may lead in a circle."""
        self.notebooks("a/x.ipynb", "b/y.ipynb")
        self.path(".git").mkdir()
        self.path("a/loop").symlink_to("..")
        self.path("a/other").symlink_to("../b")
        self.path("a/link.ipynb").symlink_to("../b/y.ipynb")
        self.assertEqual(self.names("a"), ["a/link.ipynb", "a/x.ipynb"])
        self.assertEqual(self.names("a/other"), ["a/other/y.ipynb"])
        self.path("a/gone.ipynb").symlink_to("nowhere")
        done = self.check("a")
        self.assertEqual(done.status, 3)
        self.assertIn(b"cannot open 'a/gone.ipynb': No such file", done.err)
        self.assertIn(b"1 not checked", done.err)

    def test_what_is_no_file(self):
        self.notebooks("x.ipynb", "y.ipynb/z.ipynb")
        os.mkfifo(self.path("pipe.ipynb"))
        self.assertEqual(self.names("."), ["x.ipynb", "y.ipynb/z.ipynb"])

    def test_empty(self):
        self.path("a/b").mkdir(parents=True)
        self.notebooks("x.ipynb")
        done = self.check("a")
        self.assertEqual((done.status, done.out), (2, b""))
        self.assertTrue(done.err.startswith(b"nbscorep: the folder 'a' has no notebook\n"), done)
        done = self.check("a", "x.ipynb")
        self.assertEqual(done.status, 2)
        self.assertIn(b"x.ipynb:cell 1:", done.err)

    def test_forbidden_beside_others(self):
        """The others are looked at, and stand in the document."""
        self.notebooks("a/x.ipynb", "z.ipynb", "b/y.ipynb")
        self.path("a").chmod(0)
        done = self.check("--diagnostics-format=json", ".", "a", "b", **UNPRIVILEGED)
        self.assertEqual(done.status, 3)
        self.assertEqual(done.err.count(b"cannot read folder 'a'"), 2)
        self.assertEqual([row["file"] for row in json.loads(done.out)["diagnostics"]],
                         ["b/y.ipynb", "z.ipynb", "b/y.ipynb"])

    def test_deep(self):
        """A tree deeper than a path may be long is an error, not a crash."""
        here = os.open(self.folder, os.O_RDONLY)
        name = "d" * 200
        for _ in range(30):
            os.mkdir(name, dir_fd=here)
            inner = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        os.close(here)
        self.addCleanup(self.run_command, "rm", "-rf", name)
        done = self.check(".")
        self.assertEqual((done.status, done.out), (2, b""), done)
        self.assertIn(b"the folder '.' has no notebook\n", done.err)


@unittest.skipIf(yaml is None, "there is no yaml")
class PreCommit(Check):
    """What pre-commit does with a hook: it hands the files of the commit to the entry, a number of
    them at a time, and stops the commit where that fails."""

    def setUp(self):
        super().setUp()
        self.hook, = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

    def run_hook(self, *names):
        names = [n for n in names if re.search(self.hook["files"], n)]
        path = f"{pathlib.Path(binary()).parent}:{os.environ['PATH']}"
        return self.run_command(*shlex.split(self.hook["entry"]), *self.hook.get("args", []),
                                *names, env=clean_environment(PATH=path))

    def test_keys(self):
        """Those that pre-commit requires, and that it knows."""
        self.assertLessEqual({"id", "name", "entry", "language"}, set(self.hook))
        self.assertLessEqual(set(self.hook), {"id", "name", "description", "entry", "language",
                                              "files", "require_serial"})
        self.assertEqual(self.hook["language"], "system")

    def test_run(self):
        self.write("a.ipynb", CLEAN)
        self.write("b c.ipynb", CLEAN)
        self.write("d.py", "no notebook")
        done = self.run_hook("a.ipynb", "b c.ipynb", "d.py")
        self.assertEqual((done.status, done.err), (0, b"2 notebooks: 2 clean\n"), done)
        self.write("b c.ipynb", FAULTY)
        self.assertEqual(self.run_hook("a.ipynb", "b c.ipynb", "d.py").status, 1)


if __name__ == "__main__":
    unittest.main()
