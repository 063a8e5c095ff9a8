# requires: expand command_shell
class _nbscorep_lines(list):
    """The lines of a command's output, as IPython gives them."""
    l = list = property(_nbscorep_quiet(lambda self: self))
    n = nlstr = property("\n".join)
    s = spstr = property(" ".join)

    @property
    @_nbscorep_quiet
    def p(self):
        with scorep.instrumenter.disable():
            import pathlib
            return [pathlib.Path(line) for line in self if pathlib.Path(line).exists()]

    paths = p

    @_nbscorep_quiet
    def grep(self, pattern, prune=False, field=None):
        """The lines that PATTERN, a regular expression or a function, finds in them or a field."""
        def part(line):
            words = line.split()
            return line if field is None else words[field] if field < len(words) else ""

        with scorep.instrumenter.disable():
            import re
            found = pattern if callable(pattern) else re.compile(pattern, re.IGNORECASE).search
            return type(self)(line for line in self if bool(found(part(line))) != prune)

    @_nbscorep_quiet
    def fields(self, *fields):
        """The lines as lists of words, or FIELDS of them joined by a blank."""
        rows = [line.split() for line in self]
        if not fields:
            return rows
        picked = ([row[i] for i in fields if -len(row) <= i < len(row)] for row in rows)
        return type(self)(" ".join(row) for row in picked if row)

    @_nbscorep_quiet
    def sort(self, field=None, nums=False):
        """The lines in the order of a field, as text or as the number in its digits."""
        def key(line):
            words = line.split()
            text = line if field is None else words[field] if field < len(words) else ""
            digits = "".join(c for c in text if c.isdigit())
            return int(digits or 0) if nums else text

        return type(self)(sorted(self, key=key))


_nbscorep_lines.__name__ = "SList"


@_nbscorep_apart
def _nbscorep_getoutput(command, *scopes):
    """x = !command: standard output and error as a list of lines."""
    import subprocess
    import sys
    command = _nbscorep_expand(command, *scopes)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    done = subprocess.run([_nbscorep_command_shell(), "-c", command],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return _nbscorep_lines(done.stdout.decode(errors="replace").splitlines())


@_nbscorep_apart
def _nbscorep_getoutput_cell(arguments, text, *scopes):
    """%%sx and %%system [--out NAME]"""
    words = _nbscorep_expand(arguments, *scopes).split()
    lines = _nbscorep_getoutput(text, *scopes)
    if words[:1] != ["--out"]:
        return lines
    scopes[0][words[1]] = lines
    return None
