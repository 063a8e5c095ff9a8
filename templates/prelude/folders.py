# requires: expand options search_here
@_nbscorep_apart
def _nbscorep_here():
    """The current folder as a list, which is empty where it has been removed."""
    import os
    try:
        return [os.getcwd()]
    except FileNotFoundError:
        return []


_nbscorep_visited = _nbscorep_here()
_nbscorep_stack = []


@_nbscorep_apart
def _nbscorep_visited_folder(text):
    """The folder of the history that -N or --PART means; None, with a message, if there is none."""
    import os
    if not text.startswith("--"):
        number = int(text[1:])
        if number < len(_nbscorep_visited):
            return _nbscorep_visited[number]
        print("The requested directory does not exist in history.")
        return None
    folders = [folder for folder in reversed(_nbscorep_visited) if os.path.isdir(folder)]
    for look_at in os.path.basename, str:
        for folder in folders:
            if text[2:] in look_at(folder):
                return folder
    print("No matching entry in directory history")
    return None


@_nbscorep_apart
def _nbscorep_named_folder(text):
    """The folder that %cd's TEXT means where it is no part of the history, and the options."""
    import shlex
    options, words = _nbscorep_options(shlex.split(text), "qb")
    folder = " ".join(words)
    if folder == "-":
        if len(_nbscorep_visited) < 2:
            raise _nbscorep_usage_error("%cd -: No previous directory to change to.")
        folder = _nbscorep_visited[-2]
    elif "b" in options:
        raise _nbscorep_usage_error(
            f"Bookmark '{folder}' not found.  Use '%bookmark -l' to see your bookmarks.")
    return folder or "~", options


@_nbscorep_apart
def _nbscorep_change_folder(text):
    """%cd with TEXT expanded already."""
    import os
    import re
    options = ()
    if re.fullmatch(r"-\d+|--.*", text):
        folder = _nbscorep_visited_folder(text)
        if folder is None:
            return
    else:
        folder, options = _nbscorep_named_folder(text)
    try:
        os.chdir(os.path.expanduser(folder))
        _nbscorep_visited.append(os.getcwd())
    except OSError as problem:
        print(problem)
    if "q" not in options and _nbscorep_visited:
        print(_nbscorep_visited[-1])


@_nbscorep_apart
def _nbscorep_cd(text, *scopes):
    """%cd"""
    _nbscorep_change_folder(_nbscorep_expand(text, *scopes).strip())


@_nbscorep_apart
def _nbscorep_pushd(text, *scopes):
    """%pushd: the stack of folders"""
    import os
    home = os.path.realpath(os.path.expanduser("~"))
    before = os.getcwd().replace(home, "~")
    text = _nbscorep_expand(text, *scopes).strip()
    if text:
        _nbscorep_change_folder(text)
    _nbscorep_stack.insert(0, before)
    return _nbscorep_stack


@_nbscorep_apart
def _nbscorep_popd(text, *scopes):
    """%popd"""
    if not _nbscorep_stack:
        raise _nbscorep_usage_error("%popd on empty stack")
    folder = _nbscorep_stack.pop(0)
    _nbscorep_change_folder(folder)
    print("popd ->", folder)


@_nbscorep_apart
def _nbscorep_dirs(text, *scopes):
    """%dirs: the stack of folders"""
    return _nbscorep_stack


@_nbscorep_apart
def _nbscorep_dhist(text, *scopes):
    """%dhist [N | FIRST END]"""
    count = len(_nbscorep_visited)
    try:
        numbers = [int(word) for word in _nbscorep_expand(text, *scopes).split()]
        first, end = numbers if len(numbers) > 1 else (count - (numbers or [count])[0], count)
    except ValueError:
        raise _nbscorep_usage_error("%dhist takes no, one or two numbers") from None
    print("Directory history (kept in _dh)")
    for i in range(max(first, 0), min(end, count)):
        print(f"{i}: {_nbscorep_visited[i]}")


@_nbscorep_apart
def _nbscorep_pwd(text, *scopes):
    """%pwd"""
    import os
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise _nbscorep_usage_error(
            "CWD no longer exists - please use %cd to change directory.") from None
