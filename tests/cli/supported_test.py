#!/usr/bin/env python3
"""check, beside a Score-P that does not support what the notebook's binding arguments ask for."""
import json
import os
import unittest

from support import Case, clean_environment, notebook, scorep_config

HEAD = "%%scorep_python_binding_arguments\n"


class Supported(Case):
    def setUp(self):
        super().setUp()
        self.tool("scorep-config", f"echo asked >>{self.path('asked')}\n" + scorep_config(text="8.4-plain.txt"))

    def check(self, *cells, options=(), names=("x.ipynb",)):
        for name in names:
            self.write(name, notebook(*cells))
        env = clean_environment(PATH=f"{self.path('bin')}:{os.environ['PATH']}")
        done = self.nbscorep("check", "--no-verify", "--diagnostics-format=json", *options, *names, env=env)
        return done, [d for d in json.loads(done.out)["diagnostics"] if d["kind"] == "args-unsupported"]

    def asked(self):
        path = self.path("asked")
        return len(path.read_text().splitlines()) if path.exists() else 0

    def test_text(self):
        self.write("x.ipynb", notebook(HEAD + "--nocompiler --cuda", "x = 1"))
        done = self.nbscorep("check", "x.ipynb", env=clean_environment(
            PATH=f"{self.path('bin')}:{os.environ['PATH']}"))
        self.assertEqual((done.status, done.err.decode()), (
            0, "x.ipynb:cell 1:2:14: warning: the Score-P that is installed, version 8.4 does not "
               "support '--cuda' [args-unsupported]\n    --nocompiler --cuda\n"
               "                 ^~~~~~\n"
               "1 warning\n"))

    def test_places_and_hints(self):
        _, found = self.check(HEAD + "--mpp=mpi   --thread=omp:ompt \\\n --memory=libc --io=posix")
        self.assertEqual([(d["line"], d["column"], d["length"]) for d in found], [(2, 1, 9), (2, 13, 17), (3, 2, 13)])
        self.assertEqual([d.get("hint") for d in found], ["it takes none", "it takes none, pthread", None])

    def test_score_p_9(self):
        text = scorep_config("9.0", "8.4-plain.txt").replace("--io=", "--input=")
        self.tool("scorep-config", text)
        _, found = self.check(HEAD + "--io=posix")
        self.assertEqual([d["hint"] for d in found], ["Score-P 9 has the variable SCOREP_IO_POSIX=true instead"])

    def test_asked_once_and_only_where_it_matters(self):
        for words in ("", "--nocompiler", "--mpp=none --user", "--keep-files", "--mpp=$MPP"):
            self.check(HEAD + "--thread=none " + words, "x = 1")
            self.assertEqual(self.asked(), 0, words)
        _, found = self.check(HEAD + "--cuda --cuda --hip", names=("a.ipynb", "b.ipynb"))
        self.assertEqual(len(found), 4)
        self.assertEqual(self.asked(), 2)  # its version, and what it supports

    def test_added_argument(self):
        self.tool("scorep-config", scorep_config("8.4", "1.2.txt"))
        _, found = self.check("x = 1")
        self.assertEqual([(d.get("line"), d["hint"]) for d in found], [
            (None, "'--thread=none' in the binding arguments does without it")])
        self.tool("scorep-config", scorep_config("8.4", "8.4-plain.txt"))
        _, found = self.check("from mpi4py import MPI")
        self.assertEqual([(d["line"], d["column"], d["hint"]) for d in found], [
            (1, 6, "'--mpp=none' in the binding arguments does without it")])

    def test_silence(self):
        """Another Score-P, one that cannot be asked, none."""
        cell = HEAD + "--cuda"
        self.assertEqual(self.check("%%scorep_env\nPATH=/opt/scorep/bin:$PATH", cell)[1], [])
        for commands in ("exit 1", "echo hello", "kill -SEGV $$"):
            self.tool("scorep-config", commands)
            self.assertEqual(self.check(cell)[1], [], commands)
        self.path("bin/scorep-config").unlink()
        self.assertEqual(self.check(cell)[1], [])


if __name__ == "__main__":
    unittest.main()
