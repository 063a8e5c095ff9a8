"""`nbscorep results`: the parameters, status, times and scraps of executed notebooks as a table.

Scraps are what scrapbook.glue() stores: https://nteract-scrapbook.readthedocs.io/en/latest/models.html
"""
import csv
import datetime
import json
import os
import re
import signal
import sys

from .executed_notebook import ERROR_TAG
from .executed_writer import recover
from .messages import fail, tell

SCRAP = re.compile(r"application/scrapbook\.scrap\.\w+\+json")
WIDTH = 40  # of a text in the table


def find_notebooks(paths):
    """The notebooks at PATHS and in the folders there, and whether each was named."""
    for path in paths:
        if not os.path.isdir(path):
            yield path, True
            continue
        for folder, folders, files in os.walk(path, onerror=lambda error: tell(f"{error.filename}: {error.strerror}")):
            folders[:] = sorted((name for name in folders if not name.startswith(".")), key=by_number)
            journals = {name[1:-len(".journal")] for name in files if re.fullmatch(r"\..+\.ipynb\.journal", name)}
            for name in sorted(journals.union(name for name in files if name.endswith(".ipynb")), key=by_number):
                if not name.startswith("."):
                    yield os.path.join(folder, name), False


def by_number(name):
    """10 after 9, as a sweep's folders."""
    return [(False, int(part), "") if part.isdecimal() else (True, 0, part) for part in re.split(r"([0-9]{1,18})", name)]


def is_running(path):
    """Completes the notebook at PATH if its writer was killed. Returns true if it lives."""
    folder, name = os.path.split(path)
    journal = os.path.join(folder, f".{name}.journal")
    try:
        return recover(journal)
    except Exception as error:  # whatever is in the file
        tell(f"cannot complete '{path}': {error}")
    return False


def read_result(path, named):
    """What the notebook at PATH says of its run, or None."""
    running = is_running(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError("it is not a file")
    with open(path, encoding="utf-8-sig") as file:
        notebook = json.load(file)
    metadata = notebook["metadata"]
    papermill, own = metadata.get("papermill") or {}, metadata.get("nbscorep_run") or {}
    if not papermill.get("start_time"):
        if named:
            raise ValueError("neither nbscorep nor papermill has executed it")
        return None
    end, status = papermill.get("end_time"), own.get("status")
    if running or not (end or own):
        status = "running"
    elif status is None:
        status = "killed" if own else int(bool(papermill.get("exception")))
    result = {"notebook": path, "status": status, "seconds": papermill.get("duration"), "begin": papermill["start_time"],
              "cell": None, "parameters": dict(papermill.get("parameters") or {}), "scraps": {}}
    if result["seconds"] is None:
        begin = datetime.datetime.fromisoformat(papermill["start_time"])
        result["seconds"] = round((datetime.datetime.now(begin.tzinfo) - begin).total_seconds(), 3)
    number = 0  # as messages count cells: without those that are not the notebook's own
    for cell in notebook["cells"]:
        about = cell["metadata"].get("papermill") or {}
        number += not {"injected-parameters", ERROR_TAG}.intersection(cell["metadata"].get("tags") or [])
        if status != 0 and about.get("status") in ("failed", "running"):
            result["cell"] = number  # the last one: others were allowed to fail
        for output in cell.get("outputs", ()):
            for mime, data in (output.get("data") or {}).items():
                if SCRAP.fullmatch(mime):
                    result["scraps"][str(data["name"])] = data["data"]
                elif mime == "application/papermill.record+json":
                    result["scraps"].update(data)
    return result


def columns_of(results):
    """The columns of the table: pairs of a title and a function of a result."""
    columns = {name: lambda result, name=name: result[name] for name in ("notebook", "status", "seconds", "cell")}
    for kind in "parameters", "scraps":
        for name in dict.fromkeys(name for result in results for name in result[kind]):
            title = name if name not in columns else f"{name} ({kind[:-1]})"
            columns[title] = lambda result, kind=kind, name=name: result[kind].get(name)
    return columns


def sort_key(value):
    """Numbers, then texts."""
    is_number = isinstance(value, (int, float))
    return not is_number, value if is_number else 0, by_number(str(value))


def sort_results(results, column, columns):
    """COLUMN with "-" before it: the largest value first. Results without a value come last."""
    descending = column not in columns and column.startswith("-")
    value_of = columns.get(column[descending:])
    if value_of is None:
        fail(2, f"no column is called '{column[descending:]}'; the columns are {', '.join(columns)}")
    known = [result for result in results if has_value(value_of(result))]
    known.sort(key=lambda result: sort_key(value_of(result)), reverse=descending)
    return known + [result for result in results if not has_value(value_of(result))]


def has_value(value):
    return value is not None and value == value  # NaN equals nothing


def text_of(value):
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def printable(text):
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def print_table(results, columns):
    columns = {title: value_of for title, value_of in columns.items()
               if title != "cell" or any(value_of(result) is not None for result in results)}
    rows, numeric = [[printable(title) for title in columns]], set(range(len(columns)))
    for result in results:
        values = [value_of(result) for value_of in columns.values()]
        numeric -= {at for at, value in enumerate(values) if isinstance(value, str)}
        texts = [printable(text_of(value)) for value in values]
        rows.append([text if len(text) <= WIDTH or at == 0 else text[:WIDTH - 3] + "..." for at, text in enumerate(texts)])
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(text.rjust(width) if at in numeric else text.ljust(width)
                        for at, (text, width) in enumerate(zip(row, widths))).rstrip())


def main(order):
    """ORDER: JSON with the `paths`, the `format` and the column to `sort` by, or null."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    order, results, status = json.loads(order), [], 0
    for path, named in find_notebooks(order["paths"]):
        try:
            result = read_result(path, named)
        except OSError as error:
            status, _ = 1, tell(f"cannot read '{path}': {error.strerror}")
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            status, _ = 1, tell(f"'{path}' is not an executed notebook: {error}")
        else:
            results += [result] if result is not None else []
    if not results and status:
        sys.exit(status)
    if not results:
        fail(1, f"no executed notebook in '{order['paths'][0]}'; 'nbscorep run --executed' writes one")
    columns = columns_of(results)
    if order["sort"] is not None:
        results = sort_results(results, order["sort"], columns)
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if order["format"] == "json":
        print(json.dumps(results, indent=1, ensure_ascii=False))
    elif order["format"] == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([value if isinstance(value, (int, float)) else text_of(value) for value in
                          (value_of(result) for value_of in columns.values())] for result in results)
    else:
        print_table(results, columns)
    sys.exit(status)
