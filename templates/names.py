"""Finds names that a script uses before it sets them, as in a notebook that was saved after its
cells ran in another order.

The search visits the script's syntax tree in the order of execution. It ends at code that may set
any name (a star import, exec(), a magic that IPython runs), and it ignores uses that may not run (below
`if` and `try`, in functions), so that a reported name certainly has no value. It imports `re` only where it
must, and `ast` never: each takes half as long as Python's start.
"""
import builtins

ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
PACKAGE = "scorep_notebook"
OWN_NAMES = {"scorep", PACKAGE}

# Names of newer Pythons than this one, of the module site, of IPython and of the script.
PROVIDED = set(dir(builtins)) | set(
    "aiter anext BaseExceptionGroup EncodingWarning ExceptionGroup PythonFinalizationError WindowsError"
    " copyright credits exit help license quit display get_ipython In Out scorep".split())
HISTORY = {"_oh", "_ih", "_dh", "_sh", "_exit_code"}  # of IPython, besides _, __, _i, _7
# Names of Python 2, and Python 3's replacement.
OLD_NAMES = dict(apply="", basestring="str", buffer="memoryview", cmp="", coerce="", execfile="",
                file="open", intern="sys.intern", long="int", raw_input="input",
                reduce="functools.reduce", reload="importlib.reload", unichr="chr", unicode="str",
                xrange="range")

# Names and attributes of code that may set any name.
OPENERS = {"exec", "compile", "globals", "locals", "execfile", "get_ipython", "builtins",
           "__builtins__", "__main__", "init_session", "load_session", "load_module"}
OPENING_ATTRIBUTES = {"user_ns", "user_global_ns", "f_globals", "f_locals", "currentframe",
                      "_getframe", "init_session", "_convert", "_convert_", "load_session",
                      "load_module", "instance"}
# Functions of the runtime package that may set names which are not in their arguments.
OPENING_HELPERS = {"line_magic", "cell_magic", "run", "pylab", "import_session",
                   "perfmonitor_export_perfdata", "perfmonitor_load_perfdata",
                   "perfmonitor_export_cell_history", "perfmonitor_load_cell_history"}
# Those whose arguments are code that runs at once.
CODE_HELPERS = {"timeit", "timeit_cell", "prun", "prun_cell", "time_text"}
# Parts of names of contexts that catch exceptions: suppress(NameError), pytest.raises(...).
CATCHING = "aise", "uppress", "xpect", "xcept", "rror", "gnore", "fail"
EXITS = {"exit", "quit", "_exit", "abort"}
# Fields in the order of execution, without those that do not run, where that is not Python's order; code in
# the fields with a "?" may not run.
FIELDS = dict(Assign="value targets", AnnAssign="value target", Assert="test", ClassDef="decorator_list bases keywords",
              For="iter target", AsyncFor="iter target", IfExp="test body? orelse?", NamedExpr="value",
              Try="body? handlers? orelse? finalbody?", TryStar="body? handlers? orelse? finalbody?",
              TypeAlias="name", While="test", With="items", AsyncWith="items", arguments="defaults kw_defaults",
              match_case="pattern guard? body?")
FIELDS = {name: fields.split() for name, fields in FIELDS.items()}
OPENING_KINDS = {"Call", "Attribute", "Name"}


def children(node):
    """The child nodes of NODE, without contexts and operators."""
    found = []
    for field in node._fields:
        value = getattr(node, field, None)
        if type(value) is list:
            found += [child for child in value if hasattr(child, "_fields")]
        elif hasattr(value, "lineno") or getattr(value, "_fields", None):
            found.append(value)
    return found


def walk(*nodes):
    """NODES and all nodes below them."""
    nodes = list(nodes)
    for node in nodes:
        nodes += children(node)
    return nodes


def kind(node):
    return type(node).__name__


def name_of(node):
    """The identifier of a Name, or the last one of an Attribute; else ""."""
    return getattr(node, "id", "") or getattr(node, "attr", "")


def helper(node):
    """The name of the runtime package's function that NODE calls, or ""."""
    function = getattr(node, "func", None)
    is_ours = getattr(getattr(function, "value", None), "id", "") == PACKAGE
    return function.attr if is_ours else ""


def text_of(node):
    """The string that NODE is, or ""."""
    value = getattr(node, "value", getattr(node, "s", ""))  # Python 3.8: "s"
    return value if isinstance(value, str) else ""


def is_provided(name):
    """True for a name that has a value although no cell sets it. Python normalizes names beyond ASCII."""
    return (name in PROVIDED or name in HISTORY or not name.isascii()
            or name[0] == "_" and not name.strip("_i0123456789")
            or name.startswith("__") and name.endswith("__"))


def is_opener(node):
    """True if NODE may set any name."""
    call = kind(node) == "Call"
    if call and helper(node) in OPENING_HELPERS:
        return True
    if call and name_of(node.func) == "vars":
        return not node.args  # vars(x) has only the attributes of x
    if call and name_of(node.func) == "var":  # SymPy's var("x y"); var(x) is a variance
        return bool(node.args) and bool(text_of(node.args[0]) or kind(node.args[0]) == "JoinedStr")
    if kind(node) == "Attribute":
        return node.attr in OPENING_ATTRIBUTES or (
            node.attr == "modules" and name_of(node.value) == "sys")
    return kind(node) == "Name" and kind(node.ctx) == "Load" and node.id in OPENERS


def is_cell_function(node):
    """True for the function of a cell with a top-level await."""
    return kind(node) == "AsyncFunctionDef" and node.name.startswith("_cell_")


def captured(call):
    """The names that %%capture and %%script set: words of the helper's first argument."""
    if helper(call) not in ("capture", "getoutput_cell", "script") or not call.args:
        return []
    return [word for word in text_of(call.args[0]).split() if word.isidentifier()]


def bound(nodes):
    """Yields (name, node) for each name of the module that NODES, or functions in them, may set."""
    for node in nodes:
        below = children(node)
        if kind(node) in ("FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda"):
            if kind(node) != "Lambda":
                yield node.name, node
            if is_cell_function(node):  # its "global" has all of its names
                below = [statement for statement in node.body if kind(statement) != "Global"]
            else:
                below = (n for n in walk(node) if kind(n) == "Global")
        elif kind(node) == "Global":
            for name in node.names:
                yield name, node
        elif kind(node) == "comprehension":  # its targets are its own
            below = [node.iter] + node.ifs
        elif kind(node) == "Name" and kind(node.ctx) == "Store":
            yield node.id, node
        elif kind(node) in ("Import", "ImportFrom"):
            for alias in node.names:
                yield alias.asname or alias.name.split(".")[0], node
        elif kind(node) in ("ExceptHandler", "MatchAs", "MatchStar", "MatchMapping"):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if name:
                yield name, node
        elif kind(node) == "Call":
            for name in captured(node):
                yield name, node
        for pair in bound(below):
            yield pair


class Ended(Exception):
    """Any name may have a value from here on, or the script ends."""


class Search:
    """Visits statements in the order of execution. SET has the names with a value; UNSET those without one: the name,
    the node that uses it, the line that deleted it or 0."""

    def __init__(self, broken):
        self.broken = broken
        self.set, self.shared, self.deleted = set(OWN_NAMES), set(OWN_NAMES), {}
        self.unset, self.reported = [], set()
        self.certain = True
        self.place = None  # instead of a node's own, in code of a string
        self.scopes = []  # names of the classes and comprehensions around
        self.loop = None  # the outermost loop around
        self.is_read_ahead = False

    def visit(self, node):
        name = type(node).__name__
        if name in OPENING_KINDS and is_opener(node):
            raise Ended
        getattr(self, "visit_" + name, self.visit_children)(node)

    def visit_children(self, node):
        fields = FIELDS.get(type(node).__name__)
        if fields is None:
            for child in children(node):
                self.visit(child)
            return
        for field in fields:
            value = getattr(node, field.rstrip("?"), None)
            self.visit_all(value if type(value) is list else [value], field[-1] != "?")

    def visit_all(self, nodes, certain=True):
        before, self.certain = self.certain, self.certain and certain
        for node in nodes:
            if node is not None:
                self.visit(node)
        self.certain = before

    def is_top_level(self):
        return self.certain and not self.scopes and self.loop is None

    # ---- names

    def use(self, node):
        name = node.id
        if (not self.certain or name in self.set or name in self.reported
                or any(name in scope for scope in self.scopes)):
            return
        if name in self.deleted or not is_provided(name):
            self.unset.append((name, self.place or node, self.deleted.get(name, 0)))
            self.reported.add(name)

    def bind(self, name):
        (self.scopes[-1] if self.scopes else self.set).add(name)
        self.reported.discard(name)

    def visit_Name(self, node):
        if kind(node.ctx) == "Store":
            self.bind(node.id)
            return
        self.use(node)
        if kind(node.ctx) == "Load":
            return
        if self.is_top_level() and node.id in self.set and node.id not in self.shared:
            self.set.discard(node.id)
            self.deleted[node.id] = (self.place or node).lineno

    def visit_Global(self, node):
        self.set.update(node.names)
        self.shared.update(node.names)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name == "*":
                raise Ended
            self.bind(alias.asname or alias.name.split(".")[0])

    visit_ImportFrom = visit_Import

    # ---- expressions

    def visit_BoolOp(self, node):
        self.visit(node.values[0])
        self.visit_all(node.values[1:], False)

    def visit_Lambda(self, node):
        self.visit(node.args)
        self.search_later([node.body])

    def visit_ListComp(self, node):
        first = node.generators[0]
        self.read_ahead()
        self.visit(first.iter)
        self.scopes.append({n.id for g in node.generators for n in walk(g.target)
                            if kind(n) == "Name"})
        rest = [x for g in node.generators[1:] for x in [g.iter] + g.ifs]
        self.visit_all(first.ifs + rest, False)
        results = [getattr(node, name) for name in ("elt", "key", "value") if hasattr(node, name)]
        self.visit_all(results, not first.ifs and not rest and kind(node) != "GeneratorExp")
        self.scopes.pop()

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_NamedExpr(self, node):
        self.visit_children(node)
        self.set.add(node.target.id)

    def visit_Call(self, node):
        self.visit_children(node)
        for name in captured(node):
            self.bind(name)
        if helper(node) == "take_parameters":
            self.set.update(map(text_of, node.args))
        if helper(node) == "set_parameters" and self.takes_any:
            raise Ended
        if helper(node) in CODE_HELPERS:
            self.visit_code(node, *map(text_of, node.args))

    takes_any = False

    def visit_keyword(self, node):
        self.takes_any |= node.arg == "new"
        self.visit(node.value)

    def visit_code(self, node, first, *others):
        """The code in the arguments of a helper. FIRST begins with options."""
        import re
        first = re.sub(r"^\s*((-[nrpslTD]\s+\S+|-\S*)(\s+|$))*", "", first)
        outer, self.place = self.place, self.place or node
        for text in (first.strip(),) + others:
            try:
                self.visit_all(compile(text, "", "exec", ONLY_AST, True).body)
            except (SyntaxError, ValueError):
                raise Ended
        self.place = outer

    # ---- functions and classes

    def search_later(self, nodes):
        """What functions may do whenever they are called."""
        for node in walk(*nodes):
            if is_opener(node):
                raise Ended
            if kind(node) == "Global":
                self.visit_Global(node)

    def visit_FunctionDef(self, node):
        self.visit_all(node.decorator_list)
        self.visit(node.args)
        self.bind(node.name)
        if is_cell_function(node):
            self.visit_all(x for x in node.body if kind(x) != "Global")
        else:
            self.search_later(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.visit_children(node)
        self.bind(node.name)
        self.scopes.append(set())
        self.visit_all(node.body)
        self.scopes.pop()

    # ---- simple statements

    def visit_AugAssign(self, node):
        self.visit(node.value)
        if kind(node.target) == "Name":
            self.use(node.target)
        self.visit(node.target)

    def visit_Pass(self, node):
        if node.lineno - 1 in self.broken:
            raise Ended

    def visit_Raise(self, node):
        self.visit_children(node)
        if self.is_top_level():
            raise Ended

    def visit_Expr(self, node):
        value = node.value
        self.visit(value)
        if helper(value) == "echo":
            value = value.args[-1]
        if kind(value) == "Call" and name_of(value.func) in EXITS and self.is_top_level():
            raise Ended

    # ---- compound statements

    def read_ahead(self):
        """Code that may run only in a later round of a loop finds all names that the loop sets."""
        if self.loop is not None and not self.is_read_ahead:
            self.is_read_ahead = True
            for name, _ in bound([self.loop]):
                self.bind(name)

    def visit_For(self, node):
        self.read_ahead()
        self.visit_children(node)
        outer = self.loop
        if outer is None:
            self.loop, self.is_read_ahead = node, False
        self.visit_all(node.body, kind(node) != "While")
        self.loop = outer
        self.visit_all(node.orelse, False)

    visit_AsyncFor = visit_While = visit_For

    def visit_If(self, node):
        test = node.test
        is_main = kind(test) == "Compare" and name_of(test.left) == "__name__"
        self.visit(test)
        self.visit_all(node.body, is_main or getattr(test, "value", None) is True)
        self.visit_all(node.orelse, False)

    def visit_With(self, node):
        self.visit_children(node)
        catches = any(part in name_of(n) for n in walk(*node.items) for part in CATCHING)
        self.visit_all(node.body, not catches)

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node):
        for name, _ in bound([node]):
            self.bind(name)
        self.visit_children(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = visit_ExceptHandler


def left_out_tree(lines):
    """The syntax tree of a cell that is left out of the script, with its magics as `pass`, or None."""
    import re
    text = re.sub(r"(?m)^([ \t]*)[%!?].*", r"\1pass", "\n".join(lines))
    text = re.sub(r"(?m)=[ \t]*[%!].*", "= 0", text)
    try:
        return compile(text, "", "exec", ONLY_AST | TOP_LEVEL_AWAIT, True)
    except (SyntaxError, ValueError):
        return None


def similar(name, names):
    """The one of NAMES that NAME may be a misspelling of, or ""."""
    import difflib
    near = difflib.get_close_matches(name, names, 1, 0.75) if len(name) > 3 else []
    return near[0] if near else ""


def search_names(tree, broken, left_out):
    """Returns a finding, see verify.py, for each name without a value before the lines BROKEN. LEFT_OUT has the
    lines of the cells that are left out."""
    search = Search(broken)
    try:
        search.visit_all(tree.body)
    except Ended:
        pass
    if not search.unset:
        return []
    later, elsewhere = {}, {}
    for name, node in bound(tree.body):
        later.setdefault(name, node.lineno)
    for index, cell in enumerate(map(left_out_tree, left_out)):
        for name, _ in bound(cell.body) if cell else ():
            elsewhere.setdefault(name, index)
    return [("undefined-name", node, name) + explain(name, deleted, later, elsewhere)
            for name, node, deleted in search.unset]


def explain(name, deleted, later, elsewhere):
    """A number, the message and the hint. LATER: lines that set names; ELSEWHERE: cells that do and are left out."""
    if deleted:
        return deleted, "'%s' is used after {line} deletes it" % name, ""
    if name in later:
        return (later[name], "'%s' is used before {line} defines it" % name,
                "move the definition before its use")
    if name in elsewhere:
        return (elsewhere[name], "only {left out} defines '%s', but that cell is left out of the script"
                % name, "")
    if name in OLD_NAMES:
        today = OLD_NAMES[name]
        return 0, "'%s' exists only in Python 2" % name, today and "use " + today
    near = similar(name, list(later) + list(elsewhere))
    return 0, "no cell defines '%s'" % name, near and "did you mean '%s'?" % near
