// Reduces a job to what squeue prints by default.
#include "wire/brief.h"

namespace muster::wire {

namespace {

JobOwn brief_of(const JobOwn& own) {
  return {.name = own.name,
          .array = own.array,
          .submit_sid = own.submit_sid,
          .begin = own.begin,
          .dependency = own.dependency};
}

Run brief_of(const Run& run) {
  Run brief{.started = run.started,
            .ended = run.ended,
            .reservation = run.reservation,
            .unfinished = run.unfinished,
            .preparing = run.preparing,
            .suspended_at = run.suspended_at,
            .suspended_total = run.suspended_total,
            .awaits_turn = run.awaits_turn,
            .preemption = run.preemption,
            .ending = run.ending,
            .exit_status = run.exit_status,
            .derived_exit_status = run.derived_exit_status,
            .resized = run.resized};
  for (const NodeShare& share : run.allocation)
    brief.allocation.push_back({.node = share.node, .cpus = share.cpus});
  return brief;
}

}  // namespace

JobSpec brief_of(const JobSpec& spec) {
  JobSpec brief = spec;
  brief.admin_comment = brief.mail_user = brief.submit_host = {};
  return brief;
}

Job brief_of(const Job& job) {
  Job brief{.id = job.id, .attempt = job.attempt, .spec = job.spec, .own = brief_of(job.own)};
  brief.array_id = job.array_id;
  brief.task_id = job.task_id;
  brief.task_limit = job.task_limit;
  brief.het_id = job.het_id;
  brief.het_offset = job.het_offset;
  brief.het_size = job.het_size;
  brief.waiting_tasks = job.waiting_tasks;
  if (!job.array.is_default()) brief.array.edit().exits = job.array->exits;
  brief.state = job.state;
  brief.hold = job.hold;
  brief.priority = job.priority;
  if (!job.run.is_default()) brief.run = brief_of(*job.run);
  brief.partition = job.partition;
  brief.time_limit = job.time_limit;
  brief.end_reason = job.end_reason;
  brief.account = job.account;
  brief.qos = job.qos;
  brief.submitted = job.submitted;
  brief.eligible = job.eligible;
  brief.accrues_since = job.accrues_since;
  brief.restarts = job.restarts;
  return brief;
}

}  // namespace muster::wire
