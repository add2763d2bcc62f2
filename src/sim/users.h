// What users and administrators of the simulated cluster ask for, by chance.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "model/cluster.h"
#include "sim/schedule.h"
#include "wire/requests.h"

namespace muster::sim {

// A job, an array or a heterogeneous job for nodes of so many CPUs; it may depend on one of these.
wire::SubmitRequest some_submission(Schedule& chance, std::uint32_t cpus,
                                    const std::set<JobId>& acknowledged);
// The same with options that need a site with partitions, QOS, licenses and so on (machines.cc).
wire::SubmitRequest some_rich_submission(Schedule& chance, std::uint32_t cpus,
                                         const std::set<JobId>& acknowledged, Time now);
// One of the jobs is cancelled, requeued, suspended or resumed.
wire::Request some_interference(Schedule& chance, const std::set<JobId>& acknowledged);

// Who asks, and what: "hold", "update_node", "srun", ...
struct Wish {
  std::string_view verb;
  wire::Request request;
  Uid by;
};
// What users know before they ask.
struct Outlook {
  Schedule& chance;
  const Cluster& cluster;
  const std::set<JobId>& acknowledged;
};
std::vector<std::string_view> verbs();
// Any verb; none where there is nothing that it could be about.
std::optional<Wish> some_wish(const Outlook& outlook);
// What an administrator does so that all jobs can end: releases, resumes, switches on.
std::vector<wire::Request> repairs(const Cluster& cluster);

}  // namespace muster::sim
