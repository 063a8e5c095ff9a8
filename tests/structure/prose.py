#!/usr/bin/env python3
"""The language of everything that a person reads: plain technical English.

    prose.py [--count] FOLDER [PATH...]

Looks for words and forms that a reader has to translate back, in comments, in strings, in documents, and
fails on each. FOLDER is the checkout; PATHs below it limit the search. The rules are those of RULES.
"""
import argparse
import collections
import io
import pathlib
import re
import sys
import tokenize

PEOPLE = "user|users|reader|readers|author|person|people|engineer|engineers|scientists|developer|" \
         "developers|administrator|contributor|colleague|anyone|someone|everyone|those|" \
         "B|BR"  # macros of man pages: what follows is a name
START = r"(?:^|(?<=[.!?:] )|(?<=/\* ))"
RULES = (
    # subject, verb, object
    ("the subject first", START + r"(?:[A-Z][a-z]+ed|Given|Left out|Left|Written|Read|Kept|Known|Shown|Taken|"
     r"Found|Drawn|Said|Told|Meant|Put|Held|Set) (?:is|are|was|were) (?!not\b|by\b|to\b)"),
    ("the subject first", START + r"Of (?!course\b)[^.:;]{1,60}?,? (?:there )?(?:is|are|only) "),
    ("the subject first", START + r"(?:With|Without|In|On|At|Behind|From|To) [a-z' ]{1,30} (?:stands?|comes?|"
     r"goes?|lies?) (?:a|an|the|what|one)\b"),
    # a process, a file, a program is "it"
    ("'it', a process, an owner", r"\bwhom\b|\bwhoever\b"),
    ("nothing, no process, no reader", r"\bnobody\b|\bno one\b|\bno-one\b"),
    ("a process, a user, another program", r"\bsomebody\b|\bsomeone\b"),
    ("an untrusted file", r"\bstrangers?\b|\bstranger's\b"),
    ("the ancestor that inherits", r"\bheirs?\b"),
    # time and place
    ("after", r"\bbehind\b"),
    ("before", r"\bin front of\b"),
    ("afterwards, after that", r"\bfrom then on\b|\bby then\b"),
    ("is, appears", r"\bstands?\b|\bstood\b"),
    ("requires, expects, takes", r"\bwants?\b|\bwanted\b"),
    ("is", r"\blies\b|\blie\b"),
    # negation, verbs of saying
    ("is not, has no", r"\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|later\b|earlier\b)\w"),
    ("has no, is missing", r"\bthere (?:is|are|was|were) (?:none|nothing|nobody)\b"),
    ("report, print, show", r"\btells?\b|\btold\b|\btelling\b"),
    ("print, show, contain", r"\bsays?\b|\bsaid\b|\bsaying\b"),
    ("include", r"\b(?:take|takes|taken|taking|took) (?:it |them |that )?in\b(?! (?:the|a|an|any|each|which|memory|order)\b)"),
    ("outcome, result", r"\b(?:came|comes|come|become|becomes) of\b"),
    ("use, attribute", r"\bblamed?\b|\bblames\b"),
)
# A boolean function is described by "True if", not by a question.
QUESTION = re.compile(r"/\* (?:Is|Are|Does|Do|Did|Has|Have|Can|Could|May|Must|Was|Were|Will|Would|Should)\b"
                      r"[^*]*?\?")
PATTERNS = [(cure, re.compile(pattern, re.M)) for cure, pattern in RULES]
WHO = re.compile(r"(\w+)?,? ?\bwho\b")
TEXTS = (".md", ".in", ".txt", ".1", ".5", ".7")
C_PROSE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
SHELL_PROSE = re.compile(r"(?:^|\s)#(?!!)[^\n]*|\"(?:\\.|[^\"\\])*\"")


def pieces_of_python(text):
    """(line, prose) of comments, and of strings with a blank in them."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
                yield token.start[0], token.string
    except (tokenize.TokenError, IndentationError):
        yield 1, "\n".join(line for line in text.splitlines() if line.lstrip().startswith("#"))


def pieces_of(path, text):
    """(line, prose) of a file."""
    if path.suffix == ".py":
        yield from pieces_of_python(text)
        return
    if path.suffix in TEXTS or path.name == "ChangeLog":
        yield 1, text
        return
    pattern = C_PROSE if path.suffix in (".c", ".h", ".def", ".js", ".css") else SHELL_PROSE
    for match in pattern.finditer(text):
        if match[0].startswith("/*") or " " in match[0]:
            yield text.count("\n", 0, match.start()) + 1, match[0]


def hits_of(path, text):
    """(line, words, cure) for each hit."""
    for line, prose in pieces_of(path, text):
        flat = re.sub(r"\n[ \t]*(?:\*|#|//)?[ \t]*", lambda m: " " * len(m[0]), prose)
        for cure, pattern in PATTERNS:
            for match in pattern.finditer(flat):
                yield line + prose.count("\n", 0, match.start()), match[0], cure
        for match in WHO.finditer(flat):
            if not re.fullmatch(PEOPLE, match[1] or ""):
                yield line + prose.count("\n", 0, match.start()), match[0].strip(), "'it', a process"
        if path.suffix in (".h", ".c"):
            for match in QUESTION.finditer(flat):
                yield line + prose.count("\n", 0, match.start()), match[0][:40], "True if ..."


def files_of(folder, paths):
    for start in (folder / path for path in paths):
        for path in sorted(start.rglob("*")) if start.is_dir() else [start]:
            if path.is_file() and (path.suffix in TEXTS + (
                    ".c", ".h", ".def", ".py", ".js", ".css", ".html", ".sh", ".cmake", ".mk", ".header")
                    or path.name in ("ChangeLog", "CMakeLists.txt") or "." not in path.name):
                yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", action="store_true", help="print the number of hits per file only")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("paths", nargs="*", default=["src", "templates", "man", "share", "README.md"])
    options = parser.parse_args()
    counts, files = collections.Counter(), 0
    for path in files_of(options.folder, options.paths):
        text = path.read_text(encoding="utf-8", errors="replace")
        name = path.relative_to(options.folder)
        files += 1
        for line, words, cure in hits_of(path, text):
            counts[str(name)] += 1
            if not options.count:
                print(f"{name}:{line}: '{words}': {cure}")
    if options.count:
        print("\n".join(f"{count:5} {name}" for name, count in counts.most_common()))
    print(f"{sum(counts.values())} hits in {files} files")
    return 1 if counts or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
