// Does a job match what a user asked for? Shared by listings and by scancel.
#pragma once

#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Whether a query lists so much that answering it would take long on any cluster.
Result<void> check_query(const wire::Request& query);
Result<void> check_filter(const wire::JobFilter& filter);

// Each is a node's name or the one of its machine.
Result<void> check_nodes(const Cluster& cluster, const std::vector<Text>& names);

// A filter in the order in which it is looked through quickly, however long its lists are.
class JobMatcher {
 public:
  explicit JobMatcher(wire::JobFilter filter);
  bool matches(const Cluster& cluster, const Job& job) const;

 private:
  bool names(const Job& job) const;

  wire::JobFilter filter_;  // its lists in order
};

bool matches(const Cluster& cluster, const Job& job, const wire::JobFilter& filter);

}  // namespace muster::controller
