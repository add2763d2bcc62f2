// Charges running and recent jobs, and adds that to the decayed usage book.
#include "sched/priority/usage.h"

#include <algorithm>

#include "sched/request/amounts.h"

namespace muster::sched {

namespace {

bool limits_past(const SharedLimits& limits) {
  return !limits.past_minutes.empty() || limits.wall.has_value();
}

// How long the job ran since the book was written. The book is written whenever a job is suspended
// or resumed, so in between a job either ran all the time or not at all.
Millis run_since(const Job& job, Time as_of, Time now) {
  if (job.state == JobState::suspended || !is_set(job.run->started)) return Millis{0};
  Time until = is_ended(job.state) ? job.run->ended : now;
  return std::max(Millis{0}, until - std::max(job.run->started, as_of));
}

PastUse charge_of(const Cluster& cluster, const Job& job, double seconds) {
  const Amounts amounts = amounts_of(cluster, job);
  const Qos* qos = cluster.find_qos(job.qos);
  const double counted = seconds * (qos ? qos->usage_factor : 1);
  PastUse use;
  use.raw = counted * billed(cluster, cluster.find_partition(job.partition), amounts);
  use.wall_s = counted;
  for (const auto& [name, amount] : amounts)
    use.tres_s[name] = counted * static_cast<double>(amount);
  return use;
}

std::map<UsageOwner, PastUse> charges_since(const Cluster& cluster, Time from, Time now) {
  std::map<UsageOwner, PastUse> charges;
  auto charge = [&](std::uint32_t id) {
    const Job* job = cluster.jobs.find(JobId{id});
    if (!job) return;
    const Millis time = run_since(*job, from, now);
    if (time.count() == 0) return;
    const PastUse use = charge_of(cluster, *job, static_cast<double>(time.count()) / 1000);
    for (const Qos* qos : qos_of(cluster, *job, cluster.find_partition(job->partition)))
      charges[{.qos = qos->name, .association = {}}].add(use);
    charges[{.qos = {}, .association = association_of(cluster, *job)}].add(use);
  };
  // `uncounted` has the jobs that ended since. A job whose nodes still clean up is also in
  // `active`.
  IdSet ids = cluster.uncounted;
  for (std::uint32_t id : cluster.active.ids())
    if (is_active(cluster.jobs.at(JobId{id}).state)) ids.insert(id);
  for (std::uint32_t id : ids.ids()) charge(id);
  return charges;
}

Seconds half_life_of(const Cluster& cluster, const UsageOwner& owner) {
  const Qos* qos = owner.qos.empty() ? nullptr : cluster.find_qos(owner.qos);
  return qos && qos->no_decay ? Seconds{0} : cluster.settings().priority.shares.half_life;
}

}  // namespace

bool counts_usage(const Cluster& cluster) {
  auto qos_asks = [](const Qos* qos) {
    return limits_past(qos->limits.group) || qos->usage_threshold.has_value();
  };
  auto association_asks = [](const Association& a) { return limits_past(a.limits.group); };
  return cluster.settings().priority.multifactor ||
         std::ranges::any_of(cluster.all_qos(), qos_asks) ||
         std::ranges::any_of(*cluster.associations, association_asks);
}

std::vector<const Qos*> qos_of(const Cluster& cluster, const Job& job, const Partition* partition) {
  std::vector<const Qos*> both;
  const Qos* own = cluster.find_qos(job.qos);
  const Qos* theirs = partition ? cluster.find_qos(partition->qos) : nullptr;
  if (theirs && theirs != own) both.push_back(theirs);
  if (own) both.insert(own->over_partition ? both.begin() : both.end(), own);
  return both;
}

AssociationKey association_of(const Cluster& cluster, const Job& job, const Text& partition) {
  const auto& all = *cluster.associations;
  const Text user =
      job.spec->user_name.empty() ? Text(std::to_string(job.spec->uid.value)) : job.spec->user_name;
  if (all.empty()) return {.account = {}, .user = user, .partition = {}};
  AssociationKey key{.account = job.account, .user = user, .partition = partition};
  if (!find_association(all, key)) key.partition = {};
  return key;
}

Counted count_usage(const Cluster& cluster, Time now) {
  const UsageBook& book = *cluster.usage;
  const Time reset = last_reset(cluster.settings().priority.shares.reset, now);
  Counted counted;
  counted.reset = is_set(book.as_of) && book.as_of < reset;
  const Time from = counted.reset ? reset : book.as_of;
  for (auto& [owner, charge] : charges_since(cluster, from, now)) {
    PastUse total{.as_of = now};
    if (auto at = book.past.find(owner); at != book.past.end() && !counted.reset)
      total = at->second.at(now, half_life_of(cluster, owner));
    total.add(charge);
    counted.changed.emplace(owner, std::move(total));
  }
  return counted;
}

std::map<UsageOwner, PastUse> past_use(const Cluster& cluster, Time now) {
  Counted counted = count_usage(cluster, now);
  if (counted.reset) return std::move(counted.changed);
  for (const auto& [owner, use] : (*cluster.usage).past)
    if (!counted.changed.contains(owner))
      counted.changed.emplace(owner, use.at(now, half_life_of(cluster, owner)));
  return std::move(counted.changed);
}

Time last_reset(UsageReset period, Time now) {
  using namespace std::chrono;
  const sys_days today = floor<days>(now);
  const year_month_day date{today};
  const unsigned month = static_cast<unsigned>(date.month());
  auto first_of = [&](unsigned m) { return sys_days{date.year() / m / 1}; };
  switch (period) {
    case UsageReset::none:
    case UsageReset::now:
      return {};
    case UsageReset::daily:
      return today;
    case UsageReset::weekly:
      return today - (weekday{today} - Sunday);
    case UsageReset::monthly:
      return first_of(month);
    case UsageReset::quarterly:
      return first_of((month - 1) / 3 * 3 + 1);
    case UsageReset::yearly:
      return first_of(1);
  }
  return {};
}

}  // namespace muster::sched
