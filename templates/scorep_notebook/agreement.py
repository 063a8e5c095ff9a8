"""Makes all ranks end before the same cell. Before each cell, a rank posts whether it was asked to end,
and reads the sum of what all ranks posted before the previous cell. It waits only for ranks that lag
by more than one cell, so an imbalance between ranks stays in the notebook's own calls of MPI.

A rank cannot wait for a signal before it asks the others: a rank that is ahead may wait in its cell
for a message of the rank that asks, which would wait for its answer."""
import os
import sys

from .running import run


# With at most this many ranks, each rank sends its numbers to all others. MPI_Iallreduce() uses ranks
# in between, which pass the numbers on only when they call MPI.
MOST_DIRECT = 128


class agreement:
    calls = None  # of MPI; None: not known yet, or only one rank
    size = 0  # number of ranks; 0: not known yet
    posted = False  # a sum has been started
    asked = at_end = 0  # the last sum: numbers of ranks
    over = False  # nothing is posted after this


class recorded_calls:
    """Calls of MPI through mpi4py, which a trace shows."""

    def __init__(self, mpi):
        self.mpi = mpi
        self.has_ended = mpi.Is_finalized

    def start_sum(self, numbers):
        import array
        self.sums = array.array("i", numbers)
        self.request = self.mpi.COMM_WORLD.Iallreduce(
            self.mpi.IN_PLACE, [self.sums, self.mpi.INT], op=self.mpi.SUM)

    def wait_for_sum(self):
        self.request.Wait()
        return self.sums


UNAVAILABLE = AttributeError, ImportError, KeyError, OSError


class unrecorded_calls:
    """Calls of MPI's library by names that Score-P does not wrap. Raises an error of UNAVAILABLE if
    the library lacks them."""

    def __init__(self, mpi):
        import ctypes
        self.library, self.error = ctypes.CDLL(mpi.__file__), mpi.Exception
        self.exchange, self.reduce = self.library.PMPI_Ialltoallv, self.library.PMPI_Iallreduce
        self.wait, self.finalized = self.library.PMPI_Wait, self.library.PMPI_Finalized
        kinds = {4: ctypes.c_int, 8: ctypes.c_void_p}  # handles of MPICH, of Open MPI
        self.type, self.sum, self.world = [
            kinds[mpi._sizeof(each)].from_address(mpi._addressof(each))
            for each in (mpi.INT, mpi.SUM, mpi.COMM_WORLD)]
        self.messages = agreement.size if agreement.size <= MOST_DIRECT else 1
        row = ctypes.c_int * self.messages
        self.sizes, self.nowhere = row(*[2] * self.messages), row()
        self.places = row(*range(0, 2 * self.messages, 2))
        self.mine, self.all = (ctypes.c_int * 2)(), (ctypes.c_int * (2 * self.messages))()
        self.request, self.flag = ctypes.c_void_p(), ctypes.c_int()
        self.to_request, self.to_flag = map(ctypes.byref, (self.request, self.flag))
        self.status = ctypes.create_string_buffer(mpi._sizeof(mpi.Status()))

    def check(self, code):
        if code != 0:
            raise self.error(code)

    def has_ended(self):
        self.check(self.finalized(self.to_flag))
        return self.flag.value != 0

    def start_sum(self, numbers):
        self.mine[:] = numbers
        if self.messages == agreement.size:
            code = self.exchange(self.mine, self.sizes, self.nowhere, self.type, self.all, self.sizes,
                                 self.places, self.type, self.world, self.to_request)
        else:
            code = self.reduce(self.mine, self.all, 2, self.type, self.sum, self.world,
                               self.to_request)
        self.check(code)

    def wait_for_sum(self):
        self.check(self.wait(self.to_request, self.status))
        return sum(self.all[0::2]), sum(self.all[1::2])


def has_ranks():
    """True if this process is one of several ranks that can still communicate."""
    mpi = sys.modules.get("mpi4py.MPI")
    if agreement.size == 0 and hasattr(mpi, "COMM_WORLD") and mpi.Is_initialized():
        agreement.size = 0 if mpi.Is_finalized() else mpi.COMM_WORLD.Get_size()
        if agreement.size > 1:
            try:
                agreement.calls = unrecorded_calls(mpi)
            except UNAVAILABLE:
                agreement.calls = recorded_calls(mpi)
    return (agreement.calls is not None and os.getpid() == run.process and not agreement.over
            and not agreement.calls.has_ended())


def post(asked, at_end):
    agreement.calls.start_sum((asked, at_end))
    agreement.posted = True


def read_sum():
    """Reads the sum of the last post."""
    if agreement.posted:
        agreement.posted = False
        agreement.asked, agreement.at_end = agreement.calls.wait_for_sum()


def agree(asked):
    """True if all ranks end before this cell. Ranks that were ASKED wait here for the others. Ranks
    that were not asked may already be in this cell; then all ranks end before the next one."""
    read_sum()
    if agreement.asked == 0:
        post(asked, 0)
        if not asked:
            return False
        read_sum()
        agreement.over = agreement.asked + agreement.at_end == agreement.size
    else:
        agreement.over = True
    return agreement.over


def agree_at_end():
    """Runs at the end of this rank's script. Other ranks may have more cells, and need this rank's
    part of each sum."""
    while run.agrees and has_ranks():
        read_sum()
        agreement.over = agreement.asked > 0 or agreement.at_end == agreement.size
        if not agreement.over:
            post(0, 1)
