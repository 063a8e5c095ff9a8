"""Lets another process write the executed notebook (executed_writer.py), and tells it what the cells do."""
import base64
import fcntl
import json
import linecache
import os
import re
import sys
import textwrap
import time
import traceback

import _signal as signal
import _thread

import scorep.instrumenter

from . import frames, job, messages, places
from .running import flush, program_environment, run

LIMIT = "10M"  # bytes of the outputs of a cell
ERROR_LIMIT = 20000  # characters of each text of an error
DEPTH_LIMIT = 100  # of JSON
FRAMES = 20  # at each end of a long traceback
SHOWN = re.compile(r"scorep_notebook\.(?:echo|out)\((?:\d+, )?(.*)\)(?=;?\s*(?:#|$))")  # the value of a cell


class client:
    lock = _thread.RLock()  # a message is written by one thread at a time; a signal's handler may be another message
    messages = answers = None  # ends of pipes to and from the writer
    marks = []  # descriptors of the pipes of text, whatever the script makes of 1 and 2
    unread = []  # the other ends of these pipes, so that text is not lost if the writer is killed
    identities = []  # inodes of MARKS and MESSAGES
    marker = b""
    journal = ""
    path = ""  # of the notebook
    is_finished = True
    names_path = False  # at the end
    flush_libraries = None  # fflush() of C
    log = []  # pairs of a descriptor of the former standard output or error and its number
    ended = None  # the cell that has ended last, and how


def bytes_of(text):
    """The number of bytes that TEXT names, with K, M or G for 1024 and its powers; None if it is wrong."""
    found = re.fullmatch(r"(\d{1,12})([KMG]?)", text.upper())
    return found and int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]


def write_executed(program, wanted, html, limit):
    """Begins the executed notebook at the path WANTED ("yes": the default), with at most LIMIT bytes of output for a
    cell. HTML: the path of a page of it, or "yes"."""
    if job.rank() > 0:
        return
    name = places.notebook_of(run.source.partition(b"\n")[0].decode("utf-8", "replace"))
    results = os.environ.get("NBSCOREP_RESULTS") or os.path.dirname(program.script)
    path = os.path.abspath(os.path.join(results, program.name + "_executed.ipynb") if wanted == "yes" else wanted)
    notebook, (folder, file) = os.path.abspath(name), os.path.split(path)
    client.journal = os.path.join(folder, f".{file}.journal")
    limit = bytes_of(limit or LIMIT)
    if limit is None:
        messages.tell("no executed notebook: NBSCOREP_OUTPUT_LIMIT is not a number of bytes, such as 10M")
        return
    client.names_path = not os.environ.get("NBSCOREP_QUIET")
    html = html and (os.path.splitext(path)[0] + ".html" if html == "yes" else os.path.abspath(html))
    order = {"path": path, "notebook": notebook, "input": name, "limit": limit, "html": html,
             "left_out": places.Places(run.script, run.source).left_out,
             "journal": client.journal, "version": __package__,
             "measurement": "none" if not run.measured else "builtin" if run.recorded else "scorep"}
    try:
        recover_notebook(order["journal"])
        start_writer(order)
    except OSError as error:
        messages.tell(f"no executed notebook: {error.strerror}")
        return
    client.path, client.is_finished = path, False
    frames.before.append(cell_begins)
    frames.ended.append(cell_ends)


def recover_notebook(journal):
    """Completes the notebook whose writer was killed."""
    if os.path.exists(journal):
        from .executed_writer import recover
        try:
            recover(journal)
        except Exception as error:  # whatever is in the file
            messages.tell(f"cannot complete a notebook from '{journal}': {error}")


def start_writer(order):
    """Starts the writer, which reads standard output and error from now on."""
    (read_out, write_out), (read_err, write_err), (read_messages, messages_end) = os.pipe(), os.pipe(), os.pipe()
    answers, write_answers = os.pipe()
    its = {"stdout": read_out, "stderr": read_err, "messages": read_messages, "answers": write_answers}
    client.marker = b"\0nbscorep " + os.urandom(12).hex().encode() + b"\0"
    order.update(its, marker=client.marker.decode())
    command = ["/bin/sh", "-c", '"$@" &', "sh", sys.executable, "-I", "-S",
               os.path.dirname(os.path.abspath(__file__)), "--executed-writer=" + json.dumps(order)]
    for number in its.values():
        os.set_inheritable(number, True)
    os.waitpid(os.posix_spawn(command[0], command, program_environment(), setsid=True, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]), 0)
    for number in its["messages"], its["answers"]:
        os.close(number)
    client.messages, client.answers = keep(messages_end), keep(answers)
    import ctypes  # while the writer starts
    from .rich_display import shown
    reason = os.read(client.answers, 4096)
    if reason != b".":
        for number in read_out, read_err, write_out, write_err, client.messages, client.answers:
            os.close(number)
        client.messages = None
        raise OSError(0, reason.decode() or "the process that writes it has ended")
    client.unread = [keep(read_out), keep(read_err)]
    flush()
    for number, new in ((1, write_out), (2, write_err)):
        client.log.append((keep(os.dup(number)), number))
        os.dup2(new, number)
        client.marks.append(keep(new))
    client.identities = [os.fstat(number).st_ino for number in (*client.marks, client.messages)]
    # The kernel sends this signal when the writer has gone.
    signal.signal(signal.SIGIO, writer_has_gone)
    fcntl.fcntl(client.answers, fcntl.F_SETOWN, os.getpid())
    watch_writer(os.O_ASYNC)
    os.register_at_fork(after_in_child=leave)
    client.flush_libraries = ctypes.CDLL(None).fflush
    shown.page, run.executed = show, sys.modules[__name__]


def leave():
    """A forked child sends no messages, and its life does not keep the notebook open."""
    for number in filter(None, (client.messages, client.answers)):
        os.close(number)
    client.messages = client.answers = None
    client.lock = _thread.RLock()  # another thread of the parent may hold the former one
    signal.signal(signal.SIGIO, signal.SIG_DFL)


def watch_writer(flag):
    """FLAG: O_ASYNC begins to watch whether the writer lives, 0 ends it."""
    flags = fcntl.fcntl(client.answers, fcntl.F_GETFL)
    fcntl.fcntl(client.answers, fcntl.F_SETFL, flags & ~os.O_ASYNC | flag)


def writer_has_gone(number, frame):
    """Lets output go to the log itself, also what the writer has not read. The notebook is written at the end. The same
    if the writer lives, but the reader of the log has gone: then the script's next output fails, as without a writer."""
    os.set_blocking(client.answers, False)
    try:
        answer = os.read(client.answers, 1)
    except BlockingIOError:
        return
    restore_log()
    if answer:
        return
    client.messages = None
    for unread, (_, number) in zip(client.unread, client.log):
        os.set_blocking(unread, False)
        try:
            while True:
                text = os.read(unread, 1 << 16)
                write_all(number, text.replace(client.marker, b""))
                if not text:
                    break
        except OSError:  # it is empty, or nobody reads the log
            pass
    messages.tell("the process that writes the executed notebook was killed; later output is only in the log")


def restore_log():
    for kept, number in client.log:
        os.dup2(kept, number)
    for number in client.marks:
        os.close(number)
    client.marks, client.identities = [], client.identities[-1:]


def keep(number):
    """The same file under a number that the script's own files do not get."""
    kept = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 18)
    os.close(number)
    return kept


def send(kind, **about):
    """Tells the writer, after what was printed before. Returns false if it does not exist any more."""
    flush()
    client.flush_libraries(None)
    about.update(kind=kind, time=time.time())
    try:
        message = json.dumps(about, default=repr, allow_nan=False)
        if message.count("[") + message.count("{") > DEPTH_LIMIT:  # it may be deeper than nbformat can read
            message = json.dumps(plain(about), default=repr)
    except (RecursionError, TypeError, ValueError):
        message = json.dumps(plain(about), default=repr)
    with client.lock:
        if client.messages is None or os.getpid() != run.process:
            return False
        try:
            if [os.fstat(number).st_ino for number in (*client.marks, client.messages)] != client.identities:
                raise OSError  # the script has closed files that it did not open
            for number in client.marks:
                write_all(number, client.marker)
            # The line end before it ends a message that was interrupted.
            write_all(client.messages, b"\n" + message.encode() + b"\n")
        except OSError:  # the writer has been killed
            client.messages = None
    return client.messages is not None


def plain(value, depth=0):
    """VALUE as JSON can have it: keys are texts, numbers finite, and the depth has an end."""
    if depth > DEPTH_LIMIT:
        return "..."
    if isinstance(value, dict):
        return {str(key): plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, depth + 1) for each in value]
    return None if isinstance(value, float) and value - value != 0 else value


def write_all(number, data):
    while data:
        data = data[os.write(number, data):]


def cell_begins(number):
    with scorep.instrumenter.disable():
        ended, client.ended = client.ended, None
        send("begin", cell=number, ended=ended)


def cell_ends(number, error):
    with scorep.instrumenter.disable():
        client.flush_libraries(None)
        how = frames.outcome(number, error)
        client.ended = {"cell": number, "how": how, "time": time.time()}  # which the next message tells


def text_data(data):
    """DATA, by MIME type, as a notebook has it: bytes in base64, other values as text unless they are JSON."""
    found = {}
    for mime, value in data.items():
        if isinstance(value, bytes):
            value = base64.b64encode(value).decode()
        elif not str(mime).endswith("json") and not isinstance(value, str):
            value = "".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        found[str(mime)] = value
    return found


def show(data, metadata, text, transient=None, update=False, result=False):
    """Shows DATA, a dictionary by MIME type, in the notebook, and TEXT in the log."""
    output = {"output_type": "execute_result" if result else "display_data", "data": text_data(data),
              "metadata": metadata if isinstance(metadata, dict) else {}}
    if result:
        output["execution_count"] = None
    sent = send("display", output=output, update=update, display_id=(transient or {}).get("display_id"),
                log="" if text is None else text + "\n")
    if not sent and text is not None:
        from .rich_display import write
        write(text)


def give_parameters(names, values):
    """NAMES: the script's. Its injected parameters are those of the build, and these VALUES."""
    lines = places.Places(run.script, run.source).lines
    block = lines[lines.index("# %% injected parameters\n") + 1:]
    block = block[:block.index("\n") if "\n" in block else len(block)]
    found = [re.match(r"\s*(\w+) = ", line) for line in block]
    values = {**{match[1]: names[match[1]] for match in found if match}, **values}
    if values:
        lines = [f"{name} = {value!r}" for name, value in values.items()]
        send("parameters", values=values, source="\n".join(["# Parameters", *lines]))


def show_error(error, trace, text, ends=True):
    """Shows ERROR as nbclient stores it, and TEXT in the log. ENDS: it ends the script."""
    lines = traceback.format_exception_only(type(error), error)  # for which an error's own methods may fail
    name, value = getattr(type(error), "__name__", "Exception"), "".join(lines).strip().partition(": ")[2]
    try:
        value = str(error)
    except Exception:
        pass
    if name == "UsageError":  # as IPython shows it
        output = {"output_type": "stream", "name": "stderr", "text": f"UsageError: {value}\n"}
    else:
        output = {"output_type": "error", "ename": name, "evalue": value[:ERROR_LIMIT],
                  "traceback": [each[:ERROR_LIMIT] for each in [*traceback_of(name, trace), "".join(lines).rstrip("\n")]]}
    if not send("error", output=output, log=text, log_to=2, ends=ends) and sys.stderr is not None:
        print(text, end="", file=sys.stderr, flush=True)


def traceback_of(name, trace):
    """The lines for an error of the class NAME, like those of IPython."""
    script = places.Places(run.script, run.source)
    parts = ["-" * 75, f"{name:<42}Traceback (most recent call last)"]
    frames_of = traceback.extract_tb(trace)
    if len(frames_of) > 2 * FRAMES:
        frames_of = frames_of[:FRAMES] + frames_of[-FRAMES:]
    for frame in frames_of:
        found = script.find(frame.lineno) if frame.filename == run.script else None
        if found:
            file, cell, number = found
            title, lines = file or f"Cell {cell}", cell_lines(script, frame.lineno, number)
        else:
            title, number = f"File {frame.filename}", frame.lineno
            lines = enumerate(linecache.getlines(frame.filename), 1)
        code = [f"{'---->' if at == number else '     '} {at} {line.rstrip()}" for at, line in lines if abs(at - number) < 3]
        parts.append("\n".join([f"{title}, line {number}, in {frame.name}", *code]) + "\n")
    return parts


def cell_lines(script, row, number):
    """Pairs of a number and a line of the cell whose line NUMBER is line ROW of the script, without its frame."""
    first, end = row - number, min([marker.row for marker in script.markers if marker.row > row], default=len(script.lines) + 1)
    lines = [SHOWN.sub(r"\1", line) for line in script.lines[first:end - 1]]
    return enumerate(textwrap.dedent("".join(lines)).splitlines(), 1)


def finish(status, how=None):
    """The script has ended with STATUS; what follows is no output of a cell. HOW: the cell that runs ends."""
    if client.is_finished or os.getpid() != run.process:
        return
    client.is_finished, written = True, False
    if client.messages is not None:
        watch_writer(0)
    send("finish", status=status, how=how, ended=client.ended)
    if client.messages is not None:
        os.set_blocking(client.answers, True)
        answer = b"|"  # see writer_has_gone()
        while answer == b"|":
            answer = os.read(client.answers, 1)
        written = answer == b"."  # else it could not be, or the writer was killed
        client.messages = None
        restore_log()
    if not written:
        recover_notebook(client.journal)
    if client.names_path and os.path.exists(client.path) and not os.path.exists(client.journal):
        messages.tell(f"executed notebook: {client.path}")
