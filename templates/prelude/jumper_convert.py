# requires: jumper jumper_history
# Sessions of the extension itself become files of samples: nbscorep-samples(5).
_nbscorep_columns_of_samples = ("cpu", None, "read_calls", "write_calls", "read_bytes",
                                "write_bytes")
_nbscorep_columns_of_tables = "io_read_count", "io_write_count", "io_read", "io_write"


@_nbscorep_quiet
def _nbscorep_varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


@_nbscorep_quiet
def _nbscorep_signed(number):
    return _nbscorep_varint(2 * number if number >= 0 else -2 * number - 1)


@_nbscorep_quiet
def _nbscorep_text_of_record(text):
    data = text.encode("utf-8", "replace")
    return _nbscorep_varint(len(data)) + data


@_nbscorep_quiet
def _nbscorep_known(row, name):
    """The number NAME of ROW; 0 where there is none."""
    value = _nbscorep_number(row.get(name))
    return value if isinstance(value, (int, float)) and value == value else 0


@_nbscorep_quiet
def _nbscorep_record(kind, *parts):
    body = b"".join(parts)
    return kind + _nbscorep_varint(len(body)) + body


class _nbscorep_writer:
    """Of a file of samples that begins at START, in nanoseconds as all moments are."""

    @_nbscorep_quiet
    def __init__(self, start, head):
        self.moment, self.groups = start, 0
        lines = ["nbscorep samples 1", *(f"{name} {value}" for name, value in head.items())]
        text = "".join(" ".join(line.splitlines()) + "\n" for line in lines) + "\n"
        self.parts = [text.encode("utf-8", "replace")]

    @_nbscorep_quiet
    def passed(self, moment):
        before, self.moment = self.moment, moment
        return _nbscorep_signed(moment - before)

    @_nbscorep_quiet
    def add_level(self, level, rows, cpus):
        """A table of JUmPER's. Its use of processors is a mean since the row before."""
        names = [name or ("memory_used" if level == "system" else "rss")
                 for name in _nbscorep_columns_of_samples]
        columns = [_nbscorep_text_of_record(name) + b"\0" for name in names]
        self.parts.append(_nbscorep_record(
            b"G", _nbscorep_text_of_record(level), _nbscorep_text_of_record(level),
            _nbscorep_varint(len(columns)), *columns))
        last, busy, before = [0] * len(names), 0.0, None
        for row in rows:
            time = _nbscorep_known(row, "time")
            busy += _nbscorep_known(row, "cpu_util_avg") / 100 * cpus * (time - (before or time))
            before = time
            values = [int(busy * 1e9), int(_nbscorep_known(row, "memory") * (1 << 30)),
                      *(int(_nbscorep_known(row, name)) for name in _nbscorep_columns_of_tables)]
            grown, last = [new - old for new, old in zip(values, last)], values
            self.parts.append(_nbscorep_record(
                b"S", _nbscorep_varint(self.groups), self.passed(int(time * 1e9)), b"\0\0",
                *map(_nbscorep_signed, grown)))
        self.groups += 1

    @_nbscorep_quiet
    def add_cell(self, row):
        number = _nbscorep_varint(int(_nbscorep_known(row, "cell_index")) + 1)
        source = str(row.get("raw_cell") or "")
        title = next(filter(None, map(str.strip, source.splitlines())), "")[:72]
        begin, end = (int(_nbscorep_known(row, f"{each}_time") * 1e9) for each in ("start", "end"))
        self.parts += [
            _nbscorep_record(b"T", number, _nbscorep_text_of_record(title), b"\0"),
            _nbscorep_record(b"B", number, self.passed(begin)),
            _nbscorep_record(b"E", number, self.passed(end), _nbscorep_text_of_record("done"))]


@_nbscorep_quiet
def _nbscorep_convert(name, manifest, tables, cells):
    """The samples of a session called NAME: TABLES by levels, and CELLS."""
    monitor = manifest.get("monitor") or {}
    limits = monitor.get("memory_limits") or {}
    times = [_nbscorep_known(row, "time") for rows in tables.values() for row in rows]
    start = int((_nbscorep_known(monitor, "start_time") or min(times)) * 1e9)
    cpus = int(_nbscorep_known(monitor, "num_cpus")) or 1
    writer = _nbscorep_writer(start, {
        "command": name, "cpus": cpus, "start_mono": start, "memory_limit": 0,
        "memory_total": int(_nbscorep_known(limits, "system") * (1 << 30)), "node": -1, "pid": 0,
        "interval": int((_nbscorep_known(monitor, "interval") or 1) * 1e9), "host": "", "job": "",
        "start_wall": int(_nbscorep_known(monitor, "wallclock_start_time") * 1e9), "cpu_list": ""})
    for level, rows in tables.items():
        writer.add_level(level, rows, cpus)
    for row in cells:
        writer.add_cell(row)
    return b"".join(writer.parts)
