# requires: expand display
@_nbscorep_apart
def _nbscorep_precise_parts(value):
    """The text between the brackets of a container."""
    if isinstance(value, dict):
        return ", ".join(f"{_nbscorep_text(key)}: {_nbscorep_text(item)}"
                         for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        try:
            value = sorted(value)
        except Exception:
            pass
    return ", ".join(map(_nbscorep_text, value))


@_nbscorep_apart
def _nbscorep_printed_as(kind):
    """The builtin type as which IPython prints a KIND of values; object for their own repr()."""
    for base in kind.__mro__:
        if base in (float, list, tuple, dict, set, frozenset):
            return base
        if (base.__module__, base.__name__) == ("numpy", "float64"):
            return float
        if "__repr__" in vars(base):
            return object


@_nbscorep_apart
def _nbscorep_precise(value):
    """repr() with the format of %precision for floats, also those in lists and the like."""
    kind = _nbscorep_printed_as(type(value))
    if kind is float:
        return _nbscorep_precision.format % value
    if kind is object or not value:
        return repr(value)
    if id(value) in _nbscorep_precision.active:
        return f"<Recursion on {type(value).__name__} with id={id(value)}>"
    _nbscorep_precision.active.add(id(value))
    try:
        parts = _nbscorep_precise_parts(value)
    finally:
        _nbscorep_precision.active.discard(id(value))
    opening, closing = {list: "[]", tuple: "()", frozenset: ("frozenset({", "})")}.get(kind, "{}")
    return f"{opening}{parts}{',' * (kind is tuple and len(value) == 1)}{closing}"


@_nbscorep_apart
def _nbscorep_float_format(text):
    """The format that TEXT, a number of digits or a format, means, and the digits for numpy."""
    try:
        if "%" in text:
            text % 3.14159
            return text, None
        if not text:
            return "%r", 8
        digits = int(text)
    except (TypeError, ValueError) as error:
        message = f"Precision must be int or format string, not {text!r}"
        raise ValueError(message) from error
    if digits < 0:
        raise ValueError(f"int precision must be non-negative, not {digits}")
    return f"%.{digits}f", digits


@_nbscorep_apart
def _nbscorep_precision(text, *scopes):
    """%precision [DIGITS|FORMAT]: the format that floats are shown with from now on."""
    import sys
    found, digits = _nbscorep_float_format(_nbscorep_expand(text, *scopes))
    if digits is not None and "numpy" in sys.modules:
        sys.modules["numpy"].set_printoptions(precision=digits)
    _nbscorep_precision.format = found
    _nbscorep_text.repr = repr if found == "%r" else _nbscorep_precise
    return found


_nbscorep_precision.format = "%r"
_nbscorep_precision.active = set()
