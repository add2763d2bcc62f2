// The keys of scontrol update job: how each one changes the job.
#pragma once

#include <span>

#include "base/text/strings.h"
#include "controller/update/settings_list.h"
#include "model/cluster.h"
#include "state/event.h"
#include "wire/update_keys.h"

namespace muster::controller {

// The job as it will be; JobUpdated is made from it.
struct JobDraft {
  const Cluster& cluster;
  const Job& job;
  Time now;
  bool by_operator;
  JobRequest spec;
  JobUpdated event;
  std::uint32_t keeps_nodes = 0;  // a running job keeps only so many nodes; 0 = all
};

// The function that applies a key of wire/update_keys.h.
struct JobSetter {
  std::string_view name;
  // None: the key is known, but not supported.
  Result<void> (*set)(JobDraft&, std::string_view value);
};

// A test checks that every key has one.
const JobSetter* find_job_setter(std::string_view name);
// Setters of what a job asks for: nodes, CPUs, memory, devices, licenses.
std::span<const JobSetter> job_request_setters();

// Applies the key, if the job's state allows it.
Result<void> set_job_key(JobDraft& d, std::string_view name, std::string_view value);

inline Result<void> bad_value(ErrorCode code = ErrorCode::failure) {
  return fail(code, code == ErrorCode::failure ? "Invalid value" : "");
}

template <auto Member>
Result<void> set_text(JobDraft& d, std::string_view value) {
  d.spec.*Member = Text(value);
  return {};
}

template <auto Member>
Result<void> set_yes_no(JobDraft& d, std::string_view value) {
  auto yes = wire::parse_yes_no(value);
  if (!yes) return bad_value();
  d.spec.*Member = *yes;
  return {};
}

}  // namespace muster::controller
