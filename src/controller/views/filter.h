// Whether a job matches what a user asked for. Used by listings and by scancel.
#pragma once

#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Fails if the query lists so much that answering it would take long on any cluster.
Result<void> check_query(const wire::Request& query);
Result<void> check_filter(const wire::JobFilter& filter);

// A filter with sorted lists, so that checking a job is quick however long the lists are.
class JobMatcher {
 public:
  explicit JobMatcher(wire::JobFilter filter);
  bool matches(const Cluster& cluster, const Job& job) const;

 private:
  bool names(const Job& job) const;

  wire::JobFilter filter_;  // its lists are sorted
};

bool matches(const Cluster& cluster, const Job& job, const wire::JobFilter& filter);

}  // namespace muster::controller
