#!/usr/bin/env python3
"""The page of a measurement in a browser: it runs, fetches nothing, and shows the figures of the other forms."""
import csv
import io
import json
import pathlib
import sys
import tarfile
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "e2e"), str(TESTS / "cli")]
from page_test import PageCase  # noqa: E402
from samples import MB, SECOND, Samples  # noqa: E402

RUNS = "serial_cells", "threads_mixed", "mpi_imbalanced", "mpi_messages"
DATA = "readData(byId('data').textContent)"
# The largest difference, in seconds, between the time on a call path of a thread, summed from its timeline, and that of
# the profile.
WORST = """(() => {
  const { measurement } = %s, { parents } = measurement;
  return Math.max(...measurement.locations.map((location) => {
    const sums = new Array(parents.length).fill(0), { times, paths, end } = location.timelines[0];
    times.forEach((time, i) => {
      const spent = (i + 1 < times.length ? times[i + 1] : end) - time;
      for (let path = paths[i]; path > 1; path = parents[path]) sums[path] += spent;
    });
    return Math.max(...sums.map((sum, path) => path > 1 ? Math.abs(sum - location.total[path]) : 0));
  }));
})()""" % DATA


class MeasuredPage(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder = tempfile.TemporaryDirectory(prefix="nbscorep-test-traces-")
        cls.addClassCleanup(holder.cleanup)
        cls.traces = pathlib.Path(holder.name)
        with tarfile.open(TESTS.parent / "fixtures/report/scorep-8.4.tar.xz") as archive:
            archive.extractall(cls.traces)

    def setUp(self):
        super().setUp()
        if b"without the OTF2 library" in self.nbscorep("report", self.traces / RUNS[0]).err:
            self.skipTest("nbscorep was built without the OTF2 library")

    def table(self, title):
        """The texts of a table's cells, row by row."""
        return self.value(
            "[...[...document.querySelectorAll('section.measured')]"
            f".find(one => one.querySelector('h2').textContent === {json.dumps(title)})"
            ".querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")

    def figures(self, table, *words):
        out = self.nbscorep("report", "--format=csv", f"--table={table}", *words).out
        return list(csv.DictReader(io.StringIO(out.decode())))

    def test_traces(self):
        for name in RUNS:
            with self.subTest(name):
                self.open_report(self.traces / name)
                self.assertLess(self.value(WORST), 1e-6)
                cells = self.figures("cells", self.traces / name)
                shown = self.table("Cells")
                self.assertEqual([row[0] for row in shown], [row["title"] for row in cells])
                functions = self.table("Functions")
                self.assertEqual([row[-1] for row in functions],
                                 [row["function"] for row in self.figures("functions", self.traces / name)])
                lanes = self.value(f"{DATA}.measurement.locations.length")
                self.assertEqual(lanes, len(self.figures("locations", self.traces / name)))
                self.assertGreater(self.value("byId('icicle').clientHeight"), 40)

    def test_profile_without_a_trace(self):
        (self.traces / "profile").mkdir(exist_ok=True)
        (self.path("p")).mkdir()
        (self.path("p") / "profile.cubex").write_bytes((self.traces / "serial_cells" / "profile.cubex").read_bytes())
        self.open_report("p")
        self.assertEqual([row[0] for row in self.table("Cells")],
                         [row["title"] for row in self.figures("cells", "p")])
        self.assertEqual(self.value("document.querySelectorAll('#lanes canvas').length"), 0)
        self.assertGreater(self.value("byId('icicle').clientHeight"), 40)

    def test_all_widths_and_themes(self):
        for theme in "light", "dark":
            for width in 360, 500, 1280:
                self.open_report(self.traces / "mpi_messages", width=width, theme=theme)
                self.assertLessEqual(self.value("document.documentElement.scrollWidth"), width)

    def test_search(self):
        self.open_report(self.traces / "mpi_imbalanced")
        self.value("byId('search').value = 'mpi_barrier', byId('search').dispatchEvent(new Event('input'))")
        share = self.value("byId('found').textContent")
        rows = self.figures("functions", self.traces / "mpi_imbalanced")
        own = next(float(row["inclusive"]) for row in rows if row["function"] == "MPI_Barrier")
        whole = self.value(f"{DATA}.measurement.all.total[0]")
        self.assertTrue(share.startswith("1 function, "), share)
        self.assertAlmostEqual(float(share.split()[2].split("\u202f")[0]), own / whole * 100, delta=.1)

    def test_icicle(self):
        """Of one cell, one thread; with the keyboard."""
        self.open_report(self.traces / "mpi_imbalanced")
        name = "byId('icicle-name').textContent"
        self.assertIn("4 visits", self.value(name))
        self.value("byId('icicle-cell').value = 'cell 5',"
                   "byId('icicle-cell').dispatchEvent(new Event('change'))")
        self.assertRegex(self.value(name), "^user:cell 5: .*4 visits")
        self.value("byId('icicle-thread').value = '0',"
                   "byId('icicle-thread').dispatchEvent(new Event('change'))")
        self.assertRegex(self.value(name), "^user:cell 5: .*1 visit$")
        self.value("byId('icicle').focus()")
        for key in "ArrowDown", "Enter":
            self.browser.key(key)
        self.assertNotIn("cell 5", self.value(name))
        self.browser.key("Escape")
        self.assertRegex(self.value(name), "^python")
        self.assert_quiet()

    def test_lanes_open(self):
        self.open_report(self.traces / "threads_mixed")
        height = self.value("byId('lanes').scrollHeight")
        box = self.value("(() => { const canvas = document.querySelector('#lanes canvas[tabindex]');"
                         "canvas.scrollIntoView({ block: 'center' });"
                         "const box = canvas.getBoundingClientRect(); return [box.left, box.top]; })()")
        self.browser.mouse("mousePressed", box[0] + 50, box[1] + 24, button="left", clickCount=1)
        self.browser.mouse("mouseReleased", box[0] + 50, box[1] + 24, button="left", clickCount=1)
        self.assertGreater(self.value("byId('lanes').scrollHeight"), height + 20)
        self.browser.mouse("mouseMoved", box[0] + 640, box[1] + 30)
        self.assertIn("0: ", self.value("byId('tip').textContent"))
        # With the keyboard the second thread, and the first one again.
        self.value("document.querySelector('#lanes canvas[tabindex]').focus()")
        opened = self.value("byId('lanes').scrollHeight")
        for key in "ArrowDown", "ArrowRight":
            self.browser.key(key)
        self.assertIn("0.1: ", self.value("byId('tip').textContent"))
        for key in "ArrowUp", "o":
            self.browser.key(key)
        self.assertLess(self.value("byId('lanes').scrollHeight"), opened)
        self.assert_quiet()

    def test_with_samples(self):
        """Both have one clock: the cells of the samples are where the calls are."""
        samples = Samples()
        group = samples.group("program", "process", "cpu", "rss")
        for i in range(31):
            samples.sample(group, i, i * SECOND // 2, 100 * MB)
        self.write("x.samples", samples.cell(1, 12.5, 12.6).finish(30).data)
        self.open_report(self.traces / "serial_cells", "x.samples")
        data = self.value("""(() => {
          const { measurement, model } = %s, [location] = measurement.locations;
          const path = measurement.cell_paths.find((one) => pathName(measurement, one).endsWith("cell 1"));
          const below = (one) => one > 1 && (one === path || below(measurement.parents[one]));
          const [timeline] = location.timelines;
          return { last: model.last, first: timeline.times[timeline.paths.findIndex(below)] };
        })()""" % DATA)
        self.assertEqual(data["last"], 30)
        self.assertAlmostEqual(data["first"], 12.5, delta=1e-3)
        self.assertGreater(self.value("document.querySelectorAll('#charts .chart').length"), 1)
        self.assertFalse(self.value("byId('summary-section').hidden"))


if __name__ == "__main__":
    unittest.main()
