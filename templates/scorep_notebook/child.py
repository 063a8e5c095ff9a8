"""Child processes whose output goes where that of the script goes."""
import codecs
import os
import selectors
import shutil
import subprocess
import sys


def command_shell():
    """The user's shell, as in Jupyter; /bin/sh if it is not on this node or runs no commands."""
    asked = os.environ.get("SHELL") or "sh"
    runs_none = os.path.basename(asked) in ("false", "nologin")
    return not runs_none and shutil.which(asked) or "/bin/sh"


def output_sinks():
    """Functions that write to standard output and error; None for a stream that a child inherits."""
    sinks = []
    for stream, original in (sys.stdout, sys.__stdout__), (sys.stderr, sys.__stderr__):
        if stream is not None:
            stream.flush()
        sinks.append(None if stream is original else stream.write)
    return sinks


def pump(process, sinks):
    """Passes the output of PROCESS to SINKS as it arrives, until the process ends."""
    decoder = codecs.getincrementaldecoder("utf-8")
    with selectors.DefaultSelector() as selector:
        for stream, sink in zip((process.stdout, process.stderr), sinks):
            if stream is not None:
                selector.register(stream, selectors.EVENT_READ, (sink, decoder("replace").decode))
        while selector.get_map():
            ready = selector.select(0.1)
            if not ready and process.poll() is not None:
                return  # a process in the background holds the pipe
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                write, decode = key.data
                write(decode(data, not data))
                if not data:
                    selector.unregister(key.fileobj)


def child(command, sinks, stdin=None, together=False):
    """Starts COMMAND with a pipe for each of SINKS that is not None. TOGETHER: its errors go to standard output."""
    out, err = (None if sink is None else subprocess.PIPE for sink in sinks)
    return subprocess.Popen(command, stdin=stdin, stdout=out, stderr=subprocess.STDOUT if together else err)


def wait(process, sinks):
    """Waits for PROCESS and returns its exit status. An exception kills it."""
    with process:
        try:
            pump(process, sinks)
            return process.wait()
        except BaseException:
            process.kill()
            raise
