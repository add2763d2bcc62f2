// The Prolog: it runs once for each attempt of a job, before anything of the attempt does.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_found_prepared(AttemptRef attempt) {
  prologs_.emplace(attempt, Prolog::succeeded);
}

void NodeAgent::on_order(const wire::PrepareOrder& order, Time) {
  const AttemptRef attempt{order.job, order.attempt};
  if (ending_.contains(attempt) || gone_.contains(attempt)) return;
  const Prolog prolog = prepare(attempt, order.environment);
  if (!order.tell) return;
  if (prolog == Prolog::succeeded)
    outbox_.emplace_back(wire::PreparedReport{attempt.job, attempt.attempt});
  else
    awaited_.insert(attempt);
}

NodeAgent::Prolog NodeAgent::prepare(AttemptRef attempt,
                                     const std::vector<std::string>& environment) {
  if (!options_.has_prolog || environment.empty()) return Prolog::succeeded;
  auto [known, is_new] = prologs_.try_emplace(attempt, Prolog::runs);
  if (is_new) host_.run_program(NodeProgram::prolog, attempt, environment);
  return known->second;
}

void NodeAgent::on_program_ended(NodeProgram program, AttemptRef attempt, bool succeeded,
                                 Time now) {
  if (program == NodeProgram::epilog) return report_gone(attempt, !succeeded, now);

  prologs_[attempt] = succeeded ? Prolog::succeeded : Prolog::failed;
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
