#include "controller/nodes/power.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "controller/core.h"
#include "controller/nodes/node_change.h"
#include "sched/preempt/preempt.h"

namespace muster::controller {

bool all_on(const Cluster& cluster, const std::vector<NodeShare>& allocation) {
  return std::ranges::all_of(allocation, [&](const NodeShare& share) {
    const Node* node = cluster.nodes.find(share.node);
    return node && node->power.phase == PowerPhase::on && !node->reboot.issued;
  });
}

namespace {

void lengthen(std::optional<Seconds>& time, const std::optional<Seconds>& other) {
  if (other) time = std::max(time.value_or(*other), *other);
}

}  // namespace

PowerRules::PowerRules(const Cluster& cluster) {
  const PowerSettings& power = cluster.settings().power;
  cluster_ = {power.suspend_time, power.suspend_timeout, power.resume_timeout};
  for (const Partition& partition : *cluster.partitions) {
    if (partition.power == PartitionPower{}) continue;
    for (NodeId id : partition.nodes) {
      PartitionPower& said = said_[id];
      lengthen(said.suspend_time, partition.power.suspend_time);
      lengthen(said.suspend_timeout, partition.power.suspend_timeout);
      lengthen(said.resume_timeout, partition.power.resume_timeout);
      said.stays_on |= partition.power.stays_on;
    }
  }
}

PowerRules::Rule PowerRules::of(NodeId node) const {
  Rule rule = cluster_;
  auto said = said_.find(node);
  if (said == said_.end()) return rule;
  const PartitionPower& theirs = said->second;
  if (theirs.suspend_time) rule.suspend_time = theirs.suspend_time;
  if (theirs.stays_on) rule.suspend_time.reset();
  rule.suspend_timeout = theirs.suspend_timeout.value_or(rule.suspend_timeout);
  rule.resume_timeout = theirs.resume_timeout.value_or(rule.resume_timeout);
  return rule;
}

std::vector<NodeId> SwitchingRate::take(std::vector<NodeId> nodes, std::uint32_t per_minute,
                                        Time now) {
  if (per_minute == 0 || nodes.empty()) return nodes;
  while (!switched_.empty() && now - switched_.front().first >= Minutes{1}) switched_.pop_front();
  std::size_t used = 0;
  for (const auto& [at, count] : switched_) used += count;
  const std::size_t left = used < per_minute ? per_minute - used : 0;
  if (nodes.size() > left) nodes.resize(left);
  if (!nodes.empty()) switched_.emplace_back(now, nodes.size());
  return nodes;
}

void SwitchingRate::move(Millis by) {
  for (auto& [at, count] : switched_) at += by;
}

bool is_exempt(const Cluster& cluster, const Node& node) {
  const PowerSettings& power = cluster.settings().power;
  if (std::ranges::find(power.except_nodes, node.config.name) != power.except_nodes.end())
    return true;
  return std::ranges::any_of(power.except_partitions, [&](const Text& name) {
    const Partition* partition = cluster.find_partition(name);
    return partition && std::ranges::find(partition->nodes, node.id) != partition->nodes.end();
  });
}

bool may_suspend(const Cluster& cluster, const PowerRules& rules, const Node& node, Time now) {
  const auto idle_for = rules.of(node.id).suspend_time;
  if (!cluster.settings().power.saving || !idle_for) return false;
  if (node.power.phase != PowerPhase::on || node.health != NodeHealth::up || node.future)
    return false;
  if (!node.jobs.empty() || node.reboot.issued) return false;
  const Time idle_since = std::max(node.last_busy, node.power.since);
  return now - idle_since >= *idle_for && !is_exempt(cluster, node);
}

void Core::turn_power(Time now) {
  const PowerRules rules(cluster_);
  std::vector<NodeId> leaving, needed;
  cluster_.nodes.each([&](const Node& node) {
    const bool told =
        node.power.down_asked && node.jobs.empty() &&
        (node.power.phase == PowerPhase::on || node.power.phase == PowerPhase::powering_up);
    if (told || may_suspend(cluster_, rules, node, now)) leaving.push_back(node.id);
    if (node.power.phase == PowerPhase::off && is_wanted(node)) needed.push_back(node.id);
  });
  const PowerSettings& settings = cluster_.settings().power;
  power_down(suspend_rate_.take(std::move(leaving), settings.suspend_rate, now), now);
  power_up(resume_rate_.take(std::move(needed), settings.resume_rate, now), now);
  end_power_phases(rules, now);
}

// SuspendTimeout makes a node that goes down one that is off; ResumeTimeout makes one that does not
// come up one that is down.
void Core::end_power_phases(const PowerRules& rules, Time now) {
  std::vector<NodeId> off, late;
  cluster_.nodes.each([&](const Node& node) {
    const Millis passed = now - node.power.since;
    if (node.power.phase == PowerPhase::powering_down &&
        passed >= rules.of(node.id).suspend_timeout)
      off.push_back(node.id);
    if (node.power.phase == PowerPhase::powering_up && passed >= rules.of(node.id).resume_timeout)
      late.push_back(node.id);
  });
  for (NodeId id : off) set_power(id, PowerPhase::off, now);
  for (NodeId id : late) {
    host_.log_error("node " + cluster_.nodes.at(id).config.name.str() +
                    " has not come up within ResumeTimeout, setting DOWN");
    NodeChanged change = current(cluster_.nodes.at(id));
    change.health = NodeHealth::down;
    change.power = {.phase = PowerPhase::off, .since = now};
    change.reason = "ResumeTimeout reached";
    change.reason_uid = options_.slurm_user;
    change.reason_time = now;
    record(change);
    lose_node(id, now, "it has not come up");
  }
  if (cluster_.settings().power.tells_failures && !late.empty()) {
    SiteProgramRun run{.which = SiteProgramRun::Which::resume_fail};
    run.arguments = {names_of(late)};
    open_.programs.push_back(std::move(run));
  }
  if (!off.empty() || !late.empty()) want_plan();
}

void Core::set_power(NodeId id, PowerPhase phase, Time now) {
  NodeChanged change = current(cluster_.nodes.at(id));
  change.power = {.phase = phase, .since = now};
  if (phase == PowerPhase::powering_down) change.drain = false;  // what it was drained for happens
  if (phase == PowerPhase::powering_up) change.health = NodeHealth::up;
  if (phase == PowerPhase::off) {
    change.responding = false;
    change.given = {};  // the next machine says itself where it is
    // Without a ResumeProgram nobody here brings it back: jobs must not count on it.
    if (!cluster_.settings().power.saving) change.health = NodeHealth::down;
  }
  record(change);
  touch_node(id);
}

void Core::power_down(const std::vector<NodeId>& nodes, Time now) {
  for (NodeId id : nodes) set_power(id, PowerPhase::powering_down, now);
  run_power_program(SiteProgramRun::Which::suspend, nodes);
}

void Core::power_up(const std::vector<NodeId>& nodes, Time now) {
  for (NodeId id : nodes) set_power(id, PowerPhase::powering_up, now);
  run_power_program(SiteProgramRun::Which::resume, nodes);
}

std::string Core::names_of(const std::vector<NodeId>& nodes) const {
  std::vector<std::string> names;
  for (NodeId id : nodes) names.push_back(cluster_.nodes.at(id).config.name.str());
  return compress_hostlist(names);
}

void Core::run_power_program(SiteProgramRun::Which which, const std::vector<NodeId>& nodes) {
  if (nodes.empty()) return;
  const std::string list = names_of(nodes);
  const bool down = which == SiteProgramRun::Which::suspend;
  host_.log((down ? "powering down node " : "powering up node ") + list);
  if (!cluster_.settings().power.saving) return;
  SiteProgramRun run{.which = which};
  run.arguments = {list};
  open_.programs.push_back(std::move(run));
}

// scontrol update state=power_up: of the nodes that are off or go down.
void Core::power_up_again(const std::vector<NodeId>& nodes, Time now) {
  std::vector<NodeId> off;
  for (NodeId id : nodes) {
    const PowerPhase phase = cluster_.nodes.at(id).power.phase;
    if (phase == PowerPhase::off || phase == PowerPhase::powering_down) off.push_back(id);
  }
  power_up(off, now);
}

// As many as ResumeRate allows; the others follow with the ticks.
void Core::power_up_for(const Job& job, Time now) {
  std::vector<NodeId> off;
  for (const NodeShare& share : job.run->allocation)
    if (cluster_.nodes.at(share.node).power.phase == PowerPhase::off) off.push_back(share.node);
  power_up(resume_rate_.take(std::move(off), cluster_.settings().power.resume_rate, now), now);
}

// A job that was given it waits for it.
bool Core::is_wanted(const Node& node) const {
  const auto jobs = node.jobs.ids();
  return std::ranges::any_of(jobs, [&](std::uint32_t id) {
    const Job& job = cluster_.jobs.at(JobId{id});
    return job.run->preparing && !job.run->ending && is_active(job.state);
  });
}

// PowerDownOnIdle: what a job of such a partition has left goes off at once.
void Core::power_down_if_left_idle(const Job& job, const std::vector<NodeId>& nodes) {
  const Partition* partition = cluster_.find_partition(job.partition);
  if (!partition || !partition->power.down_on_idle || !cluster_.settings().power.saving) return;
  for (NodeId id : nodes) {
    const Node* node = cluster_.nodes.find(id);
    if (!node || !node->jobs.empty() || node->power.phase != PowerPhase::on ||
        is_exempt(cluster_, *node))
      continue;
    NodeChanged change = current(*node);
    change.power.down_asked = true;
    record(change);
  }
}

// A job whose PrologSlurmctld has run and whose nodes are up starts; its time counts from here if
// it waited for a node.
void Core::launch_if_prepared(JobId id, Time now) {
  const Job* job = cluster_.jobs.find(id);
  if (!job || !job->run->preparing || job->run->ending || is_ended(job->state)) return;
  if (prologs_running_.contains(id) || !all_on(cluster_, job->run->allocation)) return;
  const bool waited_for_node =
      reboots_first(*job) || std::ranges::any_of(job->run->allocation, [&](const NodeShare& share) {
        return cluster_.nodes.at(share.node).power.since > job->run->started;
      });
  record(JobPrepared{.job = id, .attempt = job->attempt, .at = waited_for_node ? now : Time{}});
  touch_nodes_of(cluster_.jobs.at(id));
}

// As if somebody had told the node to go. It comes back when its slurmd registers after a boot.
void Core::on_host_leaving(NodeId id, Time now) {
  const Node& node = cluster_.nodes.at(id);
  if (node.power.phase != PowerPhase::on || node.reboot.issued) return;
  host_.log("node " + node.config.name.str() + ": the host stops");
  NodeChanged change = current(node);
  change.power.down_asked = true;
  if (change.reason.empty()) {
    change.reason = kHostStops;
    change.reason_uid = options_.slurm_user;
    change.reason_time = now;
  }
  record(change);
  clear_node(id, Leave::all, now);
  want_plan();
}

// The node is about to go: its jobs are told, have their grace, and go on elsewhere.
void Core::clear_node(NodeId id, Leave who, Time now) {
  const IdSet jobs = cluster_.nodes.at(id).jobs;
  for (std::uint32_t number : jobs.ids()) {
    const Job& job = cluster_.jobs.at(JobId{number});
    if (!is_active(job.state) || job.run->ending || job.run->preemption) continue;
    Seconds grace = sched::grace_time(cluster_, job);
    const Partition* partition = cluster_.find_partition(job.partition);
    if (grace.count() == 0 && partition) grace = Seconds{partition->grace_time_s};
    if (grace.count() == 0 && who == Leave::with_grace) continue;
    if (grace.count() == 0) grace = cluster_.settings().power.down_grace;
    host_.log("job " + std::to_string(number) + " has to leave node " +
              cluster_.nodes.at(id).config.name.str());
    give_notice(job.id, {.by = {},
                         .mode = may_requeue(job) ? PreemptMode::requeue : PreemptMode::cancel,
                         .since = now,
                         .kill_at = now + grace});
  }
}

}  // namespace muster::controller
