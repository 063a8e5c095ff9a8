"""%precision: the format of floats."""
import contextlib
import sys

from . import calls
from .magic_arguments import expand
from .rich_display import Printer, text_of


class state:
    format = "%r"
    active = set()  # containers that are being printed


def precise_parts(value):
    """The text between the brackets of VALUE, a container."""
    if isinstance(value, dict):
        return ", ".join(f"{text_of(key)}: {text_of(item)}" for key, item in value.items())
    if isinstance(value, (set, frozenset)):
        with contextlib.suppress(Exception):
            value = sorted(value)
    return ", ".join(map(text_of, value))


def printed_as(kind):
    """The builtin type as which IPython prints values of type KIND; object: with their own repr()."""
    for base in kind.__mro__:
        if base in (float, list, tuple, dict, set, frozenset):
            return base
        if (base.__module__, base.__name__) == ("numpy", "float64"):
            return float
        if "__repr__" in vars(base):
            return object


def precise(value):
    """repr() that uses the format of %precision for floats, including those in containers."""
    kind = printed_as(type(value))
    if kind is float:
        return state.format % value
    if kind is object or not value:
        return repr(value)
    if id(value) in state.active:
        return f"<Recursion on {type(value).__name__} with id={id(value)}>"
    state.active.add(id(value))
    try:
        parts = precise_parts(value)
    finally:
        state.active.discard(id(value))
    opening, closing = {list: "[]", tuple: "()", frozenset: ("frozenset({", "})")}.get(kind, "{}")
    return f"{opening}{parts}{',' * (kind is tuple and len(value) == 1)}{closing}"


def float_format(text):
    """The format that TEXT, a number of digits or a format, specifies, and the digits for numpy."""
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


@calls.unrecorded
def precision(text, *scopes):
    """%precision [DIGITS|FORMAT]: sets the format in which floats are shown."""
    found, digits = float_format(expand(text, *scopes))
    if digits is not None and "numpy" in sys.modules:
        sys.modules["numpy"].set_printoptions(precision=digits)
    state.format = found
    Printer.repr = staticmethod(repr if found == "%r" else precise)
    return found
