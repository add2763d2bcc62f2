"""A cluster with a submit script, and helpers to change it."""
import muster

RULES = r'''
local modes = {}

function modes.refuse(job) slurm.log_user("no %s today", "jobs") return slurm.ERROR end
function modes.code(job) slurm.log_user("too long") return slurm.ESLURM_INVALID_TIME_LIMIT end
function modes.number(job) return tonumber(job.comment) end
function modes.greet(job) slurm.log_user("hello %s", job.user_name) slurm.log_user("welcome") end
function modes.limit(job)
  if job.time_limit == slurm.NO_VAL then job.time_limit = 7 end
  return slurm.SUCCESS
end
function modes.fields(job)
  job.comment, job.admin_comment, job.priority, job.nice = "by the site", "seen", 77, slurm.NICE_OFFSET + 5
  job.min_mem_per_node, job.mail_type = 123, slurm.MAIL_JOB_END + slurm.MAIL_JOB_FAIL
  job.features, job.name = "fast", "renamed"
end
function modes.environment(job) job.environment["FROM_SITE"] = job.environment["FROM_USER"] .. "!" end
function modes.unknown(job) job.nonsense = 1 end
function modes.count(job) slurm.log_user("one call for %s", tostring(job.array_inx)) end
function modes.script(job)
  slurm.log_user("%d arguments, first %s", job.argc, job.argv and job.argv[1] or "none")
  if job.script:find("forbidden") then return slurm.ERROR end
end
function modes.old(job)
  local all = {unpack({1, 2, 3})}
  slurm.log_user("%d %d %s", table.getn(all), 7 / 2, loadstring("return 'old'")())
end
function modes.module(job) slurm.log_user(require("site_rules").text) end
function modes.unset(job)
  slurm.log_user("%s %s %s %s %s", tostring(job.partition), tostring(job.account), tostring(job.num_tasks == slurm.NO_VAL),
                 tostring(job.pn_min_memory == slurm.NO_VAL64), tostring(job.cpus_per_task == slurm.NO_VAL16))
end
function modes.parts(job, parts)
  slurm.log_user("%d %d %s", parts.batch.flag_default, parts.short.max_time, parts.closed.allow_accounts)
end

function slurm_job_submit(job, parts, uid)
  if job.partition == nil and (job.tres_per_node or job.tres_per_job or ""):find("gpu") then
    job.partition = "standard"
  end
  local mode = modes[job.comment] or (tonumber(job.comment or "") and modes.number)
  if mode then return mode(job, parts) or slurm.SUCCESS end
  return slurm.SUCCESS
end

function slurm_job_modify(job, record, parts, uid)
  if job.comment == "never" then return slurm.ESLURM_ACCESS_DENIED end
  if job.comment == "shorter" then job.time_limit = record.time_limit - 1 end
  if job.time_limit ~= slurm.NO_VAL and job.time_limit > 500 then job.time_limit = 500 end
  return slurm.SUCCESS
end
return slurm.SUCCESS
'''

PARTITIONS = muster.PARTITIONS + "PartitionName=closed Nodes=ALL AllowAccounts=staff\n"


class Cluster(muster.Cluster):
    """Its slurmctld finds job_submit.lua beside slurm.conf at its first start."""

    def __post_init__(self):
        super().__post_init__()
        self.write_lua(RULES)
        (self.directory / "etc/site_rules.lua").write_text('return {text = "from a module"}\n')

    @property
    def lua(self):
        return self.directory / "etc/job_submit.lua"

    def write_lua(self, text):
        new = self.lua.with_suffix(".new")
        new.write_text(text)
        new.rename(self.lua)

    def log(self):
        return (self.directory / "log/slurmctld.log").read_text()

    def hooks(self):
        """The helper processes of this cluster's slurmctld."""
        found = []
        for pid, parent, line in muster._processes():
            if parent == self.controller_pid and "slurmctld-hooks" in line:
                found.append(pid)
        return found


def hold(cluster, *args, **options):
    """A submission that stays in the queue."""
    return cluster.run("sbatch", "-H", "--mem=100", *args, "--wrap", "true", **options)


def said(done):
    """What a command printed for its user, without its name."""
    return [line.split(": ", 1)[1] for line in done.err.splitlines()]


