#!/usr/bin/env python3
"""check --print-env: what the run script exports, and where it comes from."""
import os
import re
import shutil
import unittest

from support import FIXTURES, Case, notebook


class PrintEnv(Case):
    def lines(self, *arguments, **more):
        done = self.nbscorep("check", "--no-verify", "-q", "--print-env", *arguments, **more)
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done.out.decode().splitlines()

    def test_origins(self):
        self.write("x.ipynb", notebook(
            "import os", "%%scorep_env\nSCOREP_ENABLE_TRACING=true\n\nA='$X # y'\nB=it's $HOME",
            "%env SCOREP_VERBOSE=true"))
        self.assertEqual(self.lines("x.ipynb"), [
            "# x_run.sh",
            "export SCOREP_ENABLE_TRACING=true  # x.ipynb:cell 2:2",
            "export A='$X # y'  # x.ipynb:cell 2:4",
            "export B=\"it's $HOME\"  # x.ipynb:cell 2:5",
            "export SCOREP_VERBOSE=true  # x.ipynb:cell 3:1"])

    def test_it_is_what_the_run_scripts_have(self):
        compared, folder = 0, self.path("all")  # in which the package is written once
        for name in FIXTURES:
            for made in set(folder.glob("*")) - set(folder.glob("scorep_notebook_*")):
                (shutil.rmtree if made.is_dir() else os.unlink)(made)
            arguments = self.copy_fixture(name, folder)
            if arguments[-1] != "notebook.ipynb" or len(arguments) > 1:
                continue
            built = self.nbscorep("build", "-q", "--no-verify", "notebook.ipynb", cwd=folder)
            if built.status != 0:
                continue
            printed = self.nbscorep("check", "--no-verify", "-q", "--print-env",
                                    "notebook.ipynb", cwd=folder).out.decode()
            for script in folder.rglob("*_run.sh"):
                compared += 1
                with self.subTest(script):
                    title = f"# {script.relative_to(folder)}\n"
                    part = re.split("^# ", printed[printed.index(title) + 2:], flags=re.M)[0]
                    got = [re.sub(r"  # \S+(:cell \d+)?(:\d+)+$", "", line)
                           for line in part.splitlines()[1:]]
                    self.assertEqual(got, [line for line in script.read_text().splitlines()
                                           if re.match("export (?!NBSCOREP_START_FOLDER)", line)])
        self.assertGreater(compared, 50)

    def test_nul(self):
        """It ends no value, wherever it is."""
        for line in "A=1\0", "\0A=1", "A\0=1", "A=1\x002":
            self.write("x.ipynb", notebook(f"%%scorep_env\n{line}\nB=1"))
            self.ended(1, b"a variable cannot contain a NUL character [env-syntax]", "check", "--no-verify", "x.ipynb")

    def test_several(self):
        self.write("a.ipynb", notebook("%%start_writefile one", "x", "%%end_writefile",
                                       "%%start_writefile two", "x", "%%end_writefile"))
        self.write("b.ipynb", notebook("%env SCOREP_VERBOSE=true"))
        lines = self.lines("a.ipynb", "b.ipynb")
        self.assertEqual([line for line in lines if line.startswith("# ")],
                         ["# one_run.sh", "# two_run.sh", "# b_run.sh"])
        self.assertEqual(len(lines), 3 + 1)

    def test_a_shell_reads_it(self):
        name = "odd\n$(touch hit) name.ipynb"
        self.write(name, notebook("%%scorep_env\nA=$(touch hit)`touch hit`;x\nB=$A"))
        text = "\n".join(self.lines(name))
        done = self.run_command("bash", "-euc", text + '\nprintf "%s" "$B"')
        self.assertEqual((done.status, done.out), (0, b"$(touch hit)`touch hit`;x"), done)
        self.assertEqual(list(self.folder.rglob("hit")), [])

    def test_late_is_behind_code(self):
        """Cells of settings, and of magics that mean nothing in batch, measure nothing."""
        for first, late in (("%env A=1", 0), ("%load_ext jumper_extension\n# of JUmPER", 0),
                            ("%env A=1\nx = 1", 1), ("!true", 1), ("%%timeit\n1", 1),
                            ("%%bash\ntrue", 0)):
            self.write("x.ipynb", notebook(first, "%env SCOREP_VERBOSE=true", "x = 2"))
            done = self.nbscorep("check", "--no-verify", "x.ipynb")
            self.assertEqual(done.err.count(b"[scorep-late]"), late, done)

    def test_wrong_usage(self):
        self.write("x.ipynb", notebook("x = 1"))
        for other in ("--print-requirements", "--diagnostics-format=json"):
            done = self.nbscorep("check", "--print-env", other, "x.ipynb")
            self.assertEqual((done.status, done.out), (2, b""))
            self.assertIn(b"both use standard output", done.err)


if __name__ == "__main__":
    unittest.main()
