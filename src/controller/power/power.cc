// Switches nodes off and on, and follows them until they are there.
#include "controller/power/power.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "controller/contact/loss.h"
#include "controller/effects/outgoing.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

namespace {

// Whether a job that has the node waits for it to come up.
bool is_wanted(const Cluster& cluster, const Node& node) {
  const auto jobs = node.jobs.ids();
  return std::ranges::any_of(jobs, [&](std::uint32_t id) {
    const Job& job = cluster.jobs.at(JobId{id});
    return job.run->preparing && !job.run->ending && is_active(job.state);
  });
}

}  // namespace

void Power::tick() {
  tick_power();
  tick_reboots();
}

void Power::tick_power() {
  const Time now = ledger_.now();
  const PowerRules rules(ledger_.cluster());
  std::vector<NodeId> leaving, needed;
  ledger_.cluster().nodes.each([&](const Node& node) {
    const bool told =
        node.power.down_asked && node.jobs.empty() &&
        (node.power.phase == PowerPhase::on || node.power.phase == PowerPhase::powering_up);
    if (told || may_suspend(ledger_.cluster(), rules, node, now)) leaving.push_back(node.id);
    if (node.power.phase == PowerPhase::off && is_wanted(ledger_.cluster(), node))
      needed.push_back(node.id);
  });
  const PowerSettings& settings = ledger_.settings().power;
  power_down(suspend_rate_.take(std::move(leaving), settings.suspend_rate, now));
  power_up(resume_rate_.take(std::move(needed), settings.resume_rate, now));
  end_power_phases(rules);
}

namespace {

std::string names_of(const Cluster& cluster, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  for (NodeId id : nodes) names.push_back(cluster.nodes.at(id).config.name.str());
  return compress_hostlist(names);
}

}  // namespace

// After SuspendTimeout, a node that powers down counts as off. After ResumeTimeout, a node that has
// not come up is down.
void Power::end_power_phases(const PowerRules& rules) {
  const Time now = ledger_.now();
  std::vector<NodeId> off, late;
  ledger_.cluster().nodes.each([&](const Node& node) {
    const Millis passed = now - node.power.since;
    if (node.power.phase == PowerPhase::powering_down &&
        passed >= rules.of(node.id).suspend_timeout)
      off.push_back(node.id);
    if (node.power.phase == PowerPhase::powering_up && passed >= rules.of(node.id).resume_timeout)
      late.push_back(node.id);
  });
  for (NodeId id : off) set_power(id, PowerPhase::off);
  for (NodeId id : late) {
    ledger_.log_error("node " + ledger_.node(id).config.name.str() +
                      " has not come up within ResumeTimeout, setting DOWN");
    NodeChanged change = current(ledger_.node(id));
    change.health = NodeHealth::down;
    change.power = {.phase = PowerPhase::off, .since = now};
    change.reason = "ResumeTimeout reached";
    change.reason_uid = ledger_.authority().slurm_user;
    change.reason_time = now;
    ledger_.record(change);
    lose_node(ledger_, links_, allocations_, id, "it has not come up");
  }
  if (ledger_.settings().power.tells_failures && !late.empty()) {
    SiteProgramRun run{.which = SiteProgramRun::Which::resume_fail};
    run.arguments = {names_of(ledger_.cluster(), late)};
    ledger_.run(std::move(run));
  }
  if (!off.empty() || !late.empty()) ledger_.want_plan();
}

void Power::set_power(NodeId id, PowerPhase phase) {
  const Time now = ledger_.now();
  NodeChanged change = current(ledger_.node(id));
  change.power = {.phase = phase, .since = now};
  // It was drained for the power down.
  if (phase == PowerPhase::powering_down) change.drain = false;
  if (phase == PowerPhase::powering_up) change.health = NodeHealth::up;
  if (phase == PowerPhase::off) {
    change.responding = false;
    change.given = {};  // the next machine reports its own address
    // Without a ResumeProgram it does not come back by itself: jobs must not wait for it.
    if (!ledger_.settings().power.saving) change.health = NodeHealth::down;
  }
  ledger_.record(change);
  ledger_.touch(id);
}

void Power::power_down(const std::vector<NodeId>& nodes) {
  for (NodeId id : nodes) set_power(id, PowerPhase::powering_down);
  run_program(SiteProgramRun::Which::suspend, nodes);
}

void Power::power_up(const std::vector<NodeId>& nodes) {
  for (NodeId id : nodes) set_power(id, PowerPhase::powering_up);
  run_program(SiteProgramRun::Which::resume, nodes);
}

void Power::run_program(SiteProgramRun::Which which, const std::vector<NodeId>& nodes) {
  if (nodes.empty()) return;
  const std::string list = names_of(ledger_.cluster(), nodes);
  const bool down = which == SiteProgramRun::Which::suspend;
  ledger_.log((down ? "powering down node " : "powering up node ") + list);
  if (!ledger_.settings().power.saving) return;
  SiteProgramRun run{.which = which};
  run.arguments = {list};
  ledger_.run(std::move(run));
}

void Power::up_again(const std::vector<NodeId>& nodes) {
  std::vector<NodeId> off;
  for (NodeId id : nodes) {
    const PowerPhase phase = ledger_.node(id).power.phase;
    if (phase == PowerPhase::off || phase == PowerPhase::powering_down) off.push_back(id);
  }
  power_up(off);
}

void Power::up_for(const Job& job) {
  const Time now = ledger_.now();
  std::vector<NodeId> off;
  for (const NodeShare& share : job.run->allocation)
    if (ledger_.node(share.node).power.phase == PowerPhase::off) off.push_back(share.node);
  power_up(resume_rate_.take(std::move(off), ledger_.settings().power.resume_rate, now));
}

void Power::on_clock_step(Millis by) {
  suspend_rate_.move(by);
  resume_rate_.move(by);
}

}  // namespace muster::controller
