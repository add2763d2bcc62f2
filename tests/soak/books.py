"""The end of a soak: compares accounting with what jobs wrote, and looks for leftovers."""
import time
from collections import Counter
from pathlib import Path

from muster import wait_for

GROWTH_MIB_PER_10000 = 32
GROWTH_JOBS_THAT_TELL = 2000  # with fewer, memory kept by the allocator hides leaks


class Footprint:
    """Memory and descriptors of the daemons when nothing runs."""

    def __init__(self, site):
        self.descriptors, self.memory_kib = {}, {}
        for name in ["ctl", *site.node_names]:
            daemon = "slurmctld" if name == "ctl" else "slurmd"
            text = site[name].run("sh", "-c", f"p=$(cat /run/{daemon}.pid); ls /proc/$p/fd | wc -l; "
                                              "grep VmRSS /proc/$p/status").ok().out.split()
            self.descriptors[name], self.memory_kib[name] = int(text[0]), int(text[2])


def audit(ledger, idle, growth_jobs):
    site = ledger.site
    for host in site.hosts.values():
        host.join()
    for state, remedy in ("PD", "release"), ("S", "resume"):
        for job in set(site.run("squeue", "-h", "-a", "-t", state, "-o", "%F").out.split()):
            site.run("scontrol", remedy, job)
    wait_for(site.queue_is_empty, lambda: "all jobs to end:\n" + site.run("squeue", "-a").out, limit=300, every=0.5)
    site.wait_nodes(site.node_names, "idle")
    problems = [*lost_or_doubled(ledger), *left_over(site)]
    problems += growth(site, idle, growth_jobs)
    return problems


def rows_of(site):
    """name -> [(job id, state, exit code, nodes)] of allocations, and how each job's steps ended."""
    rows, steps = {}, Counter()
    since = "-S", "now-1day"
    for line in site.run("sacct", "-a", "-n", "-P", "-D", *since, "-o", "jobid,jobname,state,exitcode,nodelist").ok().lines:
        job, name, state, code, nodes = line.split("|")
        if "." in job:
            steps[job.split(".")[0], code] += 1
        else:
            rows.setdefault(name, []).append((job, state.split()[0], code, nodes))
    return rows, steps


def lost_or_doubled(ledger):
    rows, steps = rows_of(ledger.site)
    for submission in ledger.submissions:
        mine = rows.get(submission.name, [])
        if not submission.job and not mine:
            continue  # refused
        if not mine:
            yield f"{submission.name} (job {submission.job}) was acknowledged and has no row"
            continue
        if len({job.split("_")[0] for job, *_ in mine}) > 1:
            yield f"{submission.name} was submitted once and is {mine}"
        for task in range(submission.tasks) if submission.tasks else [None]:
            yield from check_run(ledger, submission, task, mine, steps)


def check_run(ledger, submission, task, mine, steps):
    suffix = "" if task is None else f".{task}"
    book = ledger.site.home / "ledger" / f"{submission.name}{suffix}"
    lines = [line.split() for line in book.read_text().splitlines()] if book.exists() else []
    starts = Counter(tuple(words[1:3]) for words in lines if words[0] == "start")
    for (job, restart), times in starts.items():
        if times > 1:
            yield f"{book.name}: job {job} ran its attempt {restart} {times} times: {lines}"
    if submission.disturbed:
        return
    task_rows = [row for row in mine if task is None or row[0].endswith(f"_{task}")]
    if not task_rows:
        yield f"{book.name}: undisturbed, and without a row: {mine}"
        return
    job, state, code, nodes = task_rows[-1]
    ends = [words for words in lines if words[0] == "end"]
    if len(starts) != 1 or len(ends) != 1:
        yield f"{book.name}: undisturbed, and wrote {lines}; accounting says {task_rows}"
        return
    expected = ("COMPLETED" if submission.code == 0 else "FAILED", f"{submission.code}:0")
    if (state, code) != expected or nodes != lines[0][3]:
        yield f"{book.name}: wrote {lines}, accounting says {task_rows}"
    for step in range(submission.steps):
        said = [words for words in lines if words[0] == "step" and words[2] == str(step)]
        if said and said[0][1] == str(step + 10) and not steps[job, f"{step + 10}:0"]:
            yield f"{book.name}: step {step} ended {said}, accounting does not know it"


def left_over(site):
    for name, host in site.hosts.items():
        deadline = time.monotonic() + 20
        while (found := strangers(host)) and time.monotonic() < deadline:
            time.sleep(0.5)
        for line in found:
            yield f"{name}: a process is left: {line}"
    for name in site.node_names:
        files = site[name].run("sh", "-c", "ls /tmp/spool/steps 2>/dev/null | grep -v unused; ls -d /tmp/spool/job* 2>/dev/null").out
        if files.strip():
            yield f"{name}: files are left in SlurmdSpoolDir: {files.split()[:10]}"
        groups = [str(place) for place in Path("/sys/fs/cgroup").glob(f"*/slurm_{name}/uid_*/job_*")]
        if groups:
            yield f"{name}: cgroups are left: {groups[:10]}"


def strangers(host):
    known = ("sleep infinity", "munged", "slurmctld", "slurmd ", "slurmstepd: [nursery]", "ps --no-headers", "defunct")
    lines = host.run("ps", "--no-headers", "-eo", "args").lines
    return [line for line in lines if not any(word in line + " " for word in known)]


def growth(site, idle, jobs):
    """For daemons that are not killed: growth per job."""
    def run_some():
        for _ in range(jobs // 100):
            site.run("sbatch", "--mem=10", "-o", "/dev/null", "--array=0-99", "--wrap", "true", limit=120).ok()
        wait_for(site.queue_is_empty, "the jobs of the measurement to end", limit=1200, every=0.5)
        wait_for(lambda: "JobId" not in site.run("scontrol", "show", "jobs").out, "the jobs to be purged", every=0.5)
        return Footprint(site)

    before, after = run_some(), run_some()
    for name, count in after.descriptors.items():
        grown = (after.memory_kib[name] - before.memory_kib[name]) / 1024 * 10_000 / jobs
        print(f"soak: {name}: {count} descriptors, {idle.descriptors[name]} at the start; "
              f"{after.memory_kib[name] / 1024:.1f} MiB, {grown:+.1f} MiB per 10,000 jobs")
        if count > idle.descriptors[name] + 5:
            yield f"{name}: {count} descriptors, {idle.descriptors[name]} when it was new"
        if grown > GROWTH_MIB_PER_10000 and jobs >= GROWTH_JOBS_THAT_TELL:
            yield f"{name}: grows by {grown:.0f} MiB per 10,000 jobs"
