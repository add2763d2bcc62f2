"""Real daemons on loopback for the end-to-end tests.

A Cluster is started from a plain slurm.conf, as an administrator would, with everything it writes
below one temporary directory. The programs come from $MUSTER_BIN (daemons from $MUSTER_SBIN where that
is set), so the same tests run against Slurm: MUSTER_BIN=/usr/bin MUSTER_SBIN=/usr/sbin.
Nothing here sleeps for a fixed time: everything waits for what it needs, with generous limits.
"""
import atexit
import fcntl
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path


os.umask(0o022)  # other users read what is made here


def within_reach(directory):
    """The programs, in a place where every user can run them: a copy if they or their directory are private."""
    places = [*directory.glob("s*"), directory, *directory.parents]
    if os.geteuid() != 0 or all(place.stat().st_mode & 0o001 for place in places):
        return directory
    copy = Path(tempfile.mkdtemp(prefix="muster-bin."))
    atexit.register(shutil.rmtree, copy)
    copy.chmod(0o755)
    shutil.copytree(directory, copy / "bin", symlinks=True)
    for place in [copy / "bin", *(copy / "bin").iterdir()]:
        if not place.is_symlink():
            place.chmod(0o755)
    return copy / "bin"


BIN = within_reach(Path(os.environ.get("MUSTER_BIN") or Path(__file__).resolve().parents[2] / "build/release/bin"))
SBIN = Path(os.environ.get("MUSTER_SBIN", BIN))
LIMIT = float(os.environ.get("MUSTER_TEST_LIMIT", "60"))  # seconds that a wait may take
ENDED = (
    "COMPLETED FAILED CANCELLED TIMEOUT OUT_OF_MEMORY NODE_FAIL PREEMPTED DEADLINE BOOT_FAIL".split()
)
IS_ROOT = os.geteuid() == 0
USER = pwd.getpwuid(os.geteuid()).pw_name


def is_reference():
    """Whether the programs under test are Slurm's."""
    version = subprocess.run([BIN / "sbatch", "-V"], capture_output=True, text=True).stdout
    return "Muster" not in version


@dataclass
class Done:
    """A command that has ended."""

    args: tuple
    code: int
    out: str
    err: str

    @property
    def lines(self):
        return self.out.splitlines()

    def ok(self):
        assert self.code == 0, f"{' '.join(map(str, self.args))} ended {self.code}: {self.err or self.out}"
        return self


class Command(subprocess.Popen):
    """A command that keeps running. With Popen's own communicate(), what readline() has read ahead is lost."""

    def communicate(self, input=None, timeout=None):
        assert input is None
        texts = {}

        def read(name):
            texts[name] = getattr(self, name).read()

        readers = [threading.Thread(target=read, args=[name], daemon=True)
                   for name in ("stdout", "stderr") if getattr(self, name)]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():  # somebody else has the pipe open
                raise subprocess.TimeoutExpired(self.args, timeout)
        return texts.get("stdout"), texts.get("stderr")


def wait_for(predicate, what="the condition", limit=None, every=0.05):
    """The first true value of predicate(); an AssertionError naming `what` when the limit passes."""
    deadline = time.monotonic() + (limit or LIMIT)
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() > deadline:
            seen = what() if callable(what) else what
            raise AssertionError(f"waited {limit or LIMIT:g} s for {seen}")
        time.sleep(every)


def write_program(path, body="true"):
    """A script that bash runs; a daemon that starts it meanwhile finds the old or the new one."""
    new = path.with_name(path.name + ".new")
    new.write_text(f"#!/bin/bash\n{body}\n")
    new.chmod(0o755)
    new.rename(path)


def _processes():
    """Id, parent and command line of each."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            yield int(entry.name), parent, (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue


def is_alive(pid):
    """False for a zombie, unless threads of it are still on their way out with its files and locks."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        threads = len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z" or threads > 1


class Ports:
    """A block of free ports below the ephemeral range, ours until the process ends."""

    SIZE = 40

    def __init__(self):
        directory = Path(tempfile.gettempdir()) / f"muster-ports.{os.geteuid()}"
        directory.mkdir(exist_ok=True)
        blocks = list(range(12000, 29000, self.SIZE))
        random.shuffle(blocks)
        for base in blocks:
            self.lock = open(directory / str(base), "w")
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.lock.close()
                continue
            if all(self._free(base + i) for i in range(self.SIZE)):
                self.base = base
                return
            self.lock.close()
        raise AssertionError("no block of free ports")

    @staticmethod
    def _free(port):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("0.0.0.0", port))
            except OSError:
                return False
        return True

    def release(self):
        self.lock.close()


def _munge_answers(*options):
    return subprocess.run(["munge", "-n", *options], capture_output=True).returncode == 0


@dataclass
class Munge:
    """The system's munged where it answers; else root starts it, and a user starts one of his own."""

    directory: Path
    conf: str = ""  # the AuthInfo line that a separate munged needs
    process: subprocess.Popen = None

    def start(self):
        if _munge_answers():
            return
        if IS_ROOT:
            self._start_system()
        else:
            self._start_own()

    def _start_system(self):
        with open(f"{tempfile.gettempdir()}/muster-munge.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in parallel; one of them starts it
            if _munge_answers():
                return
            key, run = Path("/etc/munge/munge.key"), Path("/run/munge")
            if not key.exists():
                key.write_bytes(os.urandom(1024))
            shutil.chown(key, "munge", "munge")
            key.chmod(0o400)
            run.mkdir(mode=0o755, exist_ok=True)
            run.chmod(0o755)
            shutil.chown(run, "munge", "munge")
            subprocess.run(["runuser", "-u", "munge", "--", "/usr/sbin/munged", "--force"], check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_for(_munge_answers, "munged to answer")

    def _start_own(self):
        place = self.directory / "munge"
        place.mkdir(mode=0o700)
        key, sock = place / "key", place / "socket"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.process = subprocess.Popen(
            ["/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}", f"--socket={sock}",
             f"--pid-file={place}/pid", f"--log-file={place}/log", f"--seed-file={place}/seed"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: _munge_answers(f"--socket={sock}"), "munged to answer")
        self.conf = f"AuthInfo=socket={sock}"

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


PARTITIONS = """\
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=standard Nodes=ALL MaxTime=INFINITE State=UP
PartitionName=short Nodes=ALL MaxTime=10 State=UP
"""


@dataclass
class Cluster:
    """slurmctld and slurmd n1, n2, ... on this machine."""

    nodes: int = 4
    cpus: int = 8
    threads: int = 1  # of each core
    sockets: int = 1  # of each node
    memory: int = 16000
    gpus: int = 4
    gpu_type: str = "v100"
    conf: str = ""  # lines of slurm.conf; a key here replaces the one of the same name below
    partitions: str = PARTITIONS
    cgroup: str = "CgroupPlugin=cgroup/v1\n"  # cgroup.conf
    gres: str = ""  # gres.conf, in place of consoles as GPUs
    variables: dict = field(default_factory=dict)  # of the daemons and commands
    accounting: bool = True
    parent: str = "/tmp"  # of its directory
    directory: Path = field(default=None)

    def __post_init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="muster.", dir=self.parent))
        self.directory.chmod(0o755)
        for name in "etc state spool log run work".split():
            (self.directory / name).mkdir()
        (self.directory / "work").chmod(0o777)
        self.work = self.directory / "work"
        self.ports = Ports()
        self.munge = Munge(self.directory)
        self.has_accounting = self.accounting and not is_reference()  # with Slurm it needs a database server
        self.config_file = self.directory / "etc/slurm.conf"
        self.environment = {k: v for k, v in os.environ.items()
                            if not re.match(r"(SLURM|SBATCH|SALLOC|SQUEUE|SINFO|SACCT|SCANCEL)", k)}
        self.environment |= {"SLURM_CONF": str(self.config_file), **self.variables}
        self.environment["PATH"] = os.pathsep.join([str(BIN), str(SBIN), os.environ["PATH"]])

    # --- start and end ---
    def up(self):
        try:
            self.munge.start()
            self.write_config()
            self.start_controller()
            for node in self.node_names:
                self.start_node(node)
            self.wait_nodes("idle")
        except BaseException:
            self.print_logs()
            self.down()
            raise
        return self

    def prepare(self):
        """Starts what slurmctld needs besides munge."""

    def down(self):
        if self.controller_pid and is_alive(self.controller_pid):
            try:
                self.cancel_all(limit=20)
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                print(f"cluster: jobs were left at the end: {failure}")
        for file in [*self.directory.glob("run/slurmd.*.pid"), self.directory / "run/slurmctld.pid"]:
            self._stop(file, signal.SIGTERM)
        self._kill_leftovers()
        self.munge.stop()
        self.ports.release()
        if not os.environ.get("MUSTER_TEST_KEEP"):
            shutil.rmtree(self.directory, ignore_errors=True)

    def _kill_leftovers(self):
        mark = str(self.directory)
        for process in Path("/proc").glob("[0-9]*"):
            if int(process.name) == os.getpid():
                continue
            try:
                places = [os.readlink(process / "cwd"), (process / "cmdline").read_bytes().decode(errors="replace")]
                places += [os.readlink(fd) for fd in (process / "fd").iterdir()]
            except OSError:
                continue
            if any(mark in place for place in places):
                try:
                    os.kill(int(process.name), signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def print_logs(self, lines=60):
        for log in sorted(self.directory.glob("log/*.log")):
            tail = log.read_text(errors="replace").splitlines()[-lines:]
            if tail:
                print(f"--- {log.name}", *tail, sep="\n")

    # --- configuration ---
    @property
    def node_names(self):
        return [f"n{i}" for i in range(1, self.nodes + 1)]

    def write_config(self):
        host, d, port = socket.gethostname().split(".")[0], self.directory, self.ports.base
        accounting = "" if self.has_accounting else "AccountingStorageType=accounting_storage/none"
        text = f"""\
ClusterName=e2e
SlurmctldHost={host}(127.0.0.1)
SlurmUser={USER}
SlurmdUser={USER}
AuthType=auth/munge
{self.munge.conf}
SlurmctldPort={port}
SlurmdPort={port + 1}
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool/%n
SlurmctldPidFile={d}/run/slurmctld.pid
SlurmdPidFile={d}/run/slurmd.%n.pid
SlurmctldLogFile={d}/log/slurmctld.log
SlurmdLogFile={d}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=2,sched_interval=5
ReturnToService=2
MpiDefault=none
GresTypes=gpu
{accounting}
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=5
MailProg=/bin/true
SlurmdParameters=config_overrides
MaxJobCount=1000000
MaxArraySize=100001
KillWait=3
NodeName=n[1-{self.nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port={port + 2}-{port + 1 + self.nodes} \
CPUs={self.cpus} Boards=1 SocketsPerBoard={self.sockets} CoresPerSocket={self.cpus // self.threads // self.sockets} \
ThreadsPerCore={self.threads} \
RealMemory={self.memory} Gres=gpu:{self.gpu_type}:{self.gpus} Feature=fast
"""
        for key in re.findall(r"^(\w+)=", self.conf, re.M):
            text = re.sub(rf"^{key}=.*\n", "", text, flags=re.M | re.I)
        self.config_file.write_text(text + self.partitions + self.conf + "\n")
        # Any device files can stand for GPUs: every machine has consoles, and nobody opens these.
        (d / "etc/gres.conf").write_text(self.gres or
            f"NodeName=n[1-{self.nodes}] Name=gpu Type=v100 File=/dev/tty[20-{19 + self.gpus}]\n")
        (d / "etc/cgroup.conf").write_text(self.cgroup)

    # --- daemons ---
    @property
    def controller_pid(self):
        return self._pid(self.directory / "run/slurmctld.pid")

    def node_pid(self, node):
        return self._pid(self.directory / f"run/slurmd.{node}.pid")

    @staticmethod
    def _pid(file):
        try:
            return int(file.read_text())
        except (OSError, ValueError):
            return None

    def supervisors(self, step):
        """The slurmstepds of "12.0" or "12.batch", below this cluster's slurmds: others run steps, too."""
        return self._supervisors_below(set(self.nurseries()) | self._slurmds(), step)

    def nurseries(self):
        """The slurmstepds that fork those of steps."""
        return self._supervisors_below(self._slurmds(), "nursery")

    def _slurmds(self):
        return {self.node_pid(node) for node in self.node_names}

    def _supervisors_below(self, parents, title):
        return [pid for pid, parent, line in _processes() if parent in parents and f"slurmstepd: [{title}]" in line]

    def start_controller(self, *options):
        self.run(SBIN / "slurmctld", *options, "-f", self.config_file).ok()
        wait_for(self.controller_is_up, "slurmctld to answer scontrol ping")

    def controller_is_up(self):
        return "is UP" in self.run("scontrol", "ping").out

    def stop_controller(self, sig=signal.SIGTERM):
        self._stop(self.directory / "run/slurmctld.pid", sig)

    def start_node(self, node):
        self.run(SBIN / "slurmd", "-N", node, "-f", self.config_file).ok()

    def stop_node(self, node, sig=signal.SIGTERM):
        self._stop(self.directory / f"run/slurmd.{node}.pid", sig)

    def _stop(self, file, sig):
        pid = self._pid(file)
        if not pid or not is_alive(pid):
            return
        os.kill(pid, sig)
        try:
            wait_for(lambda: not is_alive(pid), f"{file.stem} to end", limit=20)
        except AssertionError:
            os.kill(pid, signal.SIGKILL)
            raise

    def wait_nodes(self, state):
        def all_there():
            rows = self.run("sinfo", "-h", "-N", "-o", "%N %T").lines
            return len({r for r in rows if r.split()[1:] == [state]}) == self.nodes

        wait_for(all_there, lambda: f"all nodes {state}: " + self.run("sinfo", "-N").out)

    # --- commands ---
    def run(self, *args, user=None, env=None, input=None, limit=None, cwd=None):
        """Runs a command in the work directory, as another user if one is given."""
        command = [str(a) for a in args]
        environment = self.environment | (env or {})
        if user:
            environment |= {"HOME": pwd.getpwnam(user).pw_dir, "USER": user, "LOGNAME": user}
            command = ["runuser", "-u", user, "--", *command]
        program = shutil.which(command[0], path=environment["PATH"])
        assert program, f"{command[0]} is not in {BIN}"
        done = subprocess.run([program, *command[1:]], env=environment, cwd=cwd or self.work,
                              input=input, stdin=None if input is not None else subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=limit or LIMIT)
        return Done(args, done.returncode, done.stdout, done.stderr)

    def start(self, *args, env=None):
        """A command that keeps running; the caller waits for it."""
        program = shutil.which(str(args[0]), path=self.environment["PATH"])
        return Command([program, *map(str, args[1:])], env=self.environment | (env or {}), cwd=self.work,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def sbatch(self, *args, memory="100", **options):
        """Submits; a small --mem so that jobs share nodes. Returns the id as text."""
        wanted = [f"--mem={memory}"] if memory and not any("--mem" in str(a) for a in args) else []
        return self.run("sbatch", "--parsable", *wanted, *args, **options).ok().out.strip()

    def script(self, name, body, interpreter="#!/bin/bash"):
        path = self.work / name
        path.write_text(f"{interpreter}\n{body}")
        path.chmod(0o755)
        return path

    # --- what jobs do ---
    def job(self, job):
        """scontrol's record as a dict; values with blanks are cut at the first one."""
        text = self.run("scontrol", "-o", "show", "job", job).out
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def state(self, job):
        return self.job(job).get("JobState", "")

    def reason(self, job):
        return self.run("squeue", "-h", "-j", job, "-o", "%r").out.strip()

    def wait_state(self, job, *states, limit=None):
        wait_for(lambda: self.state(job) in states,
                 lambda: f"job {job} to be {' or '.join(states)}: {self.state(job)} {self.job(job).get('Reason')}",
                 limit)
        return self.job(job)

    def wait_end(self, job, limit=None):
        return self.wait_state(job, *ENDED, limit=limit)

    def wait_reason(self, job, reason):
        wait_for(lambda: re.fullmatch(reason, self.reason(job)),
                 lambda: f"job {job} to wait for {reason}: {self.reason(job)}")

    def wait_text(self, path, pattern="."):
        """The content of a file of the work directory once the pattern is in it."""
        file = self.work / path

        def content():
            text = file.read_text() if file.exists() else ""
            return text if re.search(pattern, text) else ""

        return wait_for(content, f"{pattern!r} in {path}")

    def output(self, job, name="slurm-{}.out"):
        """Waits for the job's end and reads what it wrote."""
        self.wait_end(job)
        return (self.work / name.format(job)).read_text()

    def queue_is_empty(self):
        done = self.run("squeue", "-h", "-a", "-o", "%i")
        return done.code == 0 and not done.out.strip()

    def cancel_all(self, limit=None):
        ids = self.run("squeue", "-h", "-a", "-o", "%F").out.split()
        if ids:
            self.run("scancel", *sorted(set(ids)))
        wait_for(self.queue_is_empty, "an empty queue", limit)

    # --- accounting ---
    def sacct(self, *args):
        return self.run("sacct", "-n", "-P", *args).lines

    def wait_sacct(self, expected, *args):
        """Waits until sacct's rows match the regular expressions, one each."""
        def matches():
            rows = self.sacct(*args)
            return len(rows) == len(expected) and all(re.fullmatch(e, r) for e, r in zip(expected, rows))

        wait_for(matches, lambda: f"sacct rows {expected}, have {self.sacct(*args)}")
