"""Packages are installed for the running Python, by one process, without a question."""
import pathlib
import sys
import tempfile
import unittest

import scripts


class PackagesTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def command(self, text):
        """What TEXT becomes before a shell gets it."""
        done = scripts.run("from scorep_notebook_test.commands import install_command\n"
                           f"print(install_command({text!r}))")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.rstrip("\n")

    def install(self, text, script="", **environment):
        return scripts.run(f"print('before')\nscorep_notebook.install({text!r})\n"
                           + script, cwd=self.folder,
                           env=scripts.environment(**environment))

    def test_pip_is_that_of_the_running_python(self):
        python = f"{sys.executable} -m pip"
        for text, expected in {
                "pip install x": f"{python} install x",
                "pip3 install 'x>=1' -q > log": f"{python} install 'x>=1' -q > log",
                "pip3.11 install x": f"{python} install x",
                "python -m pip install x": f"{python} install x",
                "python3 -m  pip install x": f"{python} install x",
                "pip": python,
                "pipx install x": "pipx install x",
                "pip-sync": "pip-sync",
                "uv pip install x": "uv pip install x"}.items():
            with self.subTest(text=text):
                self.assertEqual(self.command(text), expected)

    def test_conda_does_not_ask(self):
        for text, expected in {
                "conda install x": "conda install -y x",
                "conda install --yes x": "conda install --yes x",
                "conda install x -y": "conda install x -y",
                "mamba update x": "mamba update -y x",
                "micromamba  install x": "micromamba  install -y x",
                "conda install my-y": "conda install -y my-y",
                "conda list": "conda list"}.items():
            with self.subTest(text=text):
                self.assertEqual(self.command(text), expected)

    def test_output_and_order(self):
        done = self.install("echo {1 + 1}", "print('after')\n")
        self.assertEqual(done.stdout, "before\n2\nafter\n", done.stderr)

    def test_a_module_installed_can_be_imported(self):
        # The folder looks unchanged, as one does that is changed twice within the clock's tick.
        script = """
import os, sys
sys.path.insert(0, "")
os.utime(".", (1, 1))
try:
    import fresh
except ImportError:
    scorep_notebook.install("echo value=7 > fresh.py && touch -d @1 .")
import fresh
print(fresh.value)
"""
        done = scripts.run(script, cwd=self.folder)
        self.assertEqual(done.stdout, "7\n", done.stderr)

    def test_failure_ends_the_script(self):
        done = self.install("exit 3", "print('after')\n")
        self.assertEqual((done.returncode, done.stdout), (1, "before\n"))
        self.assertIn("CalledProcessError: Command 'exit 3' returned non-zero exit status 3",
                      done.stderr)

    def test_other_ranks_do_nothing(self):
        done = self.install("echo installed; exit 1", "print('after')\n", PMI_RANK="1")
        self.assertEqual((done.returncode, done.stdout), (0, "before\nafter\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
