// Dependencies between jobs: --dependency texts, and whether they are met.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster::sched {

enum class DependencyKind : std::uint8_t {
  after,
  after_any,
  after_ok,
  after_not_ok,
  after_corr,
  after_burst_buffer,  // there are no burst buffers: as after_any
  singleton,
};

struct Condition {
  DependencyKind kind = DependencyKind::after_any;
  JobId job;
  std::optional<std::uint32_t> task;
  Minutes delay{};  // after:12+5; others may say it, too, and it means nothing
  auto operator<=>(const Condition&) const = default;
};

struct Dependencies {
  std::vector<Condition> conditions;
  bool any = false;  // "?": one is enough
};

// "afterok:12:13,afterany:14_3", "after:5+10", "singleton", "afterok:1?afternotok:1", "12"
Result<Dependencies> parse_dependencies(std::string_view text);
std::string_view dependency_name(DependencyKind kind);  // "afterok"

enum class Fulfilment : std::uint8_t { met, waiting, never };

// For a waiting array record `task` names the task that is asked about (aftercorr).
Fulfilment fulfilment(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                      std::optional<std::uint32_t> task, Time now);

// What is left, as users see it: "afterok:12(unfulfilled),afterok:13(failed)"; "" when all is met.
// Of a job that ended before it began: what was left then.
std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now);

// Whether a job may wait for others: not for itself, nor for one that waits for it.
Result<void> check_dependencies(const Cluster& cluster, const Job& job,
                                const Dependencies& dependencies);

}  // namespace muster::sched
