"""One set of a sweep: its parameters, a line of the table beside the script, and the folder of its
results."""
import contextlib
import fcntl
import os
import stat
import sys
import time

from .launch import build_of
from .messages import fail, tell

# Linux limits a variable to 131,071 bytes.
VALUES_MAX = 128000


def chosen():
    """The number of the set, as a text; "" if none is chosen."""
    get = os.environ.get
    lsf = get("LSB_JOBINDEX", "")
    return (get("NBSCOREP_SET") or get("SLURM_ARRAY_TASK_ID") or get("PBS_ARRAY_INDEX") or get("PBS_ARRAYID")
            or ("" if lsf == "0" else lsf))  # 0: an LSF job that is not an array


def read_table(path, build):
    """The values of the sets by number, as JSON; None if there is no such table of this build."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or build_of(file) != build:
                return None
            lines = [line for line in file.read().decode("utf-8", "replace").split("\n")
                     if line and not line.startswith("#")]
    except OSError:
        return None
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def begin(program):
    """Begins the chosen set: makes its folder, sets the variables. None if the script runs without."""
    number = chosen()
    if number == "none":
        return None
    folder = os.path.dirname(program.script)
    sets = read_table(os.path.join(folder, program.sweep), program.build)
    if sets is None:
        fail(1, f"{program.sweep} is missing or from another build; build the notebook again")
    if not number:
        fail(2, f"this is a sweep of {len(sets)} set{'s'[:len(sets) != 1]}; submit it, choose a set with NBSCOREP_SET, or use "
                "nbscorep run --sweep")
    if number not in sets:
        fail(2, f"no set '{number}' in a sweep of {len(sets)}")
    results = os.path.join(folder, os.path.splitext(program.sweep)[0], number)
    this_set = Set(number, sets, results)
    if program.job_output and not os.environ.get("NBSCOREP_SET"):  # an element of a job array
        print(f"set {number} of {len(sets)} {sets[number]}: output in {this_set.path('output.txt')}",
              flush=True)
        this_set.redirect()
    this_set.set_variables()
    return this_set


def take_lock(path, kind):
    """All processes of a set hold its lock until the set has a status. If the file system has no locks, or
    does not answer, the set runs without one."""
    low = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    lock = fcntl.fcntl(low, fcntl.F_DUPFD, 18)  # away from numbers that programs expect to be free
    os.close(low)
    until = time.monotonic() + 5
    while True:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > until:
                return lock
            time.sleep(0.05)
        except OSError:
            return lock


class Set:
    def __init__(self, number, sets, results):
        self.number, self.sets, self.values, self.results = number, sets, sets[number], results
        self.begun = time.monotonic()
        if os.path.islink(results):
            fail(3, f"'{results}' is a symbolic link; remove it")
        try:
            os.makedirs(results, exist_ok=True)
            for name in "lock", "output.txt":
                self.remove_unless_file(name)
            self.lock = take_lock(self.path("lock"), fcntl.LOCK_SH)  # ranks share it
            self.remove("status")
            self.replace("parameters.json", self.values)
        except OSError as error:
            fail(3, f"cannot write to '{results}': {error.strerror}")

    def path(self, name):
        return os.path.join(self.results, name)

    def remove(self, name):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path(name))

    def remove_unless_file(self, name):
        """A link or a FIFO in place of one of the set's files comes from another user."""
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(self.path(name)).st_mode):
                os.unlink(self.path(name))

    def replace(self, name, text):
        """Ranks may write and read the file at the same time."""
        part = self.path(f"{name}.{os.uname().nodename}.{os.getpid()}")
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(part, self.path(name))

    def redirect(self):
        """Sends the output of all that follows to the set's file, which ranks share."""
        out = os.open(self.path("output.txt"),
                      os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW, 0o666)
        for stream in 1, 2:
            os.dup2(out, stream)
        os.close(out)

    def set_variables(self):
        values = self.values
        if len(values.encode()) > VALUES_MAX:
            values = "@" + self.path("parameters.json")
        os.environ.update(NBSCOREP_SET=self.number, NBSCOREP_PARAMETERS=values, NBSCOREP_RESULTS=self.results)
        self.set_directory()

    def set_directory(self):
        """The experiment directory is in the set's folder, or below the absolute path that is given."""
        name = os.environ.get("SCOREP_EXPERIMENT_DIRECTORY", "")
        if not name:
            name = self.path("scorep")
            if os.environ.get("SLURM_RESTART_COUNT", "0") != "0":
                name += "-restart" + os.environ["SLURM_RESTART_COUNT"]
        elif name.startswith("/"):
            name += f"/set-{self.number}"
        else:
            name = self.path(name)
        os.environ["SCOREP_EXPERIMENT_DIRECTORY"] = name

    def note(self, child):
        """Writes the process group of the set into the lock, for nbscorep."""
        os.write(self.lock, b"%d\n" % child)

    def finish(self, status):
        try:
            sys.stdout.flush()
            self.remove("status")
            self.replace("status", str(status))
            self.add_result(status)
        except OSError as error:
            tell(f"cannot write '{error.filename or self.path('status')}': {error.strerror}")
        with contextlib.suppress(OSError):
            fcntl.flock(self.lock, fcntl.LOCK_UN)

    def add_result(self, status):
        """Replaces the row of this set in the table of all sets, and drops those of another sweep."""
        import csv
        import json
        import resource
        sets = {number: json.loads(values) for number, values in self.sets.items()}
        names = list(dict.fromkeys(name for values in sets.values() for name in values))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        path = os.path.join(os.path.dirname(self.results), "results.csv")
        lock = take_lock(os.path.join(os.path.dirname(path), ".lock"), fcntl.LOCK_EX)
        try:
            rows = {}
            csv.field_size_limit(1 << 30)
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace", newline="") as file:
                    rows = {row[0]: row for row in csv.reader(file) if row}
            rows[self.number] = [self.number, *(str(sets[self.number].get(name, "")) for name in names), status,
                                 f"{time.monotonic() - self.begun:.3f}", f"{peak:.1f}"]
            part = f"{path}.{os.uname().nodename}.{os.getpid()}"
            with open(part, "w", encoding="utf-8", errors="replace", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["set", *names, "status", "seconds", "peak MiB"])
                for number, values in sets.items():
                    texts = [number, *(str(values.get(name, "")) for name in names)]
                    if rows.get(number, [])[:-3] == texts:
                        writer.writerow(rows[number])
            os.replace(part, path)
        finally:
            os.close(lock)
