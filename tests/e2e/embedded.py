"""The cluster of `muster up`, as tests use it: with a home directory of its own."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import muster
from muster import wait_for


class Embedded:
    """The commands with a home directory of their own, so that other clusters of this user are not affected."""

    def __init__(self, user=None):
        self.user = user
        self.home = Path(tempfile.mkdtemp(prefix="muster-home.", dir="/tmp"))
        self.environment = {"PATH": f"{muster.BIN}:/usr/bin:/bin", "HOME": str(self.home),
                            "XDG_STATE_HOME": str(self.home / "state")}
        if user:
            shutil.chown(self.home, user)
        self.base = self.home / "state/muster"

    def command(self, *args):
        return ["/usr/sbin/runuser", "-u", self.user, "--", *args] if self.user else list(args)

    def run(self, *args, **settings):
        return subprocess.run(self.command(*args), env={**self.environment, **settings}, cwd=self.home,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=muster.LIMIT)

    def up(self, *args):
        done = self.run("muster", "up", *args)
        assert done.returncode == 0, done.stderr + done.stdout
        conf = re.search(r"SLURM_CONF=(\S+)", done.stdout)  # named where /etc/slurm/slurm.conf exists
        if conf:
            self.environment["SLURM_CONF"] = conf[1]
        return done.stdout

    def submit(self, *args):
        done = self.run("sbatch", "--parsable", *args)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def queue(self):
        return self.run("squeue", "-h", "-o", "%i %T").stdout.splitlines()

    def wait_running(self, job):
        wait_for(lambda: f"{job} RUNNING" in self.queue(), lambda: f"job {job} to run: {self.queue()}")

    def processes(self, *names):
        """Process ids of programs that were started from this home: of all, or of those named."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environ, name = (process / "environ").read_bytes(), (process / "comm").read_text().strip()
            except OSError:
                continue
            if f"XDG_STATE_HOME={self.home}/state".encode() in environ.split(b"\0") and (not names or name in names):
                found.append(int(process.name))
        return found

    def remaining(self, limit=5):
        """What is there after `down`; a slurmstepd whose job is over may take a moment more."""
        try:
            wait_for(lambda: not self.processes(), limit=limit)
        except AssertionError:
            pass
        return self.processes()

    def crash(self):
        killed = self.processes("slurmctld", "slurmd")
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not any(map(muster.is_alive, killed)), "the daemons to be gone")
        return killed

    def end(self, failed=False):
        down = self.run("muster", "down", "--force")
        left = self.remaining()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        if failed:
            for log in sorted(self.base.glob("log/*.log")):
                print(f"--- {log.name}", log.read_text(errors="replace")[-4000:], sep="\n")
        shutil.rmtree(self.home, ignore_errors=True)
        assert down.returncode == 0, down.stderr
        assert not left, "processes were left behind"
