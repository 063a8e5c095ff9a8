# requires: expand options
@_nbscorep_apart
def _nbscorep_is_ours(name, names):
    """Whether NAME is Python's, Score-P's or the prelude's, not the user's."""
    if name == "scorep" or name.startswith("_nbscorep_") or name in (
            "__name__", "__doc__", "__package__", "__loader__", "__spec__", "__file__",
            "__cached__", "__builtins__", "__annotations__"):
        return True
    value = names[name]
    return callable(value) and any(
        value is other for key, other in names.items() if key.startswith("_nbscorep_"))


@_nbscorep_apart
def _nbscorep_who_ls(text, *scopes):
    """%who_ls [TYPE...]: the user's names"""
    names = scopes[0]
    types = _nbscorep_expand(text, *scopes).split()
    return sorted(name for name in names
                  if not name.startswith("_") and not _nbscorep_is_ours(name, names)
                  and (not types or type(names[name]).__name__ in types))


@_nbscorep_apart
def _nbscorep_reset_out(names):
    import builtins
    print(f"Flushing output cache ({hasattr(builtins, '_'):d} entries)")
    vars(builtins).pop("_", None)


@_nbscorep_apart
def _nbscorep_reset_dhist(names):
    print("Flushing directory history")
    names.get("_nbscorep_visited", []).clear()


@_nbscorep_apart
def _nbscorep_reset_array(names):
    try:
        from numpy import ndarray
    except ImportError:
        print("reset array only works if Numpy is available.")
        return
    for name in [name for name, value in names.items() if isinstance(value, ndarray)]:
        del names[name]


@_nbscorep_apart
def _nbscorep_reset_in(names):
    print("Flushing input history")


_nbscorep_reset_parts = {
    "in": _nbscorep_reset_in,
    "out": _nbscorep_reset_out,
    "dhist": _nbscorep_reset_dhist,
    "array": _nbscorep_reset_array,
}


@_nbscorep_apart
def _nbscorep_reset_names(soft, *scopes):
    """Removes the user's names; a soft reset leaves those that begin with _."""
    import builtins
    names = scopes[0]
    if soft:
        doomed = _nbscorep_who_ls("", *scopes)
    else:
        doomed = [name for name in names if not _nbscorep_is_ours(name, names)]
        vars(builtins).pop("_", None)
    for name in doomed:
        del names[name]


@_nbscorep_apart
def _nbscorep_reset(text, *scopes):
    """%reset [-f] [-s] [in] [out] [dhist] [array]: does not ask, as in a kernel without input"""
    import gc
    import sys
    options, parts = _nbscorep_options(_nbscorep_words(text, *scopes), "sf", "aggressive")
    if "s" in options or not parts:
        _nbscorep_reset_names("s" in options, *scopes)
    if "aggressive" in options:
        print("%reset --aggressive: modules stay loaded in batch", file=sys.stderr)
    for part in map(str.lower, parts):
        if part in _nbscorep_reset_parts:
            _nbscorep_reset_parts[part](scopes[0])
        else:
            print(f"Don't know how to reset  {part}, please run `%reset?` for details")
    gc.collect()


@_nbscorep_apart
def _nbscorep_reset_selective(text, *scopes):
    """%reset_selective [-f] REGEX"""
    import re
    options, words = _nbscorep_options(_nbscorep_words(text, *scopes), "f")
    if not words:
        print("No regex pattern specified. Nothing done.")
        return
    pattern = re.compile(" ".join(words))
    for name in filter(pattern.search, _nbscorep_who_ls("", *scopes)):
        del scopes[0][name]


@_nbscorep_apart
def _nbscorep_xdel(text, *scopes):
    """%xdel [-n] NAME: also the object's other names; -n: that name only"""
    import builtins
    names = scopes[0]
    options, words = _nbscorep_options(_nbscorep_words(text, *scopes), "n")
    name = " ".join(words)
    if name in ("__builtin__", "__builtins__"):
        print(f"ValueError: Refusing to delete {name}")
    elif name in names:
        value = names[name]
        same = [name] if "n" in options else [n for n, other in names.items() if other is value]
        for doomed in [n for n in same if not _nbscorep_is_ours(n, names)]:
            del names[doomed]
        if vars(builtins).get("_", builtins) is value:
            del builtins._
    elif "n" not in options:
        print(f"NameError: name '{name}' is not defined")
