"""What measures a script: Score-P, nbscorep's recorder, or nothing.

A measurement has a name, the reason why it is not Score-P, and the experiment directory. If it WAITS,
another process waits for the script, and calls prepare(program) before and finish() after it.
start(program) does not return before the script's end.
"""
import os
import sys

from .messages import fail, tell

INITIALISED = "SCOREP_PYTHON_BINDINGS_INITIALISED"


class Measurement:
    directory, waits = "", False

    def __init__(self, reason):
        self.reason = reason

    def prepare(self, program):
        pass

    def finish(self):
        pass


class Unmeasured(Measurement):
    """Nothing is recorded."""
    name = "none"

    def start(self, program):
        from .runner import Runner
        Runner(program).run(exec)


class Recording(Measurement):
    """The shared object of nbscorep's recorder records something, which nbscorep converts."""

    def __init__(self, reason, nbscorep, path):
        super().__init__(reason)
        self.nbscorep = nbscorep
        if path:
            os.environ["NBSCOREP_RECORDER"] = path

    def finish(self):
        """Converts what the script, or its ranks, have recorded."""
        if self.nbscorep and os.path.isdir(self.directory):  # else no rank has started
            folders = [self.directory, *(entry.path for entry in os.scandir(self.directory)
                                         if entry.name.startswith("rank-"))]
            convert(self.nbscorep, sorted(folders), bool(os.environ.get("NBSCOREP_QUIET")))


class Recorder(Recording):
    """nbscorep's recorder measures, through an implementation of the bindings of our own."""
    name = "builtin"
    waits = "NBSCOREP_CELLS" not in os.environ  # else nbscorep does, and converts the recording

    def prepare(self, program):
        from . import experiment
        program.together = False  # each rank has a directory of its own
        self.directory = os.path.abspath(experiment.make_directory(program))
        os.environ["NBSCOREP_RECORD"] = self.directory
        if not program.rank_of:
            report(self, is_made=True)

    def start(self, program):
        from .runner import Runner
        if not self.directory:  # no other process has called prepare()
            self.prepare(program)
        own = os.path.join(os.path.dirname(__file__), "own_bindings")
        sys.path.insert(0, own)
        import scorep._recorder as recorder
        problem = recorder.start(program.script)
        if problem is not None:
            tell(f"the script runs unmeasured: {problem}")
            Runner(program).run(exec)
            return
        # A process that multiprocessing spawns starts the recorder by the module sitecustomize there.
        os.environ["PYTHONPATH"] = ":".join(filter(None, [own, os.environ.get("PYTHONPATH")]))
        instruments, files = recorder.read_arguments(list(program.bindings))
        runner = Runner(program, measured=True, recorded=True)

        def enter(code, names):
            for file in files:
                exec(recorder.read_file(file), names)
            if instruments:
                scorep.instrumenter.get_instrumenter().run(code, names, names)
            else:
                exec(code, names)

        import scorep.instrumenter
        scorep.instrumenter.get_instrumenter()
        runner.run(enter)


class ScoreP(Recording):
    """Score-P measures, through its bindings; the recorder, if there is one, samples the script's lines."""
    name = "scorep"

    def prepare(self, program):
        if self.directory:  # this process was forked after a first call
            return
        from . import experiment
        self.directory = experiment.name_directory(program)
        if not program.rank_of:
            report(self)

    def start(self, program):
        from . import bindings
        bindings.start(program, self.prepare)


def inode_of(path):
    """The inode of a file; 0 if it does not exist."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def report(measurement, is_made=False):
    """Writes which measurement it is into the folder NBSCOREP_CELLS, for nbscorep, with the inode of a directory
    that is not this measurement's, unless it IS_MADE."""
    folder = os.environ.get("NBSCOREP_CELLS")
    if folder:
        directory = os.path.abspath(measurement.directory) if measurement.directory else ""
        inode = 0 if is_made else inode_of(directory)
        try:
            with open(os.path.join(folder, "measurement"), "w", encoding="utf-8",
                      errors="surrogateescape") as file:
                file.write(f"{measurement.name}\n{directory}\n{inode}\n{measurement.reason}\n")
        except OSError:  # nbscorep has ended
            pass


def find_program(name):
    """The path of a program on PATH, or None. The import of shutil takes longer than all else here."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def is_loaded():
    """True if the bindings' library is loaded already, by the user or a launcher."""
    return os.environ.get(INITIALISED) == "true" and "scorep" in os.environ.get("LD_PRELOAD", "")


def find_problem():
    """Why Score-P cannot measure, or None."""
    # importlib.util takes 2 ms.
    found = next(filter(None, (finder.find_spec("scorep", None) for finder in sys.meta_path)), None)
    # A plain folder has no origin, a module no locations.
    found = found and found.origin and found.submodule_search_locations
    config = find_program("scorep-config")
    if found and (config or is_loaded()):
        return None
    reason = ("Score-P bindings are installed, but" if found else
              f"'{sys.executable}' has no Score-P bindings (module 'scorep')")
    return reason + ("" if config else ("" if found else ", and") + " no scorep-config is on PATH")


def call(words, changes=()):
    """The status of a command, or -1. CHANGES: of its descriptors, as os.posix_spawn() has them. The import of
    subprocess takes longer than such a command."""
    try:
        # The library that Score-P has in a measured process would measure the command, too.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return os.waitpid(os.posix_spawnp(words[0], words, environment, file_actions=changes), 0)[1]
    except OSError:
        return -1


def convert(nbscorep, folders, quiet):
    """Converts the recordings in the experiment directories FOLDERS."""
    folders = [folder for folder in folders if os.path.isdir(os.path.join(folder, "recording"))]
    # The user of a run script starts it mostly here, that of nbscorep anywhere.
    beside = "" if "NBSCOREP_CELLS" in os.environ else os.getcwd() + "/"
    shown = [folder[len(beside):] if folder.startswith(beside) else folder for folder in folders]
    if folders:
        call([nbscorep, "record", "--recover", *["--quiet"] * quiet, *shown])


def find_nbscorep():
    """The program nbscorep, or None."""
    return os.environ.get("NBSCOREP") or find_program("nbscorep")


def find_recorder():
    """The nbscorep that has the recorder, and the recorder's file; None if there is none on this node."""
    nbscorep = find_nbscorep()
    if not nbscorep:
        return None
    known = os.environ.get("NBSCOREP_RECORDER", "")  # nbscorep run sets it
    if known and os.path.isfile(known):
        return nbscorep, known
    read, write = os.pipe()
    try:
        status = call([nbscorep, "where", "recorder"], [(os.POSIX_SPAWN_DUP2, write, 1),
                                                        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    finally:
        os.close(write)
    path = os.fsdecode(os.read(read, 4096)).rstrip("\n")
    os.close(read)
    return (nbscorep, path) if status == 0 and path else None


def wanted(program):
    """auto, scorep, builtin or none, as the variables or the option say."""
    measure = os.environ.get("NBSCOREP_MEASURE")
    if measure in ("no", "yes"):
        return "none" if measure == "no" else "scorep"
    name = os.environ.get("NBSCOREP_MEASUREMENT") or program.measurement or "auto"
    if name not in ("auto", "scorep", "builtin", "none"):
        fail(2, f"NBSCOREP_MEASUREMENT is auto, scorep, builtin or none, not '{name}'")
    return name


def choose(program):
    """The measurement of the script. Ends the process with status 3 if it is not possible."""
    name, reason, problem = wanted(program), "it is not requested", None
    quiet = bool(os.environ.get("NBSCOREP_QUIET")) or bool(program.rank_of)
    if name in ("auto", "scorep"):
        problem = find_problem()
        if problem is None:
            return ScoreP("", *(find_recorder() or (None, None)))
        if name == "scorep":
            fail(3, f"cannot measure: {problem}\n"
                    "Install the bindings (pip install scorep) into a virtual environment, and set PYTHON to "
                    "its python\nor build with --python; put Score-P's programs on PATH; or set "
                    "NBSCOREP_MEASUREMENT to builtin or none")
    if name != "none":
        found = find_recorder()
        if found:
            if problem and not quiet:
                tell(f"nbscorep's recorder measures: {problem}")
            return Recorder(problem or "it is requested", *found)
        reason = (f"{problem}, and " if problem else "") + "no nbscorep on PATH has a recorder"
        if not quiet:
            tell(f"the script runs unmeasured: {reason}")
    measurement = Unmeasured(reason)
    if not program.rank_of:
        report(measurement)
    return measurement
