"""The process that writes the executed notebook.

It holds the pipes of the script's standard output and error, and one of messages, lines of JSON, in which the script
tells what its cells do (executed.py). Text goes on to the log at once. Everything goes into a journal first, so that
a kill of any process loses nothing; from the journal the notebook is written where cells begin, at most every second
or 20 times as long as the last time took, and replaced as a whole.

Text and messages keep their order: for each message the script has also written a marker into both pipes of text,
so a message is taken when all text before its markers is.

The journal has records: a line of JSON with the size of the data that follow it, and a line end after these. Only the
places of outputs are kept in memory.
"""
import contextlib
import fcntl
import json
import os
import select
import signal
import stat
import sys
import time

from .executed_notebook import Notebook, read_notebook

CHUNK = 1 << 20  # also the size of the pipes
MUCH = 1 << 12  # bytes in a pipe after which the next look comes a MOMENT (in seconds) later, for fewer looks
MOMENT = 0.001
GRACE = 2  # seconds in which the children of a script that was killed may still write
F_SETPIPE_SZ = 1031  # Python has the name since 3.10


class Journal:
    """Appends records to a file, which is locked while a process does so; reads their data again."""

    def __init__(self, path, flags=0):
        """Raises BlockingIOError if another process has locked it, and ValueError if PATH is not a file."""
        self.path, self.size = path, 0
        self.file = os.open(path, os.O_RDWR | flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(self.file).st_mode):
                raise ValueError(f"'{path}' is not a file")
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            self.close()
            raise

    def close(self):
        os.close(self.file)

    def remove(self):
        with contextlib.suppress(FileNotFoundError):  # the folder was moved
            os.unlink(self.path)
        self.close()

    def append(self, about, data=b""):
        """Returns the place of DATA."""
        head = json.dumps({**about, "size": len(data)}).encode() + b"\n"
        record = memoryview(head + data + b"\n")
        place = self.size + len(head), len(data)
        while record:
            written = os.write(self.file, record)
            record = record[written:]
            self.size += written
        return place

    def read(self, place):
        at, size = place
        return os.pread(self.file, size, at)

    def records(self):
        """Pairs of what each whole record is about, and the place of its data."""
        at, end = 0, os.fstat(self.file).st_size
        with open(os.dup(self.file), "rb") as file:
            while at < end:
                file.seek(at)
                head = file.readline()
                try:
                    about = json.loads(head)
                    place = at + len(head), about["size"]
                except (ValueError, KeyError, TypeError):  # cut off
                    return
                at = place[0] + place[1] + 1
                if at <= end:
                    yield about, place


def find_problem(path, notebook=None):
    """Why the file at PATH must not be replaced by an executed NOTEBOOK; None if it may be."""
    if notebook is not None and not os.path.isfile(notebook):
        return f"'{notebook}' is missing"
    if not os.path.lexists(path):
        return None
    if notebook is not None and os.path.exists(path) and os.path.samefile(path, notebook):
        return f"'{path}' is the notebook itself"
    if not os.path.isfile(path):
        return f"'{path}' is not a file"
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
            known = b'"nbscorep_run": {' in file.read()
    except OSError as error:
        return f"cannot read '{path}': {error.strerror}"
    return None if known else f"'{path}' was not written by nbscorep; it is left as it is"


def recover(path):
    """Writes the notebook beside the journal at PATH, whose writer was killed, and removes the journal. Returns true if
    the writer lives. Raises ValueError for a file that is not a journal."""
    try:
        journal = Journal(path)
    except BlockingIOError:
        return True
    except OSError:  # there is none, or it cannot be written
        return False
    try:
        folder, name = os.path.split(path)
        target = os.path.join(folder, name[1:-len(".journal")])  # whatever the journal says
        problem = find_problem(target)
        if problem:
            raise ValueError(problem)
        notebook = None
        for about, place in journal.records():
            if notebook is None:
                notebook = Notebook({**about["order"], "path": target}, json.loads(journal.read(place)), journal.read)
            notebook.take(about, place)
        if notebook is None and os.fstat(journal.file).st_size > 0:
            raise ValueError(f"'{path}' is not a journal of nbscorep")
        if notebook is not None:
            if not notebook.ended:
                notebook.take({"kind": "finish", "status": None, "time": time.time()}, None)
            notebook.write()
    except BaseException:
        journal.close()
        raise
    journal.remove()
    return False


class Pipe:
    """The end of a pipe to read. Its text, up to each marker, waits in PARTS."""

    def __init__(self, name, descriptor, marker=None):
        self.name, self.descriptor, self.marker, self.is_open = name, descriptor, marker, True
        self.parts = [bytearray()]
        self.searched = 0  # bytes of the last part in which no marker begins
        os.set_blocking(descriptor, False)
        with contextlib.suppress(OSError):  # the user's limit
            fcntl.fcntl(descriptor, F_SETPIPE_SZ, CHUNK)

    def read(self):
        """Returns the number of bytes that it held."""
        try:
            text = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return 0
        self.is_open = text != b""
        last = self.parts[-1]
        last += text
        at = last.find(self.marker, self.searched)
        if at >= 0:
            first, *others = last[at:].split(self.marker)
            del last[at:]
            self.parts += others
            last = self.parts[-1]
        self.searched = max(0, len(last) - len(self.marker) + 1)
        return len(text)

    def take(self):
        """Takes the text before the next marker, but not what may be the beginning of one."""
        text, rest = self.parts[0], b""
        if len(self.parts) == 1 and self.is_open:
            at = text.rfind(self.marker[:1], self.searched)
            if at >= 0 and self.marker.startswith(text[at:]):
                text, rest = text[:at], text[at:]
            self.searched = 0
        self.parts[0] = bytearray(rest)
        return bytes(text)


class Writer:
    def __init__(self, order, source):
        self.order = order
        marker = order["marker"].encode()
        self.pipes = [Pipe("stdout", order["stdout"], marker), Pipe("stderr", order["stderr"], marker)]
        self.messages = Pipe("messages", order["messages"], b"\n")
        self.journal = Journal(order["journal"], os.O_CREAT)
        if os.fstat(self.journal.file).st_size > 0:  # the client could not complete its notebook
            raise ValueError(f"'{order['journal']}' is in the way")
        self.notebook = Notebook(order, source, self.journal.read)
        self.last_write, self.last_cost, self.dirty = 0, 0, True
        self.failed = self.reader_has_gone = False

    def record(self, about, data=b""):
        """Into the journal, then into the notebook."""
        try:
            self.notebook.take(about, self.journal.append(about, data))
            self.dirty = True
        except Exception as error:  # the script's output has to go on to the log
            self.give_up(error)

    def give_up(self, error):
        self.notebook.ended = True
        if self.failed:
            return
        self.failed = True
        text = f"nbscorep: cannot write '{self.order['path']}': {getattr(error, 'strerror', None) or error}\n"
        self.write_log(2, text.encode("utf-8", "replace"))

    def write_log(self, number, text):
        while text:
            try:
                text = text[os.write(number, text):]
            except BlockingIOError:
                select.select([], [number], [])
            except OSError:
                if not self.reader_has_gone:  # the script gets the descriptors that the reader has left
                    self.reader_has_gone = True
                    self.answer(b"|")
                return

    def answer(self, text):
        with contextlib.suppress(OSError):  # the script has been killed
            os.write(self.order["answers"], text)

    def take_text(self, pipe):
        """Takes the text before the pipe's next marker."""
        text = pipe.take()
        if text and not self.notebook.ended:  # else it is of a process that the script has left
            room = self.notebook.room()
            while 0 < room < len(text) and text[room] & 0xc0 == 0x80:  # within a character
                room -= 1
            if room > 0:
                self.record({"kind": "stream", "name": pipe.name}, text[:room])
            if len(text) > room:
                self.record({"kind": "cut", "bytes": len(text) - room})
        self.write_log(1 if pipe.name == "stdout" else 2, text)

    def take(self):
        """Takes all text and messages whose turn it is."""
        while True:
            for pipe in self.pipes:
                self.take_text(pipe)
            while len(self.messages.parts) > 1 and not self.messages.parts[0]:  # the line end before a message
                del self.messages.parts[0]
            ready = all(len(pipe.parts) > 1 or not pipe.is_open for pipe in self.pipes)
            if len(self.messages.parts) < 2 or not ready:
                return
            for pipe in self.pipes:
                if len(pipe.parts) > 1:
                    del pipe.parts[0]
            line = self.messages.parts.pop(0)
            self.messages.searched = 0
            try:
                message = json.loads(line)
            except (RecursionError, ValueError):  # its sender was interrupted
                continue
            self.take_message(message)

    def take_message(self, message):
        text = message.pop("log", "")
        if text:
            self.write_log(message.pop("log_to", 1), text.encode("utf-8", "replace"))
        data = message.pop("output", None)
        self.record(message, b"" if data is None else json.dumps(data).encode())
        if message["kind"] in ("begin", "finish"):
            self.write(message["kind"] == "finish")
        if message["kind"] == "finish":
            self.complete()
            self.answer(b"!" if self.failed else b".")

    def complete(self):
        """The notebook is written for the last time. Where it could not be, the journal stays."""
        if self.failed:
            return
        self.journal.remove()
        if self.order["html"]:
            from .executed_page import make_page
            problem = make_page(self.order["path"], self.order["html"])
            if problem:
                self.write_log(2, f"nbscorep: no page of the executed notebook: {problem}\n".encode("utf-8", "replace"))

    def write(self, always=False):
        wait = max(1, 20 * self.last_cost)
        if not self.dirty or self.notebook.ended and not always or not (always or time.monotonic() - self.last_write > wait):
            return
        begin = time.monotonic()
        try:
            self.notebook.write()
        except Exception as error:
            self.give_up(error)
        self.last_write, self.dirty = time.monotonic(), False
        self.last_cost = self.last_write - begin

    def run(self):
        poll, all_pipes, much, deadline = select.poll(), [*self.pipes, self.messages], False, None
        by_number = {pipe.descriptor: pipe for pipe in all_pipes}
        for number in by_number:
            poll.register(number, select.POLLIN)
        while by_number:
            ready = [number for number, _ in poll.poll(100 if deadline else 1000 if self.dirty else None)]
            if much and self.messages.descriptor not in ready:
                select.select([self.messages.descriptor] if self.messages.is_open else [], [], [], MOMENT)
            # What is in standard error may have come after what is in standard output, and after no message.
            ready = [pipe for pipe in all_pipes if pipe.is_open and (pipe.name == "stdout" or pipe.descriptor in ready)]
            much = sum(pipe.read() for pipe in ready) > MUCH
            for number in [pipe.descriptor for pipe in ready if not pipe.is_open]:
                poll.unregister(number)
                del by_number[number]
            self.take()
            if not self.messages.is_open and not self.notebook.ended:  # the script has been killed
                deadline = deadline or time.monotonic() + GRACE
                if time.monotonic() > deadline or not any(pipe.is_open for pipe in self.pipes):
                    self.finish()
                    deadline = None
            self.write()

    def finish(self):
        for pipe in self.pipes:
            if pipe.is_open:
                pipe.read()
        self.take()
        if not self.notebook.ended:
            self.record({"kind": "finish", "status": None, "time": time.time()})
            self.write(True)
            self.complete()


def main(order):
    sys.setrecursionlimit(20000)  # the script's may be higher than Python's
    order = json.loads(order)
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:  # it ends with the script
        signal.signal(number, signal.SIG_IGN)
    try:
        problem = find_problem(order["path"], order["notebook"])
        if problem:
            os.write(order["answers"], problem.encode("utf-8", "replace"))
            return
        source = read_notebook(order["notebook"])
        writer = Writer(order, source)
        writer.record({"kind": "begun", "time": time.time(), "order": order}, json.dumps(source).encode())
        try:
            writer.notebook.write()
        except BaseException:
            writer.journal.remove()
            raise
    except BlockingIOError:
        reason = "another run writes it"
    except OSError as error:
        reason = f"{error.filename or order['path']}: {error.strerror}"
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        reason = f"cannot read '{order['notebook']}': {error}"
    else:
        os.write(order["answers"], b".")
        writer.run()
        return
    os.write(order["answers"], reason.encode("utf-8", "replace"))
