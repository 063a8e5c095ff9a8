#!/usr/bin/env python3
"""Modules of a run script, through the init files of both systems; the modules are the test's.

Debian does not install both beside each other, so that of Lmod is only unpacked: NBSCOREP_TEST_LMOD
names the folder, else it is where tools/test put it.
"""
import os
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster  # noqa: E402
from ending_test import EndingCase  # noqa: E402
from support import ROOT, setting  # noqa: E402

UNPACKED = pathlib.Path(setting("NBSCOREP_TEST_LMOD") or ROOT / "build/test-packages/lmod")
NEEDED = setting("NBSCOREP_TEST_SLURM")
SHOW = "import os\nprint('program', os.environ.get('NB_TOOL'), os.environ.get('FROM_PYTHON'))"


class ModulesCase(EndingCase):
    """With a module system that a subclass names."""

    def setUp(self):
        super().setUp()
        for name, value in ("one", "1.0"), ("two", "2.0"):
            self.write(f"modulefiles/nb{name}/{value}", "#%Module1.0\nsetenv NB_TOOL " + value
                       + f"\nprepend-path PATH {self.folder}/of-{name}\n")
        self.write("other-files/nbthree/3", "#%Module1.0\nsetenv NB_TOOL three\n")
        self.write("of-two/python3", f"#!/bin/sh\nFROM_PYTHON=two exec {sys.executable} \"$@\"\n")
        self.path("of-two/python3").chmod(0o755)

    def environment(self, **more):
        """A job's: no module command, and no LOGNAME, without which Lmod dies under set -u."""
        return super().environment(**({
            "PYTHON": None, "LOGNAME": None, "USER": None, "BASH_ENV": None, "ENV": None,
            "BASH_FUNC_module%%": None, "BASH_FUNC_ml%%": None, "LOADEDMODULES": None,
            "_LMFILES_": None, "LMOD_CMD": None, "LMOD_PKG": None, "LMOD_DIR": None,
            "MODULES_CMD": None, "MODULESHOME": str(self.home()),
            "MODULEPATH": str(self.path("modulefiles"))} | more))

    def make(self, *modules, cells=(SHOW,)):
        self.write("nbscorep.yaml", "modules: " + str(list(modules)) + "\n")
        super().make(*cells, options=["--force"])

    def start(self, *modules, **more):
        self.make(*modules)
        done = self.run_command("./heat_run.sh", env=self.environment(**more))
        return done.status, done.out.decode(), done.err.decode()

    def refused(self, words, *modules, **more):
        status, out, err = self.start(*modules, **more)
        self.assertEqual((status, out), (3, ""), err)
        self.assertRegex(err, words)
        self.assertFalse(self.experiment.exists())


class Both:
    def test_loaded(self):
        """They come before Python is chosen, and say nothing on standard output."""
        self.assertEqual(self.start("nbone")[:2], (0, "program 1.0 None\n"))
        self.assertEqual(self.start("nbone", "nbtwo/2.0")[:2], (0, "program 2.0 two\n"))

    def test_commands(self):
        self.assertEqual(self.start("nbone", "purge")[:2], (0, "program None None\n"))
        self.write("modulefiles/with blank/1", "")
        self.assertEqual(self.start("use $MINE", "nbthree", MINE=str(self.path("other-files")))[:2],
                         (0, "program three None\n"))

    def test_missing(self):
        self.refused("nbnone",
                     "nbone", "nbnone", "nbtwo")


@unittest.skipUnless(NEEDED or os.path.exists("/usr/share/modules/init/bash"),
                     "needs environment-modules")
class EnvironmentModules(Both, ModulesCase):
    def home(self):
        return pathlib.Path("/usr/share/modules")

    def test_in_a_job(self):
        self.make("nbtwo", cells=(SHOW, "import sys\nsys.exit(6)"))
        slurm = cluster.start(self.addCleanup)
        job = slurm.submit("--output=job.out", "--error=job.err", "heat_run.sh",
                           env=self.environment(SLURM_CONF=slurm.configuration), cwd=self.folder)
        self.assertEqual(slurm.wait_for(job, "FAILED")["ExitCode"], "6:0")
        self.assertEqual(self.path("job.out").read_text(), "program 2.0 two\n")

    def test_usual_places(self):
        self.assertEqual(self.start("nbone", MODULESHOME=None)[:2], (0, "program 1.0 None\n"))


@unittest.skipUnless(NEEDED or UNPACKED.is_dir(), "needs Lmod unpacked")
class Lmod(Both, ModulesCase):
    def home(self):
        """A copy of it that knows where it lies."""
        home = self.path("lmod")
        if not home.exists():
            top, = (path for path in UNPACKED.glob("usr/share/lmod/*") if not path.is_symlink())
            shutil.copytree(top, home)
            init = home / "init/bash"
            init.write_text(init.read_text().replace("/usr/share/lmod/lmod", str(home)))
        return home

    def test_named_by_lmod(self):
        self.assertEqual(self.start("nbone", MODULESHOME=None, LMOD_PKG=str(self.home()))[:2],
                         (0, "program 1.0 None\n"))

    def test_named_by_the_user(self):
        init = str(self.home() / "init/bash")
        got = self.start("nbone", MODULESHOME="/nowhere", NBSCOREP_MODULES_INIT=init)
        self.assertEqual(got[:2], (0, "program 1.0 None\n"))

    def test_dies_without_a_name(self):
        """What the run script keeps from it: else this test tests nothing."""
        done = self.run_command("bash", "-c", f"set -u; . {self.home()}/init/bash; module load x",
                                env=self.environment(HOME=None))
        self.assertNotEqual(done.status, 0)


class Command(ModulesCase):
    """Without any of them."""

    def home(self):
        return self.path("home")

    def test_there_already(self):
        """A shell hands its functions on; then nothing is sourced."""
        self.write("home/init/bash", "echo sourced\n")
        self.assertEqual(
            self.start("a", "swap b $c", c="d *", **{
                "BASH_FUNC_module%%": "() {  echo said; NB_TOOL=$NB_TOOL$2; export NB_TOOL;\n}"
            })[:2], (0, "program ab None\n"))

    def test_none(self):
        self.make("nbone")
        script = self.path("heat_run.sh")
        script.write_text(re.sub("/(etc/profile|usr/share|opt)", "/nowhere", script.read_text()))
        done = self.run_command("./heat_run.sh", env=self.environment())
        self.assertEqual((done.status, done.out), (3, b""))
        self.assertIn(b"command module not found", done.err)

    def test_only_where_wanted(self):
        self.make()
        self.assertNotIn("module", self.path("heat_run.sh").read_text().split("<<'END")[0])


if __name__ == "__main__":
    unittest.main()
