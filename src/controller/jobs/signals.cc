// Orders nodes to signal jobs and steps.
#include "controller/jobs/signals.h"

#include <csignal>

#include "controller/jobs/notices.h"
#include "wire/client_messages.h"

namespace muster::controller {

namespace {

// Whether the signal is announced in the output of the script or step.
bool is_announced(int signal, bool to_script) {
  return signal == SIGTERM || (to_script && signal == SIGKILL);
}

// Signals all components of a step.
void signal_step(Ledger& ledger, const Job& job, const Step& step, int signal) {
  for (const Job* component : ledger.cluster().components(job)) {
    if (component != &job && !(step.het.is_part() && component->run->steps.contains(step.id)))
      continue;
    wire::SignalOrder o{.job = component->id, .attempt = component->attempt, .signal = signal};
    if (step.id == kBatchStep)
      o.batch = true;
    else
      o.steps = {step.id};
    o.announce = is_announced(signal, step.id == kBatchStep);
    for (NodeId node : component->run->unfinished) ledger.order(node, o);
  }
}

}  // namespace

Result<void> signal_job(Ledger& ledger, const Job& job, const wire::CancelRequest& request,
                        std::optional<StepId> step) {
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  if (job.state == JobState::pending) return fail(ErrorCode::job_pending);
  if (step) {
    auto found = job.run->steps.find(*step);
    if (found == job.run->steps.end()) return fail(ErrorCode::invalid_step);
    signal_step(ledger, job, found->second, request.signal);
    return {};
  }
  if (request.batch_only && job.spec->kind != JobKind::batch)
    return fail(ErrorCode::script_missing);
  wire::SignalOrder o{.job = job.id, .attempt = job.attempt, .signal = request.signal};
  o.batch = request.batch_only || request.full;  // the script with all its processes
  o.whole_batch = request.full;
  o.all_steps = !o.batch;
  o.announce = is_announced(request.signal, o.batch);
  for (NodeId node : job.run->unfinished) ledger.order(node, o);
  return {};
}

namespace {

void warn_on(Ledger& ledger, NodeId node, JobId id) {
  const Job& job = ledger.job(id);
  const WarnSignal& warning = job.spec->warn_signal;
  for (int signal : {SIGCONT, warning.number}) {  // SIGCONT first, for a job that is stopped
    wire::SignalOrder o{.job = id, .attempt = job.attempt, .signal = signal};
    o.batch = warning.batch_shell_only;
    o.all_steps = !warning.batch_shell_only;
    o.announce = signal == warning.number && is_announced(o.signal, o.batch);
    ledger.order(node, o);
  }
}

}  // namespace

void warn(Ledger& ledger, const NodeLinks& links, JobId id) {
  const Time now = ledger.now();
  JobWarned warned{.job = id, .at = now, .missed_by = {}};
  std::vector<NodeId> told;
  for (NodeId node : ledger.job(id).run->unfinished)
    if (links.is_connected(node))
      told.push_back(node);
    else
      warned.missed_by.insert(node);
  ledger.record(warned);
  for (NodeId node : told) {
    tell_stop(ledger, ledger.job(id), node);
    warn_on(ledger, node, id);
  }
}

void warn_belatedly(Ledger& ledger, NodeId node, JobId id) {
  const Job& job = ledger.job(id);
  JobWarned warned{.job = id, .at = job.run->warned, .missed_by = job.run->unwarned};
  if (job.run->ending || !is_active(job.state) || warned.missed_by.erase(node) == 0) return;
  warn_on(ledger, node, id);
  ledger.record(warned);
}

}  // namespace muster::controller
