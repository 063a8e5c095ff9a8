"""%run: Python files and modules."""
import builtins
import glob
import importlib.util
import os
import re
import resource
import sys
import time
import types

import scorep.instrumenter

from . import calls
from .ipython import ipython_magic
from .magic_arguments import split_options, split_words


def find_program(name):
    """The file that %run NAME runs."""
    name = os.path.expanduser(name)
    for path in name, name if name.endswith(".py") else name + ".py":
        if os.path.isfile(path):
            return path
    raise Exception(f"File `{name!r}` not found.")


def find_module(name):
    """The specification of the code that %run -m NAME runs."""
    spec = importlib.util.find_spec(name)
    if spec is None or not (spec.origin or "").endswith((".py", ".pyw")):
        raise Exception(f"{name!r} is not a valid modulename on sys.path")
    if spec.submodule_search_locations is None:
        return spec
    main = importlib.util.find_spec(name + ".__main__")
    if main is None:
        raise ImportError(f"{name!r} is a package and cannot be directly executed")
    return main


def expand_files(words):
    """WORDS with ~ and wildcards expanded; a backslash escapes a wildcard."""
    expanded = []
    for word in map(os.path.expanduser, words):
        plain = "\\".join(re.sub(r"\\([*[\]!?])", r"\1", part) for part in word.split("\\\\"))
        expanded += glob.glob(word) or [plain]
    return expanded


def run_options(words):
    """The options of %run, the program's name and its arguments."""
    for i, word in enumerate(words):  # words after the module are its arguments
        if word == "-m" and words[i + 2:i + 3] != ["--"]:
            words.insert(i + 2, "--")
        if word == "-m" or word[:1] != "-":
            break
    options, words = split_options(words, "nidtN:b:pD:l:rs:T:em:G")
    words = options.get("m", [])[:1] + words
    if not words:
        raise Exception("you must provide at least a filename.")
    for letter, tool in ("d", "debugger"), ("p", "profiler"):
        if letter in options:
            print(f"%run -{letter}: there is no {tool} in batch; runs without it", file=sys.stderr)
    arguments = words[1:] if "G" in options else expand_files(words[1:])
    return options, words[0], arguments


class Program:
    """A program for %run: its code, its names, and the state of the process that it changes."""

    def __init__(self, words, user_names):
        self.options, name, arguments = run_options(words)
        is_module = "m" in self.options
        self.path = name if is_module else find_program(name)
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
        self.times = int(self.options.get("N", ["1"])[0]) if "t" in self.options else 1
        if self.times < 1:
            print("ERROR:root:Number of runs must be >=1", file=sys.stderr)

    def take_module(self, name):
        spec = find_module(name)
        self.path = spec.origin
        self.code = spec.loader.get_code(spec.name)
        self.folder = None
        self.own = {"__name__": "__main__", "__file__": spec.origin}
        self.module = types.ModuleType("__main__")
        self.names = vars(self.module)
        self.names.update(__builtins__=builtins, __spec__=spec, __loader__=spec.loader,
                          __package__=spec.parent, __cached__=spec.cached)

    def take_file(self, path):
        with open(path, "rb") as file:
            self.code = compile(file.read(), os.path.realpath(path), "exec", dont_inherit=True)
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

    def begin(self):
        """Sets sys.argv, sys.path and __main__ to those of the program."""
        self.before = {name: self.names[name] for name in self.own if name in self.names}
        self.names.update(self.own)
        self.main = sys.modules.get("__main__")
        self.argv, sys.argv = sys.argv, self.argv
        if self.module is not None:
            sys.modules[self.own["__name__"]] = self.module
        self.added = self.folder is not None and self.folder not in sys.path
        if self.added:
            sys.path.insert(0, self.folder)
        self.started = run_times()

    def end(self):
        """Restores what begin() changed."""
        self.ended = run_times()
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

    def publish(self):
        """Prints the times if requested, and adds the program's names to the script."""
        if "t" in self.options:
            print_run_times(self.started, self.ended, self.times)
        if self.module is None:
            return
        kept = {"__name__", "__file__", "__builtins__", "__loader__", "__spec__", "__package__",
                "__cached__"}
        self.user_names.update((name, value) for name, value in self.names.items()
                               if name not in kept)


def run_times():
    """User, system and elapsed time."""
    return resource.getrusage(resource.RUSAGE_SELF)[:2] + (time.perf_counter(),)


def print_run_times(started, ended, runs):
    """Prints the report of %run -t."""
    user, system, wall = (end - start for start, end in zip(started, ended))
    print("\nIPython CPU timings (estimated):")
    if runs == 1:
        print(f"  User   : {user:10.2f} s.\n  System : {system:10.2f} s.")
    else:
        print(f"Total runs performed: {runs}\n  Times  :      Total      Per run")
        for name, total in ("User  ", user), ("System", system):
            print(f"  {name} : {total:10.2f} s, {total / runs:10.2f} s.")
    print(f"Wall time: {wall:10.2f} s.")


@calls.recorded
def run(text, *scopes):
    """%run: only the program itself is measured."""
    with scorep.instrumenter.disable():
        program = Program(split_words(text, *scopes), scopes[0])
        if not program.is_notebook and program.times < 1:
            return
        if not program.is_notebook:
            program.begin()
    if program.is_notebook:  # it was unknown when the script was compiled
        ipython_magic(program.path, "line", "run", (text,), scopes)
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
