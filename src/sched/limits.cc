#include "sched/limits.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/duration.h"
#include "sched/request.h"

namespace muster::sched {

namespace {

using Amounts = std::map<Text, std::uint64_t>;

// How a limit is called that was met by a resource of a kind.
enum class Scope : std::uint8_t {
  group,
  group_minutes,
  user,
  account,
  job,
  node,
  job_minutes,
  least,
};

struct Words {
  std::string_view tres;  // or the beginning of its name
  std::array<std::string_view, 8> by_scope;
};

constexpr Words kWords[] = {
    {"cpu",
     {"QOSGrpCpuLimit", "QOSGrpCPURunMinutesLimit", "QOSMaxCpuPerUserLimit", "MaxCpuPerAccount",
      "QOSMaxCpuPerJobLimit", "QOSMaxCpuPerNode", "QOSMaxCpuMinutesPerJobLimit",
      "QOSMinCpuNotSatisfied"}},
    {"mem",
     {"QOSGrpMemLimit", "QOSGrpMemRunMinutes", "QOSMaxMemoryPerUser", "MaxMemoryPerAccount",
      "QOSMaxMemoryPerJob", "QOSMaxMemoryPerNode", "QOSMaxMemoryMinutesPerJob", "QOSMinMemory"}},
    {"node",
     {"QOSGrpNodeLimit", "QOSGrpNodeRunMinutes", "QOSMaxNodePerUserLimit", "MaxNodePerAccount",
      "QOSMaxNodePerJobLimit", "QOSMaxNodePerJobLimit", "QOSMaxNodeMinutesPerJob", "QOSMinNode"}},
    {"gres/",
     {"QOSGrpGRES", "QOSGrpGRESRunMinutes", "QOSMaxGRESPerUser", "MaxGRESPerAccount",
      "QOSMaxGRESPerJob", "QOSMaxGRESPerNode", "QOSMaxGRESMinutesPerJob", "QOSMinGRES"}},
    {"license/",
     {"QOSGrpLicense", "QOSGrpLicenseRunMinutes", "QOSMaxLicensePerUser", "MaxLicensePerAccount",
      "QOSMaxLicensePerJob", "QOSMaxLicensePerJob", "QOSMaxLicenseMinutesPerJob", "QOSMinLicense"}},
    {"billing",
     {"QOSGrpBilling", "QOSGrpBillingRunMinutes", "QOSMaxBillingPerUser", "MaxBillingPerAccount",
      "QOSMaxBillingPerJob", "QOSMaxBillingPerNode", "QOSMaxBillingMinutesPerJob",
      "QOSMinBilling"}},
};

Text words_for(Scope scope, std::string_view tres) {
  for (const Words& words : kWords)
    if (tres.starts_with(words.tres)) return words.by_scope[static_cast<std::size_t>(scope)];
  return "QOSResourceLimit";
}

std::uint64_t held(const Amounts& amounts, const Text& name) {
  auto at = amounts.find(name);
  return at == amounts.end() ? 0 : at->second;
}

// Limits that are also set in `before` are its affair.
Text exceeded(Scope scope, const TresAmounts& limits, const TresAmounts* before,
              const Amounts& used, const Amounts& wanted) {
  for (const auto& [name, limit] : limits) {
    if (before && amount_of(*before, name)) continue;
    std::uint64_t more = held(wanted, name);
    if (more > 0 && held(used, name) + more > limit) return words_for(scope, name);
  }
  return {};
}

Amounts times(const Amounts& amounts, std::uint64_t factor) {
  Amounts product = amounts;
  for (auto& [name, amount] : product) amount *= factor;
  return product;
}

// A run without a limit is charged a year of minutes.
std::uint64_t minutes_of(Minutes limit) {
  constexpr Minutes kYear{365 * 24 * 60};
  return static_cast<std::uint64_t>(std::max(Minutes{1}, std::min(limit, kYear)).count());
}

// The first is asked for every limit, the second for those that the first does not set.
std::vector<const Qos*> qos_of(const Cluster& cluster, const Job& job, const Partition* partition) {
  std::vector<const Qos*> both;
  const Qos* own = cluster.find_qos(job.qos);
  const Qos* theirs = partition ? cluster.find_qos(partition->qos) : nullptr;
  if (theirs && theirs != own) both.push_back(theirs);
  if (own) both.insert(own->over_partition ? both.begin() : both.end(), own);
  return both;
}

bool is_unlimited(const Limits& limits) { return limits == Limits{}; }

// What one job may ask for, whatever else runs.
Text by_job(const Limits& limits, const Limits* before, const Run& run, const Amounts& wanted) {
  auto tres = [&](const TresAmounts Limits::* of) { return before ? &(before->*of) : nullptr; };
  const Amounts nothing;
  Text found =
      exceeded(Scope::job, limits.max_per_job, tres(&Limits::max_per_job), nothing, wanted);
  if (!found.empty()) return found;
  found =
      exceeded(Scope::job_minutes, limits.max_minutes_per_job, tres(&Limits::max_minutes_per_job),
               nothing, times(wanted, minutes_of(run.limit)));
  if (!found.empty()) return found;
  for (const NodeShare& share : *run.shares) {
    found = exceeded(Scope::node, limits.max_per_node, tres(&Limits::max_per_node), nothing,
                     amounts_of({share}, {}));
    if (!found.empty()) return found;
  }
  for (const auto& [name, least] : limits.min_per_job)
    if (held(wanted, name) < least && !(before && amount_of(before->min_per_job, name)))
      return words_for(Scope::least, name);
  return {};
}

Text too_long(const Limits& limits, const Limits* before, Minutes limit) {
  if (!limits.max_wall || (before && before->max_wall)) return {};
  return limit > *limits.max_wall ? Text("QOSMaxWallDurationPerJobLimit") : Text();
}

bool is_full(const std::optional<std::uint32_t>& limit, const std::optional<std::uint32_t>* before,
             std::uint64_t used, std::uint64_t more) {
  return limit && !(before && *before) && used + more > *limit;
}

}  // namespace

std::map<Text, std::uint64_t> amounts_of(
    const std::vector<NodeShare>& shares,
    const std::vector<std::pair<Text, std::uint32_t>>& licenses) {
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
  sum["billing"] = sum["cpu"];
  for (const auto& [name, count] : licenses) sum[Text("license/" + name.str())] += count;
  return sum;
}

LimitBook::LimitBook(const Cluster& cluster, Time now) : cluster_(cluster) {
  is_needed_ = std::ranges::any_of((*cluster.config).qos,
                                   [](const Qos& qos) { return !is_unlimited(qos.limits); });
  if (!is_needed_) return;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!is_active(job.state)) continue;
    auto licenses = parse_licenses(cluster, job.spec->licenses);
    Minutes left{0};
    if (Time end = job.end_limit(); end == Time::max())
      left = kUnlimited;
    else if (end > now)
      left = std::chrono::ceil<Minutes>(end - now);
    add(job, cluster.find_partition(job.partition),
        amounts_of(job.allocation,
                   licenses.value_or(std::vector<std::pair<Text, std::uint32_t>>{})),
        minutes_of(left));
  }
}

void LimitBook::add(const Job& job, const Partition* partition, const Amounts& tres,
                    std::uint64_t minutes) {
  for (const Qos* qos : qos_of(cluster_, job, partition))
    for (Use* use : {&groups_[qos->name], &users_[{qos->name, job.spec->uid}],
                     &accounts_[{qos->name, job.account}]}) {
      ++use->jobs;
      for (const auto& [name, amount] : tres) {
        use->tres[name] += amount;
        use->run_minutes[name] += amount * minutes;
      }
    }
}

Text LimitBook::before_placing(const Job& job, const Partition& partition, Minutes limit) const {
  if (!is_needed_) return {};
  const Limits* before = nullptr;
  auto jobs = [](const auto& book, const auto& key) -> std::uint32_t {
    auto at = book.find(key);
    return at == book.end() ? 0 : at->second.jobs;
  };
  for (const Qos* qos : qos_of(cluster_, job, &partition)) {
    const Limits& l = qos->limits;
    auto other = [&](SharedLimits Limits::* scope) {
      return before ? &(before->*scope).jobs : nullptr;
    };
    if (is_full(l.group.jobs, other(&Limits::group), jobs(groups_, qos->name), 1))
      return "QOSGrpJobsLimit";
    if (is_full(l.per_user.jobs, other(&Limits::per_user),
                jobs(users_, std::pair{qos->name, job.spec->uid}), 1))
      return "QOSMaxJobsPerUserLimit";
    if (is_full(l.per_account.jobs, other(&Limits::per_account),
                jobs(accounts_, std::pair{qos->name, job.account}), 1))
      return "MaxJobsPerAccount";
    if (Text found = too_long(l, before, limit); !found.empty()) return found;
    before = &l;
  }
  return {};
}

Text LimitBook::in_the_way(const Run& run) const {
  if (!is_needed_) return {};
  const Amounts wanted = amounts_of(*run.shares, *run.licenses);
  const Amounts minutes = times(wanted, minutes_of(run.limit));
  const Use nothing;
  auto use = [&](const auto& book, const auto& key) -> const Use& {
    auto at = book.find(key);
    return at == book.end() ? nothing : at->second;
  };
  const Limits* before = nullptr;
  for (const Qos* qos : qos_of(cluster_, *run.job, run.partition)) {
    const Limits& l = qos->limits;
    auto shared = [&](Scope scope, SharedLimits Limits::* of, const Use& used) {
      return exceeded(scope, (l.*of).tres, before ? &(before->*of).tres : nullptr, used.tres,
                      wanted);
    };
    const Use& group = use(groups_, qos->name);
    for (const Text& found :
         {by_job(l, before, run, wanted), shared(Scope::group, &Limits::group, group),
          exceeded(Scope::group_minutes, l.group.run_minutes,
                   before ? &before->group.run_minutes : nullptr, group.run_minutes, minutes),
          shared(Scope::user, &Limits::per_user,
                 use(users_, std::pair{qos->name, run.job->spec->uid})),
          shared(Scope::account, &Limits::per_account,
                 use(accounts_, std::pair{qos->name, run.job->account}))})
      if (!found.empty()) return found;
    before = &l;
  }
  return {};
}

void LimitBook::start(const Run& run) {
  if (!is_needed_) return;
  add(*run.job, run.partition, amounts_of(*run.shares, *run.licenses), minutes_of(run.limit));
}

namespace {

// How many jobs of this QOS are waiting and running, by whom they count.
struct Queued {
  std::uint64_t all = 0, of_user = 0, of_account = 0;
};

Queued queued_under(const Cluster& cluster, const Qos& qos, const Job& like) {
  Queued queued;
  auto count = [&](std::uint32_t id) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (is_ended(job.state)) return;
    const Partition* partition = cluster.find_partition(job.partition);
    if (job.qos != qos.name && !(partition && partition->qos == qos.name)) return;
    std::uint64_t jobs = std::max<std::uint64_t>(1, job.waiting_tasks.size());
    queued.all += jobs;
    if (job.spec->uid == like.spec->uid) queued.of_user += jobs;
    if (job.account == like.account) queued.of_account += jobs;
  };
  for (std::uint32_t id : cluster.pending.ids()) count(id);
  for (std::uint32_t id : cluster.active.ids()) count(id);
  return queued;
}

bool limits_queue(const Limits& l) {
  return l.group.submitted || l.per_user.submitted || l.per_account.submitted;
}

Text too_many(const Limits& l, const Limits* before, const Queued& queued, std::uint64_t more) {
  auto other = [&](SharedLimits Limits::* of) {
    return before ? &(before->*of).submitted : nullptr;
  };
  if (is_full(l.group.submitted, other(&Limits::group), queued.all, more))
    return "QOSGrpSubmitJobsLimit";
  if (is_full(l.per_user.submitted, other(&Limits::per_user), queued.of_user, more))
    return "QOSMaxSubmitJobPerUserLimit";
  if (is_full(l.per_account.submitted, other(&Limits::per_account), queued.of_account, more))
    return "MaxSubmitJobsPerAccount";
  return {};
}

// Even alone it would exceed what all its jobs may hold together.
Text never_fits(const Limits& l, const Limits* before, const Run& run) {
  const Amounts wanted = amounts_of(*run.shares, *run.licenses);
  const Amounts nothing;
  if (Text found = too_long(l, before, run.limit); !found.empty()) return found;
  if (Text found = by_job(l, before, run, wanted); !found.empty()) return found;
  const std::pair<Scope, SharedLimits Limits::*> scopes[] = {
      {Scope::group, &Limits::group},
      {Scope::user, &Limits::per_user},
      {Scope::account, &Limits::per_account}};
  for (auto [scope, of] : scopes)
    if (Text found =
            exceeded(scope, (l.*of).tres, before ? &(before->*of).tres : nullptr, nothing, wanted);
        !found.empty())
      return found;
  return {};
}

}  // namespace

Text refused_by_limit(const Cluster& cluster, const Run& run, std::uint64_t tasks) {
  const Limits* before = nullptr;
  for (const Qos* qos : qos_of(cluster, *run.job, run.partition)) {
    if (limits_queue(qos->limits))
      if (Text found = too_many(qos->limits, before, queued_under(cluster, *qos, *run.job), tasks);
          !found.empty())
        return found;
    if (qos->deny_on_limit)
      if (Text found = never_fits(qos->limits, before, run); !found.empty()) return found;
    before = &qos->limits;
  }
  return {};
}

}  // namespace muster::sched
