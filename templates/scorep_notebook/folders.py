"""%cd, %pushd and similar: the current folder."""
import os
import pathlib
import re
import shlex

from . import calls
from .magic_arguments import UsageError, expand, split_options
from .running import start

VISITED = [pathlib.Path(start.folder)] if start.folder else []  # the first one as IPython has it
STACK = []


def keep_folders(names):
    """Gives the script _dh."""
    names["_dh"] = VISITED


def visited_folder(text):
    """The folder of the history that -N or --PART means. Prints a message and returns None if there is
    no such folder."""
    if not text.startswith("--"):
        number = int(text[1:])
        if number < len(VISITED):
            return VISITED[number]
        print("The requested directory does not exist in history.")
        return None
    folders = [folder for folder in reversed(VISITED) if os.path.isdir(folder)]
    for look_at in os.path.basename, str:
        for folder in folders:
            if text[2:] in look_at(folder):
                return folder
    print("No matching entry in directory history")
    return None


def named_folder(text):
    """The folder that the TEXT of %cd names without the history, and the options."""
    options, words = split_options(shlex.split(text), "qb")
    folder = " ".join(words)
    if folder == "-":
        if len(VISITED) < 2:
            raise UsageError("%cd -: No previous directory to change to.")
        folder = VISITED[-2]
    elif "b" in options:
        raise UsageError(
            f"Bookmark '{folder}' not found.  Use '%bookmark -l' to see your bookmarks.")
    return folder or "~", options


def change_folder(text):
    """%cd with TEXT, which is expanded already."""
    options = ()
    if re.fullmatch(r"-\d+|--.*", text):
        folder = visited_folder(text)
        if folder is None:
            return
    else:
        folder, options = named_folder(text)
    try:
        os.chdir(os.path.expanduser(folder))
        VISITED.append(os.getcwd())
    except OSError as problem:
        print(problem)
    if "q" not in options and VISITED:
        print(VISITED[-1])


@calls.unrecorded
def cd(text, *scopes):
    change_folder(expand(text, *scopes).strip())


@calls.unrecorded
def pushd(text, *scopes):
    """%pushd: the stack of folders"""
    home = os.path.realpath(os.path.expanduser("~"))
    before = os.getcwd().replace(home, "~")
    text = expand(text, *scopes).strip()
    if text:
        change_folder(text)
    STACK.insert(0, before)
    return STACK


@calls.unrecorded
def popd(text, *scopes):
    if not STACK:
        raise UsageError("%popd on empty stack")
    folder = STACK.pop(0)
    change_folder(folder)
    print("popd ->", folder)


@calls.unrecorded
def dirs(text, *scopes):
    """%dirs: the stack of folders"""
    return STACK


@calls.unrecorded
def dhist(text, *scopes):
    """%dhist [N | FIRST END]"""
    count = len(VISITED)
    try:
        numbers = [int(word) for word in expand(text, *scopes).split()]
        first, end = numbers if len(numbers) > 1 else (count - (numbers or [count])[0], count)
    except ValueError:
        raise UsageError("%dhist takes no, one or two numbers") from None
    print("Directory history (kept in _dh)")
    for i in range(max(first, 0), min(end, count)):
        print(f"{i}: {VISITED[i]}")


@calls.unrecorded
def pwd(text, *scopes):
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise UsageError(
            "CWD no longer exists - please use %cd to change directory.") from None
