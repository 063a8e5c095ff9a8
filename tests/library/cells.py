"""Python files as cells: their text, the cells made of it, and what those have to come out as."""
import __future__
import ast
import re
import symtable
import tokenize
import warnings

from IPython.core import inputtransformer2

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
CLEANUP = (inputtransformer2.leading_indent, inputtransformer2.classic_prompt,
           inputtransformer2.ipython_prompt)
FUTURES = set(__future__.all_feature_names) - {"barry_as_FLUFL"}
FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
NESTING = (ast.stmt, ast.ExceptHandler) + ((ast.match_case,) if hasattr(ast, "match_case") else ())


def compile_quietly(source, flags=0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, "cell", "exec", flags, dont_inherit=True)


def compiles(source, flags=0):
    """What compile() makes of SOURCE, or None where it does not accept it."""
    try:
        return compile_quietly(source, flags)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse(source):
    """The tree, or None where ast.parse() does not accept SOURCE."""
    return compiles(source, ast.PyCF_ONLY_AST)


def read(path):
    """A file as the text of a cell, which has no encoding and no BOM: (text, tree), or None."""
    data = path.read_bytes()
    if parse(data) is None:
        return None
    with open(path, "rb") as stream:
        encoding, _ = tokenize.detect_encoding(stream.readline)
    text = data.decode(encoding)
    # Without its declaration's file, a declaration is a comment.
    return text, parse(text)


class Cell:
    """TEXT, and the STATEMENTS that it is; OFFSET: their line numbers less the cell's own."""

    def __init__(self, text, statements, offset=0):
        self.text = text
        self.statements = statements
        self.offset = offset

    def lines(self):
        return LINE.findall(self.text)


def whole(text, tree):
    return [Cell(text, tree.body)]


def begins_cell(line):
    """A first line that is indented would be taken as a cell that is indented as a whole."""
    return not line[:1].isspace()


def first_lines(lines, body):
    """For each statement that begins a line: where its cell begins, comments above it included.
    What is above the first statement is its cell's, too."""
    starts, end = [], 0
    for statement in body:
        decorators = getattr(statement, "decorator_list", [])
        line = min([statement.lineno] + [d.lineno for d in decorators])
        if line > end:
            first = end
            while first < line - 1 and not begins_cell(lines[first]):
                first += 1
            starts.append(first if starts else 0)
        else:
            starts.append(None)
        end = statement.end_lineno
    return starts


def split(text, tree):
    """A cell for each statement at the top level; those that share a line share a cell. The cells'
    texts together are TEXT."""
    lines, cells, group = LINE.findall(text), [], []
    starts = first_lines(lines, tree.body)
    begins = [s for s in starts if s is not None] + [len(lines)]
    for statement, start in zip(tree.body, starts):
        if start is not None:
            group.append([])
        group[-1].append(statement)
    for first, last, statements in zip(begins, begins[1:], group):
        cells.append(Cell("".join(lines[first:last]), statements, first))
    return cells or whole(text, tree)


def cleaned(cell):
    """CELL with the statements that IPython finds in it: it takes off prompts as of a session, and
    the indentation of the first line. Few texts of the library seem to have any."""
    lines = [line.rstrip("\r\n") + "\n" for line in cell.lines()]
    blank = next((i for i, line in enumerate(lines) if not line.isspace()), len(lines))
    left = lines[blank:]
    for transform in CLEANUP:
        left = transform(left) if left else left
    if left == lines[blank:]:
        return cell
    return Cell(cell.text, ast.parse("".join(lines[:blank] + left)).body)


def futures(statements):
    """Imports that change how a script is read. Those of other names stay, for Python to refuse."""
    return [s for s in statements
            if isinstance(s, ast.ImportFrom) and s.module == "__future__" and not s.level and
            all(alias.name in FUTURES for alias in s.names)]


def outer(statements, kind):
    """The statements of this KIND outside of functions."""
    todo = list(statements)
    while todo:
        node = todo.pop()
        if isinstance(node, kind):
            yield node
        elif isinstance(node, NESTING) and not isinstance(node, FUNCTIONS):
            todo += ast.iter_child_nodes(node)


def shown(cell):
    """The last expression, which Jupyter shows unless a semicolon follows it."""
    last = cell.statements[-1] if cell.statements else None
    if not isinstance(last, ast.Expr):
        return None
    line = cell.lines()[last.end_lineno - cell.offset - 1].encode()
    rest = line[last.end_col_offset:].strip()
    return None if rest.startswith(b";") else last


def bound_names(cell):
    """What the cell's own code binds in its module."""
    table = symtable.symtable(cell.text, "cell", "exec")
    return {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
