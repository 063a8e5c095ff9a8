"""%perfmonitor_export_perfdata and %perfmonitor_load_perfdata."""
import csv
import io

from .jumper import jumper_magic, say
from .jumper_history import numbers, path_of, put_frame, put_table, read_table
from .jumper_reports import report_of


PERFDATA_COLUMNS = [
    "time", "memory", "io_read_count", "io_write_count", "io_read", "io_write", "cpu_util_avg",
    "cpu_util_min", "cpu_util_max", "cell_index"]


def samples_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@jumper_magic(words=(), file=None, name=None, level="process")
def perfmonitor_export_perfdata(asked, names):
    """%perfmonitor_export_perfdata [FILE] | [--file FILE] [--name VARIABLE] [--level LEVEL]"""
    table = report_of("csv", asked.level)
    rows = samples_of(table or "")
    path = path_of(asked)
    if asked.name or path is None:  # also without samples: later cells may use the variable
        put_frame(names, asked.name or "perfdata_df", numbers(rows), PERFDATA_COLUMNS)
    if path is not None and table is not None:
        if path.lower().endswith(".json"):
            rows = numbers(rows)
        put_table(path, rows, list(rows[0]) if rows else [], "performance data")


@jumper_magic(words=(), file=None)
def perfmonitor_load_perfdata(asked, names):
    """%perfmonitor_load_perfdata FILE | --file FILE"""
    path = path_of(asked)
    rows = None if path is None else read_table(path, ("time", "memory"))
    if rows is not None:
        say(f"Performance data loaded from {path}: {len(rows)} samples")
        put_frame(names, "loaded_perfdata_df", numbers(rows))
