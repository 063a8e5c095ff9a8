# requires: jumper jumper_history
# Sessions of the extension itself become files of samples: nbscorep-samples(5).
# The columns of tables by the names of metrics; for GPUs they are the same, in units of so much.
_nbscorep_io_columns = {"read_calls": "io_read_count", "write_calls": "io_write_count",
                        "read_bytes": "io_read", "write_bytes": "io_write"}
_nbscorep_gpu_columns = {"gpu_util": 1, "gpu_band": 1, "gpu_mem": 1 << 30}


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


@_nbscorep_quiet
def _nbscorep_instances(rows, prefix):
    """The numbers behind PREFIX in the names of columns."""
    names = (name[len(prefix):] for name in rows[0] if name and name.startswith(prefix))
    return sorted(int(name) for name in names if name.isdecimal() and len(name) < 5)


@_nbscorep_quiet
def _nbscorep_counted(rows, divided):
    """What was counted of I/O up to each row: DIVIDED by the time since the row before, as by the
    extension. Of the first one nobody knows that time."""
    counted = []
    for before, row in zip(rows, rows[1:]):
        passed = _nbscorep_known(row, "time") - _nbscorep_known(before, "time") if divided else 1
        now = [round(_nbscorep_known(row, name) * passed) for name in _nbscorep_io_columns.values()]
        counted.append([*map(max, now, counted[-1])] if counted else now)
    return [counted[0] if counted else [0] * len(_nbscorep_io_columns), *counted]


@_nbscorep_quiet
def _nbscorep_ranges(numbers):
    """Numbers as Linux lists processors: "0-3,8"."""
    ranges = []
    for number in sorted({each for each in numbers if type(each) is int and 0 <= each < 1 << 16}):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{a}-{b}" if a != b else str(a) for a, b in ranges)


class _nbscorep_writer:
    """Of a file of samples that begins at START, in nanoseconds as all moments are."""

    @_nbscorep_quiet
    def __init__(self, start, head, gpus):
        self.moment, self.groups = start, 0
        lines = ["nbscorep samples 1", *(f"{name} {value}" for name, value in head.items()), *gpus]
        text = "".join(" ".join(line.splitlines()) + "\n" for line in lines) + "\n"
        self.parts = [text.encode("utf-8", "replace")]

    @_nbscorep_quiet
    def passed(self, moment):
        before, self.moment = self.moment, moment
        return _nbscorep_signed(moment - before)

    @_nbscorep_quiet
    def add_group(self, level, columns):
        """COLUMNS are names of metrics, each with an instance."""
        self.parts.append(_nbscorep_record(
            b"G", _nbscorep_text_of_record(level), _nbscorep_text_of_record(level),
            _nbscorep_varint(len(columns)),
            *(_nbscorep_text_of_record(name) + _nbscorep_varint(k) for name, k in columns)))

    @_nbscorep_quiet
    def add_level(self, level, rows, cpus, divided):
        """A table of JUmPER's. Its use of processors is a mean since the row before."""
        cores = [("core_cpu", k) for k in _nbscorep_instances(rows, "cpu_util_")]
        busy = cores if level == "system" and cores else [("cpu", 0)]
        gpus = [(name, k) for name in _nbscorep_gpu_columns
                for k in _nbscorep_instances(rows, f"{name}_")]
        memory = "memory_used" if level == "system" else "rss"
        columns = [*busy, (memory, 0), *((name, 0) for name in _nbscorep_io_columns), *gpus]
        self.add_group(level, columns)
        last, used, before = [0] * len(columns), [0.0] * len(busy), _nbscorep_known(rows[0], "time")
        for row, counted in zip(rows, _nbscorep_counted(rows, divided)):
            time = _nbscorep_known(row, "time")
            passed, before = time - before, time
            shares = ([_nbscorep_known(row, "cpu_util_avg") * cpus] if busy is not cores else
                      [_nbscorep_known(row, f"cpu_util_{k}") for _, k in cores])
            used = [sum(pair) for pair in zip(used, (share / 100 * passed for share in shares))]
            values = [*(int(seconds * 1e9) for seconds in used),
                      int(_nbscorep_known(row, "memory") * (1 << 30)), *counted,
                      *(int(_nbscorep_known(row, f"{name}_{k}") * _nbscorep_gpu_columns[name])
                        for name, k in gpus)]
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
    memory = int(_nbscorep_known(monitor, "gpu_memory") * (1 << 30))
    gpus = ([f"gpu {memory} {str(monitor.get('gpu_name') or 'GPU'):.99}"]
            * min(int(_nbscorep_known(monitor, "num_gpus")), 1024))
    limit = _nbscorep_known(limits, "slurm") or _nbscorep_known(limits, "process")
    writer = _nbscorep_writer(start, {
        "command": name, "cpus": cpus, "start_mono": start,
        "memory_limit": int(limit * (1 << 30)),
        "memory_total": int(_nbscorep_known(limits, "system") * (1 << 30)), "node": -1, "pid": 0,
        "interval": int((_nbscorep_known(monitor, "interval") or 1) * 1e9), "host": "",
        "job": monitor.get("slurm_job") or "",
        "start_wall": int(_nbscorep_known(monitor, "wallclock_start_time") * 1e9),
        "cpu_list": _nbscorep_ranges(monitor.get("cpu_handles") or ())}, gpus)
    for level, rows in tables.items():
        if rows:
            writer.add_level(level, rows, cpus, "nbscorep_session" not in manifest)
    for row in cells:
        writer.add_cell(row)
    return b"".join(writer.parts)
