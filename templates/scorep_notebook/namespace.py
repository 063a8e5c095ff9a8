"""%reset, %who_ls, %xdel: the names of the notebook."""
import builtins
import gc
import re
import sys

import scorep.instrumenter

from . import calls
from .folders import VISITED
from .magic_arguments import expand, split_options, split_words


OURS = {"scorep", "scorep_notebook", "__name__", "__doc__", "__package__", "__loader__", "__spec__",
        "__file__", "__cached__", "__builtins__", "__annotations__"}


def is_ours(name, names):
    """True if NAME belongs to Python or the script, not to the notebook."""
    value = names[name]
    return name in OURS or callable(value) and getattr(value, "__module__", None) in (
        f"{__package__}.rich_display", f"{__package__}.interactive")


@calls.unrecorded
def who_ls(text, *scopes):
    """%who_ls [TYPE...]: the notebook's names"""
    names = scopes[0]
    types = expand(text, *scopes).split()
    return sorted(name for name in names
                  if not name.startswith("_") and not is_ours(name, names)
                  and (not types or type(names[name]).__name__ in types))


def reset_array(names):
    try:
        from numpy import ndarray
    except ImportError:
        print("reset array only works if Numpy is available.")
        return
    for name in [name for name, value in names.items() if isinstance(value, ndarray)]:
        del names[name]


@calls.unrecorded
def reset(text, *scopes):
    """%reset [-f] [-s] [in] [out] [dhist] [array]; never asks for confirmation"""
    options, parts = split_options(split_words(text, *scopes), "sf", "aggressive")
    doomed, names = [], scopes[0]
    if "s" in options:  # a soft reset keeps the names that begin with _
        doomed = who_ls.with_names("", *scopes)
    elif not parts:
        doomed = [name for name in names if not is_ours(name, names)]
        vars(builtins).pop("_", None)
    for name in doomed:
        del names[name]
    if "aggressive" in options:
        print("%reset --aggressive: modules stay loaded in batch", file=sys.stderr)
    for part in map(str.lower, parts):
        if part == "in":
            print("Flushing input history")
        elif part == "out":
            print(f"Flushing output cache ({hasattr(builtins, '_'):d} entries)")
            vars(builtins).pop("_", None)
        elif part == "dhist":
            print("Flushing directory history")
            VISITED.clear()
        elif part == "array":
            reset_array(names)
        else:
            print(f"Don't know how to reset  {part}, please run `%reset?` for details")
    gc.collect()


@calls.unrecorded
def reset_selective(text, *scopes):
    """%reset_selective [-f] REGEX"""
    options, words = split_options(split_words(text, *scopes), "f")
    if not words:
        print("No regex pattern specified. Nothing done.")
        return
    pattern = re.compile(" ".join(words))
    for name in filter(pattern.search, who_ls.with_names("", *scopes)):
        del scopes[0][name]


@calls.unrecorded
def xdel(text, *scopes):
    """%xdel [-n] NAME: deletes all names of the object; -n: only NAME"""
    names = scopes[0]
    options, words = split_options(split_words(text, *scopes), "n")
    name = " ".join(words)
    if name in ("__builtin__", "__builtins__"):
        print(f"ValueError: Refusing to delete {name}")
    elif name in names:
        value = names[name]
        same = [name] if "n" in options else [n for n, other in names.items() if other is value]
        for doomed in [n for n in same if not is_ours(n, names)]:
            del names[doomed]
        if vars(builtins).get("_", builtins) is value:
            del builtins._
    elif "n" not in options:
        print(f"NameError: name '{name}' is not defined")


def keep_names(names):
    """Makes the names that frames and helpers use builtins, so that a notebook can delete all names."""
    builtins.scorep = scorep
    builtins.scorep_notebook = sys.modules[__package__]
