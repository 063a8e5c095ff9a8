# requires: jumper jumper_reports jumper_history jumper_data
@_nbscorep_quiet
def _nbscorep_session_files():
    """What a session is: texts by the names of files."""
    import json
    rows = _nbscorep_history()
    files = {"cell_history.csv": _nbscorep_csv_text(rows, _nbscorep_history_columns)}
    levels = []
    for level in "process", "user", "system", "slurm":
        table, _ = _nbscorep_run_report("csv", level)
        if table is not None:
            samples = _nbscorep_samples_of(table)
            levels.append(level)
            files[f"perf_{level}.csv"] = _nbscorep_csv_text(samples, samples[0] if samples else [])
    manifest = {"nbscorep_session": 1, "levels": levels, "cells": len(rows),
                "interval": _nbscorep_jumper.interval, "files": sorted(files)}
    files["manifest.json"] = json.dumps(manifest, indent=1) + "\n"
    return files


@_nbscorep_quiet
def _nbscorep_put_session(path, files):
    import os
    import zipfile
    if path.lower().endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(name, files[name].encode("utf-8", "replace"))
        return
    os.makedirs(path, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(text.encode("utf-8", "replace"))


@_nbscorep_quiet
def _nbscorep_read_session(path):
    """The texts of a session's files, by their names."""
    import os
    import zipfile
    names = ["manifest.json", "cell_history.csv", "perf_process.csv"]
    files = {}
    if os.path.isdir(path):
        for name in set(names) & set(os.listdir(path)):
            with open(os.path.join(path, name), "rb") as file:
                files[name] = file.read().decode("utf-8", "replace")
    else:
        with zipfile.ZipFile(path) as archive:
            for name in set(names) & set(archive.namelist()):
                files[name] = archive.read(name).decode("utf-8", "replace")
    if "cell_history.csv" not in files:
        raise ValueError("it holds no cell_history.csv")
    return files


@_nbscorep_quiet
def _nbscorep_export_session(text, *scopes):
    """%export_session [FOLDER | FILE.zip]"""
    import zipfile
    asked = _nbscorep_jumper_words("export_session", text, scopes, words=())
    if asked is None:
        return
    path = asked.words[0] if asked.words else f"{_nbscorep_jumper.name}_session.zip"
    try:
        _nbscorep_put_session(path, _nbscorep_session_files())
    except (OSError, zipfile.BadZipFile) as error:
        print(f"Cannot export the session to {path}: {error}")
    else:
        print(f"Session exported to {path}")


@_nbscorep_quiet
def _nbscorep_import_session(text, *scopes):
    """%import_session PATH: its cells stand in %cell_history, its samples in perfdata_df"""
    import zipfile
    asked = _nbscorep_jumper_words("import_session", text, scopes, words=())
    for path in asked.words[:1] if asked is not None else ():
        try:
            files = _nbscorep_read_session(path)
            history = _nbscorep_table_rows("x.csv", files["cell_history.csv"])
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            print(f"Cannot import the session {path}: {error}")
            continue
        _nbscorep_keep_history(history)
        print(f"Session imported from {path}: {len(history)} cells")
        if "perf_process.csv" in files:
            rows = _nbscorep_table_rows("x.csv", files["perf_process.csv"])
            _nbscorep_put_frame(scopes[0], "perfdata_df", _nbscorep_numbers(rows))
