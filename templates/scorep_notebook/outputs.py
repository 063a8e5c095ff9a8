"""The values of cells: shown, and kept as Out and _3 if the notebook uses these names."""
import builtins
import sys

import scorep.instrumenter

from .running import start

SCALARS = bool, bytes, complex, float, int, str, type(None)
WIDTH = 79  # of IPython's lines


class kept:
    """The values that cells have shown, by the numbers of their prompts."""
    names = None  # those of the script
    values = {}
    last = "", "", ""  # _, __ and ___
    plain = None  # the last value that Python's own sys.displayhook has shown


def is_plain(value):
    """True if IPython prints VALUE as repr() does: it sorts sets."""
    if type(value) in SCALARS:
        return True
    parts = value if type(value) in (list, tuple) else (*value, *value.values()) \
        if type(value) is dict else None
    return (parts is not None and len(parts) <= WIDTH and all(type(part) in SCALARS for part in parts)
            and len(repr(value)) <= WIDTH)


def echo(value):
    """Shows the value of a cell's last expression."""
    if value is None:
        return
    with scorep.instrumenter.disable():
        if is_plain(value) and f"{__package__}.rich_display" not in sys.modules:
            start.displayhook(value)
            if start.displayhook is sys.__displayhook__:
                kept.plain = value
            return
        from .rich_display import show_value
        show_value(value)


def keep_values(names):
    """Gives the script Out, _oh, _, __ and ___."""
    kept.names = names
    names.update(Out=kept.values, _oh=kept.values, _="", __="", ___="")


def set_unders(value):
    """Moves _, __ and ___ on, unless the notebook has set one of them or there is another builtin _."""
    from .rich_display import shown
    unders, last, names = ("_", "__", "___"), kept.last, kept.names
    kept.last = value, *last[:2]
    foreign = getattr(builtins, "_", None) is not shown.last
    if foreign and names.get("_") is last[0]:
        del names["_"]
    elif not foreign and all(names.get(name, old) is old for name, old in zip(unders, last)):
        names.update(zip(unders, kept.last))


def out(number, value):
    """Shows and keeps VALUE, that of the last expression of the cell with the prompt NUMBER."""
    if value is None:
        return
    with scorep.instrumenter.disable():
        from .rich_display import show_all, shown
        keeps = shown.sink is None and value is not kept.values  # %%capture keeps nothing
        if shown.values:
            show_all((value,), result=True)
        if keeps:
            set_unders(value)
            kept.names[f"_{number}"] = kept.values[number] = value
