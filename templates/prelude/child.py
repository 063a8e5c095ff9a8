# requires: quiet
@_nbscorep_apart
def _nbscorep_sinks():
    """What writes to standard output and error, None for one that a child process inherits."""
    import sys
    sinks = []
    for stream, original in (sys.stdout, sys.__stdout__), (sys.stderr, sys.__stderr__):
        if stream is not None:
            stream.flush()
        sinks.append(None if stream is original else stream.write)
    return sinks


@_nbscorep_apart
def _nbscorep_pump(process, sinks):
    """Hands what PROCESS writes to SINKS as it comes, until it ends."""
    import codecs
    import os
    import selectors
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


@_nbscorep_apart
def _nbscorep_child(command, sinks, stdin=None):
    """Starts COMMAND with pipes for the SINKS there are."""
    import subprocess
    out, err = (None if sink is None else subprocess.PIPE for sink in sinks)
    return subprocess.Popen(command, stdin=stdin, stdout=out, stderr=err)


@_nbscorep_apart
def _nbscorep_wait(process, sinks):
    """The status of PROCESS at its end; an exception ends it."""
    with process:
        try:
            _nbscorep_pump(process, sinks)
            return process.wait()
        except BaseException:
            process.kill()
            raise
