// Accruals: whose age begins to count. A job grows older while nothing but others' use of the
// cluster keeps it waiting (is_eligible), as far as GrpJobsAccrue and its relatives allow: they say
// how many waiting jobs of an association or a QOS may do so at a time. An array that waits as one
// record grows older as one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/cluster.h"
#include "sched/limits/rulers.h"

namespace muster::sched {

class Accruals {
 public:
  Accruals(const Cluster& cluster, Time now) : cluster_(cluster), now_(now) {}

  // In the order of priority: who comes first has the room there is.
  void look_at(const Job& job);
  IdSet take() { return std::move(begun_); }

 private:
  using Counts = std::map<UseKey, std::uint64_t>;
  bool has_room_for(const Job& job);
  void count(const Job& job, Counts& counts) const;

  const Cluster& cluster_;
  Time now_;
  std::optional<Rulers> rulers_;  // made when somebody asks
  std::optional<Counts> counts_;  // likewise
  IdSet begun_;
};

// For one that is submitted: from when on its age counts, where no plan need say so because there
// are no limits and nothing but its begin time is known to keep it back.
Time accrues_from(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::sched
