"""The executed notebook: the cells of the notebook that was built, with outputs from a journal.

The metadata are those of nbclient and papermill, the format is 4.5:
https://nbformat.readthedocs.io/en/latest/format_description.html
"""
import codecs
import contextlib
import datetime
import json
import os
import re
import time

BEGINNING = '{\n "cells": ['
ERROR_TAG = "papermill-error-cell-tag"
ADDED = "injected-parameters", "papermill-error-top", "papermill-error-cell"  # ids of cells that are added
# Cells that show their own text: MIME type, and the class of IPython.display.
SHOWN = {"html": ("text/html", "HTML"), "HTML": ("text/html", "HTML"), "markdown": ("text/markdown", "Markdown"),
         "latex": ("text/latex", "Latex"), "svg": ("image/svg+xml", "SVG"), "SVG": ("image/svg+xml", "SVG"),
         "javascript": ("application/javascript", "Javascript"), "js": ("application/javascript", "Javascript")}


def joined(source):
    return source if isinstance(source, str) else "".join(map(str, source)) if isinstance(source, list) else ""


def iso(moment):
    """MOMENT as nbclient and papermill write it."""
    return datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat()


def given_cells(notebook):
    """The cells of a notebook of any version. Before version 4 they are in worksheets, and may be headings."""
    cells = notebook.get("cells") if "worksheets" not in notebook else [
        cell for sheet in notebook.get("worksheets", []) for cell in sheet.get("cells", [])]
    for cell in cells:
        kind, source = cell["cell_type"], joined(cell.get("source", cell.get("input", "")))
        if kind == "heading":
            kind, source = "markdown", "#" * int(cell.get("level", 1)) + " " + source
        metadata = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
        yield {**cell, "cell_type": kind if kind in ("code", "markdown", "raw") else "markdown", "metadata": metadata,
               "source": source}


def read_notebook(path):
    """The notebook at PATH in format 4.5, without outputs."""
    with open(path, "rb") as file:
        notebook = json.loads(file.read().decode("utf-8-sig"))
    kept, cells = [], list(given_cells(notebook))
    given, known = {str(cell.get("id", "")) for cell in cells}, set(ADDED)
    for number, cell in enumerate(cells, 1):
        new = {"cell_type": cell["cell_type"], "id": str(cell.get("id", "")), "metadata": cell["metadata"],
               "source": cell["source"]}
        while not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", new["id"]) or new["id"] in known:
            new["id"], number = f"cell-{number}", number + len(cells)
            if new["id"] in given:
                new["id"] = ""
        known.add(new["id"])
        if "attachments" in cell and cell["cell_type"] != "code":
            new["attachments"] = cell["attachments"]
        if cell["cell_type"] == "code":
            new.update(execution_count=None, outputs=[])
        kept.append(new)
    metadata = dict(notebook.get("metadata") or {})
    for name in "widgets", "signature", "name":
        metadata.pop(name, None)
    return {"cells": kept, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def tags_of(cell):
    tags = cell["metadata"].get("tags")
    return tags if isinstance(tags, list) else []


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


class Run:
    """What is known of a cell that runs: its outputs and times."""

    def __init__(self, begin=None, end=None, how=None):
        self.begin, self.end, self.how, self.count, self.outputs = begin, end, how, None, []
        self.size = self.cut = 0  # bytes of outputs, and bytes that are left out
        self.clear_later = False


class Notebook:
    def __init__(self, order, source, read):
        """ORDER: the `path` of the executed notebook, the `limit` of bytes for the outputs of a cell, and what the
        metadata say. SOURCE: the notebook that was built. READ returns the data at a place of the journal."""
        self.order, self.source, self.read = order, source, read
        self.limit = order["limit"]
        self.runs = {}  # by number of the cell; None: before the first one, 0: the injected parameters
        self.cell = None  # the number of the one that runs, or ran last
        self.displays = {}  # display_id -> outputs
        self.passed = 0  # cells up to this one have run, or are skipped
        self.ended, self.status, self.begun, self.finished, self.count = False, None, None, None, 0
        self.parameters, self.injected, self.error = {}, "", None

    def run(self):
        return self.runs.setdefault(self.cell, Run())

    def room(self):
        """How many bytes of text the cell's outputs may still get."""
        run = self.run()
        return self.limit if run.clear_later else max(0, self.limit - run.size)

    # ---- records of the journal

    def take(self, about, place):
        ended = about.get("ended")
        if ended:
            run = self.runs.get(ended["cell"], Run())
            run.end, run.how = ended["time"], ended["how"]
        getattr(self, "take_" + about["kind"])(about, place)

    def take_begun(self, about, place):
        self.begun = about["time"]

    def take_parameters(self, about, place):
        self.parameters, self.injected = about["values"], about["source"]
        self.pass_cells(self.tagged("parameters"), about["time"])
        self.runs[0] = self.number(Run(about["time"], about["time"], "done"))

    def tagged(self, tag):
        """The number of the first cell with this tag; 0 if there is none."""
        return next((number for number, cell in enumerate(self.source["cells"], 1) if tag in tags_of(cell)), 0)

    def number(self, run):
        self.count += 1
        run.count = self.count
        return run

    def pass_cells(self, last, moment):
        """Cells up to number LAST of which the script runs nothing have run, too, unless they are skipped."""
        for number in range(self.passed + 1, last + 1):
            cell = self.source["cells"][number - 1]
            if cell["cell_type"] == "code" and number not in self.runs and cell["source"].strip() \
                    and number not in self.order["left_out"]:
                run = self.runs[number] = self.number(Run(moment, moment, "done"))
                run.outputs = [{"output": output} for output in self.shown_by(cell)]
        self.passed = max(self.passed, last)

    def shown_by(self, cell):
        """The outputs of a cell with a magic such as %%html, which needs no run."""
        found = re.match(r"%%(\w+)[^\n]*\n(.*)", cell["source"], re.S)
        if found and found[1] in SHOWN:
            mime, name = SHOWN[found[1]]
            text = found[2] if found[2].endswith("\n") else found[2] + "\n"  # as IPython ends each cell
            yield {"output_type": "display_data", "metadata": {},
                   "data": {mime: text, "text/plain": f"<IPython.core.display.{name} object>"}}

    def take_begin(self, about, place):
        early = self.runs.pop(None, None)
        cells = self.source["cells"]
        if about["cell"] > len(cells) or cells[about["cell"] - 1]["cell_type"] != "code":
            raise ValueError("the notebook has changed since the script was built")
        self.pass_cells(about["cell"] - 1, about["time"])
        self.cell = self.passed = about["cell"]
        run = self.runs[self.cell] = self.number(Run(about["time"]))
        if early is not None:
            run.outputs, run.size, run.cut = early.outputs, early.size, early.cut

    def take_finish(self, about, place):
        self.ended, self.status, self.finished = True, about["status"], about["time"]
        if about["status"] == 0:
            self.pass_cells(len(self.source["cells"]), about["time"])
        run = self.runs.get(self.cell)
        if run is not None and run.begin is not None and run.end is None:
            run.end, run.how = about["time"], about.get("how") or "killed"

    def add(self, output, size):
        run = self.run()
        if run.clear_later:
            self.clear(run)
        run.outputs.append(output)
        run.size += size

    def take_stream(self, about, place):
        run, name = self.run(), about["name"]
        last = run.outputs[-1] if run.outputs and not run.clear_later else {}
        if last.get("name") == name:
            last["places"].append(place)
            run.size += place[1]
        else:
            self.add({"name": name, "places": [place]}, place[1])

    def take_cut(self, about, place):
        self.run().cut += about["bytes"]

    def take_display(self, about, place):
        output, name = {"place": place}, about.get("display_id")
        if about.get("update"):
            for old in self.displays.get(name, ()) if place[1] <= self.limit else ():
                old["place"] = place
            return
        if place[1] > self.room():
            self.run().cut += place[1]
            return
        self.add(output, place[1])
        if name is not None:
            self.displays.setdefault(name, []).append(output)

    def take_error(self, about, place):
        self.add({"place": place}, place[1])
        self.run().how = "failed"
        if about["ends"]:
            self.error = self.cell

    def take_clear(self, about, place):
        if about["wait"]:
            self.run().clear_later = True
        else:
            self.clear(self.run())

    def clear(self, run):
        run.outputs, run.size, run.cut, run.clear_later = [], 0, 0, False

    # ---- the notebook

    def write(self):
        """Replaces the file of the executed notebook."""
        path = self.order["path"]
        folder, name = os.path.split(path)
        part = os.path.join(folder, f".{name}.part")
        if os.path.isfile(part):  # of a writer that was killed; another one has no lock of the journal
            with open(part, "rb") as file:
                if file.read(len(BEGINNING)) in (BEGINNING.encode(), b""):
                    os.unlink(part)
        file = open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "w", encoding="utf-8", errors="replace")
        try:
            with file:
                self.put(file.write)
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise

    def put(self, write):
        write(BEGINNING)
        for index, (number, cell, run) in enumerate(self.cells()):
            write(",\n" if index else "\n")
            self.put_cell(write, number, cell, run)
        write("\n ],\n")
        rest = {"metadata": self.metadata(), "nbformat": 4, "nbformat_minor": 5}
        write(json.dumps(rest, indent=1, ensure_ascii=False)[2:] + "\n")

    def cells(self):
        """The number of each cell (0: papermill would have added it), the cell, and its run or None."""
        injected = self.injected and {
            "cell_type": "code", "execution_count": None, "id": "injected-parameters",
            "metadata": {"tags": ["injected-parameters"]}, "outputs": [], "source": self.injected}
        tagged = self.tagged("parameters")
        if self.error is not None:
            yield 0, self.note("papermill-error-top", "An exception was raised in the cell "
                            f'<a href="#papermill-error-cell">In [{self.runs[self.error].count}]</a>.'), None
        if injected and not tagged:
            yield 0, injected, self.runs.get(0)
        for number, cell in enumerate(self.source["cells"], 1):
            if ERROR_TAG in tags_of(cell) or injected and "injected-parameters" in tags_of(cell):
                continue  # of an earlier run
            if number == self.error:
                yield 0, self.note("papermill-error-cell", "Execution has raised an exception in the cell below."), None
            yield number, cell, self.runs.get(number)
            if injected and number == tagged:
                yield 0, injected, self.runs.get(0)

    def note(self, name, text):
        return {"cell_type": "markdown", "id": name, "metadata": {"tags": [ERROR_TAG]},
                "source": f'<span id="{name}" style="color:red; font-size:2em; font-weight:bold;">{text}</span>'}

    def put_cell(self, write, number, cell, run):
        cell = dict(cell)
        if cell["cell_type"] == "code" and run is None:
            status = {"status": "pending", "exception": None, "start_time": None, "end_time": None, "duration": None}
            cell["metadata"] = {**cell["metadata"], "papermill": status}
        if run is None:
            write(self.indented(cell))
            return
        cell["execution_count"] = run.count
        cell["metadata"] = {**cell["metadata"], **self.times(run)}
        if number and run.begin is not None:
            given = cell["metadata"].get("nbscorep")
            about = {"cell": number, "seconds": round((run.end or time.time()) - run.begin, 6)}
            cell["metadata"]["nbscorep"] = {**about, **(given if isinstance(given, dict) else {}), **about}
        head, mark, tail = self.indented(cell).rpartition('"outputs": []')
        write(head + '"outputs": [')
        for index, output in enumerate(run.outputs):
            write(",\n" if index else "\n")
            self.put_output(write, output, run)
        if run.cut:
            text = f"[nbscorep: {run.cut} more bytes of output are only in the log]\n"
            write(",\n   " if run.outputs else "\n   ")
            write(dumps({"name": "stderr", "output_type": "stream", "text": [text]}))
        write(("\n   ]" if run.outputs or run.cut else "]") + tail)

    def indented(self, cell):
        """CELL as JSON with a line for each entry and each line of the source. (json's own indentation takes 4 times
        as long.)"""
        texts = {name: dumps(value) for name, value in cell.items()}
        texts["source"] = "[" + ",".join("\n    " + dumps(line) for line in cell["source"].splitlines(True)) + "\n   ]"
        return "  {\n" + ",\n".join(f"   {dumps(name)}: {texts[name]}" for name in sorted(texts)) + "\n  }"

    def times(self, run):
        if run.begin is None:
            return {}
        failed = run.how in ("failed", "killed")
        status = "running" if run.end is None else "failed" if failed else "completed"
        found = {"papermill": {
            "duration": run.end and round(run.end - run.begin, 6), "end_time": run.end and iso(run.end),
            "exception": failed if run.end else None, "start_time": iso(run.begin), "status": status}}
        marks = {"iopub.status.busy": run.begin, "iopub.execute_input": run.begin, "shell.execute_reply": run.end,
                 "iopub.status.idle": run.end}
        found["execution"] = {name: iso(moment) for name, moment in marks.items() if moment is not None}
        return found

    def put_output(self, write, output, run):
        if "place" in output or "output" in output:
            data = output.get("output") or json.loads(self.read(output["place"]))
            if data["output_type"] == "execute_result":
                data["execution_count"] = run.count
            write("   " + json.dumps(data, ensure_ascii=False, sort_keys=True))
            return
        write('   {"name": ' + json.dumps(output["name"]) + ', "output_type": "stream", "text": [')
        decoder, rest, between = codecs.getincrementaldecoder("utf-8")("replace"), [], ""
        for place in [*output["places"], None]:
            rest.append(decoder.decode(b"" if place is None else self.read(place), place is None))
            if place is not None and "\n" not in rest[-1]:
                continue
            *lines, last = "".join(rest).split("\n")
            rest = [last]
            for line in [line + "\n" for line in lines] + [last] * (place is None and last != ""):
                write(between + "\n    " + dumps(line))
                between = ","
        write("\n   ]}")

    def metadata(self):
        order, end = self.order, self.finished
        failed = self.error is not None or self.status not in (0, None) or (self.ended and self.status is None)
        return {**self.source["metadata"], "papermill": {
            "default_parameters": {}, "duration": end and round(end - self.begun, 6),
            "end_time": end and iso(end), "environment_variables": {}, "exception": failed if end else None,
            "input_path": order["input"], "output_path": order["path"], "parameters": self.parameters,
            "start_time": iso(self.begun), "version": order["version"]},
            "nbscorep_run": {"status": self.status, "measurement": order["measurement"]}}
