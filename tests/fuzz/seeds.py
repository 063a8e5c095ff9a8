#!/usr/bin/env python3
"""Makes seeds for the fuzz targets, a folder for each, out of fixtures/ and tests/fidelity, and of
the corpus of real notebooks where there is one (tests/corpus/corpus.py).

    seeds.py FOLDER
"""
import hashlib
import json
import os
import pathlib
import random
import re
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent / name) for name in ("corpus", "cli", "fidelity")]
import corpus  # noqa: E402
import lexing  # noqa: E402
import written  # noqa: E402
from samples import GB, SECOND, Samples, odd_files  # noqa: E402

LARGEST = 8000      # bytes of a seed; what is slow to run is no seed
CORPUS_STEP = 40    # every so many of the real notebooks
ENV = ("%%scorep_env", "%%scorep_python_binding_arguments", "%env", "%set_env")


class Seeds:
    """Each seed once, under a name made of its bytes."""

    def __init__(self, folder):
        self.folder, self.count = pathlib.Path(folder), 0

    def add(self, target, data, largest=LARGEST):
        data = data if isinstance(data, bytes) else data.encode("utf-8", "replace")
        path = self.folder / target / hashlib.sha256(data).hexdigest()[:16]
        if len(data) <= largest and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            self.count += 1


def mark_of(cell):
    """The line that the target "cells" begins a cell with."""
    tags = cell.get("metadata", {}).get("tags", [])
    kind = cell.get("cell_type", "code")
    words = [] if kind == "code" else [f"[{kind}]"]
    return " ".join(["# %%"] + words + [t for t in tags if isinstance(t, str) and t.split() == [t]])


def text_of(book, major):
    """A notebook as the target "cells" takes it."""
    key = "input" if major < 4 else "source"
    sheets = book.get("worksheets") or [book]
    return "\n".join(
        f"{mark_of(cell)}\n{lexing.join_source(cell.get(key, cell.get('source', '')), major)}"
        for sheet in sheets for cell in sheet.get("cells", []))


def add_code(seeds, source):
    seeds.add("magic_lexer" if any(c in source for c in "%!?") else "python_lexer", source)
    head, _, rest = source.partition("\n")
    if head.startswith(ENV):
        seeds.add("binding_args", " ".join(head.split()[1:]) + rest)


def add_notebook(seeds, path):
    data = path.read_bytes()
    seeds.add("reader", data)
    seeds.add("build", data)
    for source in lexing.cells_of(path):
        add_code(seeds, source)
    try:
        book = json.loads(data.decode("utf-8"))
        seeds.add("cells", text_of(book, book.get("nbformat", 4)))
        config = book.get("metadata", {}).get("nbscorep")
    except (ValueError, AttributeError, TypeError, RecursionError):
        return
    if config is not None:
        seeds.add("yaml", json.dumps(config))


def add_corpus(seeds):
    archive = corpus.corpus_folder() / "dev.tar.xz"
    if not archive.exists():
        return
    with tarfile.open(archive) as tar, tempfile.TemporaryDirectory() as folder:
        names = sorted(m.name for m in tar.getmembers() if m.name.endswith(".ipynb"))
        wanted = set(names[::CORPUS_STEP])
        tar.extractall(folder, [m for m in tar.getmembers() if m.name in wanted])
        for path in sorted(pathlib.Path(folder).rglob("*.ipynb")):
            add_notebook(seeds, path)


def names_of(table):
    text = (ROOT / "src" / "sample" / table).read_text()
    return re.findall(r'^(?:METRIC|LEVEL)\(\w+, "(\w+)"', text, re.MULTILINE)


def all_metrics():
    """At all levels: two cores, two GPUs, cells, one of which runs."""
    samples = Samples(gpus=[("NVIDIA A", 50 * GB), ("B", 10 * GB)], job="42")
    metrics = names_of("metrics.def")
    groups = [samples.group(level, level, *metrics) for level in names_of("levels.def")]
    for name, several in ("", metrics[-5:]), ("system", ["core_cpu"]):
        groups.append(samples.group(name, name, *[(metric, i) for metric in several
                                                  for i in (0, 1)]))
    samples.title(1, "%load_ext jumper_extension", "%load_ext jumper_extension\n")
    for second in range(3):
        for group in groups:
            values = [second * SECOND + i for i in range(len(samples.groups[group]))]
            samples.sample(group, second, *values, took=1000, wall_shift=second)
        samples.cell(second + 1, second, second + 0.5 if second < 2 else None)
    return samples.note("a note").missed(4, 1)


def add_samples(seeds):
    ended = all_metrics().finish(4, 256, 7, 8, GB, (1, 2, 3, 4))
    for samples in *odd_files(), all_metrics(), ended:
        seeds.add("samples", samples.data)


def add_measurements(seeds):
    """Experiment directories of Score-P 8.4: the profile, the archive, and each with bytes changed, always the same."""
    names = ("profile.cubex", "lines.csv", "traces.otf2", "traces.def", "traces/0.def", "traces/0.evt",
             "traces/1.def", "traces/1.evt")
    chosen = random.Random(39)

    def put(files):
        seeds.add("measurement", b"".join(
            bytes([names.index(name)]) + len(data).to_bytes(4, "little") + data for name, data in files.items()), 1 << 20)

    with tarfile.open(ROOT / "fixtures/report/scorep-8.4.tar.xz") as archive:
        for run in "serial_cells", "mpi_imbalanced":
            files = {}
            for member in archive.getmembers():
                name = member.name.removeprefix("./").removeprefix(run + "/")
                if member.name.removeprefix("./").startswith(run + "/") and name in names:
                    files[name] = archive.extractfile(member).read()
            profile = {"profile.cubex": files.pop("profile.cubex")}
            for whole in profile, files:
                put(whole)
                for _ in range(8):
                    name = chosen.choice(list(whole))
                    data = bytearray(whole[name])
                    for _ in range(chosen.choice((1, 4, 64))):
                        data[chosen.randrange(len(data))] = chosen.randrange(256)
                    put(whole | {name: bytes(data)})


def add_recordings(seeds):
    """The recordings in corpus/, with bytes changed and cut off: always the same."""
    chosen = random.Random(1)
    for path in sorted((HERE / "corpus" / "recording").iterdir()):
        whole = path.read_bytes()
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(chosen.randint(1, 6)):
                at = chosen.randrange(len(data))
                data[at] = chosen.choice((0, 1, 0x7F, 0xFF, chosen.randrange(256)))
            seeds.add("recording", bytes(data[:chosen.choice((len(data), chosen.randrange(len(data))))]), 1 << 16)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    seeds = Seeds(sys.argv[1])
    for path in sorted((ROOT / "fixtures").rglob("*.ipynb")):
        add_notebook(seeds, path)
    for pattern in "*.yaml", "*.json":
        for path in sorted((ROOT / "fixtures").rglob(pattern)):
            seeds.add("yaml", path.read_bytes())
    for path in sorted((ROOT / "tests" / "fidelity" / "notebooks").glob("*.ipy")):
        for target in "reader", "build":
            seeds.add(target, written.notebook_of(path))
        for _, source in written.cells_of(path):
            add_code(seeds, source)
    add_corpus(seeds)
    add_samples(seeds)
    add_recordings(seeds)
    add_measurements(seeds)
    print(f"{seeds.count} seeds")


if __name__ == "__main__":
    main()
