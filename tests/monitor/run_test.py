#!/usr/bin/env python3
"""nbscorep run --monitor: what each cell of a notebook uses."""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import samples_reader as samples  # noqa: E402  pylint: disable=wrong-import-position
from support import UNDER_DOUBLE, Case, binary, clean_environment, markdown, notebook  # noqa: E402

MB = 1_000_000
NS = 1_000_000_000
CELLS = (markdown("# Title"), "import time\nt = time.process_time",
         f"x = bytearray(400 * {MB})\nfor i in range(0, len(x), 4096): x[i] = 1\n"
         "end = t() + .3\nwhile t() < end: pass\ndel x",
         "end = t() + .4\nwhile t() < end: pass",
         f"with open('out', 'wb') as f: f.write(b'x' * {8 * MB})")
ALLOCATES, BURNS, WRITES = 3, 4, 5


class Run(Case):
    def run_notebook(self, *options, cells=CELLS, **more):
        self.write("a.ipynb", notebook(*cells))
        environment = clean_environment(**UNDER_DOUBLE | {
            "PYTHON": sys.executable, "SCOREP_EXPERIMENT_DIRECTORY": str(self.path("experiment"))} | more)
        return self.run_command(binary(), "run", *options, "a.ipynb", env=environment)

    def read(self, name="a.samples"):
        return samples.read(self.path(name))

    def stretch(self, found, cell):
        begin = next(mark[2] for mark in found.marks if mark[:2] == ("begin", cell))
        end = next(mark[2] for mark in found.marks if mark[:2] == ("end", cell))
        return begin, end

    def grown(self, found, cell, metric, group="process"):
        """By how much a counter grew from the last sample before a cell to the first behind it. A
        reading may be interrupted, so the whole of it must be there."""
        begin, end = self.stretch(found, cell)
        group = found.group(group)
        values = list(zip(group.times, group.of(metric)))
        return (next(value for (start, _, _), value in values if start >= end) -
                next(value for (_, stop, _), value in reversed(values) if stop <= begin))

    def peak(self, found, cell):
        begin, end = self.stretch(found, cell)
        group = found.group("process")
        return max((value for (start, stop, _), value in zip(group.times, group.of("rss"))
                    if begin <= start and stop <= end), default=0)

    def check_cells(self, found):
        self.assertEqual([mark[1] for mark in found.marks if mark[0] == "begin"], [2, 3, 4, 5])
        self.assertTrue(all(mark[3] == "done" for mark in found.marks if mark[0] == "end"))
        peaks = {cell: self.peak(found, cell) for cell in (2, 3, 4, 5)}
        self.assertEqual(max(peaks, key=peaks.get), ALLOCATES)
        self.assertGreater(peaks[ALLOCATES], 400 * MB)
        self.assertLess(peaks[BURNS], 200 * MB)
        self.assertGreaterEqual(self.grown(found, BURNS, "cpu"), .38 * NS)
        self.assertGreaterEqual(self.grown(found, WRITES, "write_chars", "process.io"), 8 * MB)

    def test_without_bash(self):
        """It cannot start, and no empty file of samples stays."""
        done = self.run_notebook("--monitor", "--no-verify", PATH="/nonexistent")
        self.assertEqual((done.status, b"cannot start 'bash'" in done.err), (3, True), done)
        self.assertFalse(self.path("a.samples").exists())

    def test_each_cell(self):
        done = self.run_notebook("--monitor=5ms", "--no-scorep")
        self.assertEqual(done.status, 0, done)
        found = self.read()
        self.check_cells(found)
        self.assertEqual(found.head["interval"], NS // 200)
        self.assertEqual(found.titles[BURNS][0], "end = t() + .4")
        self.assertIn("JUmPER Performance Report", done.err.decode())

    def test_child_between_two_samples(self):
        """Of it the run script's shell and the file of samples know nothing."""
        cells = ("import subprocess, sys", "x = 1", f"subprocess.run([sys.executable, '-c', "
                 f"'x = b\"1\" * {300 * MB}'])", "x = 2")
        done = self.run_notebook("--monitor=100s", "--no-scorep", cells=cells)
        self.assertEqual(done.status, 0, done)
        found = json.loads(self.nbscorep("report", "--format=json", "a.samples").out)
        peaks = [cell["levels"]["process"]["memory"]["peak"] for cell in found["cells"]]
        self.assertGreater(peaks[2], 300 * MB)
        self.assertLess(max(peaks[:2] + peaks[3:]), 200 * MB)

    def test_memory_of_each_cell(self):
        """The next cell begins before the sampler comes to look."""
        cells = ("x = b'1' * %d" % (200 * MB), "y = 1", "del x", "y = 2")
        done = self.run_notebook("--monitor=100s", "--no-scorep", cells=cells)
        self.assertEqual(done.status, 0, done)
        found = json.loads(self.nbscorep("report", "--format=json", "a.samples").out)
        changes = [cell["levels"]["process"]["memory"]["change"] for cell in found["cells"]]
        for change, expected in zip(changes, (200 * MB, 0, -200 * MB, 0)):
            self.assertAlmostEqual(change, expected, delta=20 * MB)
        marks = self.read().group("process.marks")
        self.assertEqual(sorted(end for _, end, _ in marks.times),
                         sorted(mark[2] for mark in self.read().marks))

    def test_memory_of_children_at_marks(self):
        held = f"x = b'1' * {200 * MB}; print(flush=True); input()"
        cells = ("import subprocess, sys", "child = subprocess.Popen([sys.executable, '-c', "
                 f"{held!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
                 "child.stdout.readline()",
                 "import time\nend = time.process_time() + .4\n"
                 "while time.process_time() < end: pass", "child.communicate()")
        done = self.run_notebook("--monitor=100s", "--no-scorep", cells=cells)
        self.assertEqual(done.status, 0, done)
        found = json.loads(self.nbscorep("report", "--format=json", "a.samples").out)
        found = [cell["levels"]["process"]["memory"]["change"] for cell in found["cells"]]
        self.assertGreater(found[1], 180 * MB)

    def test_what_is_asked_before_does_not_count(self):
        question = ("import time\nx = b'1' * (300 << 20)\n"
                    "while time.process_time() < .5: pass")
        self.tool("python", f"if [ \"$1\" = -c ]; then '{sys.executable}' -c \"{question}\"; exit 1; fi\n"
                  f"exec '{sys.executable}' \"$@\"")
        done = self.run_notebook("--monitor=20ms", "--if-available", cells=("x = 1",),
                                 PYTHON=str(self.path("bin/python")))
        self.assertEqual(done.status, 0, done)
        found = json.loads(self.nbscorep("report", "--format=json", "a.samples").out)
        run = found["run"]["levels"]["process"]
        self.assertLess(run["core_seconds"], .4)
        self.assertLess(run["memory"]["peak"], 200 * MB)

    def test_index_behind_reload_ext(self):
        """What loads an extension for the first time, too."""
        done = self.run_notebook("--monitor=5ms", "--no-scorep", cells=(
            "%reload_ext jumper_extension", "x = 1"))
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.err.decode(), r"(?m)^ +1 +- .*_extension\n +2 +0 .* x = 1$")

    def test_measured(self):
        done = self.run_notebook("--monitor=5ms", "-q")
        self.assertEqual((done.status, done.err), (0, b""))
        self.check_cells(self.read())

    def test_standard_interval_and_status(self):
        done = self.run_notebook("--monitor", "--no-scorep", "-q",
                                 cells=["import sys", "sys.exit(4)"])
        self.assertEqual(done.status, 4)
        found = self.read()
        self.assertEqual((found.head["interval"], found.finish["status"]), (NS, 4 << 8))
        self.assertEqual([mark[3] for mark in found.marks if mark[0] == "end"], ["done", "exited"])

    def test_last_cell_without_regions(self):
        for last, status, state in ("x = 2", 0, "done"), ("raise SystemExit(3)", 3, "exited"):
            done = self.run_notebook("--monitor", "--no-scorep", "--no-cell-regions", "-q",
                                     "--cell-times=a.json", "--force", cells=["1", last])
            self.assertEqual(done.status, status, done)
            report = json.loads(self.nbscorep("report", "--format=json", "a.samples").out)
            times = json.loads(self.path("a.json").read_bytes())
            for found in report, times:
                self.assertEqual([cell["state"] for cell in found["cells"]], ["done", state])

    def test_source_and_job(self):
        """Reports count the cells as JUmPER does: from the one behind its extension on."""
        self.run_notebook("--monitor", "--no-scorep", "-q", SLURM_JOB_ID="77",
                          cells=["1", "%load_ext jumper_extension", "x = 3\nx"])
        samples_of_job = self.read("a.77.samples")
        self.assertEqual(samples_of_job.head["job"], 77)
        self.assertEqual(samples_of_job.titles[3], ("x = 3", "x = 3\nx"))
        found = json.loads(self.nbscorep("report", "--format=json", "a.77.samples").out)
        self.assertEqual([cell.get("index") for cell in found["cells"]], [None, None, 0])

    def test_temporary_folder(self):
        """The samples stay, where the user is, not where the program is."""
        (self.folder / "sub").mkdir()
        done = self.run_notebook("--monitor", "--no-scorep", "-q", "--temporary", cells=["x = 1"])
        self.assertEqual((done.status, done.err), (0, b""))
        self.assertEqual(self.read().titles[1][0], "x = 1")
        done = self.run_command(binary(), "run", "--monitor", "--no-scorep", "-q", "--temporary",
                                "../a.ipynb", cwd=self.folder / "sub",
                                env=clean_environment(PYTHON=sys.executable))
        self.assertEqual(done.status, 0, done)
        self.read("sub/a.samples")

    def test_file_that_is_not_ours(self):
        self.write("a.samples", b"mine")
        done = self.run_notebook("--monitor", "--no-scorep")
        self.assertEqual((done.status, self.path("a.samples").read_bytes()), (3, b"mine"))
        self.assertIn(b"was not written by nbscorep", done.err)

    def test_wrong_interval(self):
        done = self.run_notebook("--monitor=", "--no-scorep")
        self.assertEqual((done.status, done.err.splitlines()[0]),
                         (2, b"nbscorep: '--monitor=' has no value"))
        done = self.run_notebook("--monitor=soon", "--no-scorep")
        self.assertEqual(done.status, 2)
        self.assertIn(b"'--monitor' requires seconds from 0.001 to 1000000, or a number with the unit s or ms, "
                      b"not 'soon'", done.err)

    def test_ranks(self):
        """The sampler of the first one goes on until the other has ended."""
        self.write("a.ipynb", notebook(
            "import os, pathlib, time\nt, there = time.process_time, pathlib.Path('there')",
            "if os.environ['MPI_LOCALRANKID'] == '0':\n    while not there.exists(): pass\n"
            "else:\n    there.touch()\n    end = t() + .7\n    while t() < end: pass"))
        start = f"MPI_LOCALRANKID=%d '{binary()}' run --no-scorep --monitor=20ms -q a.ipynb"
        done = self.run_command("sh", "-c", f"{start % 1} & {start % 0} && wait $!",
                                env=clean_environment(PYTHON=sys.executable, MPI_LOCALNRANKS="2",
                                                      PMI_SIZE="2"))
        self.assertEqual(done.status, 0, done)
        name = f"a.{os.uname().nodename}.samples"
        self.assertGreaterEqual(self.read(name).group("process").of("cpu")[-1], .7 * NS)

    def test_ranks_that_the_run_script_starts(self):
        """The cells are those of the first one."""
        each = self.write("each", "for rank in 0 1; do\n"
                                  "  OMPI_COMM_WORLD_RANK=$rank \"$@\" &\ndone\nwait\n")
        done = self.run_notebook("--monitor=5ms", "-q", "--no-scorep", "--ranks=2",
                                 f"--launcher=sh {each}")
        self.assertEqual(done.status, 0, done)
        found = self.read()
        self.assertEqual([mark[1] for mark in found.marks if mark[0] == "begin"], [2, 3, 4, 5])
        self.assertEqual([mark[3] for mark in found.marks if mark[0] == "end"], ["done"] * 4)
        self.assertGreater(self.peak(found, ALLOCATES), 400 * MB)

    def test_program_that_cannot_start(self):
        self.assertEqual(self.run_notebook("--monitor", "--no-scorep", f"--python={os.devnull}").status, 3)


if __name__ == "__main__":
    unittest.main()
