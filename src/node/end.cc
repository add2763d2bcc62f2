// Ends processes of a job or step: CONT and TERM at once, KILL after the wait.
#include <csignal>
#include <utility>

#include "node/agent.h"

namespace muster {

namespace {
// A process may fork just when it is killed, so KILL is repeated until the step has ended.
constexpr Millis kRepeatKill{1000};
}  // namespace

void NodeAgent::on_order(const wire::EndJobOrder& order, Time now) {
  const AttemptRef attempt{order.job, order.attempt};
  std::erase_if(held_back_, [&](const auto& entry) {
    return entry.first.job == order.job && entry.first.attempt == order.attempt;
  });
  std::erase_if(attaches_, [&](const WaitingAttach& attach) {
    if (attach.step.job != order.job || attach.step.attempt != order.attempt) return false;
    host_.refuse(attach.id, "the job is being ended");
    return true;
  });
  EndingJob& ending = ending_[attempt];
  if (!order.epilog_environment.empty()) ending.epilog_environment = order.epilog_environment;
  preparations_.cancel_waiting(attempt);
  if (order.delay > Millis{0}) {
    postpone(order, now);
    return report_gone_if_gone(attempt, now);
  }
  const bool announce = order.announce && !ending.announced;
  ending.announced = ending.announced || announce;
  each_running_of(order.job, order.attempt, [&](const wire::StepRef& step) {
    if (!stays_for_epilog(step))
      end_step(step, order.kill_wait, announce, order.message_suffix, now);
  });
  report_gone_if_gone(attempt, now);
}

void NodeAgent::on_order(const wire::EndStepOrder& order, Time now) {
  if (auto known = ended_.find(order.ref); known != ended_.end())
    return report_end(known->second, now);
  auto step = running_.find(order.ref);
  if (step == running_.end()) return;
  if (order.delay > Millis{0}) return postpone(order, now);
  const bool first_time = !step->second.has_value();
  end_step(order.ref, order.kill_wait, order.announce && first_time, order.message_suffix, now);
}

// If a command inside the job asked for its end, it gets time to print the result before the
// signals.
template <class EndOrder>
void NodeAgent::postpone(EndOrder order, Time now) {
  const Time due = now + std::exchange(order.delay, Millis{0});
  postponed_.emplace(due, std::move(order));
}

void NodeAgent::do_postponed(Time now) {
  while (!postponed_.empty() && postponed_.begin()->first <= now) {
    const wire::Order order = postponed_.extract(postponed_.begin()).mapped();
    if (const auto* end = std::get_if<wire::EndJobOrder>(&order)) {
      if (ending_.contains({end->job, end->attempt})) on_order(*end, now);
    } else if (const auto* end = std::get_if<wire::EndStepOrder>(&order)) {
      on_order(*end, now);
    }
  }
}

void NodeAgent::end_step(const wire::StepRef& step, Seconds kill_wait, bool announce,
                         std::string_view suffix, Time now) {
  if (announce) host_.announce(step, suffix, true);
  std::optional<Time>& kill_at = running_.at(step);
  const Time deadline = now + kill_wait;
  if (!kill_at) {
    kill_at = deadline;
    if (kill_wait > Seconds{0}) {
      host_.signal(step, SIGCONT, SignalScope::everything);
      host_.signal(step, SIGTERM, SignalScope::everything);
    }
  }
  // A repeated order may shorten the wait, but never lengthen it.
  kill_at = std::min(*kill_at, deadline);
  if (*kill_at > now) return;
  host_.signal(step, SIGKILL, SignalScope::everything);
  kill_at = now + kRepeatKill;
}

void NodeAgent::kill_overdue(Time now) {
  for (auto& [step, kill_at] : running_) {
    if (!kill_at || now < *kill_at) continue;
    host_.signal(step, SIGKILL, SignalScope::everything);
    kill_at = now + kRepeatKill;
  }
}

// PrologFlags=RunInJob: the Epilog runs in the extern step, which therefore ends after it.
bool NodeAgent::stays_for_epilog(const wire::StepRef& step) const {
  if (!options_.programs.in_job || !options_.programs.epilog || step.step != kExternStep)
    return false;
  auto ending = ending_.find({step.job, step.attempt});
  return ending != ending_.end() && !ending->second.epilog_failed;
}

bool NodeAgent::anything_runs(AttemptRef attempt) const {
  if (preparations_.any_runs(attempt)) return true;
  bool found = false;
  each_running_of(attempt.job, attempt.attempt, [&](const wire::StepRef& step) {
    if (!stays_for_epilog(step)) found = true;
  });
  return found;
}

// The Epilog is the last program of an attempt on this node.
void NodeAgent::report_gone_if_gone(AttemptRef attempt, Time now) {
  auto found = ending_.find(attempt);
  if (found == ending_.end() || found->second.epilog_runs || anything_runs(attempt)) return;
  EndingJob& ending = found->second;
  if (ending.epilog_failed) return report_gone(attempt, *ending.epilog_failed, now);
  if (!options_.programs.epilog || gone_.contains(attempt)) return report_gone(attempt, false, now);
  ending.epilog_runs = true;
  host_.run_program(NodeProgram::epilog, attempt, ending.epilog_environment);
}

void NodeAgent::on_epilog_ended(AttemptRef attempt, bool succeeded, Time now) {
  auto ending = ending_.find(attempt);
  if (ending == ending_.end()) return;
  ending->second.epilog_runs = false;
  ending->second.epilog_failed = !succeeded;
  each_running_of(attempt.job, attempt.attempt,
                  [&](const wire::StepRef& step) { end_step(step, Seconds{0}, false, "", now); });
  report_gone_if_gone(attempt, now);
}

void NodeAgent::report_gone(AttemptRef attempt, bool epilog_failed, Time now) {
  constexpr Millis kRemember{3'600'000};
  std::erase_if(gone_, [&](const auto& entry) { return now - entry.second > kRemember; });
  gone_[attempt] = now;
  ending_.erase(attempt);
  suspended_.erase(attempt);
  preparations_.forget(attempt);
  host_.clean_up(attempt);
  outbox_.emplace_back(wire::JobGoneReport{attempt.job, attempt.attempt, epilog_failed});
}

}  // namespace muster
