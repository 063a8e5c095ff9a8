#!/usr/bin/env python3
"""The magics of the JUmPER extension that export and import, in scripts that run."""
import csv
import io
import json
import os
import re
import unittest
import zipfile

from magics_support import BURNS, LOAD_EXT, START, MagicsCase

HISTORY = ["cell_index", "raw_cell", "start_time", "end_time", "duration", "wallclock_start_time",
           "wallclock_end_time", "cell_magics", "cell_number"]


class Exports(MagicsCase):
    def test_perfdata(self):
        self.script(LOAD_EXT, "x = 0", START, BURNS, "%perfmonitor_export_perfdata old.csv",
                    "%perfmonitor_export_perfdata --file new.json --level user",
                    "%perfmonitor_export_perfdata \"with blank.csv\" --level system")
        rows = self.table("old.csv")
        self.assertEqual(list(rows[0])[:9],
                         ["time", "memory", "io_read_count", "io_write_count", "io_read",
                          "io_write", "cpu_util_avg", "cpu_util_min", "cpu_util_max"])
        self.assertEqual(list(rows[0])[-1], "cell_index")
        self.assertEqual({row["cell_index"] for row in rows} - {"", "-"} - {"1", "2", "3"}, set())
        self.assertIn("2", {row["cell_index"] for row in rows})
        loaded = json.loads(self.path("new.json").read_text())
        self.assertIsInstance(loaded[-1]["memory"], float)
        self.assertTrue(self.table("with blank.csv"))

    def test_form_that_there_is_not(self):
        out = self.script(LOAD_EXT, START, "%perfmonitor_export_perfdata --file p.parquet\n"
                          "%perfmonitor_export_perfdata a.CSV",
                          "%perfmonitor_export_cell_history h.xlsx\n"
                          "%perfmonitor_export_cell_history h.txt\n"
                          "%perfmonitor_export_cell_history plain")
        self.assertEqual(
            re.sub("^.*started.*\n", "", out),
            "Cannot export performance data to p.parquet: use a name that ends in .csv or .json\n"
            "Performance data exported to a.CSV\n"
            "Cannot export cell history to h.xlsx: use a name that ends in .csv or .json\n"
            "Cell history exported to h.txt\nCell history exported to plain\n")
        self.assertEqual({path.name for path in self.folder.iterdir()} & {"p.parquet", "h.xlsx"},
                         set())
        self.assertEqual(list(self.table("plain")[0]), HISTORY)

    def pandas(self):
        """A stand-in, in a folder for PYTHONPATH."""
        self.write("lib/pandas.py", "class DataFrame(list):\n    pass\n")
        return str(self.path("lib"))

    def test_data_frames(self):
        out = self.script(
            LOAD_EXT, START, BURNS, "%perfmonitor_export_perfdata",
            "%perfmonitor_export_perfdata --name perf", "print(type(perf), perf[0].keys() =="
            " perfdata_df[0].keys())", "%perfmonitor_export_cell_history --name cells",
            "print([c['cell_index'] for c in cells])", PYTHONPATH=self.pandas())
        self.assertRegex(out, r"DataFrame perfdata_df: \d+ rows\nDataFrame perf: \d+ rows\n"
                         r"<class 'pandas.DataFrame'> True\nDataFrame cells: 5 rows\n"
                         r"\[0, 1, 2, 3, 4\]\n$")

    def test_without_pandas(self):
        self.script(LOAD_EXT, START, "%perfmonitor_export_perfdata", PYTHONPATH=self.no_pandas(),
                    err=b"nbscorep: pandas is not installed, so there is no DataFrame "
                        b"perfdata_df\n")

    def test_history(self):
        out = self.script("a = 1", LOAD_EXT, "x = '\u00fc'\n%time y = 2", "3",
                          "%cell_history",
                          "%perfmonitor_export_cell_history\n%perfmonitor_export_cell_history h.csv"
                          "\n%perfmonitor_export_cell_history --file h.json",
                          "%perfmonitor_load_cell_history h.csv\n%show_cell_history",
                          "x = [row['cell_number'] for row in loaded_cell_history_df]\nx, "
                          "loaded_cell_history_df[1]['raw_cell']",
                          "%perfmonitor_load_cell_history --file none.csv",
                          PYTHONPATH=self.pandas())
        rows = self.table("h.csv")
        self.assertEqual(list(rows[0]), HISTORY)
        self.assertEqual([(row["cell_index"], row["cell_number"], row["raw_cell"])
                          for row in rows[:2]],
                         [("0", "3", "x = '\u00fc'\n%time y = 2"), ("1", "4", "3")])
        self.assertEqual(rows[0]["cell_magics"], "['time y = 2']")
        self.assertEqual([row["raw_cell"] for row in json.loads(
            self.path("h.json").read_text(encoding="utf-8"))], [row["raw_cell"] for row in rows])
        for row in rows:
            self.assertLess(abs(float(row["end_time"]) - float(row["start_time"])
                                - float(row["duration"])), 1e-6)
        self.assertIn("Cell history loaded from h.csv: 3 cells\n", out)
        self.assertEqual(len(re.findall(r"(?m)^    0      3 .*  x = '\u00fc' \.\.\.$", out)), 2)
        self.assertIn("\n([3, 4, 5], '3')\n", out)
        self.assertTrue(out.endswith("Cannot load none.csv: No such file or directory\n"))

    def test_history_with_a_long_cell(self):
        """Longer than a field that Python's csv takes, whose limit stays the script's own."""
        out = self.script(
            LOAD_EXT, "x = '" + "a" * 200_000 + "'", "%perfmonitor_export_cell_history h.csv",
            "import csv\nbefore = csv.field_size_limit()",
            "%perfmonitor_load_cell_history h.csv\nprint(csv.field_size_limit() == before)\n"
            "print(len(loaded_cell_history_df[0]['raw_cell']))", PYTHONPATH=self.pandas())
        self.assertTrue(out.endswith("\nTrue\n200006\n"), out)

    def test_files_of_anybody(self):
        rows = ",".join(HISTORY[:7]) + "\nx,\ny,a,b,c,nan,1e300,inf\n"
        self.write("bad/cell_history.csv", rows)
        self.write("bad/manifest.json", "[" * 9)
        self.write("odd/cell_history.csv", rows)
        self.write("odd/manifest.json", '{"first_index": "x"}')
        self.write("odd/monitor.samples", b"no samples")
        self.write("worst/cell_history.csv", b"\xff\0\n\0")
        self.write("worst/monitor.samples", b"")
        with zipfile.ZipFile(self.path("cut.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("cell_history.csv", "a" * 9999)
        data = bytearray(self.path("cut.zip").read_bytes())
        data[47] ^= 255
        self.write("cut.zip", bytes(data))
        self.write("bad.json", json.dumps([dict.fromkeys(HISTORY, [1]), {}]))
        self.write("worse.json", "[1]")
        self.write("deep.json", "[" * 100000)
        out = self.script(
            LOAD_EXT, *(f"%import_session {name}\n%cell_history\n%perfmonitor_perfreport --cell 0"
                        for name in ("bad", "cut.zip", "odd", "worst")),
            *(f"%perfmonitor_load_cell_history {name}.json" for name in ("bad", "worse", "deep")),
            "print('on')", PYTHONPATH=self.pandas())
        self.assertIn("    y      -        nans  -         -         a\n", out)
        self.assertTrue(out.endswith("on\n"))
        self.assertIn("Cannot import the session bad: ", out)
        self.assertIn("Cannot import the session cut.zip: ", out)
        self.assertIn("Session imported from odd: 2 cells\n", out)
        self.assertIn("Cannot load worse.json: it does not contain a list of rows\n", out)
        self.assertIn("Cannot load deep.json: ", out)

    def test_load_perfdata(self):
        out = self.script(LOAD_EXT, START, BURNS, "%perfmonitor_export_perfdata a.csv",
                          "%perfmonitor_export_perfdata a.json",
                          "%perfmonitor_load_perfdata --file a.csv\nb = loaded_perfdata_df",
                          "%perfmonitor_load_perfdata a.json\nprint([row['time'] for row in b] == "
                          "[row['time'] for row in loaded_perfdata_df][:len(b)])",
                          "%perfmonitor_load_perfdata heat.py", PYTHONPATH=self.pandas())
        self.assertIn("\nTrue\n", out)
        self.assertIn("Cannot load heat.py: ", out)

    def test_sessions(self):
        out = self.script(LOAD_EXT, "x = 0", START, BURNS, "%export_session",
                          "%export_session one.zip", "%export_session 'a folder'",
                          "%import_session heat.py", "%perfmonitor_perfreport --cell 3")
        names = ["cell_history.csv", "manifest.json", "monitor.samples", "perf_process.csv",
                 "perf_system.csv", "perf_user.csv"]
        self.assertEqual(sorted(path.name for path in self.path("a folder").iterdir()), names)
        with zipfile.ZipFile(self.path("one.zip")) as archive:
            self.assertEqual(sorted(archive.namelist()), names)
            manifest = json.loads(archive.read("manifest.json"))
            rows = list(csv.DictReader(io.StringIO(archive.read("perf_user.csv").decode())))
        self.assertEqual((manifest["levels"], manifest["first_index"]),
                         (["process", "user", "system"], 1))
        cpus = sorted(os.sched_getaffinity(0))
        monitor = manifest["monitor"]
        self.assertEqual((monitor["cpu_handles"], monitor["num_cpus"], monitor["num_gpus"]),
                         (cpus, len(cpus), 0))
        self.assertEqual(monitor["num_system_cpus"], os.cpu_count())
        self.assertLessEqual(monitor["start_time"], float(rows[0]["time"]))
        self.assertGreater(monitor["memory_limits"]["system"], .1)
        self.assertIn("memory", rows[0])
        self.assertTrue(self.path("heat_session.zip").exists())
        self.assertIn("Cannot import the session heat.py: ", out)
        self.assertRegex(out, r"(?m)^ +5 +3 .* %export_session$")

    def test_session_of_the_extension(self):
        columns = ("time,memory,io_read_count,io_write_count,io_read,io_write,cpu_util_avg,"
                   "cpu_util_min,cpu_util_max,cpu_util_0,cpu_util_1,cell_index\n")
        for level in "process", "system":
            self.write(f"session/perf_{level}.csv", columns + "".join(
                f"{100 + k},{.5 if k < 6 else 2.0},{10 * k},0,{k << 20},0,"
                f"{50 if k < 6 else 100},0,100,{50 if k < 6 else 100},{50 if k < 6 else 100},\n"
                for k in range(11)))
        self.write("session/cell_history.csv", "cell_index,cell_magics,raw_cell,start_time,"
                   "end_time,duration\n0,[],import numpy,101,104.0,3\n"
                   "1,[],\"a = 1\nb\",106.0,109,3\n")
        self.write("session/manifest.json", json.dumps({"version": "1.0", "monitor": {
            "interval": 1.0, "start_time": 100.0, "wallclock_start_time": 1.7e9, "num_cpus": 2,
            "memory_limits": {"system": 16.0}}}))
        out = self.script(
            LOAD_EXT, "%import_session session", "%perfmonitor_perfreport", "%perfmonitor_plot",
            "%perfmonitor_perfreport --cell 1 --level system", "%export_session again")
        whole, second = out.split("Performance plot: heat_plot-1.svg\n")
        self.assertRegex(whole, r"(?m)^ +1 +0 +3.000 +50.0 +3.000 +512.0 .* import numpy$")
        self.assertRegex(whole, r"(?m)^ +2 +1 +3.000 +100.0 +6.000 +2048.0 .* a = 1$")
        self.assertRegex(second, r"(?m)^ all +3.000 +100.0 +6.000 +2048.0 ")
        done = self.nbscorep("report", "again/monitor.samples")
        self.assertEqual((done.status, done.err), (0, b""))

    def test_session_of_the_extension_from_a_job(self):
        """Its I/O is what was counted so far by the time since the row before."""
        cpus = ",".join(f"cpu_util_{k}" for k in range(4))
        columns = ("time,memory,io_read_count,io_write_count,io_read,io_write,cpu_util_avg,"
                   f"cpu_util_min,cpu_util_max,{cpus},gpu_util_avg,gpu_util_0,gpu_band_0,gpu_mem_0,"
                   "gpu_power_0,cell_index\n")
        table = columns + "".join(
            f"{100 + k / 2},.5,{2 * (40 + k)},0,{2 * 4096 * k},0,50,0,100,100,100,0,0,25,25,5,2.5,"
            "300,0\n" for k in range(11))
        for level in "slurm", "system":
            self.write(f"job/perf_{level}.csv", table)
        self.write("job/perf_user.csv", columns)
        self.write("job/cell_history.csv", "cell_index,cell_magics,raw_cell,start_time,end_time,"
                   "duration\n0,[],x = 1,90,95,5\n1,[],y = 1,100.5,104.5,4\n")
        self.write("job/manifest.json", json.dumps({"version": "1.0", "monitor": {
            "interval": .5, "start_time": 100.0, "wallclock_start_time": 1.7e9, "num_cpus": 3,
            "num_gpus": 1, "gpu_memory": 93.58, "gpu_name": "NVIDIA H100", "slurm_job": "307",
            "cpu_handles": [35, 34, 40], "memory_limits": {"system": 755.15, "slurm": 64.0}}}))
        out = self.script(LOAD_EXT, "%import_session job", "%perfmonitor_resources",
                          "%perfmonitor_perfreport --level slurm", "%export_session again")
        self.assertIn("CPUs: 3\n  CPU affinity: 34-35,40\nMemory: 64.00 GB\nGPUs: 1\n"
                      "  GPU 0: NVIDIA H100, 93.58 GB\n", out)
        self.assertRegex(out, r"(?m)^GPU Util \(Across 1 GPUs?\) +25.00 +25.00 +25.00 ")
        self.assertRegex(out, r"(?m)^GPU Memory \(GB\) +2.50 +2.50 +2.50 +93.58$")
        self.assertRegex(out, r"(?m)^ +1 +0 +5.000 +- +- +- ")
        self.assertRegex(out, r"(?m)^ +2 +1 +4.000 +50.0 +6.000 +512.0 ")
        done = self.nbscorep("report", "--format=json", "--level=system", "again/monitor.samples")
        found = json.loads(done.out)
        self.assertEqual((found["nodes"][0]["job"], found["nodes"][0]["interval"]), ("307", .5))
        system = found["run"]["levels"]["system"]
        self.assertEqual(system["counters"]["read_calls"], 9)
        self.assertEqual(system["counters"]["read_bytes"], 9 * 4096)
        self.assertAlmostEqual(system["core_seconds"], 10, places=6)
        manifest = json.loads(self.path("again/manifest.json").read_text())["monitor"]
        self.assertEqual((manifest["num_cpus"], manifest["num_system_cpus"], manifest["num_gpus"],
                          manifest["cpu_handles"], manifest["slurm_job"], manifest["interval"]),
                         (3, 4, 1, [34, 35, 40], "307", .5))

    def test_odd_session_of_the_extension(self):
        self.write("odd/perf_process.csv", "time,memory,cpu_util_avg,gpu_util_0\n1,1,9,5\n3,1,9,5\n")
        self.write("odd/cell_history.csv", "cell_index,start_time,end_time\n0,1,2\n")
        self.write("odd/manifest.json", json.dumps({"monitor": {
            "cpu_handles": [-5, True, 70000, "x", 3], "gpu_name": "  ", "num_gpus": 1}}))
        out = self.script(LOAD_EXT, "%import_session odd", "%perfmonitor_resources",
                          "%export_session again")
        self.assertIn("CPU affinity: 3\n", out)
        self.assertIn("  GPU 0: GPU, 0.00 GB\n", out)
        monitor = json.loads(self.path("again/manifest.json").read_text())["monitor"]
        self.assertEqual((monitor["cpu_handles"], monitor["num_system_cpus"]), ([3], 0))

    def test_imported_session(self):
        """Reports, plots and exports are about it, until somebody samples again."""
        self.script(LOAD_EXT, "x = 0", START, BURNS, "%export_session 'a folder'",
                    "%export_session one.zip")
        for name in "'a folder'", "one.zip":
            out = self.script(
                LOAD_EXT, f"%import_session {name}", "%perfmonitor_perfreport --cell 2",
                "%perfmonitor_plot --cell 2", "%perfmonitor_export_perfdata a.csv",
                "%perfmonitor_resources", "%perfmonitor_perfreport --cell 0\n%cell_history",
                "%export_session again", START, "y = 2", "%perfmonitor_perfreport --cell 8",
                again=True)
            self.assertRegex(out, r"(?m)^ +4 +2 .* import time$")
            self.assertIn("Performance plot: heat_plot-1.svg\n", out)
            self.assertIn("Resources of the imported session ", out)
            self.assertIn("No performance data available: these cells were not sampled\n", out)
            self.assertRegex(out, r"(?m)^    2      4 .* import time \.\.\.$")
            self.assertRegex(out, r"(?m)^ +10 +8 .* y = 2$")
            self.assertIn("2", {row["cell_index"] for row in self.table("a.csv")})
            self.assertEqual(self.samples("again/monitor.samples").marks[0][:2], ("begin", 3))

    def test_session_beside_samples(self):
        """An export is about the one or the other, and a start leads back to the own samples."""
        self.script(LOAD_EXT, START, "x = 1", "x = 2", "%export_session one")
        out = self.script(LOAD_EXT, START, "y = 1", "%import_session one", "%export_session again",
                          "%perfmonitor_export_cell_history again.json", START,
                          "%perfmonitor_perfreport --cell 1", "%export_session own", again=True)
        self.assertIn("Performance monitoring already running\n", out)
        self.assertRegex(out, r"(?m)^ +3 +1 .* y = 1$")
        for name, cells in ("again", "234"), ("own", "2345678"):
            rows = self.table(f"{name}/cell_history.csv")
            self.assertEqual("".join(row["cell_number"] for row in rows), cells, name)
        rows = json.loads(self.path("again.json").read_text())
        self.assertEqual([row["cell_number"] for row in rows], [2, 3, 4])

    def test_folder_of_another_session(self):
        """Nothing of it stays; other files do."""
        for name in "perf_slurm.csv", "monitor.samples", "mine.txt":
            self.write(f"old/{name}", "old")
        out = self.script(LOAD_EXT, "x = 1", "%export_session old")
        self.assertEqual(out, "Session exported to old\n")
        self.assertEqual(sorted(path.name for path in self.path("old").iterdir()),
                         ["cell_history.csv", "manifest.json", "mine.txt"])


if __name__ == "__main__":
    unittest.main()
