// Finds associations, and inherits limits along the path to the root.
#include "model/accounts/association.h"

#include <algorithm>

namespace muster {

namespace {

void inherit(TresAmounts& own, const TresAmounts& above) {
  for (const auto& [name, amount] : above)
    if (!amount_of(own, name)) own.emplace_back(name, amount);
  std::ranges::sort(own);
}

template <class T>
void inherit(std::optional<T>& own, const std::optional<T>& above) {
  if (!own) own = above;
}

}  // namespace

const Association* find_association(const std::vector<Association>& all,
                                    const AssociationKey& key) {
  auto at = std::ranges::lower_bound(all, key, {}, &Association::key);
  return at != all.end() && at->key == key ? &*at : nullptr;
}

std::vector<const Association*> line_of(const std::vector<Association>& all,
                                        const Association& association) {
  std::vector<const Association*> line;
  // If accounts form a cycle by mistake, stop when all have been seen.
  for (const Association* at = &association; at && line.size() <= all.size();) {
    line.push_back(at);
    if (at->is_root()) break;
    Text above = at->is_user() ? at->key.account : at->parent;
    at = find_association(all, {.account = above.empty() ? Text(kRootAccount) : above});
  }
  return line;
}

Limits inherited_limits(const std::vector<const Association*>& line) {
  Limits limits = line.front()->limits;
  for (const Association* above : line) {
    const Limits& theirs = above->limits;
    inherit(limits.per_user.jobs, theirs.per_user.jobs);
    inherit(limits.per_user.submitted, theirs.per_user.submitted);
    inherit(limits.per_user.accruing, theirs.per_user.accruing);
    inherit(limits.max_per_job, theirs.max_per_job);
    inherit(limits.max_per_node, theirs.max_per_node);
    inherit(limits.max_minutes_per_job, theirs.max_minutes_per_job);
    inherit(limits.max_wall, theirs.max_wall);
  }
  return limits;
}

}  // namespace muster
