"""Calls functions when the script reaches a cell of the notebook: at the call that makes the frame, or,
if cells have no frames, at the check before the cell. The script itself does not change."""


class frames:
    fronts = None  # line of the script: the cell that begins there
    read = None, (), {}  # the script's code; its places from read_places(); cells by place
    in_front = []  # called with the cell
    inside = []  # called with the cell and its frame, before the script enters it
    disable = None  # the original call that makes frames of unmeasured cells
    watched = ()  # the wrapped calls that make frames
    none = False  # the script has no frames, but a check before each cell


def read_fronts():
    """Finds the fronts, except those of included files."""
    base, rows = cells[0], read_rows()
    return {base + each: row[1] for row, behind in zip(rows, rows[1:] + [None])
            if row[2:] == (0, 0)
            for each in range(row[0], row[0] + 1 if behind is None else behind[0])}


def lines_of(code):
    """Yields the places in CODE where a line begins, with the line, in order. If a place has several
    lines, the last one is valid."""
    if hasattr(code, "co_lines"):  # Python 3.10
        yield from ((place, line) for place, _, line in code.co_lines())
        return
    place, line = 0, code.co_firstlineno
    yield place, line
    for size, lines in zip(code.co_lnotab[::2], code.co_lnotab[1::2]):
        place += size
        line += lines if lines < 0x80 else lines - 0x100
        yield place, line


def read_places(code):
    """Pairs of a place in CODE and the cell that begins on its line, or None; valid up to the next."""
    if frames.fronts is None:
        frames.fronts = read_fronts()
    places = []
    for place, line in lines_of(code):
        cell = frames.fronts.get(line)
        if not places or places[-1][1] != cell:
            places.append((place, cell))
    return places


def cell_in_front(frame):
    """The cell that begins on the current line of FRAME, which is the script's, or None. For f_lineno,
    Python would search all lines before it each time."""
    code, places, known = frames.read
    if frame.f_code is not code:
        frames.read = code, places, known = frame.f_code, read_places(frame.f_code), {}
    place = frame.f_lasti
    if place not in known:
        known[place] = places[last_up_to(places, place)][1]
    return known[place]


def watch_frame(frame_of_cell):
    """FRAME_OF_CELL, with calls of `in_front` and `inside` if it makes the frame of a cell."""
    getframe = sys._getframe

    def begin(*args, **kwargs):
        caller, cell = getframe(1), None
        if caller.f_code.co_filename == script and caller.f_code.co_name == "<module>":
            cell = cell_in_front(caller)
        if cell is None:
            return frame_of_cell(*args, **kwargs)
        for call in frames.in_front:
            call(cell)
        frame = frame_of_cell(*args, **kwargs)
        for call in frames.inside if args else ():  # frames of helpers have no name
            call(cell, frame)
        return frame

    return begin


def next_cell():
    """The check before each cell of a script that has no frames."""
    frames.none = True
    cell = cell_in_front(sys._getframe(1))
    for call in frames.in_front:
        call(cell)


def prepare_frames():
    """Requires the modules from which the script takes its frames."""
    if frames.watched:
        return
    instrumenter, user = sys.modules["scorep.instrumenter"], sys.modules["scorep.user"]
    frames.disable = instrumenter.disable
    frames.watched = [watch_frame(each) for each in (instrumenter.disable, user.region)]
    instrumenter.nbscorep_next_cell = next_cell


def watch_frames():
    """Starts the watch. Makes no call that a trace would show."""
    sys.modules["scorep.instrumenter"].disable, sys.modules["scorep.user"].region = frames.watched
