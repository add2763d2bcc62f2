// Priorities: the priority of each waiting job, and the factors that it is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.h"
#include "sched/priority/fair_share.h"

namespace muster::sched {

// priority/basic: earlier jobs have higher priorities; nice lowers them.
std::uint32_t basic_priority(JobId id, std::int32_t nice);

struct TresFactor {
  Text name;  // as in PriorityWeightTRES, in lower case
  double factor = 0, weight = 0;
};

// Each factor lies between 0 and 1; `total` is what squeue shows.
struct Factors {
  double age = 0, association = 0, fair_share = 0, job_size = 0, partition = 0, qos = 0;
  std::int32_t nice = 0, site = 0;
  std::vector<TresFactor> tres;  // each with its own weight
  std::uint32_t total = 0;
};

class Priorities {
 public:
  Priorities(const Cluster& cluster, Time now);

  std::uint32_t priority_of(const Job& job, const Partition* partition) const;
  Factors factors(const Job& job, const Partition* partition) const;
  const FairShares& fair_shares() const { return shares_; }

 private:
  double age_factor(const Job& job) const;
  double association_factor(const Job& job) const;
  double size_factor(const Job& job) const;
  std::vector<TresFactor> tres_factors(const Job& job) const;

  const Cluster& cluster_;
  Time now_;
  FairShares shares_;
  double most_partition_ = 0, most_qos_ = 0, most_association_ = 0, nodes_ = 0, cpus_ = 0,
         cache_ = 0, gpus_ = 0;
};

}  // namespace muster::sched
