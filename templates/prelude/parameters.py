# requires: quiet
@_nbscorep_apart
def _nbscorep_refuse(message):
    """Ends the script before its first cell: its command line is wrong."""
    import os
    import sys
    print(f"nbscorep: {os.path.basename(sys.argv[0])}: {message}", file=sys.stderr, flush=True)
    raise SystemExit(2)


@_nbscorep_apart
def _nbscorep_word_value(text):
    """What papermill makes of a word of the command line; digits are those of ASCII."""
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float) if text.isascii() else ():
        try:
            return kind(text)
        except ValueError:
            pass
    return text


@_nbscorep_apart
def _nbscorep_plain_value(text):
    """What an unquoted word of YAML is, to the build, too: PyYAML's own types are others."""
    import re
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


@_nbscorep_apart
def _nbscorep_read_events(events):
    """The value of a document's events, by the rules of the build: src/settings/yaml_reader.c."""
    import copy
    anchors = {}  # name: value, text of a scalar, size; nothing while it is being read
    size = 0  # how many keys and values, with what aliases stand for
    event = None

    def fail(message):
        raise ValueError(f"line {event.start_mark.line + 1}: {message}")

    def count(more):
        nonlocal size
        size += more
        if size > 65536:
            fail("more than 65536 keys and values, counting what aliases stand for")

    def go_on():
        nonlocal event
        event = next(events)
        return type(event).__name__[:-len("Event")]

    def read_alias():
        if event.anchor not in anchors:
            fail(f"no anchor '&{event.anchor}' stands above this alias")
        if not anchors[event.anchor]:
            fail(f"the alias '*{event.anchor}' stands inside of its own anchor")
        value, text, more = anchors[event.anchor]
        count(more)
        return copy.deepcopy(value), text

    def read_scalar():
        if "\0" in event.value:
            fail("a text cannot hold a NUL character")
        is_plain = event.tag is None and not event.style
        return _nbscorep_plain_value(event.value) if is_plain else event.value, event.value

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
                fail("a key is no text")
            if merges if is_merge else name in values:
                fail(f"the key {name!r} comes twice")
            if is_merge:
                merges.append(read(go_on())[0])
            else:
                values[name] = None  # its place
                values[name] = read(go_on())[0]
        if merges and isinstance(merges[0], list):
            merges = merges[0]
        for one in merges:
            if not isinstance(one, dict):
                fail("'<<' takes maps")
            for name in one:
                values.setdefault(name, one[name])
        return values, None

    def read(kind):
        if kind == "Alias":
            return read_alias()
        before, entry = size, []
        count(1)
        if event.tag not in ((None, "!", "tag:yaml.org,2002:str") if kind == "Scalar" else (None,)):
            fail(f"the tag {event.tag.replace('tag:yaml.org,2002:', '!!')!r} is refused")
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
        fail("a second document begins here; only one is read")
    return value


@_nbscorep_apart
def _nbscorep_read_yaml(text, origin):
    """The value of TEXT."""
    try:
        import yaml
    except ImportError:
        _nbscorep_refuse(f"{origin} is no JSON, and to read YAML this Python needs PyYAML "
                         "(pip install pyyaml)")
    try:
        return _nbscorep_read_events(yaml.parse(text, yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        _nbscorep_refuse(f"{origin} is no YAML: {' '.join(str(error).split())}")


@_nbscorep_apart
def _nbscorep_read_values(text, origin):
    """The names and values that TEXT holds as JSON or YAML."""
    import json

    def pairs(items):
        if len(dict(items)) < len(items):
            raise ValueError("a name comes twice")
        return dict(items)

    try:
        values = json.loads(text, parse_constant=int, object_pairs_hook=pairs)
    except (ValueError, RecursionError):  # int("NaN")
        values = _nbscorep_read_yaml(text, origin)
    if values is not None and not isinstance(values, dict):
        _nbscorep_refuse(f"{origin} holds no names with values")
    return values or {}


@_nbscorep_apart
def _nbscorep_read_file(name, folder):
    import os
    try:
        with open(os.path.join(folder, name), encoding="utf-8-sig") as file:
            text = file.read()
    except (OSError, ValueError) as error:
        _nbscorep_refuse(f"cannot read {name!r}: {getattr(error, 'strerror', None) or error}")
    return _nbscorep_read_values(text, repr(name))


@_nbscorep_apart
def _nbscorep_read_words(words, folder):
    """Takes the options at the front off WORDS, and gives their values."""
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
            _nbscorep_refuse(f"'{option}' wants an argument")
        text = rest[0] if rest else words.pop(0)
        if option in ("-p", "-r"):
            name, equals, value = text.partition("=")
            if not equals and not words:
                _nbscorep_refuse(f"'{option} {name}' wants a value: NAME=VALUE, or NAME VALUE")
            value = value if equals else words.pop(0)
            values[name] = value if option == "-r" else _nbscorep_word_value(value)
        elif option == "-f":
            values.update(_nbscorep_read_file(text, folder))
        else:
            values.update(_nbscorep_read_values(text, option))
    if words and words[0] == "--":
        del words[0]
    return values


@_nbscorep_apart
def _nbscorep_check_name(name, known, new):
    """Refuses a name that the notebook has no parameter for."""
    import difflib
    import keyword
    if name in known or (new and name.isascii() and name.isidentifier()
                         and not keyword.iskeyword(name) and not name.startswith("_nbscorep")
                         and not (name.startswith("__") and name.endswith("__"))):
        return
    near = difflib.get_close_matches(name, known, 1)
    hint = (f"; did you mean '{near[0]}'?" if near else
            f"; it has {', '.join(known)}" if known else "")
    _nbscorep_refuse(f"the notebook has no parameter {name!r}{hint}")


@_nbscorep_apart
def _nbscorep_note_values(text):
    """For processes that multiprocessing spawns. A long text goes into a file: Linux starts no
    program with a variable of more than 131,071 bytes."""
    import os
    if len(text) > 100000:
        import atexit
        import tempfile
        with tempfile.NamedTemporaryFile("w", prefix="nbscorep-", delete=False) as file:
            file.write(text)
        text, pid = "@" + file.name, os.getpid()
        atexit.register(lambda: os.getpid() == pid and os.path.exists(text[1:])
                        and os.unlink(text[1:]))
    os.environ["NBSCOREP_TAKEN_PARAMETERS"] = text


@_nbscorep_apart
def _nbscorep_noted_values():
    import json
    import os
    text = os.environ.get("NBSCOREP_TAKEN_PARAMETERS", "{}")
    if text[:1] == "@":
        with open(text[1:]) as file:
            text = file.read()
    return json.loads(text)


@_nbscorep_apart
def _nbscorep_take_parameters(known, new):
    """Notes the values that the command line and NBSCOREP_PARAMETERS give. What multiprocessing
    starts runs the script, too, but not with its command line."""
    import json
    import os
    import sys
    if _nbscorep_globals["__name__"] == "__mp_main__":
        _nbscorep_values.update(_nbscorep_noted_values())
    if _nbscorep_globals["__name__"] != "__main__":
        return
    # They are not those of other scripts that this one starts.
    folder, text, _ = [os.environ.pop("NBSCOREP_" + name, "") for name in
                       ("START_FOLDER", "PARAMETERS", "TAKEN_PARAMETERS")]
    if text[:1] == "@":
        _nbscorep_values.update(_nbscorep_read_file(text[1:], folder))
    elif text:
        _nbscorep_values.update(_nbscorep_read_values(text, "NBSCOREP_PARAMETERS"))
    words = sys.argv[1:]
    _nbscorep_values.update(_nbscorep_read_words(words, folder))
    sys.argv[1:] = words
    for name in _nbscorep_values:
        _nbscorep_check_name(name, known, new)
    try:
        if _nbscorep_values:
            _nbscorep_note_values(json.dumps(_nbscorep_values))
    except ValueError as error:  # a number that is too long
        _nbscorep_refuse(f"a value is too long: {error}")


@_nbscorep_apart
def _nbscorep_set_parameters():
    _nbscorep_globals.update(_nbscorep_values)


_nbscorep_values = {}
