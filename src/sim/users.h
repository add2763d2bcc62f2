// The random requests of users and administrators of the simulated cluster.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "model/accounts/accounts_news.h"
#include "model/cluster.h"
#include "sim/schedule.h"
#include "wire/requests.h"

namespace muster::sim {

// A job, an array or a heterogeneous job for nodes with this many CPUs; it may depend on one of
// these jobs.
wire::SubmitRequest some_submission(Schedule& chance, std::uint32_t cpus,
                                    const std::set<JobId>& acknowledged);
// The same with options that need partitions, QOS, licenses and so on (machines.cc).
wire::SubmitRequest some_rich_submission(Schedule& chance, std::uint32_t cpus,
                                         const std::set<JobId>& acknowledged, Time now);
// Cancels, requeues, suspends or resumes one of the jobs.
wire::Request some_interference(Schedule& chance, const std::set<JobId>& acknowledged);

// A change of the accounts: a QOS, an administrator, coordinators or an association.
AccountsNews some_news(Schedule& chance, const Text& cluster);

// A caller and a request: "hold", "update_node", "srun", ...
struct RandomRequest {
  std::string_view verb;
  wire::Request request;
  Uid by;
};
// What a user knows before making a request.
struct UserView {
  Schedule& chance;
  const Cluster& cluster;
  const std::set<JobId>& acknowledged;
};
std::vector<std::string_view> verbs();
// A request of any kind; none if there is nothing that it could be about.
std::optional<RandomRequest> random_request(const UserView& view);
// What an administrator does so that all jobs can end: releases, resumes, powers up.
std::vector<wire::Request> repairs(const Cluster& cluster);

}  // namespace muster::sim
