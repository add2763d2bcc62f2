// limit_check: compares one limit with one amount; used by plans and at submission.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/limits/limit_sources.h"
#include "sched/limits/limits.h"
#include "sched/request/amounts.h"

namespace muster::sched {

// Selects one limit of a limit source.
using TresField = const TresAmounts& (*)(const Limits&);
namespace limit_field {
inline const TresAmounts& group_tres(const Limits& l) { return l.group.tres; }
inline const TresAmounts& group_run_minutes(const Limits& l) { return l.group.run_minutes; }
inline const TresAmounts& group_past_minutes(const Limits& l) { return l.group.past_minutes; }
inline const TresAmounts& user_tres(const Limits& l) { return l.per_user.tres; }
inline const TresAmounts& account_tres(const Limits& l) { return l.per_account.tres; }
inline const TresAmounts& max_per_job(const Limits& l) { return l.max_per_job; }
inline const TresAmounts& max_per_node(const Limits& l) { return l.max_per_node; }
inline const TresAmounts& max_minutes_per_job(const Limits& l) { return l.max_minutes_per_job; }
inline const TresAmounts& min_per_job(const Limits& l) { return l.min_per_job; }

inline auto group_jobs(const Limits& l) { return l.group.jobs; }
inline auto user_jobs(const Limits& l) { return l.per_user.jobs; }
inline auto account_jobs(const Limits& l) { return l.per_account.jobs; }
inline auto group_submitted(const Limits& l) { return l.group.submitted; }
inline auto user_submitted(const Limits& l) { return l.per_user.submitted; }
inline auto account_submitted(const Limits& l) { return l.per_account.submitted; }
inline auto group_accruing(const Limits& l) { return l.group.accruing; }
inline auto user_accruing(const Limits& l) { return l.per_user.accruing; }
inline auto account_accruing(const Limits& l) { return l.per_account.accruing; }
inline auto group_wall(const Limits& l) { return l.group.wall; }
inline auto max_wall(const Limits& l) { return l.max_wall; }
}  // namespace limit_field

inline std::span<const LimitSource> higher_ranked_sources(const std::vector<LimitSource>& sources,
                                                          const LimitSource& source) {
  return std::span(sources).first(source.higher_ranked);
}

// A limit set by a higher-ranked source overrides the same limit of this source.
inline bool is_set_by_higher_ranked(const std::vector<LimitSource>& sources,
                                    const LimitSource& source, TresField field,
                                    std::string_view name) {
  return std::ranges::any_of(higher_ranked_sources(sources, source), [&](const LimitSource& other) {
    return amount_of(field(*other.limits), name).has_value();
  });
}

inline Text exceeded(const std::vector<LimitSource>& sources, const LimitSource& source,
                     Scope scope, TresField field, const Amounts& used, const Amounts& wanted) {
  const bool holds = scope == Scope::group || scope == Scope::job || scope == Scope::node;
  for (const auto& [name, limit] : field(*source.limits)) {
    const std::uint64_t more = amount_in(wanted, name);
    if (more == 0 || is_set_by_higher_ranked(sources, source, field, name)) continue;
    const double most = static_cast<double>(limit) * (holds ? source.factor : 1);
    if (static_cast<double>(amount_in(used, name) + more) > most)
      return words_for(source.kind, scope, name);
  }
  return {};
}

template <class Of>
bool is_full(const std::vector<LimitSource>& sources, const LimitSource& source, Of field,
             std::uint64_t used, std::uint64_t more) {
  const auto limit = field(*source.limits);
  if (!limit) return false;
  if (std::ranges::any_of(higher_ranked_sources(sources, source), [&](const LimitSource& other) {
        return field(*other.limits).has_value();
      }))
    return false;
  if constexpr (requires { limit->count(); })
    return used + more > static_cast<std::uint64_t>(limit->count());
  else
    return used + more > *limit;
}

inline Amounts times(Amounts amounts, double factor) {
  for (auto& [name, amount] : amounts)
    amount = static_cast<std::uint64_t>(static_cast<double>(amount) * factor);
  return amounts;
}

// A run without a time limit is charged a year of minutes.
std::uint64_t minutes_of(Minutes limit);

// The limit on a single job that this run exceeds, whatever else runs; empty = none.
Text exceeded_job_limit(const Cluster& cluster, const std::vector<LimitSource>& sources,
                        const LimitSource& source, const PlannedRun& run, const Amounts& wanted);

}  // namespace muster::sched
