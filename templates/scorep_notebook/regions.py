"""Regions for functions of the script (--regions)."""
import ast
import contextlib
import fnmatch
import re
import sys

import scorep.instrumenter
import scorep.user

from .compilers import find_compiled
from .messages import note
from .running import run


class function_named:
    """The attributes of a function that the bindings read when they record it."""

    __code__ = None

    def __init__(self, module, name):
        self.__module__ = module
        self.__name__ = name

    def __call__(self):
        """Does nothing."""


class context:
    """A context manager that calls functions with the frame that contains its `with`."""

    def __init__(self, enter, leave):
        self.enter, self.leave = enter, leave

    def __enter__(self):
        self.enter(sys._getframe(1))

    def __exit__(self, *exception):
        self.leave(sys._getframe(1))


class no_region:
    """A context that does nothing, with functions in C: under the instrumenter, a call of a Python
    function takes microseconds."""

    __enter__ = int
    __exit__ = "".format

    def __reduce__(self):
        return contextlib.nullcontext, ()


def find_recorder():
    """A function that returns this thread's trace or profile function, also one of the user's. If that
    is not None, functions are recorded and no region is needed."""
    instrumenter = scorep.instrumenter.get_instrumenter()
    if run.recorded:
        return instrumenter.recorder
    kind = type(instrumenter).__name__
    return sys.gettrace if kind.endswith("Trace") else sys.getprofile


recorder = find_recorder() if run.measured else None


class region_of_function:
    """The region of a function, with the name that the instrumenter gives it. It is a constant in the
    function's code."""

    recorder = recorder
    outside = no_region()

    def __init__(self, module, name):
        self.region = scorep.user.region()
        self.region.func = function_named(module, name)
        self.inside = context(self.begin, self.end)

    def __reduce__(self):
        """Becomes a context that does nothing in a process that gets the function as code. It is
        hashed with the code, and sent on."""
        nothing = {"pause": bool, "resume": bool, "recorder": bool}
        nothing.update(dict.fromkeys(("outside", "inside"), contextlib.nullcontext()))
        nothing.update(dict.fromkeys(("away", "back"), contextlib.nullcontext))
        return contextlib.nullcontext, (), nothing

    def begin(self, frame):
        if self.region.func.__code__ is None:
            # A copy, because the instrumenter knows the original: if the function turned it on, it
            # would end the region again.
            self.region.func.__code__ = frame.f_code.replace()
        self.region.__enter__()

    def end(self, frame):
        if recorder() is None:
            self.region.__exit__(None, None, None)
            return
        with scorep.instrumenter.disable():  # as when the region began
            self.region.__exit__(None, None, None)


class region_in_steps(region_of_function):
    """The region of a generator or coroutine. Other code runs while it waits, so its region ends before
    a wait and begins again after it, except where an exception is thrown into it."""

    def __init__(self, module, name):
        super().__init__(module, name)
        self.open = set()  # frames in which the region has begun
        self.inside = context(self.go, self.stop)
        self.outside = context(self.stop, self.go)

    def go(self, frame):
        if frame not in self.open and recorder() is None:
            self.begin(frame)
            self.open.add(frame)

    def stop(self, frame):
        if frame in self.open:
            self.open.remove(frame)
            self.end(frame)

    def back(self):
        return self.inside

    def away(self):
        return self.outside

    def pause(self):
        self.stop(sys._getframe(1))

    def resume(self):
        self.go(sys._getframe(1))


def located(node, where):
    """NODE, with the place of WHERE in all nodes without a place."""
    for each in ast.walk(node):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, where)
    return node


def call_of(mark, method):
    """The call of a METHOD of the region that will replace the text MARK."""
    return ast.Call(ast.Attribute(ast.Constant(mark), method, ast.Load()), [], [])


def framed(context, statements, where):
    """`with CONTEXT:` around statements"""
    return located(ast.With([ast.withitem(context, None)], statements), where)


def parsed(text, where):
    """The expression TEXT at the place of WHERE."""
    expression = ast.parse(text, mode="eval").body
    for node in ast.walk(expression):
        ast.copy_location(node, where)
    return expression


def context_of(mark, where):
    """The region of the text MARK, or nothing if the instrumenter records the function."""
    return parsed(f"{mark!r}.inside if {mark!r}.recorder() is None else {mark!r}.outside", where)


def one_of(index, expressions, where):
    """The value of one of EXPRESSIONS, all of which are evaluated."""
    chosen = parsed(f"()[{index}]", where)
    chosen.value.elts = expressions
    return located(chosen, where)


def visit_outside(visitor, node):
    """Visits what a definition has outside of its body, such as default values."""
    body, node.body = node.body, []
    visitor.generic_visit(node)
    node.body = body
    return node


class find_waits(ast.NodeVisitor):
    """Sets found to True if the function is a generator or a coroutine."""

    def __init__(self, function):
        self.found = isinstance(function, ast.AsyncFunctionDef)
        for statement in function.body:
            self.visit(statement)

    def visit_Yield(self, node):
        self.found = True

    visit_YieldFrom = visit_Yield
    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_outside


def waits(node):
    """True if the expression may wait."""
    return any(isinstance(each, (ast.Await, ast.Yield, ast.YieldFrom))
               or getattr(each, "is_async", 0) for each in ast.walk(node))


class pause_at_waits(ast.NodeTransformer):
    """Makes the body of a generator or coroutine leave its region where it waits."""

    def __init__(self, mark):
        self.mark = mark

    def visit_Yield(self, node):
        self.generic_visit(node)
        given = node.value or located(ast.Constant(None), node)
        node.value = one_of(0, [given, call_of(self.mark, "pause")], node)
        return one_of(0, [node, call_of(self.mark, "resume")], node)

    visit_YieldFrom = visit_Await = visit_Yield

    def visit_ListComp(self, node):
        """A comprehension is a function of its own in most versions of Python."""
        if not waits(node):
            return node
        return one_of(1, [call_of(self.mark, "pause"), node, call_of(self.mark, "resume")], node)

    visit_SetComp = visit_DictComp = visit_ListComp

    def visit_GeneratorExp(self, node):
        node.generators[0].iter = self.visit(node.generators[0].iter)
        return node

    def visit_AsyncWith(self, node):
        for part in "body", "orelse":
            statements = [self.visit(each) for each in getattr(node, part, ())]
            if statements:
                setattr(node, part, [framed(call_of(self.mark, "back"), statements,
                                            statements[0])])
        return framed(call_of(self.mark, "away"), [node], node)

    visit_AsyncFor = visit_AsyncWith
    visit_Lambda = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_outside


class frame_functions(ast.NodeVisitor):
    """Puts the bodies of the script's functions into regions, and changes nothing else in them."""

    def __init__(self, compiled):
        self.compiled = compiled  # definitions
        self.made = {}  # regions by mark
        self.matched = set()
        self.refused = set()  # wishes that match functions without a region
        self.scopes = []  # (kind, name) of the classes and functions around

    def wishes_for(self, name):
        """The names of --regions that match the function NAME."""
        if wishes.regions == "defs":
            return {"defs"} if all(kind == "class" for kind, _ in self.scopes) else set()
        names = [name]  # the name of a class matches its methods
        for kind, scope in reversed(self.scopes):
            if kind != "class":
                break
            name = name.rpartition(".")[0]
            names.append(name)
        return {wish for wish in wishes.regions for name in names if fnmatch.fnmatchcase(name, wish)}

    def visit_ClassDef(self, node, kind="class"):
        self.scopes.append((kind, node.name))
        self.generic_visit(node)
        self.scopes.pop()

    def visit_FunctionDef(self, node):
        if not self.scopes and re.match(r"_cell_\d+$", node.name):  # a cell with `await`
            self.generic_visit(node)
            return
        wishes = self.wishes_for(".".join([name for _, name in self.scopes] + [node.name]))
        self.visit_ClassDef(node, "function")
        if node in self.compiled:
            self.refused |= wishes
        elif wishes:
            self.matched |= wishes
            self.frame(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def frame(self, node):
        classes = []
        for kind, name in reversed(self.scopes):
            if kind != "class":
                break
            classes.insert(0, name)
        mark = f"\0region {len(self.made)}"
        in_steps = find_waits(node).found
        kind = region_in_steps if in_steps else region_of_function
        self.made[mark] = kind(".".join(["__main__"] + classes), node.name)
        front = 1 if ast.get_docstring(node, False) is not None else 0
        body = node.body[front:] or [located(ast.Pass(), node.body[0])]
        context = context_of(mark, body[0])
        if in_steps:
            pause = pause_at_waits(mark)
            body = [pause.visit(each) for each in body]
            context = call_of(mark, "back")
        node.body[front:] = [framed(context, body, body[0])]


def with_regions(code, made):
    """CODE, with regions in place of their marks."""
    def replace(constant):
        if isinstance(constant, type(code)):
            return with_regions(constant, made)
        return made.get(constant, constant) if isinstance(constant, str) else constant

    return code.replace(co_consts=tuple(map(replace, code.co_consts)))


def compile_with_regions(text, name, mode):
    """Replaces compile(), with which the bindings compile the script."""
    problem = None
    try:
        tree = ast.parse(text, name, mode)
        frames = frame_functions(find_compiled(tree).found)
        frames.visit(tree)
        code = with_regions(compile(tree, name, mode), frames.made)
    except Exception as error:  # a syntax error, or too much nesting
        problem = error
    if problem is not None:
        code = compile(text, name, mode)
        note(f"cannot add regions to the script's functions: {problem}")
        return code
    for wish in wishes.regions if wishes.regions != "defs" else ():
        if wish in frames.matched:
            continue
        problem = f"the script has no function or class '{wish}'"
        if wish in frames.refused:
            problem = f"'{wish}' gets no region: it is compiled, and Python does not run it"
        note(f"{problem} (--regions)")
    return code


class wishes:
    regions = ()  # "defs", or patterns of names
