"""What users do in a soak, and what is known about their jobs."""
import threading
from collections import Counter
from dataclasses import dataclass, field

SCRIPT = """\
#!/bin/bash
book={home}/ledger/$SLURM_JOB_NAME${{SLURM_ARRAY_TASK_ID:+.$SLURM_ARRAY_TASK_ID}}
echo "start $SLURM_JOB_ID ${{SLURM_RESTART_COUNT:-0}} $SLURM_JOB_NODELIST" >> $book
for ((i = 0; i < $1; ++i)); do
  srun sh -c "echo task >> $book.tasks; exit $((i + 10))"
  echo "step $? $i" >> $book
done
sleep $2
echo "end $SLURM_JOB_ID $3" >> $book
exit $3
"""


@dataclass
class Submission:
    name: str
    tasks: int  # of an array; 0 = no array
    code: int  # that the script exits with
    steps: int
    job: str = ""  # empty: sbatch did not say
    disturbed: set = field(default_factory=set)  # why it may end differently


class Ledger:
    """All submissions, and the directory where their jobs write."""

    def __init__(self, site):
        self.site = site
        self.lock = threading.Lock()  # guards everything below
        self.submissions = []
        self.commands = Counter()
        self.script = site.home / "job.sh"
        self.script.write_text(SCRIPT.format(home=site.home))
        (site.home / "ledger").mkdir(mode=0o777)

    def open(self, **what):
        with self.lock:
            submission = Submission(name=f"s{len(self.submissions)}", **what)
            self.submissions.append(submission)
            return submission

    def some(self, dice):
        """One of the latest acknowledged submissions."""
        with self.lock:
            known = [s for s in self.submissions[-60:] if s.job]
            return dice.choice(known) if known else None

    def of_job(self, job):
        with self.lock:
            return next((s for s in reversed(self.submissions) if s.job == job), None)

    def count(self, command, done):
        with self.lock:
            self.commands[command if done.code == 0 else f"{command} (refused)"] += 1

    def summary(self):
        return ", ".join(f"{n} {what}" for what, n in sorted(self.commands.items()))


class Worker(threading.Thread):
    def __init__(self, ledger, what, dice, stop):
        super().__init__(daemon=True)
        self.ledger, self.what, self.dice, self.stop = ledger, what, dice, stop

    def run(self):
        while not self.stop.is_set():
            try:
                self.what(self.ledger, self.dice)
            except Exception as failure:
                print(f"soak: {self.what.__name__}: {failure!r}", flush=True)
                self.stop.set()
                raise
            self.stop.wait(self.dice.uniform(0, 0.2))


def ask(ledger, *command):
    done = ledger.site.run(*command, limit=120)
    ledger.count(command[0] if command[0] != "scontrol" else f"scontrol {command[1]}", done)
    return done


def submit(ledger, dice):
    tasks = dice.choice([0, 0, 0, 3])
    submission = ledger.open(tasks=tasks, code=dice.choice([0, 0, 0, 1, 7]), steps=dice.choice([0, 0, 1, 2]))
    options = ["--parsable", "--mem=50", f"--job-name={submission.name}", "-o", "/dev/null", f"-N{dice.choice([1, 1, 2])}"]
    if tasks:
        options.append(f"--array=0-{tasks - 1}")
    if dice.random() < 0.5:
        options.append("--no-requeue")
    done = ask(ledger, "sbatch", *options, ledger.script, submission.steps, f"{dice.uniform(0, 1.5):.1f}", submission.code)
    if done.code == 0:
        submission.job = done.out.strip()


def run_directly(ledger, dice):
    ask(ledger, "srun", "--mem=50", f"-N{dice.choice([1, 2])}", "true")


def cancel(ledger, dice):
    submission = ledger.some(dice)
    if submission:
        submission.disturbed.add("cancelled")
        ask(ledger, "scancel", submission.job)


def change(ledger, dice):
    submission = ledger.some(dice)
    if not submission:
        return
    what = dice.choice(["hold", "release", "requeue", "update", "suspend"])
    submission.disturbed.add("changed")
    if what == "update":
        ask(ledger, "scontrol", "update", f"jobid={submission.job}", "nice=5", "timelimit=10")
    elif what == "suspend":
        ask(ledger, "scontrol", "suspend", submission.job)
        ask(ledger, "scontrol", "resume", submission.job)
    else:
        ask(ledger, "scontrol", what, submission.job)
    if what == "hold":
        ask(ledger, "scontrol", "release", submission.job)


def look(ledger, dice):
    for command in (["squeue"], ["sinfo", "-N"], ["squeue", "--json"], ["sacct", "-X"], ["scontrol", "show", "jobs"]):
        ask(ledger, *command)


EVERYBODY = [submit, submit, run_directly, cancel, change, look]
