"""Finds definitions of a script that a compiler such as numba gets."""
import ast
import fnmatch

# Decorators and functions that compile a function, so that Python does not run it. Some of them read
# the function's code and reject a region in it.
COMPILERS = ("numba.*jit*", "numba.*vectorize", "numba.cfunc", "numba.stencil",
             "numba.cuda.[rR]educe", "numba.extending.intrinsic", "numba.extending.overload*",
             "numba_cuda.*jit", "numba_dpex.kernel", "bodo.jit", "*.njit", "*.jitclass",
             "*.guvectorize", "torch.compile", "torch._dynamo.optimize", "torch.jit.script*",
             "triton.jit", "taichi.func", "taichi.kernel", "cupyx.jit.rawkernel",
             "cython.compile")
LOOPS = ast.For, ast.comprehension
DEFINITIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef


def written(node):
    """The text of a name, which may have dots; for another node, a text that is not a name."""
    if isinstance(node, ast.Attribute):
        return f"{written(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def arguments(call):
    return call.args + [each.value for each in call.keywords]


class find_compiled:
    """The definitions of a script that are given to a compiler, with all nodes inside them.

    A name means the same everywhere in the script. A function that may be compiled counts as
    compiled: a missing region does less harm than a function that cannot be compiled."""

    def __init__(self, tree):
        self.nodes = list(ast.walk(tree))
        self.origins = {}  # by name: full names that it may be imported from
        self.stars = set()  # modules of star imports
        for node in self.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.add_import(node)
        self.defined = {node.name for node in self.nodes if isinstance(node, DEFINITIONS)}
        self.made = set()  # names of the script's own compilers
        while self.made_more():
            pass
        self.found = set()
        for node in self.compiled():
            self.found.update(ast.walk(node))

    def add_import(self, node):
        for each in node.names:
            origin = each.name
            name = each.asname or origin
            if isinstance(node, ast.ImportFrom):
                origin = f"{node.module}.{origin}"
            elif not each.asname:
                origin = name = origin.partition(".")[0]
            if name == "*":
                self.stars.add(node.module)
            self.origins.setdefault(name, set()).add(origin)

    def is_compilers_name(self, name):
        root, dot, rest = name.partition(".")
        origins = self.origins.get(root) or {f"{star}.{root}" for star in self.stars}
        return name in self.made or any(fnmatch.fnmatchcase(origin + dot + rest, compiler)
                                        for origin in origins for compiler in COMPILERS)

    def is_compiler(self, node):
        """True if the value of NODE compiles functions that are given to it."""
        if isinstance(node, ast.Call):  # with options, or partial(); with a function: its result
            return (not any(written(each).rpartition(".")[2] in self.defined
                            for each in arguments(node))
                    and any(map(self.is_compiler, [node.func] + arguments(node))))
        if isinstance(node, ast.IfExp):
            return self.is_compiler(node.body) or self.is_compiler(node.orelse)
        if isinstance(node, ast.Lambda):
            return self.compiles_argument(node)
        return self.is_compilers_name(written(node))

    def given(self, nodes):
        """Yields the names that are given to compilers."""
        for node in nodes:
            if isinstance(node, ast.Call) and (self.is_compiler(node.func) or any(
                    each.arg == "engine" and getattr(each.value, "value", None) == "numba"
                    for each in node.keywords)):  # as in pandas
                yield from map(written, arguments(node))

    def compiles_argument(self, function):
        nodes = list(ast.walk(function))
        names = {node.arg for node in nodes if isinstance(node, ast.arg)}
        return not names.isdisjoint(self.given(nodes))

    def made_more(self):
        """Adds names that are now known as compilers. True if there are new ones."""
        before = len(self.made)
        for node in self.nodes:
            if isinstance(node, ast.Assign) and self.is_compiler(node.value):
                self.made.update(filter(None, map(written, node.targets)))
            elif isinstance(node, ast.FunctionDef) and self.makes_compiler(node):
                self.made.add(node.name)
        return len(self.made) > before

    def makes_compiler(self, function):
        return self.compiles_argument(function) or any(
            isinstance(node, ast.Return) and self.is_compiler(node.value)
            for node in ast.walk(function))

    def meant(self, names):
        """NAMES and the names that they are assigned from."""
        before = 0
        while len(names) > before:
            before = len(names)
            for node in self.nodes:
                values = []
                if isinstance(node, LOOPS) and written(node.target) in names:
                    values = getattr(node.iter, "elts", [])
                elif isinstance(node, ast.Assign) and names & set(map(written, node.targets)):
                    values = [node.value]
                names.update(filter(None, map(written, values)))
        return names

    def compiled(self):
        given = self.meant(set(filter(None, self.given(self.nodes))))
        classes = {}  # by definition: the classes around it, as a prefix of its name
        for node in self.nodes:
            if not isinstance(node, DEFINITIONS):
                continue
            name = classes.get(node, "") + node.name
            if isinstance(node, ast.ClassDef):
                classes.update((each, f"{name}.") for each in node.body)
            if name in given or any(self.is_compiler(each) for decorator in node.decorator_list
                                    for each in ast.walk(decorator)):
                yield node
