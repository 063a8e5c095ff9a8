# requires: quiet expand
@_nbscorep_apart
def _nbscorep_register(kind, function, name=None):
    """Makes FUNCTION the magic NAME of the script: "line", "cell" or "line_cell"."""
    def scope(scopes):
        wanted = scopes and getattr(function, "needs_local_scope", False)
        return {"local_ns": scopes[-1]} if wanted else {}

    @_nbscorep_quiet
    def line(text, *scopes):
        with scorep.instrumenter.disable():
            text = _nbscorep_expand(text, *scopes)
            more = scope(scopes)
        return function(text, **more)

    @_nbscorep_quiet
    def cell(text, body, *scopes):
        with scorep.instrumenter.disable():
            text = _nbscorep_expand(text, *scopes)
            more = scope(scopes)
        return function(text, body, **more)

    table = _nbscorep_globals.setdefault("_nbscorep_magics", {})
    for one, call in (("line", line), ("cell", cell)):
        if one in kind.split("_"):
            table[name or function.__name__, one] = (call, "")
    return function
