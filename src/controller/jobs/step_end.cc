// Records ends of steps, and orders nodes to end steps.
#include "controller/jobs/step_end.h"

#include <csignal>

#include "controller/effects/launch.h"
#include "controller/jobs/ending.h"
#include "controller/jobs/programs.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

void on_step_end(Ledger& ledger, NodeLinks& links, NodeId node, const wire::StepEnd& end) {
  const Time now = ledger.now();
  if (end.unkillable) drain_node(ledger, node, "Kill task failed");
  if (!end.node_fault.empty()) drain_node(ledger, node, end.node_fault.view());
  const Job* job = ledger.cluster().jobs.find(end.ref.job);
  bool current = job && job->attempt == end.ref.attempt && job->run->unfinished.contains(node);
  links.note_step_end(node, end.ref);
  if (current && end.prolog_failed) {
    on_prolog_failed(ledger, node, end.ref.job, end.ref.attempt);
    job = ledger.cluster().jobs.find(end.ref.job);
  } else if (current && !end.node_fault.empty() && end.ref.step == kBatchStep &&
             !job->run->ending) {
    try_elsewhere(ledger, job->id);
    job = ledger.cluster().jobs.find(end.ref.job);
  } else if (current && end.not_begun && end.ref.step == kBatchStep && !job->run->ending) {
    requeue_held(ledger, job->id, JobState::cancelled, may_requeue(ledger.cluster(), *job));
    job = ledger.cluster().jobs.find(end.ref.job);
  }
  if (current && job->run->steps.contains(end.ref.step) &&
      job->run->steps.at(end.ref.step).unfinished.contains(node)) {
    JobId id = job->id;
    ledger.record(StepNodeEnded{.job = id,
                                .attempt = end.ref.attempt,
                                .step = end.ref.step,
                                .node = node,
                                .exit_status = end.exit_status,
                                .out_of_memory = end.out_of_memory,
                                .usage = end.usage,
                                .at = now});
    links.launches().forget_if_over(ledger.cluster(), id, end.ref.step);
    if (end.launch_failed)
      ledger.log_error("job " + std::to_string(id.value) + ": launch failed: " + end.failure.str());
    advance_ending(ledger, id);
  }
  // A report about an earlier attempt is ignored, but the node may forget the step.
  ledger.order(node, wire::ConfirmOrder{.steps = {end.ref}});
}

void on_job_gone(Ledger& ledger, NodeLinks& links, NodeId node, const wire::JobGoneReport& report) {
  const JobId id = report.job;
  links.note_job_gone(node, id, report.attempt);
  if (report.epilog_failed) drain_node(ledger, node, "Epilog error");
  const Job* job = ledger.cluster().jobs.find(id);
  if (!job || job->attempt != report.attempt || !job->run->unfinished.contains(node)) return;
  drop_from_node(ledger, links.launches(), id, node, SIGTERM);
  release_node(ledger, id, node);
  advance_ending(ledger, id);
}

void enforce_step_limits(Ledger& ledger) {
  const Time now = ledger.now();
  for (std::uint32_t id : ledger.cluster().active.ids()) {
    const Job& job = ledger.job(JobId{id});
    if (job.state != JobState::running || job.run->ending) continue;
    for (const auto& [step_id, step] : job.run->steps) {
      if (step.time_limit.count() == 0 || is_ended(step.state)) continue;
      if (now < step.started + step.time_limit) continue;
      end_step(ledger, job, step, ledger.settings().kill_wait, " DUE TO TIME LIMIT");
    }
  }
}

void end_step(Ledger& ledger, const Job& job, const Step& step, Seconds kill_wait,
              std::string_view message_suffix, bool from_inside) {
  auto end_part = [&](const Job& owner, const Step& part) {
    for (NodeId node : part.unfinished)
      ledger.order(node, wire::EndStepOrder{.ref = {owner.id, owner.attempt, part.id},
                                            .kill_wait = kill_wait,
                                            .announce = true,
                                            .message_suffix = message_suffix,
                                            .delay = from_inside ? kTimeToHear : Millis{0}});
  };
  if (!step.het.is_part()) return end_part(job, step);
  for (const Job* component : ledger.cluster().components(job))
    if (auto part = component->run->steps.find(step.id); part != component->run->steps.end())
      end_part(*component, part->second);
}

Result<void> cancel_queued_step(Ledger& ledger, const Job& job, StepId step) {
  if (!job.run->queued_steps.contains(step)) return fail(ErrorCode::invalid_step);
  const JobId id = job.id;
  ledger.record(StepDequeued{.job = id, .step = step});
  return {};
}

}  // namespace muster::controller
