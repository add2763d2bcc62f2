// Decides which nodes may be switched off or on now.
#include "controller/nodes/power_rules.h"

#include <algorithm>

#include "controller/nodes/node_change.h"

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

bool reboots_first(const Cluster& cluster, const Job& job) {
  return job.spec->reboot && cluster.settings().can_reboot;
}

void power_down_if_left_idle(Ledger& ledger, const Job& job, const std::vector<NodeId>& nodes) {
  const Partition* partition = ledger.cluster().find_partition(job.partition);
  if (!partition || !partition->power.down_on_idle || !ledger.settings().power.saving) return;
  for (NodeId id : nodes) {
    const Node* node = ledger.cluster().nodes.find(id);
    if (!node || !node->jobs.empty() || node->power.phase != PowerPhase::on ||
        is_exempt(ledger.cluster(), *node))
      continue;
    NodeChanged change = current(*node);
    change.power.down_asked = true;
    ledger.record(change);
  }
}

}  // namespace muster::controller
