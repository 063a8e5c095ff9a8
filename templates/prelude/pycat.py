# requires: expand
@_nbscorep_apart
def _nbscorep_python_text(file):
    """The text of a Python source, an open binary file, in the encoding that it names."""
    import io
    import tokenize
    data = file.read()
    encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    for name in encoding, "latin-1":
        try:
            return io.TextIOWrapper(io.BytesIO(data), encoding=name).read()
        except UnicodeDecodeError:
            pass


@_nbscorep_apart
def _nbscorep_find_text(target, names):
    """What %pycat shows of TARGET: a URL, a file, or an expression that gives a text."""
    import os
    if target.startswith(("http://", "https://")):
        import urllib.request
        with urllib.request.urlopen(target) as page:
            return _nbscorep_python_text(page)
    name = os.path.expanduser(target)
    for path in name, name if name.endswith(".py") else name + ".py":
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return _nbscorep_python_text(file)
    if os.path.isdir(name):
        raise ValueError(f"'{target}' is a directory, not a regular file.")
    try:
        text = eval(target, names)
    except Exception as problem:
        raise ValueError(f"'{target}' was not found") from problem
    if not isinstance(text, str):
        raise TypeError(f"{target} is neither a string nor a macro.", text)
    return text


@_nbscorep_apart
def _nbscorep_pycat(arguments, *scopes):
    """%pycat: shows a file, without a pager"""
    try:
        text = _nbscorep_find_text(_nbscorep_expand(arguments, *scopes).strip(), scopes[0])
    except (ValueError, OSError):
        print("Error: no such file, variable, URL, history range or macro")
        return
    print(text, end="" if text.endswith("\n") else "\n")
