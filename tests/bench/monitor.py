#!/usr/bin/env python3
"""What `nbscorep monitor` costs: processor time for each sample of the program.

    monitor.py NBSCOREP WAKE [SECONDS]

The program is busy all the time. The figures are the sampler's own, from its samples, between the
second one and the last; `start` is what it took before. With short intervals each column is the
median of several runs, as a virtual machine has slow phases. Rows with `more processes` have 300 of the
user's beside them, which sleep. JUmPER 0.3.6 takes 21 to 26 ms for a sample, and 81 to 123 ms with 300
more processes (measured on 2 cores).

In rows with `busy node` every core has somebody who is busy, as in most jobs; in the others all cores
but the program's sleep, and the sampler begins with cold caches. `floor` tells how much that is: what
WAKE (wake.c) takes right after it, beside the same load, to be woken by a timer at the same interval
and to read two files of /proc. In virtual machines that alone may be 0.1 ms where a core has slept,
so that no sampler would keep the limit of 0.1 ms there.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "monitor"))

import samples_reader as samples  # noqa: E402  pylint: disable=wrong-import-position

JUMPER_MS, JUMPER_MORE_MS, MORE, RUNS = 21, 81, 300, 3
BUSY_NODE = os.cpu_count() - 1  # beside the program
BUSY = sys.executable, "-S", "-c", (
    "import sys, time\nend = time.monotonic() + float(sys.argv[1])\n"
    "while time.monotonic() < end: pass")
WORD = {True: "ok", False: "MISSED"}
ALL = "process,user,system"
# Name, interval, levels, those beside it who are busy and who sleep, at most so many ms, JUmPER's.
ROWS = (("process", "1ms", "process", 0, 0, .1, JUMPER_MS),
        ("process", "10ms", "process", 0, 0, .1, JUMPER_MS),
        ("process", "1", "process", 0, 0, .1, JUMPER_MS),
        ("process, busy node", "1ms", "process", BUSY_NODE, 0, .1, JUMPER_MS),
        ("process, busy node", "10ms", "process", BUSY_NODE, 0, .1, JUMPER_MS),
        ("process, busy node", "1", "process", BUSY_NODE, 0, .1, JUMPER_MS),
        ("all levels", "1", ALL, 0, 0, JUMPER_MS / 20, JUMPER_MS),
        ("process, more processes", "1ms", "process", 0, MORE, .1, JUMPER_MORE_MS),
        ("process, more processes", "10ms", "process", 0, MORE, .1, JUMPER_MORE_MS),
        ("process, more processes", "1", "process", 0, MORE, .1, JUMPER_MORE_MS),
        ("process, both", "10ms", "process", BUSY_NODE, MORE, .1, JUMPER_MORE_MS),
        ("all levels, more processes", "1", ALL, 0, MORE, 1, JUMPER_MORE_MS))


class Others:
    """Processes of the user: some that are busy, some that sleep."""

    def __init__(self, busy, asleep):
        commands = [[*BUSY, "600"]] * busy + [["sleep", "600"]] * asleep
        self.processes = [subprocess.Popen(command) for command in commands]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self.processes:
            process.kill()
            process.wait()


def own_use(found):
    """Processor ms that the sampler used for each sample, and those before the second one."""
    own = found.group("sampler")
    cpu, times = own.of("cpu"), [time[0] for time in own.times]
    taken = [time[0] for time in found.group("process").times]
    count = sum(times[1] < time <= times[-1] for time in taken)
    return (cpu[-1] - cpu[1]) / 1e6 / count, cpu[1] / 1e6


def floor(wake, interval, seconds):
    """Processor ms that the system takes for each."""
    with subprocess.Popen([*BUSY, str(seconds + 5)]) as busy:
        done = subprocess.run([wake, str(interval), str(round(seconds)), str(busy.pid)], check=True,
                              stdout=subprocess.PIPE)
        busy.kill()
    return int(done.stdout) / 1e6


def run(binary, wake, folder, seconds, row):
    """What was due and missed, and milliseconds: the start, the floor, each sample."""
    _, interval, levels, *_ = row
    path = pathlib.Path(folder) / "x.samples"
    subprocess.run([binary, "monitor", "-q", "--force", "-o", path, f"--interval={interval}",
                    f"--levels={levels}", "--", *BUSY, str(seconds)], check=True)
    found = samples.read(path)
    each, start = own_use(found)
    return found.due, found.missed, start, floor(wake, found.head["interval"], seconds), each


def measure(binary, wake, folder, seconds, row):
    name, interval, _, busy, asleep, most, jumper = row
    runs = RUNS if interval.endswith("ms") else 1
    with Others(busy, asleep):
        found = [run(binary, wake, folder, seconds if runs == 1 else seconds / 2, row) for _ in range(runs)]
    due, missed, start, lowest, each = (statistics.median(values) for values in zip(*found))
    print(f"{name:<28} {interval:>8} {due:>6} {missed:>7} {start:>9.2f} {lowest:>8.3f} "
          f"{each:>8.3f} {jumper / each:>9.0f}  at most {most:.2f} ms: {WORD[each <= most]}",
          flush=True)
    return each <= most


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    print(f"{'levels':<28} {'interval':>8} {'due':>6} {'missed':>7} {'start ms':>9} {'floor ms':>8} "
          f"{'ms each':>8} {'JUmPER/it':>9}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        kept = [measure(*sys.argv[1:3], folder, seconds, row) for row in ROWS]
    print(f"{sum(kept)} targets kept, {len(kept) - sum(kept)} missed")


if __name__ == "__main__":
    main()
