"""Reads a file of samples as nbscorep-samples(5) describes it: the second reader, in another language."""
import dataclasses

MAGIC = b"nbscorep samples 1\n"


@dataclasses.dataclass
class Group:
    name: str
    level: str
    columns: list  # of (metric, instance)
    times: list    # of (begin, end, wall)
    rows: list     # of lists of numbers

    def of(self, metric, instance=0):
        """All values of a column."""
        at = self.columns.index((metric, instance))
        return [row[at] for row in self.rows]


class Truncated(Exception):
    """The file ends in the middle of a record."""


class Record:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte, = self.take(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    def take(self, count):
        if self.at + count > len(self.data):
            raise Truncated
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.take(self.number()).decode()


class Samples:
    def __init__(self, data):
        if not data.startswith(MAGIC):
            raise ValueError("no file of samples")
        head, _, rest = data[len(MAGIC):].partition(b"\n\n")
        self.head = {}
        for line in head.decode().split("\n"):
            key, _, value = line.partition(" ")
            self.head[key] = int(value) if value.lstrip("-").isdigit() else value
        self.moment = self.head["start_mono"]
        self.offset = self.head["start_wall"] - self.moment
        self.groups, self.marks, self.notes, self.titles = [], [], [], {}
        self.rows_at_marks = []  # how many each group had, by its name, when a mark was written
        self.due = self.missed = self.finish = None
        self.truncated = False
        try:
            self.read_records(Record(rest))
        except Truncated:
            self.truncated = True

    def read_records(self, whole):
        while whole.at < len(whole.data):
            kind = chr(whole.take(1)[0])
            record = Record(whole.take(whole.number()))
            try:
                getattr(self, f"read_{kind}")(record)
            except Truncated:
                raise ValueError(f"a record {kind} that is too short") from None

    def read_moment(self, record):
        self.moment += record.signed()
        return self.moment

    def read_G(self, record):
        name, level = record.text(), record.text()
        columns = [(record.text(), record.number()) for _ in range(record.number())]
        self.groups.append(Group(name, level, columns, [], []))

    def read_S(self, record):
        group = self.groups[record.number()]
        begin = self.read_moment(record)
        end = begin + record.number()
        self.offset += record.signed()
        group.times.append((begin, end, begin + self.offset))
        last = group.rows[-1] if group.rows else [0] * len(group.columns)
        group.rows.append([value + record.signed() for value in last])

    def add_mark(self, *mark):
        self.marks.append(mark)
        self.rows_at_marks.append({group.name: len(group.rows) for group in self.groups})

    def read_B(self, record):
        self.add_mark("begin", record.number(), self.read_moment(record))

    def read_E(self, record):
        self.add_mark("end", record.number(), self.read_moment(record), record.text())

    def read_T(self, record):
        number = record.number()
        self.titles[number] = (record.text(), record.text())

    def read_N(self, record):
        self.notes.append(record.text())

    def read_M(self, record):
        self.due, self.missed = record.signed(), record.signed()

    def read_F(self, record):
        names = ("status", "user", "system", "peak_rss", "minor_faults", "major_faults",
                 "voluntary_switches", "involuntary_switches")
        self.finish = {"moment": self.read_moment(record)}
        self.finish.update((name, record.signed()) for name in names)

    def group(self, name):
        return next(group for group in self.groups if group.name == name)


def read(path, whole=True):
    """What the file PATH holds; unless WHOLE, it may end in the middle of a record."""
    with open(path, "rb") as file:
        samples = Samples(file.read())
    if whole and samples.truncated:
        raise Truncated(path)
    return samples
