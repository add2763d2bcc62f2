"""What goes wrong in a soak: daemons that are killed, links that are cut, a full disk."""
import threading
from collections import Counter

from muster import wait_for


class Misfortune(threading.Thread):
    """One fault at a time, about a second apart; each is repaired before the next."""

    def __init__(self, ledger, dice, stop):
        super().__init__(daemon=True)
        self.ledger, self.site, self.dice, self.stop = ledger, ledger.site, dice, stop
        self.happened = Counter()

    def run(self):
        events = [self.kill_slurmctld, self.kill_slurmctld, self.kill_slurmd, self.kill_slurmd, self.kill_slurmstepd,
                  self.cut_link, self.cut_link, self.fill_disk]
        try:
            while not self.stop.wait(self.dice.uniform(0.3, 2)):
                event = self.dice.choice(events)
                event()
                self.happened[event.__name__] += 1
        except Exception as failure:
            print(f"soak: misfortune failed: {failure!r}", flush=True)
            self.stop.set()
            raise

    def summary(self):
        return ", ".join(f"{n} {what}" for what, n in sorted(self.happened.items()))

    def kill_slurmctld(self):
        self._kill(self.site.ctl, "/run/slurmctld.pid")
        self.stop.wait(self.dice.uniform(0, 1))
        self.site.ctl.start_controller()

    def kill_slurmd(self):
        node = self._some_node()
        self._kill(node, "/run/slurmd.pid")
        self.stop.wait(self.dice.uniform(0, 1))
        node.start_slurmd()

    def kill_slurmstepd(self):
        """Of a step, not the nursery that forks them."""
        node = self._some_node()
        for line in node.run("ps", "-eo", "pid,args").lines:
            pid, _, title = line.strip().partition(" ")
            job = title.partition("slurmstepd: [")[2].partition("]")[0].partition(".")[0]
            if not job.isdigit():
                continue
            self._disturb(job)
            node.run("kill", "-9", pid)
            return

    def cut_link(self):
        host = self.dice.choice([*self.site.node_names, "ctl", "login"])
        self.site[host].cut()
        self.stop.wait(self.dice.uniform(0.2, 3))
        self.site[host].join()

    def fill_disk(self):
        free = self.site.ctl.run("df", "--output=avail", "-m", "/tmp/state").ok().out.split()[-1]
        assert int(free) > 100, "the controller's own files fill its disk: STATE_MIB is too small for this soak"
        self.site.ctl.run("sh", "-c", "head -c 2G /dev/zero > /tmp/state/filler")
        self.stop.wait(self.dice.uniform(0.5, 2))
        self.site.ctl.run("rm", "-f", "/tmp/state/filler").ok()

    def _some_node(self):
        return self.site[self.dice.choice(self.site.node_names)]

    def _kill(self, host, pid_file):
        host.run("sh", "-c", f"kill -9 $(cat {pid_file})").ok()
        wait_for(lambda: host.run("sh", "-c", f"kill -0 $(cat {pid_file})").code != 0, "the end of what was killed")

    def _disturb(self, job):
        """Tasks of arrays have ids of their own: selects all that may belong to the array."""
        submission = self.ledger.of_job(job)
        for meant in [submission] if submission else [s for s in self.ledger.submissions[-100:] if s.tasks]:
            meant.disturbed.add("its slurmstepd was killed")
