"""Python cells made of real code by changes that are hard on lexers and on framing: for
differential.py. All chance comes from one random.Random."""
import ast
import pathlib
import re
import sys
import sysconfig

import lexing

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "tests" / "fidelity"))
import written  # noqa: E402

LARGEST = 3000      # characters of a cell
# Enough of Python to change a text without tearing every literal.
LONG = r"'''(?:\\.|[^\\])*?'''"
SHORT = r"'(?:\\.|[^\\'\n])*'"
PIECE = re.compile("|".join((
    "[bfruBFRU]{0,2}(?:%s)" % "|".join((LONG, LONG.replace("'", '"'),
                                        SHORT, SHORT.replace("'", '"'))),
    r"#[^\n]*", r"\w+", r"\n[ \t\f]*", r"[ \t\f]+", r"\\\n", ":=", "->", r"\*\*", "//", "[<>=!]=",
    ".")), re.DOTALL)
STRINGS = (
    'f"{x!r:>{w}}"', "f'{x}' 'y' rb\"\\\"\"", 'f"{y[\'a\']:{z}{{}}}"', '"""a\n  b\\\n\tc"""',
    "'''\n# %% cell 1\n'''", 'f"""{\nx}\n"""', "r'\\\\'", "'\\\n  %time\\\n'", "b'\\x00'",
    "''''a'''", '"\u2028"', "'a' \"b\" f'{c=}'", "f'{lambda x: 1}'", "f'{(lambda x: 1)}'",
    "f'{x:%H:%M}'", 'rf"\\{x}\\N{y}"', "f'\\N{DIGIT ONE}{x}'", "'#'", "f'{x!s}#'",
    "f'''{'''a'''}'''", 'f"{f\'{x}\'}"', "f'{x:{\"a\"}}'", "f'{{{x}}}'", "f'{x,}'", "f'{*a, b}'",
)
NAMES = (
    "x", "é", "ｆ", "_", "match", "case", "type", "Out", "𝔘", "print", "async_", "f", "rb",
    "display", "In", "lambda_", "\u0100x\u0301", "__file__",
)
STATEMENTS = (
    "await x", "async with a as b: pass", "async for a in b:\n  pass", "[x async for x in y]",
    "match x:\n  case [a, *b] if c: pass\n  case {'k': v, **r}: pass\n  case A(b=1) | None: pass",
    "match(x)", "match = case = 1", "match x, y:\n  case _: pass",
    "@a.b(c)\ndef f(x, /, *, y=1): pass", "@x\n@y\nclass A(B, metaclass=C): z: int = 1",
    "from __future__ import annotations",
    "from __future__ import (division,\n  print_function as p)", "global x", "global x, y; x = 1",
    "x: int = 1", "x: 'int'", "(x): int = 1", "a.b: c = d", "def f():\n  global x\n  x = 1",
    "async def f():\n  await x\n  yield 1", "x = yield_ = 1;", "if (y := f(x)) > 1: y",
    "lambda: (yield)",
    "try:\n  x\nexcept (A, B) as e:\n  raise C from e\nelse: pass\nfinally:\n  y",
    "del x, y[1:2, ::3]", "with (a as b, c as d): x", "with a, b as c: x",
    "while x: break\nelse: x", "assert x, y", "return_ = not x", "*a, b = c", "x = *a, b", "*a, b",
    "a, = b", "x,", "(x)", "x; y", "x;", "x # y;", "print(x, file=y)", "x if y else z",
    "x\n# comment\n", "'''doc'''", "...", "x @ y", "x @= y",
    "1_000.5e-3j + 0x_fF + 0o17 + 0b1 + .5", "1if x else 2", "0xfor x", "x<-1>=y", "[*a, *b]",
    "{**a}", "f(*a, **b)", "x[a:=1]", "for x, *y in *a, b: pass", "import a.b as c, d",
    "from . import x", "from a import (b, # c\n  d,)", "class A: pass",
    "class A:\n\n  def f(self): pass\n\n\n  x = 1", "if x:\n\ty\n\tif z:\n\t    a\n\telse:\n\t\tb",
    "if x: pass\nelif y: z\nelse: await x", "raise A", "nonlocal_ = 1", "pass",
    "print(f'''\n{x}\n''')", "x = \\\n  1", "if \\\n  x: \\\n  y",
    "def f(a: int = 1, *b: c, d: e = f, **g) -> h: return a", "type X = int", "[\n\n  x,\n# c\n ]",
    "x = [a for b in c if d for e in f]", "async def f(): return [await x async for x in y]",
    "class A:\n  x = [await y for y in z]", "def f(x=await_): pass", "def f(x: (yield_)): pass",
)
BLANKS = (
    " \\\n", "\\\n", "\\\n\\\n", "\\\r\n", "\t", "\f", "  ",
)
LINE_ENDS = (
    "  # c ;", "\n# c", "\n\t# c", " # '''", "\n\n", "\n\f", "\n   \n", "#\\", ";", " ; ",
)
HEADERS = (
    "if x:", "with a as b:", "try:", "def f():", "class A:", "for x in y:", "async def f():",
    "while x: # c", "async with a:", "if x: # '''", "async for x in y:", "@a\ndef f(\n  x):",
    "match x:\n  case 1:",
)
MARKS = (
    "(", ")", "[", "]", "{", "}", ":", ",", ";", "@", "=", ":=", "!", "?", "%", "\\", "'", '"',
    "'''", "\n", "\t", "\f", "\r", "#", "*", "await ", "async ", "lambda: ", "not ", "1", ".",
    "...", "->", "$", "\u00a0", "\x0b", "<>",
)
FRONTS = (
    "\n", "# c\n", "\n\n  # c\n", "\f", "\\\n", "'''d'''\n", "\ufeff", "  \n",
    "from __future__ import annotations\n", "#!x\n", "\t\n",
)
BACKS = (
    "\n", "\n\n", ";", " # c", "\n# c", "\\", "\\\n", "\nx", "\nx;", "\n(x,\ny)", "\n  ", "\n\f",
    "\n'''\n'''", "\nf'''{\nx}'''", "\n*a, b # c", "\nx\n;", "\nx \\\n  # c", "\nlambda: x",
    "\nawait x", "\nx if y else z; ",
)


def library_files(chance, count):
    """Texts of COUNT files of the standard library."""
    paths = sorted(pathlib.Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    for path in chance.sample(paths, min(count, len(paths))):
        try:
            yield path.read_text(encoding="utf-8").removeprefix("\ufeff")
        except (UnicodeDecodeError, OSError):
            continue


def fixture_cells():
    for path in sorted((ROOT / "fixtures").rglob("*.ipynb")):
        yield from lexing.cells_of(path)
    for path in sorted((ROOT / "tests" / "fidelity" / "notebooks").glob("*.ipy")):
        yield from (source for _, source in written.cells_of(path))


def statements(text):
    """TEXT cut at its top-level statements."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    lines, cuts = text.split("\n"), sorted({node.lineno - 1 for node in tree.body
                                            if not getattr(node, "decorator_list", None)})
    return ["\n".join(lines[a:b]) for a, b in zip(cuts, cuts[1:] + [len(lines)])]


class Mutator:
    def __init__(self, chance, files=40):
        self.chance = chance
        self.stock = [s for text in library_files(chance, files) for s in statements(text)]
        self.stock += [c for c in fixture_cells() if c]
        # Lone surrogates are none of Python's: the reader takes them out.
        self.stock = [s.encode("utf-8", "replace").decode() for s in self.stock
                      if len(s) <= LARGEST]

    def cell(self):
        """A cell: real code, some of it changed. Often Python still, not always."""
        pick = self.chance.random()
        if pick < 0.3:
            text = "\n".join(self.chance.choice(STATEMENTS)
                             for _ in range(self.chance.randrange(1, 5)))
        else:
            text = "\n".join(self.chance.choice(self.stock)
                             for _ in range(self.chance.randrange(1, 4)))
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 2, 3, 5))):
            text = self.chance.choice(self.CHANGES)(self, text)
        return text[:4 * LARGEST]

    def pieces(self, text):
        return PIECE.findall(text)

    def at(self, pieces, wanted):
        """The index of a piece that WANTED takes, or None."""
        found = [i for i, p in enumerate(pieces) if wanted(p)]
        return self.chance.choice(found) if found else None

    def replace(self, text, wanted, make):
        pieces = self.pieces(text)
        index = self.at(pieces, wanted)
        if index is not None:
            pieces[index] = make(pieces[index])
        return "".join(pieces)

    def change_string(self, text):
        return self.replace(text, lambda p: p[-1:] in "'\"" and len(p) > 1,
                            lambda p: self.chance.choice(STRINGS + ("f" + p, "r" + p, f"f{p!r}")))

    def change_name(self, text):
        return self.replace(text, str.isidentifier, lambda _: self.chance.choice(NAMES + STRINGS))

    def rename(self, text):
        pieces = self.pieces(text)
        index = self.at(pieces, str.isidentifier)
        if index is None:
            return text
        new = self.chance.choice(NAMES)
        return "".join(new if p == pieces[index] else p for p in pieces)

    def continue_line(self, text):
        return self.replace(text, lambda p: p.isspace() and "\n" not in p,
                            lambda p: self.chance.choice(BLANKS))

    def comment(self, text):
        return self.replace(text, lambda p: p.startswith("\n"), lambda p: self.chance.choice(
            LINE_ENDS) + p)

    def indentation(self, text):
        unit = self.chance.choice(("\t", " ", "  ", "        ", "   \t", " \t", "\f  "))
        return re.sub(r"(?m)^((?: {4})+)", lambda m: unit * (len(m[1]) // 4), text)

    def indent(self, text):
        """All of it below a header; strings change, but what is Python stays so."""
        head = self.chance.choice(HEADERS)
        shift = self.chance.choice(("    ", "  ", "\t", " " * 12))
        tail = "\nfinally: pass" if head == "try:" else self.chance.choice(("", "", "\n", "\nx"))
        return head + "\n" + "\n".join(shift + line for line in text.split("\n")) + tail

    def line_ends(self, text):
        if self.chance.random() < 0.7:
            return text.replace("\n", self.chance.choice(("\r\n", "\r")))
        return self.replace(text, lambda p: p.startswith("\n"),
                            lambda p: self.chance.choice(("\r\n", "\r", "\n\r")) + p[1:])

    def drop(self, text):
        return self.replace(text, lambda p: True, lambda _: "")

    def twice(self, text):
        return self.replace(text, lambda p: True, lambda p: p * 2)

    def insert(self, text):
        piece = self.chance.choice(MARKS)
        at = self.chance.randrange(len(text) + 1)
        return text[:at] + piece + text[at:]

    def splice(self, text):
        lines = text.split("\n")
        at = self.chance.randrange(len(lines) + 1)
        indent = re.match(r"[ \t]*", lines[at - 1])[0] if at else ""
        new = self.chance.choice(STATEMENTS).split("\n")
        return "\n".join(lines[:at] + [indent + line for line in new] + lines[at:])

    def front(self, text):
        return self.chance.choice(FRONTS) + text

    def back(self, text):
        return text + self.chance.choice(BACKS)

    CHANGES = (
        change_string, change_string, change_name, rename, continue_line, continue_line, comment,
        comment, indentation, indent, indent, line_ends, drop, twice, insert, insert, splice,
        splice, splice, front, back, back,
    )
