// What a limit allows to runs that were promised a later start is kept for them.
#include "sched/limits/limit_check.h"
#include "sched/limits/limits.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

LimitBook::Held LimitBook::held_by(const PlannedRun& run, Time from) const {
  return {from, from + std::min(run.limit, kNoLimitLeaves), keys_of(*run.job, run.partition),
          billed_amounts(cluster_, run.partition, *run.shares, *run.licenses)};
}

void LimitBook::hold(Held held) {
  for (Promised& promised : promised_) {
    if (!held.lasts_at(promised.from)) continue;
    for (auto& [key, use] : promised.then) {
      if (!held.keys.contains(key)) continue;
      ++use.jobs;
      for (const auto& [name, amount] : held.tres) use.tres[name] += amount;
    }
  }
  held_.push_back(std::move(held));
}

LimitBook::Uses LimitBook::uses_at(const std::set<UseKey>& keys, Time t) const {
  Uses uses;
  for (const UseKey& key : keys) {
    Use& use = uses[key];
    for (const Held& held : held_) {
      if (!held.lasts_at(t) || !held.keys.contains(key)) continue;
      ++use.jobs;
      for (const auto& [name, amount] : held.tres) use.tres[name] += amount;
    }
  }
  return uses;
}

void LimitBook::promise(const PlannedRun& run, Time from) {
  if (!rulers_.limit_anything()) return;
  Held held = held_by(run, from);
  const std::set<UseKey> keys = held.keys;
  hold(std::move(held));
  promised_.push_back({from, uses_at(keys, from)});
}

// One more run beside these: numbers of jobs and what they hold. What is not in `uses` is not
// asked.
Text LimitBook::over(const PlannedRun& run, const Amounts& wanted, const Uses& uses) const {
  const auto rulers = rulers_.of(*run.job, run.partition);
  for (const Ruler& r : rulers) {
    const CountWords& words = count_words(r.setter);
    auto check = [&](const UseKey& key, auto jobs, std::string_view too_many, Scope scope,
                     TresOf tres) -> Text {
      auto use = uses.find(key);
      if (use == uses.end()) return {};
      if (is_full(rulers, r, jobs, use->second.jobs, 1)) return too_many;
      return exceeded(rulers, r, scope, tres, use->second.tres, wanted);
    };
    Text hit = check(r.group, of::group_jobs, words.group_jobs, Scope::group, of::group_tres);
    if (hit.empty())
      hit = check(r.user, of::user_jobs, words.user_jobs, Scope::user, of::user_tres);
    if (hit.empty())
      hit =
          check(r.account, of::account_jobs, words.account_jobs, Scope::account, of::account_tres);
    if (!hit.empty()) return hit;
  }
  return {};
}

// It would be there when a promised run starts, and leave that too little.
Text LimitBook::breaks_promise(const PlannedRun& run, const Amounts& wanted, Time from) const {
  const Time until = from + std::min(run.limit, kNoLimitLeaves);
  for (const Promised& promised : promised_) {
    if (promised.from < from || promised.from >= until) continue;
    if (Text hit = over(run, wanted, promised.then); !hit.empty()) return hit;
  }
  return {};
}

Text LimitBook::in_the_way_at(const PlannedRun& run, Time from) const {
  if (!rulers_.limit_anything()) return {};
  const Amounts wanted = billed_amounts(cluster_, run.partition, *run.shares, *run.licenses);
  Text hit = over(run, wanted, uses_at(keys_of(*run.job, run.partition), from));
  return hit.empty() ? breaks_promise(run, wanted, from) : hit;
}

std::optional<Time> LimitBook::next_release(const PlannedRun& run, Time after) const {
  const std::set<UseKey> keys = keys_of(*run.job, run.partition);
  std::optional<Time> next;
  for (const Held& held : held_) {
    if (held.until <= after || (next && held.until >= *next)) continue;
    if (std::ranges::any_of(keys, [&](const UseKey& key) { return held.keys.contains(key); }))
      next = held.until;
  }
  return next;
}

}  // namespace muster::sched
