"""Reads what the recorder has written: the trace through the OTF2 library, the profile with Python's own modules."""
import collections
import pathlib
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
from harness import clean_environment, setting  # noqa: E402

NBSCOREP = setting("NBSCOREP")
DUMP = setting("NBSCOREP_TRACE_DUMP")
MAKE = setting("NBSCOREP_TRACE_MAKE")
TIMEOUT = 120


def pythons():
    """A Python of each version from 3.8 on that is found: on PATH, or where pyenv keeps them."""
    found = {}
    kept = sorted(map(str, pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3")))
    for name in [shutil.which("python3"), *kept]:
        version = subprocess.run([name, "-c", "import sys; print('%d.%02d' % sys.version_info[:2])"],
                                 capture_output=True, text=True).stdout.strip()
        if version >= "3.08":
            found.setdefault(version, name)
    return found


class Trace:
    """The locations of an archive: their names, and their events as (kind, region). COUNTS: without the events, of
    which there may be millions."""

    def __init__(self, directory, counts=False):
        shown = subprocess.run([DUMP, directory / "traces.otf2", *["--counts"] * counts], capture_output=True,
                               text=True, timeout=TIMEOUT)
        rows = [line.split("\t") for line in shown.stdout.splitlines()]
        self.faults = [row[1] for row in rows if row[0] == "fault"]
        if shown.returncode or shown.stderr:
            self.faults.append(shown.stderr or str(shown.returncode))
        self.names = {row[1]: row[2] for row in rows if row[0] == "location"}
        self.groups = {row[1]: row[4] for row in rows if row[0] == "location"}
        self.regions = {row[1]: (row[2], int(row[3])) for row in rows if row[0] == "region"}
        self.counts = collections.Counter()
        self.events = {location: [] for location in self.names}
        for row in rows:
            if row[0] in ("enter", "leave"):
                self.events[row[1]].append((row[0], row[3]))
                self.counts[row[3]] += row[0] == "enter"
            elif row[0] == "visits":
                self.counts[row[1]] += int(row[2])

    def calls(self, location="0"):
        """The regions in the order of their enters, with the depth of each."""
        found, depth = [], 0
        for kind, region in self.events[location]:
            depth -= kind == "leave"
            if kind == "enter":
                found.append((depth, region))
            depth += kind == "enter"
        return found

    def visits(self):
        return +self.counts


class Profile:
    """The call paths of a profile.cubex: (names from the root on) to (visits, seconds), for all locations."""

    def __init__(self, directory):
        with tarfile.open(directory / "profile.cubex") as archive:
            members = {member.name: archive.extractfile(member).read() for member in archive}
        root = xml.etree.ElementTree.fromstring(members["anchor.xml"])
        names = {region.get("id"): region.findtext("name") for region in root.iter("region")}
        self.regions = {region.findtext("name"): (region.get("mod"), int(region.get("begin")))
                        for region in root.iter("region")}
        deep, wide = [], []

        def walk(node, path):
            deep.append(path + (names[node.get("calleeId")],))
            wide.extend(deep[-1] + (names[child.get("calleeId")],) for child in node.findall("cnode"))
            for child in node.findall("cnode"):
                walk(child, path + (names[node.get("calleeId")],))

        for node in root.find("program").findall("cnode"):
            wide.append((names[node.get("calleeId")],))
            walk(node, ())
        self.locations = [location.findtext("name") for location in root.iter("location")]
        visits, seconds = self.rows(members, 0, "Q"), self.rows(members, 1, "d")
        # Two call paths may have the same names, where functions of one name are in different lines.
        self.visits, self.seconds = collections.Counter(), collections.Counter()
        for path, row in zip(deep, visits):
            self.visits[path] += sum(row)
        for path, row in zip(wide, seconds):
            self.seconds[path] += sum(row)

    def rows(self, members, metric, kind):
        index, data = members[f"{metric}.index"], members[f"{metric}.data"]
        assert index[:11] == b"CUBEX.INDEX" and data[:10] == b"CUBEX.DATA"
        _, _, sparse, count = struct.unpack("<IHBI", index[11:22])
        assert sparse == 1 and struct.unpack(f"<{count}I", index[22:]) == tuple(range(count))
        values = struct.unpack(f"<{count * len(self.locations)}{kind}", data[10:])
        width = len(self.locations)
        return [values[row * width:(row + 1) * width] for row in range(count)]

    def by_region(self):
        found = collections.Counter()
        for path, visits in self.visits.items():
            if ":" in path[-1]:
                found[path[-1]] += visits
        return found


class RecordCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="nbscorep-test-record-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name).resolve()

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def record(self, *words, status=0, **more):
        """Records a command into the folder `out`."""
        environment = clean_environment(SCOREP_ENABLE_TRACING="true" if DUMP else None, **more)
        done = subprocess.run([NBSCOREP, "record", "-o", "out", "--", *words], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def trace_is_possible(self):
        if not DUMP:
            self.skipTest("nbscorep was built without the OTF2 library")

    def trace(self, counts=False):
        self.trace_is_possible()
        trace = Trace(self.folder / "out", counts)
        self.assertEqual(trace.faults, [])
        return trace

    def profile(self):
        return Profile(self.folder / "out")
