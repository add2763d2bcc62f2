// One limit against one amount: what both the plan and submission ask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/limits/limits.h"
#include "sched/limits/rulers.h"
#include "sched/request/amounts.h"

namespace muster::sched {

// Which of the limits.
using TresOf = const TresAmounts& (*)(const Limits&);
namespace of {
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
}  // namespace of

inline std::span<const Ruler> asked_before(const std::vector<Ruler>& rulers, const Ruler& ruler) {
  return std::span(rulers).first(ruler.before);
}

// Where one that is asked before limits the same it is that one's affair.
inline bool is_set_before(const std::vector<Ruler>& rulers, const Ruler& ruler, TresOf of,
                          std::string_view name) {
  return std::ranges::any_of(asked_before(rulers, ruler), [&](const Ruler& other) {
    return amount_of(of(*other.limits), name).has_value();
  });
}

inline Text exceeded(const std::vector<Ruler>& rulers, const Ruler& ruler, Scope scope, TresOf of,
                     const Amounts& used, const Amounts& wanted) {
  const bool holds = scope == Scope::group || scope == Scope::job || scope == Scope::node;
  for (const auto& [name, limit] : of(*ruler.limits)) {
    const std::uint64_t more = amount_in(wanted, name);
    if (more == 0 || is_set_before(rulers, ruler, of, name)) continue;
    const double most = static_cast<double>(limit) * (holds ? ruler.factor : 1);
    if (static_cast<double>(amount_in(used, name) + more) > most)
      return words_for(ruler.setter, scope, name);
  }
  return {};
}

template <class Of>
bool is_full(const std::vector<Ruler>& rulers, const Ruler& ruler, Of of, std::uint64_t used,
             std::uint64_t more) {
  const auto limit = of(*ruler.limits);
  if (!limit) return false;
  if (std::ranges::any_of(asked_before(rulers, ruler),
                          [&](const Ruler& other) { return of(*other.limits).has_value(); }))
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

// A run without a limit is charged a year of minutes.
std::uint64_t minutes_of(Minutes limit);

// What one job may ask for, whatever else runs.
Text by_job(const Cluster& cluster, const std::vector<Ruler>& rulers, const Ruler& ruler,
            const PlannedRun& run, const Amounts& wanted);

}  // namespace muster::sched
