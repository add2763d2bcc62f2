// Prepares attempts when the controller orders it, and goes on when their programs have ended.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_found_prepared(AttemptRef attempt) { preparations_.found(attempt); }

void NodeAgent::on_order(const wire::PrepareOrder& order, Time) {
  const AttemptRef attempt{order.job, order.attempt};
  if (ending_.contains(attempt) || gone_.contains(attempt)) return;
  const Progress prolog = preparations_.prepare(attempt, order.environment, options_.programs);
  if (!order.tell) return;
  if (prolog == Progress::succeeded)
    outbox_.emplace_back(wire::PreparedReport{attempt.job, attempt.attempt});
  else
    preparations_.await(attempt);
}

void NodeAgent::on_program_ended(NodeProgram program, AttemptRef attempt, bool succeeded,
                                 Time now) {
  switch (program) {
    case NodeProgram::prolog:
      return on_prolog_ended(attempt, succeeded, now);
    case NodeProgram::epilog:
      return on_epilog_ended(attempt, succeeded, now);
    case NodeProgram::init_script:
      preparations_.init_script_ended(attempt, succeeded);
      start_launches_waiting_for(attempt.job, now);
      return report_gone_if_gone(attempt, now);
  }
}

void NodeAgent::on_prolog_ended(AttemptRef attempt, bool succeeded, Time now) {
  if (preparations_.prolog_ended(attempt, succeeded) && succeeded)
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
