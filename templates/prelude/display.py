# requires: quiet readable
class _nbscorep_printer:
    """As much of IPython's pretty printer as a _repr_pretty_ calls; it breaks no long lines."""

    @_nbscorep_apart
    def __init__(self):
        self.parts = []
        self.indentation = 0
        self.active = []
        self.text = self.parts.append

    @_nbscorep_apart
    def breakable(self, separator=" "):
        self.text(separator)

    @_nbscorep_apart
    def break_(self):
        self.text("\n" + " " * self.indentation)

    @_nbscorep_apart
    def pretty(self, value):
        method = _nbscorep_pretty_method(value)
        if method is None:
            self.text(_nbscorep_text.repr(value))
            return
        cycle = id(value) in self.active
        self.active.append(id(value))
        method(value, self, cycle)
        self.active.pop()

    @_nbscorep_apart
    def begin_group(self, indent=0, open=""):
        self.text(open)
        self.indentation += indent

    @_nbscorep_apart
    def end_group(self, dedent=0, close=""):
        self.indentation -= dedent
        self.text(close)

    @_nbscorep_apart
    def group(self, indent=0, open="", close=""):
        """The same as a context manager."""
        import contextlib
        stack = contextlib.ExitStack()
        self.begin_group(indent, open)
        stack.callback(self.end_group, indent, close)
        return stack

    @_nbscorep_apart
    def indent(self, indent):
        return self.group(indent)


@_nbscorep_apart
def _nbscorep_pretty_method(value):
    """_repr_pretty_ of VALUE's class, unless a class before that has its own __repr__."""
    for kind in type(value).__mro__[:-1]:
        if "_repr_pretty_" in vars(kind):
            return kind._repr_pretty_
        if "__repr__" in vars(kind):
            return None


@_nbscorep_apart
def _nbscorep_text(value):
    """The text/plain of VALUE."""
    printer = _nbscorep_printer()
    printer.pretty(value)
    return "".join(printer.parts)


_nbscorep_text.repr = repr


@_nbscorep_apart
def _nbscorep_try(function, *arguments, **options):
    """What FUNCTION gives; None, and a traceback, if it fails, as IPython's formatters do."""
    try:
        return function(*arguments, **options)
    except Exception:
        import traceback
        traceback.print_exc()


@_nbscorep_apart
def _nbscorep_call_method(value, name, **options):
    """Data and metadata, or None, that the method NAME of VALUE's class gives."""
    method = getattr(type(value), name, None)
    given = None if method is None else _nbscorep_try(method, value, **options)
    return given if isinstance(given, tuple) and len(given) == 2 else (given, None)


_nbscorep_formats = (
    ("text/html", "html"), ("text/markdown", "markdown"), ("image/svg+xml", "svg"),
    ("image/png", "png"), ("image/jpeg", "jpeg"), ("application/pdf", "pdf"),
    ("text/latex", "latex"), ("application/json", "json"),
    ("application/javascript", "javascript"))


@_nbscorep_apart
def _nbscorep_collect(value, data, metadata, *wanted):
    """Adds the formats of VALUE that are not plain text, all of them or those WANTED."""
    for mime, name in _nbscorep_formats:
        if mime not in (wanted or (mime,)):
            continue
        if mime not in data:
            found, about = _nbscorep_call_method(value, f"_repr_{name}_")
            if found is not None:
                data[mime] = found
            if about is not None:
                metadata[mime] = about


@_nbscorep_apart
def _nbscorep_bundle(value, include=None, exclude=None):
    """What IPython would publish of VALUE: data and metadata by MIME type, text/plain at least."""
    data, metadata = _nbscorep_call_method(value, "_repr_mimebundle_",
                                           include=include, exclude=exclude)
    data = dict(data or {})
    metadata = dict(metadata or {})
    if "text/plain" not in data and (not include or "text/plain" in include):
        text = _nbscorep_try(_nbscorep_text, value)
        if text is not None:
            data["text/plain"] = text
    if _nbscorep_display.sink is not None:
        _nbscorep_collect(value, data, metadata)
    elif _nbscorep_says_nothing(data.get("text/plain") or "<>"):
        _nbscorep_collect(value, data, metadata, "text/markdown", "text/latex", "text/html",
                          "application/json")
        if _nbscorep_readable(data) == data.get("text/plain"):
            data["text/plain"] = _nbscorep_describe(value) or data.get("text/plain")
    for kind in list(data):
        if (include and kind not in include) or (exclude and kind in exclude):
            del data[kind]
            metadata.pop(kind, None)
    return data, metadata


@_nbscorep_apart
def _nbscorep_write(text):
    """A line on standard output, whatever its encoding."""
    import sys
    stream = _nbscorep_display.stream or sys.stdout
    try:
        print(text, file=stream)
    except UnicodeEncodeError:
        encoding = stream.encoding
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)


@_nbscorep_apart
def _nbscorep_publish(data, metadata=None, source=None, transient=None, update=False, **options):
    """Shows the text in DATA, a dictionary by MIME type, or hands DATA to who collects it."""
    if _nbscorep_display.sink is not None:
        _nbscorep_display.sink(data, metadata or {})
    else:
        text = _nbscorep_readable(data)
        if text is None:
            return
        name = (transient or {}).get("display_id")
        if not update or _nbscorep_display.texts.get(name) != text:
            _nbscorep_write(text)
        if name is not None:
            _nbscorep_display.texts[name] = text


@_nbscorep_apart
def _nbscorep_shows_itself(value):
    """Calls _ipython_display_, where VALUE has one."""
    method = getattr(type(value), "_ipython_display_", None)
    try:
        return method is not None and (method(value), True)
    except NotImplementedError:
        return False


@_nbscorep_apart
def _nbscorep_show(value, include=None, exclude=None, metadata=None, **options):
    """Shows one object."""
    figure = _nbscorep_display.figure
    if figure is not None and _nbscorep_display.sink is None and figure(value):
        return
    if _nbscorep_try(_nbscorep_shows_itself, value):
        return
    data, found = _nbscorep_bundle(value, include, exclude)
    if data:
        _nbscorep_publish(data, {**found, **(metadata or {})}, **options)


@_nbscorep_apart
def _nbscorep_show_all(objects, raw=False, clear=False, display_id=None, transient=None,
                       update=False, **options):
    """display() with the instrumenter off."""
    import os
    if update and not display_id:
        raise TypeError("display_id required for update_display")
    if display_id is True:
        display_id = os.urandom(16).hex()
    if display_id:
        transient = {**(transient or {}), "display_id": display_id}
    for value in objects:
        show = _nbscorep_publish if raw else _nbscorep_show
        show(value, transient=transient, update=update, **options)
    return _nbscorep_handle(display_id) if display_id else None


@_nbscorep_quiet
def _nbscorep_display(*objects, **options):
    """Shows objects as IPython.display.display does, as text."""
    with scorep.instrumenter.disable():
        return _nbscorep_show_all(objects, **options)


_nbscorep_display.figure = None  # shows a figure: function of an object, true if it was one
_nbscorep_display.sink = None    # gets data and metadata instead of standard output
_nbscorep_display.stream = None  # standard output, if another one than sys.stdout
_nbscorep_display.texts = {}     # last text by display_id: an update that looks the same is none


@_nbscorep_quiet
def _nbscorep_update_display(value, *, display_id, **options):
    """Shows VALUE again; a line that is out cannot be taken back."""
    with scorep.instrumenter.disable():
        _nbscorep_show_all((value,), display_id=display_id, update=True, **options)


class _nbscorep_handle:
    """What display() returns for a display_id."""

    @_nbscorep_quiet
    def __init__(self, display_id=None):
        with scorep.instrumenter.disable():
            import os
            self.display_id = display_id or os.urandom(16).hex()

    @_nbscorep_quiet
    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    @_nbscorep_quiet
    def display(self, value, **options):
        _nbscorep_display(value, display_id=self.display_id, **options)

    @_nbscorep_quiet
    def update(self, value, **options):
        _nbscorep_update_display(value, display_id=self.display_id, **options)


_nbscorep_handle.__name__ = "DisplayHandle"


@_nbscorep_apart
def _nbscorep_underscore(value):
    """Sets the builtin _, unless it is somebody else's, such as gettext's."""
    import builtins
    if getattr(builtins, "_", _nbscorep_underscore.value) is _nbscorep_underscore.value:
        builtins._ = _nbscorep_underscore.value = value


_nbscorep_underscore.value = None


_nbscorep_shows = not hasattr(__import__("sys").displayhook, "nbscorep_hides")


@_nbscorep_quiet
def _nbscorep_echo(value):
    """sys.displayhook that shows values as display() does."""
    if value is not None:
        with scorep.instrumenter.disable():
            if _nbscorep_shows:
                _nbscorep_show_all((value,))
            _nbscorep_underscore(value)


__import__("sys").displayhook = _nbscorep_echo
display = _nbscorep_display
