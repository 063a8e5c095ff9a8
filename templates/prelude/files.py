# requires: expand shell
def _nbscorep_cd(folder, *scopes):
    """%cd: also -, ~ and -q."""
    import os
    words = _nbscorep_expand(folder, *scopes).split(maxsplit=1)
    quiet = words[:1] == ["-q"]
    target = " ".join(words[quiet:]).strip().strip("'\"") or "~"
    before = os.getcwd()
    if target == "-":
        target = _nbscorep_cd.before or before
    os.chdir(os.path.expanduser(target))
    _nbscorep_cd.before = before
    if not quiet:
        print(os.getcwd())


_nbscorep_cd.before = None


def _nbscorep_pwd(arguments, *scopes):
    """%pwd"""
    import os
    return os.getcwd()


def _nbscorep_writefile(arguments, text, *scopes):
    """%%writefile [-a] FILE"""
    import os
    words = _nbscorep_expand(arguments, *scopes).split(maxsplit=1)
    append = words[:1] in (["-a"], ["--append"])
    name = os.path.expanduser(" ".join(words[append:]).strip().strip("'\""))
    exists = os.path.exists(name)
    print("Appending to" if exists and append else "Overwriting" if exists else "Writing", name)
    with open(name, "a" if append else "w", encoding="utf-8") as file:
        file.write(text)
