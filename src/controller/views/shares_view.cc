// Makes the rows of sshare from the tree of associations.
#include "controller/views/shares_view.h"

#include "base/text/duration.h"
#include "sched/priority/fair_share.h"
#include "sched/priority/usage.h"
#include "sched/request/amounts.h"

namespace muster::controller {

namespace {

using Sums = std::map<AssociationKey, std::map<Text, double>>;

// Usage of each user, added to all accounts above.
Sums tres_used(const std::vector<sched::Share>& tree, const std::map<UsageOwner, PastUse>& past) {
  Sums sums;
  for (std::size_t i = tree.size(); i-- > 0;) {
    auto at = past.find({.qos = {}, .association = tree[i].key});
    auto& own = sums[tree[i].key];
    if (tree[i].is_user() && at != past.end()) own = at->second.tres_s;
    if (i > 0)
      for (const auto& [name, seconds] : own) sums[tree[tree[i].parent].key][name] += seconds;
  }
  return sums;
}

// Minutes that running jobs may still use until their time limits.
Sums minutes_left(const Cluster& cluster, const std::vector<sched::Share>& tree, Time now) {
  Sums of_users;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    const Time end = job.end_limit();
    if (!is_active(job.state) || end == Time::max() || end <= now) continue;
    const double minutes = std::chrono::duration<double, std::ratio<60>>(end - now).count();
    for (const auto& [name, amount] : sched::amounts_of(cluster, job))
      of_users[sched::association_of(cluster, job)][name] += minutes * static_cast<double>(amount);
  }
  Sums sums;
  for (std::size_t i = tree.size(); i-- > 0;) {
    auto& own = sums[tree[i].key];
    if (tree[i].is_user()) own = of_users[tree[i].key];
    if (i > 0)
      for (const auto& [name, minutes] : own) sums[tree[tree[i].parent].key][name] += minutes;
  }
  return sums;
}

}  // namespace

wire::SharesReply shares_reply(const Cluster& cluster, const Visibility& visible, Time now) {
  const PrioritySettings& settings = cluster.settings().priority;
  wire::SharesReply reply{
      .counted = settings.multifactor, .fair_tree = settings.shares.fair_tree, .rows = {}};
  const auto tree = sched::share_tree(cluster, now);
  Sums used = tres_used(tree, sched::past_use(cluster, now));
  Sums left = minutes_left(cluster, tree, now);
  for (const sched::Share& s : tree) {
    if (!visible.sees_share(s.key)) continue;
    wire::ShareView row{.key = s.key,
                        .depth = s.depth,
                        .shares = s.shares,
                        .shares_of_parent = s.shares_of_parent,
                        .shares_norm = s.shares_norm,
                        .usage_raw = s.usage_raw,
                        .usage_norm = s.usage_norm,
                        .usage_effective = s.usage_effective,
                        .factor = s.factor,
                        .level_fs = s.level_fs,
                        .group_minutes = {},
                        .running_minutes = {},
                        .tres_raw = {}};
    if (const Association* own = find_association(*cluster.associations, s.key))
      row.group_minutes = own->limits.group.past_minutes;
    for (const auto& [name, minutes] : left[s.key])
      row.running_minutes.emplace_back(name, static_cast<std::uint64_t>(minutes));
    for (const auto& [name, seconds] : used[s.key]) row.tres_raw.emplace_back(name, seconds);
    reply.rows.push_back(std::move(row));
  }
  return reply;
}

}  // namespace muster::controller
