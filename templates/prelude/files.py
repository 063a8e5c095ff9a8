# requires: expand options
@_nbscorep_apart
def _nbscorep_writefile(arguments, text, *scopes):
    """%%writefile [-a] FILE"""
    import os
    import shlex
    if text == "":
        raise _nbscorep_usage_error("%%writefile is a cell magic, but the cell body is empty.")
    parser = _nbscorep_parser("%%writefile")
    parser.add_argument("-a", "--append", action="store_true")
    parser.add_argument("filename")
    words = shlex.split(_nbscorep_expand(arguments, *scopes), posix=False)
    options = parser.parse_args(words)
    name = options.filename
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        name = name[1:-1]
    name = os.path.expanduser(name)
    exists = os.path.exists(name)
    print("Appending to" if exists and options.append else "Overwriting" if exists else "Writing",
          name)
    with open(name, "a" if options.append else "w", encoding="utf-8") as file:
        file.write(text)
