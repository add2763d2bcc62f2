"""Hosts that share nothing but a home directory, on one machine.

Each Host has namespaces of its own for network, mounts, name and processes, with a /tmp, a /run, a
munged and a slurm.conf that no other host sees; its one link leads to a switch. A Site is a login host,
a controller and nodes. A link is cut at the switch: both ends keep their carrier and packets go nowhere,
as with a broken switch or a firewall. A host without power loses all its processes at once.
"""
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import muster
from muster import BIN, Done, wait_for

HOME = "/var/tmp"  # where the directory that all hosts see is made: /tmp is each host's own
CONF = "/run/slurm.conf"
# Processes of a test that is killed end with it.
UNSHARE = ["setpriv", "--pdeathsig", "KILL", "unshare", "--kill-child"]

BOOT = """\
set -e
hostname {name}
ip link set lo up
mount --bind {bin} {shared}/bin
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /run
mount --bind {shared}/hosts /etc/hosts
mkdir /run/munge /tmp/state /tmp/spool
mount -t tmpfs -o size={state_mib}m tmpfs /tmp/state
cp {shared}/munge.key /run/munge/key
cp {shared}/*.conf /run/
chmod 400 /run/munge/key
munged --force --key-file=/run/munge/key --pid-file=/run/munge/pid --log-file=/run/munge/log \
  --seed-file=/run/munge/seed
touch {shared}/booted.{name}
sleep infinity & wait  # the shell reaps orphans of daemons
"""


def are_possible():
    """Whether this machine allows namespaces and links."""
    if not muster.IS_ROOT or not shutil.which("ip"):
        return False
    trial = "ip link add br0 type bridge && ip link add port type veth peer name eth0 && mount -t tmpfs tmpfs /tmp"
    return subprocess.run(["unshare", "-n", "-m", "-u", "-p", "--fork", "--mount-proc", "sh", "-c", trial],
                          capture_output=True).returncode == 0


def _child_of(pid):
    """The first process in the namespaces that unshare made."""
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return int(wait_for(lambda: path.read_text().split(), "unshare to fork")[0])


class Host:
    def __init__(self, site, name, address):
        self.site, self.name, self.address = site, name, address
        self.keeper = self.init = None

    def power_on(self):
        shared = self.site.shared
        (shared / f"booted.{self.name}").unlink(missing_ok=True)
        boot = BOOT.format(name=self.name, shared=shared, bin=BIN, state_mib=self.site.state_mib)
        self.keeper = subprocess.Popen(
            [*UNSHARE, "-n", "-m", "-u", "-p", "--fork", "--mount-proc", "--propagation", "private", "bash", "-c", boot],
            stdin=subprocess.DEVNULL, stdout=self.site.log, stderr=self.site.log)
        self.init = _child_of(self.keeper.pid)
        self.site.plug_in(self)
        wait_for((shared / f"booted.{self.name}").exists, f"{self.name} to boot")

    def power_off(self):
        """Like pulling the plug: its processes end, its memory and disks are gone."""
        if self.keeper:
            os.kill(self.init, signal.SIGKILL)
            self.keeper.wait()
            self.keeper = None

    def cut(self):
        self.site.at_switch("ip", "link", "set", f"port-{self.name}", "nomaster")

    def join(self):
        self.site.at_switch("ip", "link", "set", f"port-{self.name}", "master", "switch")

    def _inside(self, args, user):
        command = [str(a) for a in args]
        if user:
            command = ["runuser", "-u", user, "--", *command]
        return ["nsenter", "-t", str(self.init), "-n", "-m", "-u", "-p", f"--wd={self.site.home}", *command]

    def _environment(self, user, env=None):
        home = {"HOME": str(self.site.home), "USER": user or "root", "LOGNAME": user or "root"}
        return {**self.site.environment, **home, **(env or {})}

    def run(self, *args, user=None, limit=None, env=None):
        done = subprocess.run(self._inside(args, user), env=self._environment(user, env), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=limit or muster.LIMIT)
        return Done(args, done.returncode, done.stdout, done.stderr)

    def start(self, *args, user=None):
        """A command that keeps running; the caller waits for it."""
        return muster.Command(self._inside(args, user), env=self._environment(user), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def start_controller(self):
        self.run("slurmctld", "-f", CONF).ok()

    def start_slurmd(self):
        self.run("slurmd", "-N", self.name, "-f", CONF).ok()


class Site:
    """login, ctl and nodes n1, n2, ...; commands run on the login host."""

    def __init__(self, nodes=3, conf="", cgroup="", state_mib=256):
        self.node_names = [f"n{i}" for i in range(1, nodes + 1)]
        self.state_mib = state_mib  # the size of the controller's disk
        self.shared = Path(tempfile.mkdtemp(prefix="muster-hosts.", dir=HOME))
        self.shared.chmod(0o755)
        self.home = self.shared / "home"
        for place in "home log bin".split():
            (self.shared / place).mkdir()
        self.home.chmod(0o777)
        self.log = open(self.shared / "log/hosts.log", "w")
        self.environment = {"PATH": f"{self.shared}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SLURM_CONF": CONF}
        names = ["login", "ctl", *self.node_names]
        self.hosts = {name: Host(self, name, f"10.77.0.{i}") for i, name in enumerate(names, 1)}
        self.login, self.ctl = self.hosts["login"], self.hosts["ctl"]
        self.switch = None
        self._write_files(conf)
        (self.shared / "cgroup.conf").write_text(cgroup)

    def __getitem__(self, name):
        return self.hosts[name]

    def _write_files(self, conf):
        (self.shared / "munge.key").write_bytes(os.urandom(1024))
        (self.shared / "munge.key").chmod(0o400)
        (self.shared / "hosts").write_text(
            "127.0.0.1 localhost\n" + "".join(f"{h.address} {h.name}\n" for h in self.hosts.values()))
        text = f"""\
ClusterName=hosts
SlurmctldHost=ctl
SlurmUser=root
AuthType=auth/munge
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation=/tmp/state
SlurmdSpoolDir=/tmp/spool
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile={self.shared}/log/slurmctld.log
SlurmdLogFile={self.shared}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=2,sched_interval=5
SlurmdParameters=config_overrides
ReturnToService=2
MailProg=/bin/true
KillWait=3
NodeName=n[1-{len(self.node_names)}] CPUs=8 RealMemory=8000
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
        for key in re.findall(r"^(\w+)=", conf, re.M):
            text = re.sub(rf"^{key}=.*\n", "", text, flags=re.M)
        (self.shared / "slurm.conf").write_text(text + conf)

    # --- start and end ---
    def up(self):
        try:
            self.switch = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "-n", "sleep", "infinity"])
            own = os.readlink("/proc/self/ns/net")
            wait_for(lambda: os.readlink(f"/proc/{self.switch.pid}/ns/net") != own, "the switch")
            self.at_switch("ip", "link", "add", "switch", "type", "bridge")
            self.at_switch("ip", "link", "set", "switch", "up")
            for host in self.hosts.values():
                host.power_on()
            self.ctl.start_controller()
            for name in self.node_names:
                self[name].start_slurmd()
            self.wait_nodes(self.node_names, "idle")
        except BaseException:
            self.print_logs()
            self.down()
            raise
        return self

    def down(self):
        for host in self.hosts.values():
            host.power_off()
        if self.switch:
            self.switch.kill()
            self.switch.wait()
        self.log.close()
        if not os.environ.get("MUSTER_TEST_KEEP"):
            shutil.rmtree(self.shared, ignore_errors=True)

    def at_switch(self, *command):
        subprocess.run(["nsenter", "-t", str(self.switch.pid), "-n", *command], check=True)

    def plug_in(self, host):
        port = f"port-{host.name}"
        self.at_switch("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(host.init))
        self.at_switch("ip", "link", "set", port, "master", "switch", "up")
        for command in (["addr", "add", f"{host.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"]):
            subprocess.run(["nsenter", "-t", str(host.init), "-n", "ip", *command], check=True)

    def print_logs(self, lines=60):
        for log in sorted(self.shared.glob("log/*.log")):
            tail = log.read_text(errors="replace").splitlines()[-lines:]
            if tail:
                print(f"--- {log.name}", *tail, sep="\n")

    # --- what users see on the login host ---
    def run(self, *args, **options):
        return self.login.run(*args, **options)

    def sbatch(self, *args, **options):
        return self.run("sbatch", "--parsable", "--mem=100", *args, **options).ok().out.strip()

    def job(self, job):
        text = self.run("scontrol", "-o", "show", "job", job).out
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def state(self, job):
        return self.job(job).get("JobState", "")

    def wait_state(self, job, *states):
        wait_for(lambda: self.state(job) in states, lambda: f"job {job} to be {states}: {self.job(job)}", every=0.1)
        return self.job(job)

    def node_states(self):
        rows = self.run("sinfo", "-h", "-N", "-o", "%N %T").lines
        return dict(row.split() for row in rows)

    def wait_nodes(self, names, *states):
        def there():
            seen = self.node_states()
            return all(seen.get(name) in states for name in names)

        wait_for(there, lambda: f"{names} to be {states}: " + self.run("sinfo", "-N").out, every=0.1)

    def wait_file(self, name, pattern=""):
        path = self.home / name
        wait_for(lambda: path.exists() and pattern in path.read_text(), f"{pattern!r} in {name}")
        return path.read_text()

    def queue_is_empty(self):
        done = self.run("squeue", "-h", "-a", "-o", "%i")
        return done.code == 0 and not done.out.strip()

    def give_home_to(self, user):
        os.chown(self.home, pwd.getpwnam(user).pw_uid, -1)
