"""%%writefile and %pycat."""
import io
import os
import shlex
import tokenize
import urllib.request

from . import calls
from .magic_arguments import UsageError, expand, make_parser


@calls.unrecorded
def writefile(arguments, text, *scopes):
    """%%writefile [-a] FILE"""
    if text == "":
        raise UsageError("%%writefile is a cell magic, but the cell body is empty.")
    parser = make_parser("%%writefile")
    parser.add_argument("-a", "--append", action="store_true")
    parser.add_argument("filename")
    words = shlex.split(expand(arguments, *scopes), posix=False)
    options = parser.parse_args(words)
    name = options.filename
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        name = name[1:-1]
    name = os.path.expanduser(name)
    exists = os.path.exists(name)
    print("Appending to" if exists and options.append else "Overwriting" if exists else "Writing",
          name)
    with open(name, "a" if options.append else "w", encoding="utf-8") as file:
        file.write(text)


def python_text(file):
    """The text of FILE, a binary file with Python code, in the encoding that it declares."""
    data = file.read()
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    for name in encoding, "latin-1":
        try:
            return io.TextIOWrapper(io.BytesIO(data), encoding=name).read()
        except UnicodeDecodeError:
            pass


def find_text(target, names):
    """The text that %pycat shows of TARGET: a URL, a file, or an expression whose value is a string."""
    if target.startswith(("http://", "https://")):
        with urllib.request.urlopen(target) as page:
            return python_text(page)
    name = os.path.expanduser(target)
    for path in name, name if name.endswith(".py") else name + ".py":
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return python_text(file)
    if os.path.isdir(name):
        raise ValueError(f"'{target}' is a directory, not a regular file.")
    try:
        text = eval(target, names)
    except Exception as problem:
        raise ValueError(f"'{target}' was not found") from problem
    if not isinstance(text, str):
        raise TypeError(f"{target} is neither a string nor a macro.", text)
    return text


@calls.unrecorded
def pycat(arguments, *scopes):
    """%pycat: shows a file, without a pager"""
    try:
        text = find_text(expand(arguments, *scopes).strip(), scopes[0])
    except (ValueError, OSError):
        print("Error: no such file, variable, URL, history range or macro")
        return
    print(text, end="" if text.endswith("\n") else "\n")
