"""Small changes of a program's text, each of which a test should notice.

A mutant is one change in one line: a relational operator, a number off by one, another constant, a
negated condition, `and` for `or`, a statement that is gone. Strings and comments stay as they are.
"""
import io
import re
import tokenize

LANGUAGES = {".c": "c", ".py": "python", ".sh": "bash", ".js": "js"}

# (kind, pattern, replacements of what it finds): in code without strings and comments.
COMMON = [
    ("number", r"(?<![\w.])(\d+)(?![\w.])", lambda found: [str(int(found) + 1),
                                                          str(max(int(found) - 1, 0))]),
    ("off by one", r" [+-] 1\b(?![.\w])", lambda found: ["", " - 1" if "+" in found else " + 1"]),
]
OF_C = [
    ("relation", r"(?<=[\w)\]] )(?:<=|>=|==|!=|<|>)(?= )", lambda found: RELATIONS[found]),
    ("and/or", r" (?:&&|\|\|) ", lambda found: [" || " if "&" in found else " && "]),
    ("constant", r"\b(?:true|false)\b", lambda found: ["false" if found == "true" else "true"]),
    ("sign", r"(?<=[\w)\]] )[+-](?= [\w(*])", lambda found: ["-" if found == "+" else "+"]),
    ("compound", r"(?<=[\w)\]])(?:\+\+|--)", lambda found: ["--" if found == "++" else "++"]),
    ("not", r"!(?=[\w(])(?!=)", lambda found: [""]),
]
TABLES = {
    "c": COMMON + OF_C,
    "js": COMMON + OF_C + [
        ("relation", r"===|!==", lambda found: ["!==" if found == "===" else "==="])],
    "python": COMMON + [
        ("relation", r"(?<=[\w)\]\"'] )(?:<=|>=|==|!=|<|>)(?= )", lambda found: RELATIONS[found]),
        ("relation", r" is not (?=\w)", lambda found: [" is "]),
        ("relation", r" is (?!not\b)(?=\w)", lambda found: [" is not "]),
        ("relation", r" not in ", lambda found: [" in "]),
        ("and/or", r" (?:and|or) ", lambda found: [" or " if "and" in found else " and "]),
        ("constant", r"\b(?:True|False)\b", lambda found: ["False" if found == "True" else "True"]),
        ("not", r"\bnot (?!in\b)", lambda found: [""]),
        ("any/all", r"\b(?:any|all)(?=\()", lambda found: ["all" if found == "any" else "any"]),
    ],
    "bash": COMMON + [
        ("relation", r" -(?:eq|ne|lt|le|gt|ge) ", lambda found: RELATIONS[found]),
        ("relation", r"(?<=\S) (?:!=|=)(?= )(?=.*\])", lambda found: [" =" if "!" in found
                                                                     else " !="]),
        ("and/or", r" (?:&&|\|\|) ", lambda found: [" || " if "&" in found else " && "]),
        ("test", r"(?<=\[ )-[nz](?= )", lambda found: ["-z" if found == "-n" else "-n"]),
        ("not", r"(?<=\[ )! | ! (?=\w)", lambda found: [" " if found[0] == " " else ""]),
    ],
}
RELATIONS = {
    "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="],
    "==": ["!="], "!=": ["=="],
    " -eq ": [" -ne "], " -ne ": [" -eq "], " -lt ": [" -le ", " -ge "], " -le ": [" -lt "],
    " -gt ": [" -ge ", " -le "], " -ge ": [" -gt "],
}
# A condition that can be negated, and a statement of its own.
CONDITIONS = {
    "c": r"(?<![#\w])(?:if|while) \((.*)\)(?= \{$|$)", "js": r"\b(?:if|while) \((.*)\)(?= \{$|$)",
    "python": r"^\s*(?:if|elif|while) (.*):$", "bash": r"^\s*(?:if|elif|while) (\[.*\])(?=;|$)",
}
STATEMENTS = {
    "c": r"^\t+(?!return\b|break\b|continue\b|goto\b|case\b|struct\b|const\b|static\b|typedef\b)"
         r"(?:[\w.>*()\[\]-]+ [|&+*-]?= .*|[\w.>-]+(?:\+\+|--)|\w+\(.*\));$",
    "js": r"^\s+(?:[\w.\[\]]+ [+*-]?= .*|[\w.]+\(.*\));$",
    "python": r"^\s+(?:[\w.\[\]\"'()]+ [|+*-]?= .*[\w)\]}\"']|[\w.]+\(.*\))$",
    "bash": r"^ +[\w./]+(?:=.*| .*[^\\\\&|({;])$",
}
NOTHING = {"c": ";", "js": ";", "python": "pass", "bash": ":"}


class Mutant:
    """LINE (from 1) of the file PATH becomes NEW."""

    def __init__(self, path, line, kind, old, new):
        self.path, self.line, self.kind, self.old, self.new = path, line, kind, old, new

    def apply(self, text):
        lines = text.split("\n")
        assert lines[self.line - 1] == self.old
        lines[self.line - 1] = self.new
        return "\n".join(lines)

    def __str__(self):
        return f"{self.path}:{self.line}: {self.kind}\n-{self.old}\n+{self.new}"


def blanked(match):
    return re.sub(r"[^\n]", "\0", match[0])


def mask_c(text):
    """TEXT, its strings, characters, comments and directives as NUL characters."""
    pattern = (r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
               r"|^[ \t]*#(?:\\\n|[^\n])*")
    return re.sub(pattern, blanked, text, flags=re.S | re.M)


def mask_python(text):
    lines = [list(line) for line in text.split("\n")]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in (tokenize.STRING, tokenize.COMMENT):
                continue
            for row in range(token.start[0], token.end[0] + 1):
                first = token.start[1] if row == token.start[0] else 0
                last = token.end[1] if row == token.end[0] else len(lines[row - 1])
                lines[row - 1][first:last] = "\0" * (last - first)
    except (tokenize.TokenError, IndentationError):
        return None  # a template that is no Python by itself
    return "\n".join(map("".join, lines))


def mask_bash(text):
    return re.sub(r"^\s*#[^\n]*|(?<=\s)#[^\n]*|'[^'\n]*'|\$\{[^}\n]*\}|\$\d|@\w+@|\d?[<>]&?\d?",
                  blanked, text, flags=re.M)


def mask(text, language):
    masked = {"c": mask_c, "js": mask_c, "python": mask_python, "bash": mask_bash}[language](text)
    return masked if masked is not None else "\0" * len(text)


def of_line(path, number, line, code, language):
    """The mutants of LINE, whose CODE has strings and comments masked."""
    for kind, pattern, replace in TABLES[language]:
        for found in re.finditer(pattern, code):
            for new in replace(found[0]):
                yield Mutant(path, number, kind, line,
                             line[:found.start()] + new + line[found.end():])
    found = re.search(CONDITIONS[language], code)
    if found:
        new = {"python": "not ({})", "bash": "! {}"}.get(language, "!({})").format(
            line[found.start(1):found.end(1)])
        yield Mutant(path, number, "negated condition", line,
                     line[:found.start(1)] + new + line[found.end(1):])
    if re.search(STATEMENTS[language], code):
        indent = re.match(r"\s*", line)[0]
        yield Mutant(path, number, "removed statement", line, indent + NOTHING[language])


def of_file(path, text, language):
    """Line -> its mutants, for lines that have some."""
    codes = mask(text, language).split("\n")
    found = {}
    for number, (line, code) in enumerate(zip(text.split("\n"), codes), 1):
        mutants = {each.new: each for each in of_line(path, number, line, code, language)}
        mutants.pop(line, None)
        if mutants:
            found[number] = list(mutants.values())
    return found
