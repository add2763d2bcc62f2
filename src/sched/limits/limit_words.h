// limit_words: Slurm's name for a limit that was reached, by its source, scope and resource.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/containers/text.h"

namespace muster::sched {

enum class SourceKind : std::uint8_t { qos, association };

enum class Scope : std::uint8_t {
  group,
  group_run_minutes,
  group_past_minutes,
  job,
  node,
  job_minutes,
  user,  // from here on only QOS limits
  account,
  least,
};

Text words_for(SourceKind kind, Scope scope, std::string_view tres);

// Names of limits that do not count a resource.
struct CountWords {
  std::string_view group_jobs, user_jobs, account_jobs;
  std::string_view group_submitted, user_submitted, account_submitted;
  std::string_view group_wall, job_wall;
};
const CountWords& count_words(SourceKind kind);

}  // namespace muster::sched
