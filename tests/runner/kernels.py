#!/usr/bin/env python3
"""Notebooks in Jupyter kernels that are forks of a process which has imported what they need: the
imports take most of the time that a kernel takes to start.

    kernels.py

This is what Kernels starts. It reads requests from standard input, one JSON object per line ("notebook",
its text, "folder", "environment", "allow_errors"), runs each notebook in a new kernel and prints a
line of JSON: the outputs of each cell, and what failed or null.
"""
import importlib
import json
import os
import pathlib
import runpy
import signal
import socket
import subprocess
import sys
import tempfile

import harness

TIMEOUT = 300
TESTS = pathlib.Path(__file__).resolve().parents[1]
# Where any program of this Python finds modules.
MODULE_FOLDERS = [folder for folder in sys.path
                  if TESTS not in [pathlib.Path(folder), *pathlib.Path(folder).parents]]


class Kernels:
    """A process of PYTHON that runs one notebook after the other."""

    def __init__(self, python):
        # Sets have one order, as in a script that gets this variable, too.
        self.process = subprocess.Popen(
            [python, __file__], encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=harness.clean_environment(PYTHONHASHSEED="0"))

    def run(self, notebook, folder, environment, allow_errors=False):
        """NOTEBOOK is the text of a file. Returns the outputs of each cell, and what failed or None."""
        request = {"notebook": notebook, "folder": str(folder), "environment": environment,
                   "allow_errors": allow_errors}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.communicate()


def load():
    """Imports what clients and kernels need."""
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # silences the debugger of ipykernel
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # says that a program starts the kernels
    for name in ("nbclient", "nbformat.v4", "jupyter_client.provisioning.local_provisioner",
                 "ipykernel.ipkernel", "ipykernel.kernelapp", "ipykernel.zmqshell"):
        importlib.import_module(name)


def become_kernel(channel):
    """Waits for what ForkedKernel.launch() sends, then runs the kernel to its end."""
    os.setsid()
    channel.send(b"1")
    text, streams, _, _ = socket.recv_fds(channel, 1 << 20, 3)
    if not streams:
        return
    command, environment, folder = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)) and number != signal.SIGINT:
            signal.signal(number, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:] = [os.getcwd(), *filter(None, environment.get("PYTHONPATH", "").split(":")),
                   *MODULE_FOLDERS]
    module = command.index("-m") + 1
    sys.argv = command[module:]
    runpy.run_module(command[module], run_name="__main__", alter_sys=True)


class ForkedKernel:
    """A fork that waits to become a kernel, and then is to jupyter_client what a Popen would be. It is
    made before this process has threads or an event loop."""
    stdin = stdout = stderr = None

    def __init__(self):
        self.returncode = None
        self.channel, other = socket.socketpair()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self.channel.close()
            try:
                become_kernel(other)
            finally:  # what is to happen at the end of the process that was forked is not for this one
                os._exit(0)
        other.close()
        self.channel.recv(1)  # signals to its group are not for this process from here on

    def launch(self, command, stdout=None, stderr=None, env=None, cwd=None, **_):
        """Takes the place of jupyter_client.launcher.launch_kernel()."""
        nothing, end = os.pipe()
        os.close(end)
        socket.send_fds(self.channel, [json.dumps((command, env, cwd)).encode()],
                        [nothing, stdout.fileno() if stdout else 1, stderr.fileno() if stderr else 2])
        os.close(nothing)
        self.channel.close()
        return self

    def poll(self):
        return self.wait(os.WNOHANG)

    def wait(self, options=0):
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, number)


def run_notebook(notebook, folder, sockets, log, allow_errors):
    """Runs NOTEBOOK, which gets the outputs, in a new kernel in FOLDER. SOCKETS begins the names of the
    kernel's sockets; what it prints outside of cells goes to LOG. Returns what failed, or None."""
    kernel = ForkedKernel()
    from jupyter_client.provisioning import local_provisioner
    from nbclient import NotebookClient, exceptions
    local_provisioner.launch_kernel = kernel.launch
    # Some kernels would take seconds to end when asked to.
    client = NotebookClient(notebook, timeout=TIMEOUT, startup_timeout=TIMEOUT,
                            kernel_name="python3", shutdown_kernel="immediate",
                            allow_errors=allow_errors, resources={"metadata": {"path": folder}})
    client.create_kernel_manager()
    client.km.transport = "ipc"  # another program could take a port between its choice and its use
    client.km.ip = sockets
    # Others start slowly: this kernel is writing the file again while the manager looks for changes in it.
    client.km._reconcile_connection_info = lambda info: None
    try:
        client.execute(env=dict(os.environ), stdout=log, stderr=log)
    except (exceptions.CellExecutionError, exceptions.DeadKernelError, TimeoutError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def answer(request):
    """The line for a REQUEST."""
    import nbformat
    os.environ.clear()
    os.environ.update(request["environment"])
    notebook = nbformat.reads(request["notebook"], 4)
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "w+b") as log:
        try:
            fault = run_notebook(notebook, request["folder"], f"{folder}/kernel", log,
                                 request["allow_errors"])
        except BaseException:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace"))
            raise
    return json.dumps([[cell.get("outputs", []) for cell in notebook.cells], fault])


def main():
    load()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                print(answer(json.loads(line)), flush=True)
                status = 0
            except Exception:
                sys.excepthook(*sys.exc_info())
            finally:
                os._exit(status)
        if os.waitpid(child, 0)[1] != 0:
            print('[[], "the client failed"]', flush=True)


if __name__ == "__main__":
    main()
