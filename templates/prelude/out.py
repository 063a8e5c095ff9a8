# requires: quiet display
Out = _oh = {}
_ = __ = ___ = ""


@_nbscorep_apart
def _nbscorep_set_unders(value):
    """Moves _, __ and ___ on, unless the user has set one of them or there is a builtin _."""
    import builtins
    unders = "_", "__", "___"
    names = _nbscorep_globals
    last = _nbscorep_set_unders.last
    _nbscorep_set_unders.last = value, *last[:2]
    foreign = getattr(builtins, "_", None) is not _nbscorep_underscore.value
    if foreign and names.get("_") is last[0]:
        del names["_"]
    elif not foreign and all(names.get(name, old) is old for name, old in zip(unders, last)):
        names.update(zip(unders, _nbscorep_set_unders.last))


_nbscorep_set_unders.last = "", "", ""


@_nbscorep_apart
def _nbscorep_show_out(number, value):
    """Shows VALUE and keeps it, if it is not for %%capture and not the history itself."""
    kept = _nbscorep_display.sink is None and value is not _oh
    if _nbscorep_shows:
        _nbscorep_show_all((value,))
    if kept:
        _nbscorep_set_unders(value)
        _nbscorep_globals[f"_{number}"] = _oh[number] = value


@_nbscorep_quiet
def _nbscorep_out(number, value):
    """Shows VALUE as that of the last expression of the cell with the prompt NUMBER."""
    if value is not None:
        with scorep.instrumenter.disable():
            _nbscorep_show_out(number, value)
