"""The places in the notebook of the lines of a script, from the script's own markers.

`# %% cell 7` is above the text of cell 7, `# %% cell 7 (left out: REASON)` above that of one that does not run,
`# %% cell 7 (in the run script)` above that of settings, `# %% other.ipynb cell 3` above that of a cell of an included
notebook, `# %% solver.py line 1` above an included text; `# %% cell 7 line 4` is above the lines of cell 7
that follow an included file. Between a marker and the text are at most the statement of the cell's frame
and `global ...  # names of the notebook`.

The text of a cell may have comments of this kind, too, since several editors use them. So a marker is
alone on its line; one without the name of a file and a line is not indented, as the text of a cell is;
others follow a blank line.
"""
import collections
import contextlib
import io
import re
import tokenize

TITLE_MAX = 72
_OUTER = re.compile(r"# %% (?:cell (?P<cell>\d+)(?: \(in the run script\)|(?P<left_out> \(left out: .*\)))?|\[(?:markdown|raw)\].*|injected parameters)$")
_INCLUDED = re.compile(r"# %% (?:(?P<notebook>.+\.ipynb) cell (?P<cell>\d+)(?: line (?P<line>\d+))?"
                       r"|cell (?P<outer>\d+) line (?P<next>\d+)"
                       r"|(?P<file>.+)(?:(?<=\.ipy)| line (?P<first>\d+)))$")
_SHOWN = re.compile(r"scorep_notebook\.(echo|out)\((\d+, )?")
_NO_CODE = re.compile(r'#|"(\s|\\t|\\r)*\\n"$')  # a magic, or a blank line as a string
_NAMES = re.compile(r"\s*global .*  # names of the notebook$")


# A marker of a script. row: its line; first: the line of the script with line `line` of the cell.
Marker = collections.namedtuple("Marker", "row file cell line first")


def _skip_frame(lines, row, name, number):
    """The first line below line ROW that is the cell's own."""
    frame = re.compile(r'\s*(with (scorep\.user\.region|scorep\.instrumenter\.disable)\(("%s")?\).*|'
                       r'with scorep_notebook\..*|async def _cell_%s\(\):|if True:|'
                       r'scorep_notebook\.\w+\(.*\()$' % (re.escape(name), number))
    while row < len(lines) and (frame.match(lines[row].rstrip("\n"))
                                or _NAMES.match(lines[row].rstrip("\n"))):
        row += 1
        if not lines[row - 1].rstrip().endswith(("if True:", "_cell_%s():" % number)):
            frame = re.compile("if True:$|(?!)")
    return row + 1


def _string(text):
    """The value of TEXT, a string of Python; TEXT itself if it is none."""
    import ast
    try:
        return str(ast.literal_eval(text))
    except (SyntaxError, ValueError):
        return text


def notebook_of(line):
    """The name of the notebook that the script with this first LINE was compiled from; empty if it does not say so."""
    found = re.match(r"# Compiled by nbscorep from (.*?)\. Edit the notebook", line)
    return found.group(1) if found else ""


class Places:
    """The lines and markers of the script at PATH, whose bytes are SOURCE if these are known."""

    def __init__(self, path, source=None):
        if source is None:
            with open(path, "rb") as file:
                source = file.read()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        self.lines = io.TextIOWrapper(io.BytesIO(source), encoding).readlines()
        self.markers = []
        self.left_out = []  # numbers of cells that the notebook excludes
        with contextlib.suppress(tokenize.TokenError, SyntaxError):  # the script was edited
            for token in tokenize.generate_tokens(iter(self.lines).__next__):
                if token.type == tokenize.COMMENT and token.string.startswith("# %% "):
                    self._read_marker(token)

    def _read_marker(self, token):
        (row, column), text = token.start, token.string
        if self.lines[row - 1].strip() != text:
            return
        outer = _OUTER.match(text) if column == 0 else None
        if outer is not None:
            self._add_marker(row, None, outer["cell"], None)
            if outer["left_out"]:
                self.left_out.append(int(outer["cell"]))
            return
        found = _INCLUDED.match(text)
        if found is not None and (row == 1 or not self.lines[row - 2].strip()):
            self._add_marker(row, found["notebook"] or found["file"], found["cell"] or found["outer"],
                             found["line"] or found["next"] or found["first"])

    def _add_marker(self, row, file, cell, line):
        cell, line, first = cell and int(cell), int(line or 1), row + 1
        if line == 1 and (cell or file):
            first = _skip_frame(self.lines, row, self.lines[row - 1].strip()[len("# %% "):], cell or 1)
        self.markers.append(Marker(row, file, cell, line, first))

    def find(self, line):
        """The file (None: the notebook), the cell (None: FILE is a text) and its line, for LINE of the
        script; None if no cell is there. Its line is 0 above its text."""
        above = [marker for marker in self.markers if marker.row < line]
        if not above or (above[-1].cell is None and above[-1].file is None):
            return None
        marker = above[-1]
        below = line - marker.first
        return marker.file, marker.cell, below + marker.line if below >= 0 else 0

    def notebook(self):
        return notebook_of((self.lines or [""])[0])

    def text_line(self, line):
        """The line of the cell with the first code of the text that LINE of the script passes to a helper,
        which numbers its lines from there."""
        marker = [each for each in self.markers if each.row <= line][-1]
        row = marker.first
        while row <= len(self.lines) and _NO_CODE.match(self.lines[row - 1].strip()):
            row += 1
        return row - marker.first + 1

    def cells(self):
        """Pairs of number and title of the notebook's cells that run. A title is the first line of the
        cell below its magics."""
        rows = []
        for marker, behind in zip(self.markers, self.markers[1:] + [None]):
            if marker.file is not None or marker.cell is None or marker.line != 1:
                continue
            text = self.lines[marker.first - 1:behind.row - 1 if behind else None]
            text = [line for line in map(str.strip, text) if line]
            if marker.first == marker.row + 1 and all(line.startswith("#") for line in text):
                continue  # nothing of it runs
            title = next((line for line in text if not line.startswith(("# %", "# \\%"))),
                         text[0] if text else "")
            if self.lines[marker.first - 2].endswith("(\n"):  # the lines are strings
                title = _string(title).strip()
            shown = _SHOWN.match(title)
            if shown:
                title = title[shown.end():]
                title = title[:-1] if title.count(")") > title.count("(") else title
            title = "".join(c if c.isprintable() else "\ufffd" for c in title)
            rows.append((marker.cell,
                         title[:TITLE_MAX] + ("..." if len(title) > TITLE_MAX else "")))
        return rows


def sources(script):
    """The sources of the notebook's cells by number, from the section that scripts with JUmPER's magics
    have at their end."""
    import json
    with tokenize.open(script) as file:
        text = file.read()
    found = {}
    for line in text.rpartition("\n# %% [raw] sources\n")[2].splitlines():
        match = re.match(r"# (\d+): (\".*\")$", line)
        if match:
            found[int(match.group(1))] = json.loads(match.group(2))
    return found
