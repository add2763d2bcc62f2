// Which jobs a request means: ids as users write them, and filters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/text/idset.h"
#include "model/job/job_state.h"

namespace muster::wire {

// A job id as users write it: "12", "12_3", "12_[1-4]", "12+1"; `step` for "12.0", "12.batch".
struct JobRef {
  JobId job;
  IdSet tasks;  // empty = the job or the whole array
  std::optional<StepId> step;
  std::optional<std::uint32_t> component;  // of a heterogeneous job
  bool operator==(const JobRef&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, tasks);
    v(3, step);
    v(100, component);
  }
};
Result<JobRef> parse_job_ref(std::string_view text);
std::string job_ref_text(const JobRef& ref);

// Empty lists select everything.
struct JobFilter {
  std::vector<JobRef> jobs;
  std::vector<Text> users, accounts, names, partitions, qos, nodes, reservations, licenses;
  std::vector<Uid> uids;
  std::vector<JobState> states;
  bool all_states = false;  // -t all
  bool completing = false;  // also jobs in COMPLETING
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, users);
    v(3, accounts);
    v(4, names);
    v(5, partitions);
    v(6, qos);
    v(7, nodes);
    v(8, reservations);
    v(9, licenses);
    v(10, uids);
    v(11, states);
    v(12, all_states);
    v(13, completing);
  }
};

}  // namespace muster::wire
