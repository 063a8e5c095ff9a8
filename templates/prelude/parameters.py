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
def _nbscorep_read_yaml(text, origin):
    """The value of TEXT, with the types that the build knows; PyYAML's own are others."""
    try:
        import yaml
    except ImportError:
        _nbscorep_refuse(f"{origin} is no JSON, and to read YAML this Python needs PyYAML "
                         "(pip install pyyaml)")
    import re
    sizes = {}

    def size(node):
        """How many keys and values, with what aliases stand for. One in itself is refused later."""
        if id(node) not in sizes:
            sizes[id(node)] = 0
            parts = [] if isinstance(node.value, str) else node.value
            sizes[id(node)] = 1 + sum(size(each) for part in parts for each in
                                      (part if isinstance(part, tuple) else [part]))
        return sizes[id(node)]

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {}
        yaml_constructors = {
            tag: call for tag, call in yaml.SafeLoader.yaml_constructors.items()
            if tag is None or tag.partition(",2002:")[2] in (
                "bool", "null", "int", "float", "str", "seq", "map")}

        def construct_document(self, node):
            if size(node) > 65536:
                raise yaml.YAMLError("more than 65536 keys and values, counting what aliases "
                                     "stand for")
            return super().construct_document(node)

        def construct_mapping(self, node, deep=False):
            names = {}  # in order
            for key, _ in node.value:
                if not isinstance(key.value, str):
                    raise yaml.YAMLError("a key is no text")
                if key.value in names:
                    raise yaml.YAMLError(f"the key {key.value!r} comes twice")
                names[key.value] = None
            self.flatten_mapping(node)
            values = {key.value: self.construct_object(value, deep=True)
                      for key, value in node.value}
            return {**{name: values[name] for name in names if name in values}, **values}

    words = "true|True|TRUE|yes|Yes|YES|on|On|ON|false|False|FALSE|no|No|NO|off|Off|OFF"
    for tag, pattern in (
            ("bool", words), ("null", "~|null|Null|NULL|"), ("merge", "<<"),
            ("int", "[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|0o[0-7]+"),
            ("float", r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
                      r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")):
        Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag,
                                     re.compile(rf"(?:{pattern})\Z"), None)
    try:
        return yaml.load(text, Loader)
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
def _nbscorep_take_parameters(known, new):
    """Notes the values that the command line and NBSCOREP_PARAMETERS give. What multiprocessing
    starts runs the script, too, but not with its command line."""
    import json
    import os
    import sys
    if _nbscorep_globals["__name__"] == "__mp_main__":
        _nbscorep_values.update(json.loads(os.environ.get("NBSCOREP_TAKEN_PARAMETERS", "{}")))
    if _nbscorep_globals["__name__"] != "__main__":
        return
    # They are not those of other scripts that this one starts.
    folder, text, _ = [os.environ.pop("NBSCOREP_" + name, "") for name in
                       ("START_FOLDER", "PARAMETERS", "TAKEN_PARAMETERS")]
    if text:
        _nbscorep_values.update(_nbscorep_read_values(text, "NBSCOREP_PARAMETERS"))
    words = sys.argv[1:]
    _nbscorep_values.update(_nbscorep_read_words(words, folder))
    sys.argv[1:] = words
    for name in _nbscorep_values:
        _nbscorep_check_name(name, known, new)
    try:
        if _nbscorep_values:
            os.environ["NBSCOREP_TAKEN_PARAMETERS"] = json.dumps(_nbscorep_values)
    except ValueError as error:  # a number that is too long
        _nbscorep_refuse(f"a value is too long: {error}")


@_nbscorep_apart
def _nbscorep_set_parameters():
    _nbscorep_globals.update(_nbscorep_values)


_nbscorep_values = {}
