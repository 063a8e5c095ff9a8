# requires: jumper jumper_reports jumper_history
@_nbscorep_quiet
def _nbscorep_samples_of(text):
    """The rows of a table of samples. nbscorep counts cells from the first that it was told of."""
    import csv
    import io
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        if row.get("cell_index", "").isdecimal():
            row["cell_index"] = str(int(row["cell_index"]) + _nbscorep_jumper.first)
    return rows


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
    return [{name: _nbscorep_number(value) for name, value in row.items()} for row in rows]


@_nbscorep_quiet
def _nbscorep_put_perfdata(path, rows):
    if path.lower().endswith(".json"):
        rows = _nbscorep_numbers(rows)
    _nbscorep_put_table(path, rows, list(rows[0]) if rows else [], "performance data")


@_nbscorep_quiet
def _nbscorep_export_perfdata(text, *scopes):
    """%perfmonitor_export_perfdata [FILE] | [--file FILE] [--name VARIABLE] [--level LEVEL]"""
    asked = _nbscorep_jumper_words("perfmonitor_export_perfdata", text, scopes, words=(),
                                   file=None, name=None, level="process")
    table = None if asked is None else _nbscorep_report("csv", asked.level)
    if table is None:
        return
    rows = _nbscorep_samples_of(table)
    path = asked.file or (asked.words[0] if asked.words else None)
    if asked.name or path is None:
        _nbscorep_put_frame(scopes[0], asked.name or "perfdata_df", _nbscorep_numbers(rows))
    if path is not None:
        _nbscorep_put_perfdata(path, rows)


@_nbscorep_quiet
def _nbscorep_load_perfdata(text, *scopes):
    """%perfmonitor_load_perfdata FILE"""
    asked = _nbscorep_jumper_words("perfmonitor_load_perfdata", text, scopes, words=())
    for path in asked.words[:1] if asked is not None else ():
        rows = _nbscorep_read_table(path, ("time", "memory"))
        if rows is not None:
            print(f"Performance data loaded from {path}: {len(rows)} samples")
            _nbscorep_put_frame(scopes[0], "perfdata_df", _nbscorep_numbers(rows))
