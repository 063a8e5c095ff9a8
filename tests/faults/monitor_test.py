#!/usr/bin/env python3
"""A call of the system or an allocation fails while nbscorep samples a program, or reads samples.
Whatever it is, the program runs and ends as without a sampler, what was lost is said, and what was
written can be read."""
import errno
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from faults import SANITIZED, Fault, sample  # noqa: E402
from faults_test import Faulty  # noqa: E402
from samples import MB, SECOND, Samples  # noqa: E402
from support import binary, clean_environment  # noqa: E402

STATUS = 7
# What only the sampler calls, and its file behind the first byte: never a reason not to start.
SAMPLER = ("list", "watch", "write")


class Monitor(Faulty):
    most = 1 if SANITIZED else 2
    most_allocations = 2 if SANITIZED else 25

    def monitor(self, program, *arguments):
        """PROGRAM prints "ran" and ends with STATUS."""
        self.write("run/other.txt", "")
        self.prepare("monitor", "--interval=5ms", "-o", "run/x.samples", "--",
                     self.tool("program", program), *arguments, status=STATUS)

    def lose(self, says, fault):
        """The program runs, and of its samples that is said."""
        outcome = self.run_with(fault)
        self.assertEqual(list(self.problems(fault, outcome)), [], outcome)
        self.assertIn(f"nbscorep: {says}: {os.strerror(fault.number)}\n", outcome.err.decode())
        self.assertEqual(outcome.status, STATUS)

    def report(self):
        """The JSON of the file, or None where it cannot be read."""
        done = subprocess.run([binary(), "report", "--format=json", "run/x.samples"],
                              cwd=self.folder, env=clean_environment(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def found_files(self):
        return {name: content for name, content in super().found_files().items()
                if not name.endswith(".samples")}

    def restore(self):
        super().restore()
        if self.path("run/x.samples").exists():
            self.path("run/x.samples").unlink()

    def problems(self, fault, outcome):
        # Its threads have memory that only they need.
        if b"AddressSanitizer: CHECK failed" not in outcome.err:
            yield from super().problems(fault, outcome)

    def ending_problems(self, fault, outcome):
        ran = outcome.out == self.usual.out
        if outcome.leaked:
            yield "descriptors leak"
        if fault.mode == "signal" and outcome.status == 128 + fault.number:
            return
        if ran and outcome.status != STATUS:
            yield "not the program's status"
        if not ran and (fault.calls in SAMPLER or outcome.status not in (3, 126)):
            yield "the program did not run"
        if not ran and not self.says(fault, outcome):
            yield "does not say what failed"

    def file_problems(self, fault, outcome):
        yield from super().file_problems(fault, outcome)
        if outcome.out != self.usual.out:
            return
        found = self.report()
        whole = found is not None and not found["nodes"][0]["truncated"] and (
            "end" in found["nodes"][0])
        said = b"cannot sample" in outcome.err or b"out of memory" in outcome.err
        if not whole and not said and "stderr" not in outcome.hit:
            yield "does not say what was lost"
        if found is None and self.path("run/x.samples").exists():
            yield "samples cannot be read"

    def test_short_command(self):
        self.monitor("echo ran; exit 7")
        self.disturb()

    @unittest.skipIf(SANITIZED, "the short command has the same calls")
    def test_command_with_children(self):
        self.most, self.most_allocations = 1, 5
        self.monitor("echo ran; sleep .02; (sleep .02; sleep .01); exit 7")
        self.disturb()

    def test_sampler_that_cannot_begin(self):
        self.monitor("echo ran; exit 7")
        for nth in 1, 2, 3:  # a descriptor, the GPUs' aside, which may be none
            self.lose("cannot sample", Fault("watch", nth + 1, "error", errno.EMFILE))
            self.assertFalse(self.path("run/x.samples").exists())

    def test_file_that_cannot_be_written(self):
        self.monitor("echo ran; exit 7")
        for fault in (Fault("write", 1, "error", errno.ENOSPC),
                      Fault("write", 2, "error", errno.EIO, lasting=True),
                      Fault("close", 1, "error", errno.EDQUOT, lasting=True)):
            self.lose("cannot sample to the end", fault)
            self.restore()

    def test_memory_wherever_the_arena_ends(self):
        """Long commands let it need its next block at another place."""
        for size in sample(64, 1 if SANITIZED else 3):
            self.monitor("echo ran; exit 7", "x" * size * 1024)
            for nth in range(self.usual.counts["alloc"], 1, -1):
                fault = Fault("alloc", nth, "error", errno.ENOMEM, lasting=True)
                outcome = self.run_with(fault)
                self.assertEqual(list(self.problems(fault, outcome)), [], f"{size}: {outcome}")
                self.restore()
                if outcome.out != self.usual.out:
                    break

    def test_attached(self):
        """It does nothing but sample."""
        self.write("run/other.txt", "")
        self.arguments = "monitor", "-o", "run/x.samples", "--attach", str(os.getpid())
        self.more = None
        outcome = self.run_with(Fault("write", 1, "error", errno.ENOSPC))
        self.assertEqual((outcome.status, outcome.leaked), (3, []), outcome)
        self.assertIn(b"cannot sample to the end: No space left on device\n", outcome.err)


def example(shift):
    samples = Samples(node=shift, host=f"node{shift}")
    group = samples.group("p", "process", "cpu", "rss")
    for second in range(3):
        samples.sample(group, second, (second + shift) * SECOND, second * MB)
    return samples.cell(1, 0, 1).cell(2, 1).note("a note").data


class Report(Faulty):
    """As what reads and prints: all or nothing, but of a folder what can be read."""
    most = 1 if SANITIZED else 4
    most_allocations = 1 if SANITIZED else 6

    def setUp(self):
        super().setUp()
        for node in range(2):
            self.write(f"run/{node}.samples", example(node))

    def file_problems(self, fault, outcome):
        is_partial = "run" in self.arguments and b"cannot read 'run/" in outcome.err
        for problem in super().file_problems(fault, outcome):
            if not (is_partial and problem.endswith("is neither old nor new")):
                yield problem

    def problems(self, fault, outcome):
        yield from super().problems(fault, outcome)
        if ".samples" in (outcome.hit or "") and b"cannot write" in outcome.err:
            yield "says that what cannot be read cannot be written"

    def check(self, *cases):
        for arguments in cases[:1] if SANITIZED else cases:
            with self.subTest(arguments):
                self.prepare("report", *arguments)
                self.disturb()

    def test_printed(self):
        self.check(["--format=json", "run"], ["run/0.samples"],
                   ["run/0.samples", "run/1.samples"])

    def test_files(self):
        self.write("page.html", self.nbscorep("report", "--format=html", "run/0.samples").out)
        self.check(["--format=html", "-o", "page.html", "run"],
                   ["--format=svg", "-o", "figure.svg", "run"],
                   ["--format=csv", "-o", "table.csv", "run/0.samples"])


if __name__ == "__main__":
    unittest.main()
