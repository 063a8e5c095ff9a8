"""The experiment directory: its name, its life and the files in it.

Facts: an existing one is renamed first; missing parents are not made; the name is relative to the
folder in which the process starts; without a name it is `scorep-measurement-tmp` while the
program runs and `scorep-YYYYMMDD_HHMM_<ticks>` afterwards. With --mpp=mpi it is made when MPI is
initialised, so a program that ends before that leaves none, and is told nothing.

Several processes without --mpp=mpi, such as ranks, take it away from each other. With a name, the
one that writes last replaces what the others have written (status 0), or with tracing aborts;
without a name all abort whose directory is gone.
"""

import os
import sys
import time

from scorep._files import ANCHOR, write_profile
from scorep._variables import abort_process
from scorep.helper import score_p_message, write_error

_RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")
_JOIN_SECONDS = 20


def rank_of_process() -> int:
    names = _RANK_VARIABLES + (("SLURM_PROCID",) if os.environ.get("SLURM_STEP_ID") else ())
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0


def _stamp(seconds: float) -> str:
    return time.strftime("%Y%m%d_%H%M_", time.localtime(seconds)) + str(time.perf_counter_ns())


def _fail(text: str):
    score_p_message("Error", text)
    os._exit(1)  # Score-P calls _Exit(EXIT_FAILURE)


def _job() -> str:
    """What only the ranks of one launch have in common, on whatever nodes they are."""
    return os.environ.get("PMIX_NAMESPACE") or str(os.getppid())


def _has_mpi() -> bool:
    """Has the program initialised MPI?"""
    mpi = sys.modules.get("mpi4py.MPI")
    return hasattr(mpi, "Is_initialized") and (mpi.Is_initialized() or mpi.Is_finalized())


class Experiment:
    """With --mpp=mpi all ranks of a job share one directory, which rank 0 makes; without, every
    process believes to be alone and renames the others' results away."""

    def __init__(self, variables: dict, config: list):
        self._variables = variables
        self._shared = "--mpp=mpi" in config
        self.rank = rank_of_process() if self._shared else 0
        self.writes = (
            variables["SCOREP_ENABLE_PROFILING"] or variables["SCOREP_ENABLE_TRACING"]
        )
        name = variables["SCOREP_EXPERIMENT_DIRECTORY"]
        self._temporary = not name
        self._path = os.path.join(os.getcwd(), name or "scorep-measurement-tmp")
        self._exists = self.writes or variables["SCOREP_FORCE_CFG_FILES"]
        self._own = None  # device and inode of the directory that this process has made
        self.begun = False
        if not self._shared:
            self._begin()

    def begin(self):
        """Called again and again until it has begun: by then there may be MPI."""
        if not self.begun and _has_mpi():
            self._begin()

    def _begin(self):
        self.begun = True
        if self._exists and self.rank == 0:
            self._create()

    def _create(self):
        if os.path.exists(self._path):
            self._move_away()
        try:
            os.mkdir(self._path)
        except OSError as error:
            _fail('%s: Can\'t create experiment directory "%s".' % (error.strerror, self._path))
        self._own = self._identity()
        # Score-P writes these two early, so that they are there even after an abort.
        lines = sorted(
            "%s=%s" % item
            for item in os.environ.items()
            if item[0].startswith("SCOREP_") and "_BINDINGS_" not in item[0]
            and item[0] != "SCOREP_LD_PRELOAD_BACKUP"
        )
        self._write("scorep.cfg", "".join(line + "\n" for line in lines))
        self._write("MANIFEST.md", "# Experiment directory overview\n")
        if self._shared:
            self._write(".job", _job())  # how the other ranks know their rank 0
        if self._variables["SCOREP_VERBOSE"]:
            write_error("[Score-P] experiment directory: " + self._path)

    def _move_away(self):
        if not os.path.isdir(self._path):
            _fail('Experiment directory "%s" exists but is not an directory.' % self._path)
        if self._temporary:
            target = os.path.join(
                os.path.dirname(self._path), "scorep-failed-" + _stamp(time.time())
            )
        elif self._variables["SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY"]:
            target = self._path + "-" + _stamp(os.stat(self._path).st_mtime)
        else:
            _fail('Experiment directory "%s" exists and overwriting is disabled.' % self._path)
        os.rename(self._path, target)

    def _identity(self):
        status = os.stat(self._path)
        return status.st_dev, status.st_ino

    def _check_owner(self):
        """Another process may have renamed the directory, and made one of its own."""
        try:
            if self._identity() == self._own:
                return
        except OSError:  # renamed, and none made yet
            pass
        if self._variables["SCOREP_ENABLE_TRACING"]:
            score_p_message("Fatal", "Could not finalize OTF2 event writer 0: "
                            "No such file or directory")
        elif self._temporary:
            score_p_message("Fatal", 'Can\'t rename experiment directory "%s".' % self._path)
        else:
            return
        abort_process()

    def _write(self, name: str, text: str):
        with open(os.path.join(self._path, name), "w", encoding="utf-8") as out:
            out.write(text)

    def _wait_for_rank_0(self):
        deadline = time.monotonic() + _JOIN_SECONDS
        while time.monotonic() < deadline:
            try:
                with open(os.path.join(self._path, ".job"), encoding="utf-8") as job:
                    if job.read() == _job():
                        return
            except OSError:
                pass
            time.sleep(0.01)
        _fail('rank %d: no rank 0 made experiment directory "%s".' % (self.rank, self._path))

    def write_results(self, events: list, functions: list, trace: dict):
        """Fact: with profiling and tracing both off nothing is recorded."""
        self.begin()
        if not self.begun:
            return
        if self.writes:
            if self._shared and self.rank > 0:
                self._wait_for_rank_0()
            elif not self._shared:
                self._check_owner()
            self._write_objects("events", events)
            self._write_objects("functions", functions)
            self._write_markers(trace)
        if self._exists and self.rank == 0 and self._temporary:
            os.rename(
                self._path,
                os.path.join(os.path.dirname(self._path), "scorep-" + _stamp(time.time())),
            )

    def _write_objects(self, name: str, objects: list):
        import json  # only now: what is loaded already would be missing from a script's imports

        name += ".jsonl" if self.rank == 0 else ".%d.jsonl" % self.rank
        self._write(name, "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects))

    def write_trace(self, trace: dict):
        """TRACE: the size of the events, by location. Full memory goes there, too."""
        if not self.begun:
            score_p_message("Fatal", "Trace buffer flush before MPP was initialized.")
            abort_process()
        if self._shared and self.rank > 0:
            self._wait_for_rank_0()
        os.makedirs(os.path.join(self._path, "traces"), exist_ok=True)
        for location, size in trace.items():
            name = "%d.evt" % (location << 32 | self.rank)
            with open(os.path.join(self._path, "traces", name), "ab") as out:
                out.write(bytes(size))

    def _write_markers(self, trace: dict):
        """Small placeholders for the files of the real Score-P."""
        if self._variables["SCOREP_ENABLE_PROFILING"] and self.rank == 0:
            write_profile(os.path.join(self._path, "profile.cubex"))
        if self._variables["SCOREP_ENABLE_TRACING"]:
            self.write_trace(trace)
            if self.rank == 0:
                self._write("traces.def", "placeholder\n")
                with open(os.path.join(self._path, "traces.otf2"), "wb") as out:
                    out.write(ANCHOR)
