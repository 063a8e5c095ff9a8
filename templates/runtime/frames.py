"""What happens where the script comes to a cell of the notebook: at the call that makes the frame,
or at the question in front of the cell where there are no frames. Nothing changes in the script."""


class frames:
    fronts = None  # line of the script: the cell that begins there
    in_front = []  # called with the cell
    inside = []  # called with the cell and its frame, before the script enters it
    disable = None  # the call that makes frames of what is not measured, as it was
    watched = ()  # the calls that make frames, with that
    none = False  # each cell has a question in front of it instead


def cell_in_front(line):
    """The cell that begins at LINE of the script, or None; not those of included files."""
    if frames.fronts is None:
        base, rows = cells[0], read_rows()
        frames.fronts = {base + each: row[1] for row, behind in zip(rows, rows[1:] + [None])
                         if row[2:] == (0, 0)
                         for each in range(row[0], row[0] + 1 if behind is None else behind[0])}
    return frames.fronts.get(line)


def watch_frame(frame_of_cell):
    """FRAME_OF_CELL, but it is known where it makes the frame of a cell."""
    getframe = sys._getframe

    def begin(*args, **kwargs):
        caller, cell = getframe(1), None
        if caller.f_code.co_filename == script and caller.f_code.co_name == "<module>":
            cell = cell_in_front(caller.f_lineno)
        if cell is None:
            return frame_of_cell(*args, **kwargs)
        for call in frames.in_front:
            call(cell)
        frame = frame_of_cell(*args, **kwargs)
        for call in frames.inside if args else ():  # a frame without a name is a helper's
            call(cell, frame)
        return frame

    return begin


def next_cell():
    """The line in front of each cell of a script that has no frames."""
    frames.none = True
    cell = cell_in_front(sys._getframe(1).f_lineno)
    for call in frames.in_front:
        call(cell)


def prepare_frames():
    """Where the modules are there that the script takes frames from."""
    if frames.watched:
        return
    instrumenter, user = sys.modules["scorep.instrumenter"], sys.modules["scorep.user"]
    frames.disable = instrumenter.disable
    frames.watched = [watch_frame(each) for each in (instrumenter.disable, user.region)]
    instrumenter.nbscorep_next_cell = next_cell


def watch_frames():
    """From here on. It makes no call that a trace would show."""
    sys.modules["scorep.instrumenter"].disable, sys.modules["scorep.user"].region = frames.watched
