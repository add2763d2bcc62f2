// What runs before an attempt, once for each: the Prolog, and the InitScript of its private
// directories.
#include <fmt/format.h>

#include "node/agent.h"

namespace muster {

void NodeAgent::on_found_prepared(AttemptRef attempt) {
  prologs_.emplace(attempt, Progress::succeeded);
}

void NodeAgent::on_order(const wire::PrepareOrder& order, Time) {
  const AttemptRef attempt{order.job, order.attempt};
  if (ending_.contains(attempt) || gone_.contains(attempt)) return;
  const Progress prolog = prepare(attempt, order.environment);
  if (!order.tell) return;
  if (prolog == Progress::succeeded)
    outbox_.emplace_back(wire::PreparedReport{attempt.job, attempt.attempt});
  else
    awaited_.insert(attempt);
}

NodeAgent::Progress NodeAgent::prepare(AttemptRef attempt,
                                       const std::vector<std::string>& environment) {
  if (!options_.programs.prolog || environment.empty()) return Progress::succeeded;
  auto [known, is_new] = prologs_.try_emplace(attempt, Progress::runs);
  if (!is_new) return known->second;
  if (options_.programs.in_job && !is_unallocated(attempt.job))
    prologs_before_extern_.emplace(attempt, environment);
  else
    host_.run_program(NodeProgram::prolog, attempt, environment);
  return Progress::runs;
}

// If the extern step could not be started, the Prolog runs nevertheless.
void NodeAgent::run_prolog_in_job(AttemptRef attempt) {
  auto waiting = prologs_before_extern_.extract(attempt);
  if (!waiting.empty()) host_.run_program(NodeProgram::prolog, attempt, waiting.mapped());
}

NodeAgent::Progress NodeAgent::initialize(const wire::StepLaunch& launch) {
  if (!options_.programs.init_script) return Progress::succeeded;
  const AttemptRef attempt{launch.ref.job, launch.ref.attempt};
  auto [known, is_new] = init_scripts_.try_emplace(attempt, Progress::runs);
  if (is_new)
    host_.run_program(NodeProgram::init_script, attempt,
                      {fmt::format("SLURM_JOB_ID={}", launch.ref.job.value),
                       fmt::format("SLURM_JOB_UID={}", launch.uid.value),
                       fmt::format("SLURM_JOB_USER={}", launch.user_name.view())});
  return known->second;
}

void NodeAgent::on_program_ended(NodeProgram program, AttemptRef attempt, bool succeeded,
                                 Time now) {
  switch (program) {
    case NodeProgram::prolog:
      return on_prolog_ended(attempt, succeeded, now);
    case NodeProgram::epilog:
      return on_epilog_ended(attempt, succeeded, now);
    case NodeProgram::init_script:
      init_scripts_[attempt] = succeeded ? Progress::succeeded : Progress::failed;
      start_launches_waiting_for(attempt.job, now);
      return report_gone_if_gone(attempt, now);
  }
}

void NodeAgent::on_prolog_ended(AttemptRef attempt, bool succeeded, Time now) {
  prologs_[attempt] = succeeded ? Progress::succeeded : Progress::failed;
  if (succeeded) host_.note_prepared(attempt, true);
  if (awaited_.erase(attempt) > 0 && succeeded)
    outbox_.emplace_back(wire::PreparedReport{attempt.job, attempt.attempt});
  const auto first = held_back_.lower_bound({attempt.job, attempt.attempt, StepId{0}});
  const bool launch_waits = first != held_back_.end() && first->first.job == attempt.job &&
                            first->first.attempt == attempt.attempt;
  if (!succeeded && !launch_waits)
    outbox_.emplace_back(wire::PrologFailedReport{attempt.job, attempt.attempt});
  start_launches_waiting_for(attempt.job, now);
  report_gone_if_gone(attempt, now);
}

}  // namespace muster
