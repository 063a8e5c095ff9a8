"""The cells of a script that nbscorep wrote, held against the cells that went in. All of a cell
stands in its frame, each node at its line, and nothing else stands between the frames. But:

- `from __future__ import x` stands at the top of the script; in the cell is `pass`, or `()` where
  it took several lines.
- `global x` outside of functions means nothing in a cell, and is `pass` or `()` likewise.
- The last expression X is scorep_notebook.echo(X), or .out(N, X) where a program asks for what was
  shown, unless a semicolon follows it or X is print(...).
- A cell without a statement has no frame.
- A cell has no frame where Python's limit of nested blocks leaves no room for one.
- A cell that awaits or starts tasks is an async function, whose call stands in the frame. It shares
  all names that it binds with the module, and `x: int` is `(x): int` there.
"""
import ast
import pathlib
import sys
import tempfile

import cells

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "templates" / "scorep_notebook"))
import places  # noqa: E402

SAMPLE = 20  # of so many statements, the place of one is asked for as an exception's would be


class Difference(Exception):
    pass


def expect(condition, *words):
    if not condition:
        raise Difference(" ".join(w if isinstance(w, str) else short(w) for w in words))


def short(thing):
    if isinstance(thing, list):
        return "[" + ", ".join(map(short, thing))[:300] + "]"
    return ast.dump(thing)[:300] if isinstance(thing, ast.AST) else repr(thing)[:300]


def dump_of(source):
    return ast.dump(ast.parse(source).body[0])


PASS = dump_of("pass")
NO_ARGUMENTS = ast.dump(ast.parse("def f(): pass").body[0].args)
LEFT_BEHIND = PASS, dump_of("()")


def same_leaf(one, other):
    """1, 1.0 and True are not the same, nor are 0.0 and -0.0."""
    return one is other or (type(one) is type(other) and repr(one) == repr(other))


def same_node(one, other, shift, todo):
    line = getattr(one, "lineno", None)
    if line is not None and line + shift != other.lineno:
        raise Difference(f"line {line} is not line {line + shift} but {other.lineno}: {short(one)}")
    ours, theirs = one.__dict__, other.__dict__
    for field in one._fields:
        left, right = ours.get(field), theirs.get(field)
        kind = type(left)
        if kind is list or (isinstance(left, ast.AST) and kind._fields):
            todo.append((left, right))
        elif not same_leaf(left, right) and not (isinstance(left, ast.AST) and kind is type(right)):
            raise Difference(f"{short(left)} became {short(right)} in {short(one)}")


def same(want, got, shift, removed=()):
    """All nodes are the same, and each is SHIFT lines further down; in place of what is REMOVED
    stands what is left of it."""
    todo = [(want, got)]
    while todo:
        one, other = todo.pop()
        if removed and id(one) in removed:
            expect(ast.dump(other) in LEFT_BEHIND, one, "became", other)
        elif type(one) is not type(other):
            raise Difference(f"{short(one)} became {short(other)}")
        elif type(one) is not list:
            if isinstance(one, ast.AST):
                same_node(one, other, shift, todo)
            else:
                expect(same_leaf(one, other), one, "became", other)
        else:
            expect(len(one) == len(other), one, "became", other)
            todo += zip(one, other)


def call_of(node, name, count):
    """The arguments of name(...)."""
    found = (isinstance(node, ast.Call) and ast.unparse(node.func) == f"scorep_notebook.{name}" and
             len(node.args) == count and not node.keywords)
    return node.args if found else None


def value_shown(statement):
    value = getattr(statement, "value", None)
    found = call_of(value, "echo", 1) or call_of(value, "out", 2)
    expect(found, "the last expression is not shown:", statement)
    return found[-1]


def is_print(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) == "print"


def same_cell(cell, got, shift):
    want = cell.statements
    if not want:
        expect(not got, "no statement became", got)
        return
    removed = {id(s) for s in [*cells.futures(want), *cells.outer(want, ast.Global)]}
    last = cells.shown(cell)
    if last and not is_print(last.value):
        expect(len(want) == len(got), want, "became", got)
        same(last.value, value_shown(got[-1]), shift)
        want, got = want[:-1], got[:-1]
    same(want, got, shift, removed)


def framed(statement, call, title):
    """The body of the frame with this title, or None."""
    item = statement.items[0] if isinstance(statement, ast.With) else None
    return statement.body if item and ast.unparse(item) == f"{call}({title!r})" else None


class Script:
    """A script and its source map. MARKED: the cells are instrumented; HEAD: how many
    lines with a magic stand above a cell's own."""

    def __init__(self, text, source_map, marked, head):
        with tempfile.NamedTemporaryFile(suffix=".py") as file:
            file.write(text)
            file.flush()
            self.places = places.Places(file.name)
        tree = ast.parse(text)
        first = self.places.markers[0].row if self.places.markers else sys.maxsize
        self.front = [s for s in tree.body if s.lineno < first]
        self.rest = tree.body[len(self.front):]
        self.entries = source_map["cells"]
        self.marked = marked
        self.head = head
        self.depth = 1
        self.asked = 0

    def future_names(self):
        return [a.name for s in cells.futures(self.front) for a in s.names]

    def take_group(self, title):
        """Goes into the group's region, which is all of the program."""
        expect(len(self.rest) == 1, "the script goes on behind the group:", self.rest[1:])
        self.rest = framed(self.rest[0], "scorep.user.region", title)
        expect(self.rest, "no region of", title)
        self.depth = 2

    def take_frame(self, number):
        call = "scorep.user.region" if self.marked else "scorep.instrumenter.disable"
        body = framed(self.rest[0], call, f"cell {number}") if self.rest else None
        self.rest = self.rest if body is None else self.rest[1:]
        return body

    def take_coroutine(self, number, cell):
        """The body of the async function that the cell is."""
        name = f"_cell_{number}"
        function, self.rest = self.rest[0], self.rest[1:]
        expect(ast.dump(function.args) == NO_ARGUMENTS and not function.decorator_list, function)
        names, body = set(), function.body
        if isinstance(body[0], ast.Global):
            names, body = set(body[0].names), body[1:]
        missing = cells.bound_names(cell) - names
        expect(not missing, "not global in", name, ":", sorted(missing))
        for node in cells.outer(body, ast.AnnAssign):
            node.simple = int(isinstance(node.target, ast.Name))
        frame = self.take_frame(number)
        expect(frame and [ast.dump(s) for s in frame] == [dump_of(f"scorep_notebook.run_async({name})")],
               name, "is not awaited, but:", frame)
        return body

    def take_body(self, number, cell):
        if not cell.statements:
            return []
        if self.rest and getattr(self.rest[0], "name", None) == f"_cell_{number}" and \
           isinstance(self.rest[0], ast.AsyncFunctionDef):
            return self.take_coroutine(number, cell)
        body = self.take_frame(number)
        expect(body is not None, "no frame of cell", number)
        return body

    def check_cell(self, number, cell):
        """The next cell is this one."""
        entry, *self.entries = self.entries
        expect(entry["cell"] == number, "cell", number, "is", entry)
        lines = len(cell.lines()) + self.head
        expect(entry["lines"] == lines, "cell", number, "of", lines, "lines is", entry)
        if not self.head and not cell.text.strip():
            return
        body = self.take_body(number, cell)
        same_cell(cell, body, entry["script_line"] - 1 + self.head - cell.offset)
        for got in body if cell.statements else []:
            self.asked += 1
            if self.asked % SAMPLE == 1:
                self.check_place(got, number, entry)

    def check_place(self, statement, number, entry):
        """What is said where an exception comes from STATEMENT."""
        line = statement.lineno - entry["script_line"] + 1
        said = self.places.find(statement.lineno)
        expect(said == (None, number, line), said, "is not", (number, line))

    def check_end(self, all_cells):
        if self.depth == 2 and not any(cell.statements for cell in all_cells):
            expect([ast.dump(s) for s in self.rest] == [PASS], "an empty group has", self.rest)
            self.rest = []
        expect(not self.rest, "the script goes on behind its cells:", self.rest)
        expect(not self.entries, "the map goes on behind the cells:", self.entries)
