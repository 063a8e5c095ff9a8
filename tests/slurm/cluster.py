"""A Slurm of the tests' own: munge, a controller and virtual nodes on this machine.

    def setUpModule():
        global slurm
        slurm = cluster.start(unittest.addModuleCleanup)

    job = slurm.submit("heat_run.sh", cwd=self.folder)
    slurm.wait_for(job, "COMPLETED")

As root or a plain user, without systemd. Ports and folder are free ones, so that several stand
beside each other. Everything runs below one process, the keeper, which ends it all and removes the
folder as soon as the test that started it is gone, however that ended.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import random
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import Done, clean_environment, setting  # noqa: E402

SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
NEEDED = "munged", "slurmctld", "slurmd", "sbatch", "srun", "salloc", "scontrol", "scancel", "squeue"
NODES = "nb1", "nb2"
PR_SET_CHILD_SUBREAPER = 36
CPUS = 8  # of a node; more than there are, so that jobs run beside each other
START_TIMEOUT = 180
JOB_TIMEOUT = 300  # a time limit is looked at every 30 s
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "DEADLINE",
         "OUT_OF_MEMORY", "PREEMPTED"}

CONFIGURATION = """\
ClusterName=nbscorep
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
{listen}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=5,bf_interval=5
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=10
MinJobAge=3600
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
PlugStackConfig={folder}/plugstack.conf
{nodes}
PartitionName=debug Nodes=ALL Default=YES MaxTime=60 DefaultTime=5 State=UP OverSubscribe=NO
"""
NODE = ("NodeName={name} NodeHostname={host} NodeAddr={address} Port={port} CPUs={cpus} Boards=1"
        " SocketsPerBoard=1 CoresPerSocket={cpus} ThreadsPerCore=1 RealMemory=4000 State=UNKNOWN\n")


def start(add_cleanup):
    """A Cluster that runs. ADD_CLEANUP is told how to stop it."""
    missing = [name for name in NEEDED if shutil.which(name, path=SYSTEM_PATH) is None]
    if missing and not setting("NBSCOREP_TEST_SLURM"):
        raise unittest.SkipTest("needs " + ", ".join(missing))
    cluster = Cluster()
    add_cleanup(cluster.stop)
    return cluster


class Cluster:
    def __init__(self):
        self.keeper = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.folder = pathlib.Path(self.keeper.stdout.readline().decode().strip())
        error = self.keeper.stdout.readline().decode().strip()
        if error != "ready":
            self.stop()
            raise RuntimeError(f"Slurm does not start: {json.loads(error) if error else 'killed'}")

    def stop(self):
        """Returns when there is nothing left of it."""
        if self.keeper.stdin.closed:
            return
        self.keeper.stdin.close()
        self.keeper.stdout.read()
        self.keeper.stdout.close()
        self.keeper.wait()

    @property
    def configuration(self):
        return str(self.folder / "slurm.conf")

    def environment(self, **more):
        """For commands of Slurm, and for jobs. Open MPI reaches the virtual nodes through TCP."""
        return clean_environment(**({
            "SLURM_CONF": self.configuration, "OMPI_MCA_btl": "tcp,self",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | more))

    def command(self, *words, env=None, timeout=JOB_TIMEOUT, **more):
        """Done; that it went well is for the caller to see."""
        streams = {"stdin": subprocess.DEVNULL} | more
        return Done(subprocess.run(words, env=env or self.environment(), timeout=timeout,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **streams))

    def must(self, *words, **more):
        """What a command that must go well prints."""
        done = self.command(*words, **more)
        if done.status != 0:
            raise AssertionError(f"{shlex.join(map(str, words))}: {done}")
        return done.out.decode()

    def submit(self, *words, **more):
        """The id of the job that sbatch makes of WORDS."""
        return self.must("sbatch", "--parsable", *words, **more).strip()

    def jobs(self, job):
        """What Slurm says of a job, for each element of an array."""
        found = []
        for line in self.must("scontrol", "show", "job", "-o", job).splitlines():
            words = re.split(r" (?=[A-Z][\w:/]*=)", line)  # there are values with blanks
            found.append(dict(word.split("=", 1) for word in words if "=" in word))
        return found

    def wait_for(self, job, *states, timeout=JOB_TIMEOUT):
        """What Slurm says of JOB (one element of an array: ARRAY_TASK) when it is in one of STATES.
        A job that has ended otherwise is a failure."""
        until = time.monotonic() + timeout
        while True:
            found, = self.jobs(job)
            if found["JobState"] in states:
                return found
            if found["JobState"] in ENDED or time.monotonic() > until:
                what = " ".join(found[name] for name in ("JobState", "Reason", "ExitCode"))
                raise AssertionError(f"job {job} is {what}, not {' or '.join(states)};"
                                     f" its output:\n{self.output_of(found)}")
            time.sleep(0.1)

    def end_of(self, job, **more):
        """What Slurm says of JOB when it has ended, well or badly."""
        return self.wait_for(job, *ENDED, **more)

    def end(self, *jobs):
        """Returns when nothing of JOBS runs any more, so that their folder can be removed."""
        self.command("scancel", "--quiet", *jobs)
        until = time.monotonic() + JOB_TIMEOUT
        while self.command("squeue", "--noheader", f"--jobs={','.join(jobs)}").out:
            if time.monotonic() > until:
                raise AssertionError(f"scancel does not end {jobs}")
            time.sleep(0.1)

    @staticmethod
    def output_of(found):
        path = pathlib.Path(found.get("StdOut", "/dev/null"))
        return path.read_text(errors="replace") if path.is_file() else ""


class Keeper:
    """Parent of all processes of a Slurm, also of those that their parents left."""

    def __init__(self):
        base = tempfile.gettempdir()
        # Paths of sockets must be short.
        self.folder = pathlib.Path(tempfile.mkdtemp(
            prefix="nbslurm-", dir=base if len(base) < 40 else "/tmp"))
        self.folder.chmod(0o755)
        self.environment = clean_environment(
            PATH=SYSTEM_PATH, SLURM_CONF=str(self.folder / "slurm.conf"))

    def launch(self, *words):
        with open(self.folder / f"{words[0]}.out", "ab") as out:
            return subprocess.Popen(words, cwd=self.folder, env=self.environment, stdout=out,
                                    stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)

    def start_munge(self):
        folder = self.folder / "munge"
        folder.mkdir(mode=0o755)
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o600)
        return self.launch("munged", "--foreground", "--num-threads=2",
                           f"--socket={folder}/socket", f"--key-file={folder}/key",
                           f"--pid-file={folder}/pid", f"--log-file={folder}/log",
                           f"--seed-file={folder}/seed")

    def configure(self, port):
        host = socket.gethostname().partition(".")[0]
        try:
            address = socket.gethostbyname(host)
            listen = "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny"
        except OSError:  # then the daemons could not find out on what address to listen
            address, listen = "127.0.0.1", ""
        nodes = ""
        for number, name in enumerate(NODES, 1):
            (self.folder / f"spool-{name}").mkdir(exist_ok=True)
            (self.folder / f"tmp-{name}").mkdir(exist_ok=True)  # PMIx knows no virtual nodes
            nodes += NODE.format(name=name, host=host, address=address, port=port + number,
                                 cpus=CPUS)
        (self.folder / "state").mkdir(exist_ok=True)
        (self.folder / "plugstack.conf").write_text("")
        # Not looked for, as a container or a chroot may have none mounted; nothing here uses it.
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\nCgroupPlugin=cgroup/v1\n")
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, address=address, listen=listen, port=port, folder=self.folder,
            user=subprocess.check_output(["id", "-un"]).decode().strip(), nodes=nodes))

    def ask(self, *words):
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.decode() if done.returncode == 0 else ""

    def is_ready(self):
        """A saved state could say idle before the node has registered; there is none here."""
        return self.ask("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * len(NODES)

    def start_slurm(self):
        """Whether it came up; it does not where another program took its ports meanwhile."""
        self.configure(free_ports())
        daemons = [self.launch("slurmctld", "-D")]
        daemons += [self.launch("slurmd", "-D", "-N", name) for name in NODES]
        until = time.monotonic() + START_TIMEOUT
        while not self.is_ready():
            if time.monotonic() > until or any(each.poll() is not None for each in daemons):
                for each in daemons:
                    each.kill()
                    each.wait()
                return False
            time.sleep(0.05)
        return True

    def start(self):
        munge = self.start_munge()
        until = time.monotonic() + START_TIMEOUT
        while not (self.folder / "munge/socket").exists():
            if munge.poll() is not None or time.monotonic() > until:
                return False
            time.sleep(0.01)
        return any(self.start_slurm() for _ in range(3))

    def logs(self):
        paths = [*self.folder.glob("*.out"), *self.folder.glob("*.log"),
                 *self.folder.glob("munge/log")]
        return "\n".join(f"{path.name}:\n{path.read_text(errors='replace')[-2000:]}"
                         for path in sorted(paths))

    def stop(self):
        """Nothing of it is wanted any more, so nothing is asked to end."""
        while True:
            for each in descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.01)
            except ChildProcessError:
                break
        shutil.rmtree(self.folder, ignore_errors=True)


def free_ports():
    """The first of a row of ports that nobody listens on, below those of the kernel."""
    while True:
        first = random.randrange(1024, 2000) * 16
        try:
            for number in range(1 + len(NODES)):
                with socket.socket() as each:
                    each.bind(("", first + number))
        except OSError:
            continue
        return first


def descendants(process):
    children = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, todo = [], [process]
    while todo:
        more = children.get(todo.pop(), [])
        found += more
        todo += more
    return found


def become_keeper():
    """Neither Ctrl-C, nor the end of a test program, nor a ctest that kills a tree of processes
    may end the keeper; and it becomes the parent of orphans."""
    if os.fork() != 0:
        os._exit(0)
    os.setsid()
    for number in signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE:
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for_end_of_input():
    while not select.select([sys.stdin], [], [], 0.2)[0] or os.read(0, 1):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def main():
    """Keeps a Slurm for as long as somebody holds the other end of standard input. Prints its
    folder and "ready", or why not."""
    become_keeper()
    keeper = Keeper()
    try:
        print(keeper.folder, flush=True)
        print("ready" if keeper.start() else json.dumps(keeper.logs()), flush=True)
        wait_for_end_of_input()
    finally:
        keeper.stop()


if __name__ == "__main__":
    main()
