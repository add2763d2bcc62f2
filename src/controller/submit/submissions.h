// Submissions: checks a request against the cluster and turns it into jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controller/ledger/ledger.h"
#include "controller/submit/partition_choice.h"
#include "model/job/shared_parts.h"
#include "sched/place/feasibility_cache.h"
#include "wire/client_messages.h"

namespace muster::controller {

class Submissions {
 public:
  Submissions(Ledger& ledger, Host& host) : ledger_(ledger), host_(host) {}

  // Moves specification, script and environment out of the request. `vetted`: a script of the site
  // has seen it (site_says.h).
  wire::Answer submit(Caller caller, wire::SubmitRequest& request, bool vetted = false);
  // The job, or the components of a heterogeneous job with consecutive ids. A hold of one
  // component applies to all, and so does the dependency of the first. Nothing is recorded.
  Result<std::vector<Job>> accept_all(Caller caller, wire::SubmitRequest& request,
                                      bool vetted = false);

 private:
  Result<Job> accept(Caller caller, JobRequest spec, bool vetted);
  Result<void> fits_partition(const Job& job, const Partition& partition, const Submitter& who);

  Ledger& ledger_;
  Host& host_;
  SharedParts shared_parts_;
  sched::FeasibilityCache feasibility_;
  std::uint64_t feasible_version_ = 0;  // version of the nodes that these answers are about
};

// Options that only operators may use, and jobs for other users.
Result<void> may_ask_for(const JobRequest& spec, const Caller& caller, bool by_operator);
Submitter submitter_of(const Ledger& ledger, Host& host, Caller caller, const JobSpec& spec,
                       const Text& account, const Text& qos,
                       const std::vector<const Partition*>& named);
bool fits_limits_of_partition(const Cluster& cluster, const Job& job);

}  // namespace muster::controller
