"""Converts sessions of the JUmPER extension to files of samples, nbscorep-samples(5)."""
from .jumper_history import read_number


# The columns of tables by metric. Columns of GPUs have the name of the metric; the number is the unit.
IO_COLUMNS = {"read_calls": "io_read_count", "write_calls": "io_write_count",
              "read_bytes": "io_read", "write_bytes": "io_write"}
GPU_COLUMNS = {"gpu_util": 1, "gpu_band": 1, "gpu_mem": 1 << 30}


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed(number):
    return varint(2 * number if number >= 0 else -2 * number - 1)


def text_of_record(text):
    data = text.encode("utf-8", "replace")
    return varint(len(data)) + data


def known(row, name):
    """The number NAME of ROW; 0 if it is missing."""
    value = read_number(row.get(name))
    return value if isinstance(value, (int, float)) and value == value else 0


def record(kind, *parts):
    body = b"".join(parts)
    return kind + varint(len(body)) + body


def instances(rows, prefix):
    """The numbers after PREFIX in the names of columns."""
    names = (name[len(prefix):] for name in rows[0] if name and name.startswith(prefix))
    return sorted(int(name) for name in names if name.isdecimal() and len(name) < 5)


def io_counts(rows, divided):
    """The cumulative I/O at each row. DIVIDED: the extension has divided counts by the time since the row
    before, which is unknown for the first row."""
    counted = []
    for before, row in zip(rows, rows[1:]):
        passed = known(row, "time") - known(before, "time") if divided else 1
        now = [round(known(row, name) * passed) for name in IO_COLUMNS.values()]
        counted.append([*map(max, now, counted[-1])] if counted else now)
    return [counted[0] if counted else [0] * len(IO_COLUMNS), *counted]


def number_ranges(numbers):
    """Numbers as Linux lists processors: "0-3,8"."""
    ranges = []
    for number in sorted({each for each in numbers if type(each) is int and 0 <= each < 1 << 16}):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in ranges)


class Writer:
    """Writes a file of samples that begins at START. Moments are in nanoseconds."""

    def __init__(self, start, head, gpus):
        self.moment, self.groups = start, 0
        lines = ["nbscorep samples 1", *(f"{name} {value}" for name, value in head.items()), *gpus]
        text = "".join(" ".join(line.splitlines()) + "\n" for line in lines) + "\n"
        self.parts = [text.encode("utf-8", "replace")]

    def passed(self, moment):
        before, self.moment = self.moment, moment
        return signed(moment - before)

    def add_level(self, level, rows, cpus, divided):
        """Adds a table of the extension. Its CPU usage is the mean since the row before."""
        cores = [("core_cpu", k) for k in instances(rows, "cpu_util_")]
        busy = cores if level == "system" and cores else [("cpu", 0)]
        gpus = [(name, k) for name in GPU_COLUMNS
                for k in instances(rows, f"{name}_")]
        memory = "memory_used" if level == "system" else "rss"
        columns = [*busy, (memory, 0), *((name, 0) for name in IO_COLUMNS), *gpus]  # pairs of metric and instance
        self.parts.append(record(
            b"G", text_of_record(level), text_of_record(level), varint(len(columns)),
            *(text_of_record(name) + varint(k) for name, k in columns)))
        last, used, before = [0] * len(columns), [0.0] * len(busy), known(rows[0], "time")
        for row, counted in zip(rows, io_counts(rows, divided)):
            time = known(row, "time")
            passed, before = time - before, time
            shares = ([known(row, "cpu_util_avg") * cpus] if busy is not cores else
                      [known(row, f"cpu_util_{k}") for _, k in cores])
            used = [sum(pair) for pair in zip(used, (share / 100 * passed for share in shares))]
            values = [*(int(seconds * 1e9) for seconds in used),
                      int(known(row, "memory") * (1 << 30)), *counted,
                      *(int(known(row, f"{name}_{k}") * GPU_COLUMNS[name])
                        for name, k in gpus)]
            grown, last = [new - old for new, old in zip(values, last)], values
            self.parts.append(record(
                b"S", varint(self.groups), self.passed(int(time * 1e9)), b"\0\0",
                *map(signed, grown)))
        self.groups += 1

    def add_cell(self, row):
        number = varint(int(known(row, "cell_index")) + 1)
        source = str(row.get("raw_cell") or "")
        title = next(filter(None, map(str.strip, source.splitlines())), "")[:72]
        begin, end = (int(known(row, f"{each}_time") * 1e9) for each in ("start", "end"))
        self.parts += [
            record(b"T", number, text_of_record(title), b"\0"),
            record(b"B", number, self.passed(begin)),
            record(b"E", number, self.passed(end), text_of_record("done"))]


def convert(name, manifest, tables, cells):
    """The samples of a session called NAME: TABLES by levels, and CELLS."""
    monitor = manifest.get("monitor") or {}
    limits = monitor.get("memory_limits") or {}
    times = [known(row, "time") for rows in tables.values() for row in rows]
    start = int((known(monitor, "start_time") or min(times)) * 1e9)
    cpus = int(known(monitor, "num_cpus")) or 1
    memory = int(known(monitor, "gpu_memory") * (1 << 30))
    gpus = ([f"gpu {memory} {str(monitor.get('gpu_name') or 'GPU'):.99}"]
            * min(int(known(monitor, "num_gpus")), 1024))
    limit = known(limits, "slurm") or known(limits, "process")
    writer = Writer(start, {
        "command": name, "cpus": cpus, "start_mono": start,
        "memory_limit": int(limit * (1 << 30)),
        "memory_total": int(known(limits, "system") * (1 << 30)), "node": -1, "pid": 0,
        "interval": int((known(monitor, "interval") or 1) * 1e9), "host": "",
        "job": monitor.get("slurm_job") or "",
        "start_wall": int(known(monitor, "wallclock_start_time") * 1e9),
        "cpu_list": number_ranges(monitor.get("cpu_handles") or ())}, gpus)
    for level, rows in tables.items():
        if rows:
            writer.add_level(level, rows, cpus, "nbscorep_session" not in manifest)
    for row in cells:
        writer.add_cell(row)
    return b"".join(writer.parts)
