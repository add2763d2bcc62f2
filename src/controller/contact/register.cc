// Handles registrations and silence of nodes.
#include "controller/contact/register.h"

#include <algorithm>

#include "controller/contact/loss.h"
#include "controller/jobs/ending.h"
#include "controller/jobs/notices.h"
#include "controller/jobs/preempt.h"
#include "controller/jobs/signals.h"
#include "controller/jobs/step_end.h"
#include "controller/nodes/dynamic_node.h"
#include "controller/nodes/health.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

void return_to_service(Ledger& ledger, NodeId id) {
  const Node& node = ledger.node(id);
  std::vector<Event> changes = on_registration(ledger, node, node.facts);
  if (changes.empty()) return;
  for (Event& change : changes) ledger.record(std::move(change));
  ledger.touch(id);
  ledger.want_plan();
}

namespace {

bool is_host_name(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  return !name.empty() && name.size() <= kLongest && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

// What is wrong with the node's identity; empty if nothing.
std::string_view fault_of(const wire::RegisterReport& report) {
  if (!is_host_name(report.name.view())) return "its name is not that of a host";
  if (report.dynamic && report.dynamic->name != report.name) return "it has two names";
  return {};
}

// Numbered steps are launched from memory. If neither the node nor this controller knows a step,
// because the controller was restarted between its creation and its launch, the step is over.
void end_unknown_steps(Ledger& ledger, NodeLinks& links, NodeId node) {
  const Time now = ledger.now();
  std::vector<std::pair<JobId, StepId>> lost;
  for (std::uint32_t job_id : ledger.node(node).jobs.ids()) {
    const Job& job = ledger.job(JobId{job_id});
    for (const auto& [step_id, step] : job.run->steps)
      if (step_id != kBatchStep && step_id != kExternStep && step.unfinished.contains(node) &&
          !links.knows(node, {job.id, job.attempt, step_id}) &&
          !links.launches().find(job.id, step_id))
        lost.emplace_back(job.id, step_id);
  }
  for (auto [job, step] : lost) {
    ledger.record(StepNodeEnded{.job = job,
                                .attempt = ledger.job(job).attempt,
                                .step = step,
                                .node = node,
                                .exit_status = 9,
                                .at = now});
    advance_ending(ledger, job);
  }
}

}  // namespace

void register_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, Programs& programs,
                   NodeConnection from, const wire::RegisterReport& report) {
  const Time now = ledger.now();
  if (std::string_view fault = fault_of(report); !fault.empty())
    return ledger.log_error("a node's registration is refused: " + std::string(fault));
  if (report.dynamic && !ledger.cluster().find_node(report.name))
    if (auto added = add_nodes(ledger, {*report.dynamic}); !added)
      return ledger.log_error("node " + report.name.str() + " is refused: " + added.error().text());
  const Node* node = ledger.cluster().find_node(report.name);
  if (!node) {
    ledger.log_error("node " + report.name.str() +
                     " is not in slurm.conf: its registration is ignored");
    return;
  }
  NodeId id = node->id;
  bool rebooted = !node->facts.boot_id.empty() && node->facts.boot_id != report.facts.boot_id;

  links.open(id, from,
             {.cpu_load = report.cpu_load,
              .free_memory_mib = report.free_memory_mib,
              .last_contact = now});

  if (rebooted && !node->reboot.issued)
    lose_node(ledger, links, allocations, id, "it was rebooted");
  for (const wire::StepEnd& end : report.ended) on_step_end(ledger, links, id, end);
  for (const wire::StepRef& ref : report.running)
    if (!is_unallocated(ref.job)) links.note_running(id, ref);
  end_unknown_steps(ledger, links, id);

  // Compare with the earlier facts first: they show whether the node was rebooted.
  std::vector<Event> changes = on_registration(ledger, ledger.node(id), report.facts);
  if (ledger.node(id).facts != report.facts)
    ledger.record(NodeRegistered{.node = id, .facts = report.facts, .at = now});
  for (Event& change : changes) ledger.record(std::move(change));
  if (!changes.empty()) ledger.want_plan();
  const IdSet jobs = ledger.node(id).jobs;
  for (std::uint32_t number : jobs.ids()) {
    programs.launch_if_prepared(JobId{number});
    const Job& job = ledger.job(JobId{number});
    const bool goes_on = !job.run->ending && is_active(job.state);
    if (goes_on && stop_notice(ledger.cluster(), job, now)) tell_stop(ledger, job, id);
    warn_belatedly(ledger, id, JobId{number});
    if (!goes_on) continue;
    // Orders that the node may have missed while it was away. Repeating an order to a step does no
    // harm.
    const bool has_own_signal =
        job.run->preemption && job.run->warned >= job.run->preemption->since;
    if (job.run->preemption && !has_own_signal)
      send_grace_signals(ledger, job);
    else if (is_set(job.run->suspended_at) || job.run->suspended_total > Millis{0})
      ledger.order(id, wire::SuspendOrder{.job = job.id,
                                          .attempt = job.attempt,
                                          .resume = job.state != JobState::suspended});
  }
  ledger.touch(id);
}

namespace {

void set_down(Ledger& ledger, NodeId id) {
  const Node& node = ledger.node(id);
  ledger.log_error("node " + node.config.name.str() + " not responding, setting DOWN");
  NodeWentDown down{.node = id};
  if (node.reason.empty()) down.reason = own_reason(ledger, kNotResponding);
  if (node.responding) ledger.record(NodeFellSilent{.node = id});
  ledger.record(std::move(down));
  ledger.want_plan();
}

}  // namespace

void watch_nodes(Ledger& ledger, NodeLinks& links, Allocations& allocations) {
  const Time now = ledger.now();
  const Seconds timeout = ledger.settings().slurmd_timeout;
  std::vector<NodeId> silent;
  ledger.cluster().nodes.each([&](const Node& node) {
    // A node that is already down matters only while it has jobs to end.
    if ((node.health != NodeHealth::up && node.jobs.empty()) ||
        node.power.phase != PowerPhase::on || node.reboot.issued)
      return;
    if (now - links.last_contact(node.id) >= timeout && timeout.count() > 0)
      silent.push_back(node.id);
  });
  for (NodeId id : silent) {
    const bool runs_on = links.is_refused(id);
    if (ledger.node(id).health == NodeHealth::up || !runs_on) set_down(ledger, id);
    if (!runs_on) lose_node(ledger, links, allocations, id, "it does not respond");
  }
}

}  // namespace muster::controller
