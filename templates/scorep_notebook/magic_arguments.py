"""Arguments of magics: expansion of names, options, statements."""
import argparse
import getopt
import re
import shlex
import string


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


def outdent(text):
    """TEXT from its first line that is not blank, without the indentation of this line."""
    first = re.match(r"(?:[ \t\f]*\r?\n)*([ \t]*)", text)
    return re.sub("(?m)^" + first[1], "", text[first.start(1):])


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
