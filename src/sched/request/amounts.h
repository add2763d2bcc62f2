// Amounts: what an allocation holds, under the names that limits and weights use: "cpu", "mem"
// (MiB), "node", "billing", "gres/gpu", "gres/gpu:a100", "license/matlab".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/containers/text.h"
#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::sched {

using Amounts = std::map<Text, std::uint64_t>;

// Without billing.
Amounts amounts_of(const std::vector<NodeShare>& shares, const Licenses& licenses);
// With billing, computed from the partition's TRESBillingWeights.
Amounts billed_amounts(const Cluster& cluster, const Partition* partition,
                       const std::vector<NodeShare>& shares, const Licenses& licenses);
// What a run holds at least, on any nodes.
Amounts least_amounts(const Cluster& cluster, const Partition& partition,
                      const ResourceRequest& request);
// What a job holds, or held when it ran.
Amounts amounts_of(const Cluster& cluster, const Job& job);

// The cost of these amounts. Without weights a job costs its CPUs. `only_most`: of the node
// resources only the most expensive one counts (PriorityFlags=MAX_TRES).
double billed(const Amounts& amounts, const BillingWeightList& weights, bool only_most);
double billed(const Cluster& cluster, const Partition* partition, const Amounts& amounts);

// The cost of a job's allocation; unset if its partition has no weights.
std::optional<std::uint64_t> weighted_billing(const Cluster& cluster, const Job& job);

std::uint64_t amount_in(const Amounts& amounts, const Text& name);

}  // namespace muster::sched
