# requires: quiet display on_import register
@_nbscorep_apart
def _nbscorep_load_object(self, data, url, filename):
    """Tells data, address and file name apart, and reads the file."""
    import json
    import os
    if isinstance(data, (str, os.PathLike)):
        data = os.fspath(data)
        if data.startswith("http") and url is None:
            data, url = None, data
        elif filename is None and "\0" not in data and os.path.exists(data):
            data, filename = None, data
    if filename is not None and self._mode:
        with open(filename, self._mode, encoding=None if "b" in self._mode else "utf-8") as file:
            data = file.read()
    if self._kind == "json" and isinstance(data, str):
        data = json.loads(data)
    if self._kind == "text" and not isinstance(data, (str, type(None))):
        raise TypeError(f"{type(self).__name__} expects text, not {data!r}")
    self.data, self.url, self.filename = data, url, filename


@_nbscorep_quiet
def _nbscorep_init_object(self, data=None, url=None, filename=None, metadata=None, **options):
    with scorep.instrumenter.disable():
        vars(self).update(options, metadata=metadata or {})
        _nbscorep_load_object(self, data, url, filename)


@_nbscorep_quiet
def _nbscorep_repr_object(self):
    return f"<{type(self).__module__}.{type(self).__name__} object>"


@_nbscorep_quiet
def _nbscorep_data(self, *printer):
    return self.data


@_nbscorep_quiet
def _nbscorep_math(self):
    return "$\\displaystyle %s$" % self.data.strip("$")


@_nbscorep_quiet
def _nbscorep_print_data(self, printer, cycle):
    printer.text(self.data)


@_nbscorep_quiet
def _nbscorep_init_frame(self, src, width=400, height=300, extras=(), **options):
    self.src = self._address.format(src)
    self.id, self.width, self.height = src, width, height
    self.extras, self.params = extras, options


@_nbscorep_quiet
def _nbscorep_init_link(self, path, *arguments, **options):
    import os
    self.path = os.fspath(path)


@_nbscorep_quiet
def _nbscorep_repr_link(self):
    import os
    return os.path.abspath(self.path)


@_nbscorep_quiet
def _nbscorep_repr_links(self):
    """The folders and files below the path."""
    with scorep.instrumenter.disable():
        import os
        lines = []
        for folder, _, names in sorted(os.walk(self.path.rstrip("/"))):
            if names:
                lines += [f"{folder}/", *(f"  {name}" for name in names)]
        return "\n".join(lines)


class _nbscorep_progress_bar:
    """IPython.display.ProgressBar: a line for each step."""

    @_nbscorep_quiet
    def __init__(self, total):
        self.total = total
        self.shown = 0
        self.text_width = 60

    @_nbscorep_quiet
    def __repr__(self):
        filled = "=" * int(self.shown / self.total * self.text_width)
        return f"[{filled:{self.text_width}}] {self.shown}/{self.total}"

    @_nbscorep_quiet
    def display(self):
        _nbscorep_display(self, display_id=f"progress {id(self)}")

    @_nbscorep_quiet
    def update(self):
        _nbscorep_display(self, display_id=f"progress {id(self)}", update=True)

    @property
    @_nbscorep_quiet
    def progress(self):
        return self.shown

    @progress.setter
    @_nbscorep_quiet
    def progress(self, value):
        self.shown = value
        self.update()

    @_nbscorep_quiet
    def __iter__(self):
        self.display()
        self.shown = -1
        return self

    @_nbscorep_quiet
    def __next__(self):
        self.progress += 1
        if self.shown >= self.total:
            raise StopIteration
        return self.shown


@_nbscorep_apart
def _nbscorep_object_classes():
    """The classes of IPython.core.display."""
    classes = {}

    def add(name, base=object, **members):
        base = classes.get(base, base)
        classes[name] = type(name, (base,), {"__module__": "IPython.core.display", **members})

    add("DisplayObject", __init__=_nbscorep_init_object, __repr__=_nbscorep_repr_object,
        _mode="r", _kind=None)
    add("TextDisplayObject", "DisplayObject", _kind="text")
    add("Pretty", "TextDisplayObject", _repr_pretty_=_nbscorep_print_data)
    add("HTML", "TextDisplayObject", _repr_html_=_nbscorep_data, __html__=_nbscorep_data)
    add("Markdown", "TextDisplayObject", _repr_markdown_=_nbscorep_data)
    add("Math", "TextDisplayObject", _repr_latex_=_nbscorep_math)
    add("Latex", "TextDisplayObject", _repr_latex_=_nbscorep_data)
    add("Javascript", "TextDisplayObject", _repr_javascript_=_nbscorep_data)
    add("SVG", "DisplayObject", _repr_svg_=_nbscorep_data)
    add("JSON", "DisplayObject", _kind="json", _repr_json_=_nbscorep_data)
    add("GeoJSON", "JSON")
    add("Image", "DisplayObject", _mode="rb")
    add("Video", "DisplayObject", _mode=None)
    classes["ProgressBar"] = _nbscorep_progress_bar
    return classes


@_nbscorep_apart
def _nbscorep_link_classes(core):
    """The classes of IPython.lib.display, on those of IPython.core.display."""
    classes = {}

    def add(name, base=object, **members):
        base = classes.get(base, base)
        classes[name] = type(name, (base,), {"__module__": "IPython.lib.display", **members})

    add("Audio", core["DisplayObject"], _mode="rb")
    add("Code", core["TextDisplayObject"], __repr__=_nbscorep_data)
    add("IFrame", __init__=_nbscorep_init_frame, _address="{}")
    add("YouTubeVideo", "IFrame", _address="https://www.youtube.com/embed/{}")
    add("VimeoVideo", "IFrame", _address="https://player.vimeo.com/video/{}")
    add("ScribdDocument", "IFrame", _address="https://www.scribd.com/embeds/{}/content")
    add("FileLink", __init__=_nbscorep_init_link, __repr__=_nbscorep_repr_link)
    add("FileLinks", "FileLink", __repr__=_nbscorep_repr_links)
    return classes


@_nbscorep_apart
def _nbscorep_display_as(mime):
    """A function that shows objects in one format only."""
    @_nbscorep_quiet
    def display_as(*objects, **options):
        with scorep.instrumenter.disable():
            if options.get("raw"):
                objects = [{mime: value} for value in objects]
            _nbscorep_show_all(objects, include=[mime], **options)

    return display_as


@_nbscorep_quiet
def _nbscorep_publish_data(*arguments, **options):
    with scorep.instrumenter.disable():
        _nbscorep_publish(*arguments, **options)


@_nbscorep_quiet
def _nbscorep_nothing(*arguments, **options):
    pass


@_nbscorep_apart
def _nbscorep_display_functions():
    """display_html and its like."""
    return {f"display_{name}": _nbscorep_display_as(mime) for name, mime in (
        ("pretty", "text/plain"), *((name, mime) for mime, name in _nbscorep_formats))}


@_nbscorep_apart
def _nbscorep_registrar(kind):
    """register_line_magic and its like: a decorator, with or without the magic's name."""
    @_nbscorep_quiet
    def register(magic):
        with scorep.instrumenter.disable():
            if callable(magic):
                return _nbscorep_register(kind, magic)

        @_nbscorep_quiet
        def named(function):
            with scorep.instrumenter.disable():
                return _nbscorep_register(kind, function, magic)

        return named

    return register


class _nbscorep_no_ipython:
    """Says why a module of IPython cannot be imported."""

    @staticmethod
    @_nbscorep_quiet
    def find_spec(name, path=None, target=None):
        if name.startswith("IPython."):
            raise ModuleNotFoundError(f"{name} needs IPython, which this Python does not have",
                                      name=name)


@_nbscorep_apart
def _nbscorep_add_module(name, members, package):
    """A module that stands in for one of IPython's."""
    import importlib.machinery
    import sys
    import types

    @_nbscorep_quiet
    def missing(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise ImportError(f"{name}.{attribute} needs IPython, which this Python does not have")

    module = types.ModuleType(name)
    vars(module).update(members, __getattr__=missing)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=package)
    if package:
        module.__path__ = []
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)


@_nbscorep_quiet
def _nbscorep_stand_in_get_ipython():
    """What a snippet has put into the script for this; None elsewhere, as outside IPython."""
    import sys
    return sys._getframe(1).f_globals.get("_nbscorep_interactive_shell")


@_nbscorep_apart
def _nbscorep_stand_in_for_ipython(functions):
    """Modules for scripts that only show things with IPython."""
    import sys
    get_ipython = {"get_ipython": _nbscorep_stand_in_get_ipython}
    shell = type("InteractiveShell", (), {
        "ast_node_interactivity": "last_expr",
        "initialized": classmethod(_nbscorep_quiet(lambda kind: False))})
    magic = {f"register_{kind}_magic": _nbscorep_registrar(kind)
             for kind in ("line", "cell", "line_cell")}
    core = {**functions, **_nbscorep_display_functions(), **_nbscorep_object_classes()}
    links = _nbscorep_link_classes(core)
    for name, members in (
            ("IPython", get_ipython), ("IPython.core", {}), ("IPython.lib", {}),
            ("IPython.core.getipython", get_ipython),
            ("IPython.core.interactiveshell", {"InteractiveShell": shell}),
            ("IPython.core.magic", magic), ("IPython.core.display_functions", functions),
            ("IPython.core.display", core), ("IPython.lib.display", links),
            ("IPython.display", {**core, **links})):
        _nbscorep_add_module(name, members, name in ("IPython", "IPython.core", "IPython.lib"))
    sys.meta_path.insert(0, _nbscorep_no_ipython)


_nbscorep_shown = {
    "display": _nbscorep_display, "update_display": _nbscorep_update_display,
    "publish_display_data": _nbscorep_publish_data, "DisplayHandle": _nbscorep_handle,
    "clear_output": _nbscorep_nothing, "set_matplotlib_formats": _nbscorep_nothing,
    "set_matplotlib_close": _nbscorep_nothing}


@_nbscorep_quiet
def _nbscorep_take_display(module):
    """Makes a module of IPython show things as the script does."""
    for name, function in _nbscorep_shown.items():
        if name in vars(module):
            setattr(module, name, function)


@_nbscorep_apart
def _nbscorep_join_ipython():
    """IPython's display becomes the script's, or there are stand-ins where there is no IPython."""
    import builtins
    import importlib.util
    import sys
    if "IPython" not in sys.modules and importlib.util.find_spec("IPython") is None:
        _nbscorep_stand_in_for_ipython(_nbscorep_shown)
    elif not hasattr(builtins, "__IPYTHON__"):
        for name in "core.display_functions", "core.display", "display":
            _nbscorep_on_import(f"IPython.{name}", _nbscorep_take_display)


_nbscorep_join_ipython()
