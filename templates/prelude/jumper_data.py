# requires: jumper jumper_reports jumper_history
_nbscorep_perfdata_columns = [
    "time", "memory", "io_read_count", "io_write_count", "io_read", "io_write", "cpu_util_avg",
    "cpu_util_min", "cpu_util_max", "cell_index"]


@_nbscorep_quiet
def _nbscorep_samples_of(text):
    import csv
    import io
    return list(csv.DictReader(io.StringIO(text)))


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
    if asked is None:
        return
    table = _nbscorep_report("csv", asked.level)
    rows = _nbscorep_samples_of(table or "")
    path = _nbscorep_path(asked)
    if asked.name or path is None:  # without samples, too: cells behind this one go on
        _nbscorep_put_frame(scopes[0], asked.name or "perfdata_df", _nbscorep_numbers(rows),
                            _nbscorep_perfdata_columns)
    if path is not None and table is not None:
        _nbscorep_put_perfdata(path, rows)


@_nbscorep_quiet
def _nbscorep_load_perfdata(text, *scopes):
    """%perfmonitor_load_perfdata FILE | --file FILE"""
    asked = _nbscorep_jumper_words("perfmonitor_load_perfdata", text, scopes, words=(), file=None)
    path = None if asked is None else _nbscorep_path(asked)
    rows = None if path is None else _nbscorep_read_table(path, ("time", "memory"))
    if rows is not None:
        _nbscorep_say(f"Performance data loaded from {path}: {len(rows)} samples")
        _nbscorep_put_frame(scopes[0], "loaded_perfdata_df", _nbscorep_numbers(rows))
