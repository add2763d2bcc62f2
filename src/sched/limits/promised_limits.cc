// Keeps room under the limits for runs that were promised a later start.
#include <algorithm>

#include "sched/limits/limit_check.h"
#include "sched/limits/limits.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

LimitBook::Held LimitBook::held_by(const PlannedRun& run, Time from) const {
  return {from, from + std::min(run.limit, kNoLimitLeaves), keys_of(*run.job, run.partition),
          billed_amounts(cluster_, run.partition, *run.shares, *run.licenses),
          nodes_of(*run.shares)};
}

std::vector<NodeId> LimitBook::nodes_of(const std::vector<NodeShare>& shares) const {
  std::vector<NodeId> nodes;
  if (!sources_.any_node_limit()) return nodes;
  for (const NodeShare& share : shares) nodes.push_back(share.node);
  return nodes;
}

void LimitBook::add_held(const Held& held, Use& use) {
  ++use.jobs;
  for (const auto& [name, amount] : held.tres) use.tres[name] += amount;
  if (held.nodes.empty()) return;
  use.nodes.insert(held.nodes.begin(), held.nodes.end());
  use.tres["node"] = use.nodes.size();
}

// What the run adds to what is held: nodes only if no job that counts for the limit is there.
Amounts LimitBook::wanted_beside(const Use& use, const Amounts& wanted,
                                 const std::vector<NodeShare>& shares) const {
  Amounts beside = wanted;
  if (sources_.any_node_limit())
    beside["node"] = static_cast<std::uint64_t>(std::ranges::count_if(
        shares, [&](const NodeShare& share) { return !use.nodes.contains(share.node); }));
  return beside;
}

void LimitBook::hold(Held held) {
  for (Promised& promised : promised_) {
    if (!held.lasts_at(promised.from)) continue;
    for (auto& [key, use] : promised.then) {
      if (held.keys.contains(key)) add_held(held, use);
    }
  }
  held_.push_back(std::move(held));
}

LimitBook::Uses LimitBook::uses_at(const std::set<LimitScopeKey>& keys, Time t) const {
  Uses uses;
  for (const LimitScopeKey& key : keys) {
    Use& use = uses[key];
    for (const Held& held : held_) {
      if (held.lasts_at(t) && held.keys.contains(key)) add_held(held, use);
    }
  }
  return uses;
}

void LimitBook::promise(const PlannedRun& run, Time from) {
  if (!sources_.any_limit()) return;
  Held held = held_by(run, from);
  const std::set<LimitScopeKey> keys = held.keys;
  hold(std::move(held));
  promised_.push_back({from, uses_at(keys, from)});
}

// The limit that this run would exceed on top of these uses. Limits whose scope is not in `uses`
// are not checked.
Text LimitBook::limit_exceeded_by(const PlannedRun& run, const Amounts& wanted,
                                  const Uses& uses) const {
  const auto sources = sources_.for_job(*run.job, run.partition);
  for (const LimitSource& source : sources) {
    const CountWords& words = count_words(source.kind);
    auto check = [&](const LimitScopeKey& key, auto jobs, std::string_view too_many, Scope scope,
                     TresField tres) -> Text {
      auto use = uses.find(key);
      if (use == uses.end()) return {};
      if (is_full(sources, source, jobs, use->second.jobs, 1)) return too_many;
      return exceeded(sources, source, scope, tres, use->second.tres,
                      wanted_beside(use->second, wanted, *run.shares));
    };
    Text hit = check(source.group, limit_field::group_jobs, words.group_jobs, Scope::group,
                     limit_field::group_tres);
    if (hit.empty())
      hit = check(source.user, limit_field::user_jobs, words.user_jobs, Scope::user,
                  limit_field::user_tres);
    if (hit.empty())
      hit = check(source.account, limit_field::account_jobs, words.account_jobs, Scope::account,
                  limit_field::account_tres);
    if (!hit.empty()) return hit;
  }
  return {};
}

// The limit that a promised run would exceed because this run still runs when it starts.
Text LimitBook::promise_broken_by(const PlannedRun& run, const Amounts& wanted, Time from) const {
  const Time until = from + std::min(run.limit, kNoLimitLeaves);
  for (const Promised& promised : promised_) {
    if (promised.from < from || promised.from >= until) continue;
    if (Text hit = limit_exceeded_by(run, wanted, promised.then); !hit.empty()) return hit;
  }
  return {};
}

Text LimitBook::exceeded_at(const PlannedRun& run, Time from) const {
  if (!sources_.any_limit()) return {};
  const Amounts wanted = billed_amounts(cluster_, run.partition, *run.shares, *run.licenses);
  Text hit = limit_exceeded_by(run, wanted, uses_at(keys_of(*run.job, run.partition), from));
  return hit.empty() ? promise_broken_by(run, wanted, from) : hit;
}

std::optional<Time> LimitBook::next_release(const PlannedRun& run, Time after) const {
  const std::set<LimitScopeKey> keys = keys_of(*run.job, run.partition);
  std::optional<Time> next;
  for (const Held& held : held_) {
    if (held.until <= after || (next && held.until >= *next)) continue;
    if (std::ranges::any_of(keys,
                            [&](const LimitScopeKey& key) { return held.keys.contains(key); }))
      next = held.until;
  }
  return next;
}

}  // namespace muster::sched
