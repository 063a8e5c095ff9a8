#!/usr/bin/env python3
"""report of samples: what fixtures/report/report-samples does not show, and faulty files."""
import csv
import io
import json
import os
import re
import unittest

from samples import (GB, MAGIC, MB, SECOND, Samples, late_at_marks, record, signed, text, ticking,
                     varint)
from support import FIXTURES, NO_SPACE, ROOT, Case, binary, setting

GOLDEN = FIXTURES["report-samples"]
TEXT = (GOLDEN / "expected/one").read_text()


def program(*metrics, **head):
    """Returns samples and the group of the program in them."""
    samples = Samples(**head)
    return samples, samples.group("p", "process", "cpu", "rss", *metrics)


def example(**head):
    samples, group = program(**head)
    samples.title(4, "a = big()").sample(group, 0, 0, MB).cell(2, 0.25, 0.75).cell(4, 1, 3.5).cell(5, 3.5, 4, "failed")
    samples.sample(group, 2, 2 * SECOND, MB)
    return samples.sample(group, 4, 4 * SECOND, 650 * MB).missed(6, 1).finish(4.5, peak_rss=650 * MB)


class Report(Case):
    def put(self, name, samples):
        self.write(name, samples if isinstance(samples, bytes) else samples.data)
        return name

    def good(self, *arguments):
        done = self.nbscorep("report", *arguments)
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done.out.decode()

    def json(self, *arguments):
        return json.loads(self.good("--format=json", *arguments))

    def memory(self, samples):
        """Returns the memory of each cell."""
        cells = self.json(self.put("b.samples", samples))["cells"]
        return [cell["levels"]["process"]["memory"] for cell in cells]

    def csv(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.good("--format=csv", *arguments))))

    def wrong(self, status, says, *arguments, **more):
        done = self.nbscorep("report", *arguments, **more)
        self.assertEqual((done.status, done.out), (status, b""), done)
        self.assertIn(says, done.err.decode())


class Forms(Report):
    def test_what_is_no_name_of_a_file(self):
        """report reads standard input and a pipe."""
        self.put("a.samples", (GOLDEN / "heat.node1.samples").read_bytes())
        for command in "report --first-index=7 - <a.samples", "report --first-index=7 <(cat a.samples)":
            done = self.run_command("bash", "-c", f"'{binary()}' {command}")
            self.assertEqual((done.status, done.out.decode()), (0, TEXT))

    def test_one_node_without_a_number(self):
        found = self.json(self.put("a.samples", example()))
        self.assertNotIn("node", found["nodes"][0])
        self.assertNotIn("by_node", found["run"])
        self.assertEqual(found["signatures"], [])

    def test_end_tells_more_than_samples(self):
        """What short children used counts in the mean, which is no higher than the highest."""
        samples, group = program()
        for second in range(5):
            samples.sample(group, second, second * SECOND // 2, MB)
        self.put("b.samples", samples.finish(4, user=4 * SECOND, system=0, peak_rss=MB))
        self.assertRegex(self.good("b.samples"), r"\nCPU Util .* +50\.00 +25\.00 +50\.00 ")

    def test_ticks_make_no_use_of_more_than_there_is(self):
        self.put("t.samples", ticking())
        run = self.json("t.samples")["run"]["levels"]["process"]["cpu_percent"]
        self.assertEqual(run["max"], 100)
        self.assertGreater(run["min"], 90)
        for level in "process", "system":
            lines = self.csv("--level", level, "t.samples")
            self.assertEqual(len(lines), 201)
            for line in lines[11:]:
                least = 70 if line["cell_index"] else 90  # of a part of 30 ms
                for name in "avg", "min", "max", "0", "1":
                    share = line["cpu_util_" + name]
                    self.assertTrue(share or line["cell_index"], line)
                    self.assertTrue(least < float(share or 100) <= 100, (level, name, line))


class Cells(Report):
    def setUp(self):
        super().setUp()
        self.put("a.samples", example())

    def cells(self, cells):
        return [cell["cell"] for cell in self.json(f"--cell={cells}", "a.samples")["cells"]]

    def test_ranges(self):
        for cells, wanted in {"4": [4], "2:4": [2, 4], ":4": [2, 4], "4:": [4, 5], ":": [2, 4, 5],
                              "3:9": [4, 5], "0:2": [2]}.items():
            self.assertEqual(self.cells(cells), wanted, cells)

    def test_run_is_of_the_range(self):
        run = self.json("--cell", "4:", "a.samples")["run"]
        self.assertEqual((run["begin"], run["end"]), (1, 4))
        self.assertEqual(run["levels"]["process"]["core_seconds"], 3)
        self.assertIn("Duration: 3.00s (2 cells)", self.good("--cell", "4:", "a.samples"))
        self.assertEqual([line["cell_index"] for line in self.csv("--cell=4", "a.samples")], ["1"] * 2)

    def test_bad_ranges(self):
        for cells in "x", "2:x", "2-3", "5:2", "1:2:3", "99999999999":
            self.wrong(2, f"invalid cell range '{cells}': ", f"--cell={cells}", "a.samples")
        for cells in "99", "3", "6:":
            self.wrong(2, f"no cell of '{cells}' ran in 'a.samples'", f"--cell={cells}", "a.samples")
        self.wrong(2, "'--first-index' requires a whole number, not '64M'", "--first-index=64M", "a")

    def test_cells_that_ran_again_or_still_run(self):
        samples, group = program()
        samples.sample(group, 0, 0, MB).cell(3, 0, 1).cell(3, 2, 3).cell(7, 3)
        samples.sample(group, 4, 4 * SECOND, MB)
        cells = self.json(self.put("b.samples", samples))["cells"]
        self.assertEqual([(c["cell"], c["index"], c["state"], c["end"]) for c in cells],
                         [(3, 0, "done", 1), (3, 1, "done", 3), (7, 2, "running", 4)])
        self.put("b.samples", samples.finish(5))
        self.assertEqual(self.json("b.samples")["cells"][2]["state"], "unfinished")

    def test_sample_at_the_edge_of_a_cell_is_of_none(self):
        samples, group = program()
        samples.sample(group, 0.5, 0, MB).cell(1, 0, 1)
        samples.sample(group, 0.999, 0, 500 * MB, took=SECOND // 100)
        samples.cell(2, 1, 2).sample(group, 1.5, 0, 3 * MB).sample(group, 2.5, 0, MB)
        samples.cell(3, 3, 4)
        self.assertEqual([m["peak"] for m in self.memory(samples)], [MB, 3 * MB, MB])
        self.assertEqual([line["cell_index"] for line in self.csv("b.samples")], ["0", "0", "1", ""])

    def test_lines_have_the_rates_of_their_cells(self):
        """The sampler reads right after each beginning and end; cell 1 and 3 use both processors."""
        samples, group = program(interval=SECOND // 10)
        samples.cell(1, 0, 1).cell(2, 1.001, 2).cell(3, 2.001, 2.02)
        for tenth in range(21):
            for late in (0.0005, 0.0015) if tenth in (10, 20) else (0,):
                moment = tenth / 10 + late
                used = 2 * (min(moment, 1) + max(moment - 2.001, 0))
                samples.sample(group, moment, round(used * SECOND), MB)
        samples.sample(group, 2.021, round(2.038 * SECOND), MB)
        lines = self.csv(self.put("b.samples", samples))
        found = [(line["cell_index"], line["cpu_util_avg"] and float(line["cpu_util_avg"]) > 90) for line in lines]
        self.assertEqual(found, [("0", ""), *[("0", True)] * 10, ("1", ""), *[("1", False)] * 10,
                                 ("2", ""), ("2", True)])

    def test_what_is_read_when_a_cell_ends_is_what_it_left(self):
        samples, group = program()
        samples.sample(group, 0, 0, MB).cell(1, 0.5, 1)
        samples.cell(2, 1.0001, 1.0002).sample(group, 1.002, 0, 200 * MB)
        samples.cell(3, 1.5, 2).sample(group, 2.006, 0, MB)
        self.assertEqual([(m["peak"], m["samples"]) for m in self.memory(samples)],
                         [(200 * MB, 1), (200 * MB, 1), (200 * MB, 0)])
        self.assertEqual(len(re.findall("(?m) ~$", self.good("b.samples"))), 3)

    def test_mean_is_over_the_time_of_the_cell(self):
        """Also with what is read a little behind its end."""
        samples, group = program()
        samples.sample(group, 0, 0, 100 * MB).cell(1, 0, 1).cell(2, 1, 2)
        samples.sample(group, 0.5, 0, 200 * MB).sample(group, 1.001, 0, 300 * MB)
        samples.sample(group, 1.5, 0, 300 * MB).sample(group, 2.001, 0, 100 * MB)
        self.assertEqual([round(m["mean"] / MB) for m in self.memory(samples)], [200, 250])

    def test_what_has_ended_holds_no_memory(self):
        samples, group = program()
        samples.sample(group, 0, 0, 2 * MB).sample(group, 1, SECOND, 4 * MB)
        samples.sample(group, 2, SECOND, 0).finish(2)
        memory = self.json(self.put("b.samples", samples))["run"]["levels"]["process"]["memory"]
        self.assertEqual((memory["min"], memory["mean"], memory["samples"]), (2 * MB, round(10 * MB / 3, 3), 2))

    def test_memory_at_marks(self):
        """The sampler comes 5 ms late to all that a cell takes or gives back at its beginning."""
        found = self.memory(late_at_marks())
        self.assertEqual([memory["change"] for memory in found], [0, 500 * MB, -500 * MB, 0])
        self.assertEqual([memory["peak"] // MB for memory in found], [100, 600, 600, 100])
        self.assertEqual([memory["min"] // MB for memory in found], [100, 100, 100, 100])
        rows = self.good("b.samples").splitlines()
        self.assertEqual([row.split()[6] for row in rows if row[:4].strip().isdecimal()],
                         ["0.0", "500.0", "-500.0", "0.0"])

    def test_memory_of_a_cell_between_two_samples(self):
        samples, group = program()
        marks = samples.group("m", "process", "mark_rss", "mark_peak_rss")
        samples.sample(group, 0, 0, 9 * MB).sample(group, 4, 0, 9 * MB)
        for moment, memory in (1, 2), (2, 4):
            samples.sample(marks, moment, memory * MB, 5 * MB)
        self.assertEqual(self.memory(samples.cell(1, 1, 2)), [
            {"mean": 3 * MB, "min": 2 * MB, "max": 4 * MB, "peak": 4 * MB, "change": 2 * MB, "samples": 0}])


class Gpus(Report):
    def samples(self, used=40, util=(90, 80)):
        """Two GPUs of 50 GB, one sample each second, USED GB in use on the first."""
        samples, group = program(gpus=[("NVIDIA A", 50 * GB), ("NVIDIA B", 50 * GB)])
        metrics = "gpu_util", "gpu_band", "gpu_mem", "gpu_power"
        gpus = samples.group("gpu", "", *[(m, i) for m in metrics for i in (0, 1)])
        for second in range(4):
            samples.sample(gpus, second, *util, 20, 10, used * GB, 0, 300_000, 100_000)
            samples.sample(group, second, 0, GB)
        return samples.cell(1, 0, 2).finish(3)

    def test_what_processes_hold(self):
        samples = self.samples(used=40)
        held = samples.group("held", "process", ("gpu_process_mem", 0), ("gpu_process_mem", 1))
        samples.sample(held, 0, 7 * GB, GB // 2)
        self.assertIn("GPU Memory (GB)           7.50     7.50     7.50     100.00\n",
                      self.good(self.put("g.samples", samples)))
        line = self.csv("g.samples")[1]
        self.assertEqual([float(line[f"gpu_mem_{i}"]) for i in ("max", "0", "1")], [7, 7, 0.5])

    def test_gpu_that_was_lost(self):
        """Its samples end after a second of seven."""
        samples = Samples(gpus=[("NVIDIA A", 50 * GB)])
        group, gpu = samples.group("p", "process", "cpu", "rss"), samples.group("gpu", "", ("gpu_util", 0))
        for second in range(8):
            samples.sample(group, second, 0, GB)
            if second < 2:
                samples.sample(gpu, second, 40)
        samples.cell(1, 0, 2.5).cell(2, 6, 7).finish(7)
        found = self.json(self.put("g.samples", samples))
        self.assertEqual([cell["levels"]["process"]["gauges"].get("gpu_util", {}).get("mean") for cell in found["cells"]],
                         [40, None])
        self.assertEqual([line["gpu_util_0"] for line in self.csv("g.samples")],
                         ["40.000000"] * 5 + [""] * 3)

    def test_signatures(self):
        for used, util, wanted in ((40, (79, 80), []), (40, (90, 80), ["GPU-UTIL-BOUND"]),
                                   (80, (3, 90), ["GPU-ALLOCATED-BUT-NOT-USED", "GPU-MEMORY-BOUND"]),
                                   (1, (5, 0), ["GPU-ALLOCATED-BUT-NOT-USED"]),
                                   (1, (6, 0), []), (0, (0, 0), [])):
            name = self.put("g.samples", self.samples(used, util))
            self.assertEqual(self.json(name)["signatures"], wanted, (used, util))

    def test_signatures_of_processors_and_memory(self):
        samples, group = program(memory_limit=GB)
        samples.sample(group, 0, 0, 800 * MB).sample(group, 1, SECOND * 7 // 5, 850 * MB)
        found = self.good(self.put("b.samples", samples))
        self.assertIn("Signature(s):\nCPU-BOUND | MEMORY-BOUND\n-----", found)

    def test_level_that_is_not_there(self):
        self.put("a.samples", example())
        self.wrong(2, "'a.samples' has no samples of level user", "--level=user", "a.samples")

    def test_nothing_was_sampled(self):
        self.assertIn("Duration: 0.00s (0 cells)", self.good(self.put("n.samples", Samples())))
        self.assertEqual(len(self.csv("n.samples")), 0)
        self.assertEqual(self.json("n.samples")["run"]["levels"], {})


class SharedMemory(Report):
    """The sum of resident memory counts what a fork shares for each process; PSS counts it once."""

    def put_run(self, *moments, job=None):
        """MOMENTS: RSS in MB, processes, PSS in MB or None where it was not read. JOB: MB of the
        job that are not the program's."""
        samples = Samples()
        program = samples.group("process", "process", "cpu", "rss", "processes")
        shares = samples.group("process.shares", "process", "pss", "uss")
        slurm = samples.group("slurm", "slurm", "cpu", "rss", "processes")
        for moment, (rss, processes, pss) in enumerate(moments):
            samples.sample(program, moment, 0, rss * MB, processes, took=10**6)
            if pss is not None:
                samples.sample(shares, moment + .01, pss * MB, 0, took=10**7)
            if job is not None:
                samples.sample(slurm, moment + .1, 0, (rss + job) * MB, processes + 1)
        self.put("a.samples", samples.finish(len(moments), peak_rss=400 * MB))

    def need(self, *moments, **more):
        self.put_run(*moments, **more)
        return self.json("a.samples")["request"]["need"] / MB

    def test_is_counted_once(self):
        """Also between two readings, and behind the last one."""
        self.assertEqual(self.need((100, 1, 90), (400, 1, None), (2000, 5, None), (2000, 5, 450),
                                   (2000, 5, None), (400, 1, None)), 450)
        found = self.good("a.samples")
        self.assertIn("next job: --mem=768M\n", found)
        self.assertIn("took at most 450.0 MB, where the sum of what each had counts 2000.0 MB\n", found)
        self.assertIn(" all          6.000    0.0   0.000   2000.0", found)

    def put_files(self, kills=0, files=(0, 700, 700, 10)):
        """Of MB that a program writes into /dev/shm; it has 512 MB."""
        samples = Samples(memory_limit=512 * MB)
        program = samples.group("process", "process", "cpu", "rss", "processes")
        group = samples.group("process.cgroup", "process", "tmpfs", "oom_kills")
        for moment, held in enumerate(files):
            samples.sample(program, moment, 0, 50 * MB, 1)
            samples.sample(group, moment + .5, held * MB, kills * (moment == len(files) - 1))
        self.put("a.samples", samples.finish(len(files), peak_rss=60 * MB))
        return self.json("a.samples")["request"]["need"] / MB

    def test_of_files_in_memory(self):
        self.assertEqual(self.put_files(), 750)
        self.assertRegex(self.good("a.samples"), r"next job: --mem=1G\n.* at most 700\.0 MB\n")
        self.assertEqual(self.put_files(files=(0, 0)), 60)
        self.assertNotIn("tmpfs", self.good("a.samples"))

    def test_of_what_the_kernel_has_killed(self):
        """All that it may have is too little."""
        self.assertEqual(self.put_files(1, (0, 100)), 512)
        self.assertIn("--mem=768M; the program was killed, and may need more\n", self.good("a.samples"))

    def test_what_was_not_read_counts_in_full(self):
        self.assertEqual(self.need((100, 1, 90), (2000, 5, 450), (2600, 5, None)), 1050)
        self.assertEqual(self.need((100, 1, 100), (2000, 5, None), (400, 1, 400)), 2000)
        self.assertEqual(self.need((100, 1, None), (2000, 5, None)), 2000)
        self.assertNotIn("shared memory", self.good("a.samples"))

    def test_of_one_process_and_of_a_job(self):
        """One process shares memory with strangers only, and its own peak counts."""
        self.assertEqual(self.need((900, 1, 100)), 900)
        self.assertEqual(self.need((900, 5, 100)), 400)
        self.assertEqual(self.need((100, 1, 90), (2000, 5, 450), (2000, 5, None), job=500), 950)


class Nodes(Report):
    def test_clocks_that_differ(self):
        """Node 0 knows of a cell; node 1 began 10 s later, by another monotonic clock. The report sorts
        them by node, not by the name of the file, and the run is as long as all together."""
        first, group = program("read_chars", node=0, start=50)
        first.sample(group, 0, 0, GB, 0).sample(group, 20, 20 * SECOND, GB, 8 * MB).cell(6, 12, 16)
        second, group = program("read_chars", node=1, start=7000, wall=1_700_000_010, cpus=6)
        second.sample(group, 0, 0, 5 * GB, 0).sample(group, 10, 15 * SECOND, 5 * GB, 20 * MB)
        self.put("run/b.samples", first.finish(20))
        self.put("run/a.samples", second.finish(10))
        self.put("run/other.txt", b"")
        self.path("run/folder.samples").mkdir()
        found = self.json("run")
        self.assertEqual([(n["file"], n["node"]) for n in found["nodes"]], [("run/b.samples", 0), ("run/a.samples", 1)])
        run = found["run"]["levels"]["process"]
        self.assertEqual((run["seconds"], run["core_seconds"]), (20, 35))
        self.assertEqual(run["cpu_percent"]["mean"], 35)  # of 2 for 20 s and 6 for 10 s
        cell, = found["cells"]
        self.assertEqual((cell["begin"], cell["end"]), (12, 16))
        self.assertEqual([n["levels"]["process"]["core_seconds"] for n in cell["by_node"]], [4, 6])
        self.assertEqual(cell["levels"]["process"]["counters"]["read_chars"], round((8 / 5 + 8) * MB))

    def test_their_own_cells_that_ran_again(self):
        for node, length in (0, 1), (1, 2):
            samples, group = program(node=node)
            samples.sample(group, 0, 0, GB).cell(6, 0, length).cell(6, 5, 5 + 2 * length)
            self.put(f"again/{node}.samples", samples)
        self.assertEqual([[n["levels"]["process"]["seconds"] for n in cell["by_node"]]
                          for cell in self.json("again")["cells"]], [[1, 2], [2, 4]])


class Runs(Report):
    """Several in one folder."""

    def put_run(self, name, mb, **head):
        samples, group = program(**head)
        samples.sample(group, 0, 0, mb * MB).sample(group, 10, 0, mb * MB).cell(mb, 0, 10)
        return self.put(name, samples.finish(10))

    def several(self, name="out"):
        return b"has the samples of 2 runs" in self.nbscorep("report", name).err

    def test_what_makes_files_one_run(self):
        self.put_run("out/1.samples", 1, node=0, job=5)
        for name, head in (("same command, job and time", {"node": 1, "job": 5}),
                           ("with clocks that differ", {"node": 1, "job": 5,
                                                        "wall": 1_700_000_010})):
            self.put_run("out/2.samples", 2, **head)
            self.assertFalse(self.several(), name)
            self.assertEqual(len(self.json("out")["nodes"]), 2, name)
        for name, head in (("same node", {"node": 0, "job": 5}),
                           ("another command", {"node": 1, "job": 5, "command": "x"}),
                           ("another job", {"node": 1, "job": 6}),
                           ("before", {"node": 1, "job": 5, "wall": 1_699_999_980}),
                           ("after", {"node": 1, "job": 5, "wall": 1_700_000_020})):
            self.put_run("out/2.samples", 2, **head)
            self.assertTrue(self.several(), name)

    def test_a_report_is_of_one(self):
        self.put_run("out/heat.7.0.samples", 1, node=0, job=7)
        self.put_run("out/heat.7.1.samples", 2, node=1, job=7)
        self.put_run("out/heat.8.samples", 3, node=0, job=8)
        for form in "text", "json":
            self.wrong(2, "nbscorep: 'out' has the samples of 2 runs, and a report shows one\n"
                       "name one of them:\n  out/heat.7 (2 nodes)\n  out/heat.8.samples\n",
                       f"--format={form}", "out")
        self.wrong(2, "and a report shows one\n", "out/heat.8.samples", "out")
        self.assertEqual(len(self.json("out/heat.7")["nodes"]), 2)
        self.assertEqual(len(self.json("out/heat.8")["nodes"]), 1)
        self.assertEqual(self.json("out/heat.7", "out/heat.8")["run"]["peak_mb"]["b"], 3)
        self.wrong(3, "cannot read 'out/heat.': No such file", "out/heat.")
        self.wrong(3, "cannot read 'out/hea': No such file", "out/hea")
        self.assertTrue(self.several("out/heat"))

    def test_options_that_are_of_a_measurement(self):
        self.put_run("out/heat.samples", 1)
        for option in ("--rank=0", "--function=step", "--scaling", "--fail-if=all > 2s", "--top=3", "--table=cells",
                       "--sort=seconds", "--brief", "--suggest-filter=filter"):
            self.wrong(2, f"nbscorep: '{option.partition('=')[0]}' is for a measurement, not for samples\n", option,
                       "out/heat.samples")

    def test_files_without_a_name_of_their_own(self):
        for number in range(5):
            self.put_run(f"out/{number}.samples", 1, node=number, job=7)
        self.put_run("out/5.samples", 1, node=1, job=8)
        self.wrong(2, "name one of them:\n  out/0.samples (5 nodes)\n  out/5.samples\n", "--format=csv", "out")


class Long(Report):
    """Many samples, and long texts."""

    def put_long(self, seconds):
        """A sample of the program each millisecond, two of its calls each second, one of a GPU."""
        samples, group = program(interval=SECOND // 1000)
        calls = samples.group("io", "process", "read_calls", "write_calls")
        samples.cell(1, 0, 0.5).cell(2, 0.5, 1e6)
        gpu = samples.group("gpu", "", "gpu_util")
        samples.sample(group, 0, 0, MB).sample(calls, 0, 0, 0).sample(gpu, 0, 50)
        parts, samples.data = [samples.data], b""
        for second in range(2):
            for i in range(1, 1001):
                at = second * 1000 + i
                samples.sample(group, at / 1000, at * SECOND // 1000, MB + at % 2)
                if i in (500, 1000):
                    samples.sample(calls, at / 1000, 7 * at, 3 * at)
                parts.append(samples.data)
                samples.data = b""
        second = b"".join(parts[1001:])  # the same bytes as all that follow
        return self.put("long.samples", b"".join(parts) + (seconds - 2) * second)

    def test_csv(self):
        """As of a file that comes through a pipe, and as of a short one."""
        self.put_long(5)
        lines = self.csv("long.samples")
        self.assertEqual(len(lines), 5001)
        for at in (1, 499, 501, 2000, 3141, 4999, 5000):
            line = lines[at]
            self.assertEqual((line["time"], line["cell_index"]), (f"{1000 + at / 1000:.9f}", str(int(at > 500))))
            self.assertEqual((line["io_read_count"], line["io_write_count"]), (str(7 * at), str(3 * at)))
            if at > 50:  # and not right after the beginning of a cell
                self.assertEqual(line["cpu_util_avg"], "" if at == 501 else "50.000")
        self.assertEqual(lines, list(csv.DictReader(io.StringIO(self.run_command(
            "bash", "-c", f"cat long.samples | '{binary()}' report --format=csv -").out.decode()))))
        self.assertEqual([line["time"] for line in self.csv("--cell=1", "long.samples")],
                         [f"{1000 + at / 1000:.9f}" for at in range(501)])

    def test_nowhere_to_write(self):
        self.put_long(20)
        with open("/dev/full", "wb") as full:
            done = self.nbscorep("report", "--format=csv", "long.samples", stdout=full)
        self.assertEqual(done.status, 3)
        self.assertIn(NO_SPACE, done.err)
        done = self.run_command("bash", "-c", f"ulimit -f 100; exec '{binary()}' report "
                                "-o long.csv long.samples")
        self.assertEqual((done.status, self.path("long.csv").exists()), (3, False))
        self.assertIn(b"cannot write 'long.csv': File too large", done.err)


class Comparison(Report):
    def put_ended(self, name, state, status, cell=2, **head):
        samples, group = program(**head)
        samples.sample(group, 0, 0, MB).cell(1, 0, 1, "failed").cell(cell, 1, 2, state)
        return self.put(name, samples.sample(group, 2, SECOND, MB).finish(2, status=status))

    def test_what_did_not_end_well(self):
        self.put_ended("a.samples", "done", 0)
        self.put_ended("b.samples", "exited", 3 << 8)
        found = self.good("a.samples", "b.samples")
        self.assertRegex(found, "(?m)^ +1 .*  A failed, B failed$")
        self.assertRegex(found, "(?m)^ +2 .*  B exited$")
        self.assertNotIn("End of A", found)
        self.assertNotIn("GPU", found)
        self.put_ended("a.samples", "", 0)
        self.assertEqual(self.json("a.samples", "b.samples")["cells"][1]["state"], {"b": "exited"})

    def test_ends_on_several_nodes(self):
        self.put("a.samples", Samples())
        self.put_ended("two/0.samples", "done", 0, node=0, host="n0")
        self.put_ended("two/1.samples", "done", 9, node=1, host="n1")
        self.assertRegex(self.good("a.samples", "two"), r"\nEnd of A: not known; .*\nEnd of B on 1 n1: signal 9\n")

    def test_no_such_form(self):
        self.put_ended("a.samples", "done", 0, cell=5)
        self.put_ended("b.samples", "done", 0, cell=6)
        for form in "csv", "html", "svg":
            self.wrong(2, f"two runs have no form '{form}': compare them as text or json",
                       f"--format={form}", "a.samples", "b.samples")
        self.wrong(2, "'report' compares two files of samples, not 3", "a.samples", "b.samples", "a.samples")
        for form in "folded", "speedscope", "chrome":
            self.wrong(2, f"samples have no form '{form}'", "--format", form, "a.samples")
        self.wrong(2, "no cell of '5' ran in 'b.samples'", "--cell=5", "a.samples", "b.samples")


class Files(Report):
    def test_what_is_no_file_of_samples(self):
        self.put("x.samples", b"#!/bin/sh\n")
        self.put("later.samples", b"nbscorep samples 2\n")
        self.put("h.samples", b"nbscorep samples 1\nhost x\n")
        (self.folder / "empty").mkdir()
        self.wrong(1, "nbscorep: x.samples: not a file of samples\n", "x.samples")
        self.wrong(1, "later.samples: samples of another version of the format\n", "later.samples")
        self.wrong(1, "nbscorep: h.samples: the head is incomplete or damaged\n", "h.samples")
        self.wrong(1, "empty: no file *.samples, traces.otf2 or profile.cubex is in this folder\n", "empty")
        self.wrong(3, "cannot read 'none.samples': No such file", "none.samples")
        self.wrong(2, "'report' requires an experiment directory or a file of samples")
        self.wrong(1, "/dev/zero: not a file of samples", "/dev/zero")  # a file without an end

    def test_head_without_its_numbers(self):
        starts = b"start_mono 5\nstart_wall 7\n"
        for head in (b"", b"start_mono 5\n", starts + b"pid 9223372036854775808\n", starts + b"cpus \n",
                     starts + b"gpu 1e9 A GPU\n"):
            self.put("x.samples", MAGIC + head + b"\n")
            self.wrong(1, "nbscorep: x.samples: the head is incomplete or damaged\n", "x.samples")
        for number in (-2**63, 2**63 - 1):
            found = self.json(self.put("x.samples", Samples(pid=number)))
            self.assertEqual(found["nodes"][0]["pid"], number)

    def test_what_cannot_be_read_in_a_folder(self):
        """The others are shown: they are of other nodes."""
        (self.folder / "run").mkdir()
        self.put("run/0.samples", example(node=0))
        os.mkfifo(self.folder / "run/1.samples")
        done = self.nbscorep("report", "run")
        self.assertEqual((done.status, done.err), (1, b"nbscorep: run/1.samples: not a file of samples\n"))
        self.assertIn(b"a = big()", done.out)
        os.symlink("nowhere", self.folder / "run/2.samples")
        os.symlink("/proc/self/mem", self.folder / "run/3.samples")
        done = self.nbscorep("report", "run")
        self.assertEqual((done.status, done.err.decode().splitlines()[1:]),
                         (3, ["nbscorep: cannot read 'run/2.samples': No such file or directory",
                              "nbscorep: cannot read 'run/3.samples': Input/output error"]))
        self.assertIn(b"a = big()", done.out)
        self.path("run/0.samples").unlink()
        self.wrong(3, "cannot read 'run/2.samples'", "run")

    def test_folders_with_names_of_files(self):
        (self.folder / "run.1.samples").mkdir()
        self.wrong(3, "cannot read 'run': No such file or directory", "run")

    def cut_off(self, *arguments):
        done = self.nbscorep("report", *arguments)
        self.assertEqual((done.status, set(done.err.splitlines())), (0, {
            b"nbscorep: 'a.samples' ends in the middle of a record, or is damaged; what is before that is shown"}))
        return done.out.decode()

    def test_cut_off(self):
        data = example().data
        for size in len(data) - 1, len(data) - 30:
            found = self.cut_off(self.put("a.samples", data[:size]))
            self.assertIn("End: not known", found)
            self.assertIn("a = big()", found)
            self.assertTrue(json.loads(self.cut_off("--format=json", "a.samples"))["nodes"][0]["truncated"])
        for arguments in ("csv",), ("svg",), ("html", "-o", "-"), ("text", "a.samples"):
            self.cut_off("--format", *arguments, "a.samples")
        self.put("a.samples", data[:data.index(record("M", signed(6), signed(1)))])
        self.assertIn("every 1 s\n", self.good("a.samples"))

    def test_cells_behind_the_last_sample(self):
        """The run is no shorter than its cells."""
        samples, group = program()
        samples.sample(group, 0, 0, MB).cell(1, 1, 3).cell(2, 4)
        self.put("a.samples", samples)
        self.assertEqual(self.json("a.samples")["run"]["end"], 4)

    def test_two_files_in_one(self):
        """The letters of the second one's head are no record, of which "b" would be the length."""
        second = MAGIC.ljust(2 + ord("b"), b"x") + record("N", text("of the second"))
        found = self.cut_off(self.put("a.samples", example().data + second))
        self.assertIn("Duration: 4.50s (3 cells)", found)
        self.assertNotIn("of the second", found)

    @unittest.skipIf(setting("NBSCOREP_SANITIZE"), "its own memory fits into no limit")
    def test_columns_without_values(self):
        """A small file takes little memory, whatever it announces."""
        samples = Samples()
        group = samples.group("p", "process", *["cpu"] * 300_000)
        samples.add("S", varint(group), samples.passed(1), varint(0), signed(0))
        self.put("a.samples", samples)
        limited = f"ulimit -v 150000; exec '{binary()}' report a.samples"
        done = self.run_command("bash", "-c", limited)
        self.assertEqual(done.status, 0, done)
        self.assertIn(b"ends in the middle of a record", done.err)

    def test_killed_within_a_cell(self):
        """What the kernel tells beyond all samples is of that cell, not of one that was done."""
        for state, peaks in (("done", [MB, 2 * MB]), (None, [MB, 700 * MB])):
            samples, group = program("peak_rss")
            samples.sample(group, 0, 0, MB, MB).sample(group, 2, SECOND, 2 * MB, 2 * MB)
            samples.cell(1, 0, 1)
            samples.cell(2, 1, *([3, state] if state else []))
            samples.sample(group, 4, SECOND, 0, 2 * MB)
            samples.finish(4, status=9, user=SECOND, peak_rss=700 * MB)
            self.assertEqual([m["peak"] for m in self.memory(samples)], peaks)
            self.assertEqual(self.json("b.samples")["run"]["levels"]["process"]["memory"]["peak"], 700 * MB)

    def test_what_has_ended_before_a_cell_was_sampled(self):
        samples, group = program()
        samples.sample(group, 0, 0, 3 * MB).cell(1, 0.5).sample(group, 1, 0, 0).finish(1)
        self.assertEqual([(m["mean"], m["peak"]) for m in self.memory(samples)], [(3 * MB, 3 * MB)])

    def test_somebody_elses_child(self):
        found = self.good(self.put("a.samples", example().finish(5, status=-1)))
        self.assertIn("End: not known; the program was not the sampler's child\n", found)
        self.assertNotIn("end", self.json("a.samples")["nodes"][0])

    def test_output(self):
        self.put("a.samples", example())
        text = self.good("a.samples")
        for form in "text", "json", "csv":
            for _ in range(2):
                self.assertEqual(self.good(f"--format={form}", "-o", form, "a.samples"), "")
        self.wrong(3, "'csv' is not known to be a report in this form; it is left as it is\n--force overwrites",
                   "-o", "csv", "a.samples")
        self.wrong(3, "'a.samples' is not known to be a report in this form", "--format=text", "-o", "a.samples",
                   "a.samples")
        self.wrong(3, "cannot write 'no/where'", "-o", "no/where", "a.samples")
        self.assertEqual(self.good("--force", "-o", "csv", "a.samples"), "")
        self.assertEqual(self.path("csv").read_text(), text)

    def test_form_by_the_name_of_the_file(self):
        self.put("a.samples", (GOLDEN / "heat.node1.samples").read_bytes())
        for name, form in (("r.html", "html"), ("r.svg", "svg"), ("r.csv", "csv"), ("r.json", "json"),
                           ("r.txt", "text"), ("r", "text"), ("html", "text"), (".hidden", "text")):
            self.good("-o", name, "a.samples")
            self.assertEqual(self.path(name).read_text(), self.good(f"--format={form}", "-o", "-", "a.samples"), name)
        self.wrong(2, "no report has the ending of 'r.pdf': use .txt, .json, .csv, .html, .svg, .folded,",
                   "-o", "r.pdf", "a.samples")
        self.good("--format=csv", "-o", "x.html", "a.samples")
        self.assertTrue(self.path("x.html").read_text().startswith("time,memory"))
        self.good("--metrics=cpu", "-o", "m.svg", "a.samples")
        for name, title, absent in (("io_read", "Storage", "calls"),
                                    ("io_read_count", "Read and write calls", "Storage")):
            drawn = self.good("--format=svg", f"--metrics={name}", "a.samples")
            self.assertIn(title, drawn)
            self.assertNotIn(absent, drawn)
        self.good("-o", "c.json", "a.samples", "a.samples")
        self.assertIn("runs", json.loads(self.path("c.json").read_text()))
        self.wrong(2, "two runs have no form 'html'", "-o", "c.html", "a.samples", "a.samples")

    def test_texts_do_not_act_on_the_terminal(self):
        samples = example(command="evil \x1b[31m", host="h\x1b]0;x\x07")
        samples.note("a\x1b[2Jb\nEnd: status 7").title(7, "t\x1b[31m\u202e").cell(7, 4, 4.1)
        found = self.good(self.put("a.samples", samples))
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\u202e]", found), found)
        self.assertNotIn("\nEnd: status 7", found)
        self.json("a.samples")


class Manual(Report):
    """What nbscorep-samples(5) says is how it is."""
    PAGE = (ROOT / "man/nbscorep-samples.5.in").read_text()

    def test_example(self):
        rows = self.PAGE.partition("in hexadecimal")[2].partition(".EX\n")[2].partition(".EE")[0]
        data = bytes.fromhex("".join(re.match("(?:[0-9a-f]{2} ?)*", row)[0] for row in rows.splitlines()))
        self.assertEqual(data[:18], record("G", text("p"), text("process"), varint(1), text("cpu"), varint(0)))
        head = self.PAGE.partition(".EX\nnbscorep samples 1\nstart_mono")
        lines = (head[1] + head[2]).partition(".EE")[0][len(".EX\n"):]
        self.put("a.samples", lines.encode() + b"\n" + data)
        line, = self.csv("a.samples")
        self.assertEqual(line["time"], "5.001000200")
        self.assertFalse(self.json("a.samples")["nodes"][0]["truncated"])

    def test_names_of_the_head(self):
        fields = re.findall(r"(?m)^HEAD_\w+\((\w+)\)$", (ROOT / "src/sample/series_head.def").read_text())
        self.assertEqual(self.run_command(binary(), "monitor", "-qo", "x", "--", "true").status, 0)
        head, _, _ = self.path("x").read_bytes().partition(b"\n\n")
        written = [line.partition(" ")[0] for line in head.decode().splitlines()[1:]]
        self.assertEqual([name for name in written if name != "gpu"], fields)
        for field in fields:
            self.assertRegex(self.PAGE, rf"(?m)^\.BR? ({field}$|{field} |.* {field}$)", field)


if __name__ == "__main__":
    unittest.main()
