#include "wire/brief.h"

namespace muster::wire {

JobSpec brief_of(const JobSpec& spec) {
  JobSpec brief = spec;
  for (Text JobSpec::* text :
       {&JobSpec::comment, &JobSpec::admin_comment, &JobSpec::mail_user, &JobSpec::work_dir,
        &JobSpec::std_in, &JobSpec::std_out, &JobSpec::std_err, &JobSpec::command,
        &JobSpec::submit_line, &JobSpec::submit_host, &JobSpec::script_blob,
        &JobSpec::environment_blob})
    brief.*text = {};
  brief.script_args = {};
  return brief;
}

Job brief_of(const Job& job) {
  Job brief;
  brief.id = job.id;
  brief.spec = job.spec;
  brief.array_id = job.array_id;
  brief.task_id = job.task_id;
  brief.waiting_tasks = job.waiting_tasks;
  brief.task_limit = job.task_limit;
  brief.het_id = job.het_id;
  brief.het_offset = job.het_offset;
  brief.het_size = job.het_size;
  brief.state = job.state;
  brief.hold = job.hold;
  brief.ending = job.ending;
  brief.attempt = job.attempt;
  brief.restarts = job.restarts;
  brief.priority = job.priority;
  brief.partition = job.partition;
  brief.account = job.account;
  brief.qos = job.qos;
  brief.time_limit = job.time_limit;
  brief.submitted = job.submitted;
  brief.eligible = job.eligible;
  brief.started = job.started;
  brief.ended = job.ended;
  brief.suspended_at = job.suspended_at;
  brief.suspended_total = job.suspended_total;
  for (const NodeShare& share : job.allocation)
    brief.allocation.push_back({.node = share.node, .cpus = share.cpus});
  brief.unfinished = job.unfinished;
  brief.preparing = job.preparing;
  brief.exit_status = job.exit_status;
  brief.derived_exit_status = job.derived_exit_status;
  brief.end_reason = job.end_reason;
  brief.preemption = job.preemption;
  brief.awaits_turn = job.awaits_turn;
  brief.array_exits = job.array_exits;
  brief.reservation = job.reservation;
  brief.accrues_since = job.accrues_since;
  return brief;
}

}  // namespace muster::wire
