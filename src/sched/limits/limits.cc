// Adds up what jobs use, and compares it with their limits.
#include "sched/limits/limits.h"

#include <set>

#include "base/text/duration.h"
#include "sched/limits/limit_check.h"
#include "sched/priority/usage.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

namespace {

// The weight of a minute of this job, by its own QOS.
double usage_factor(const Cluster& cluster, const Job& job) {
  const Qos* qos = cluster.find_qos(job.qos);
  return qos ? qos->usage_factor : 1;
}

// One minute of each resource: unless limits are "safe", a job may start while a minute is left.
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
    : cluster_(cluster), now_(now), shares_(shares), sources_(cluster) {
  if (!sources_.any_limit()) return;
  if (counts_usage(cluster))
    for (const auto& [owner, use] : past_use(cluster, now)) add_past(owner, use);
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!is_active(job.state) || gone.contains(job.id)) continue;
    const Partition* partition = cluster.partition_of(job);
    Held held{now, leaves_at(cluster, job, now), keys_of(job, partition), amounts_of(cluster, job),
              nodes_of(job.run->allocation)};
    add(job, held, minutes_of(time_left(job, now)));
    hold(std::move(held));
  }
}

void LimitBook::add_past(const UsageOwner& owner, const PastUse& use) {
  auto add_to = [&](const UsageOwner& one) {
    Use& sum = uses_[{one, {}, {}}];
    sum.past.add(use);
  };
  if (!owner.qos.empty()) return add_to(owner);
  const auto& all = *cluster_.associations;
  if (const Association* own = find_association(all, owner.association))
    for (const Association* association : line_of(all, *own))
      add_to({.qos = {}, .association = association->key});
}

void LimitBook::add(const Job& job, const Held& held, std::uint64_t minutes) {
  const double counted = static_cast<double>(minutes) * usage_factor(cluster_, job);
  for (const LimitScopeKey& key : held.keys) {
    Use& use = uses_[key];
    add_held(held, use);
    for (const auto& [name, amount] : held.tres)
      use.run_minutes[name] += static_cast<std::uint64_t>(static_cast<double>(amount) * counted);
  }
}

std::set<LimitScopeKey> LimitBook::keys_of(const Job& job, const Partition* partition) const {
  std::set<LimitScopeKey> keys;
  for (const LimitSource& source : sources_.for_job(job, partition))
    keys.insert({source.group, source.user, source.account});
  return keys;
}

const LimitBook::Use& LimitBook::use_of(const LimitScopeKey& key) const {
  static const Use kNothing;
  auto at = uses_.find(key);
  return at == uses_.end() ? kNothing : at->second;
}

LimitHit LimitBook::exceeded_before_placing(const Job& job, const Partition& partition,
                                            Minutes limit, const Amounts& least) const {
  if (shares_ && shares_->below_threshold(cluster_, job)) return {"QOSUsageThreshold"};
  if (!sources_.any_limit()) return {};
  const bool safe = cluster_.settings().enforce_safe;
  const auto sources = sources_.for_job(job, &partition);
  for (const LimitSource& source : sources) {
    const CountWords& words = count_words(source.kind);
    const Use& group = use_of(source.group);
    auto full = [&](auto field, std::uint64_t used, std::uint64_t more = 1) {
      return is_full(sources, source, field, used, more);
    };
    // A limit reached only with starts of this plan may not hold, since these may still fail.
    auto hit = [&](auto field, std::string_view text, const LimitScopeKey& key) -> LimitHit {
      const Use& use = use_of(key);
      if (!full(field, use.jobs)) return {};
      return {text, full(field, use.jobs - use.planned) ? std::optional(key) : std::nullopt};
    };
    if (LimitHit h = hit(limit_field::group_jobs, words.group_jobs, source.group); !h.empty())
      return h;
    if (full(limit_field::group_wall, whole_minutes(group.past.wall_s),
             safe ? minutes_of(limit) : 1))
      return {words.group_wall};
    if (LimitHit h = hit(limit_field::user_jobs, words.user_jobs, source.user); !h.empty())
      return h;
    if (LimitHit h = hit(limit_field::account_jobs, words.account_jobs, source.account); !h.empty())
      return h;
    if (full(limit_field::max_wall, 0, static_cast<std::uint64_t>(limit.count())))
      return {words.job_wall};
  }
  if (least.empty()) return {};
  for (const LimitSource& source : sources)
    if (LimitHit hit = exceeded_by_least(sources, source, least); !hit.empty()) return hit;
  return {};
}

LimitHit LimitBook::exceeded_by_least(const std::vector<LimitSource>& sources,
                                      const LimitSource& source, const Amounts& least) const {
  const struct {
    Scope scope;
    TresField field;
    const LimitScopeKey& key;
  } checks[] = {{Scope::group, limit_field::group_tres, source.group},
                {Scope::user, limit_field::user_tres, source.user},
                {Scope::account, limit_field::account_tres, source.account}};
  for (const auto& [scope, field, key] : checks) {
    if (field(*source.limits).empty()) continue;
    const Use& use = use_of(key);
    Amounts wanted = least;  // on nodes that are counted already, if possible
    if (auto nodes = wanted.find("node"); nodes != wanted.end())
      nodes->second -= std::min<std::uint64_t>(nodes->second, use.nodes.size());
    const Text hit = exceeded(sources, source, scope, field, use.tres, wanted);
    if (hit.empty()) continue;
    // A limit reached only with starts of this plan may not hold, since these may still fail.
    Amounts running = use.tres;
    for (const auto& [name, amount] : use.planned_tres) running[name] -= amount;
    if (exceeded(sources, source, scope, field, running, wanted).empty()) return {hit};
    return {hit, key};
  }
  return {};
}

Text exceeded_job_limit(const Cluster& cluster, const std::vector<LimitSource>& sources,
                        const LimitSource& source, const PlannedRun& run, const Amounts& wanted) {
  const Amounts nothing;
  Text found = exceeded(sources, source, Scope::job, limit_field::max_per_job, nothing, wanted);
  if (found.empty())
    found = exceeded(sources, source, Scope::job_minutes, limit_field::max_minutes_per_job, nothing,
                     times(wanted, static_cast<double>(minutes_of(run.limit))));
  if (!found.empty()) return found;
  for (const NodeShare& share : *run.shares) {
    found = exceeded(sources, source, Scope::node, limit_field::max_per_node, nothing,
                     billed_amounts(cluster, run.partition, {share}, {}));
    if (!found.empty()) return found;
  }
  for (const auto& [name, least] : source.limits->min_per_job)
    if (amount_in(wanted, name) < least &&
        !is_set_by_higher_ranked(sources, source, limit_field::min_per_job, name))
      return words_for(source.kind, Scope::least, name);
  return {};
}

Text LimitBook::exceeded_group_limit(const std::vector<LimitSource>& sources,
                                     const LimitSource& source, const Amounts& wanted,
                                     const Amounts& minutes,
                                     const std::vector<NodeShare>& shares) const {
  const Use &group = use_of(source.group), &user = use_of(source.user),
            &account = use_of(source.account);
  const bool safe = cluster_.settings().enforce_safe;
  Amounts past = minutes_in(group.past);
  if (safe)
    for (const auto& [name, amount] : group.run_minutes) past[name] += amount;
  const struct {
    Scope scope;
    TresField field;
    const Amounts &used, wanted;
  } checks[] = {
      {Scope::group, limit_field::group_tres, group.tres, wanted_beside(group, wanted, shares)},
      {Scope::group_run_minutes, limit_field::group_run_minutes, group.run_minutes, minutes},
      {Scope::group_past_minutes, limit_field::group_past_minutes, past,
       safe ? minutes : one_of_each(wanted)},
      {Scope::user, limit_field::user_tres, user.tres, wanted_beside(user, wanted, shares)},
      {Scope::account, limit_field::account_tres, account.tres,
       wanted_beside(account, wanted, shares)},
  };
  for (const auto& check : checks)
    if (Text hit = exceeded(sources, source, check.scope, check.field, check.used, check.wanted);
        !hit.empty())
      return hit;
  return {};
}

Text LimitBook::exceeded_by(const PlannedRun& run) const {
  if (!sources_.any_limit()) return {};
  const Amounts wanted = billed_amounts(cluster_, run.partition, *run.shares, *run.licenses);
  const Qos* qos = cluster_.find_qos(run.job->qos);
  const double factor = qos && qos->usage_factor_safe ? qos->usage_factor : 1;
  const Amounts minutes = times(wanted, static_cast<double>(minutes_of(run.limit)) * factor);
  const auto sources = sources_.for_job(*run.job, run.partition);
  for (const LimitSource& source : sources) {
    if (Text hit = exceeded_job_limit(cluster_, sources, source, run, wanted); !hit.empty())
      return hit;
    if (Text hit = exceeded_group_limit(sources, source, wanted, minutes, *run.shares);
        !hit.empty())
      return hit;
  }
  return promise_broken_by(run, wanted, now_);
}

void LimitBook::start(const PlannedRun& run) {
  if (!sources_.any_limit()) return;
  Held held = held_by(run, now_);
  for (const LimitScopeKey& key : held.keys) {
    Use& use = uses_[key];
    ++use.planned;
    for (const auto& [name, amount] : wanted_beside(use, held.tres, *run.shares))
      use.planned_tres[name] += amount;
  }
  add(*run.job, held, minutes_of(run.limit));
  hold(std::move(held));
}

Text LimitBook::reached_by_running(const Job& job) const {
  const Amounts held = amounts_of(cluster_, job);
  const double ran =
      std::chrono::duration<double>(job.run_time(now_)).count() * usage_factor(cluster_, job);
  const Amounts nothing;
  Amounts used;
  for (const auto& [name, amount] : held)
    used[name] = whole_minutes(static_cast<double>(amount) * ran);
  const auto sources = sources_.for_job(job, cluster_.partition_of(job));
  for (const LimitSource& source : sources) {
    Text hit = exceeded(sources, source, Scope::group_past_minutes, limit_field::group_past_minutes,
                        minutes_in(use_of(source.group).past), one_of_each(held));
    if (hit.empty())
      hit = exceeded(sources, source, Scope::job_minutes, limit_field::max_minutes_per_job, used,
                     one_of_each(held));
    if (hit.empty() && is_full(sources, source, limit_field::group_wall,
                               whole_minutes(use_of(source.group).past.wall_s), 1))
      hit = count_words(source.kind).group_wall;
    if (!hit.empty()) return hit;
  }
  return {};
}

std::vector<std::pair<JobId, Text>> jobs_over_limits(const Cluster& cluster, Time now) {
  std::vector<std::pair<JobId, Text>> over;
  // With "safe" limits, jobs only start if they end in time.
  if (cluster.settings().enforce_safe || !LimitSources(cluster).any_time_limit()) return over;
  const LimitBook book(cluster, now);
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.state != JobState::running || job.run->ending) continue;
    if (Text hit = book.reached_by_running(job); !hit.empty()) over.emplace_back(job.id, hit);
  }
  return over;
}

}  // namespace muster::sched
