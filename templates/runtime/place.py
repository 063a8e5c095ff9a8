"""Finds the place in the notebook for a line of the script."""


rows_read = []


def read_rows():
    """The table of cells. Each row has a line after the script's base, the cell, the cell's line or 0
    before its text, and the number of its file. Lines ascend."""
    if not rows_read:
        rows_read.extend(tuple(map(int, row.split(","))) for row in cells[2].split(";") if row)
    return rows_read


def last_up_to(items, first):
    """The index of the last of ITEMS that does not begin with more than FIRST, or -1."""
    low, high = -1, len(items)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if items[middle][0] <= first else (low, middle)
    return low


def row_of(line):
    """The row of the table of cells that contains LINE of the script, and the next row."""
    rows = read_rows()
    at = last_up_to(rows, line - cells[0])
    return (rows[at] if at >= 0 else None), (rows[at + 1] if 0 <= at < len(rows) - 1 else None)


def place_of_line(line, inside, error):
    """The place in the notebook of LINE of the script, or of line INSIDE of the text given there.
    ERROR was raised at this place."""
    row, behind = row_of(line)
    if row is None:
        return None
    base, files, _ = cells
    first, cell, cell_line, file = row
    if cell_line > 0:
        cell_line += line - base - first
    elif inside and behind is not None and behind[1] == cell and behind[2] > 0:
        cell_line = behind[2] + inside - 1
    place = files[file] + (f", cell {cell}" if cell else "")  # a text has no cells
    if getattr(error, "filename", None) == place and getattr(error, "lineno", None):
        cell_line = error.lineno  # the cell has a syntax error
    name = os.path.basename(script)
    return place + (f", line {cell_line}" if cell_line > 0 else "") + f" ({name}:{line})"


def place_of(error, trace):
    """The place in the notebook of TRACE's innermost frame that is in the script."""
    line = inside = front = 0  # FRONT: a statement on the magic's own line runs, too
    if isinstance(error, SyntaxError) and error.filename == script:
        line = error.lineno or 0
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name == script and trace.tb_lineno > cells[0]:
            line, inside = trace.tb_lineno, 0
        elif name == script:
            front = bool(trace.tb_frame.f_locals.get("statement"))
        elif name == "<magic-timeit>":  # a cell's text that a helper runs
            inside = 0 if front and trace.tb_lineno == 1 else trace.tb_lineno
        elif name == "<string>":
            inside = trace.tb_lineno - front
        trace = trace.tb_next
    return place_of_line(line, inside, error)


def tell_place(error, trace):
    """Prints the line after a traceback that names the cell."""
    if sys.stderr is None or isinstance(error, (KeyboardInterrupt, SystemExit)):
        return
    place = place_of(error, trace)
    if place is not None:  # a file's name can contain any character
        shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in place)
        print(f"nbscorep: {shown}", file=sys.stderr, flush=True)
