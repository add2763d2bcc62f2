// Sums up allocations, and bills them by TRESBillingWeights.
#include "sched/request/amounts.h"

#include <algorithm>

#include "sched/request/request.h"

namespace muster::sched {

Amounts amounts_of(const std::vector<NodeShare>& shares, const Licenses& licenses) {
  Amounts sum;
  for (const NodeShare& share : shares) {
    sum["cpu"] += share.cpus.size();
    sum["mem"] += share.memory_mib;
    for (const GresShare& gres : share.gres) {
      std::string name = "gres/" + gres.name.str();
      sum[Text(name)] += gres.count;
      if (!gres.type.empty()) sum[Text(name + ":" + gres.type.str())] += gres.count;
    }
  }
  sum["node"] = shares.size();
  for (const auto& [name, count] : licenses) sum[Text("license/" + name.str())] += count;
  return sum;
}

Amounts billed_amounts(const Cluster& cluster, const Partition* partition,
                       const std::vector<NodeShare>& shares, const Licenses& licenses) {
  Amounts amounts = amounts_of(shares, licenses);
  amounts["billing"] = static_cast<std::uint64_t>(billed(cluster, partition, amounts));
  return amounts;
}

Amounts least_amounts(const Cluster& cluster, const Partition& partition,
                      const ResourceRequest& request) {
  Amounts least;
  const std::uint64_t nodes = std::max(1u, request.min_nodes);
  std::uint64_t tasks = request.tasks;
  if (request.tasks_follow_nodes) tasks = std::max(tasks, nodes * request.tasks_on_each_node());
  std::uint64_t cpus = nodes * std::max(1u, request.min_cpus_per_node);
  if (!request.overcommit) cpus = std::max(cpus, tasks * std::max(1u, request.cpus_per_task));
  least["node"] = nodes;
  least["cpu"] = cpus;
  if (request.memory_per_node_mib) least["mem"] = *request.memory_per_node_mib * nodes;
  if (request.memory_per_cpu_mib) least["mem"] = *request.memory_per_cpu_mib * cpus;
  auto add = [&](const GresRequests& list, std::uint64_t times) {
    for (const GresRequest& gres : list) {
      const std::string name = "gres/" + gres.name.str();
      least[Text(name)] += gres.count * times;
      if (!gres.type.empty()) least[Text(name + ":" + gres.type.str())] += gres.count * times;
    }
  };
  add(request.gres_per_node, nodes);
  add(request.gpus_total, 1);
  add(request.gpus_per_task, tasks);
  for (const auto& [name, count] : request.licenses) least[Text("license/" + name.str())] += count;
  // With negative weights a larger allocation may cost less, so no least cost is known.
  const auto& weights = partition.tres_billing_weights.parsed();
  if (!weights || std::ranges::all_of(*weights, [](const auto& w) { return w.weight >= 0; }))
    least["billing"] = static_cast<std::uint64_t>(billed(cluster, &partition, least));
  return least;
}

Amounts amounts_of(const Cluster& cluster, const Job& job) {
  return billed_amounts(cluster, cluster.partition_of(job), job.run->allocation,
                        licenses_in(job.spec->licenses));
}

double billed(const Amounts& amounts, const BillingWeightList& weights, bool only_most) {
  if (!weights.parsed() || weights.parsed()->empty())
    return static_cast<double>(amount_in(amounts, "cpu"));
  double sum = 0, most = 0;
  for (const auto& [name, weight] : *weights.parsed()) {
    const double cost = static_cast<double>(amount_in(amounts, name)) * weight;
    const bool is_of_nodes = !name.view().starts_with("license/");
    if (only_most && is_of_nodes)
      most = std::max(most, cost);
    else
      sum += cost;
  }
  return std::clamp(sum + most, 0.0, 1e18);  // weights may be negative, or very large
}

double billed(const Cluster& cluster, const Partition* partition, const Amounts& amounts) {
  static const BillingWeightList none;
  return billed(amounts, partition ? partition->tres_billing_weights : none,
                cluster.settings().priority.max_tres);
}

std::optional<std::uint64_t> weighted_billing(const Cluster& cluster, const Job& job) {
  const Partition* partition = cluster.partition_of(job);
  if (job.run->allocation.empty() || !partition || partition->tres_billing_weights.empty())
    return std::nullopt;
  return amount_in(amounts_of(cluster, job), "billing");
}

std::uint64_t amount_in(const Amounts& amounts, const Text& name) {
  auto at = amounts.find(name);
  return at == amounts.end() ? 0 : at->second;
}

}  // namespace muster::sched
