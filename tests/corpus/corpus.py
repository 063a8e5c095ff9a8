#!/usr/bin/env python3
"""Tests with a corpus of real notebooks, where one is present; else they say "skipped" (exit 77).

    corpus.py build NBSCOREP    every notebook: no crash, no hang, none over the limit; without Python
    corpus.py ast NBSCOREP      every Python notebook: the script holds its cells with the same AST
    corpus.py verify NBSCOREP   every Python notebook: check finds the cells that are no Python, and
                                no other; build writes a script that compiles or none, and
                                where those cells raise their errors, it compiles
    corpus.py reader DUMP       the reader against Python's json
    corpus.py magics DUMP       the magic lexer against what IPython said
    corpus.py special NBSCOREP  every line that is no Python is lowered, handed over, or named
    corpus.py tokens DUMP       the Python lexer against tokenize, cells and the standard library

The corpus is the folder $NBSCOREP_CORPUS, or shared/corpus beside the checkout: dev.tar.xz
(notebooks), check_ast.py, ipython_oracle.jsonl.xz. $NBSCOREP_CORPUS_SAMPLE=N takes every Nth notebook,
where verify else takes every sixth.
"""
import functools
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "runner"))
from harness import clean_environment, setting  # noqa: E402

SKIPPED = 77
SECONDS_PER_NOTEBOOK = 1.0
HANG = 60


def corpus_folder():
    named = setting("NBSCOREP_CORPUS")
    return pathlib.Path(named) if named else HERE.parents[2] / "shared" / "corpus"


@functools.lru_cache
def notebooks(corpus, folder, usual=1):
    """Unpacks the notebooks; the list of them, where nothing is set each USUAL one."""
    with tarfile.open(corpus / "dev.tar.xz") as archive:
        archive.extractall(folder)
    step = int(setting("NBSCOREP_CORPUS_SAMPLE", usual))
    return sorted(pathlib.Path(folder).rglob("*.ipynb"))[::step]


def build_one(binary, notebook, folder):
    out = pathlib.Path(folder) / f"{abs(hash(notebook))}.py"
    start = time.monotonic()
    try:
        done = subprocess.run([binary, "build", "-q", "--no-verify", "--whole-notebook",
                               str(notebook), "-o", str(out)], capture_output=True, timeout=HANG)
    except subprocess.TimeoutExpired:
        return f"{notebook}: hangs"
    seconds = time.monotonic() - start
    if done.returncode not in (0, 1):
        return f"{notebook}: exit {done.returncode}: {done.stderr[-300:].decode()}"
    if seconds > SECONDS_PER_NOTEBOOK:
        return f"{notebook}: {seconds:.2f} s"
    if out.exists():
        out.rename(f"{notebook}.py")
    return seconds


def build(corpus, folder, binary):
    """The scripts are in one folder at first, so that the package is written once."""
    paths = notebooks(corpus, folder)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda p: build_one(binary, p, folder), paths))
    faults = [r for r in results if isinstance(r, str)]
    times = [r for r in results if not isinstance(r, str)]
    print("\n".join(faults))
    print(f"{len(paths)} notebooks, {len(faults)} faults, slowest {max(times, default=0):.3f} s")
    return 1 if faults or not paths else 0


def ast(corpus, folder, binary):
    status = build(corpus, folder, binary)
    listing = pathlib.Path(folder) / "list.txt"
    # check_ast.py takes Sage's notebooks as Python, as their language_info says.
    listing.write_text("".join(f"{p}\n" for p in notebooks(corpus, folder)
                               if b'"name": "sagemath' not in p.read_bytes()))
    return run_tool(
        [corpus / "check_ast.py", "--batch", listing, "--cmd", "ln {nb}.py {py}", "--display",
         "^scorep_notebook.echo$", "--wrapper", r"^scorep_notebook\.", "--require-await"]) or status


def compile_script(script):
    """Raises what is wrong with it."""
    compile(script.read_bytes(), str(script), "exec", dont_inherit=True)


def nbscorep(*arguments):
    """A run in which the Python of this test is the one that runs scripts."""
    return subprocess.run([str(a) for a in arguments], capture_output=True, timeout=HANG,
                          env=clean_environment(PYTHON=sys.executable))


def cell_faults(check_ast, notebook):
    """cell -> what IPython and Python say about it; None where a magic has the cell, or where the
    script, unlike Jupyter, takes it: a late `from __future__`. No faults: it is not Python."""
    try:
        language, cells = check_ast.load(notebook)
    except check_ast.Bad:
        return None
    found = {}
    for index, source, _, _ in cells if language in check_ast.PY else []:
        kind, _, code = check_ast.W.cell(source)
        try:
            compile(code, "<cell>", "exec", check_ast.AWAIT, dont_inherit=True)
            found[index + 1] = None if kind == "cell" else ""
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            taken = (kind == "cell" or "__future__" in str(error) or
                     code.split(None, 1)[0] in check_ast.AUTOMAGIC)
            found[index + 1] = None if taken else str(error)
    return found


def verify_one(check_ast, binary, notebook, folder):
    """Messages, and the numbers of broken cells and of scripts that compile."""
    expected = cell_faults(check_ast, notebook)
    done = nbscorep(binary, "check", "--whole-notebook", "--diagnostics-format=json", notebook)
    diagnostics = json.loads(done.stdout)["diagnostics"]
    found = {d["cell"]: d["message"] for d in diagnostics if d["kind"] == "python-syntax"}
    if not expected or any(d["severity"] == "error" and d["kind"] != "python-syntax"
                           for d in diagnostics):
        return [], 0, 0
    faults = [f"{notebook}: cell {cell}: {fault!r}, but nbscorep says {found.get(cell)!r}"
              for cell, fault in expected.items()
              if fault is not None and bool(fault) != (cell in found)]
    script = pathlib.Path(folder) / f"{abs(hash(notebook))}.py"
    done = nbscorep(binary, "build", "-q", "--whole-notebook", notebook, "-o", script)
    if done.returncode != (1 if found else 0) or script.exists() == bool(found):
        faults.append(f"{notebook}: build ends with status {done.returncode}")
    try:
        if not found:
            compile_script(script)
        done = nbscorep(binary, "build", "-q", "--whole-notebook", "--broken-cells=raise", notebook,
                        "-o", script)
        compile_script(script)
    except (OSError, SyntaxError, ValueError) as error:
        return faults + [f"{notebook}: {error}: {done.stderr[-300:].decode()}"], len(found), 0
    return faults, len(found), 1


def verify(corpus, folder, binary):
    sys.path.insert(0, str(corpus))
    import check_ast
    paths = notebooks(corpus, folder, usual=6)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda p: verify_one(check_ast, binary, p, folder), paths))
    faults = [fault for found, _, _ in results for fault in found]
    broken = sum(count for _, count, _ in results)
    compiled = sum(count for _, _, count in results)
    print("\n".join(faults))
    print(f"{len(paths)} notebooks, {broken} cells that are no Python, {compiled} scripts that "
          f"compile, {len(faults)} faults")
    return 1 if faults or not compiled else 0


def run_tool(arguments):
    return subprocess.run([sys.executable] + [str(a) for a in arguments]).returncode


def reader(corpus, folder, dump):
    notebooks(corpus, folder)
    return run_tool([HERE / "compare_reader.py", dump, folder, corpus / "check_ast.py"])


def magics(corpus, folder, dump):
    return run_tool([HERE / "compare_magics.py", "--lex-dump", dump,
                     "--oracle", corpus / "ipython_oracle.jsonl.xz"])


def special(corpus, folder, binary):
    notebooks(corpus, folder)
    return run_tool([HERE / "compare_special.py", "--binary", binary, folder])


def tokens(corpus, folder, dump):
    notebooks(corpus, folder)
    return run_tool([HERE / "compare_tokens.py", "--lex-dump", dump, "--corpus", folder,
                     "--python", sysconfig.get_path("stdlib")])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tests = build, ast, verify, reader, magics, special, tokens
    test = {f.__name__: f for f in tests}[sys.argv[1]]
    corpus = corpus_folder()
    if not (corpus / "dev.tar.xz").exists():
        print(f"skipped: no corpus at {corpus}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="nbscorep-corpus-") as folder:
        return test(corpus, folder, sys.argv[2])


if __name__ == "__main__":
    sys.exit(main())
