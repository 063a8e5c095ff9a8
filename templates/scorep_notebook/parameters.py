"""Values of parameters from the command line and the environment."""
import copy
import difflib
import json
import keyword
import os
import re
import sys

from . import calls
from .messages import note
from .running import run

VALUES = {}  # of parameters, by name


def refuse(message):
    """Ends the script before its first cell, because its command line is wrong."""
    note(f"{os.path.basename(sys.argv[0])}: {message}")
    raise SystemExit(2)


def word_value(text):
    """The value of a word of the command line, as in papermill. Digits are those of ASCII."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float) if text.isascii() else ():
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def plain_value(text):
    """The value of an unquoted word of YAML, as in the build. PyYAML has other rules."""
    words = "true|True|TRUE|yes|Yes|YES|on|On|ON|false|False|FALSE|no|No|NO|off|Off|OFF"
    for pattern, make in (
            (words, lambda: text.lower() in ("true", "yes", "on")),
            ("~|null|Null|NULL|", lambda: None),
            ("[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|0o[0-7]+", lambda: int(text, 0)),
            (r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?",
             lambda: float(text)),
            (r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", lambda: float(text.replace(".", "")))):
        if re.fullmatch(pattern, text):
            return make()
    return text


def read_events(events):
    """The value of a document's events, by the rules of the build: src/settings/yaml_reader.c."""
    anchors = {}  # name: value, text of a scalar, size; empty until the value is complete
    size = 0  # number of keys and values, including those of aliases
    event = None

    def fail(message):
        raise ValueError(f"line {event.start_mark.line + 1}: {message}")

    def count(more):
        nonlocal size
        size += more
        if size > 65536:
            fail("more than 65536 keys and values, with aliases expanded")

    def go_on():
        nonlocal event
        event = next(events)
        return type(event).__name__[:-len("Event")]

    def read_alias():
        if event.anchor not in anchors:
            fail(f"no anchor '&{event.anchor}' above this alias")
        if not anchors[event.anchor]:
            fail(f"the alias '*{event.anchor}' is inside its own anchor")
        value, text, more = anchors[event.anchor]
        count(more)
        return copy.deepcopy(value), text

    def read_scalar():
        if "\0" in event.value:
            fail("a text cannot contain a NUL character")
        is_plain = event.tag is None and not event.style
        return plain_value(event.value) if is_plain else event.value, event.value

    def read_list():
        items = []
        while (kind := go_on()) != "SequenceEnd":
            items.append(read(kind)[0])
        return items, None

    def read_map():
        values, merges = {}, []
        while (kind := go_on()) != "MappingEnd":
            is_merge = (kind == "Scalar" and event.value == "<<" and event.tag is None
                        and not event.style)
            key, name = read(kind)
            if not name and key != "":
                fail("a key is not a text")
            if merges if is_merge else name in values:
                fail(f"duplicate key {name!r}")
            if is_merge:
                merges.append(read(go_on())[0])
            else:
                values[name] = None  # keeps the order of keys
                values[name] = read(go_on())[0]
        if merges and isinstance(merges[0], list):
            merges = merges[0]
        for one in merges:
            if not isinstance(one, dict):
                fail("'<<' requires maps")
            for name in one:
                values.setdefault(name, one[name])
        return values, None

    def read(kind):
        if kind == "Alias":
            return read_alias()
        before, entry = size, []
        count(1)
        if event.tag not in ((None, "!", "tag:yaml.org,2002:str") if kind == "Scalar" else (None,)):
            fail(f"the tag {event.tag.replace('tag:yaml.org,2002:', '!!')!r} is not supported")
        if event.anchor is not None:
            anchors[event.anchor] = entry
        value, text = {"Scalar": read_scalar, "SequenceStart": read_list,
                       "MappingStart": read_map}[kind]()
        entry += value, text, size - before
        return value, text

    go_on()  # the stream's start
    if go_on() == "StreamEnd":
        return None
    value, _ = read(go_on())
    go_on()  # the document's end
    if go_on() != "StreamEnd":
        fail("a second document begins here; use only one")
    return value


def read_yaml(text, origin):
    try:
        import yaml
    except ImportError:
        refuse(f"{origin} is not JSON; to read YAML install PyYAML (pip install pyyaml)")
    try:
        return read_events(yaml.parse(text, yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        refuse(f"{origin} is not YAML: {' '.join(str(error).split())}")


def read_values(text, origin):
    """The names and values in TEXT, which is JSON or YAML."""

    def pairs(items):
        if len(dict(items)) < len(items):
            raise ValueError("duplicate name")
        return dict(items)

    try:
        values = json.loads(text, parse_constant=int, object_pairs_hook=pairs)
    except (ValueError, RecursionError):  # int("NaN")
        values = read_yaml(text, origin)
    if values is not None and not isinstance(values, dict):
        refuse(f"{origin} does not map names to values")
    return values or {}


def read_file(name, folder):
    try:
        with open(os.path.join(folder, name), encoding="utf-8-sig") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        refuse(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}")
    return read_values(text, repr(name))


def read_words(words, folder):
    """Removes the options at the start of WORDS and returns their values."""
    kinds = {"--parameters": "-p", "--parameters-raw": "-r", "--parameters-file": "-f",
             "--parameters-yaml": "-y"}
    values = {}
    while words and words[0][:2] != "--" or words and words[0].partition("=")[0] in kinds:
        option = words[0][:2]
        rest = [words[0][2:]] if len(words[0]) > 2 else []
        if option == "--":
            name, *rest = words[0].split("=", 1)
            option = kinds[name]
        if option not in kinds.values():
            return values
        del words[0]
        if not rest and not words:
            refuse(f"'{option}' requires an argument")
        text = rest[0] if rest else words.pop(0)
        if option in ("-p", "-r"):
            name, equals, value = text.partition("=")
            if not equals and not words:
                refuse(f"'{option} {name}' requires a value: use NAME=VALUE or NAME VALUE")
            value = value if equals else words.pop(0)
            values[name] = value if option == "-r" else word_value(value)
        elif option == "-f":
            values.update(read_file(text, folder))
        else:
            values.update(read_values(text, option))
    if words and words[0] == "--":
        del words[0]
    return values


def check_name(name, known, new):
    """Ends the script if the notebook has no parameter NAME."""
    if name in known or (new and name.isascii() and name.isidentifier()
                         and not keyword.iskeyword(name) and name not in ("scorep", "scorep_notebook")
                         and not (name.startswith("__") and name.endswith("__"))):
        return
    near = difflib.get_close_matches(name, known, 1)
    hint = (f"; did you mean '{near[0]}'?" if near else
            f"; it has {', '.join(known)}" if known else "")
    refuse(f"the notebook has no parameter {name!r}{hint}")


@calls.unrecorded
def take_parameters(*arguments, new=False):
    """Reads the values that the command line and NBSCOREP_PARAMETERS give. ARGUMENTS: the names of the
    notebook's parameters; NEW: other names are parameters, too."""
    *known, names, _ = arguments
    if names["__name__"] != "__main__":
        return
    # Scripts that this one starts have other parameters.
    folder, text = [os.environ.pop("NBSCOREP_" + name, "") for name in ("START_FOLDER", "PARAMETERS")]
    if text[:1] == "@":
        VALUES.update(read_file(text[1:], folder))
    elif text:
        VALUES.update(read_values(text, "NBSCOREP_PARAMETERS"))
    words = sys.argv[1:]
    VALUES.update(read_words(words, folder))
    sys.argv[1:] = words
    for name in VALUES:
        check_name(name, known, new)


@calls.unrecorded
def set_parameters(names, local_names):
    """Gives the script these values."""
    names.update(VALUES)
    if run.executed is not None:
        run.executed.give_parameters(names, VALUES)
