"""%cell_history and its files."""
import csv
import io
import json
import os
import time

from .jumper import jumper_magic, say, state
from .magic_arguments import number_or_text
from .messages import note


HISTORY_COLUMNS = (
    "cell_index", "raw_cell", "start_time", "end_time", "duration", "wallclock_start_time",
    "wallclock_end_time", "cell_magics", "cell_number")
imported_history = []


def history_rows():
    """A row for each cell that has run, in JUmPER's columns and with the number in the notebook."""
    rows = []
    for cell in state.ran:
        if cell["end"] is None:
            continue
        source = state.sources.get(cell["number"], "")
        lines = map(str.strip, source.splitlines())
        magics = [line.lstrip("%") for line in lines if line.startswith("%")]
        values = (cell["index"], source, cell["begin"] / 1e9, cell["end"] / 1e9,
                  (cell["end"] - cell["begin"]) / 1e9, cell["begin_time"], cell["end_time"],
                  magics, cell["number"])
        rows.append(dict(zip(HISTORY_COLUMNS, values)))
    return rows


def history_of_samples():
    """The cells that were sampled; all cells if there are no samples."""
    if state.imported is not None:
        return imported_history
    return ([] if state.path else imported_history) + history_rows()


def in_form(function, text):
    """FUNCTION of the number TEXT, or "-" if TEXT, which may come from a file, is not a number."""
    try:
        return function(float(text))
    except (ValueError, OverflowError):
        return "-"


def clock_time(seconds):
    return time.strftime("%H:%M:%S", time.localtime(seconds))


@jumper_magic()
def cell_history(asked, names):
    """%cell_history, %show_cell_history"""
    rows = imported_history + history_rows()
    if not rows:
        say("No cell history available")
        return
    say(f"{'index':>5}  {'cell':>5}  {'duration':>10}  {'start':8}  {'end':8}  code")
    for row in rows:
        code = [line.strip() for line in row["raw_cell"].splitlines() if line.strip()]
        first = code[0] if code else ""
        cut = len(code) > 1 or len(first) > 60
        duration = in_form("{:.2f}s".format, row["duration"])
        begin, end = (in_form(clock_time, row[f"wallclock_{each}_time"])
                      for each in ("start", "end"))
        say(f"{row['cell_index']!s:>5}  {row['cell_number']!s:>5}  {duration:>10}  "
            f"{begin:8}  {end:8}  {first[:60]}{' ...' if cut else ''}")


def csv_text(rows, columns):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def put_table(path, rows, columns, what):
    if os.path.splitext(path)[1].lower() not in ("", ".csv", ".json", ".txt"):
        say(f"Cannot export {what} to {path}: use a name that ends in .csv or .json")
        return
    is_json = path.lower().endswith(".json")
    try:
        with open(path, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(json.dumps(rows, indent=1) + "\n" if is_json else csv_text(rows, columns))
    except OSError as error:
        say(f"Cannot export {what} to {path}: {error.strerror}")
    else:
        say(f"{what[0].upper()}{what[1:]} exported to {path}")


def table_rows(path, text):
    """The rows of TEXT, which put_table() writes."""
    if path.lower().endswith(".json"):
        rows = json.loads(text)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError("it does not contain a list of rows")
        return rows
    before = csv.field_size_limit(1 << 30)  # a cell may be long
    try:
        return list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    finally:
        csv.field_size_limit(before)


def read_table(path, needed):
    """The rows of the file PATH. Prints a message and returns None if it lacks one of the columns NEEDED."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            rows = table_rows(path, file.read())
        missing = [name for name in needed if rows and name not in rows[0]]
        if missing:
            raise ValueError("it has no column " + ", ".join(missing))
        return rows
    except (OSError, ValueError, RecursionError) as error:
        say(f"Cannot load {path}: {getattr(error, 'strerror', None) or error}")


def read_number(text):
    """TEXT as a number if it is one; None if it is empty, for a row between cells or an unknown value."""
    if isinstance(text, str):
        return number_or_text(text) if text else None
    return text


def numbers(rows):
    texts = "raw_cell", "cell_magics"
    return [{name: value if name in texts else read_number(value)
             for name, value in row.items()} for row in rows]


def path_of(asked):
    """The file in the arguments ASKED, in the syntax of any version of the extension, or None."""
    path = asked.file or (asked.words[0] if asked.words else None)
    return path and os.path.expanduser(path)


def put_frame(names, variable, rows, columns=()):
    """Sets VARIABLE of the script to a DataFrame of ROWS, or an empty one with COLUMNS. Requires pandas."""
    try:
        import pandas
    except ImportError:
        note(f"pandas is not installed, so there is no DataFrame {variable}")
        return
    names[variable] = pandas.DataFrame(rows or {column: [] for column in columns})
    say(f"DataFrame {variable}: {len(rows)} rows")


@jumper_magic(words=(), file=None, name=None)
def perfmonitor_export_cell_history(asked, names):
    """%perfmonitor_export_cell_history [FILE] | [--file FILE] [--name VARIABLE]"""
    rows = numbers(history_of_samples())
    path = path_of(asked)
    if asked.name or path is None:
        put_frame(names, asked.name or "cell_history_df", rows)
    if path is not None:
        put_table(path, rows, HISTORY_COLUMNS, "cell history")


def keep_history(rows):
    """Stores ROWS, which are untrusted, as the cells before those of the script."""
    imported_history[:] = [
        {name: "-" if row.get(name) is None else str(row[name])
         for name in HISTORY_COLUMNS} for row in rows]


@jumper_magic(words=(), file=None)
def perfmonitor_load_cell_history(asked, names):
    """%perfmonitor_load_cell_history FILE | --file FILE"""
    path = path_of(asked)
    rows = None if path is None else read_table(path, HISTORY_COLUMNS[:5])
    if rows is not None:
        say(f"Cell history loaded from {path}: {len(rows)} cells")
        put_frame(names, "loaded_cell_history_df", numbers(rows))
