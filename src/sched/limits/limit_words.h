// How a limit is called that was met: by whom it was set, what it counts, and which resource.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/containers/text.h"

namespace muster::sched {

enum class Setter : std::uint8_t { qos, association };

enum class Scope : std::uint8_t {
  group,
  group_run_minutes,
  group_past_minutes,
  job,
  node,
  job_minutes,
  user,  // from here on only of a QOS
  account,
  least,
};

Text words_for(Setter setter, Scope scope, std::string_view tres);

// Those that count something else than a resource.
struct CountWords {
  std::string_view group_jobs, user_jobs, account_jobs;
  std::string_view group_submitted, user_submitted, account_submitted;
  std::string_view group_wall, job_wall;
};
const CountWords& count_words(Setter setter);

}  // namespace muster::sched
