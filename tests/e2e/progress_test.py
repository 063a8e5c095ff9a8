#!/usr/bin/env python3
"""Which cell runs, the table at the end, the times of cells; under the double of the bindings."""
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import struct
import sys
import termios
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import measured, wait_for  # noqa: E402
from run_test import PATIENCE, RunCase, Terminal  # noqa: E402
from support import DOUBLE, ROOT, binary, code, markdown, notebook  # noqa: E402

MODES = ((), ("--no-scorep",), ("--no-cell-regions",), ("--no-cell-regions", "--no-scorep"),
         ("--instrument=none",))


class ProgressCase(RunCase):
    def told(self, *arguments, status=0, **more):
        """The lines of -v, without those of the table."""
        got, out, err = self.run_notebook("-v", *arguments, **more)
        self.assertEqual(got, status, err)
        lines = err.decode().splitlines()
        return out, [line for line in lines if line.startswith("nbscorep: cell ")]

    def times(self, *arguments, status=0, **more):
        file = self.path("times.json")
        got, _, err = self.run_notebook(*arguments, f"--cell-times={file}", **more)
        self.assertEqual(got, status, err)
        return json.loads(file.read_text())


class Lines(ProgressCase):
    CELLS = (markdown("# text"), "import os\nx = 1", measured("\n  \nprint(x)"), "# nothing", "",
             "%%bash\necho shell", "%%enable_multicellmode", "y = 2", "%%finalize_multicellmode",
             "%%time\nz = '\u00fc\x1b[1m' + '" + "a" * 100 + "'",
             "import asyncio\nawait asyncio.sleep(0)")
    LINES = ["nbscorep: cell 2 of 11: import os", "nbscorep: cell 3 of 11: print(x)",
             "nbscorep: cell 6 of 11: echo shell",
             "nbscorep: cell 8 of 11: y = 2",
             "nbscorep: cell 10 of 11: z = '\u00fc\ufffd[1m' + '" + "a" * 57 + "...",
             "nbscorep: cell 11 of 11: import asyncio"]

    def test_modes(self):
        path = self.make(*self.CELLS)
        for options in MODES:
            for env in [self.environment()] + [self.environment(PYTHONPATH=None)] * ("--no-scorep" in options):
                with self.subTest(options):
                    out, lines = self.told("--force", *options, path, env=env)
                    self.assertEqual(lines, self.LINES)
                    self.assertEqual(out.splitlines()[:2], [b"1", b"shell"])
                    shutil.rmtree(self.experiment, ignore_errors=True)

    def test_regions_of_the_user(self):
        """Their names may be those of cells."""
        path = self.make("import scorep.user\nwith scorep.user.region('cell 2'):\n    pass\n"
                         "with scorep.instrumenter.disable('cell 9'):\n    pass", "x = 1", "y = 2")
        for options in MODES:
            with self.subTest(options):
                _, lines = self.told("--force", *options, path)
                self.assertEqual([line.split(":")[1] for line in lines],
                                 [f" cell {number} of 3" for number in (1, 2, 3)])

    def test_only_where_wanted(self):
        path = self.make("print(1)")
        for options in ([], ["-q"], ["-q", "--summary"], ["-q", "--progress"]):
            self.assertEqual(self.run_notebook("--force", *options, path), (0, b"1\n", b""))
        _, _, err = self.run_notebook("--force", "--progress", path)
        self.assertEqual(err, b"nbscorep: cell 1 of 1: print(1)\n")

    def test_built_scripts(self):
        path = self.make(measured("x = 1"), "1 / 0", "print('no')")
        run = str(self.path("nb/heat_run.sh"))
        self.run_notebook("-v", path)  # what it writes tells nothing
        self.assertNotIn("progress", self.path("nb/heat_run.sh").read_text())
        done = self.run_command(run, env=self.environment())
        self.assertNotIn(b"nbscorep: cell", done.err)
        self.run_command(binary(), "build", "--progress", path)
        self.assertNotIn("progress", self.path("nb/heat.py").read_text())
        done = self.run_command(run, env=self.environment())
        self.assertRegex(done.err.decode(), r"^nbscorep: cell 1 of 3: x = 1\n"
                         r"nbscorep: cell 2 of 3: 1 / 0\nTraceback [^\0]*\nnbscorep: heat.ipynb,")
        self.assertEqual((done.status, done.out), (1, b""))

    def test_included_notebooks(self):
        """Their cells are a part of the one that includes them."""
        self.make("a = 1", "b = 2", name="nb/other.ipynb")
        path = self.make("x = 1", "%run other.ipynb\nprint(a + b)", "y = 1")
        for options in MODES:
            with self.subTest(options):
                out, lines = self.told("--force", *options, path)
                self.assertEqual(out, b"3\n")
                self.assertEqual([line.split(":")[1] for line in lines],
                                 [f" cell {i} of 3" for i in (1, 2, 3)])
                shutil.rmtree(self.experiment, ignore_errors=True)

    def test_ranks(self):
        path = self.make("print('ran')")
        self.run_command(binary(), "build", "--progress", path)
        line = b"nbscorep: cell 1 of 1: print('ran')\n"
        for more, expected in (
                ({"OMPI_COMM_WORLD_RANK": "0"}, line), ({"OMPI_COMM_WORLD_RANK": "1"}, b""),
                ({"PMIX_RANK": "3"}, b""), ({"PMI_RANK": "2", "SLURM_PROCID": "0"}, b""),
                ({"SLURM_PROCID": "1"}, line), ({"SLURM_PROCID": "0", "SLURM_STEP_ID": "0"}, line),
                ({"SLURM_PROCID": "1", "SLURM_STEP_ID": "0"}, b""),
                ({"PMIX_RANK": "0", "SLURM_PROCID": "1", "SLURM_STEP_ID": "0"}, line),
                ({"MV2_COMM_WORLD_RANK": "12", "SLURM_PROCID": "0"}, b""),
                ({"PMI_RANK": "x", "SLURM_PROCID": "3", "SLURM_STEP_ID": "0"}, b"")):
            with self.subTest(more):
                done = self.run_command(str(self.path("nb/heat_run.sh")),
                                        env=self.environment(NBSCOREP_QUIET="yes", **more))
                self.assertEqual((done.status, done.out, done.err), (0, b"ran\n", expected))


KILLS = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
# Cells, what came of each, the status, and in which modes.
STATES = (
    (["x = 1", measured("def f():\n    return 1\nf()")], ["done", "done"], 0, MODES),
    (["x = 1", "1 / 0", "y = 1"], ["done", "failed", "not reached"], 1, MODES),
    ([measured("1 / 0"), "y = 1"], ["failed", "not reached"], 1, MODES),
    (["x = 1", code("1 / 0", metadata={"tags": ["raises-exception"]}), "y = 1"], ["done", "failed", "done"], 0, MODES),
    (["x = 1", measured("raise SystemExit(3)"), "y = 1"], ["done", "exited", "not reached"], 3, MODES[:2]),
    (["x = 1", "raise SystemExit", "y = 1"], ["done", "exited", "not reached"], 0, MODES[:2]),
    (["x = 1", KILLS, "y = 1"], ["done", "unfinished", "not reached"], 137, MODES[:2]),
)


class States(ProgressCase):
    def test_states(self):
        for cells, expected, status, modes in STATES:
            path = self.make(*cells)
            for options in modes:
                with self.subTest(cells, options=options):
                    found = self.times("--force", *options, path, status=status, clean=status != 137)["cells"]
                    self.assertEqual([cell["state"] for cell in found], expected)
                    shutil.rmtree(self.experiment, ignore_errors=True)


class Files(ProgressCase):
    """--cell-times."""

    CELLS = ("x = 1", measured('print("a,b")'), "1 / 0", "y = 1")

    def test_json(self):
        got = self.times(self.make(*self.CELLS), status=1)
        self.assertEqual([got[key] for key in ("version", "notebook", "measured", "status",
                                               "experiment_directory")],
                         [1, "heat.ipynb", True, 1, str(self.experiment)])
        self.assertEqual([(c["cell"], c["first_line"], c["instrumented"], c["state"])
                          for c in got["cells"]],
                         [(1, "x = 1", False, "done"), (2, 'print("a,b")', True, "done"),
                          (3, "1 / 0", False, "failed"), (4, "y = 1", False, "not reached")])
        end = 0
        for cell in got["cells"][:3]:
            self.assertGreaterEqual(cell["begin"], end)
            self.assertGreaterEqual(cell["seconds"], 0)
            end = cell["begin"] + cell["seconds"]
        self.assertLessEqual(end, got["seconds"])
        self.assertNotIn("seconds", got["cells"][3])

    def test_csv(self):
        status, _, err = self.run_notebook(self.make(*self.CELLS), "--cell-times=times.csv")
        self.assertEqual(status, 1, err)
        rows = list(csv.DictReader(io.StringIO((self.scratch / "times.csv").read_text())))
        self.assertEqual([(r["cell"], r["instrumented"], r["state"], r["first_line"],
                           bool(r["begin"]), bool(r["seconds"])) for r in rows],
                         [("1", "false", "done", "x = 1", True, True),
                          ("2", "true", "done", 'print("a,b")', True, True),
                          ("3", "false", "failed", "1 / 0", True, True),
                          ("4", "false", "not reached", "y = 1", False, False)])

    def test_written_again(self):
        for name in ("times.json", "times.csv"):
            for _ in range(2):
                got = self.run_notebook(self.make("x = 1"), f"--cell-times={name}")
                self.assertEqual(got, (0, b"", b""))
                shutil.rmtree(self.experiment)

    def test_refused_before_the_start(self):
        path = self.make("print('ran')")
        self.write("scratch/mine.json", "{}")
        (self.scratch / "folder.csv").mkdir()
        for name in ("mine.json", "folder.csv", "no/such.json"):
            with self.subTest(name):
                status, out, err = self.run_notebook(path, f"--cell-times={name}")
                self.assertEqual((status, out), (3, b""))
                self.assertIn(name.encode(), err)
        self.assertEqual((self.scratch / "mine.json").read_text(), "{}")
        got = self.run_notebook(path, "--cell-times=mine.json", "--force")
        self.assertEqual(got, (0, b"ran\n", b""))
        self.assertIn("cells", json.loads((self.scratch / "mine.json").read_text()))

    def test_names(self):
        for name in ("times", "times.txt", "json"):
            status, out, err = self.run_notebook(self.make("x"), f"--cell-times={name}")
            self.assertEqual((status, out), (2, b""))
            self.assertIn(b"ends in .json or .csv", err)


class Summary(ProgressCase):
    def summary(self, *arguments, **more):
        status, _, err = self.run_notebook("--summary", *arguments, **more)
        return status, re.sub(r"\d+\.\d\d\d s", "TIME", err.decode()).splitlines()

    def test_table(self):
        self.tool("cube_stat", "", folder="scratch/bin")
        self.tool("vampir", "", folder="scratch/bin")
        self.tool("otf2-print", "", folder="scratch/bin")
        path = self.make("x = 1", measured("f = 2"), "1 / 0", "y = 1",
                         "%env SCOREP_ENABLE_TRACING=true")
        status, lines = self.summary(path, env=self.environment(
            PATH=f"{self.scratch}/bin:{DOUBLE}/bin:{os.environ['PATH']}"))
        at = lines.index("  cell         time  instrumented  first line")
        self.assertEqual(status, 1)
        self.assertEqual([line.split() for line in lines[at + 1:at + 4]],
                         [["1", "TIME", "x", "=", "1"], ["2", "TIME", "yes", "f", "=", "2"],
                          ["3", "TIME", "1", "/", "0", "[failed]"]])
        self.assertEqual(lines[at + 4].split(), "4 - y = 1 [not reached]".split())
        rest = lines[lines.index("TIME in cells, TIME in all") + 1:]
        size = (self.experiment / "profile.cubex").stat().st_size
        traces = sum(f.stat().st_size for f in self.experiment.rglob("*")
                     if f.is_file() and "traces" in str(f.relative_to(self.experiment)))
        self.assertRegex(rest[0], rf"^experiment directory: {self.experiment} \(.*\)$")
        self.assertEqual([line.split() for line in rest[1:]], [
            f"profile.cubex {size / 1024:.1f} KiB open with: cube_stat {self.experiment}/profile.cubex".split(),
            f"traces.otf2 {traces} B open with: vampir {self.experiment}/traces.otf2".split()])

    def test_not_measured(self):
        _, lines = self.summary(self.make("x = 1"), "--no-scorep")
        self.assertEqual(lines, ["  cell         time  first line",
                                 "     1      TIME  x = 1", "TIME in cells, TIME in all"])

    def test_directory_of_this_run(self):
        path = self.make("x = 1")
        unset = self.environment(SCOREP_EXPERIMENT_DIRECTORY=None)
        off = {"SCOREP_ENABLE_PROFILING": "false", "SCOREP_ENABLE_TRACING": "false",
               "SCOREP_FORCE_CFG_FILES": "false"}
        seen = set()
        for _ in range(2):
            _, lines = self.summary(path, env=unset)
            found = [line for line in lines if line.startswith("experiment directory: ")]
            self.assertRegex(found[0], rf"^experiment directory: {self.folder}/nb/scorep-heat-\d")
            self.assertNotIn(found[0], seen)
            seen.add(found[0])
        self.summary(path)
        for env in (self.environment(**off),
                    self.environment(**off, SCOREP_EXPERIMENT_DIRECTORY=None)):
            self.assertEqual(self.summary(path, env=env)[1][-1],
                             "no experiment directory was created")

    def test_names_are_shown(self):
        directory = self.scratch / "a b\x1b[1m"
        env = self.environment(SCOREP_EXPERIMENT_DIRECTORY=str(directory))
        _, _, err = self.run_notebook("--summary", self.make("x = 1"), env=env)
        self.assertNotIn(b"\x1b", err)
        self.assertIn(b"/a b\xef\xbf\xbd[1m (", err)


class Ranks(ProgressCase):
    """Each rank reports by itself, under a launcher that lets nothing of nbscorep's through."""
    RANK = "import os\nrank = os.environ.get('OMPI_COMM_WORLD_RANK', '0')"
    # Rank 0 waits for what rank 1 does in a later cell, a while after rank 0 is there: nothing else lets the ranks go
    # side by side.
    WAITS = ("import time\nif rank == '0': open('there', 'w').close()\n"
             "while rank == '0' and not os.path.exists('late'):\n"
             "    time.sleep(.01)")
    LATE = ("while rank == '1' and not os.path.exists('there'):\n"
            "    time.sleep(.01)\n"
            "if rank == '1':\n    time.sleep(.3)\n    open('late', 'w').close()")

    def launcher(self, count, numbered=True):
        name = "OMPI_COMM_WORLD_RANK=$rank" if numbered else ""
        path = self.write("each", f"for rank in $(seq 0 {count - 1}); do\n"
                          f"  {name} OMPI_COMM_WORLD_SIZE={count} \"$@\" & all+=($!)\ndone\n"
                          "status=0\nfor one in ${all[@]}; do wait $one || status=$?; done\n"
                          "exit $status\n")
        return f"--ranks={count}", f"--launcher=bash {path}"

    def test_table(self):
        path = self.make(self.RANK, measured(self.WAITS), self.LATE)
        status, _, err = self.run_notebook("--summary", *self.launcher(2), path)
        rows = [line.split() for line in err.decode().splitlines()]
        self.assertEqual(status, 0, err)
        self.assertIn("cell minimum mean maximum slowest rank instrumented first line".split(),
                      rows)
        row, = (row for row in rows if row[:1] == ["2"] and row[-2:] == ["import", "time"])
        shortest, mean, longest = map(float, row[1:7:2])
        self.assertTrue(shortest <= mean <= longest, row)
        self.assertEqual(row[7:9], ["0", "yes"])
        self.assertTrue([row for row in rows if row[:2] == ["2", "ranks,"]], err)
        self.assertIn(f"experiment directory: {self.experiment} (", err.decode())

    def test_files(self):
        path = self.make(self.RANK, measured(self.WAITS), self.LATE)
        cells = self.times(*self.launcher(2), path)["cells"]
        for cell in cells:
            self.assertEqual([(each["rank"], each["state"]) for each in cell["ranks"]],
                             [(0, "done"), (1, "done")])
            seconds = [each["seconds"] for each in cell["ranks"]]
            self.assertEqual((cell["minimum"], cell["maximum"]), (min(seconds), max(seconds)))
            self.assertAlmostEqual(cell["mean"], sum(seconds) / 2, 8)
        for _ in range(2):  # the second time it is a file of nbscorep's
            status, _, err = self.run_notebook(*self.launcher(2), "--cell-times=times.csv", path)
            self.assertEqual(status, 0, err)
        rows = list(csv.DictReader(io.StringIO((self.scratch / "times.csv").read_text())))
        self.assertEqual([(row["rank"], row["cell"], row["state"], row["instrumented"])
                          for row in rows],
                         [(rank, cell, "done", str(cell == "2").lower())
                          for rank in "01" for cell in "123"])
        self.assertTrue(all(float(row["seconds"]) >= 0 for row in rows))

    def test_states(self):
        """Also of a rank that says nothing more."""
        path = self.make(self.RANK, "if rank == '1': raise ValueError",
                         "if rank == '2': os._exit(5)", "1")
        cells = self.times(*self.launcher(3), "--no-scorep", path, status=5)["cells"]
        self.assertEqual([[each["state"] for each in cell["ranks"]] for cell in cells],
                         [["done"] * 3, ["done", "failed", "done"],
                          ["done", "not reached", "unfinished"], ["done"] + ["not reached"] * 2])
        self.assertNotIn("seconds", cells[2]["ranks"][2])
        _, _, err = self.run_notebook("--summary", "--no-scorep", *self.launcher(3), path)
        for part in b"[failed on 1 of 3 ranks]", b"[not reached on 2 of 3 ranks]":
            self.assertIn(part, err)

    def test_order(self):
        """By number: 2 before 10."""
        cells = self.times("--no-scorep", *self.launcher(11), self.make("1"))["cells"]
        self.assertEqual([each["rank"] for each in cells[0]["ranks"]], list(range(11)))

    def test_without_numbers(self):
        """A launcher that does not say which rank is which."""
        cells = self.times(*self.launcher(2, numbered=False), self.make("1"))["cells"]
        self.assertEqual([each["state"] for each in cells[0]["ranks"]], ["done"] * 2)

    def test_one(self):
        """It is a run like any other, also where the run script is needed for other reasons."""
        path = self.make("x = 1", measured("y = 2"))
        self.path("nbscorep.yaml").write_text("setup: ['true']\n")
        for options in self.launcher(1), ():
            cells = self.times(*options, path)["cells"]
            self.assertEqual([(cell["state"], cell["seconds"] >= 0, cell["begin"] > 0)
                              for cell in cells], [("done", True, True)] * 2)

    def table(self, **more):
        """What the run script prints on standard error."""
        done = self.run_command(str(self.path("nb/heat_run.sh")),
                                env=self.environment(NBSCOREP_MEASURE="no", **more))
        self.assertEqual((done.status, done.out), (0, b"ran\nran\n"), done)
        return done.err.decode()

    def test_lines_that_are_cut_off(self):
        """A rank was killed while it wrote, or the disk was full."""
        path = self.write("rank-0", "title 1 x = 1\nbegin 1 5 0\nend 1 1000000005 done 0\nend 2\n"
                                    "end 1 7\nbegi\nbegin x 1\nend 7 5 done 0\nbegin 1")
        show = ("import sys\nsys.path.insert(0, sys.argv.pop(1))\n"
                "from scorep_notebook import cell_table\ncell_table.show(sys.argv[1:])")
        done = self.run_command(sys.executable, "-c", show, str(ROOT / "templates"), path)
        self.assertEqual((done.status, done.out), (0, b""))
        self.assertEqual([line.split() for line in done.err.decode().splitlines()[1:]],
                         ["1 1.000 s 1.000 s 1.000 s 0 x = 1".split(), ["1", "rank"]])

    def test_run_script_in_a_job(self):
        path = self.make("print('ran')", "x = 1")
        self.run_command(binary(), "build", *self.launcher(2), path)
        for name in "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID":
            lines = self.table(**{name: "7"}).splitlines()
            self.assertEqual(lines[0].split(),
                             "cell minimum mean maximum slowest rank first line".split())
            self.assertEqual([line.split()[0] for line in lines[1:]], ["1", "2", "2"])
            self.assertRegex(lines[1], r"^     1( +\d+\.\d{3} s){3}  [01] +print\('ran'\)$")
            self.assertEqual(lines[-1], "2 ranks")
        self.assertEqual(self.table(SLURM_JOB_ID="7", NBSCOREP_QUIET="yes"), "")
        self.assertEqual(self.table(), "")


class Harmless(ProgressCase):
    """Nothing of it reaches the script or the trace."""

    def test_trace(self):
        path = self.make("import json\ndef g(): pass\ng()", measured("def f(): pass\nf()\ng()"),
                         "%%enable_multicellmode", "f()", "%%finalize_multicellmode",
                         measured("import scorep\nwith scorep.user.region('a'): f()\nexit = 1"))
        for kind in "profile", "trace":
            for options in ((), ("--no-cell-regions",)):
                with self.subTest(kind, options=options):
                    env = self.environment(SCOREP_PROFILING_MAX_CALLPATH_DEPTH="99")
                    kept = []
                    self.path("nb/extra.ipynb").write_bytes(notebook(
                        "%%scorep_python_binding_arguments\n--instrumenter-type=" + kind,
                        *(c["source"] for c in json.loads(
                            pathlib.Path(path).read_text())["cells"])))
                    for how in ("-q", "-v"):
                        status, _, err = self.run_notebook(
                            "--force", how, *options, str(self.path("nb/extra.ipynb")), env=env)
                        self.assertEqual(status, 0, err)
                        kept.append(self.events())
                        shutil.rmtree(self.experiment)
                    self.assertEqual(kept[0], kept[1])
                    self.assertTrue(kept[0])

    def test_who_enters_a_region(self):
        """Score-P takes the place of a region from there."""
        patch = ("import scorep, sys\nkind = type(scorep.user.region('a'))\n"
                 "def enter(self, before=kind.__enter__):\n"
                 "    print(sys._getframe(1).f_code.co_name, isinstance(self, kind))\n"
                 "    return before(self)\n")
        path = self.make(patch + "kind.__enter__ = enter", measured("x = 1"))
        out, lines = self.told(path, "--no-scorep")
        self.assertEqual((out, len(lines)), (b"<module> True\n", 2))

    def test_regions_in_loops_of_long_scripts(self):
        """Those of the last cell take no longer than those of the first."""
        loop = ("import scorep, time\ntimes = []\nfor _ in range(9):\n"
                "    begin = time.process_time()\n"
                "    for _ in range(500): scorep.user.region('a')\n"
                "    times.append(time.process_time() - begin)\nprint(min(times))")
        path = self.make(loop, *["x = 1"] * 1_500, loop)
        for options in (("--no-scorep",), ("--no-cell-regions", "--no-scorep")):
            with self.subTest(options):
                status, out, err = self.run_notebook("--force", "--cell-times=times.csv", *options,
                                                     path)
                self.assertEqual(status, 0, err)
                first, last = map(float, out.split())
                self.assertLess(last, 3 * first)

    def test_descriptor(self):
        cell = ("import os, subprocess\nprint(subprocess.run(['test', '-e', '/proc/self/fd/18'],"
                " close_fds=False).returncode)")
        for options in MODES[:2]:
            self.assertEqual(self.told("--force", self.make(cell), *options)[0], b"1\n")
            shutil.rmtree(self.experiment, ignore_errors=True)

    def test_descriptor_that_the_script_takes(self):
        cell = ("import os\nos.close(18)\nfile = os.open('mine', os.O_WRONLY | os.O_CREAT)\n"
                "os.dup2(file, 18)")
        for options in MODES[:2]:
            self.told("--force", self.make(cell, "x = 1", "y = 1"), *options)
            self.assertEqual(self.path("nb/mine").read_bytes(), b"")
            shutil.rmtree(self.experiment, ignore_errors=True)

    def test_descriptors_of_the_callers(self):
        """Those that lie where the program gets ours."""
        done = self.run_command(
            "bash", "-c", 'for i in {3..40}; do eval "exec $i</dev/null"; done\n'
            'exec "$0" run -v --no-scorep "$1"', binary(), self.make("x = 1"),
            env=self.environment())
        self.assertEqual(done.status, 0, done)
        self.assertIn(b"nbscorep: cell 1 of 1: x = 1\n", done.err)
        for free in 13, 14, 18, 19:
            done = self.run_command(
                "bash", "-c", f'for i in {{3..40}}; do eval "exec $i</dev/null"; done\n'
                f'exec {free}<&- {free + 1}<&- {free + 2}<&- {free + 3}<&- {free + 4}<&-\n'
                'exec "$0" run -v --no-scorep "$1"', binary(), self.make("x = 1"),
                env=self.environment())
            self.assertIn(b"nbscorep: cell 1 of 1: x = 1\n", done.err, free)

    def test_forked_children(self):
        """One that goes through the cells itself, too."""
        path = self.make("import os\nchild = os.fork()", "x = 1",
                         "if child == 0: os._exit(0)\nos.waitpid(child, 0)", "y = 1")
        for options in MODES[:2]:
            with self.subTest(options):
                _, lines = self.told("--force", path, *options)
                self.assertEqual(len(lines), 4)
                shutil.rmtree(self.experiment, ignore_errors=True)

    def test_full_pipe(self):
        """nbscorep is stopped and reads nothing."""
        cell = ("import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\ntry:\n"
                "    while True: os.write(18, b'begin 99 1\\nend\\nend 1 x y\\n' + b'x' * 999)\n"
                "except BlockingIOError: pass")
        path = self.make(cell, *["x = 1"] * 5, "os.kill(os.getppid(), signal.SIGCONT)", "y = 1")
        for options in MODES[:2]:
            with self.subTest(options):
                status, out, _ = self.run_notebook("--force", path, "-v", *options)
                self.assertEqual((status, out), (0, b""))
                shutil.rmtree(self.experiment, ignore_errors=True)

    def test_nobody_reads(self):
        """nbscorep has gone; the program gets SIGTERM then, and does not mind."""
        cell = ("import os, signal\nsignal.signal(15, signal.SIG_IGN)\n"
                "print('ready', os.getpid(), flush=True)\n"
                "while os.getppid() == parent: pass")
        process = self.start(self.make("import os; parent = os.getppid()", cell, "x = 1",
                                       "open('done', 'w').close()"), "-v", "--no-scorep")
        self.ready(process)
        process.kill()
        process.wait()
        wait_for(self.path("nb/done").exists)

    def test_closed_standard_error(self):
        path = self.make("print('ran')", "x = 1")
        for option in ("--summary", "--progress"):
            shell = f'exec "$0" run {option} --force "$1" 2>&-'
            done = self.run_command("sh", "-c", shell, binary(), path, env=self.environment())
            self.assertEqual((done.status, done.out), (0, b"ran\n"))
            shutil.rmtree(self.experiment, ignore_errors=True)

    def test_old_environment(self):
        """The script sees nothing of it."""
        cell = "import os, sys\nprint(sorted(os.environ), sys.argv, __file__, len(globals()))"
        path = self.make(cell)
        plain = self.run_notebook("--force", "-q", path, "--no-scorep")[1]
        self.assertEqual(self.told("--force", path, "--no-scorep")[0], plain)


WAIT = "import os\nwhile not os.path.exists({0!r}): pass\nos.remove({0!r})"


class StatusLine(ProgressCase):
    """On a terminal."""
    expect = Terminal.expect

    def setUp(self):
        super().setUp()
        self.seen = b""
        self.terminal, self.slave = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 40, 0, 0))

    def begin(self, *arguments, **more):
        process = self.start(*arguments, **({"stderr": self.slave} | more))
        os.close(self.slave)
        return process

    def rest(self):
        found = self.seen
        try:
            while True:
                found += os.read(self.terminal, 65536)
        except OSError:  # the program has closed it
            return found

    def test_line(self):
        path = self.make("# one", WAIT.format("a"), measured("# long " + "x" * 60 + "\n" +
                                                            WAIT.format("b")))
        process = self.begin(path)
        before = self.expect(b"cell 2 of 3, 0:0")
        self.assertIn(b"\033[1;9r", before)  # the last row does not scroll
        self.assertTrue(before.endswith(b"\033[10;1H\033[0m\033[2K"), before)
        self.assertRegex(self.expect(b"\0338"), rb"^\d \(0:\d\d in all\): import$")  # 39 columns
        self.path("nb/a").touch()
        self.assertNotIn(b"\033[1;9r", self.expect(b"\0337\033[10;1H\033[0m\033[2Kcell 3 of 3, "))
        shown = b"cell 3 of 3, " + self.expect(b"\0338")
        self.assertEqual(len(shown), 39)
        self.path("nb/b").touch()
        out, _ = process.communicate(timeout=PATIENCE)
        rest = self.rest()
        self.assertEqual((process.returncode, out), (0, b""))
        cleared = rest.index(b"\033[10;1H\033[2K\033[r\0338")
        self.assertGreater(rest.index(b"first line"), cleared)
        self.assertNotIn(b"cell 3 of 3", rest[cleared:])

    def test_none(self):
        """A short program, -q, a terminal that cannot."""
        path = self.make("print(1)")
        process = self.begin("-q", path)
        self.assertEqual(process.communicate(timeout=PATIENCE)[0], b"1\n")
        self.assertEqual(self.rest(), b"")

    def test_dumb_terminal(self):
        path = self.make(WAIT.format("a"))
        process = self.begin("-v", path, env=self.environment(TERM="dumb"))
        self.expect(b"nbscorep: cell 1 of 1: import os\r\n")
        self.path("nb/a").touch()
        process.communicate(timeout=PATIENCE)
        self.assertNotIn(b"\033", self.rest())

    def test_ended_by_a_signal(self):
        process = self.begin(self.make(WAIT.format("a")), "--no-scorep")
        self.expect(b"cell 1 of 1, ")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        rest = self.rest()
        self.assertEqual(process.returncode, 143)
        self.assertLess(rest.index(b"\033[r"), rest.index(b"[unfinished]"))

    def test_another_size(self):
        process = self.begin(self.make(WAIT.format("a"), WAIT.format("b")), "--no-scorep")
        self.expect(b"cell 1 of 2, ")
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        self.path("nb/a").touch()
        self.expect(b"\033[1;19r")
        self.expect(b"\033[20;1H")
        self.path("nb/b").touch()
        process.communicate(timeout=PATIENCE)
        self.assertIn(b"\033[20;1H\033[2K\033[r", self.rest())


class JobControl(Terminal):
    """With a controlling terminal."""

    def test_stop_and_go_on(self):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 70, 0, 0))
        path = self.make(WAIT.format("a"))
        self.type(f"$NBSCOREP_BINARY run --no-scorep '{path}'; echo sta''tus=$?.")
        self.expect(b"cell 1 of 1, ")
        self.type("\x1a", end="")
        self.expect(b"\033[2K\033[r")  # before the shell goes on
        self.expect(b"status=148.")
        self.type("fg")
        self.expect(b"\033[1;9r")
        self.expect(b"cell 1 of 1, ")
        self.path("nb/a").touch()
        self.expect(b"\033[r")
        self.expect(b"in all")


# The other tests of that class are run_test.py's.
for name in [name for name in dir(Terminal) if name.startswith("test_")]:
    if name not in vars(JobControl):
        setattr(JobControl, name, None)
del Terminal, RunCase, name

if __name__ == "__main__":
    unittest.main()
