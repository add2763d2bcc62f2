// Accruals: which waiting jobs begin to gain age for their priority. A job gains age while it is
// eligible (is_eligible), as far as GrpJobsAccrue and similar limits allow: these bound how many
// waiting jobs of an association or a QOS gain age at a time. An array record counts as one job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/cluster.h"
#include "sched/limits/limit_sources.h"

namespace muster::sched {

class Accruals {
 public:
  Accruals(const Cluster& cluster, Time now) : cluster_(cluster), now_(now) {}

  // Call it in order of priority: jobs that come first take the room under the limits.
  void look_at(const Job& job);
  IdSet take() { return std::move(begun_); }

 private:
  using Counts = std::map<LimitScopeKey, std::uint64_t>;
  bool has_room_for(const Job& job);
  void count(const Job& job, Counts& counts) const;

  const Cluster& cluster_;
  Time now_;
  std::optional<LimitSources> sources_;  // made when first needed
  std::optional<Counts> counts_;         // likewise
  IdSet begun_;
};

// For a submitted job: from when on its age counts. Unset if a plan has to decide that, because
// there are limits, or because the job waits for more than its begin time.
Time accrues_from(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::sched
