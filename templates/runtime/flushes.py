"""A trace that does not fit into memory is written to disk while the program runs. Each time
Score-P prints two lines, but never how much memory would be enough: that is printed at the end."""

together = {"--mpp=mpi", "--mpi"} & set(binding_options())  # ranks share an experiment directory


class experiment:
    path = os.path.abspath(os.environ.get("SCOREP_EXPERIMENT_DIRECTORY")
                           or "scorep-measurement-tmp")
    memory = os.environ.get("SCOREP_TOTAL_MEMORY") or "16000k"  # Score-P's default
    before = None  # with --mpp=mpi the directory of an earlier run stays until MPI is initialised
    reported = False  # that nothing was measured
    reported_flushes = False


def identify_experiment():
    try:
        status = os.stat(experiment.path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def read_flushed():
    """Bytes of its trace that the rank with the largest one has written by now."""
    sizes = {}
    if together and identify_experiment() == experiment.before:
        return 0
    try:
        with os.scandir(os.path.join(experiment.path, "traces")) as files:
            for file in files:
                name, ending = os.path.splitext(file.name)
                if ending == ".evt" and name.isdecimal():  # the rank, and the thread above it
                    rank = int(name) & 0xFFFFFFFF
                    sizes[rank] = sizes.get(rank, 0) + file.stat().st_size
    except OSError:
        return 0
    return max(sizes.values(), default=0)


def read_size(text):
    """Bytes, as Score-P reads them: digits, a unit, a b; 0 for anything else."""
    digits = text.lower().rstrip("b").rstrip("kmgtpe")
    unit = text[len(digits):len(digits) + 1].lower()
    return int(digits) << 10 * " kmgtpe".find(unit or " ") if digits.isdecimal() else 0


def report_flushes():
    """Before Score-P writes the rest: its memory must hold that and what was written."""
    mpi = sys.modules.get("mpi4py.MPI")
    if (experiment.reported_flushes or ending.now or os.getpid() != process or sys.stderr is None
            or getattr(mpi, "Is_finalized", bool)()):
        return
    flushed = read_flushed()
    if flushed == 0:
        return
    experiment.reported_flushes = True
    step = 1 << 26
    needed = -(-(read_size(experiment.memory) + flushed) // step) * 64
    advice = f"set it to {needed}M" if needed < 4096 else "record less: at most 4095M are possible"
    print("nbscorep: the program waited while Score-P wrote its trace, which did not fit into "
          f"SCOREP_TOTAL_MEMORY={ascii(experiment.memory)[1:-1]}; {advice}",
          file=sys.stderr, flush=True)


if measured:
    import atexit
    experiment.before = identify_experiment()
    if find_rank() == 0 or not together:
        at_bad_end.append(report_flushes)
        atexit.register(report_flushes)
