"""Samples the whole script, as the variable NBSCOREP_MONITOR requests: in jobs, and in the sets of a sweep."""
import atexit
import fcntl
import os

from . import job, jumper
from .jumper_reports import run_apart
from .progress import identify, progress, tell
from .running import run


def monitor_script(name, interval):
    """Starts the sampler of the script NAME, which gets the marks of cells until it prints its report at the end."""
    program = None if jumper.local_rank()[0] else jumper.find_nbscorep()  # the first rank's samples all on a node
    if program is None:
        return
    path = jumper.samples_path(name)
    sampler = jumper.spawn_sampler(program, path, interval)
    if sampler is None:
        return
    # The script's own files must get the same numbers as without these.
    marks, answers = (identify(fcntl.fcntl(stream, fcntl.F_DUPFD_CLOEXEC, 18))
                      for stream in (sampler.stdin, sampler.stdout))
    sampler.stdin.close()
    sampler.stdout.close()
    os.environ["NBSCOREP_SAMPLED"] = str(os.getpid())
    progress.told.append(marks)
    process, quiet = os.getpid(), os.environ.get("NBSCOREP_QUIET") or os.environ.get("NBSCOREP_REPORT") or job.rank() > 0

    def end():
        try:
            if os.getpid() != process or identify(answers[0]) != answers:
                return
            tell(marks, "sync\nquit\n")
            lives = os.read(answers[0], 4)  # else it has printed why not
            while os.read(answers[0], 16):
                pass
            notebook = run.executed.client.path if run.executed is not None else ""
            if lives and (notebook or not quiet):
                more = ["--notebook", notebook] if notebook else []
                done, text, errors = run_apart([program, "report", *more, "--", path], b"")
                os.write(2, ((text if not quiet else "") if done else errors).encode("utf-8", "replace"))
        except OSError:  # the script has closed these files
            pass

    atexit.register(end)
