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
  singleton,
};

struct Condition {
  DependencyKind kind = DependencyKind::after_any;
  JobId job;
  std::optional<std::uint32_t> task;
  Minutes delay{};  // after:12+5
};

struct Dependencies {
  std::vector<Condition> conditions;
  bool any = false;  // "?": one is enough
};

// "afterok:12:13,afterany:14_3", "after:5+10", "singleton", "afterok:1?afternotok:1"
Result<Dependencies> parse_dependencies(std::string_view text);

enum class Fulfilment : std::uint8_t { met, waiting, never };

// For a waiting array record `task` names the task that is asked about (aftercorr).
Fulfilment fulfilment(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                      std::optional<std::uint32_t> task, Time now);

// What is left, as users see it: "afterok:12(unfulfilled),afterok:13(failed)"; "" when all is met.
std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::sched
