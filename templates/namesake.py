def _nbscorep_gives_way(name, file):
    """Loads another module NAME, if one exists, in place of FILE. Returns True if it did."""
    import sys
    from _frozen_importlib import _load
    from _frozen_importlib_external import PathFinder
    from posix import stat  # modules without files: FILE can have the name of any other

    def is_here(path):
        try:
            return stat(path)[1:3] == stat(file)[1:3]
        except OSError:  # PATH is in an archive
            return False

    for finder in sys.meta_path:
        for path in [[folder] for folder in sys.path] if finder is PathFinder else [None]:
            spec = finder.find_spec(name, path)
            if spec and spec.loader and not (spec.has_location and is_here(spec.origin)):
                _load(spec)
                return True
    return False


