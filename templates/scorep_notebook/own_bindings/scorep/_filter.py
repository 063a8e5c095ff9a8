"""Reads a filter file of Score-P: which regions and source files are not recorded.

    SCOREP_REGION_NAMES_BEGIN   # or SCOREP_FILE_NAMES_BEGIN
      EXCLUDE *
      INCLUDE main solve_*
    SCOREP_REGION_NAMES_END

The last rule that fits counts. nbscorep reports a file with faults when it builds; here the rules up to the first
fault hold.
"""
import re

BLOCKS = {"SCOREP_REGION_NAMES": False, "SCOREP_FILE_NAMES": True}
WORD = re.compile(r"(?:\\.|[^\s#\\])+")


def read(path):
    """The rules as triples: is it for files, does it exclude, the pattern of fnmatch(3)."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        text = re.sub(r"(?m)(?<!\\)#.*", "", file.read())
    rules, is_file, excludes = [], None, None
    for word in WORD.findall(text):
        if word.endswith(("_BEGIN", "_END")) and word.rpartition("_")[0] in BLOCKS:
            is_file = BLOCKS[word[:-6]] if word.endswith("_BEGIN") else None
            excludes = None
        elif word in ("EXCLUDE", "INCLUDE"):
            excludes = word == "EXCLUDE"
        elif is_file is None or excludes is None:
            break
        elif word not in ("MANGLED", "DEMANGLED"):
            rules.append((is_file, excludes, re.sub(r"\\(\s|#)", r"\1", word)))
    return rules
