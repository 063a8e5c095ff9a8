"""The table of the times that ranks took for each cell, from their files (progress.py)."""
import contextlib
import sys

ROW = "{:>6} {:>12} {:>12} {:>12}  {:12}  {}"


def tell(text):
    print(text, file=sys.stderr)


def read_line(line, titles, begins, cells):
    verb, cell, rest = line.rstrip("\n").split(" ", 2)
    cell, words = int(cell), rest.split()
    if verb == "title":
        titles[cell] = rest
    elif verb == "begin":
        begins[cell] = int(words[0])
        cells[cell] = None, "unfinished"
    else:
        state = "done" if words[1] == "unknown" else words[1]
        cells[cell] = (int(words[0]) - begins[cell]) / 1e9, state


def read_rank(path, titles):
    """The cells by number: time in seconds, or None, and state. Adds to TITLES."""
    begins, cells = {}, {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            with contextlib.suppress(ValueError, IndexError, KeyError):  # cut off, by SIGKILL or a full disk
                read_line(line, titles, begins, cells)
    return cells


def show_cell(cell, title, ranks):
    """Prints the row of a cell. RANKS: for each rank its name and cells."""
    found = [(*cells.get(cell, (None, "not reached")), name) for name, cells in ranks]
    times = [(time, name) for time, _, name in found if time is not None]
    states = [state for _, state, _ in found]
    texts, slowest = ["-"] * 3, ""
    if times:
        longest, slowest = max(times)
        mean = sum(time for time, _ in times) / len(times)
        texts = [f"{time:.3f} s" for time in (min(times)[0], mean, longest)]
    for state in sorted(set(states) - {"done"}):
        count = states.count(state)
        part = "" if count == len(ranks) else f" on {count} of {len(ranks)} ranks"
        title += f" [{state}{part}]"
    tell(ROW.format(cell, *texts, slowest, title))


def show(paths):
    """Prints the table on standard error."""
    titles = {}
    ranks = sorted(((path.rpartition("/rank-")[2], read_rank(path, titles)) for path in paths),
                   key=lambda rank: (len(rank[0]), rank[0]))
    tell(ROW.format("cell", "minimum", "mean", "maximum", "slowest rank", "first line"))
    for cell, title in sorted(titles.items()):
        show_cell(cell, title, ranks)
    tell(f"{len(ranks)} rank{'s' if len(ranks) > 1 else ''}")
