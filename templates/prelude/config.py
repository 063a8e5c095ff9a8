# requires: expand figures
@_nbscorep_quiet
def _nbscorep_config_values(line, scopes):
    """What the statement LINE assigns to InlineBackend, by name."""
    import types
    names = {}
    for scope in scopes:
        names.update(scope)
    config = types.SimpleNamespace(InlineBackend=types.SimpleNamespace())
    expanded = _nbscorep_expand(line, *scopes)
    try:
        exec("config." + expanded, names, {"config": config})
    except NameError:
        # IPython makes svg of {'svg'} and stops; that is no reason to lose a job.
        if expanded == line:
            raise
        exec("config." + line, names, {"config": config})
    return vars(config.InlineBackend)


@_nbscorep_quiet
def _nbscorep_config_check(name, value):
    """VALUE as the setting NAME has it."""
    kind, text = {"close_figures": (bool, "a boolean"), "figure_format": (str, "a unicode string"),
                  "figure_formats": (set, "a set"), "print_figure_kwargs": (dict, "a dict"),
                  "rc": (dict, "a dict")}[name]
    if kind is set and isinstance(value, (list, tuple, str)):
        value = {value} if isinstance(value, str) else set(value)
    if not isinstance(value, kind):
        raise TypeError(f"The '{name}' trait of an InlineBackend instance expected {text},"
                        f" not the {type(value).__name__} {value!r}.")
    return value


@_nbscorep_quiet
def _nbscorep_config_set(name, value):
    """Sets one setting; figure_format stands for a set of one."""
    settings = dict(_nbscorep_figures.settings)
    settings[name] = _nbscorep_config_check(name, value)
    if settings == _nbscorep_figures.settings:
        return  # as in Jupyter, what set_matplotlib_formats() has chosen stays
    if name == "figure_format" and value:
        settings["figure_formats"] = {value}
    if name in ("figure_format", "figure_formats", "print_figure_kwargs"):
        _nbscorep_figure_formats(settings["figure_formats"], settings["print_figure_kwargs"])
    _nbscorep_figures.settings = settings


@_nbscorep_quiet
def _nbscorep_config_show(line):
    """%config InlineBackend[.NAME]"""
    settings = _nbscorep_figures.settings
    if line == "InlineBackend":
        print("InlineBackend options\n---------------------")
        for name, value in settings.items():
            print(f"InlineBackend.{name}\n    Current: {value!r}")
        return None
    name = line.split(".")[1]
    if name not in settings:
        raise AttributeError(f"'InlineBackend' object has no attribute '{name}'")
    return settings[name]


@_nbscorep_quiet
def _nbscorep_config(text, *scopes):
    """%config InlineBackend..."""
    import logging
    import re
    import sys
    line = text.strip()
    if re.fullmatch(r"InlineBackend(\.\w+)?", line):
        return _nbscorep_config_show(line)
    if "=" not in line:
        raise _nbscorep_usage_error(f"Invalid config statement: {line!r},"
                                    " should be `Class.trait = value`.")
    for name, value in _nbscorep_config_values(line, scopes).items():
        if name not in _nbscorep_figures.settings:
            print(f"Config option `{name}` not recognized by `InlineBackend`.", file=sys.stderr)
            continue
        try:
            _nbscorep_config_set(name, value)
        except (TypeError, ValueError) as error:
            logging.error(error)
