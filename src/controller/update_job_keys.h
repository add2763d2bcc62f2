// The keys of `scontrol update job` and what each changes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// The job as it will be; JobUpdated carries it.
struct JobDraft {
  const Cluster& cluster;
  const Job& job;
  Time now;
  bool by_operator;
  JobSpec spec;
  JobUpdated event;
};

struct JobKey {
  std::string_view name;
  bool pending_only;
  Result<void> (*set)(JobDraft&, std::string_view value);
};

// nullptr where there is none of this name.
const JobKey* find_job_key(std::string_view name);

}  // namespace muster::controller
