#!/usr/bin/env python3
"""The package is clean: no warning of Python from 3.8 on, no finding of pyflakes."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launching import ROOT, clean_environment  # noqa: E402

FOLDER = ROOT / "templates" / "scorep_notebook"
HELPERS = ("import scorep_notebook\nfor name in scorep_notebook._MODULE_OF:\n"
           "    if name not in ('get_ipython', 'pylab', 'config', 'matplotlib'):  # these import what may warn\n"
           "        getattr(scorep_notebook, name)\nprint('ok')\n")


def pythons():
    """One for each version from 3.8 on that is found: on PATH, or where pyenv keeps them."""
    folders = [pathlib.Path(name) for name in os.environ["PATH"].split(os.pathsep)]
    folders += pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")).glob("versions/*/bin")
    found = {sys.version_info[1]: sys.executable}
    for minor in range(8, 20):
        for folder in folders:
            if os.access(folder / f"python3.{minor}", os.X_OK) and folder.name != "shims":
                found.setdefault(minor, str(folder / f"python3.{minor}"))
    return found


class Clean(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("pyflakes"), "needs pyflakes")
    def test_pyflakes(self):
        done = subprocess.run([sys.executable, "-m", "pyflakes", FOLDER], stdout=subprocess.PIPE, check=False)
        self.assertEqual(done.stdout.decode(), "")

    def test_warnings(self):
        """Of compiling each module, and of loading each helper."""
        for minor, python in pythons().items():
            with self.subTest(python), tempfile.TemporaryDirectory() as cache:
                env = clean_environment(PYTHONPATH=str(ROOT / "templates"), PYTHONPYCACHEPREFIX=cache)
                for words in (["-m", "compileall", "-q", str(FOLDER)], ["-c", HELPERS]):
                    done = subprocess.run([python, "-W", "error", *words], env=env, encoding="utf-8",
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), words)
                self.assertEqual(done.stdout, "ok\n")


if __name__ == "__main__":
    unittest.main()
