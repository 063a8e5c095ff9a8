"""Arguments of magics: expansion of names, options, statements."""
import argparse
import ast
import getopt
import re
import shlex
import string
import warnings


def expand(text, *scopes):
    """TEXT with {expression}, $name and $$ expanded as IPython does; TEXT itself if that fails."""
    names = {}
    for scope in scopes:
        names.update(scope)

    def value(expression, conversion=None):
        return format(string.Formatter().convert_field(eval(expression, names), conversion))

    def dollar(found):
        # An odd number of quotes follows: the name is in single quotes, so the shell does not expand it.
        if found.string.count("'", found.end()) % 2:
            return found[0]
        return found[1] if found[1][0] == "$" else value(found[1])

    try:
        parts = []
        for literal, field, spec, conversion in string.Formatter().parse(text):
            parts.append(re.sub(r"\$(\$?[\w.]+)", dollar, literal))
            if field is not None:
                # The colon of a slice looks like that of a format.
                parts.append(value(f"{field}:{spec}" if spec else field, conversion))
        return "".join(parts)
    except Exception:
        return text


class UsageError(Exception):
    """Wrong arguments of a magic."""
    __module__ = "builtins"  # tracebacks name it as IPython does


def split_words(text, *scopes):
    """The expanded words of a magic's arguments, split as a shell does."""
    return shlex.split(expand(text, *scopes))


def split_options(words, short, *long):
    """The options at the start of WORDS, each with the list of its values, and the other words."""
    try:
        found, words = getopt.getopt(words, short, long)
    except getopt.GetoptError as problem:
        allowed = f'( allowed: "{short}" {" ".join(long)})'
        raise UsageError(f"{problem.msg} {allowed}") from None
    options = {}
    for option, value in found:
        options.setdefault(option.lstrip("-"), []).append(value)
    return options, words


def make_parser(name):
    """A parser of a cell magic's options, which raises IPython's UsageError."""

    def error(message):
        raise UsageError(message)

    parser = argparse.ArgumentParser(prog=name, add_help=False)
    parser.error = error
    return parser


def statement_options(text, allowed):
    """The options at the start of TEXT, as getopt finds them, and the unchanged rest."""
    words = list(re.finditer(r""""[^"]*"|'[^']*'|\S+""", text))
    options, rest = getopt.getopt([word[0] for word in words], allowed)
    return options, text[words[-len(rest)].start():] if rest else ""


def number_or_text(text):
    """TEXT as a number if it is one."""
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def translate(text):
    """TEXT with calls in place of magics and shell escapes: by IPython, and without it those that begin a line."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        def call(match):
            indent, escape, rest = match.groups()
            name, _, line = rest.partition(" ")
            words = f"system({rest!r})" if escape == "!" else f"run_line_magic({name!r}, {line.strip()!r})"
            return f"{indent}get_ipython().{words}"

        return re.sub(r"(?m)^([ \t]*)([!%])(\w.*)$", call, text)
    return TransformerManager().transform_cell(text)


def as_python(text, names):
    """The code TEXT of a magic as Python, which may use get_ipython() in the script's NAMES: from its first line that
    is not blank, without the indentation of this line."""
    first = re.match(r"(?:[ \t\f]*\r?\n)*([ \t]*)", text)
    text = re.sub("(?m)^" + first[1], "", text[first.start(1):])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what runs it shows them
            ast.parse(text)
    except (SyntaxError, ValueError):
        text = translate(text)
    if "get_ipython" in text:
        from . import interactive
        if interactive.state.shell is None:
            interactive.begin(names)
        names.setdefault("get_ipython", interactive.get_ipython)
    return text


def merged_names(names, inner):
    """The globals for exec(): those of the script; in a function a copy with its variables."""
    return names if inner is names else {**names, **inner}


class Resume:
    """Restores the instrumenter's state before OFF, for code that runs inside `with OFF:`."""

    value = None

    def __init__(self, off):
        self.off = off

    def __enter__(self):
        self.off.__exit__(None, None, None)

    def __exit__(self, *exception):
        self.off.__enter__()
