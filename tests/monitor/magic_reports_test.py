#!/usr/bin/env python3
"""The magics of the JUmPER extension that print and plot, in scripts that run."""
import importlib.util
import re
import sys
import unittest

from magics_support import BURNS, LOAD_EXT, START, MagicsCase


class Reports(MagicsCase):
    def test_place(self):
        out = self.script(LOAD_EXT, START, "print('before')", "%perfmonitor_perfreport --cell 1",
                          "print('behind')", "%perfmonitor_stop",
                          "%perfmonitor_perfreport --level system --text")
        parts = re.split(r"-{40}\nJUmPER Performance Report\n", out)
        self.assertEqual(len(parts), 3)
        self.assertTrue(parts[0].endswith("before\n"))
        self.assertIn("(1 cell)", parts[1])
        self.assertRegex(parts[1], "(?m)^ *3 ")
        self.assertIn("\nbehind\nPerformance monitoring stopped", parts[1])
        self.assertIn("level system", parts[2])

    def test_ranges(self):
        """As JUmPER counts cells: from 0, after the one that loads it; below 0, back from the cell that runs."""
        ranges = {"0": [3], "1:2": [4, 5], ":1": [3, 4], "2:": [5, 6], ":": [3, 4, 5, 6], "-1": [5], "-3:-1": [3, 4, 5],
                  "-2:": [4, 5, 6], **dict.fromkeys(("99", "2:1", "1:99", "x", "-9", "1-2"))}
        out = self.script("x = 0", LOAD_EXT, START, "x = 1", "x = 2", "".join(
            f"r = '{cells}'\n%perfmonitor_perfreport --cell {{r}}\nprint('== next')\n" for cells in ranges))
        for (cells, numbers), part in zip(ranges.items(), out.split("== next\n")):
            with self.subTest(cells):
                if numbers:
                    self.assertEqual([int(n) for n in re.findall(r"(?m)^ *(\d+) +\d+ .*s?$", part)], numbers, part)
                else:
                    self.assertEqual(part, f"Invalid cell range format: {cells}\n")

    def test_empty_cells_have_no_index(self):
        """Jupyter does not run them."""
        out = self.script(LOAD_EXT, "", START, " \n\n", "# 1", "", "x = 2",
                          "%perfmonitor_perfreport --cell 1:2", "")
        self.assertEqual([int(n) for n in re.findall(r"(?m)^ *(\d+) +\d+ .*s?$", out)],
                         [5, 7], out)

    def test_index_behind_a_restart(self):
        """Cells keep the index that they have; those of the time before are not there."""
        out = self.script(LOAD_EXT, START, "x = 1", "%perfmonitor_stop", START, "y = 2",
                          "%perfmonitor_perfreport --cell 4", "%perfmonitor_perfreport --cell 1",
                          "%perfmonitor_export_perfdata a.csv")
        self.assertRegex(out, r"(?m)^ +6 +4 .* y = 2$")
        self.assertTrue(out.endswith("\nNo performance data available: these cells were not "
                                     "sampled\nPerformance data exported to a.csv\n"), out)
        self.assertLessEqual({row["cell_index"] for row in self.table("a.csv")},
                             {"", "3", "4", "5", "6", "7"})

    def test_behind_cells(self):
        out = self.script(LOAD_EXT, "%perfmonitor_enable_perfreports --interval 0.01",
                          "print('one')", "%cell_history", "%%bash\necho two",
                          "%perfmonitor_disable_perfreports", "print('three')")
        self.assertEqual(out.count("JUmPER Performance Report"), 2)
        self.assertRegex(out, r"(?s)one\n-{40}\nJUmPER.*two\n-{40}\nJUmPER.*three\n$")
        self.assertRegex(out, r"(?m)^ +3 +1 .* print\('one'\)$")
        self.assertNotIn("Host:", out)

    def test_behind_the_cell_that_ends_the_script(self):
        for cell, status in (("1 / 0", 1), ("import sys\nsys.exit(3)", 3)):
            self.compile(LOAD_EXT, "%perfmonitor_enable_perfreports", "x = 1", cell)
            done = self.run_command(sys.executable, "heat.py", env=self.environment())
            self.assertEqual((done.status, done.out.count(b"Performance Report")), (status, 2), done)

    def test_no_session(self):
        self.assertEqual(self.script(LOAD_EXT, "%perfmonitor_perfreport"),
                         "No active performance monitoring session\n")

    def no_matplotlib(self):
        """A folder for PYTHONPATH."""
        self.write("lib/matplotlib.py", "raise ImportError")
        return str(self.path("lib"))

    def test_plot(self):
        out = self.script(
            LOAD_EXT, START, BURNS, "%perfmonitor_plot --metrics cpu_summary,io --cell 1 "
            "--save-jpeg x.jpg --live 2.0 60", "%perfmonitor_plot --metrics nothing",
            "%perfmonitor_plot --backend plotly --live", PYTHONPATH=self.no_matplotlib())
        self.assertTrue(out.endswith(
            "Performance plot: heat_plot-1.svg (in place of x.jpg)\n'--metrics' knows no 'nothing',"
            " but cpu, mem, io, gpu and those that JUmPER has in them\n"
            "Performance plot: heat_plot-2.svg\n"), out)
        for number, titles in ((1, ["Processor use", "Storage", "Read and write calls"]),
                               (2, ["Processor use", "Memory", "Storage"])):
            text = self.path(f"heat_plot-{number}.svg").read_text()
            self.assertEqual(re.findall(r'class="title".*>([\w ]+?) \(', text), titles)

    READS = ("import pickle\nwith open('data.pkl', 'rb') as file:\n    data = pickle.load(file)\n"
             "print(sorted(data))\nprint(data['metrics'], data['level'], data['cell_range'])\n"
             "rows, figure = data['processed_data'], data['figure']")

    def test_plot_without_matplotlib(self):
        """What comes behind such a magic opens the file that it names."""
        out = self.script(
            LOAD_EXT, START, BURNS,
            "%perfmonitor_plot --metrics io --cell 1 --level user --pickle data.pkl", self.READS,
            "print(figure, len(rows) > 0, rows[0].keys() >= {'time', 'io_read'})",
            "%perfmonitor_plot --pickle no/data.pkl",
            PYTHONPATH=f"{self.no_matplotlib()}:{self.no_pandas()}")
        self.assertRegex(out, r"heat_plot-1\.svg \(data\.pkl\)\n\['axes', 'cell_range', 'figure', "
                         r"'level', 'metric_subsets', 'metrics', 'processed_data', 'show_idle'\]\n"
                         r"\['io_read', 'io_write', 'io_read_count', 'io_write_count'\] user 1\n"
                         r"None True True\nCannot save the plot as no/data\.pkl: .*\n"
                         r"Performance plot: heat_plot-2\.svg \(in place of no/data\.pkl\)\n$")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not there")
    def test_plot_with_matplotlib(self):
        out = self.script(
            LOAD_EXT, START, BURNS, "%perfmonitor_plot --save-jpeg a.jpg --pickle data.pkl",
            self.READS, "for axes in data['axes']:\n    print(axes.get_title(), [line.get_label() "
            "for line in axes.lines])\n    print(axes.get_ylabel(), '|', axes.get_xlabel())\n"
            "    print([text.get_text() for text in axes.texts], len(axes.patches))\n"
            "figure.savefig('again.png')",
            "%perfmonitor_plot --metrics cpu_all --save-jpeg no/a.jpg",
            PYTHONPATH=self.no_pandas())
        self.assertIn("heat_plot-1.svg (a.jpg, data.pkl)\n", out)
        below = "seconds; above: cells"
        parts = re.findall(r"(?m)^(\w+) \(process\) (\[.*\])\n(.*) \| (.*)\n(\[.*\]) (\d+)$", out)
        self.assertEqual([part[:4] for part in parts], [
            ("cpu_summary", "['cpu_util_avg', 'cpu_util_min', 'cpu_util_max']", "% of the CPUs",
             below), ("memory", "['memory']", "GB", below),
            *((f"io_{each}", f"['io_{each}']", "MB since the start", below)
              for each in ("read", "write")),
            *((f"io_{each}_count", f"['io_{each}_count']", "calls since the start", below)
              for each in ("read", "write"))])
        for *_, cells, grounds in parts:
            self.assertIn("'3'", cells)  # the one that burns
            self.assertGreaterEqual(int(grounds), 1)
        self.assertRegex(out, r"Cannot save the plot as no/a\.jpg: .*\n"
                              r".* heat_plot-2\.svg \(in place of no/a\.jpg\)\n$")
        self.assertEqual(self.path("a.jpg").read_bytes()[:3], b"\xff\xd8\xff")
        self.assertTrue(self.path("again.png").exists())

    def test_help_and_resources(self):
        out = self.script(LOAD_EXT, "%perfmonitor_help", "%perfmonitor_resources")
        self.assertIn("perfmonitor_plot", out)
        self.assertRegex(out, r"CPUs: \d+\n  CPU affinity: \[0.*\]\nMemory: [\d.]+ GB\nGPUs: ")


if __name__ == "__main__":
    unittest.main()
