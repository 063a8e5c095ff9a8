# requires: quiet
@_nbscorep_apart
def _nbscorep_statement_options(text, allowed):
    """The options at the front of TEXT, as getopt finds them, and the rest of it as it is."""
    import getopt
    import re
    words = list(re.finditer(r""""[^"]*"|'[^']*'|\S+""", text))
    options, rest = getopt.getopt([word[0] for word in words], allowed)
    return options, text[words[-len(rest)].start():] if rest else ""


@_nbscorep_apart
def _nbscorep_outdent(text):
    """TEXT from its first line that is not blank, without the indentation of that."""
    import re
    first = re.match(r"(?:[ \t\f]*\r?\n)*([ \t]*)", text)
    return re.sub("(?m)^" + first[1], "", text[first.start(1):])


@_nbscorep_apart
def _nbscorep_names(names, inner):
    """What exec() takes as globals: the user's, in a function a copy with its variables."""
    return names if inner is names else {**names, **inner}


class _nbscorep_resume:
    """The instrumenter as it was around OFF, for code that runs inside `with OFF:`."""

    value = None

    @_nbscorep_apart
    def __init__(self, off):
        self.off = off

    @_nbscorep_quiet
    def __enter__(self):
        self.off.__exit__(None, None, None)

    @_nbscorep_quiet
    def __exit__(self, *exception):
        self.off.__enter__()
