"""Compiles scripts and their cells, and reports cells with a syntax error and what else it finds. Runs none of
the code. nbscorep puts names.py and lints.py before this file.

Standard input contains questions until its end. A question is a line "nbscorep:check NUMBER BYTES" and
that many bytes: the numbers of cells and of lines of the cells' text; for each cell its first line,
number of lines and indentation in that text, and its first line and number of lines in the script,
including the cells that it includes, or 0 if it is left out of the script; the cells' text; the script.
Each answer on standard output has a line about this Python, see about(), a line for each fault, see
Fault.report(), and for each finding, see findings(), or a line which reports that memory ran out, and
"nbscorep:done NUMBER".
"""
import sys

# Limit of faults that only the whole script shows; each requires another compilation.
WHOLE_ROUNDS = 50
MESSAGE_MAX = 300
SEARCHED_MAX = 2000000  # characters; a syntax tree takes about 400 bytes for each
FINDINGS_MAX, WORD_MAX = 1000, 100
TYPES = ("SyntaxError", "IndentationError", "TabError")
# The Python that accepts the cell of a fault, as 100 * major + minor version.
NO_PYTHON, PYTHON_2 = 0, 200
# Patterns of Python 2 in a line with a syntax error, whose strings have been emptied.
PYTHON_2_LINES = (
    r"^\s*except\b.*,\s*\w+\s*:",
    r"(^|[:;])\s*raise\s+[\w.]+\s*,",
    r"<>",
    r"[-+*/%=(\[,:]\s*`[^`]+`",
    r"\b0[0-7]{2,}[lL]?\b",
    r"\b(\d+|0[xX][\da-fA-F]+)[lL]\b",
    r"\b[uU][rR][\"']",
    r"\b(def\s+\w+\s*\(|lambda\b)\s*(\w+\s*,\s*)*\(",
)
PYTHON_2_MESSAGE = r"Missing parentheses in call to '(print|exec)'"
# Patterns of syntax of newer versions in such a line, and the start of a message about it.
NEWER = (
    (309, r"^\s*@|\bas\s+\w+\s*(,|\)\s*:)?\s*$"),
    (310, r"^\s*(match|case)\s+[^=\s].*:\s*(#.*)?$"),
    (311, r"^\s*except\s*\*|\w\[([^\]]*,)?\s*\*"),
    (312, r"^\s*type\s+\w+\s*[=\[]|^\s*(async\s+)?(def|class)\s+\w+\s*\["),
    (314, r"\b([tT][rR]?|[rR][tT])\"\""),
)
NEWER_MESSAGE = (312, "f-string")


class Cell:
    """The lines of a cell, and their place in the script."""

    def __init__(self, index, lines, indent, start, span):
        self.index = index
        self.lines = lines
        self.indent = " " * indent
        self.start = start
        self.end = start + span

    def blank(self, script):
        """Replaces the cell by `pass`, unless the cell that includes it has been replaced."""
        if any(line.strip() for line in script[self.start:self.end]):
            script[self.start:self.end] = ([self.indent + "pass"]
                                           + [""] * (self.end - self.start - 1))


class Fault:
    """An error of compiling a text; LINES are the cell's, after SHIFT other lines of the text."""

    def __init__(self, error, lines, shift):
        self.error = error
        self.lines = lines
        self.shift = shift
        self.line, self.column, self.length = self.place()

    def place(self):
        """Line of the cell, column and length; 0 if unknown."""
        line = (getattr(self.error, "lineno", None) or 0) - self.shift
        if getattr(self.error, "filename", None) not in (None, "<script>"):
            line = 0  # Python 3.8 counts lines inside an f-string
        if line < 1:  # of a NUL character, Python does not report the line
            return next((i for i, text in enumerate(self.lines, 1) if "\0" in text), 0), 0, 0
        if line > len(self.lines) or not self.lines[line - 1].strip():
            return self.end_before(line)
        return line, self.column_in(self.lines[line - 1]), self.span()

    def end_before(self, line):
        """The end of the text before LINE, where something is missing."""
        line = min(line, len(self.lines))
        while line > 1 and not self.lines[line - 1].strip():
            line -= 1
        return line, len(self.lines[line - 1].rstrip()) + 1, 1

    def column_in(self, line):
        """The column in LINE; 0 if Python counted in another text, such as inside an f-string."""
        shown = self.error.text
        if shown is not None and line.rstrip() not in map(str.rstrip, shown.split("\n")):
            return 0
        return max(self.error.offset or 0, 0)

    def span(self):
        """Number of characters at fault."""
        end = getattr(self.error, "end_offset", None) or 0
        same_line = getattr(self.error, "end_lineno", None) == self.error.lineno
        return max(end - (self.error.offset or 0), 1) if same_line else 1

    def message(self):
        """Python's message on one line; line numbers in it are the cell's."""
        import re
        text = getattr(self.error, "msg", None) or str(self.error) or type(self.error).__name__
        text = re.sub(r"(?<=detected at line )\d+|(?<= on line )\d+$",
                      lambda match: str(max(int(match[0]) - self.shift, 1)), str(text))
        return " ".join(text.split())[:MESSAGE_MAX]

    def taken_by(self):
        """The Python that may accept the line: PYTHON_2, one newer than this, or NO_PYTHON."""
        import re
        this = 100 * sys.version_info[0] + sys.version_info[1]
        if re.match(PYTHON_2_MESSAGE, self.message()):
            return PYTHON_2
        if self.message().startswith(NEWER_MESSAGE[1]) and this < NEWER_MESSAGE[0]:
            return NEWER_MESSAGE[0]
        line = self.lines[self.line - 1] if self.line else ""
        line = re.sub(r"(\"|').*?\1", '""', line)
        if any(re.search(pattern, line) for pattern in PYTHON_2_LINES):
            return PYTHON_2
        return next((version for version, pattern in NEWER
                     if version > this and re.search(pattern, line)), NO_PYTHON)

    def report(self, index, whole):
        """One line: cell, line, column, length, whole script, taken_by(), type, message."""
        name = type(self.error).__name__
        return "nbscorep:fault %d %d %d %d %d %d %s %s\n" % (
            index, self.line, self.column, self.length, whole, self.taken_by(),
            name if name in TYPES else TYPES[0], self.message())


def is_memory_used():
    """True if this process has used most of the memory that it may use. Python also raises
    MemoryError for expressions that are nested too deeply, which require little memory."""
    import resource
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    try:
        with open("/proc/self/status") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmPeak:"))
    except (OSError, StopIteration):
        return False
    return limit != resource.RLIM_INFINITY and peak * 1024 > limit // 2


def failure(lines, flags=0):
    """The exception that compiling LINES raises, or None. Raises MemoryError if memory has run out."""
    try:
        compile("\n".join(lines) + "\n", "<script>", "exec", flags, True)
    except MemoryError as error:
        if is_memory_used():
            raise
        return error
    except Exception as error:  # also ValueError, RecursionError
        return error
    return None


def check_cell(cell):
    """The fault of a cell that is compiled alone, in a block if it is indented; or None."""
    front = ["if 1:", cell.indent + "pass"] if cell.indent else []
    error = failure(front + cell.lines, TOP_LEVEL_AWAIT)
    return error and Fault(error, cell.lines, len(front))


def check_whole(script, cells):
    """Yields pairs of a cell and a fault that only the whole script shows; the last cell may be None."""
    for _ in range(WHOLE_ROUNDS):
        error = failure(script)
        if error is None:
            return
        at = (getattr(error, "lineno", None) or 0) - 1
        # The innermost of nested cells begins last.
        cell = max((cell for cell in cells if cell.start <= at < cell.end),
                   key=lambda cell: cell.start, default=None)
        if cell is None:
            yield None, Fault(error, script, 0)
            return
        yield cell, Fault(error, script[cell.start:cell.end], cell.start)
        cell.blank(script)


def check(script, cells, left_out):
    """Yields a line for each fault and finding."""
    broken = set()
    for cell in cells:
        fault = check_cell(cell)
        if fault:
            broken.add(cell.start)
            yield fault.report(cell.index, False)
            cell.blank(script)
    for cell, fault in check_whole(script, cells):
        broken.add(cell.start if cell else 0)
        yield fault.report(cell.index if cell else len(cells), True)
    for line in findings(script, broken, left_out):
        yield line


def place_of(script, node, word):
    """Line, and column in bytes, of WORD in or from NODE on. Up to Python 3.11, nodes in f-strings have no exact
    column, and code in strings has none."""
    import re
    for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
        line = script[number - 1].encode("utf-8", "replace")
        pattern = re.compile(br"\b%s\b" % word.encode())
        at = node.col_offset if number == node.lineno else 0
        found = pattern.search(line, at) or pattern.search(line)
        if found:
            return number, found.start()
    return node.lineno, node.col_offset


def findings(script, broken, left_out):
    """Returns a line for each finding of names.py and lints.py: its line in SCRIPT and column in bytes, a number, the
    kind of diagnostic and the word at that place; after tabs the message and a hint, which may be empty. A
    finding is a tuple of kind, node, word, number, message, hint. There is none in code that is too large or
    too deep for a search, or that does not compile, and none of a name that is too long for a message."""
    sys.setrecursionlimit(3000)
    if sum(map(len, script)) > SEARCHED_MAX:
        return []
    try:
        text = "\n".join(script) + "\n"
        tree = compile(text, "<script>", "exec", ONLY_AST, True)
        found = search_names(tree, broken, left_out) + lint(tree, text)
    except (RecursionError, SyntaxError, ValueError):
        return []
    return ["nbscorep:found %d %d %d %s %s\t%s\t%s\n" % (
        place_of(script, node, word) + (number, diag, word, message, hint))
        for diag, node, word, number, message, hint in found[:FINDINGS_MAX] if len(word) <= WORD_MAX]


def read_question(text):
    """The script's lines, the cells, and the lines of those that are left out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cell_count, line_count = map(int, lines[0].split())
    body = lines[1 + cell_count:]
    cells, left_out = [], []
    for row in lines[1:1 + cell_count]:
        first, count, indent, in_script, span = map(int, row.split())
        lines = body[first - 1:first - 1 + count]
        if in_script > 0:
            cells.append(Cell(len(cells), lines, indent, in_script - 1, span))
        else:
            left_out.append(lines)
    return body[line_count:], cells, left_out


def about():
    """A line with the version of this Python, or with the reason why it is not used."""
    if sys.version_info < (3, 8):
        return "nbscorep:refused it is Python %d.%d; scripts need 3.8 or newer\n" \
            % sys.version_info[:2]
    return "nbscorep:python %d.%d\n" % sys.version_info[:2]


def main():
    """Answers questions until its input ends or memory has run out."""
    first = about().encode("utf-8", "surrogateescape")
    has_memory = True
    while has_memory:
        words = sys.stdin.buffer.readline().split()
        if not words:
            return
        text = sys.stdin.buffer.read(int(words[2])).decode("utf-8", "replace")
        faults = ""
        if sys.version_info >= (3, 8):
            try:
                faults = "".join(check(*read_question(text)))
            except MemoryError:
                has_memory = False
                faults = "nbscorep:too-large it needs more memory than it may use\n"
        sys.stdout.buffer.write(first + faults.encode("utf-8", "replace")
                                + b"nbscorep:done " + words[1] + b"\n")
        sys.stdout.buffer.flush()


main()
