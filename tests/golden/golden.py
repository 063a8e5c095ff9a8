#!/usr/bin/env python3
"""Runs one case of fixtures/, or all of them, and compares what comes out with what is expected.

A case is a folder fixtures/SUBJECT/NAME, of a name that is there once:
  why.txt        why this case exists; the index fixtures/README.md is made of it
  notebook.ipynb or what the file `args` names; other files beside it are copied along
  args           optional: arguments of `nbscorep build` instead of "notebook.ipynb"
  commands       optional: a bash script to run instead of a build; what it writes is expected
  no-run         optional: the result is not run; the file says why
  no-compile     optional: the script is no valid Python, as the notebook is not; implies no-run
  expected/      build.stderr, build.status, every file that the build wrote (ir.json and run scripts in
                 some cases), and of the run script under the double of the bindings NAME.stdout, NAME.stderr, NAME.status and
                 NAME.regions (what was entered, as a tree)

A missing expectation is a failure. --update writes the expectations and shows what changed.
"""
import argparse
import difflib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOUBLE = HERE.parent / "double"
FIXTURES = ROOT / "fixtures"
sys.path.insert(1, str(HERE.parent / "runner"))
import harness  # noqa: E402

CASE_FILES = {"why.txt", "args", "commands", "no-run", "no-compile", "expected"}
TIMEOUT = 120
# Most run scripts differ in names only: these are compared, all are checked and run.
RUN_SCRIPTS = {"args", "config", "env", "everything", "heat", "lsf", "names-odd", "parameters", "pbs",
               "ranks", "selective", "slurm", "sweep", "template-dir"}
RUN_SCRIPT_LINES = 75  # at most
# What the others do to the IR shows in their scripts.
DUMPS = {"args", "automagic", "await", "build-tools", "comments-only", "env-cells", "env-order", "extensions", "files",
         "heat", "hostile-comments", "hostile-metadata", "installs", "magics", "markdown", "modes", "modes-write",
         "nbformat-3", "parameters", "run-notebook", "run-notebook-figures", "run-notebook-marked",
         "scripts", "sections-whole", "tags"}


def clean_environment(folder):
    return harness.clean_environment(PATH=f"{DOUBLE}/bin:{os.environ['PATH']}",
                                     PYTHONPATH=str(DOUBLE), PYTHON=sys.executable,
                                     TMPDIR=str(folder), NO_COLOR="1")


def run(command, folder, environment):
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT)
    return done.returncode, done.stdout, done.stderr


def regions(events):
    """What the record holds of the notebook: user regions and the script's own functions.

    A call that is repeated without anything else in it is one line: "name x 1000".
    """
    depth, lines = 0, []
    for line in events.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        name = event.get("region", "")
        if not name.startswith(("user:", "user_instrumenter:", "__main__")):
            continue
        depth -= event["event"] == "leave"
        if event["event"] == "enter":
            lines.append([depth, name, 1])
        elif len(lines) > 1 and lines[-1][:2] == lines[-2][:2] == [depth, name]:
            lines.pop()
            lines[-1][2] += 1
        depth += event["event"] == "enter"
    if depth != 0:
        lines.append([0, f"UNBALANCED: {depth} regions are open at the end", 1])
    return "".join(f"{'  ' * d}{name}{f' x {n}' if n > 1 else ''}\n"
                   for d, name, n in lines).encode()


def normalise(text, folder):
    """Takes the names of temporary folders out of messages, and the frames out of tracebacks: they
    name the double's files and Python's own."""
    text = re.sub(rb'(?m)^  File ".*\n(?:    .*\n)*', b"", text)
    return text.replace(str(folder).encode(), b"<folder>")


def run_script(script, folder, out, faults):
    """Runs a run script from elsewhere, under the double, and its script by plain Python, which prints the same."""
    name = script.name.removesuffix("_run.sh")
    plain = next(path for path in (script.with_name(name + end) for end in (".py", "_script.py")) if path.exists())
    usual = run([sys.executable, str(plain)], script.parent, harness.clean_environment(MPLBACKEND="Agg", TMPDIR=str(folder)))
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    environment = clean_environment(scratch)
    environment["SCOREP_EXPERIMENT_DIRECTORY"] = str(scratch / f"{name}-experiment")
    status, stdout, stderr = run([str(script)], scratch, environment)
    out[f"{name}.status"] = f"{status}\n".encode()
    out[f"{name}.stdout"] = normalise(stdout, folder)
    out[f"{name}.stderr"] = normalise(stderr, folder)
    if (status, stdout) != usual[:2]:
        faults.append(f"{plain.name} differs without Score-P: {usual}")
    events = list(folder.rglob("events.jsonl"))
    out[f"{name}.regions"] = regions(events[0]) if events else b"no record\n"
    for event in events:
        shutil.rmtree(event.parent)


def check_scripts(case, folder, files, faults):
    for path in files:
        if path.suffix == ".py" and not (case / "no-compile").exists():
            status, _, stderr = run([sys.executable, "-m", "py_compile", str(path)], folder,
                                    clean_environment(folder))
            if status != 0:
                faults.append(f"{path.name} does not compile:\n{stderr.decode()}")
        if path.name.endswith("_run.sh"):
            # SC2016: a dollar sign in single quotes is meant so.
            for command in (["bash", "-n"], ["shellcheck", "-e", "SC2016"]):
                status, stdout, stderr = run(command + [str(path)], folder,
                                             clean_environment(folder))
                if status != 0:
                    faults.append(f"{command[0]} refuses {path.name}:\n"
                                  f"{(stdout + stderr).decode()}")
            lines = len(path.read_bytes().splitlines())
            if lines > RUN_SCRIPT_LINES:
                faults.append(f"{path.name} has {lines} lines")
            if not os.access(path, os.X_OK):
                faults.append(f"{path.name} is not executable")


def shorten_outputs(out):
    """Builds and the runtime package are named by their content."""
    for name in out:
        if name.endswith((".py", "_run.sh", ".json", ".tsv", ".stderr", ".stdout")):
            out[name] = re.sub(rb"(build[ =]|\"build\": \")[0-9a-f]{16}\b", rb"\1<build>", out[name])
            out[name] = re.sub(rb"scorep_notebook_\d+_\d+_[0-9a-f]{8}", b"scorep_notebook_0_1",
                               out[name])


def count_from_first_cell(out):
    """Line numbers of a script count from its first cell on, for the same reason."""
    for name in [name for name in out if name.endswith(".py")]:
        above = len(re.split(rb"(?m)^# %%", out[name], 1)[0].splitlines())
        script = f'"script": "{name}"'.encode()
        for other in out:
            if other.endswith(".json") and script in out[other]:
                out[other] = re.sub(
                    rb'("script_line": )(\d+)',
                    lambda line: line[1] + b"%d" % (int(line[2]) - above), out[other])
    for name in out:
        if name.endswith(".stderr"):
            out[name] = re.sub(rb"(?m)(^nbscorep: .*\.py:)\d+\)$", rb"\1<line>)", out[name])


def outcome_of_commands(case, binary, folder, work, faults):
    """The files that the case's commands write into the current folder: name -> bytes."""
    path = f"{pathlib.Path(binary).parent}:{os.environ['PATH']}"
    environment = harness.clean_environment(PATH=path, TMPDIR=str(folder), TESTS=str(HERE.parent), TZ="UTC")
    status, stdout, stderr = run(["bash", "-eu", "-o", "pipefail", str(case / "commands")], work, environment)
    if status != 0 or stdout or stderr:
        faults.append(f"the commands end with status {status}: {(stdout + stderr).decode()}")
    return {path.name: path.read_bytes() for path in work.iterdir() if path.is_file() and not (case / path.name).exists()}


def outcome(case, binary, folder, faults):
    """Everything that the case produces: name -> bytes."""
    work = folder / "work"
    work.mkdir()
    for item in case.iterdir():
        if item.name not in CASE_FILES:
            copy = shutil.copytree if item.is_dir() else shutil.copy
            copy(item, work / item.name)
    if (case / "commands").exists():
        return outcome_of_commands(case, binary, folder, work, faults)
    before = {p for p in work.rglob("*")}
    arguments = shlex.split((case / "args").read_text()) if (case / "args").exists() \
        else ["notebook.ipynb"]
    environment = clean_environment(folder)
    out = {}
    status, stdout, stderr = run([binary, "build"] + arguments, work, environment)
    if status not in range(4):
        faults.append(f"the build ends with status {status}")
    out["build.status"] = f"{status}\n".encode()
    out["build.stderr"] = stderr
    if stdout:
        out["build.stdout"] = stdout
    files = sorted(p for p in work.rglob("*") if p not in before and p.is_file()
                   and not re.search(r"/scorep_notebook_\d", str(p)))
    for path in files:
        out[str(path.relative_to(work))] = path.read_bytes()
    only_build = (r"-MD|-o|--output|--source-map|--force|-n|--ranks|--launcher|--tag-output|--regions"
                  r"|--imports|--instrument-module|--slurm|--batch|--template-dir")
    ir_arguments = [a for a in arguments if not re.match(only_build, a)]
    if status == 0 and case.name in DUMPS:
        status, out["ir.json"], _ = run([binary, "ir", "-q"] + ir_arguments, work, environment)
        if status != 0:
            faults.append(f"`nbscorep ir` ends with status {status}")
    check_scripts(case, work, files, faults)
    if not (case / "no-run").exists() and not (case / "no-compile").exists():
        for path in files:
            if path.name.endswith("_run.sh"):
                run_script(path, folder, out, faults)
    if case.name not in RUN_SCRIPTS:
        out = {name: text for name, text in out.items() if not name.endswith("_run.sh")}
    count_from_first_cell(out)
    shorten_outputs(out)
    return out


def difference(name, old, new):
    lines = difflib.unified_diff(old.decode("utf-8", "replace").splitlines(True),
                                 new.decode("utf-8", "replace").splitlines(True),
                                 f"expected/{name}", f"got/{name}")
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def compare(case, got, update):
    """The differences as text; with UPDATE the expectations follow."""
    folder = case / "expected"
    known = {str(p.relative_to(folder)): p.read_bytes()
             for p in folder.rglob("*") if p.is_file()} if folder.exists() else {}
    report = []
    for name in sorted(known.keys() | got.keys()):
        if name not in got:
            report.append(f"expected/{name} was not produced\n")
        elif name not in known:
            report.append(f"expected/{name} is missing\n")
        elif known[name] != got[name]:
            report.append(difference(name, known[name], got[name]))
    if update and report:
        shutil.rmtree(folder, ignore_errors=True)
        for name, content in got.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    return report


def run_case(case, binary, update):
    faults = []
    with tempfile.TemporaryDirectory(prefix="nbscorep-golden-") as name:
        folder = pathlib.Path(name).resolve()
        report = compare(case, outcome(case, binary, folder, faults), update)
    for text in faults + report:
        print(text, end="" if text.endswith("\n") else "\n")
    failed = bool(faults) or (bool(report) and not update)
    print(f"{'FAIL' if failed else 'ok'}: {case.name}")
    return not failed


def compare_index(cases, update):
    """The index of the cases by subject, made of each case's why.txt."""
    lines = ["# Fixtures", "", "Made by `tests/golden/golden.py --update`: what each case shows."]
    for subject, paths in itertools.groupby(cases.values(), lambda path: path.parent.name):
        lines += ["", f"## {subject}", ""]
        lines += [f"- `{p.name}`: {' '.join((p / 'why.txt').read_text().split())}" for p in paths]
    index, text = FIXTURES / "README.md", "\n".join(lines) + "\n"
    if update:
        index.write_text(text)
    same = index.exists() and index.read_text() == text
    print("ok: index" if same else "FAIL: index: fixtures/README.md is not what why.txt files say")
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the nbscorep to test")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("case", nargs="*", help="names of cases, or index; default: all")
    options = parser.parse_args()
    cases = {path.parent.name: path.parent for path in sorted(FIXTURES.glob("*/*/why.txt"))}
    binary = str(pathlib.Path(options.binary).resolve())
    results = [compare_index(cases, options.update) if name == "index"
               else run_case(cases[name], binary, options.update)
               for name in options.case or [*cases, "index"]]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
