"""Samples the lines of the script while Score-P measures: nbscorep's recorder looks where the main thread is,
a hundred times a second, and records nothing else."""
import atexit
import os
from importlib.machinery import ExtensionFileLoader, ModuleSpec

from .messages import tell


def sample_lines(path, directory, script):
    """Begins it. PATH: the recorder's shared object; DIRECTORY: the experiment directory."""
    loader = ExtensionFileLoader("scorep_recorder", path)
    try:
        recorder = loader.create_module(ModuleSpec("scorep_recorder", loader, origin=path))
        loader.exec_module(recorder)
        recorder.sample(directory, script)
    except Exception as error:
        tell(f"the script's lines are not sampled: {error}")
        return
    atexit.register(recorder.end)
    os.register_at_fork(before=recorder.before_fork, after_in_parent=recorder.after_fork)
