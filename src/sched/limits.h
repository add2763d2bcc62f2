// LimitBook: what running jobs count against the limits of their QOS, and which limit keeps one
// more from starting. A job is under its own QOS and under that of its partition; where both limit
// the same thing the partition's counts, unless the job's own says otherwise (OverPartQOS).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/cluster.h"

namespace muster::sched {

// Resources of an allocation by name: "cpu", "mem", "node", "billing", "gres/gpu", "gres/gpu:a100",
// "license/matlab".
std::map<Text, std::uint64_t> amounts_of(
    const std::vector<NodeShare>& shares,
    const std::vector<std::pair<Text, std::uint32_t>>& licenses);

// A run that is about to start, or could: what it would hold, and for how long.
struct Run {
  const Job* job = nullptr;
  const Partition* partition = nullptr;
  const std::vector<NodeShare>* shares = nullptr;
  const std::vector<std::pair<Text, std::uint32_t>>* licenses = nullptr;
  Minutes limit{};
};

class LimitBook {
 public:
  LimitBook(const Cluster& cluster, Time now);

  // The limit that is in the way, in Slurm's words; empty = none. What does not depend on where the
  // job would run, then what does.
  Text before_placing(const Job& job, const Partition& partition, Minutes limit) const;
  Text in_the_way(const Run& run) const;
  void start(const Run& run);

 private:
  struct Use {
    std::uint32_t jobs = 0;
    std::map<Text, std::uint64_t> tres, run_minutes;
  };
  void add(const Job& job, const Partition* partition, const std::map<Text, std::uint64_t>& tres,
           std::uint64_t minutes);

  const Cluster& cluster_;
  bool is_needed_ = false;  // some QOS limits something
  std::map<Text, Use> groups_;
  std::map<std::pair<Text, Uid>, Use> users_;
  std::map<std::pair<Text, Text>, Use> accounts_;
};

// For submission. One that can never meet the limits of a QOS with DenyOnLimit, or that is one too
// many of those waiting and running; empty = it may be queued. `tasks`: of an array.
Text refused_by_limit(const Cluster& cluster, const Run& run, std::uint64_t tasks);

}  // namespace muster::sched
