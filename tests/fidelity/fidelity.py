#!/usr/bin/env python3
"""Notebooks print and write the same in Jupyter and compiled.

    fidelity.py NBSCOREP [--report] [NAME...]

Each notebook of notebooks/ (in the form of written.py) runs in Jupyter (nbclient), and its script runs by Python alone and,
"measured", by its run script under the double of Score-P's bindings. Differences that may stay
stand in known.txt; any other fails the test, as does one listed there that is gone. normal.py
says what is no difference. Without nbclient and ipykernel the test is skipped (exit 77).
"""
import argparse
import concurrent.futures
import difflib
import importlib.util
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
import harness  # noqa: E402
import normal  # noqa: E402
import places  # noqa: E402
import runs  # noqa: E402
import written  # noqa: E402
from kernels import Kernels  # noqa: E402

SKIPPED = 77
ROOT = places.HERE.parents[1]
KINDS = ("plain", "measured")
LIBRARIES = ("matplotlib", "numpy", "pandas")
MOST_LINES = 12


def read_known():
    """known.txt as {(notebook, what): kinds of run} and the magics that no notebook touches."""
    differences, magics = {}, set()
    for line in (places.HERE / "known.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, what, _ = line.split(": ", 2)  # and the reason, which must be there
        if name == "magic":
            magics.add(what)
            continue
        what, _, kind = what.partition(", ")
        assert not kind or kind in KINDS, line
        differences[name, what] = (kind,) if kind else KINDS
    return differences, magics


def difference(expected, got):
    """How two texts differ, for a reader."""
    lines = [line for line in difflib.ndiff(expected.splitlines(True), got.splitlines(True)) if line[0] in "+-"]
    shown = [f"        {line[0]} {line[2:]!r}" for line in lines[:MOST_LINES]]
    return shown + ["        ..."] * (len(lines) > MOST_LINES)


def compare_cells(reference, script):
    found = {}
    for cell in sorted(reference.cells.keys() | script.cells.keys()):
        if cell not in script.cells:
            found[f"cell {cell}"] = ["    not reached"]
            continue
        for stream in runs.STREAMS:
            expected = normal.text(reference.cells.get(cell, {}).get(stream, ""), reference.place)
            got = normal.text(script.cells[cell][stream], script.place)
            if expected != got:
                found.setdefault(f"cell {cell}", []).extend(
                    [f"    {stream}, - Jupyter, + script:"] + difference(expected, got))
    return found


def compare_files(reference, script):
    lines = []
    for name in sorted(reference.files.keys() | script.files.keys()):
        if name not in script.files:
            lines.append(f"    - {name}")
        elif name not in reference.files:
            lines.append(f"    + {name}")
        else:
            before = normal.content(reference.files[name], reference.place)
            after = normal.content(script.files[name], script.place)
            if before != after:
                lines.append(f"    content of {name}: {before[:200]!r} {after[:200]!r}")
    return {"files": lines} if lines else {}


def compare_images(reference, script):
    if reference.images == script.images:
        return {}
    return {"images": [f"    - {reference.images}", f"    + {script.images}"]}


def markdown_cells(reference, script):
    """Cells without code print nothing and have no marker in the script."""
    for cell, text in reference.cells.items():
        if not any(text.values()) and script.fault is None:
            script.cells.setdefault(cell, dict.fromkeys(runs.STREAMS, ""))


def compare(reference, script):
    """{what differs: lines that show it}"""
    if reference.fault:
        return {"jupyter": [f"    {reference.fault}"]}
    if script.fault and not script.cells:
        return {"script": [f"    {script.fault}"]}
    markdown_cells(reference, script)
    found = {"script": [f"    {script.fault}"]} if script.fault else {}
    for part in (compare_cells, compare_files, compare_images):
        found.update(part(reference, script))
    return found


def check(job):
    """Runs a notebook. Returns its name, its number of cells, {kind of run: differences}."""
    binary, name, shared, idle_kernels = job
    kernels = idle_kernels.get()
    reference, scripts = runs.all_runs(binary, name, shared, kernels)
    idle_kernels.put(kernels)
    return name, len(reference.cells), {kind: compare(reference, script) for kind, script in scripts.items()}


def verdict(name, found, known):
    """"agree", "known" or "differ", with the lines that say why."""
    unlisted = {}
    for kind in KINDS:
        for what, shown in found[kind].items():
            if kind not in known.get((name, what), ()):
                unlisted.setdefault((what, tuple(shown)), []).append(kind)
    lines = []
    for (what, shown), kinds in unlisted.items():
        title = f"{name}: {what}" if len(kinds) == len(KINDS) else f"{name}: {what}, {kinds[0]}"
        lines += [f"{title}:", *shown] if len(shown) > 1 else [f"{title}: {shown[0].strip()}"]
    for (notebook, what), kinds in known.items():
        gone = [kind for kind in kinds if notebook == name and what not in found[kind]]
        lines += [f"{name}: {what}, {kind}: listed in known.txt, but there is no difference"
                  for kind in gone]
    if lines:
        return "differ", lines
    return "known" if any(found.values()) else "agree", []


def has_what_it_needs(name):
    text = (places.NOTEBOOKS / f"{name}.ipy").read_text(encoding="utf-8")
    return all(importlib.util.find_spec(library) for library in LIBRARIES
               if library in text or (library == "matplotlib" and "pylab" in text))


def touched_magics(rows):
    """Those of ROWS, names of magics and escapes, that a notebook has."""
    text = ""
    for path in places.NOTEBOOKS.glob("*.ipy"):
        text += "".join(source + "\n" for _, source in written.cells_of(path))
    return {row for row in rows if re.search(
        rf"%{row}\b" if row[0].isalpha() else rf"^{re.escape(row)}|{re.escape(row)}$", text, re.M)}


def coverage_faults(exempt):
    """Rows of magics.def that are neither in a notebook nor EXEMPT, and what is so without need."""
    table = (ROOT / "src" / "lex" / "magics.def").read_text(encoding="utf-8")
    rows = set(re.findall(r'^(?:MAGIC|CALLED)\("([^"]+)"', table, re.MULTILINE))
    touched = touched_magics(rows)
    needless = exempt & touched | exempt - rows
    return ([f"magic {row}: in no notebook and not in known.txt"
             for row in sorted(rows - touched - exempt)]
            + [f"magic {row}: in known.txt, but in a notebook or no magic"
               for row in sorted(needless)])


def warm_up(shared):
    """matplotlib looks for fonts once, not in every notebook at the same time."""
    if importlib.util.find_spec("matplotlib"):
        subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], check=True,
                       env=harness.clean_environment(MPLCONFIGDIR=str(shared / "matplotlib")))


def run_notebooks(binary, names):
    """What check() returns for each of NAMES, in their order."""
    with tempfile.TemporaryDirectory(prefix="nbscorep-fidelity-") as folder:
        shared = pathlib.Path(folder).resolve()
        places.make_shared(shared)
        warm_up(shared)
        # One more than cores: a kernel that starts or ends waits a good part of the time.
        count = os.cpu_count() + 1
        idle_kernels = queue.SimpleQueue()
        for _ in range(count):
            idle_kernels.put(Kernels(sys.executable))
        jobs = [(binary, name, shared, idle_kernels) for name in names]
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            yield from pool.map(check, jobs)
        for _ in range(count):
            idle_kernels.get().close()


def report(results):
    """The table, and the shares that agree."""
    width = max(len(name) for name in results)
    for name, (cells, differing, said) in results.items():
        print(f"{name:{width}}  {cells:3} cells  {said}" + (f" ({differing} of them)" if differing else ""))
    total = sum(cells for cells, _, _ in results.values())
    same = total - sum(differing for _, differing, _ in results.values())
    agree = sum(said == "agree" for _, _, said in results.values())
    listed = sum(said == "known" for _, _, said in results.values())
    print(f"\n{len(results)} notebooks: {agree} agree, {listed} differ as listed in known.txt, "
          f"{len(results) - agree - listed} differ otherwise")
    print(f"{total} cells: {same} agree ({100 * same / max(total, 1):.1f} %)")


def main():
    parser = argparse.ArgumentParser(description="Compares notebooks in Jupyter and compiled.")
    parser.add_argument("binary")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--report", action="store_true", help="print the table of notebooks")
    options = parser.parse_intermixed_args()
    if not all(importlib.util.find_spec(name) for name in ("nbclient", "ipykernel")):
        print("skipped: nbclient and ipykernel are not installed")
        return SKIPPED
    known, exempt = read_known()
    names = options.names or sorted(path.stem for path in places.NOTEBOOKS.glob("*.ipy"))
    names = [name for name in names if has_what_it_needs(name)]
    faults = [] if options.names else coverage_faults(exempt)
    print("".join(f"{fault}\n" for fault in faults), end="", flush=True)
    results = {}
    for name, cells, found in run_notebooks(os.path.abspath(options.binary), names):
        said, lines = verdict(name, found, known)
        differing = {what for kind in KINDS for what in found[kind] if what.startswith("cell ")}
        results[name] = cells, len(differing), said
        faults += lines
        print("\n".join(lines), end="\n" if lines else "", flush=True)
    if options.report:
        report(results)
    return 1 if faults or not results else 0


if __name__ == "__main__":
    sys.exit(main())
