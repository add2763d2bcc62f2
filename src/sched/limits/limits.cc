#include "sched/limits/limits.h"

#include <set>

#include "base/text/duration.h"
#include "sched/limits/limit_check.h"
#include "sched/priority/usage.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

namespace {

// The job's own QOS says what a minute of it counts.
double usage_factor(const Cluster& cluster, const Job& job) {
  const Qos* qos = cluster.find_qos(job.qos);
  return qos ? qos->usage_factor : 1;
}

// A minute of each resource: what is not safe may start while a minute is left.
Amounts one_of_each(Amounts amounts) {
  for (auto& [name, amount] : amounts) amount = amount > 0 ? 1 : 0;
  return amounts;
}

std::uint64_t whole_minutes(double seconds) { return static_cast<std::uint64_t>(seconds / 60); }

Amounts minutes_in(const PastUse& past) {
  Amounts minutes;
  for (const auto& [name, seconds] : past.tres_s) minutes[name] = whole_minutes(seconds);
  return minutes;
}

Minutes time_left(const Job& job, Time now) {
  Time end = job.end_limit();
  if (end == Time::max()) return kUnlimited;
  return end > now ? std::chrono::ceil<Minutes>(end - now) : Minutes{0};
}

}  // namespace

std::uint64_t minutes_of(Minutes limit) {
  constexpr Minutes kYear{365 * 24 * 60};
  return static_cast<std::uint64_t>(std::max(Minutes{1}, std::min(limit, kYear)).count());
}

LimitBook::LimitBook(const Cluster& cluster, Time now, const FairShares* shares,
                     const std::set<JobId>& gone)
    : cluster_(cluster), now_(now), shares_(shares), rulers_(cluster) {
  if (!rulers_.limit_anything()) return;
  if (counts_usage(cluster))
    for (const auto& [payer, use] : past_use(cluster, now)) add_past(payer, use);
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!is_active(job.state) || gone.contains(job.id)) continue;
    const Partition* partition = cluster.find_partition(job.partition);
    const Amounts tres = amounts_of(cluster, job);
    add(job, partition, tres, minutes_of(time_left(job, now)));
    hold({now, leaves_at(cluster, job, now), keys_of(job, partition), tres});
  }
}

void LimitBook::add_past(const Payer& payer, const PastUse& use) {
  auto add_to = [&](const Payer& one) {
    Use& sum = uses_[{one, {}, {}}];
    sum.past.add(use);
  };
  if (!payer.qos.empty()) return add_to(payer);
  const auto& all = *cluster_.associations;
  if (const Association* own = find_association(all, payer.association))
    for (const Association* association : line_of(all, *own))
      add_to({.qos = {}, .association = association->key});
}

void LimitBook::add(const Job& job, const Partition* partition, const Amounts& tres,
                    std::uint64_t minutes) {
  const double counted = static_cast<double>(minutes) * usage_factor(cluster_, job);
  for (const UseKey& key : keys_of(job, partition)) {
    Use& use = uses_[key];
    ++use.jobs;
    for (const auto& [name, amount] : tres) {
      use.tres[name] += amount;
      use.run_minutes[name] += static_cast<std::uint64_t>(static_cast<double>(amount) * counted);
    }
  }
}

std::set<UseKey> LimitBook::keys_of(const Job& job, const Partition* partition) const {
  std::set<UseKey> keys;
  for (const Ruler& ruler : rulers_.of(job, partition))
    keys.insert({ruler.group, ruler.user, ruler.account});
  return keys;
}

const LimitBook::Use& LimitBook::use_of(const UseKey& key) const {
  static const Use kNothing;
  auto at = uses_.find(key);
  return at == uses_.end() ? kNothing : at->second;
}

LimitHit LimitBook::before_placing(const Job& job, const Partition& partition,
                                   Minutes limit) const {
  if (shares_ && shares_->below_threshold(cluster_, job)) return {"QOSUsageThreshold"};
  if (!rulers_.limit_anything()) return {};
  const bool safe = cluster_.settings().enforce_safe;
  const auto rulers = rulers_.of(job, &partition);
  for (const Ruler& r : rulers) {
    const CountWords& words = count_words(r.setter);
    const Use& group = use_of(r.group);
    auto full = [&](auto of, std::uint64_t used, std::uint64_t more = 1) {
      return is_full(rulers, r, of, used, more);
    };
    // Who has been started by this plan alone may never come to it.
    auto hit = [&](auto of, std::string_view text, const UseKey& key) -> LimitHit {
      const Use& use = use_of(key);
      if (!full(of, use.jobs)) return {};
      return {text, full(of, use.jobs - use.planned) ? std::optional(key) : std::nullopt};
    };
    if (LimitHit h = hit(of::group_jobs, words.group_jobs, r.group); !h.empty()) return h;
    if (full(of::group_wall, whole_minutes(group.past.wall_s), safe ? minutes_of(limit) : 1))
      return {words.group_wall};
    if (LimitHit h = hit(of::user_jobs, words.user_jobs, r.user); !h.empty()) return h;
    if (LimitHit h = hit(of::account_jobs, words.account_jobs, r.account); !h.empty()) return h;
    if (full(of::max_wall, 0, static_cast<std::uint64_t>(limit.count()))) return {words.job_wall};
  }
  return {};
}

Text by_job(const Cluster& cluster, const std::vector<Ruler>& rulers, const Ruler& ruler,
            const PlannedRun& run, const Amounts& wanted) {
  const Amounts nothing;
  Text found = exceeded(rulers, ruler, Scope::job, of::max_per_job, nothing, wanted);
  if (found.empty())
    found = exceeded(rulers, ruler, Scope::job_minutes, of::max_minutes_per_job, nothing,
                     times(wanted, static_cast<double>(minutes_of(run.limit))));
  if (!found.empty()) return found;
  for (const NodeShare& share : *run.shares) {
    found = exceeded(rulers, ruler, Scope::node, of::max_per_node, nothing,
                     billed_amounts(cluster, run.partition, {share}, {}));
    if (!found.empty()) return found;
  }
  for (const auto& [name, least] : ruler.limits->min_per_job)
    if (amount_in(wanted, name) < least && !is_set_before(rulers, ruler, of::min_per_job, name))
      return words_for(ruler.setter, Scope::least, name);
  return {};
}

Text LimitBook::by_group(const std::vector<Ruler>& rulers, const Ruler& r, const Amounts& wanted,
                         const Amounts& minutes) const {
  const Use &group = use_of(r.group), &user = use_of(r.user), &account = use_of(r.account);
  const bool safe = cluster_.settings().enforce_safe;
  Amounts past = minutes_in(group.past);
  if (safe)
    for (const auto& [name, amount] : group.run_minutes) past[name] += amount;
  const struct {
    Scope scope;
    TresOf of;
    const Amounts &used, &wanted;
  } checks[] = {
      {Scope::group, of::group_tres, group.tres, wanted},
      {Scope::group_run_minutes, of::group_run_minutes, group.run_minutes, minutes},
      {Scope::group_past_minutes, of::group_past_minutes, past,
       safe ? minutes : one_of_each(wanted)},
      {Scope::user, of::user_tres, user.tres, wanted},
      {Scope::account, of::account_tres, account.tres, wanted},
  };
  for (const auto& check : checks)
    if (Text hit = exceeded(rulers, r, check.scope, check.of, check.used, check.wanted);
        !hit.empty())
      return hit;
  return {};
}

Text LimitBook::in_the_way(const PlannedRun& run) const {
  if (!rulers_.limit_anything()) return {};
  const Amounts wanted = billed_amounts(cluster_, run.partition, *run.shares, *run.licenses);
  const Qos* qos = cluster_.find_qos(run.job->qos);
  const double factor = qos && qos->usage_factor_safe ? qos->usage_factor : 1;
  const Amounts minutes = times(wanted, static_cast<double>(minutes_of(run.limit)) * factor);
  const auto rulers = rulers_.of(*run.job, run.partition);
  for (const Ruler& r : rulers) {
    if (Text hit = by_job(cluster_, rulers, r, run, wanted); !hit.empty()) return hit;
    if (Text hit = by_group(rulers, r, wanted, minutes); !hit.empty()) return hit;
  }
  return breaks_promise(run, wanted, now_);
}

void LimitBook::start(const PlannedRun& run) {
  if (!rulers_.limit_anything()) return;
  add(*run.job, run.partition, billed_amounts(cluster_, run.partition, *run.shares, *run.licenses),
      minutes_of(run.limit));
  for (const UseKey& key : keys_of(*run.job, run.partition)) ++uses_[key].planned;
  hold(held_by(run, now_));
}

Text LimitBook::used_up_by(const Job& job) const {
  const Amounts held = amounts_of(cluster_, job);
  const double ran =
      std::chrono::duration<double>(job.run_time(now_)).count() * usage_factor(cluster_, job);
  const Amounts nothing;
  Amounts used;
  for (const auto& [name, amount] : held)
    used[name] = whole_minutes(static_cast<double>(amount) * ran);
  const auto rulers = rulers_.of(job, cluster_.find_partition(job.partition));
  for (const Ruler& r : rulers) {
    Text hit = exceeded(rulers, r, Scope::group_past_minutes, of::group_past_minutes,
                        minutes_in(use_of(r.group).past), one_of_each(held));
    if (hit.empty())
      hit =
          exceeded(rulers, r, Scope::job_minutes, of::max_minutes_per_job, used, one_of_each(held));
    if (hit.empty() &&
        is_full(rulers, r, of::group_wall, whole_minutes(use_of(r.group).past.wall_s), 1))
      hit = count_words(r.setter).group_wall;
    if (!hit.empty()) return hit;
  }
  return {};
}

std::vector<std::pair<JobId, Text>> jobs_over_limits(const Cluster& cluster, Time now) {
  std::vector<std::pair<JobId, Text>> over;
  // What is safe has been let in because it will end in time.
  if (cluster.settings().enforce_safe || !Rulers(cluster).limit_time()) return over;
  const LimitBook book(cluster, now);
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.state != JobState::running || job.run->ending) continue;
    if (Text hit = book.used_up_by(job); !hit.empty()) over.emplace_back(job.id, hit);
  }
  return over;
}

}  // namespace muster::sched
