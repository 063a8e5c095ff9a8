"""Finds code of a script that does not do what its author expects. nbscorep puts names.py before this file."""

# Calls that set a hook of Python which Score-P's instrumenter may have set: module and name, the hook,
# and whether methods of the returned object set it. PROFILE_311: sys.setprofile() up to Python 3.11, later
# sys.monitoring.
PROFILE, TRACE, PROFILE_311 = range(3)
PROFILERS = {
    ("cProfile", "Profile"): (PROFILE_311, True),
    ("cProfile", "run"): (PROFILE_311, False),
    ("cProfile", "runctx"): (PROFILE_311, False),
    ("coverage", "Coverage"): (TRACE, True),
    ("line_profiler", "LineProfiler"): (TRACE, False),
    ("profile", "Profile"): (PROFILE, True),
    ("profile", "run"): (PROFILE, False),
    ("profile", "runctx"): (PROFILE, False),
    ("pyinstrument", "Profiler"): (PROFILE, True),
    ("sys", "setprofile"): (PROFILE, False),
    ("sys", "settrace"): (TRACE, False),
    ("threading", "setprofile_all_threads"): (PROFILE, False),
    ("threading", "settrace_all_threads"): (TRACE, False),
    ("trace", "Trace"): (TRACE, True),
    ("viztracer", "VizTracer"): (PROFILE_311, True),
    ("yappi", "run"): (PROFILE, False),
    ("yappi", "start"): (PROFILE, False),
}
STARTING_METHODS = {"enable", "run", "runcall", "runctx", "runfunc", "start"}
# Modules and functions that start processes to run functions.
WORKER_MODULES = {"multiprocessing", "multiprocess", "concurrent", "joblib", "loky"}
WORKERS = {"Pool", "Process", "ProcessPoolExecutor", "Parallel"}
# Functions of os that end the process without its exit handlers.
PROCESS_ENDS = {"_exit", "abort"} | {"exec" + letters for letters in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")}
# Functions that wait for input, and those that start a debugger.
ASKERS, DEBUGGERS = {"input", "getpass"}, {"breakpoint", "set_trace"}
# The arguments of JUmPER's magics, in all versions of the extension: the kind of a word without an option, and options
# with the kind of their value. A FILE must be named, by a word or by --file.
JUMPER = {
    "perfmonitor_start": "INTERVAL --monitor=TEXT --check-sanity",
    "perfmonitor_perfreport": "--cell=CELLS --level=LEVEL --text",
    "perfmonitor_enable_perfreports": "--level=LEVEL --interval=INTERVAL --text",
    "perfmonitor_plot": "--metrics=TEXT --cell=CELLS --level=LEVEL --save-jpeg=TEXT --pickle=TEXT"
                        " --backend=BACKEND --live=INTERVALS",
    "perfmonitor_export_perfdata": "TEXT --file=TEXT --name=NAME --level=LEVEL",
    "perfmonitor_export_cell_history": "TEXT --file=TEXT --name=NAME",
    "perfmonitor_load_perfdata": "FILE --file=TEXT",
    "perfmonitor_load_cell_history": "FILE --file=TEXT",
    "export_session": "TEXT",
    "import_session": "FILE",
    **dict.fromkeys("perfmonitor_stop perfmonitor_disable_perfreports perfmonitor_resources perfmonitor_fast_setup"
                    " perfmonitor_help cell_history".split(), ""),
}


def jumper_arguments(name, text):
    """The arguments of JUmPER's magic NAME. Raises ValueError, with a message, if JUmPER would refuse them."""
    import argparse
    import itertools
    import re
    import shlex

    number = r"(?=.*[1-9])(\d+\.?\d*|\.\d+)(e[-+]?\d+)?"
    patterns = {"CELLS": (r"-?\d+|(-?\d+)?:(-?\d+)?", "a range of cells, such as 5, 2:8, :5, 3:, -2:, or :"),
                "INTERVAL": (number, "an interval in seconds"), "INTERVALS": (number, "an interval in seconds"),
                "LEVEL": ("process|user|system|slurm", "process, user, system or slurm"),
                "BACKEND": ("matplotlib|plotly", "matplotlib or plotly"),
                "NAME": (r"[^\W\d]\w*", "a Python identifier")}

    def fail(message):
        raise ValueError(message)

    def checked(kind):
        pattern, wanted = patterns.get(kind, ("(?s).+", "a non-empty text"))

        def check(word):
            if not re.fullmatch(pattern, word):
                raise argparse.ArgumentTypeError("expected %s, not '%s'" % (wanted, word))
            return word
        return check

    parser = argparse.ArgumentParser(add_help=False)
    parser.error = fail
    for argument in JUMPER[name].split():
        option, has_value, kind = argument.partition("=")
        if not option.startswith("--"):
            parser.add_argument("word", metavar=option, nargs="?", type=checked(option))
        elif has_value:
            parser.add_argument(option, nargs="*" if kind == "INTERVALS" else None, type=checked(kind))
        else:
            parser.add_argument(option, action="store_true")
    # argparse takes -3:-1 for an option.
    lexer = shlex.shlex(re.sub(r"(--cell)\s+(-\d)", r"\1=\2", text), posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    asked = parser.parse_args(list(itertools.takewhile(lambda word: word[:1] != "#", lexer)))
    if JUMPER[name].startswith("FILE") and not (asked.word or getattr(asked, "file", None)):
        raise ValueError("the name of a file is missing")
    return asked


class Lints:
    """Visits nodes in the order of the text. FOUND has the findings, see verify.py."""

    def __init__(self):
        self.found = []
        self.modules, self.bare = set(), {}  # that are imported; those of PROFILERS, by name
        self.objects, self.kept = {}, ()  # profilers in variables; the call and variable of the last one
        self.has_processes = False

    def add(self, diag, node, word, message, hint="", number=0):
        self.found.append((diag, node, word, number, message, hint))

    def visit(self, node):
        getattr(self, "visit_" + kind(node), id)(node)
        for child in children(node):
            self.visit(child)

    def visit_Import(self, node):
        for alias in node.names:
            self.visit_imported(node, alias.name)

    def visit_ImportFrom(self, node):
        module = node.module or ""
        self.visit_imported(node, module)
        for alias in node.names:
            if module == "os" and alias.name in PROCESS_ENDS:
                self.add_exit(node, alias.name)
            if (module, alias.name) in PROFILERS:
                self.bare[alias.name] = module

    def visit_imported(self, node, name):
        package = name.split(".")[0]
        self.modules.add(package)
        if package == "jumper_extension":
            self.add("jumper-package", node, "jumper_extension",
                     "the script imports JUmPER, which must be installed where the script runs",
                     "use %perfmonitor_start or 'nbscorep run --monitor' to sample without JUmPER")

    def visit_Attribute(self, node):
        if node.attr in PROCESS_ENDS and name_of(node.value) == "os":
            self.add_exit(node, node.attr)

    def add_exit(self, node, name):
        self.add("os-exit", node, name,
                 "os.%s() ends the process immediately, and Score-P's data are lost" % name,
                 "use %s() to keep the data; in the child of os.fork(), os.%s() is correct"
                 % ("subprocess.run" if name.startswith("exec") else "sys.exit", name))

    # ---- the environment

    def visit_variable(self, place, name):
        """The script sets the variable NAME."""
        if name and name.startswith("SCOREP_") and name.isidentifier():
            self.add("scorep-environ", place, name, "Score-P reads its variables before the script"
                     " starts; setting %s here has no effect" % name,
                     "use %env in a separate cell; the run script exports the variable")

    def visit_keys(self, node):
        for key in node.keys if kind(node) == "Dict" else ():
            self.visit_variable(key, text_of(key))

    def visit_Assign(self, node):
        for target in node.targets:
            if kind(target) == "Subscript" and name_of(target.value) == "environ":
                index = target.slice.value if kind(target.slice) == "Index" else target.slice
                self.visit_variable(index, text_of(index))
        call, variable = self.profiler(node.value), node.targets[0]
        if call and PROFILERS[call][1] and kind(variable) == "Name":
            self.objects[variable.id] = call
            self.kept = node.value, variable

    def visit_AugAssign(self, node):
        if name_of(node.target) == "environ":
            self.visit_keys(node.value)

    def visit_Call(self, node):
        function, owner = name_of(node.func), name_of(getattr(node.func, "value", None))
        if node.args and (function == "putenv" or (owner, function) == ("environ", "setdefault")):
            self.visit_variable(node.args[0], text_of(node.args[0]))
        if (owner, function) == ("environ", "update"):
            for argument in node.args:
                self.visit_keys(argument)
            for keyword in node.keywords:
                self.visit_variable(keyword.value, keyword.arg)
        if (function in WORKERS and owner != "psutil" and not self.has_processes
                and self.modules & WORKER_MODULES):
            self.has_processes = True
            self.add("unmeasured-processes", node, function,
                     "Score-P does not measure functions that run in the processes of %s()" % function,
                     "use threads, ranks of MPI (--ranks), or --measurement=builtin, which measures them")
        if function in ASKERS | DEBUGGERS and (kind(node.func) == "Name" or function in ("getpass", "set_trace")):
            debugs = function in DEBUGGERS
            self.add("input", node, function,
                     "%s() %s" % (function, "starts a debugger, which needs input that a batch job does not have" if debugs
                                  else "needs input, which a batch job does not have"),
                     "remove the call; the debugger ends the script at the end of standard input" if debugs
                     else "set the value in a variable of the notebook, or redirect standard input")
        if helper(node) in JUMPER:
            self.visit_jumper(node, function, text_of(node.args[0]))
        call = self.profiler(node)
        is_variable = kind(getattr(node.func, "value", None)) == "Name"
        if call and node not in self.kept:
            self.add_profiler(node, function, call)
        elif function in STARTING_METHODS and is_variable and owner in self.objects:
            self.add_profiler(node, owner, self.objects[owner])

    def visit_jumper(self, node, name, text):
        if "{" in text or "$" in text:  # known when the script runs
            return
        try:
            asked = jumper_arguments(name, text)
        except ValueError as problem:
            self.add("magic-argument", node, name, "'%%%s': %s" % (name, problem))
            return
        for option, word, instead in (
                (getattr(asked, "check_sanity", False), "--check-sanity", "nbscorep uses its own sampler"),
                (getattr(asked, "live", None) is not None, "--live", "the plot shows the samples taken before it"),
                (getattr(asked, "monitor", None) == "slurm_multinode", "slurm_multinode",
                 "only nodes with a rank of the script are sampled (--ranks)")):
            if option:
                self.add("no-effect-magic", node, word, "'%s' has no effect in batch: %s" % (word, instead))

    # ---- profilers

    def profiler(self, node):
        """The key in PROFILERS of the function that NODE calls, or None."""
        function = getattr(node, "func", None)
        name = name_of(function)
        module = getattr(getattr(function, "value", None), "id", "")
        if kind(function) == "Name":
            module = self.bare.get(name)
        return (module, name) if (module, name) in PROFILERS and module in self.modules else None

    def add_profiler(self, node, word, call):
        hook = PROFILERS[call][0]
        self.add("other-profiler", node, word,
                 "'%s.%s' replaces Score-P's instrumenter%s, and the measurement is lost"
                 % (call + (" up to Python 3.11" if hook == PROFILE_311 else "",)),
                 "use %%execute_with_scorep in other cells only, or pass --noinstrumenter to the"
                 " bindings", hook == TRACE)

    def visit_Name(self, node):
        if kind(node.ctx) == "Store" and node not in self.kept:
            self.objects.pop(node.id, None)

    def visit_With(self, node):
        for item in node.items:
            if kind(item.context_expr) == "Name" and item.context_expr.id in self.objects:
                self.add_profiler(node, item.context_expr.id, self.objects[item.context_expr.id])


def own_names(statements):
    """Yields (node, name) for the names of ours that the notebook sets."""
    for name, node in bound(statements):
        modules = [alias.name for alias in getattr(node, "names", ()) if kind(node) == "Import"]
        if name in OWN_NAMES and not any(module.startswith(name) for module in modules):
            yield node, name
    for node in walk(*statements):
        for target in node.targets if kind(node) == "Delete" else ():
            if name_of(target) in OWN_NAMES:
                yield target, name_of(target)


def lint(tree, text):
    """Returns findings as in Lints.found. TEXT: the script's."""
    import re
    # Most scripts have none of the words without which there is nothing to find.
    words = {"_exit", "abort", "execl", "execv", "jumper_extension", "SCOREP_"} | WORKER_MODULES | {module for module, _ in PROFILERS}
    words |= {name + "(" for name in ASKERS | DEBUGGERS} | set(JUMPER)
    if not any(word in text for word in words - {"sys", "threading"} | {"setprofile", "settrace"}) and not re.search(
            r"\b(scorep|%s)\b(?!\.| *#)" % PACKAGE, text):
        return []
    lints = Lints()
    for statement in tree.body:
        lints.visit(statement)
    for node, name in own_names(tree.body):
        lints.add("scorep-name", node, name,
                  "the script uses this name for %s, and fails if it is redefined"
                  % ("Score-P's bindings" if name == "scorep" else "its runtime package"))
    return lints.found
