// Computes the factors of priority/multifactor and their weighted sum.
#include "sched/priority/priority.h"

#include <algorithm>
#include <cmath>

#include "base/text/duration.h"
#include "sched/priority/usage.h"

namespace muster::sched {

Priorities::Priorities(const Cluster& cluster, Time now)
    : cluster_(cluster), now_(now), shares_(cluster, now) {
  if (!cluster.settings().priority.multifactor) return;
  for (const Partition& p : *cluster.partitions)
    most_partition_ = std::max<double>(most_partition_, p.priority_job_factor);
  for (const Qos* q : cluster.all_qos()) most_qos_ = std::max<double>(most_qos_, q->priority);
  for (const Association& a : *cluster.associations)
    most_association_ = std::max<double>(most_association_, a.priority);
  for (const NodeConfig& node : (*cluster.config).nodes) {
    nodes_ += 1;
    cpus_ += node.cpus;
    cache_ += static_cast<double>(node.memory_mib);
    for (const GresPool& pool : node.gres)
      if (pool.name == "gpu") gpus_ += static_cast<double>(pool.count);
  }
}

std::uint32_t Priorities::priority_of(const Job& job, const Partition* partition) const {
  if (job.hold != Hold::none) return 0;
  const PrioritySettings& s = cluster_.settings().priority;
  if (!s.multifactor || job.priority_fixed) return job.priority;
  if (is_active(job.state) && !s.of_running) return job.priority;
  const std::uint32_t total = factors(job, partition).total;
  return s.increase_only ? std::max(total, job.least_priority) : total;
}

namespace {

double tasks_of(const Job& job) {
  double nodes = std::max(1u, job.spec->min_nodes);
  return job.spec->num_tasks ? std::max(1u, *job.spec->num_tasks)
                             : nodes * job.spec->ntasks_per_node.value_or(1);
}

double cpus_of(const Job& job) { return tasks_of(job) * job.spec->cpus_per_task.value_or(1); }

}  // namespace

// The fraction of the cluster that the job asks for. Large jobs come first, unless small ones are
// favoured.
double Priorities::size_factor(const Job& job) const {
  const PrioritySettings& s = cluster_.settings().priority;
  if (nodes_ == 0 || cpus_ == 0) return 0;
  double nodes = std::max(1u, job.spec->min_nodes);
  if (s.size_by_time) {
    double minutes =
        job.time_limit == kUnlimited ? 1e9 : std::max<double>(1, job.time_limit.count());
    return std::clamp(1 - cpus_of(job) / minutes / cpus_, 0.0, 1.0);
  }
  double part = (nodes / nodes_ + cpus_of(job) / cpus_) / 2;
  if (s.favor_small) part = (nodes_ - nodes) / nodes_ / 2 + (cpus_ - cpus_of(job)) / cpus_ / 2;
  return std::clamp(part, 0.0, 1.0);
}

std::vector<TresFactor> Priorities::tres_factors(const Job& job) const {
  std::vector<TresFactor> factors;
  const bool normal = !cluster_.settings().priority.no_normal_tres;
  auto part = [&](double wanted, double all) {
    if (!normal) return wanted;
    return all > 0 ? std::min(1.0, wanted / all) : 0;
  };
  for (const auto& [name, weight] : cluster_.settings().priority.tres) {
    double wanted = 0, all = 0;
    if (name == "cpu") {
      wanted = cpus_of(job);
      all = cpus_;
    } else if (name == "node") {
      wanted = std::max(1u, job.spec->min_nodes);
      all = nodes_;
    } else if (name == "mem") {
      wanted = job.spec->memory_per_cpu_mib
                   ? static_cast<double>(*job.spec->memory_per_cpu_mib) * cpus_of(job)
                   : static_cast<double>(job.spec->memory_per_node_mib.value_or(0)) *
                         std::max(1u, job.spec->min_nodes);
      all = cache_;
    } else if (name == "gres/gpu") {
      if (auto list = parse_gres(job.spec->gres))
        for (const GresRequest& g : *list)
          if (g.name == "gpu")
            wanted += static_cast<double>(g.count) * std::max(1u, job.spec->min_nodes);
      if (auto g = parse_gpus(job.spec->gpus)) wanted += static_cast<double>(sum_of(*g));
      if (auto g = parse_gpus(job.spec->gpus_per_node))
        wanted += static_cast<double>(sum_of(*g)) * std::max(1u, job.spec->min_nodes);
      if (auto g = parse_gpus(job.spec->gpus_per_task))
        wanted += static_cast<double>(sum_of(*g)) * tasks_of(job);
      all = gpus_;
    }
    factors.push_back({name, part(wanted, all), weight});
  }
  return factors;
}

std::uint32_t basic_priority(JobId id, std::int32_t nice) {
  constexpr std::int64_t kHighest = 4294901760;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(kHighest - id.value - nice, 1, 4294967294));
}

double Priorities::age_factor(const Job& job) const {
  const PrioritySettings& s = cluster_.settings().priority;
  const Time since = s.accrue_always ? job.submitted : job.accrues_since;
  if (!is_set(since) || since > now_ || s.max_age.count() == 0) return 0;
  return std::min(
      1.0, std::chrono::duration<double>(now_ - since) / std::chrono::duration<double>(s.max_age));
}

double Priorities::association_factor(const Job& job) const {
  const auto& all = *cluster_.associations;
  if (all.empty()) return 0;
  const Association* own = find_association(all, association_of(cluster_, job));
  if (!own) return 0;
  if (cluster_.settings().priority.no_normal_assoc) return own->priority;
  return most_association_ > 0 ? own->priority / most_association_ : 0;
}

Factors Priorities::factors(const Job& job, const Partition* partition) const {
  const PrioritySettings& s = cluster_.settings().priority;
  Factors f;
  f.age = age_factor(job);
  f.association = association_factor(job);
  f.job_size = size_factor(job);
  if (partition)
    f.partition = s.no_normal_part      ? partition->priority_job_factor
                  : most_partition_ > 0 ? partition->priority_job_factor / most_partition_
                                        : 0;
  if (const Qos* qos = cluster_.find_qos(job.qos))
    f.qos = s.no_normal_qos ? qos->priority : most_qos_ > 0 ? qos->priority / most_qos_ : 0;
  if (s.fair_share) f.fair_share = shares_.factor_of(cluster_, job);
  f.tres = tres_factors(job);
  f.nice = job.spec->nice;
  f.site = job.spec->site_factor;
  double sum = s.age * f.age + s.association * f.association + s.fair_share * f.fair_share +
               s.job_size * f.job_size + s.partition * f.partition + s.qos * f.qos + f.site -
               f.nice;
  for (const TresFactor& tres : f.tres) sum += tres.weight * tres.factor;
  f.total = static_cast<std::uint32_t>(std::clamp(std::floor(sum), 1.0, 4294967294.0));
  return f;
}

}  // namespace muster::sched
