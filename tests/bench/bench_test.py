"""The benchmark itself: a table with all that the machine has.

How long anything takes is no matter here.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
import notebooks  # noqa: E402
from harness import binary, clean_environment, setting  # noqa: E402

BENCH = pathlib.Path(__file__).resolve().parent
PROGRAMS = setting("NBSCOREP_BENCH_PROGRAMS")
KINDS = sorted(set(notebooks.MIXES) - {"small", "typical", "heavy"})
VERIFIED = "nbscorep build, verified"
# What every machine has, and the rows that programs bring.
ROWS = {
    "small": ["true", "cat", "jansson", "nbscorep build", "nbscorep build again",
              "nbscorep build --dry-run", VERIFIED],
    "typical": ["cat", "wc -l", "jansson", "nbscorep build", "nbscorep build --dry-run", VERIFIED],
    "heavy": ["cat", "wc -l", "jansson", "nbscorep build"],
    "code": ["nbscorep build, 50 cells", "nbscorep build, 500 cells", "jansson, 500 cells"],
    "many": ["cat", "wc -l", "nbscorep build", "nbscorep build --dry-run", "nbscorep build again",
             "cp -r of what it builds", VERIFIED],
    "growth": [f"nbscorep build, {size} MB" for size in ("0.01", "0.1", "1", "10")],
    **{f"only {kind}": ["cat", "wc -l", "nbscorep build"] for kind in KINDS},
}
MORE = {
    "jq": (["jq"], ["small", "typical", "heavy"]),
    "jupytext": (["jupytext"], ["small", "typical", "heavy"]),
    "nbconvert": (["jupyter", "jupyter-nbconvert"], ["small", "typical", "heavy"]),
}


def program(name):
    return shutil.which(name, path=PROGRAMS)


def compile_py(*arguments, path=None, nbscorep=None):
    return subprocess.run(
        [sys.executable, str(BENCH / "compile.py"), nbscorep or binary(), "--programs", PROGRAMS,
         *arguments], env=clean_environment(**({"PATH": path} if path else {})), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        check=False)


def rows_of(table):
    """Case and command of each row, between the heading and the last line."""
    return {(line[:16].rstrip(), line[17:45].rstrip()) for line in table.splitlines()[1:-1]}


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bare = folder.name  # only what coreutils has
        for name in ("true", "cat", "wc"):
            os.symlink(shutil.which(name), os.path.join(self.bare, name))

    def test_all_rows_that_the_machine_can_have(self):
        done = compile_py("--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = {(case, row) for case, rows in ROWS.items() for row in rows}
        for row, (needed, cases) in MORE.items():
            if all(map(shutil.which, needed)):
                wanted |= {(case, row) for case in cases}
        if os.access("/dev/shm", os.W_OK):
            wanted.add(("many", "nbscorep build to memory"))
        if program("bench_simdjson"):
            wanted |= {(case, "simdjson") for case in ROWS
                       if case in ("typical", "heavy") or case.startswith("only")}
        self.assertEqual(rows_of(done.stdout), wanted)
        self.assertRegex(done.stdout.splitlines()[-1], r"^\d+ targets kept, \d+ missed")

    def test_targets_have_verdicts(self):
        lines = compile_py("--quick", "--case", "heavy", "--case", "growth", path=self.bare).stdout
        self.assertRegex(lines, r"heavy +wc -l .* build takes .* times this.*, at most 3: ")
        self.assertRegex(lines, r"heavy +jansson .* build is .* faster.*, at least 25: ")
        self.assertRegex(lines, r"growth +nbscorep build, 10 MB .* MB, at most 16: .* at most 12: ")

    def test_bare_machine(self):
        """The other rows are left out, and what is missing is said."""
        done = compile_py("--quick", "--case", "small", path=self.bare)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(rows_of(done.stdout), {("small", row) for row in ROWS["small"] if row != VERIFIED})
        self.assertTrue(done.stdout.endswith(
            " missed; no jq here; no jupytext here; no nbconvert here; no python3 here\n"),
                        done.stdout)

    def test_command_that_fails(self):
        done = compile_py("--quick", "--case", "small", path=self.bare, nbscorep=shutil.which("false"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: ", done.stderr)
        self.assertEqual(rows_of(done.stdout) & {("small", "nbscorep build"), ("small", "cat")}, {("small", "cat")})

    def test_notebooks_are_kept_and_used_again(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = "--quick", "--case", "small", "--work", folder
            compile_py(*arguments, "--keep", path=self.bare)
            kept = list(pathlib.Path(folder).iterdir())
            self.assertEqual([path.suffix for path in kept], [".ipynb"])
            before = kept[0].stat().st_mtime_ns
            compile_py(*arguments, "--keep", path=self.bare)
            self.assertEqual(kept[0].stat().st_mtime_ns, before)
            compile_py(*arguments, path=self.bare)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
