# requires: quiet expand display raises
class _nbscorep_output:
    """A captured output: its formats by MIME type."""

    @_nbscorep_quiet
    def __init__(self, data, metadata):
        self.data = data
        self.metadata = metadata

    @_nbscorep_quiet
    def display(self):
        with scorep.instrumenter.disable():
            _nbscorep_publish(self.data, self.metadata)

    @_nbscorep_quiet
    def _repr_mimebundle_(self, include=None, exclude=None):
        return self.data, self.metadata


class _nbscorep_captured:
    """What %%capture NAME leaves in NAME."""

    @_nbscorep_quiet
    def __init__(self, stdout, stderr):
        self.texts = stdout, stderr
        self.outputs = []

    @_nbscorep_quiet
    def __str__(self):
        return self.stdout

    @property
    @_nbscorep_quiet
    def stdout(self):
        return self.texts[0].getvalue() if self.texts[0] else ""

    @property
    @_nbscorep_quiet
    def stderr(self):
        return self.texts[1].getvalue() if self.texts[1] else ""

    @_nbscorep_quiet
    def show(self):
        """Writes it all, to where it would have gone."""
        with scorep.instrumenter.disable():
            import sys
            sys.stdout.write(self.stdout)
            sys.stderr.write(self.stderr)
            sys.stdout.flush()
            sys.stderr.flush()
        for output in self.outputs:
            output.display()

    __call__ = show


@_nbscorep_apart
def _nbscorep_capture_options(arguments, names):
    """The name, and what not to capture, in the arguments of %%capture."""
    import shlex
    options = {"--no-stdout", "--no-stderr", "--no-display"}
    words = shlex.split(_nbscorep_expand(arguments, names))
    rest = [word for word in words if word not in options]
    if len(rest) > 1 or (rest and rest[0].startswith("-")):
        raise ValueError(f"%%capture: unrecognized arguments: {arguments}")
    return rest[0] if rest else None, options.intersection(words)


class _nbscorep_capture:
    """%%capture: keeps the output of the code in it under the name in its arguments."""

    @_nbscorep_quiet
    def __init__(self, arguments, names):
        with scorep.instrumenter.disable():
            self.names = names
            self.name, self.shown = _nbscorep_capture_options(arguments, names)

    @_nbscorep_quiet
    def __enter__(self):
        with scorep.instrumenter.disable():
            import io
            import sys
            self.before = (sys.stdout, sys.stderr, _nbscorep_display.sink,
                           _nbscorep_display.stream)
            out = None if "--no-stdout" in self.shown else io.StringIO()
            err = None if "--no-stderr" in self.shown else io.StringIO()
            self.captured = captured = _nbscorep_captured(out, err)
            if "--no-display" in self.shown:
                _nbscorep_display.stream = _nbscorep_display.stream or sys.stdout
            else:
                _nbscorep_display.sink = (
                    lambda *output: captured.outputs.append(_nbscorep_output(*output)))
            sys.stdout = out or sys.stdout
            sys.stderr = err or sys.stderr
        return captured

    @_nbscorep_quiet
    def __exit__(self, *exception):
        with scorep.instrumenter.disable():
            import sys
            flush_figures = self.names.get("_nbscorep_flush_figures")
            if flush_figures is not None and "--no-display" not in self.shown:
                flush_figures()
            (sys.stdout, sys.stderr, _nbscorep_display.sink,
             _nbscorep_display.stream) = self.before
            goes_on = _nbscorep_goes_on(*exception)
            if goes_on:
                scorep.instrumenter.nbscorep_cell_failed = True
            if self.name and (goes_on or exception[0] is None):
                self.names[self.name] = self.captured
            return goes_on
