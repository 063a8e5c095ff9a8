"""What the comparing scripts share: the code cells of notebooks, and lex_dump as a function."""
import json
import pathlib
import subprocess


def join_source(source, major):
    """nbformat's rule for a source that is a list of lines."""
    if isinstance(source, str):
        return source
    if not isinstance(source, list) or not all(isinstance(s, str) for s in source):
        return ""
    if major < 3 or (major == 3 and source and not source[0].endswith("\n")):
        return "\n".join(source)
    return "".join(source)


def cells_of(path):
    """The sources of the code cells of a notebook; none if it cannot be read."""
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
        major = book.get("nbformat", 4)
        sheets = book.get("worksheets") or [book]
        cells = [cell for sheet in sheets for cell in sheet.get("cells", [])]
    except (ValueError, AttributeError, UnicodeDecodeError, RecursionError):
        return []
    key = "input" if major < 4 else "source"
    return [join_source(c.get(key, ""), major) for c in cells if c.get("cell_type") == "code"]


def corpus_cells(folder):
    """(place, source) of every code cell of the notebooks below FOLDER."""
    for path in sorted(pathlib.Path(folder).rglob("*.ipynb")):
        for number, source in enumerate(cells_of(path)):
            yield f"{path.relative_to(folder)}#{number}", source


def encode(source):
    return source if isinstance(source, bytes) else source.encode("utf-8", "replace")


def dump(program, sources):
    """What lex_dump says about each source (str or bytes)."""
    data = b"".join(b"%d\n%s" % (len(s), s) for s in map(encode, sources))
    out = subprocess.run([program, "--many"], input=data, capture_output=True, check=False)
    if out.returncode != 0:
        raise SystemExit(f"{program}: status {out.returncode}\n{out.stderr.decode()[-2000:]}")
    return [json.loads(line) for line in out.stdout.decode("utf-8").split("\n") if line]


def dump_in_parts(program, items, size=2000):
    """(item, dump) for items (place, source), in parts that fit into memory."""
    part = []
    for item in items:
        part.append(item)
        if len(part) == size:
            yield from zip(part, dump(program, [i[1] for i in part]))
            part = []
    if part:
        yield from zip(part, dump(program, [i[1] for i in part]))
