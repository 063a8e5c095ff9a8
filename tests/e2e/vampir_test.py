#!/usr/bin/env python3
"""`run` opens the trace in Vampir, under the double of the bindings. Vampir is a program here that
says how it was started."""
import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import measured, wait_for  # noqa: E402
from runtime_test import RuntimeCase  # noqa: E402
from support import binary, notebook  # noqa: E402


class Vampir(RuntimeCase):
    ASK = "%%enable_vampir_launch_on_scorep_instrumented"
    STOP = "%%disable_vampir_launch"
    TRACE = "%%scorep_env\nSCOREP_ENABLE_TRACING=true\nSCOREP_ENABLE_PROFILING=false"
    VIEWER = ("#!/bin/sh\n{ printf '%s\\n' \"$@\"; pwd; cut -d' ' -f6 /proc/$$/stat; echo $$\n"
              "env | grep -c '^SCOREP_ENABLE'; cat; } >seen.tmp 2>&1\nmv seen.tmp \"$SEEN\"\n")

    def setUp(self):
        super().setUp()
        self.write("bin/vampir", self.VIEWER).chmod(0o755)
        self.seen = self.path("seen")

    def run_notebook(self, *cells, options=(), **more):
        self.write("heat.ipynb", notebook(*cells))
        environment = {"DISPLAY": ":7", "WAYLAND_DISPLAY": None, "SEEN": str(self.seen)} | more
        environment = self.environment(**environment)
        environment["PATH"] = f"{self.path('bin')}:{environment['PATH']}"
        environment = {k: v for k, v in environment.items() if v is not None}
        return self.run_command(binary(), "run", "--force", *options, "heat.ipynb",
                                env=environment)

    def assert_opened(self, done, trace=None, status=0):
        self.assertEqual((done.status, done.err), (status, b""), done)
        wait_for(self.seen.exists)
        opened, folder, session, process, variables = self.seen.read_text().split()
        self.assertEqual(opened, str(trace or self.experiment / "traces.otf2"))
        self.assertEqual((folder, session, variables), (str(self.folder), process, "0"))
        self.seen.unlink()

    def assert_not_opened(self, done, note=""):
        self.assertEqual((done.err.decode(), self.seen.exists()), (note, False))

    def test_option(self):
        for display in {"DISPLAY": ":7"}, {"DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"}:
            with self.subTest(display):
                shutil.rmtree(self.experiment, ignore_errors=True)
                self.assert_opened(self.run_notebook(self.TRACE, "1", options=["--vampir"],
                                                     **display))

    def test_magic(self):
        self.assert_opened(self.run_notebook(self.ASK, self.TRACE, measured("1")))
        shutil.rmtree(self.experiment)
        self.assert_opened(self.run_notebook(self.TRACE, self.ASK, measured("1"), self.STOP,
                                             measured("2")))

    def test_magic_that_reaches_no_instrumented_cell(self):
        for cells in ([self.ASK, self.STOP, measured("1")], [measured("1"), self.ASK, "2"],
                      [self.STOP, measured("1")]):
            with self.subTest(cells):
                shutil.rmtree(self.experiment, ignore_errors=True)
                self.assert_not_opened(self.run_notebook(self.TRACE, *cells, DISPLAY=None))

    def test_where_it_cannot_be_opened(self):
        note = "nbscorep: note: Vampir is not opened, {}; open %s\n" % (
            self.experiment / "traces.otf2")
        done = self.run_notebook(self.TRACE, self.ASK, "1", DISPLAY=None)
        self.assert_not_opened(done, note.format("there is no display"))
        shutil.rmtree(self.experiment)
        self.path("bin/vampir").write_text("#!/nowhere/sh\n")
        done = self.run_notebook(self.TRACE, self.ASK, "1")
        self.assertIn("it cannot be started: ", done.err.decode())
        shutil.rmtree(self.experiment)
        self.path("bin/vampir").unlink()
        done = self.run_notebook(self.TRACE, self.ASK, "1", options=["--vampir"])
        self.assert_not_opened(done, note.format("there is no vampir on PATH"))
        shutil.rmtree(self.experiment)
        self.assert_not_opened(self.run_notebook(self.TRACE, self.ASK, "1", options=["-q"]))

    def test_no_trace(self):
        """That of an earlier run is none."""
        os.utime(self.write("scorep-20200101_0000_1/traces.otf2", ""), (1, 1))
        for more in {}, {"SCOREP_EXPERIMENT_DIRECTORY": None}:
            self.assert_not_opened(self.run_notebook("1", options=["--vampir"], **more),
                                   "nbscorep: note: Vampir is not opened, there is no trace\n"
                                   "SCOREP_ENABLE_TRACING=true makes one\n")

    def test_not_behind_a_failure_nor_unmeasured(self):
        """Without a display a note would say so."""
        done = self.run_notebook(self.TRACE, self.ASK, "import sys\nsys.exit(3)", DISPLAY=None)
        self.assertEqual(done.status, 3)
        self.assert_not_opened(done)
        done = self.run_notebook(self.TRACE, "1", options=["--vampir", "--measurement=none"],
                                 DISPLAY=None)
        self.assertEqual(done.status, 0)
        self.assert_not_opened(done)

    def test_directory_without_a_name(self):
        old = self.write("scorep-20200101_0000_1/traces.otf2", "")
        os.utime(old, (1, 1))
        done = self.run_notebook(self.TRACE, "1", options=["--vampir"],
                                 SCOREP_EXPERIMENT_DIRECTORY=None)
        made = [path for path in self.folder.glob("scorep-*/traces.otf2") if path != old]
        self.assert_opened(done, made[0])

    def test_behind_a_launcher(self):
        """The run script is what runs then."""
        self.assert_opened(self.run_notebook(
            self.TRACE + "\nSCOREP_EXPERIMENT_DIRECTORY=a/b", "1",
            options=["--vampir", "--launcher=env LAUNCHED=1"]), self.path("a/b/traces.otf2"))


if __name__ == "__main__":
    unittest.main()
