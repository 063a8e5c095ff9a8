"""Samples the lines of the script while Score-P measures: nbscorep's recorder looks where the main thread is,
a hundred times a second, and records nothing else."""
import atexit
import os
from importlib.machinery import ExtensionFileLoader, ModuleSpec

from . import measurement
from .messages import tell
from .running import run


def sample_lines(path, directory, program):
    """Begins it. PATH: the recorder's shared object; DIRECTORY: the experiment directory."""
    loader = ExtensionFileLoader("scorep_recorder", path)
    try:
        recorder = loader.create_module(ModuleSpec("scorep_recorder", loader, origin=path))
        loader.exec_module(recorder)
        recorder.sample(directory, program.script)
    except Exception as error:
        tell(f"the script's lines are not sampled: {error}")
        return
    # Those that wait for this process convert its recording: nbscorep, or what has started the ranks.
    converts = not program.rank_of and "NBSCOREP_CELLS" not in os.environ
    quiet = bool(os.environ.get("NBSCOREP_QUIET"))

    def end():
        if os.getpid() == run.process:
            recorder.end()
            nbscorep = converts and measurement.find_nbscorep()
            if nbscorep:
                measurement.convert(nbscorep, [directory], quiet)

    atexit.register(end)
    run.at_end.append(end)
    os.register_at_fork(before=recorder.before_fork, after_in_parent=recorder.after_fork)
