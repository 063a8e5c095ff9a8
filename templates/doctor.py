# Reports on this Python and the modules that its arguments name, and imports none of them. Arguments
# after "--" are a notebook's folder and the folders that it adds to the search path; after another
# "--", the modules that the notebook imports. Runs on Python 2.7 and 3, so that an old Python can
# report its version. Writes lines nbscorep:python VERSION, nbscorep:managed (its packages belong to
# the distribution, so pip refuses to install), nbscorep:module NAME VERSION PATH or nbscorep:module
# NAME missing, nbscorep:imports, nbscorep:missing INDEX (of a module of the notebook), nbscorep:done.
import sys

# Files in the current folder must not shadow modules of Python.
here = sys.path[:1] == [""]
if here:
    del sys.path[0]
import os
import re

VERSION = re.compile(
    br"^(?:__version__|version)\s*=\s*(?:\w+\s*=\s*)?['\"]([0-9][^'\"\s]*)['\"]", re.M)


def say(*words):
    line = u"nbscorep:" + u" ".join(words)
    os.write(1, re.sub(u"[\r\n]", u"?", line).encode("utf-8", "replace") + b"\n")


def version_in(path):
    try:
        with open(path, "rb") as file:
            text = file.read(100000)
    except (EnvironmentError, ValueError):
        return None
    match = re.search(VERSION, text)
    return match and match.group(1).decode("latin-1")


def version_of(name, folder):
    if folder:
        for file in ("_version.py", "version.py", "__init__.py"):
            version = version_in(os.path.join(folder, file))
            if version:
                return version
    try:
        from importlib.metadata import version
        return u"%s" % "".join(version(name).split())
    except Exception:
        return None


def is_managed():
    """True if pip refuses to install: no virtual environment, and the file of PEP 668 exists."""
    import sysconfig
    own = sys.prefix != getattr(sys, "base_prefix", sys.prefix)
    file = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return not own and os.path.isfile(file)


def spec_of(name, find_spec):
    try:
        return find_spec(name)
    except Exception:
        return None


def tell(name, find_spec):
    spec = spec_of(name, find_spec)
    folder = spec and next(iter(spec.submodule_search_locations or []), None)
    # A folder without __init__.py is not an installed module, and a user's scorep.py is not the bindings.
    if spec is None or not spec.origin or spec.origin == "namespace" or name == "scorep" and not folder:
        say(u"module", name, u"missing")
        return
    say(u"module", name, version_of(name, folder) or u"?", folder or spec.origin)


def cut(words):
    """WORDS before the first "--", and those after it."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1:]


def tell_missing(folders, names, find_spec):
    before = sys.path[:]
    sys.path[:] = folders[:1] + before + folders[1:]
    for index, name in enumerate(names):
        if spec_of(name, find_spec) is None:
            say(u"missing", u"%d" % index)
    say(u"imports")
    sys.path[:] = before


say(u"python", u"%d.%d.%d" % sys.version_info[:3])
if is_managed():
    say(u"managed")
try:
    from importlib.util import find_spec
    import importlib.metadata
except ImportError:
    find_spec = None
modules, notebook = cut(sys.argv[1:])
if find_spec and notebook:
    tell_missing(*(cut(notebook) + (find_spec,)))
if here:
    sys.path.insert(0, "")
if find_spec:
    for module in modules:
        tell(module, find_spec)
say(u"done")
