# requires: expand options quiet
@_nbscorep_apart
def _nbscorep_find_program(name):
    """The file that %run's NAME means."""
    import os
    name = os.path.expanduser(name)
    for path in name, name if name.endswith(".py") else name + ".py":
        if os.path.isfile(path):
            return path
    raise Exception(f"File `{name!r}` not found.")


@_nbscorep_apart
def _nbscorep_program_code(path):
    """The code of the file PATH."""
    import os
    with open(path, "rb") as file:
        return compile(file.read(), os.path.realpath(path), "exec", dont_inherit=True)


@_nbscorep_apart
def _nbscorep_find_module(name):
    """The specification of what is run of the module NAME."""
    import importlib.util
    spec = importlib.util.find_spec(name)
    if spec is None or not (spec.origin or "").endswith((".py", ".pyw")):
        raise Exception(f"{name!r} is not a valid modulename on sys.path")
    if spec.submodule_search_locations is None:
        return spec
    main = importlib.util.find_spec(name + ".__main__")
    if main is None:
        raise ImportError(f"{name!r} is a package and cannot be directly executed")
    return main


@_nbscorep_apart
def _nbscorep_expand_files(words):
    """WORDS with ~ and wildcards expanded; a backslash takes away a wildcard's meaning."""
    import glob
    import os
    import re
    expanded = []
    for word in map(os.path.expanduser, words):
        plain = "\\".join(re.sub(r"\\([*[\]!?])", r"\1", part) for part in word.split("\\\\"))
        expanded += glob.glob(word) or [plain]
    return expanded


@_nbscorep_apart
def _nbscorep_run_options(words):
    """The options of %run, the program's name and its arguments."""
    import sys
    for i, word in enumerate(words):  # what stands behind the module is the module's
        if word == "-m" and words[i + 2:i + 3] != ["--"]:
            words.insert(i + 2, "--")
        if word == "-m" or word[:1] != "-":
            break
    options, words = _nbscorep_options(words, "nidtN:b:pD:l:rs:T:em:G")
    words = options.get("m", [])[:1] + words
    if not words:
        raise Exception("you must provide at least a filename.")
    for letter, tool in ("d", "debugger"), ("p", "profiler"):
        if letter in options:
            print(f"%run -{letter}: there is no {tool} in batch; runs without it", file=sys.stderr)
    arguments = words[1:] if "G" in options else _nbscorep_expand_files(words[1:])
    return options, words[0], arguments


class _nbscorep_program:
    """A program for %run: its code, its names, and what it changes of the process meanwhile."""

    @_nbscorep_apart
    def __init__(self, words, user_names):
        self.options, name, arguments = _nbscorep_run_options(words)
        is_module = "m" in self.options
        self.path = name if is_module else _nbscorep_find_program(name)
        self.is_notebook = not is_module and self.path.lower().endswith((".ipynb", ".ipy"))
        if self.is_notebook:
            return
        self.user_names = user_names
        self.ignores_exit = "e" in self.options
        if is_module:
            self.take_module(name)
        else:
            self.take_file(self.path)
        self.argv = [self.path] + arguments
        self.times = self.count_runs()

    @_nbscorep_apart
    def take_module(self, name):
        import builtins
        import types
        spec = _nbscorep_find_module(name)
        self.path = spec.origin
        self.code = spec.loader.get_code(spec.name)
        self.folder = None
        self.own = {"__name__": "__main__", "__file__": spec.origin}
        self.module = types.ModuleType("__main__")
        self.names = vars(self.module)
        self.names.update(__builtins__=builtins, __spec__=spec, __loader__=spec.loader,
                          __package__=spec.parent, __cached__=spec.cached)

    @_nbscorep_apart
    def take_file(self, path):
        import builtins
        import os
        import types
        self.code = _nbscorep_program_code(path)
        self.folder = os.path.dirname(os.path.realpath(path))
        stem = os.path.splitext(os.path.basename(path))[0]
        self.own = {"__name__": stem if "n" in self.options else "__main__", "__file__": path}
        self.module = None
        self.names = self.user_names
        if "i" not in self.options:
            self.own["__file__"] = os.path.abspath(path)
            self.module = types.ModuleType(self.own["__name__"])
            self.names = vars(self.module)
            self.names["__builtins__"] = builtins

    @_nbscorep_apart
    def count_runs(self):
        import sys
        count = int(self.options.get("N", ["1"])[0]) if "t" in self.options else 1
        if count < 1:
            print("ERROR:root:Number of runs must be >=1", file=sys.stderr)
        return count

    @_nbscorep_apart
    def begin(self):
        """Makes the process look as if the program ran alone."""
        import sys
        self.before = {name: self.names[name] for name in self.own if name in self.names}
        self.names.update(self.own)
        self.main = sys.modules.get("__main__")
        self.argv, sys.argv = sys.argv, self.argv
        if self.module is not None:
            sys.modules[self.own["__name__"]] = self.module
        self.added = self.folder is not None and self.folder not in sys.path
        if self.added:
            sys.path.insert(0, self.folder)
        self.started = _nbscorep_run_times()

    @_nbscorep_apart
    def end(self):
        """Puts back what begin() changed."""
        import sys
        self.ended = _nbscorep_run_times()
        self.argv, sys.argv = sys.argv, self.argv
        if self.added and self.folder in sys.path:
            sys.path.remove(self.folder)
        if self.module is not None:
            sys.modules.pop(self.own["__name__"], None)
            sys.modules["__main__"] = self.main
            if "__mp_main__" in sys.modules:
                sys.modules["__mp_main__"] = self.main
        else:
            for name in self.own:
                self.names.pop(name, None)
            self.names.update(self.before)

    @_nbscorep_apart
    def publish(self):
        """Prints the times, where asked for, and gives the user the program's names."""
        if "t" in self.options:
            _nbscorep_print_run_times(self.started, self.ended, self.times)
        if self.module is None:
            return
        kept = {"__name__", "__file__", "__builtins__", "__loader__", "__spec__", "__package__",
                "__cached__"}
        self.user_names.update((name, value) for name, value in self.names.items()
                               if name not in kept and not name.startswith("_nbscorep_"))


@_nbscorep_apart
def _nbscorep_run_times():
    """User, system and elapsed time."""
    import resource
    import time
    return resource.getrusage(resource.RUSAGE_SELF)[:2] + (time.perf_counter(),)


@_nbscorep_apart
def _nbscorep_print_run_times(started, ended, runs):
    """What %run -t prints."""
    user, system, wall = (end - start for start, end in zip(started, ended))
    print("\nIPython CPU timings (estimated):")
    if runs == 1:
        print(f"  User   : {user:10.2f} s.\n  System : {system:10.2f} s.")
    else:
        print(f"Total runs performed: {runs}\n  Times  :      Total      Per run")
        for name, total in ("User  ", user), ("System", system):
            print(f"  {name} : {total:10.2f} s, {total / runs:10.2f} s.")
    print(f"Wall time: {wall:10.2f} s.")


@_nbscorep_apart
def _nbscorep_notebook_runner(path):
    """What runs the notebook PATH, of which nothing was known when the script was made."""
    if "_nbscorep_ipython_magic" not in _nbscorep_globals:
        raise RuntimeError(f"%run {path}: nbscorep compiles a notebook in place when its name is "
                           "written out in the magic; it cannot run one later")
    return _nbscorep_globals["_nbscorep_ipython_magic"]


@_nbscorep_quiet
def _nbscorep_run(text, *scopes):
    """%run: only the program itself is measured."""
    with scorep.instrumenter.disable():
        program = _nbscorep_program(_nbscorep_words(text, *scopes), scopes[0])
        runner = _nbscorep_notebook_runner(program.path) if program.is_notebook else None
        if not runner and program.times < 1:
            return
        if not runner:
            program.begin()
    if runner:
        runner(program.path, "line", "run", (text,), scopes)
        return
    try:
        for _ in range(program.times):
            try:
                exec(program.code, program.names)
            except SystemExit as status:
                if status.code and not program.ignores_exit:
                    raise
    finally:
        with scorep.instrumenter.disable():
            program.end()
            program.publish()
