// When nodes are switched off and on: the rules, and how many may be switched at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "controller/ledger/ledger.h"
#include "model/cluster.h"

namespace muster::controller {

bool all_on(const Cluster& cluster, const std::vector<NodeShare>& allocation);

// SuspendTime and related times of each node: the longest of its partitions, else the cluster's.
class PowerRules {
 public:
  struct Rule {
    std::optional<Seconds> suspend_time;  // unset = it is never suspended
    Seconds suspend_timeout, resume_timeout;
  };
  explicit PowerRules(const Cluster& cluster);
  Rule of(NodeId node) const;

 private:
  Rule cluster_;
  std::map<NodeId, PartitionPower> said_;  // from partitions that set them
};

// Whether it has been idle long enough for SuspendProgram.
bool may_suspend(const Cluster& cluster, const PowerRules& rules, const Node& node, Time now);
// SuspendExcNodes, SuspendExcParts
bool is_exempt(const Cluster& cluster, const Node& node);

// SuspendRate and ResumeRate: how many nodes may still be switched within this minute.
class SwitchingRate {
 public:
  // The first of these nodes, as many as may be switched now; they count as switched.
  std::vector<NodeId> take(std::vector<NodeId> nodes, std::uint32_t per_minute, Time now);
  void move(Millis by);  // the clock was set

 private:
  std::deque<std::pair<Time, std::size_t>> switched_;
};

// --reboot: the job starts after its nodes have been rebooted.
bool reboots_first(const Cluster& cluster, const Job& job);
// PowerDownOnIdle: nodes that such a job leaves idle are switched off at once.
void power_down_if_left_idle(Ledger& ledger, const Job& job, const std::vector<NodeId>& nodes);

}  // namespace muster::controller
