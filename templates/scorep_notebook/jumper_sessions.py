"""%export_session and %import_session."""
import json
import os
import re
import zipfile

from .jumper import jumper_magic, say, state
from .jumper_convert import convert
from .jumper_history import csv_text, HISTORY_COLUMNS, history_of_samples, keep_history, table_rows
from .jumper_reports import run_report, sampled_state


LEVELS = "process", "user", "system", "slurm"
SESSION_FILES = {"manifest.json", "cell_history.csv", "monitor.samples"}.union(
    f"perf_{level}.csv" for level in LEVELS)


class Session:
    """An imported session: its samples and the numbers of its cells. FIRST is the index of the first
    sampled cell. IN_JOB: it has the level slurm."""

    def __init__(self, name, samples, rows, manifest, in_job):
        self.name, self.samples, self.path, self.in_job = name, samples, "-", in_job
        self.numbers = [int(row["cell_number"]) for row in rows
                        if str(row.get("cell_number", "")).isdecimal()]
        self.numbers = self.numbers or list(range(1, len(rows) + 1))  # of JUmPER's own
        first = manifest.get("first_index") if isinstance(manifest, dict) else None
        self.first = first if isinstance(first, int) and first >= 0 else 0


def numbers_in(ranges):
    """The numbers in RANGES, which Linux writes as "0-3,8"; empty if RANGES has another format."""
    if not re.fullmatch(r"[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?){,9999}", ranges):
        return []
    ends = [part.split("-") for part in ranges.split(",")]
    listed = [range(int(end[0]), int(end[-1]) + 1) for end in ends]
    return [number for each in listed for number in each] if sum(map(len, listed)) < 1 << 16 else []


def monitor_of_session(tables):
    """The data about the node and the sampling that the extension requires."""
    node = sampled_state(state.imported) if tables else {}
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
        "cpu_handles": numbers_in(node.get("cpu_list", "")),
        "gpu_name": gpus[0].get("name", "") if gpus else "",
        "gpu_memory": gpus[0]["memory"] / gb if gpus else 0,
        "memory_limits": {level: limit if level in ("process", "slurm") else total
                          for level in tables}}


def session_files():
    """The files of a session: bytes by name."""
    rows = history_of_samples()
    tables = {}  # the samples by level
    for level in LEVELS:
        table, _ = run_report("csv", level, session=state.imported)
        if table is not None:
            tables[level] = table
    files = {f"perf_{level}.csv": text for level, text in tables.items()}
    files["cell_history.csv"] = csv_text(rows, HISTORY_COLUMNS)
    manifest = {"version": "1.0", "app": {"name": "nbscorep"}, "nbscorep_session": 1,
                "monitor": monitor_of_session(tables), "levels": list(tables),
                "cells": len(rows), "first_index": (state.imported or state).first}
    files["manifest.json"] = json.dumps(manifest, indent=1) + "\n"
    files = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    if tables and state.imported is not None:
        files["monitor.samples"] = state.imported.samples
    elif tables:
        with open(state.path, "rb") as file:
            files["monitor.samples"] = file.read()
    return files


def put_session(path, files):
    if path.lower().endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                archive.writestr(name, files[name])
        return
    os.makedirs(path, exist_ok=True)
    for name in SESSION_FILES - set(files):  # of an earlier session
        if os.path.lexists(os.path.join(path, name)):
            os.remove(os.path.join(path, name))
    for name, content in files.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(content)


def read_session(path):
    """The bytes of a session's files, by their names."""
    files = {}
    if os.path.isdir(path):
        for name in SESSION_FILES & set(os.listdir(path)):
            with open(os.path.join(path, name), "rb") as file:
                files[name] = file.read()
    else:
        with zipfile.ZipFile(path) as archive:
            for name in SESSION_FILES & set(archive.namelist()):
                files[name] = archive.read(name)
    if "cell_history.csv" not in files:
        raise ValueError("it does not contain cell_history.csv")
    return files


def samples_of_session(name, files, manifest, cells):
    """The samples of a session, converted from its tables if the extension has exported it. Returns None if
    it has no samples."""
    if "monitor.samples" in files:
        return files["monitor.samples"]
    tables = {level: table_rows("x.csv", files[f"perf_{level}.csv"].decode("utf-8"))
              for level in LEVELS if f"perf_{level}.csv" in files}
    return convert(name, manifest, tables, cells) if any(tables.values()) else None


def take_session(path):
    """Imports the session PATH: %cell_history lists its cells, and reports and plots show its samples.
    Raises an exception if it is invalid."""
    files = read_session(path)
    rows = table_rows("x.csv", files["cell_history.csv"].decode("utf-8", "replace"))
    manifest = json.loads(files.get("manifest.json", b"{}").decode("utf-8", "replace"))
    samples = samples_of_session(path, files, manifest, rows)
    keep_history(rows)
    say(f"Session imported from {path}: {len(rows)} cells")
    if samples is not None:
        state.imported = Session(path, samples, rows, manifest,
                                 "perf_slurm.csv" in files)


@jumper_magic(words=())
def export_session(asked, names):
    """%export_session [FOLDER | FILE.zip]"""
    path = asked.words[0] if asked.words else f"{state.name}_session.zip"
    try:
        put_session(os.path.expanduser(path), session_files())
    except OSError as error:
        say(f"Cannot export the session to {path}: {error}")
    else:
        say(f"Session exported to {path}")


@jumper_magic(words=())
def import_session(asked, names):
    """%import_session PATH"""
    for path in asked.words[:1]:
        try:
            take_session(os.path.expanduser(path))
        except Exception as error:  # it is untrusted, and zipfile raises many exceptions
            say(f"Cannot import the session {path}: {error}")
