// The keys that scontrol update knows of a job, and what each makes of its value.
#pragma once

#include <span>

#include "base/text/strings.h"
#include "controller/update/settings_list.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// The job as it will be; JobUpdated carries it.
struct JobDraft {
  const Cluster& cluster;
  const Job& job;
  Time now;
  bool by_operator;
  JobRequest spec;
  JobUpdated event;
  std::uint32_t keeps_nodes = 0;  // a running job: it gives back all but so many; 0 = none
};

struct JobKey {
  std::string_view name;
  bool pending_only;
  Result<void> (*set)(JobDraft&, std::string_view value);
};

// Nothing where no key is called so, in whatever case.
const JobKey* find_job_key(std::string_view name);

// The keys of what a job asks for: nodes, CPUs, memory, devices, licenses.
std::span<const JobKey> job_request_keys();

inline Result<void> bad_value(ErrorCode code = ErrorCode::failure) {
  return fail(code, code == ErrorCode::failure ? "Invalid value" : "");
}

// What only administrators may change.
template <auto Set>
Result<void> by_operators(JobDraft& d, std::string_view value) {
  return d.by_operator ? Set(d, value) : fail(ErrorCode::access_denied);
}

template <auto Member>
Result<void> set_text(JobDraft& d, std::string_view value) {
  d.spec.*Member = Text(value);
  return {};
}

template <auto Member>
Result<void> set_yes_no(JobDraft& d, std::string_view value) {
  auto yes = parse_yes_no(value);
  if (!yes) return bad_value();
  d.spec.*Member = *yes;
  return {};
}

}  // namespace muster::controller
