#!/usr/bin/env python3
"""report of a measurement: experiment directories of Score-P 8.4 (scorep-8.4.tar.xz: serial cells, threads, MPI with
imbalance, MPI messages), with the figures of Score-P's own tools in expected/ (profile_*.csv: cube_dump 4.8.2); damaged ones."""
import array
import collections
import csv
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest

from recorded import DUMP, MAKE, NBSCOREP, TIMEOUT
from harness import clean_environment

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from samples import MB, Samples  # noqa: E402

TRACES = pathlib.Path(__file__).resolve().parents[2] / "fixtures/report/scorep-8.4.tar.xz"
RUNS = {"serial_cells": (1, 1), "threads_mixed": (1, 4), "mpi_imbalanced": (4, 1), "mpi_messages": (4, 1)}


class TraceCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="nbscorep-test-traces-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        with tarfile.open(TRACES) as archive:
            archive.extractall(cls.folder)
        for name in RUNS:
            (cls.folder / "profiles" / name).mkdir(parents=True)
            shutil.copy(cls.folder / name / "profile.cubex", cls.folder / "profiles" / name)

    def setUp(self):
        if not DUMP:
            self.skipTest("nbscorep was built without the OTF2 library")

    def report(self, *words, status=0):
        done = subprocess.run([NBSCOREP, "report", *map(str, words)], cwd=self.folder, env=clean_environment(),
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, done)
        return done

    def calls(self, directory, *words):
        """Visits, time and own time of each call path, by the names on it; the bindings' instrumenter gives no two
        call paths the same names here, but for functions of one name in several lines, which are numbered."""
        rows = list(csv.DictReader(io.StringIO(self.report("--format=csv", "--table=calls", *words, directory).stdout)))
        paths, found = {}, {}
        for row in rows:
            names = (() if row["path"] == "0" else paths[row["parent"]]) + (row["call"],)
            number = 2
            while names in found:
                names = (*names[:-1], f"{row['call']} {number}")
                number += 1
            paths[row["path"]] = names
            found[names] = int(row["visits"]), float(row["inclusive"]), float(row["exclusive"])
        return found

    def assert_close(self, value, wanted, about, digits=1e-6):
        self.assertLessEqual(abs(value - wanted), max(wanted * 0.001, digits), about)


class Figures(TraceCase):
    def test_file_for_its_directory(self):
        for file in ("serial_cells/traces.otf2", "profiles/serial_cells/profile.cubex"):
            self.assertEqual(self.report(file).stdout, self.report(file.rpartition("/")[0]).stdout)

    def test_trace_and_profile(self):
        """Each call path of each location has the same visits and times in both."""
        for name, (ranks, threads) in RUNS.items():
            for rank in range(ranks):
                for thread in range(threads):
                    with self.subTest(name, rank=rank, thread=thread):
                        of_trace = self.calls(name, f"--rank={rank}.{thread}")
                        of_profile = self.calls(f"profiles/{name}", f"--rank={rank}.{thread}")
                        self.assertEqual(set(of_trace), set(of_profile))
                        for path, (visits, *times) in of_trace.items():
                            self.assertEqual(visits, of_profile[path][0], path)
                            for value, wanted in zip(times, of_profile[path][1:]):
                                self.assert_close(value, wanted, path)

    def test_command(self):
        """The page names the program with all of its words."""
        self.report("--output=command.html", "serial_cells")
        command = re.search('"command": "([^"]*)"', (self.folder / "command.html").read_text())[1]
        self.assertRegex(command, r"^/usr/bin/python3\.11 -m scorep --instrumenter-file=\S+ \S+/serial_cells\.py$")

    def cube_paths(self, name):
        """The names on each call path by its number, as calls() has them."""
        lines = (self.folder / name / "expected/calltree_ids.txt").read_text().split("CALL TREE", 1)[1].splitlines()
        paths, above = {}, []
        for line in lines:
            found = re.match(r"([ |]*)-?(\S.*?)  \[ \( id=(\d+),", line)
            if found is None:
                continue
            depth = found[1].count(" ") // 2
            function = "threads" if found[2] == "THREADS" else found[2]
            names, number = (*above[:depth], function), 2
            while names in paths.values():
                names = (*above[:depth], f"{function} {number}")
                number += 1
            above[depth:] = [names[-1]]
            paths[found[3]] = names
        return paths

    def test_messages(self):
        """They are as many as Score-P's own tool counts."""
        table = json.loads(self.report("--format=json", "mpi_messages").stdout)["measurement"]["messages"]
        rows = {(row["cell"], int(row["from"]), int(row["to"])): (row["count"], row["bytes"]) for row in table}
        for rank in range(4):  # a ring of 50 messages of 1,000 doubles
            self.assertEqual(rows["4", rank, (rank + 1) % 4], (50, 50 * 8000))
        counts = (self.folder / "mpi_messages/expected/events_per_location.txt").read_text()
        self.assertEqual(sum(count for count, _ in rows.values()),
                         sum(int(line.split()[2]) for line in counts.splitlines() if line.startswith("MPI_SEND")))

    def test_call_paths_of_cube(self):
        """Visits, exclusive and inclusive times of each call path and location as `cube_dump -s csv2 -m time,visits
        -c all -z excl` has them, and with -z incl."""
        for name, (_, threads) in RUNS.items():
            paths, found = self.cube_paths(name), {}
            for directory in name, f"profiles/{name}":
                self.assertEqual(set(self.calls(directory)), set(paths.values()))
            for kind, column in ("exclusive", 2), ("inclusive", 1):
                rows = csv.reader((self.folder / name / f"expected/profile_{kind}.csv").read_text().splitlines()[1:])
                count = 0
                for path, location, visits, time in rows:
                    rank = "{}.{}".format(*divmod(int(location), threads))
                    for directory in name, f"profiles/{name}":
                        if (directory, rank) not in found:
                            found[directory, rank] = self.calls(directory, f"--rank={rank}")
                        here = found[directory, rank].get(paths[path], (0, 0, 0))
                        about = directory, rank, paths[path], kind
                        if column == 2 and paths[path][-1] != "threads":  # which has no visits
                            self.assertEqual(here[0], int(visits), about)
                        self.assert_close(here[column], float(time), about)
                    count += 1
                self.assertGreater(count, 20)

    def test_pop_of_the_run(self):
        """From the exclusive times that cube_dump has of each call path and rank."""
        for name in "mpi_imbalanced", "mpi_messages":
            paths, own, outside = self.cube_paths(name), [0] * 4, [0] * 4
            rows = csv.reader((self.folder / name / "expected/profile_exclusive.csv").read_text().splitlines()[1:])
            for path, rank, _, time in rows:
                own[int(rank)] += float(time)
                outside[int(rank)] += float(time) * (not paths[path][-1].startswith("MPI_"))
            wanted = {"parallel": sum(outside) / 4 / max(own), "load_balance": sum(outside) / 4 / max(outside),
                      "communication": max(outside) / max(own)}
            for directory in name, f"profiles/{name}":
                found, = json.loads(self.report("--format=json", directory).stdout)["measurement"]["efficiency"]
                self.assertEqual(set(found), set(wanted))
                for key, value in wanted.items():
                    self.assertAlmostEqual(found[key], value, delta=0.001)

    def test_regions_of_scorep_score(self):
        """Visits and own time of each function and of MPI's calls as scorep-score -r has them."""
        for name in RUNS:
            lines = (self.folder / name / "expected/score.txt").read_text().splitlines()
            fields = [line.split(None, 6) for line in lines if re.match(r"\s+(MPI|USR|COM) +[\d,]+ ", line)]
            wanted = collections.defaultdict(lambda: (0, 0.0))
            for words in fields:
                if words[6] not in ("MPI", "USR", "COM"):  # the sums of all such
                    visits, time = wanted[words[6]]
                    wanted[words[6]] = visits + int(words[2].replace(",", "")), time + float(words[3])
            for directory in name, f"profiles/{name}":
                with self.subTest(directory):
                    table = json.loads(self.report("--format=json", directory).stdout)["measurement"]["functions"]
                    found = collections.defaultdict(lambda: (0, 0.0))
                    for row in table:
                        visits, time = found[row["function"]]
                        found[row["function"]] = visits + row["visits"], time + row["exclusive"]
                    self.assertEqual(set(found), set(wanted))
                    for function, (visits, time) in wanted.items():
                        self.assertEqual(found[function][0], visits, function)
                        self.assert_close(found[function][1], time, function, digits=0.0051)
                    mpi = sum(time for function, (_, time) in found.items() if function.startswith("MPI_"))
                    self.assert_close(mpi, sum(time for function, (_, time) in wanted.items()
                                               if function.startswith("MPI_")), "MPI", digits=0.05)


class Made(TraceCase):
    def made(self, folder, events):
        (self.folder / folder).mkdir()
        subprocess.run([MAKE, folder], cwd=self.folder, check=True, text=True, timeout=TIMEOUT, input="".join(
            f"{name} {rank} {seconds * 10**9} {more}\n" for name, rank, seconds, more in events))
        return folder

    def test_events_that_do_not_fit(self):
        for event, says in ((("leave", 0, 1, 1), "a region is left that was not entered last"),
                            (("leave", 1, 1, 0), "a region is left that was not entered last"),
                            (("enter", 0, 1, 9), "an event is of a region that is not defined")):
            folder = self.made("-".join(map(str, event)), (("enter", 0, 0, 0), event))
            self.assertIn(says, self.report(folder, status=1).stderr)

    def test_events_that_fixtures_lack(self):
        """A message that is not waited for, a buffer that is full, a part that is not measured, OpenMP."""
        events = (("enter", 0, 0, 0), ("enter", 0, 1, 1), ("isend", 0, 1, 1000), ("leave", 0, 2, 1), ("flush", 0, 3, 5 * 10**9),
                  ("switch", 0, 6, 2), ("switch", 0, 8, 1), ("enter", 0, 8, 2), ("leave", 0, 9, 2), ("leave", 0, 10, 0),
                  ("enter", 1, 0, 0), ("leave", 1, 10, 0))
        found = json.loads(self.report("--format=json", self.made("events", events)).stdout)["measurement"]
        self.assertEqual({row["function"]: row["exclusive"] for row in found["functions"]}, {
            "main": 14, "MEASUREMENT OFF": 2, "TRACE BUFFER FLUSH": 2, "MPI_Isend": 1, "!$omp parallel": 1})
        self.assertEqual([[row[key] for key in ("from", "to", "count", "bytes")] for row in found["messages"]],
                         [[0, 1, 1, 1000]])
        self.assertEqual([found["cells"][0][key] for key in ("python", "mpi_message", "parallel", "measurement")],
                         [70, 5, 5, 20])
        self.assertIn("the trace buffer was full, and writing it took 2.0 s", found["findings"][0]["evidence"])


class Efficiencies(TraceCase):
    def replay(self, name):
        """Time and time outside of MPI of each rank in each cell, from the events alone."""
        done = subprocess.run([DUMP, f"{self.folder / name}/traces.otf2"], capture_output=True, text=True,
                              timeout=TIMEOUT, check=True)
        cells = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
        stacks = collections.defaultdict(list)
        for fields in (line.split("\t") for line in done.stdout.splitlines()):
            if fields[0] not in ("enter", "leave"):
                continue
            location, time = int(fields[1]), int(fields[2])
            stack = stacks[location]
            if stack:
                cell = next((text for text, _ in stack if re.search("cell [0-9]+$", text)), None)
                since = time - stack[0][1]
                outside = not any(text.startswith("MPI_") for text, _ in stack)
                if cell is not None:
                    cells[cell.split(":")[1]][location][0] += since
                    cells[cell.split(":")[1]][location][1] += since * outside
            if fields[0] == "enter":
                stack.append([fields[3], time])
            else:
                stack.pop()
            for frame in stack:
                frame[1] = time
        return cells

    def test_pop(self):
        """parallel = mean(U) / T, load balance = mean(U) / max(U), communication = max(U) / T."""
        for name in "mpi_imbalanced", "mpi_messages":
            cells = self.replay(name)
            for directory in name, f"profiles/{name}":
                table = json.loads(self.report("--format=json", directory).stdout)["measurement"]["cells"]
                found = {row["title"]: row for row in table}
                self.assertGreater(len(cells), 4)
                for cell, ranks in cells.items():
                    with self.subTest(directory, cell=cell):
                        longest = max(time for time, _ in ranks.values())
                        outside = [time for _, time in ranks.values()]
                        for key, wanted in (("parallel_efficiency", sum(outside) / 4 / longest),
                                            ("load_balance", sum(outside) / 4 / max(outside)),
                                            ("communication_efficiency", max(outside) / longest)):
                            self.assertAlmostEqual(found[cell][key], wanted, delta=0.001)


class Selection(TraceCase):
    def without_trace(self, directory):
        copy = self.folder / "profile_only"
        shutil.copytree(self.folder / directory, copy, ignore=shutil.ignore_patterns("traces*"))
        return copy

    def test_reader_that_has_enough(self):
        """As in `nbscorep report DIRECTORY | head -1`."""
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([NBSCOREP, "report", "mpi_imbalanced"], cwd=self.folder, env=clean_environment(),
                              stdout=writer, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def test_options(self):
        profile = self.without_trace("serial_cells")
        self.report("--table=cells", "-o", "t.txt", "serial_cells")
        for *words, status, says in (
                ("--rank=4", "mpi_imbalanced", 2, "nothing of what is selected"),
                ("--cell=99", "mpi_imbalanced", 2, "nothing of what is selected"),
                ("--function=sorted", "mpi_imbalanced", 2, "no function with 'sorted' in its name"),
                ("--format=chrome", profile, 2, "has no trace, which 'chrome' requires"),
                *((option, "serial_cells", "mpi_messages", 2, f"'{option.partition('=')[0]}' is for one measurement")
                  for option in ("--sort=wall", "--table=cells", "--brief", "--suggest-filter=x")),
                ("--table=cells", "-o", "t.txt", "serial_cells", 3, "is not known to be a report in this form"),
                ("--rank=1.x", "mpi_imbalanced", 2, "requires RANK or RANK.THREAD, not '1.x'"),
                ("--brief", "--format=json", "serial_cells", 2, "'--brief' is for text"),
                ("--sort=x", "serial_cells", 2, "no table has the column 'x'"),
                ("--format=svg", "mpi_imbalanced", 2, "a measurement has no form 'svg'"),
                ("--format=csv", "serial_cells", "threads_mixed", 2, "two measurements have no form 'csv'"),
                ("serial_cells", "mpi_messages", "missing", 2, "is not an experiment directory"),
                ("--format=html", "serial_cells", "threads_mixed", "mpi_messages", 2,
                 "a series of measurements has no form 'html'")):
            with self.subTest(words):
                self.assertIn(says, self.report(*words, status=status).stderr)
        # Python's own start and end are outside of cells, too.
        run = json.loads(self.report("--format=json", "serial_cells").stdout)["measurement"]
        outside = next(row for row in run["cells"] if row["title"] == "outside of cells")
        module = next(row for row in run["functions"] if row["function"] == outside["hottest"])
        self.assertAlmostEqual(outside["hottest_share"], module["exclusive"] / outside["seconds"] * 100, delta=1)
        for column, is_down in ("visits", True), ("function", False), ("line", False):
            rows = self.report("--format=csv", "--table=functions", f"--sort={'-' * is_down}{column}", "serial_cells").stdout
            values = [row[column] for row in csv.DictReader(io.StringIO(rows))]
            known = [value if column == "function" else float(value) for value in values if value]
            self.assertEqual(known, sorted(known, reverse=is_down))
            self.assertEqual([value for value in values if value], values[:len(known)])


class Comparison(TraceCase):
    def test_two_directories(self):
        """The same run as a trace and as a profile: no change; another run has other cells."""
        found = json.loads(self.report("--format=json", "mpi_imbalanced", "profiles/mpi_imbalanced").stdout)
        rows = {row["name"]: row for row in found["comparison"]["cells"]}
        self.assertAlmostEqual(rows["cell 4"]["ratio"], 1, delta=0.001)
        self.assertIn("MPI_Barrier", [row["name"] for row in found["comparison"]["functions"]])
        text = self.report("serial_cells", "threads_mixed").stdout
        self.assertRegex(text, r"(?m)^ +0\.200 +- +-0\.200 +- +cell 4$")

    def runs(self, name, times):
        """A folder with a profile for each of TIMES, in which everything takes so many times as long."""
        for number, factor in enumerate(times):
            folder = self.folder / name / f"run-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            self.scale_profile(self.folder / "serial_cells" / "profile.cubex", folder / "profile.cubex", factor)
        return name

    @staticmethod
    def scale_profile(old, new, factor):
        """Times are in the member 0.data or 1.data, as doubles or whole numbers (nbscorep's reader knows which)."""
        with tarfile.open(old) as archive, tarfile.open(new, "w", format=tarfile.USTAR_FORMAT) as out:
            anchor = archive.extractfile("anchor.xml").read().decode()
            times = re.search(r'<metric id="(\d+)"(?:(?!</metric>).)*<uniq_name>time</uniq_name>', anchor, re.S)[1]
            for member in archive.getmembers():
                data = archive.extractfile(member).read()
                if member.name == f"{times}.data":
                    head = data.index(b"CUBEX.DATA") + 10
                    values = array.array("d", data[head:])
                    data = data[:head] + array.array("d", (value * factor for value in values)).tobytes()
                out.addfile(member, io.BytesIO(data))

    def test_several_runs(self):
        """The median of each group; what is not more than their spread is noise, and no failure."""
        before = self.runs("before", (1, 1.2, 0.9))
        after, slow = self.runs("after", (1.1, 1.0, 1.05)), self.runs("slow", (3, 3.1, 2.9))
        rows = self.compared(before, after)
        self.assertAlmostEqual(rows["cell 4"]["ratio"], 1.05, delta=1e-3)
        self.assertAlmostEqual(rows["cell 4"]["noise"], rows["cell 4"]["a"] * (.15 + .05), delta=1e-4)
        self.assertEqual(rows["cell 4"]["verdict"], "noise")
        self.assertNotIn("verdict", self.compared(before, slow)["cell 4"])
        self.assertIn("A: before (the median of 3 runs)", self.report(before, after).stdout)
        for status, condition, other, says in (
                (0, "cell 4 > 1.01x", after, "cell 4 takes 1.05 times as long, more than 1.01 times, but that is noise\n"),
                (0, "cell 4 > 4x; all > 100s", slow, ""),
                (1, "cell 4 > 2x", slow, "cell 4 takes 3.00 times as long, more than 2 times\n"),
                (1, "all > 0.1s;cell 1 > 9x", slow, "all takes 0."),
                (2, "cell 4", slow, "not 'cell 4'"), (2, "cell 44 > 2x", slow, "not 'cell 44 > 2x'"),
                (2, "cell 4 > 2", slow, "not 'cell 4 > 2'"), (2, "cell 4 > x", slow, "not 'cell 4 > x'")):
            with self.subTest(condition):
                err = self.report("--fail-if", condition, before, other, status=status).stderr
                self.assertIn(says, err) if says else self.assertEqual(err, "")
        self.assertRegex(self.report("--fail-if", "MPI_Barrier > 9x", "serial_cells", "mpi_imbalanced", status=1).stderr,
                         r"^MPI_Barrier takes 0\.\d+ s, and A has none of it\n$")
        self.assertIn("'--fail-if' is for two", self.report("--fail-if=all > 2x", before, status=2).stderr)

    def compared(self, *directories):
        found = json.loads(self.report("--format=json", *directories).stdout)
        return {row["name"]: row for row in found["comparison"]["cells"]}


class Cost(TraceCase):
    """What the measurement itself costs, and memory."""

    def test_suggested_filter(self):
        """Reading it back leaves out what it names; the same command replaces it, and no other file."""
        folder = self.folder / "calls"
        folder.mkdir()
        subprocess.run([NBSCOREP, "record", "-q", "-o", "calls/before", "--", sys.executable, "-c",
                        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n\nfib(20)"],
                       cwd=self.folder, env=clean_environment(), check=True, timeout=TIMEOUT)
        for _ in range(2):
            done = self.report("--suggest-filter=calls/filter", "calls/before")
            self.assertRegex(done.stderr, "FILTERING_FILE=calls/filter leaves out 1 function with (99|100) % of the events")
        self.assertIn("\n    __main__:fib\n", (folder / "filter").read_text())
        subprocess.run([NBSCOREP, "record", "-q", "-o", "calls/after", "--", sys.executable, "-c",
                        "def fib(n):\n    return n\n\ndef g(): return fib(3)\n\ng()"], cwd=self.folder, check=True,
                       env=clean_environment(SCOREP_FILTERING_FILE=str(folder / "filter")), timeout=TIMEOUT)
        text = self.report("calls/after").stdout
        self.assertIn("__main__:g", text)
        self.assertNotIn("fib", text)
        (folder / "filter").write_text("mine")
        self.report("--suggest-filter=calls/filter", "calls/before", status=3)
        self.assertEqual((folder / "filter").read_text(), "mine")
        self.assertIn("'none' is not written", self.report("--suggest-filter=none", "mpi_imbalanced").stderr)

    def test_memory_of_traces(self):
        """SCOREP_TOTAL_MEMORY is at least what scorep-score estimates, and not a third more."""
        for name in RUNS:
            text = (self.folder / name / "expected" / "score.txt").read_text()
            number, unit = re.search(r"SCOREP_TOTAL_MEMORY\): +(\d+)(kB|MB)", text).groups()
            wanted = int(number) / (1000 if unit == "kB" else 1)
            found = json.loads(self.report("--format=json", name).stdout)["measurement"]["total_memory_mb"]
            self.assertGreaterEqual(found, wanted)
            self.assertLess(found, 1.34 * wanted)

    def findings(self, *words):
        return json.loads(self.report("--format=json", *words).stdout)["measurement"]["findings"]

    def test_out_of_memory(self):
        """The kernel's count, or SIGKILL near the limit; with the cell that ran."""
        for kills, held, status, is_found in (1, 100, 0, True), (0, 500, 9, True), (0, 500, 0, False), (0, 100, 9, False):
            with self.subTest(kills=kills, held=held, status=status):
                samples = Samples(memory_limit=512 * MB)
                program = samples.group("process", "process", "cpu", "rss", "processes")
                group = samples.group("process.cgroup", "process", "tmpfs", "oom_kills")
                for moment in range(4):
                    samples.sample(program, moment, 0, held * MB, 1)
                    samples.sample(group, moment + .5, 0, kills * (moment == 3))
                samples.cell(1, 0, 1).cell(4, 1.5, None)
                (self.folder / "x.samples").write_bytes(samples.finish(4, status, peak_rss=held * MB).data)
                found = self.findings("serial_cells", "x.samples")
                self.assertEqual([each["name"] for each in found[:1]] == ["out-of-memory"], is_found, found)
                if is_found:
                    self.assertEqual(found[0]["cell"], "cell 4")
                    self.assertIn("of 512 MB", found[0]["evidence"])


class Series(TraceCase):
    def test_formulas(self):
        """Those of nbscorep-report(1), from the tables of each measurement."""
        names = "mpi_messages", "serial_cells", "mpi_imbalanced"
        series = json.loads(self.report("--format=json", *names).stdout)["series"]
        self.assertEqual([(row["directory"], row["ranks"]) for row in series["runs"]],
                         [("serial_cells", 1), ("mpi_imbalanced", 4), ("mpi_messages", 4)])
        alone = {name: json.loads(self.report("--format=json", name).stdout)["measurement"] for name in names}
        useful = {name: sum(row["outside_mpi"] if "outside_mpi" in row else row["seconds"]
                            for row in alone[name]["locations"] if row["thread"] == 0) for name in names}
        first = alone["serial_cells"]["seconds"]
        for row in series["runs"]:
            name, run = row["directory"], alone[row["directory"]]
            self.assertAlmostEqual(row["speedup"], first / run["seconds"], delta=1e-3)
            self.assertAlmostEqual(row["weak"], first / run["seconds"], delta=1e-3)
            self.assertAlmostEqual(row["strong"], first / run["seconds"] / row["ranks"], delta=1e-3)
            self.assertAlmostEqual(row["computation"], useful["serial_cells"] / useful[name], delta=1e-3)
            if name != "serial_cells":
                self.assertAlmostEqual(row["global"], row["computation"] * run["efficiency"][0]["parallel"], delta=1e-3)
        cells = [row for row in series["cells"] if row["cell"] == "cell 4"]
        self.assertEqual([row["directory"] for row in cells], ["serial_cells", "mpi_imbalanced", "mpi_messages"])
        one = json.loads(self.report("--format=json", "--scaling", "serial_cells").stdout)["series"]["runs"]
        self.assertEqual([(row["directory"], row["speedup"]) for row in one], [("serial_cells", 1)])


class Exports(TraceCase):
    def functions(self):
        return list(csv.DictReader(io.StringIO(
            self.report("--format=csv", "--table=functions", "threads_mixed").stdout)))

    def inclusive(self, events):
        """Nanoseconds in each function and what it calls, from begins and ends: name, thread, time, whether it begins."""
        times, stacks = collections.Counter(), collections.defaultdict(list)
        for name, thread, time, is_begin in events:
            if is_begin:
                stacks[thread].append((name, time))
                continue
            opened, begin = stacks[thread].pop()
            self.assertIn(name, (None, opened))
            times[opened] += 0 if opened in [each for each, _ in stacks[thread]] else time - begin
        self.assertEqual([stack for stack in stacks.values() if stack], [])
        return times

    def check_inclusive(self, times):
        count = collections.Counter(row["function"] for row in self.functions())
        for row in self.functions():
            if row["function"] in times and count[row["function"]] == 1:  # others are of several lines
                self.assertAlmostEqual(times[row["function"]] / 1e9, float(row["inclusive"]), delta=1e-4, msg=row)
        self.assertGreater(len(times), 5)

    def test_chrome(self):
        events = json.loads(self.report("--format=chrome", "threads_mixed").stdout)["traceEvents"]
        self.assertEqual(len([event for event in events if event["ph"] == "M"]), 4)
        self.check_inclusive(self.inclusive(
            (event.get("name"), event["tid"], event["ts"] * 1000, event["ph"] == "B")
            for event in events if event["ph"] != "M"))

    def test_speedscope(self):
        found = json.loads(self.report("--format=speedscope", "threads_mixed").stdout)
        frames = [frame["name"] for frame in found["shared"]["frames"]]
        self.check_inclusive(self.inclusive(
            (frames[event["frame"]], number, event["at"], event["type"] == "O")
            for number, profile in enumerate(found["profiles"]) for event in profile["events"]))
        sampled = json.loads(self.report("--format=speedscope", "profiles/threads_mixed").stdout)["profiles"]
        for profile in sampled:
            self.assertEqual((profile["type"], len(profile["samples"])), ("sampled", len(profile["weights"])))
            self.assertEqual(profile["endValue"], sum(profile["weights"]))

    def test_output_is_replaced(self):
        """By the ending, and only what this command wrote before."""
        for name in "r.txt", "r.json", "r.csv", "r.html", "r.speedscope.json", "r.trace.json":
            with self.subTest(name):
                for _ in range(2):
                    self.report("-o", name, "serial_cells")
                (self.folder / name).write_text("mine")
                self.assertIn("it is left as it is", self.report("-o", name, "serial_cells", status=3).stderr)


class Damaged(TraceCase):
    """An error that names the file, whatever the OTF2 library does."""

    def check(self, name, path, content):
        copy = self.folder / "damaged"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder / name, copy)
        (copy / path).write_bytes(content)
        done = subprocess.run([NBSCOREP, "report", "damaged"], cwd=self.folder, env=clean_environment(),
                              capture_output=True, timeout=TIMEOUT)
        self.assertIn(done.returncode, (0, 1), done)
        if done.returncode == 1:
            self.assertRegex(done.stderr.decode(), "^nbscorep: cannot read 'damaged/(traces|profile)")
            self.assertEqual(done.stdout, b"")
        return done.returncode

    def test_truncated(self):
        for path in "traces.otf2", "traces.def", "traces/0.evt", "traces/0.def":
            content = (self.folder / "serial_cells" / path).read_bytes()
            for size in 0, 1, len(content) // 2, len(content) - 1:
                with self.subTest(path, size=size):
                    self.check("serial_cells", path, content[:size])

    def test_mutated(self):
        random.seed(39)
        for path in "traces.otf2", "traces.def", "traces/1.evt", "traces/1.def":
            content = (self.folder / "mpi_messages" / path).read_bytes()
            for _ in range(10):
                damaged = bytearray(content)
                for _ in range(random.choice((1, 4, 64))):
                    damaged[random.randrange(len(damaged))] = random.randrange(256)
                with self.subTest(path):
                    self.check("mpi_messages", path, bytes(damaged))

    def test_profile(self):
        random.seed(39)
        for path in (self.folder / "mpi_messages").glob("traces*"):
            if path.is_file():
                os.rename(path, f"{path}.away")
        self.addCleanup(lambda: [os.rename(path, str(path)[:-5]) for path in
                                 (self.folder / "mpi_messages").glob("*.away")])
        content = (self.folder / "mpi_messages/profile.cubex").read_bytes()
        for size in 0, 100, 600, len(content) // 2, len(content) - 2000:
            with self.subTest(size=size):
                self.assertEqual(self.check("mpi_messages", "profile.cubex", content[:size]), 1)
        anchor = content.index(b"<?xml")
        for place in [(0, len(content))] * 10 + [(anchor, anchor + 20000)] * 20:
            damaged = bytearray(content)
            for _ in range(random.choice((1, 4, 64))):
                damaged[random.randrange(*place)] = random.randrange(256)
            self.check("mpi_messages", "profile.cubex", bytes(damaged))


if __name__ == "__main__":
    unittest.main()
