"""A second writer of files of samples, from nbscorep-samples(5) alone: what it writes with known
numbers, nbscorep must read as these numbers."""

SECOND = 10**9
MB = 1 << 20
GB = 1 << 30
MAGIC = b"nbscorep samples 1\n"


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed(number):
    return varint(2 * number if number >= 0 else -2 * number - 1)


def text(string):
    data = string.encode() if isinstance(string, str) else string
    return varint(len(data)) + data


def record(kind, *parts):
    body = b"".join(parts)
    return kind.encode() + varint(len(body)) + body


class Samples:
    """Times are seconds since the start; they become nanoseconds of both clocks."""

    def __init__(self, start=1000, wall=1_700_000_000, gpus=(), **head):
        self.mono, self.wall = start * SECOND, wall * SECOND
        self.moment, self.offset = self.mono, self.wall - self.mono
        fields = {"host": "node1", "command": "python3 heat.py", "job": "", "cpu_list": "0-1",
                  "pid": 4711, "interval": SECOND, "start_mono": self.mono,
                  "start_wall": self.wall, "cpus": 2, "memory_limit": 4 * GB,
                  "memory_total": 16 * GB, "node": -1} | head
        lines = [f"{key} {value}\n" for key, value in fields.items()]
        lines += [f"gpu {memory} {name}\n" for name, memory in gpus]
        self.data = MAGIC + "".join(lines).encode() + b"\n"
        self.groups = []

    def add(self, kind, *parts):
        self.data += record(kind, *parts)
        return self

    def passed(self, seconds):
        """A moment, as the difference from the one before."""
        moment = self.mono + round(seconds * SECOND)
        difference, self.moment = moment - self.moment, moment
        return signed(difference)

    def group(self, name, level, *columns):
        """COLUMNS: names of metrics, or pairs with the instance. Returns the group's number."""
        pairs = [(c, 0) if isinstance(c, str) else c for c in columns]
        self.add("G", text(name), text(level), varint(len(pairs)),
                 *[text(metric) + varint(instance) for metric, instance in pairs])
        self.groups.append([0] * len(pairs))
        return len(self.groups) - 1

    def sample(self, group, seconds, *values, took=0, wall_shift=0):
        """Read from SECONDS on, TOOK nanoseconds long."""
        last, self.groups[group] = self.groups[group], list(values)
        offset = self.wall - self.mono + wall_shift
        difference, self.offset = offset - self.offset, offset
        return self.add("S", varint(group), self.passed(seconds), varint(took),
                        signed(difference), *[signed(v - l) for v, l in zip(values, last)])

    def cell(self, number, begin, end=None, state="done"):
        self.add("B", varint(number), self.passed(begin))
        return self if end is None else self.end(number, end, state)

    def end(self, number, seconds, state="done"):
        return self.add("E", varint(number), self.passed(seconds), text(state))

    def title(self, number, title, source=""):
        return self.add("T", varint(number), text(title), text(source))

    def note(self, note):
        return self.add("N", text(note))

    def missed(self, due, missed):
        return self.add("M", signed(due), signed(missed))

    def finish(self, seconds, status=0, user=0, system=0, peak_rss=0, faults=(0, 0, 0, 0)):
        return self.add("F", self.passed(seconds), *[signed(n) for n in (status, user, system, peak_rss, *faults)])


def ticking():
    """A second in which two processors are busy, whose time is told each 4 ms, and a cell of 30 ms."""
    interval = SECOND // 200
    samples = Samples(interval=interval)
    group = samples.group("program", "process", "cpu")
    cores = samples.group("cores", "system", ("core_cpu", 0), ("core_cpu", 1))
    for i in range(201):
        told = i * 5 // 4 * 4 * (SECOND // 1000)
        samples.sample(group, i / 200, 2 * told).sample(cores, i / 200, told, told)
    return samples.cell(1, 0.102, 0.132)


def late_at_marks():
    """Four cells of a second; the second one takes 500 MB at once, the third one gives them back. The
    sampler looks 5 ms after each mark."""
    samples = Samples()
    group = samples.group("p", "process", "cpu", "rss", "peak_rss", "write_chars")
    marks = samples.group("m", "process", "mark_rss", "mark_peak_rss")
    at_marks = (100, 100), (100, 100), (600, 600), (100, 600), (100, 600)
    behind = (100, 100), (600, 600), (100, 600), (100, 600), (100, 600)
    for second, (marked, looked) in enumerate(zip(at_marks, behind)):
        for _ in range(1 if second in (0, 4) else 2):
            samples.sample(marks, second, *[number * MB for number in marked])
        samples.sample(group, second + 0.005, 0, *[number * MB for number in looked], 0)
    for cell in range(4):
        samples.cell(cell + 1, cell, cell + 1)
    return samples


def odd_files():
    """No sample, one, no time between samples, and numbers that fit nowhere."""
    big = 2**62
    for moments in ([], [0], [1, 1, 1], [0, 9e9], [9e9, 9e9]):
        samples = Samples()
        group = samples.group("program", "process", "cpu", "rss", "read_bytes")
        for moment in moments:
            samples.sample(group, moment, big - 1, -big, int(moment))
        yield samples.cell(1, moments[-1] if moments else 0)
