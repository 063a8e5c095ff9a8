#!/usr/bin/env python3
"""The forms html and svg of a report: well-formed, nothing is fetched, and what users wrote stays
text. tests/e2e/page_test.py looks at the page in a browser."""
import base64
import hashlib
import html.parser
import json
import re
import sys
import unittest
import xml.etree.ElementTree

from samples import GB, MB, SECOND, Samples, odd_files, ticking
from support import ROOT, Case

SVG = "{http://www.w3.org/2000/svg}"
EMPTY = {"meta", "link", "input", "br"}
HOSTILE = ["</script><img src=x onerror=alert(1)>", "<!--<script>", "a\u2028b\u2029c",
           "\0 & \"quo'ted\"", "</title></svg><script>1</script>", "\u202egnp.exe",
           "@script@ @data@", b"\xff\xfe", "]]>"]


def text_of(hostile):
    return hostile.decode("utf-8", "replace") if isinstance(hostile, bytes) else hostile


class Page(html.parser.HTMLParser):
    """The elements of a page, and the texts of its scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append((tag, len(self.elements) - 1))

    def handle_endtag(self, tag):
        name, _ = self.open.pop()
        assert name == tag, f"{name} ends with {tag}"

    def handle_data(self, data):
        tag, index = self.open[-1] if self.open else ("", -1)
        if tag in ("script", "style"):
            key = self.elements[index][1].get("type", tag)
            self.texts[key] = self.texts.get(key, "") + data


def numbers(text):
    """As templates/report/data.js reads them."""
    found, last, folded, scale = [], 0, 0, 1
    for byte in base64.b64decode(text):
        folded += (byte & 127) * scale
        scale *= 128
        if byte < 128:
            last += -(folded + 1) // 2 if folded & 1 else folded // 2
            found.append(last)
            folded, scale = 0, 1
    return found


def run_of_cells():
    """10 s with three cells."""
    samples = Samples(gpus=[("A GPU", 80 * GB)])
    group = samples.group("program", "process", "cpu", "rss", "peak_rss", "read_bytes", "write_bytes")
    gpu = samples.group("gpu", "", "gpu_util", "gpu_mem")
    samples.title(2, "import numpy").title(4, "work()", "work()\nmore()").title(5, "raise")
    for i in range(11):
        memory = (100 + 10 * i) * MB
        samples.sample(group, i, i * SECOND, memory, memory, 0, i * i * MB)
        samples.sample(gpu, i + 0.1, 10 * i, i * GB)
    samples.cell(2, 0.5, 2).cell(4, 2, 7).cell(5, 7.5, 9, "failed")
    return samples.finish(10, 256)


class ReportCase(Case):
    def report(self, form, samples, *arguments):
        self.write("x.samples", samples.data)
        done = self.nbscorep("report", "--format", form, *arguments, "x.samples")
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.assertNotEqual(done.out, b"")
        return done.out.decode()

    def page(self, samples, *arguments):
        return Page(self.report("html", samples, *arguments))

    def data(self, samples, *arguments):
        return json.loads(self.page(samples, *arguments).texts["application/json"])

    def svg(self, samples, *arguments):
        return xml.etree.ElementTree.fromstring(self.report("svg", samples, *arguments))


class Html(ReportCase):
    def test_nothing_comes_from_elsewhere(self):
        text = self.report("html", run_of_cells())
        self.assertNotIn("://", text)
        for tag, attributes in Page(text).elements:
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on"), (tag, attributes))
                self.assertNotEqual(name, "src")
                self.assertFalse(name == "href" and value != "data:,", (tag, attributes))

    def test_only_its_own_script_and_style_may_run(self):
        page = self.page(run_of_cells())
        policy = next(a["content"] for t, a in page.elements if a.get("http-equiv"))
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        for kind in ("style", "script"):
            digest = base64.b64encode(hashlib.sha256(page.texts[kind].encode()).digest()).decode()
            self.assertRegex(policy, re.escape(f"{kind}-src 'sha256-{digest}';"))

    def test_numbers_are_those_of_the_samples(self):
        samples = Samples()
        group = samples.group("program", "user", "cpu", "rss")
        values = [(0, 5), (3_000_000, 2**52), (3_000_000, 0), (9_999_000, 1)]
        for i, pair in enumerate(values):
            samples.sample(group, i * 0.25, *pair, took=2000)
        node = self.data(samples)["nodes"][0]
        self.assertEqual(node["head"]["start"], 1_700_000_000_000_000)
        got = node["groups"][0]
        self.assertEqual((got["level"], got["step"]), ("user", 1))
        self.assertEqual(numbers(got["times"]), [2, 250_002, 500_002, 750_002])
        self.assertEqual([numbers(c["values"]) for c in got["columns"]], [[0, 3000, 3000, 9999], [5, 2**52, 0, 1]])

    def test_long_runs_keep_the_highest_values_and_the_end(self):
        """More than four million values: of two samples one is left."""
        samples, columns, parts = Samples(), 2000, []
        cores = [("core_cpu", i) for i in range(columns - 1)]
        group = samples.group("program", "process", "rss", *cores)
        slow = samples.group("slow", "process", "pss")
        rest = [0] * (columns - 1)
        for i in range(2001):
            samples.sample(group, i, 7 if i == 500 else 1, *rest)
            if i % 100 == 0:
                samples.sample(slow, i, i)
            parts.append(samples.data)
            samples.data = b""
        samples.data = b"".join(parts)
        got, slow = self.data(samples)["nodes"][0]["groups"]
        self.assertEqual((got["step"], slow["step"]), (2, 1))
        self.assertEqual(numbers(slow["columns"][0]["values"]), list(range(0, 2001, 100)))
        self.assertEqual(numbers(got["times"]), [1_000_000 * i for i in [*range(1, 2001, 2), 2000]])
        self.assertEqual(numbers(got["columns"][0]["values"]), [1] * 250 + [7] + [1] * 750)

    def test_texts_of_users_stay_texts(self):
        expected = self.page(run_of_cells()).elements
        samples = run_of_cells()
        for i, hostile in enumerate(HOSTILE):
            samples.title(10 + i, hostile, hostile).cell(10 + i, 9 + i / 100, state=hostile)
            samples.end(10 + i, 9 + i / 100, hostile).note(hostile)
        page = self.page(samples)
        self.assertEqual(page.elements, expected)
        node = json.loads(page.texts["application/json"])["nodes"][0]
        texts = [text_of(hostile) for hostile in HOSTILE]
        self.assertEqual([t["title"] for t in node["titles"]][3:], texts)
        self.assertEqual([t["source"] for t in node["titles"]][3:], texts)
        self.assertEqual([c["state"] for c in node["cells"]][3:], texts)
        self.assertEqual(node["notes"], texts)
        self.assertNotRegex(page.texts["application/json"], "[<>&\u2028\u2029\0]")

    def test_a_file_that_is_no_report_is_kept(self):
        self.write("x.samples", run_of_cells().data)
        for form in ("html", "svg"):
            self.write("page", "mine\n")
            done = self.nbscorep("report", "--format", form, "-o", "page", "x.samples")
            self.assertEqual((done.status, self.path("page").read_text()), (3, "mine\n"), done)
            for more in (["--force"], []):
                done = self.nbscorep("report", "--format", form, "-o", "page", *more, "x.samples")
                self.assertEqual(done.status, 0, done)


class Svg(ReportCase):
    def texts(self, svg, kind):
        return [e.text for e in svg.iter(SVG + "text") if e.get("class") == kind]

    def test_unit_of_memory(self):
        for memory, title in (GB, "Memory (GiB)"), (200 * MB, "Memory (MiB)"):
            samples = Samples()
            samples.sample(samples.group("program", "process", "rss"), 1, memory)
            self.assertEqual(self.texts(self.svg(samples), "title"), [title])

    def test_metrics(self):
        samples = Samples(gpus=[("A GPU", 80 * GB)])
        calls = samples.group("program", "process", "cpu", "read_calls", "write_calls")
        gpu = samples.group("gpu", "", "gpu_util", "gpu_band")
        for i in range(11):
            samples.sample(calls, i, i * SECOND, 40000 * i, 0).sample(gpu, i, 10 * i, 5 * i)
        for metrics, titles in (
                ("io,cpu_all", ["Processor use (% of 2 CPUs)", "Read and write calls (thousand "
                                "calls/s)"]),
                ("gpu_band", ["GPU memory access, all GPUs (%)"]), ("mem", [])):
            svg = self.svg(samples, f"--metrics={metrics}")
            self.assertEqual(self.texts(svg, "title"), titles)
            if metrics == "gpu_band":  # a share
                self.assertIn("100", self.texts(svg, "value"))
        manual = (ROOT / "man/nbscorep-report.1.in").read_text()
        named = manual.partition("selects other contents:")[2].partition(".SH CSV")[0]
        for name in re.findall(r"\b(?:cpu|mem|io|gpu)\w*", named):
            forms = ["", "_summary", "_all"] if re.match("gpu_(util|band|mem)", name) else [""]
            for form in forms:
                self.svg(samples, f"--metrics={name}{form}")
        for wrong, name in ((",cpu", ""), ("cpus", "cpus"), ("cpu, disk", "disk"),
                            ("gpu_summary", "gpu_summary")):
            done = self.nbscorep("report", "--format=svg", "--metrics", wrong, "x.samples")
            self.assertEqual((done.status, done.out), (2, b""))
            self.assertIn(f"'--metrics' knows no '{name}'", done.err.decode())
        self.ended(2, b"'--metrics' is for --format=svg", "report", "--metrics=cpu", "x.samples")

    def test_samples_right_behind_each_other_make_no_peak(self):
        samples = Samples()
        group = samples.group("program", "process", "cpu")
        for i in range(11):
            samples.sample(group, i, i * SECOND)
        samples.sample(group, 10.00001, 10 * SECOND + SECOND // 100)
        marks = self.texts(self.svg(samples), "value")
        self.assertEqual(marks, ["0", "20", "40"])

    def test_ticks_make_no_peak(self):
        """The line stays at the height that 100 % have."""
        svg = self.svg(ticking())
        line = next(e for e in svg.iter(SVG + "path") if e.get("class") == "line")
        marks = {e.text: float(e.get("y")) - 3.5 for e in svg.iter(SVG + "text") if e.get("class") == "value"}
        shares = [100 * (marks["0"] - float(y)) / (marks["0"] - marks["100"])
                  for y in re.findall(r"(?:V|M62 )([0-9.]+)", line.get("d"))]
        self.assertGreaterEqual(len(shares), 1)
        self.assertTrue(all(99.5 < share <= 100.1 for share in shares), shares)

    def test_cell_that_begins_before_the_sampling(self):
        """As one does in which %perfmonitor_start stands: the sampler takes a moment to begin."""
        samples = Samples()
        group = samples.group("program", "process", "rss")
        samples.cell(4, -0.5, 3)
        for i in range(5):
            samples.sample(group, i, MB)
        self.assertEqual(self.texts(self.svg(samples, "--cell=4"), "cell"),
                         ["4", "-0.5", "0", "0.5", "1", "1.5", "2", "2.5", "3",
                          "time since the start (s)"])
        self.assertEqual(self.data(samples, "--cell=4")["from"], -500_000)
        found = json.loads(self.report("json", samples, "--cell=4"))
        self.assertEqual((found["run"]["begin"], found["run"]["end"]), (-0.5, 3))
        self.assertEqual(self.report("csv", samples, "--cell=4").count("\n"), 5)
        self.assertIn("Duration: 3.50s", self.report("text", samples, "--cell=4"))
        samples = Samples()
        samples.cell(4, -9, -7.8).sample(samples.group("program", "process", "rss"), 1, MB)
        self.assertEqual(self.texts(self.svg(samples, "--cell=4"), "cell"),
                         ["4", "-9000", "-8800", "-8600", "-8400", "-8200", "-8000", "-7800",
                          "time since the start (ms)"])

    def test_texts_of_users_stay_texts(self):
        for hostile in HOSTILE:
            text = text_of(hostile)
            command = text.encode() if text != "\0 & \"quo'ted\"" else b"\1 & \"quo'ted\""
            samples = Samples(command="COMMAND")
            samples.data = samples.data.replace(b"COMMAND", command)
            samples.sample(samples.group("program", "process", "rss"), 1, MB)
            title = self.svg(samples).find(SVG + "title").text
            self.assertEqual(title, text.replace("\0", "\ufffd"))

    def test_odd_files(self):
        for samples in odd_files():
            for arguments in ([], ["--cell", "1"]):
                self.page(samples, *arguments)
                self.svg(samples, *arguments)


if __name__ == "__main__":
    sys.exit(unittest.main())
