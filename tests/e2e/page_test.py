#!/usr/bin/env python3
"""The page of a report in a browser: it runs, fetches nothing, and says what the text says."""
import json
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import chromium  # noqa: E402
from samples import (GB, MB, SECOND, Samples, late_at_marks, odd_files,  # noqa: E402
                     ticking)
from support import Case, setting  # noqa: E402

CHROMIUM = chromium.find()
HOSTILE = "</script><img src=x onerror=\"document.title='hit'\">\u2028<b>&amp;"
CANVAS = "document.querySelectorAll('.chart canvas[tabindex]')[0]"


def levels():
    """20 s with four cells, of which the third one uses more of everything."""
    samples = Samples(cpus=4, cpu_list="0-3", gpus=[("A GPU", 80 * GB)])
    own = samples.group("program", "process", "cpu", "rss", "peak_rss", "read_chars", "write_chars")
    user = samples.group("user", "user", "cpu", "rss", "processes")
    cores = samples.group("cores", "system", ("core_cpu", 0), ("core_cpu", 1))
    node = samples.group("node", "system", "memory_used")
    gpu = samples.group("gpu", "", "gpu_util", "gpu_mem")
    held = samples.group("process.gpu", "process", "gpu_process_mem")
    sampler = samples.group("sampler", "", "cpu", "rss")
    samples.title(1, "import numpy", "import numpy\n").title(3, HOSTILE, HOSTILE)
    samples.title(7, "grow()").title(9, "1 / 0")
    cpu = rss = written = 0
    for i in range(21):
        busy = 10 <= i < 15
        peak = (700 if i >= 10 else 100) * MB
        samples.sample(own, i, cpu, 100 * MB + rss, peak, i * MB, written, took=1000)
        if i == 12:
            samples.sample(own, i + 0.01, cpu + SECOND // 25, 100 * MB + rss, peak, i * MB, written)
        samples.sample(user, i + 0.1, cpu + i * SECOND // 10, 300 * MB, 5)
        samples.sample(cores, i + 0.1, cpu // 2, cpu // 3).sample(node, i + 0.1, GB + i * MB)
        samples.sample(gpu, i + 0.2, 90 if busy else 3, (4 if busy else 1) * GB)
        samples.sample(held, i + 0.2, i * MB).sample(sampler, i + 0.2, i * MB, MB)
        cpu += 3 * SECOND if busy else SECOND // 2
        rss = 500 * MB if busy else 0
        written += 20 * MB if busy else 0
    samples.cell(1, 0.5, 4.25).cell(3, 4.5, 9.5).cell(7, 9.75, 15.1).cell(9, 15.5, 19, "failed")
    return samples.missed(20, 0).finish(20, 256, 10 * SECOND, 2 * SECOND)


def attached():
    """Sampled from 5 s to 10 s, with a cell before, two at the ends of that, and one behind."""
    samples = Samples()
    group = samples.group("program", "process", "cpu", "rss", "write_chars")
    for i in range(5, 11):
        samples.sample(group, i, i * SECOND, i * MB, i * MB)
    return samples.cell(1, 1, 4.5).cell(2, 4, 6.5).cell(3, 9.5, 12).cell(4, 13, 14)


def long_run(count=100_000):
    samples, rng = Samples(interval=SECOND // 100), random.Random(1)
    group = samples.group("program", "process", "cpu", "rss", "read_calls", "write_calls",
                          "read_bytes", "write_bytes", "minor_faults", "voluntary_switches",
                          "processes", "threads")
    values, parts = [0] * 10, []
    for i in range(count):
        step = rng.getrandbits(20)
        values = [v + (step >> k) for k, v in enumerate(values[:8])] + [step & 7, step & 31]
        samples.sample(group, i / 100, *values)
        parts.append(samples.data)
        samples.data = b""
    samples.data = b"".join(parts)
    for i in range(50):
        samples.cell(i + 1, i * 20, i * 20 + 19)
    return samples.finish(count / 100)


@unittest.skipUnless(CHROMIUM or setting("NBSCOREP_TEST_CHROMIUM"), "needs chromium")
class PageCase(Case):
    @classmethod
    def setUpClass(cls):
        cls.browser = chromium.Chromium(CHROMIUM or "chromium")
        cls.addClassCleanup(cls.browser.close)

    def open(self, samples, *arguments, **how):
        self.write("x.samples", samples.data)
        self.open_report(*arguments, "x.samples", **how)

    def open_report(self, *arguments, **how):
        done = self.nbscorep("report", "--format", "html", "--force", "-o", "x.html", *arguments)
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.browser.open(self.path("x.html"), **how)
        self.assert_quiet()

    def assert_quiet(self):
        """The page has come to its end without a complaint, and has fetched itself alone."""
        self.assertEqual(self.browser.log, [])
        self.assertEqual(self.browser.requests, [self.path("x.html").as_uri()])
        self.assertRegex(self.value("document.documentElement.dataset.ready") or "", r"^\d+$")

    def value(self, expression):
        return self.browser.value(expression)

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")


@unittest.skipUnless(CHROMIUM or setting("NBSCOREP_TEST_CHROMIUM"), "needs chromium")
class Page(PageCase):
    def column(self, heading):
        """The texts of a column of the table of cells, from top to bottom."""
        names = self.value("[...document.querySelectorAll('#cells thead th')]"
                           ".map(heading => heading.innerText)")
        index = [name.split("\u00a0")[0] for name in names].index(heading)
        return self.value("[...document.querySelectorAll('#cells tbody tr')]"
                          f".map(row => row.cells[{index}].textContent)")

    def choose(self, first, last):
        self.value(f"byId('from').value = {first}; byId('to').value = {last};"
                   "byId('range').requestSubmit()")

    def fields(self):
        return self.value("byId('from').value"), self.value("byId('to').value")

    def plot(self):
        """Left and right end of the first timeline's time, and the middle of its height."""
        return self.value(f"(() => {{ {CANVAS}.scrollIntoView({{ block: 'center' }});"
                          f"const box = {CANVAS}.getBoundingClientRect();"
                          "return [box.left + 66, box.right - 38, box.top + 70]; })()")

    def test_cells_come_second(self):
        """With a bar for each cell's share of the run's time."""
        self.open(levels())
        titles = self.value("[...document.querySelectorAll('h2')].filter(title => title.offsetParent)"
                            ".map(title => title.textContent)")
        self.assertEqual(titles[:3], ["Summary", "Cells", "Timelines"])
        shares = self.value("[...document.querySelectorAll('td.bar')].map(cell => Number("
                            "getComputedStyle(cell).getPropertyValue('--share')))")
        self.assertEqual(len(shares), len(self.column("wall")))
        self.assertLessEqual(sum(shares), 1)
        self.assertGreater(min(shares), 0)

    def test_all_widths_and_themes(self):
        for width in (1280, 390):
            for theme in ("light", "dark"):
                self.open(levels(), width=width, theme=theme)
                self.assertEqual(self.value("document.documentElement.dataset.theme"), theme)
                self.assertLessEqual(self.value("document.documentElement.scrollWidth"), width)

    def test_width_is_the_same_before_the_page_is_filled(self):
        """Else all is drawn twice, and moves under the pointer."""
        self.open(levels())
        full, empty = self.value(
            "(() => { const parts = [...document.body.children], widths = [document.body.clientWidth];"
            "parts.forEach((part) => part.style.display = 'none');"
            "return widths.concat(document.body.clientWidth); })()")
        self.assertEqual(full, empty)

    def test_cells_have_the_figures_of_the_text(self):
        self.assert_cells_are_the_texts(levels(), ("process", "user", "system"))

    def test_what_was_not_sampled_is_not_known(self):
        self.assert_cells_are_the_texts(attached(), ("process",))
        self.assertEqual(self.column("CPU")[::3], ["–", "–"])

    def summary(self):
        return self.value("Object.fromEntries([...document.querySelectorAll('.tiles div')]"
                          ".map(({ children }) => [...children].map((child) => child.textContent)))")

    def with_end(self, **head):
        """What the kernel tells at the end is more than the samples have."""
        samples = Samples(**head)
        group = samples.group("program", "process", "cpu", "rss", "minor_faults", "major_faults",
                              "voluntary_switches", "involuntary_switches", "write_calls")
        samples.sample(group, 0, 0, MB, 10, 0, 0, 0, 0)
        samples.sample(group, 2, SECOND, MB, 60, 0, 30, 0, 30)
        samples.cell(1, 0.5, 1.5)
        return samples.finish(4, user=2 * SECOND, faults=(500, 2, 1234, 7))

    def test_what_the_kernel_tells_at_the_end(self):
        self.open(self.with_end())
        found = self.summary()
        for name, text in {"voluntary switches": "1.23\u202fk", "involuntary switches": "7", "minor page faults": "500",
                           "major page faults": "2", "write calls": "30",
                           "processor time": "2.00\u202fcore-s"}.items():
            self.assertEqual(found[name], text, name)
        self.choose(1, 1)
        self.assertEqual(self.summary()["voluntary switches"], "15")
        self.open_run(self.with_end(node=0, host="a"),
                      self.with_end(node=1, host="b", start=70, wall=1_700_000_001))
        self.assertEqual(self.summary()["voluntary switches"], "2.47\u202fk")

    def test_amounts_are_whole(self):
        samples = Samples()
        group = samples.group("program", "process", "cpu", "rss", "write_chars", "write_calls")
        samples.sample(group, 0, 0, MB, 0, 0).sample(group, 100, SECOND, MB, 6, 3)
        self.open(samples.cell(1, 1, 2))
        self.assertEqual(self.column("written"), ["0\u202fB"])
        self.choose(1, 1)
        self.assertEqual(self.summary()["write calls"], "0")

    def test_title(self):
        self.open(Samples(command="heat & " + "x" * 100))
        self.assertEqual(self.value("document.title"), f"heat & {'x' * 73} \u2013 nbscorep report")
        self.open(Samples(command=""))
        self.assertEqual(self.value("document.title"), "nbscorep report")

    def test_rises_of_the_peak_are_those_of_the_text(self):
        """One before the first sample is of no cell, and one of two cells is of that in which it was read."""
        samples = Samples()
        group = samples.group("program", "process", "cpu", "rss", "peak_rss", "write_chars")
        for second, peak in enumerate((300, 300, 500, 600, 700)):
            samples.sample(group, second, 0, 100 * MB, peak * MB, 0)
        samples.cell(1, 0, 1.25).cell(2, 1.25, 2.5).cell(3, 2.5, 3.75).cell(4, 3.75, 4)
        self.assert_cells_are_the_texts(samples, ("process",))
        self.assertEqual(self.column("peak memory"),
                         [f"{peak}\u202fMiB" for peak in (100, 500, 600, 700)])

    def test_memory_at_marks(self):
        self.assert_cells_are_the_texts(late_at_marks(), ("process",))
        self.assertEqual(self.column("memory change"),
                         ["0\u202fB", "+500\u202fMiB", "\u2212500\u202fMiB", "0\u202fB"])

    def figures(self, level, *keys):
        """Of each cell and of the whole run, as the page got them."""
        return self.value("""(() => {
            const { columns, rows } = readData(byId("data").textContent).model.tables["%s"];
            const index = (key) => columns.findIndex((column) => column.key === key);
            return rows.map((row) => %s.map((key) => row[index(key)] ?? null)); })()""" % (level, json.dumps(keys)))

    def assert_cells_are_the_texts(self, samples, names):
        self.open(samples)
        for level in names:
            done = self.nbscorep("report", "--format", "json", "x.samples", "--level", level)
            report = json.loads(done.out)
            got = self.figures(level, "core_s", "cpu_percent", "cpu_most", "memory", "peak_mb", "change_mb",
                               "written_mb", "gpu_percent", "gpu_mb")[:-1]
            self.assertEqual(len(got), 4)
            for cell, numbers in zip(report["cells"], got):
                figures = cell["levels"][level]
                gauges, counters, cpu, memory = (
                    figures.get(key, {}) for key in ("gauges", "counters", "cpu_percent", "memory"))
                held = gauges.get("gpu_process_mem", gauges.get("gpu_mem"))
                expected = [
                    figures.get("core_seconds"), cpu.get("mean"), cpu.get("max"), memory.get("mean"),
                    memory.get("peak"), memory.get("change"),
                    counters.get("write_chars"),
                    gauges.get("gpu_util", {}).get("mean"), held and held["max"]]
                for want, number in zip(expected, numbers):
                    if want is None:
                        self.assertIsNone(number)
                    else:
                        self.assertAlmostEqual(number, want, delta=max(abs(want) * 1e-6, 1e-3))

    def test_ticks_make_no_use_of_more_than_there_is(self):
        self.open(ticking())
        for level in "process", "system":
            shares = self.value("""(() => {
                const { model } = readData(byId("data").textContent);
                return [...segmentsOf(cpuPanel(model, "%s")[0].lines[0].column).shown]; })()""" % level)
            self.assertGreaterEqual(len(shares), 19)
            self.assertTrue(all(abs(share - 100) < .01 for share in shares), shares)

    def test_texts_of_users_are_shown_as_texts(self):
        self.open(levels())
        self.assertEqual(self.column("title")[1], HOSTILE)
        self.value("document.querySelectorAll('#cells tbody button')[1].click()")
        self.assertEqual(self.text("#source"), HOSTILE)
        self.assertEqual(self.value("document.title"), "python3 heat.py \u2013 nbscorep report")
        self.assertEqual(self.value("document.querySelectorAll('img, b').length"), 0)

    def test_a_click_on_a_heading_sorts(self):
        self.open(levels())
        self.assertEqual(self.column("cell"), ["1", "3", "7", "9"])
        click = "[...document.querySelectorAll('#cells thead button')].find(" \
                "b => b.innerText.startsWith('written')).click()"
        self.value(click)
        self.assertEqual(self.column("cell")[0], "7")
        self.assertEqual(self.value("document.querySelector('[aria-sort]').ariaSort"), "descending")
        self.value(click)
        self.assertEqual(self.column("cell")[-1], "7")

    def test_what_is_not_known_is_less_than_all_else(self):
        self.open(attached())
        click = "[...document.querySelectorAll('#cells thead button')].find(" \
                "b => b.innerText.startsWith('CPU')).click()"
        cpu = self.column("CPU")
        self.assertEqual([cpu[0], cpu[3]], ["\u2013", "\u2013"])
        self.value(click)
        self.assertEqual(self.column("CPU"), sorted(cpu[1:3], reverse=True) + ["\u2013"] * 2)
        self.assertEqual(self.column("cell")[2:], ["1", "4"])
        self.value(click)
        self.assertEqual(self.column("cell")[:2], ["1", "4"])
        self.assertEqual(self.column("CPU"), ["\u2013"] * 2 + sorted(cpu[1:3]))

    def test_cells_are_chosen_by_their_numbers(self):
        self.open(levels())
        whole = self.text("#summary")
        self.choose(3, 7)
        self.assertEqual(self.text("#window"), "4.500\u202fs to 15.100\u202fs: 10.6\u202fs")
        self.assertEqual(self.text("#summary-title"), "Summary of the whole run")
        self.assertEqual(self.text("#summary"), whole)
        self.choose(7, 7)
        self.assertEqual(self.text("#summary-title"), "Summary of cell 7")
        self.assertEqual(self.summary()["wall"], self.column("wall")[2])
        self.choose(4, 4)
        self.assertFalse(self.value("byId('to').validity.valid"))
        self.value("byId('whole').click()")
        self.assertEqual(self.text("#summary"), whole)

    def test_a_range_of_the_command_line_is_shown_at_first(self):
        self.open(levels(), "--cell", "7", "--level", "user")
        self.assertEqual(self.fields(), ("7", "7"))
        level = self.value("document.querySelector('#levels input:checked').value")
        self.assertEqual(level, "user")

    def test_the_level_is_switched(self):
        self.open(levels())
        self.assertEqual(self.column("peak memory")[0], "100\u202fMiB")
        self.value("document.querySelector('#levels input[value=user]').click()")
        self.assertEqual(self.column("peak memory")[0], "300\u202fMiB")
        self.assert_quiet()

    def test_the_pointer_shows_values_and_a_part(self):
        self.open(levels())
        left, right, y = self.plot()
        self.browser.mouse("mouseMoved", left + (right - left) * 13.5 / 20.2, y)
        tip = self.text("#tip")
        for expected in ("13.5", "22:13:33", "Cell 7: grow()", "75.0\u202f% (3.00 cores)"):
            self.assertIn(expected, tip)
        self.browser.mouse("mouseMoved", left + (right - left) * 12.005 / 20.2, y)
        self.assertIn("75.0\u202f%", self.text("#tip"), "a sample right behind another is no peak")
        self.browser.drag(left + (right - left) * 5 / 20.2, y, left + (right - left) * 10 / 20.2)
        begin, end = self.value("byId('window').textContent.match(/[0-9.]+/g).slice(0, 2)")
        self.assertAlmostEqual(float(begin), 5, delta=0.05)
        self.assertAlmostEqual(float(end), 10, delta=0.05)
        self.assert_quiet()

    def test_lines_have_the_colour_of_the_legend(self):
        """Also after the range between the lowest and the highest value, which is pale."""
        self.open(levels())
        found = self.value(
            "[...document.querySelectorAll('.chart')].filter(chart => chart.querySelector('.swatch'))"
            ".map(chart => {"
            "  const [line, sample] = ['canvas[tabindex]', '.swatch'].map(name => {"
            "    const canvas = chart.querySelector(name);"
            "    return new Uint32Array(canvas.getContext('2d').getImageData("
            "      0, 0, canvas.width, canvas.height).data.buffer); });"
            "  const colour = sample[sample.length / 2 + 1];"
            "  return line.filter(pixel => pixel === colour).length; })")
        self.assertGreater(len(found), 2)
        self.assertGreater(min(found), 50)

    def test_the_keyboard_does_what_the_pointer_does(self):
        # From the middle of the run, which is in cell 7.
        for keys, cells in ((["ArrowRight", "Enter", "End", "Enter"], ("7", "9")),
                            (["ArrowLeft", "Enter", "Home", "Enter"], ("1", "7")),
                            (["ArrowRight", "c"], ("7", "7"))):
            self.open(levels())
            self.value(f"{CANVAS}.focus()")
            for key in keys:
                self.browser.key(key)
            self.assertEqual(self.fields(), cells)
            self.browser.key("Escape")
            self.assertEqual(self.text("#window"), "20.2\u202fs")
        self.assert_quiet()

    def open_run(self, *nodes):
        for i, samples in enumerate(nodes):
            self.write(f"run/{i}.samples", samples.data)
        self.nbscorep("report", "--format", "html", "-o", "x.html", "run")
        self.browser.open(self.path("x.html"))
        self.assert_quiet()

    def test_cores_of_one_node_only(self):
        nodes = []
        for i in range(2):
            samples = Samples(host=f"node{i}", node=i, cpus=2, cpu_list="0-1")
            own = samples.group("program", "process", "cpu")
            cores = i == 0 and samples.group("cores", "system", ("core_cpu", 0), ("core_cpu", 1))
            for k in range(11):
                samples.sample(own, k, k * SECOND)
                if cores:
                    samples.sample(cores, k, k * SECOND // 2, k * SECOND // 4)
            nodes.append(samples.finish(10))
        self.open_run(*nodes)

    def choose_node(self, index):
        self.value(f"byId('node').value = '{index}';"
                   "byId('node').dispatchEvent(new Event('change'))")

    def test_another_node_is_chosen(self):
        nodes = []
        for i in range(2):
            samples = Samples(host=f"node{i}", node=i, wall=1_700_000_000 + i)
            group = samples.group("program", "process", "rss")
            for k in range(10):
                samples.sample(group, k, MB * (i + 1))
            nodes.append(samples if i > 0 else samples.cell(4, 2, 3))
        self.open_run(*nodes)
        self.assertEqual(self.column("peak memory"), ["3.00\u202fMiB"])
        self.choose_node(1)
        self.assertEqual(self.column("peak memory"), ["1.00\u202fMiB"])
        self.choose_node(2)
        self.assertEqual(self.column("start"), ["1.00\u202fs"])
        self.assertEqual(self.column("peak memory"), ["2.00\u202fMiB"])
        self.choose_node(0)
        self.assertEqual(self.column("peak memory"), ["3.00\u202fMiB"])
        self.assert_quiet()

    def assert_figures(self, got, want):
        gauges, cpu, memory = want["gauges"], want["cpu_percent"], want["memory"]
        expected = [want["seconds"], want["core_seconds"], cpu["mean"], cpu["max"], memory["mean"], memory["peak"],
                    want["counters"]["write_chars"], gauges["gpu_util"]["mean"], gauges["gpu_mem"]["max"]]
        for number, value in zip(got, expected):
            self.assertAlmostEqual(number, value, delta=max(abs(value) * 1e-6, 1e-3))

    def test_all_nodes_have_the_figures_of_the_text(self):
        """Nodes of other sizes, clocks and lengths; two of them know of cells. Lines add up."""
        nodes = []
        for i, (cpus, gpus, step) in enumerate(((2, 1, 1), (4, 2, 2), (1, 0, 1))):
            samples = Samples(host=f"node{i}", node=i, cpus=cpus, wall=1_700_000_000 - i,
                              start=500 * i + 3, gpus=[("A GPU", 80 * GB)] * gpus)
            own = samples.group("program", "process", "cpu", "rss", "write_chars")
            gpu = samples.group("gpu", "", *[(name, k) for k in range(gpus)
                                             for name in ("gpu_util", "gpu_mem")])
            cores = samples.group("cores", "system", *[("core_cpu", k) for k in range(cpus)])
            for k in range(0, 21, step):
                samples.sample(cores, k, *[k * SECOND // 2] * cpus)
                busy = cpus * (k * 10 + k % 3) * SECOND // 40
                samples.sample(own, k, busy, (k + 1) * (i + 1) * MB, k * MB)
                if gpus:
                    samples.sample(gpu, k, *[10 * i + k, GB] * gpus)
            if i < 2:
                samples.cell(1, 2 + i, 6 + i).cell(2, 7 + i, 12 + 2 * i).cell(1, 14 + i, 16 + i)
            nodes.append(samples.finish(20 - i))
        self.open_run(*nodes)
        report = json.loads(self.nbscorep("report", "--format", "json", "run").out)
        got = self.figures("process", "wall_s", "core_s", "cpu_percent", "cpu_most", "memory", "peak_mb", "written_mb",
                           "gpu_percent", "gpu_mb")
        self.assertEqual(len(got), 4)
        for numbers, part in zip(got, [*report["cells"], report["run"]]):
            self.assert_figures(numbers, part["levels"]["process"])
        sums = self.value("""(() => {
            const { model } = readData(byId("data").textContent);
            model.parts.forEach((node) => shownAt(columnsOf(node, "process", "rss")[0], 9));
            const at = (metric, read = valueAt) =>
              columnsOf(model, "process", metric).map((one) => read(one, 9));
            return [at("rss"), at("rss", shownAt), at("write_chars"), at("gpu_util"),
                    ...corePanel(model)[0].cores.map((one) => [one.instance, valueAt(one, 9)]),
                    cpusOf(model, "system")]; })()""")
        self.assertEqual(sums, [*[[(10 + 2 * 11 + 3 * 12) * MB]] * 2, [(9 + 10 + 11) * MB], [9, 20, 20],
                                [0, 4.5], [1, 5], [2, 5.5], 7])

    def test_it_can_be_printed(self):
        self.open(levels(), theme="dark")
        self.browser.paper(self.path("x.pdf"))
        self.assertTrue(self.path("x.pdf").read_bytes().startswith(b"%PDF"))
        self.assertEqual(self.value("document.documentElement.dataset.theme"), "dark")
        self.assert_quiet()

    def test_odd_samples(self):
        for samples in odd_files():
            self.open(samples)
            self.open(samples, "--cell", "1")

    def test_ten_metrics_of_100000_samples(self):
        self.open(long_run())
        ready = self.value("document.documentElement.dataset.ready")
        print(f"ready after {ready} ms", file=sys.stderr)
        self.assertEqual(len(self.column("cell")), 50)
        self.assertEqual(self.text("#window"), "16:40\u202fmin")


if __name__ == "__main__":
    sys.exit(unittest.main())
