# requires: jumper
_nbscorep_history_columns = (
    "cell_index", "raw_cell", "start_time", "end_time", "duration", "wallclock_start_time",
    "wallclock_end_time", "cell_magics", "cell_number")
_nbscorep_imported_history = []


@_nbscorep_quiet
def _nbscorep_history():
    """A row for each cell that has run, in JUmPER's columns and with the number in the notebook."""
    state = _nbscorep_jumper
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
        rows.append(dict(zip(_nbscorep_history_columns, values)))
    return rows


@_nbscorep_quiet
def _nbscorep_history_of_samples():
    """The cells that the samples are of; all where there are none."""
    state = _nbscorep_jumper
    if state.imported is not None:
        return _nbscorep_imported_history
    return ([] if state.path else _nbscorep_imported_history) + _nbscorep_history()


@_nbscorep_quiet
def _nbscorep_in_form(function, text):
    """What FUNCTION makes of a number, which may come from a file."""
    try:
        return function(float(text))
    except (ValueError, OverflowError):
        return "-"


@_nbscorep_quiet
def _nbscorep_clock_time(seconds):
    import time
    return time.strftime("%H:%M:%S", time.localtime(seconds))


@_nbscorep_quiet
def _nbscorep_cell_history(text, *scopes):
    """%cell_history, %show_cell_history"""
    if _nbscorep_jumper_words("cell_history", text, scopes) is None:
        return
    rows = _nbscorep_imported_history + _nbscorep_history()
    if not rows:
        _nbscorep_say("No cell history available")
        return
    _nbscorep_say(f"{'index':>5}  {'cell':>5}  {'duration':>10}  {'start':8}  {'end':8}  code")
    for row in rows:
        code = [line.strip() for line in row["raw_cell"].splitlines() if line.strip()]
        first = code[0] if code else ""
        cut = len(code) > 1 or len(first) > 60
        duration = _nbscorep_in_form("{:.2f}s".format, row["duration"])
        begin, end = (_nbscorep_in_form(_nbscorep_clock_time, row[f"wallclock_{each}_time"])
                      for each in ("start", "end"))
        _nbscorep_say(f"{row['cell_index']!s:>5}  {row['cell_number']!s:>5}  {duration:>10}  "
                      f"{begin:8}  {end:8}  {first[:60]}{' ...' if cut else ''}")


@_nbscorep_quiet
def _nbscorep_csv_text(rows, columns):
    import csv
    import io
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


@_nbscorep_quiet
def _nbscorep_table_text(path, rows, columns):
    """ROWS in the form that the name PATH asks for."""
    import json
    if path.lower().endswith(".json"):
        return json.dumps(rows, indent=1) + "\n"
    return _nbscorep_csv_text(rows, columns)


@_nbscorep_quiet
def _nbscorep_put_table(path, rows, columns, what):
    import os
    if os.path.splitext(path)[1].lower() not in ("", ".csv", ".json", ".txt"):
        _nbscorep_say(f"Cannot export {what} to {path}: use a name that ends in .csv or .json")
        return
    try:
        with open(path, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(_nbscorep_table_text(path, rows, columns))
    except OSError as error:
        _nbscorep_say(f"Cannot export {what} to {path}: {error.strerror}")
    else:
        _nbscorep_say(f"{what[0].upper()}{what[1:]} exported to {path}")


@_nbscorep_quiet
def _nbscorep_table_rows(path, text):
    """What _nbscorep_table_text() has made."""
    import csv
    import io
    import json
    if path.lower().endswith(".json"):
        rows = json.loads(text)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError("it holds no list of rows")
        return rows
    before = csv.field_size_limit(1 << 30)  # a cell may be long
    try:
        return list(csv.DictReader(io.StringIO(text)))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    finally:
        csv.field_size_limit(before)


@_nbscorep_quiet
def _nbscorep_read_table(path, needed):
    """The rows of the file PATH, which have the columns NEEDED; None, and why is printed."""
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            rows = _nbscorep_table_rows(path, file.read())
        missing = [name for name in needed if rows and name not in rows[0]]
        if missing:
            raise ValueError("it has no column " + ", ".join(missing))
        return rows
    except (OSError, ValueError, RecursionError) as error:
        _nbscorep_say(f"Cannot load {path}: {getattr(error, 'strerror', None) or error}")


@_nbscorep_quiet
def _nbscorep_number(text):
    """None between cells, and where a value is not known; a number is one already."""
    if not isinstance(text, str):
        return text
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


@_nbscorep_quiet
def _nbscorep_numbers(rows):
    texts = "raw_cell", "cell_magics"
    return [{name: value if name in texts else _nbscorep_number(value)
             for name, value in row.items()} for row in rows]


@_nbscorep_quiet
def _nbscorep_path(asked):
    """The file that was ASKED for, in the words of any version; None: none was."""
    import os
    path = asked.file or (asked.words[0] if asked.words else None)
    return path and os.path.expanduser(path)


@_nbscorep_quiet
def _nbscorep_put_frame(names, variable, rows, columns=()):
    """ROWS, or where there is none an empty one with COLUMNS, as the DataFrame VARIABLE of the
    script, where there is pandas."""
    try:
        import pandas
    except ImportError:
        _nbscorep_note(f"pandas is not there, so there is no DataFrame {variable}")
        return
    names[variable] = pandas.DataFrame(rows or {column: [] for column in columns})
    _nbscorep_say(f"DataFrame {variable}: {len(rows)} rows")


@_nbscorep_quiet
def _nbscorep_export_history(text, *scopes):
    """%perfmonitor_export_cell_history [FILE] | [--file FILE] [--name VARIABLE]"""
    asked = _nbscorep_jumper_words("perfmonitor_export_cell_history", text, scopes, words=(),
                                   file=None, name=None)
    if asked is None:
        return
    rows = _nbscorep_numbers(_nbscorep_history_of_samples())
    path = _nbscorep_path(asked)
    if asked.name or path is None:
        _nbscorep_put_frame(scopes[0], asked.name or "cell_history_df", rows)
    if path is not None:
        _nbscorep_put_table(path, rows, _nbscorep_history_columns, "cell history")


@_nbscorep_quiet
def _nbscorep_keep_history(rows):
    """ROWS, which anybody could have written, stand before the script's own."""
    _nbscorep_imported_history[:] = [
        {name: "-" if row.get(name) is None else str(row[name])
         for name in _nbscorep_history_columns} for row in rows]


@_nbscorep_quiet
def _nbscorep_load_history(text, *scopes):
    """%perfmonitor_load_cell_history FILE | --file FILE"""
    asked = _nbscorep_jumper_words("perfmonitor_load_cell_history", text, scopes, words=(),
                                   file=None)
    path = None if asked is None else _nbscorep_path(asked)
    rows = None if path is None else _nbscorep_read_table(path, _nbscorep_history_columns[:5])
    if rows is not None:
        _nbscorep_say(f"Cell history loaded from {path}: {len(rows)} cells")
        _nbscorep_put_frame(scopes[0], "loaded_cell_history_df", _nbscorep_numbers(rows))
