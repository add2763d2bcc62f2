// Joins associations, QOS and users with what jobs use of their limits.
#include "controller/views/limits_view.h"

#include "sched/limits/limit_sums.h"
#include "sched/priority/fair_share.h"

namespace muster::controller {

namespace {

using sched::LimitSum;
using sched::LimitSums;

TresAmounts list_of(const sched::Amounts& amounts) { return {amounts.begin(), amounts.end()}; }

wire::UseOfLimits use_of(const LimitSum& sum) {
  wire::UseOfLimits use{.jobs = sum.jobs,
                        .submitted = sum.submitted,
                        .accruing = sum.accruing,
                        .wall_minutes = sum.past.wall_s / 60,
                        .tres = list_of(sum.tres),
                        .run_minutes = list_of(sum.run_minutes),
                        .past_minutes = {}};
  for (const auto& [name, seconds] : sum.past.tres_s)
    use.past_minutes.emplace_back(name, static_cast<std::uint64_t>(seconds / 60));
  return use;
}

wire::UseOfLimits use_at(const LimitSums& sums, const sched::LimitScopeKey& key) {
  auto at = sums.find(key);
  return at == sums.end() ? wire::UseOfLimits{} : use_of(at->second);
}

Text default_account_of(const Cluster& cluster, const Text& user) {
  for (const Association& a : *cluster.associations)
    if (a.is_default && a.key.user == user) return a.key.account;
  return {};
}

void add_users(const Cluster& cluster, const Visibility& visible, wire::LimitsReply& reply) {
  std::set<Text> names;
  for (const Association& a : *cluster.associations)
    if (a.is_user()) names.insert(a.key.user);
  for (const Text& name : names) {
    if (!visible.sees_user(name)) continue;
    const UserAccess* known = cluster.find_user(name);
    wire::UserRecord record{.access = known ? *known : UserAccess{.user = name},
                            .default_account = default_account_of(cluster, name)};
    reply.rows.push_back({.user = std::move(record), .association = {}, .qos = {}});
  }
}

void add_associations(const Cluster& cluster, const Visibility& visible, Time now,
                      const LimitSums& sums, wire::LimitsReply& reply) {
  const auto& all = *cluster.associations;
  if (all.empty()) return;
  for (const sched::Share& share : sched::share_tree(cluster, now)) {
    if (!visible.sees_association(share.key)) continue;
    const Association* own = find_association(all, share.key);
    wire::AssociationUse row{.association = own ? *own : Association{.key = share.key},
                             .depth = share.depth,
                             .shares_norm = share.depth == 0 ? 0 : share.shares_norm,
                             .factor = share.factor,
                             .usage_raw = share.usage_raw,
                             .usage_norm = share.usage_norm,
                             .usage_effective = share.usage_effective,
                             .use = use_at(sums, {{.qos = {}, .association = share.key}, {}, {}})};
    if (own) {
      SharedLimits group = std::move(row.association.limits.group);
      row.association.limits = inherited_limits(line_of(all, *own));
      row.association.limits.group = std::move(group);
    }
    reply.rows.push_back({.user = {}, .association = std::move(row), .qos = {}});
  }
}

void add_qos(const Cluster& cluster, const Visibility& visible, const LimitSums& sums,
             wire::LimitsReply& reply) {
  for (const Qos* qos : cluster.all_qos()) {
    const UsageOwner owner{.qos = qos->name, .association = {}};
    wire::QosUse row{.qos = *qos, .usage_raw = 0, .use = {}, .accounts = {}, .users = {}};
    for (auto at = sums.lower_bound({owner, {}, {}}); at != sums.end() && at->first.owner == owner;
         ++at) {
      const auto& [key, sum] = *at;
      if (key.user && visible.sees_use_of(*key.user)) {
        row.users.push_back({Text(std::to_string(key.user->value)), use_of(sum)});
      } else if (!key.user && !key.account.empty()) {
        if (visible.sees_account(key.account)) row.accounts.push_back({key.account, use_of(sum)});
      } else if (!key.user) {
        row.use = use_of(sum);
        row.usage_raw = sum.past.raw;
      }
    }
    reply.rows.push_back({.user = {}, .association = {}, .qos = std::move(row)});
  }
}

}  // namespace

wire::LimitsReply limits_reply(const Cluster& cluster, const Visibility& visible, Time now) {
  wire::LimitsReply reply;
  const LimitSums sums = sched::limit_sums(cluster, now);
  add_users(cluster, visible, reply);
  add_associations(cluster, visible, now, sums, reply);
  add_qos(cluster, visible, sums, reply);
  return reply;
}

}  // namespace muster::controller
