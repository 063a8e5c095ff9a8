# requires: jumper jumper_reports jumper_history jumper_convert
_nbscorep_levels = "process", "user", "system", "slurm"
_nbscorep_session_names = {"manifest.json", "cell_history.csv", "monitor.samples"}.union(
    f"perf_{level}.csv" for level in _nbscorep_levels)


class _nbscorep_session:
    """One that was imported: its samples and the numbers of its cells; FIRST is the index of the
    first one that was sampled. IN_JOB: it has the level slurm."""

    @_nbscorep_quiet
    def __init__(self, name, samples, rows, manifest, in_job):
        self.name, self.samples, self.path, self.in_job = name, samples, "-", in_job
        self.numbers = [int(row["cell_number"]) for row in rows
                        if str(row.get("cell_number", "")).isdecimal()]
        self.numbers = self.numbers or list(range(1, len(rows) + 1))  # of JUmPER's own
        first = manifest.get("first_index") if isinstance(manifest, dict) else None
        self.first = first if isinstance(first, int) and first >= 0 else 0


@_nbscorep_quiet
def _nbscorep_session_tables():
    """The samples of each level, by the names of levels."""
    tables = {}
    for level in _nbscorep_levels:
        table, _ = _nbscorep_run_report("csv", level, session=_nbscorep_jumper.imported)
        if table is not None:
            tables[level] = table
    return tables


@_nbscorep_quiet
def _nbscorep_read_samples():
    state = _nbscorep_jumper
    if state.imported is not None:
        return state.imported.samples
    with open(state.path, "rb") as file:
        return file.read()


@_nbscorep_quiet
def _nbscorep_numbers_in(ranges):
    """The numbers that Linux writes as "0-3,8"; none where a session says something else."""
    import re
    if not re.fullmatch(r"[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?){,9999}", ranges):
        return []
    ends = [part.split("-") for part in ranges.split(",")]
    listed = [range(int(end[0]), int(end[-1]) + 1) for end in ends]
    return [number for each in listed for number in each] if sum(map(len, listed)) < 1 << 16 else []


@_nbscorep_quiet
def _nbscorep_monitor_of_session(tables):
    """What the extension wants to know of the node and the sampling."""
    node = _nbscorep_sampled(_nbscorep_jumper.imported) if tables else {}
    gb, gpus = 1 << 30, node.get("gpus", ())
    total = node.get("memory_total", 0) / gb
    limit = node.get("memory_limit", 0) / gb or total
    heads = {level: table.partition("\n")[0] for level, table in tables.items()}
    first = next(iter(tables.values()), "").splitlines()[1:2]
    return {
        "interval": node.get("interval"), "pid": node.get("pid"), "slurm_job": node.get("job"),
        "start_time": float(first[0].split(",")[0]) if first else None, "stop_time": None,
        "wallclock_start_time": node.get("start"), "wallclock_stop_time": None,
        "num_cpus": node.get("cpus", 0), "num_gpus": len(gpus),
        "num_system_cpus": max(heads.get("system", "").count(",cpu_util_") - 3, 0),
        "cpu_handles": _nbscorep_numbers_in(node.get("cpu_list", "")),
        "gpu_name": gpus[0].get("name", "") if gpus else "",
        "gpu_memory": gpus[0]["memory"] / gb if gpus else 0,
        "memory_limits": {level: limit if level in ("process", "slurm") else total
                          for level in tables}}


@_nbscorep_quiet
def _nbscorep_session_files():
    """What a session is: bytes by the names of files."""
    import json
    state = _nbscorep_jumper
    rows = _nbscorep_history_of_samples()
    tables = _nbscorep_session_tables()
    files = {f"perf_{level}.csv": text for level, text in tables.items()}
    files["cell_history.csv"] = _nbscorep_csv_text(rows, _nbscorep_history_columns)
    manifest = {"version": "1.0", "app": {"name": "nbscorep"}, "nbscorep_session": 1,
                "monitor": _nbscorep_monitor_of_session(tables), "levels": list(tables),
                "cells": len(rows), "first_index": (state.imported or state).first}
    files["manifest.json"] = json.dumps(manifest, indent=1) + "\n"
    files = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    if tables:
        files["monitor.samples"] = _nbscorep_read_samples()
    return files


@_nbscorep_quiet
def _nbscorep_put_session(path, files):
    import os
    import zipfile
    if path.lower().endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(name, files[name])
        return
    os.makedirs(path, exist_ok=True)
    for name in _nbscorep_session_names - set(files):  # of the session that was there before
        if os.path.lexists(os.path.join(path, name)):
            os.remove(os.path.join(path, name))
    for name, content in files.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(content)


@_nbscorep_quiet
def _nbscorep_read_session(path):
    """The bytes of a session's files, by their names."""
    import os
    import zipfile
    names = _nbscorep_session_names
    files = {}
    if os.path.isdir(path):
        for name in names & set(os.listdir(path)):
            with open(os.path.join(path, name), "rb") as file:
                files[name] = file.read()
    else:
        with zipfile.ZipFile(path) as archive:
            for name in names & set(archive.namelist()):
                files[name] = archive.read(name)
    if "cell_history.csv" not in files:
        raise ValueError("it holds no cell_history.csv")
    return files


@_nbscorep_quiet
def _nbscorep_samples_of_session(name, files, manifest, cells):
    """They are made of its tables where the extension has exported it; None: it has none."""
    if "monitor.samples" in files:
        return files["monitor.samples"]
    tables = {level: _nbscorep_table_rows("x.csv", files[f"perf_{level}.csv"].decode("utf-8"))
              for level in _nbscorep_levels if f"perf_{level}.csv" in files}
    return _nbscorep_convert(name, manifest, tables, cells) if any(tables.values()) else None


@_nbscorep_quiet
def _nbscorep_take_session(path):
    """The cells of the session PATH stand in %cell_history from now on, and reports and plots are
    about its samples. Raises what is wrong with it."""
    import json
    files = _nbscorep_read_session(path)
    rows = _nbscorep_table_rows("x.csv", files["cell_history.csv"].decode("utf-8", "replace"))
    manifest = json.loads(files.get("manifest.json", b"{}").decode("utf-8", "replace"))
    samples = _nbscorep_samples_of_session(path, files, manifest, rows)
    _nbscorep_keep_history(rows)
    _nbscorep_say(f"Session imported from {path}: {len(rows)} cells")
    if samples is not None:
        _nbscorep_jumper.imported = _nbscorep_session(path, samples, rows, manifest,
                                                      "perf_slurm.csv" in files)


@_nbscorep_quiet
def _nbscorep_export_session(text, *scopes):
    """%export_session [FOLDER | FILE.zip]"""
    import os
    asked = _nbscorep_jumper_words("export_session", text, scopes, words=())
    if asked is None:
        return
    path = asked.words[0] if asked.words else f"{_nbscorep_jumper.name}_session.zip"
    try:
        _nbscorep_put_session(os.path.expanduser(path), _nbscorep_session_files())
    except OSError as error:
        _nbscorep_say(f"Cannot export the session to {path}: {error}")
    else:
        _nbscorep_say(f"Session exported to {path}")


@_nbscorep_quiet
def _nbscorep_import_session(text, *scopes):
    """%import_session PATH"""
    import os
    asked = _nbscorep_jumper_words("import_session", text, scopes, words=())
    for path in asked.words[:1] if asked is not None else ():
        try:
            _nbscorep_take_session(os.path.expanduser(path))
        except Exception as error:  # anybody could have written it, and zipfile raises many kinds
            _nbscorep_say(f"Cannot import the session {path}: {error}")
