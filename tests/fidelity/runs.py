"""The two ways to run a notebook: in Jupyter, and compiled."""
import os
import re
import shutil
import subprocess
import sys

import places

TIMEOUT = 300
DOUBLE = places.HERE.parent / "double"
MARKER = re.compile("\x1e(\\d+)\x1f")
STREAMS = ("stdout", "stderr")


class Outcome:
    """What a run leaves: text of each cell and stream, images, files; `fault` says what failed."""

    def __init__(self, place):
        self.place = place
        self.cells = {}
        self.images = []
        self.files = {}
        self.fault = None

    def add(self, cell, stream, text):
        self.cells.setdefault(cell, dict.fromkeys(STREAMS, ""))[stream] += text


def in_jupyter(name, top, shared, kernels):
    """The reference."""
    place = places.Place(top / "jupyter", name)
    place.take_notebook()
    environment = place.environment(shared)
    startup = place.top / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "0.py").write_text("__import__('scorep_magics').register()\n")
    outcome = Outcome(place)
    notebook = (place.work / f"{name}.ipynb").read_text(encoding="utf-8")
    cells, outcome.fault = kernels.run(notebook, place.work, environment)
    for number, outputs in enumerate(cells, 1):
        outcome.cells[number] = dict.fromkeys(STREAMS, "")
        for output in outputs:
            take_output(outcome, number, output)
    outcome.files = place.files()
    return outcome


def take_output(outcome, number, output):
    """An OUTPUT of Jupyter as the text that a script would print."""
    if output["output_type"] == "stream":
        outcome.add(number, output["name"], output["text"])
    elif output["output_type"] == "error":
        outcome.add(number, "stderr", f"{output['ename']}: {output['evalue']}\n")
    else:
        if "text/plain" in output["data"]:
            outcome.add(number, "stdout", output["data"]["text/plain"] + "\n")
        outcome.images += places.image_outputs(number, output["data"])


def mark_cells(script):
    """Puts a line before each cell of SCRIPT that says so, as far in as the code that follows."""
    lines = script.read_text(encoding="utf-8").split("\n")
    marked = []
    for number, line in enumerate(lines):
        header = re.match(r"# %% cell (\d+)$", line)
        if header:
            code = (text for text in lines[number + 1:] if text.strip() and text[0] != "#")
            indent = re.match(" *", next(code, ""))[0]
            marked.append(f"{indent}__import__('fidelity_marker').cell({header[1]})")
        marked.append(line)
    script.write_text("\n".join(marked), encoding="utf-8")


def compiled(binary, name, top, shared, measured):
    """The script, by Python alone or, MEASURED, by its run script under the double of Score-P."""
    place = places.Place(top / ("measured" if measured else "plain"), name)
    place.take_notebook()
    outcome = Outcome(place)
    built = subprocess.run([binary, "build", "-q", f"{name}.ipynb"], cwd=place.work,
                           capture_output=True, encoding="utf-8", timeout=TIMEOUT)
    if built.returncode != 0:
        outcome.fault = f"nbscorep build: {built.stderr}"
        return outcome
    script = f"{name}.py"
    if not (place.work / script).exists():
        script = f"{name}_script.py"  # the notebook has the name of a module
    mark_cells(place.work / script)
    if measured:
        command = [place.work / f"{name}_run.sh"]
        path = place.environment(shared)["PATH"]
        more = {"PYTHONPATH": f"{DOUBLE}:{places.SUPPORT}", "PATH": f"{DOUBLE}/bin:{path}",
                "SCOREP_EXPERIMENT_DIRECTORY": str(place.top / "experiment"),
                "SCOREP_PROFILING_MAX_CALLPATH_DEPTH": "1000"}
    else:
        command, more = [sys.executable, script], {}
    run(outcome, command, place.environment(shared, **more))
    outcome.files = place.files()
    outcome.images = places.take_images(outcome.files)
    return outcome


def run(outcome, command, environment):
    try:
        done = subprocess.run(command, cwd=outcome.place.work, env=environment, timeout=TIMEOUT,
                              stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        outcome.fault = f"ran longer than {TIMEOUT} s"
        return
    for stream, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        parts = MARKER.split(data.decode(errors="replace"))
        for cell, text in zip(["0", *parts[1::2]], parts[::2]):
            outcome.add(int(cell), stream, text)
    if done.returncode != 0:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        outcome.fault = f"exit {done.returncode} in cell {max(outcome.cells)}: {''.join(last)}"


def all_runs(binary, name, shared, kernels):
    """The reference and what is compared with it."""
    top = shared / "runs" / name
    reference = in_jupyter(name, top, shared, kernels)
    scripts = {kind: compiled(binary, name, top, shared, kind == "measured") for kind in ("plain", "measured")}
    shutil.rmtree(top)
    return reference, scripts
