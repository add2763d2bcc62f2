// Builds the tree of shares, adds up usage, and computes factors by either formula.
#include "sched/priority/fair_share.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

using Tree = std::vector<Share>;
using Places = std::vector<std::size_t>;

// --- the tree ---

std::vector<Association> everybody(const Cluster& cluster) {
  std::set<Text> users;
  for (const auto& [owner, use] : (*cluster.usage).past)
    if (owner.qos.empty()) users.insert(owner.association.user);
  auto add = [&](std::uint32_t id) {
    users.insert(association_of(cluster, cluster.jobs.at(JobId{id})).user);
  };
  for (std::uint32_t id : cluster.active.ids()) add(id);
  for (std::uint32_t id : cluster.uncounted.ids())
    if (cluster.jobs.contains(JobId{id})) add(id);
  const Job* last = nullptr;
  for (std::uint32_t id : cluster.pending.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!last || last->spec->uid != job.spec->uid) add(id);
    last = &job;
  }
  std::vector<Association> all;
  all.reserve(users.size());
  for (const Text& user : users) all.push_back({.key = {.account = {}, .user = user}});
  return all;
}

Text account_above(const Association& a) {
  if (a.is_user()) return a.key.account.empty() ? Text(kRootAccount) : a.key.account;
  return a.parent.empty() ? Text(kRootAccount) : a.parent;
}

Tree grow(const std::vector<Association>& all) {
  std::map<Text, std::vector<const Association*>> below;
  for (const Association& a : all)
    if (!a.is_root()) below[account_above(a)].push_back(&a);
  for (auto& [account, children] : below)
    std::ranges::stable_sort(children, [](const Association* a, const Association* b) {
      if (a->is_user() != b->is_user()) return a->is_user();
      return a->key < b->key;
    });
  Tree tree;
  tree.push_back({.key = {.account = kRootAccount}});
  std::function<void(std::size_t)> add_below = [&](std::size_t parent) {
    auto children = below.extract(tree[parent].key.account);
    if (children.empty()) return;
    for (const Association* a : children.mapped()) {
      tree.push_back({.key = a->key,
                      .parent = parent,
                      .depth = tree[parent].depth + 1,
                      .shares = a->shares,
                      .shares_of_parent = a->shares_of_parent});
      if (!a->is_user()) add_below(tree.size() - 1);
    }
  };
  add_below(0);
  return tree;
}

void add_usage(Tree& tree, const std::map<UsageOwner, PastUse>& past) {
  for (std::size_t i = tree.size(); i-- > 1;) {
    if (tree[i].is_user())
      if (auto at = past.find({.qos = {}, .association = tree[i].key}); at != past.end())
        tree[i].usage_raw = at->second.raw;
    tree[tree[i].parent].usage_raw += tree[i].usage_raw;
  }
  const double all = tree.front().usage_raw;
  for (Share& share : tree) share.usage_norm = all > 0 ? share.usage_raw / all : 0;
  tree.front().usage_norm = tree.front().usage_effective = 1;
}

// Children of an account with parent shares (fairshare=parent) count as its siblings, so the head
// of their family is further up.
std::size_t head_of_family(const Tree& tree, std::size_t i) {
  std::size_t parent = tree[i].parent;
  while (parent != 0 && tree[parent].shares_of_parent) parent = tree[parent].parent;
  return parent;
}

std::vector<Places> families(const Tree& tree) {
  std::vector<Places> children(tree.size());
  for (std::size_t i = 1; i < tree.size(); ++i) children[head_of_family(tree, i)].push_back(i);
  return children;
}

// --- Fair Tree ---

struct Ranking {
  Tree& tree;
  const std::vector<Places>& children;
  std::uint32_t users = 0, left = 0, rank = 0;

  // Siblings of equal level get the same rank, and so do their children. `tied`: the first of these
  // places share the rank that was given last.
  void descend(Places places, bool tied) {
    std::ranges::stable_sort(places, std::greater{},
                             [&](std::size_t i) { return tree[i].level_fs; });
    for (std::size_t i = 0; i < places.size();) {
      Places below;
      bool has_users = false;
      const std::size_t first = i;
      for (; i < places.size() && tree[places[i]].level_fs == tree[places[first]].level_fs; ++i)
        if (!tree[places[i]].is_user()) {
          const Places& theirs = children[places[i]];
          below.insert(below.end(), theirs.begin(), theirs.end());
        } else {
          if (!has_users && !tied) rank = left;
          has_users = true;
          --left;
          tree[places[i]].factor = static_cast<double>(rank) / users;
        }
      if (!below.empty()) descend(std::move(below), tied || has_users);
      tied = false;
    }
  }
};

// An account with parent shares has no rank among its siblings.
bool has_rank(const Share& share) { return share.is_user() || !share.shares_of_parent; }

void rank_users(Tree& tree) {
  auto children = families(tree);
  for (const Places& siblings : children) {
    double shares = 0, usage = 0;
    for (std::size_t i : siblings) {
      if (!tree[i].shares_of_parent) shares += tree[i].shares;
      if (has_rank(tree[i])) usage += tree[i].usage_raw;
    }
    for (std::size_t i : siblings) {
      Share& s = tree[i];
      s.shares_norm = s.shares_of_parent ? tree[head_of_family(tree, i)].shares_norm
                      : shares > 0       ? s.shares / shares
                                         : 0;
      s.usage_effective = usage > 0 ? s.usage_raw / usage : 0;
      s.level_fs = s.usage_effective > 0 ? s.shares_norm / s.usage_effective
                                         : std::numeric_limits<double>::infinity();
    }
  }
  for (Places& siblings : children)
    std::erase_if(siblings, [&](std::size_t i) { return !has_rank(tree[i]); });
  auto users = static_cast<std::uint32_t>(std::ranges::count_if(tree, &Share::is_user));
  Ranking{tree, children, users, users}.descend(children.front(), false);
}

// --- the classic formula ---

// Sums over the members of a family that have shares of their own.
struct FamilySums {
  double shares = 0, usage_norm = 0;
};
std::vector<FamilySums> sums_below(const Tree& tree) {
  std::vector<FamilySums> below(tree.size());
  for (std::size_t i = 1; i < tree.size(); ++i) {
    if (tree[i].shares_of_parent) continue;
    FamilySums& family = below[head_of_family(tree, i)];
    family.shares += tree[i].shares;
    family.usage_norm += tree[i].usage_norm;
  }
  return below;
}

// DEPTH_OBLIVIOUS: the further the parent's usage is from its share, the less it counts, unless its
// child is off in the same direction.
double usage_ratio(double of_parent, double own) {
  if (of_parent == 0 || own == 0) return 0;
  const double above = std::log(of_parent);
  const double k = above * std::log(own) < 0 ? 1 / (1 + std::pow(5 * above, 2)) : 1;
  return of_parent * std::pow(own, k);
}

double effective_usage(const Share& share, const Share& parent, const FamilySums& family,
                       bool depth_oblivious) {
  const double part = share.shares / family.shares;
  if (parent.depth == 0) return share.usage_norm;
  if (!depth_oblivious)
    return share.usage_norm + (parent.usage_effective - share.usage_norm) * part;
  if (parent.shares_norm == 0 || family.usage_norm == 0) return 0;
  return share.shares_norm * usage_ratio(parent.usage_effective / parent.shares_norm,
                                         share.usage_norm / family.usage_norm / part);
}

void classic(Tree& tree, const FairShareSettings& settings) {
  const auto below = sums_below(tree);
  tree.front().shares_norm = 1;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    Share& s = tree[i];
    const std::size_t head = head_of_family(tree, i);
    const Share& parent = tree[head];
    const FamilySums& family = below[head];
    if (s.shares_of_parent) {
      s.shares_norm = parent.shares_norm;
      s.usage_effective = parent.usage_effective;
    } else if (i > 0) {
      s.shares_norm = family.shares > 0 ? parent.shares_norm * s.shares / family.shares : 0;
      s.usage_effective =
          s.shares_norm > 0 ? effective_usage(s, parent, family, settings.depth_oblivious) : 0;
    }
    if (s.shares_norm > 0)
      s.factor = std::exp2(-s.usage_effective / s.shares_norm / settings.dampening);
  }
}

bool has_threshold(const Qos& qos) {
  return qos.usage_threshold.has_value() && qos.enforce_usage_threshold;
}

}  // namespace

std::vector<Share> share_tree(const Cluster& cluster, Time now) {
  const auto& known = *cluster.associations;
  Tree tree = grow(known.empty() ? everybody(cluster) : known);
  add_usage(tree, past_use(cluster, now));
  const FairShareSettings& settings = cluster.settings().priority.shares;
  if (settings.fair_tree)
    rank_users(tree);
  else
    classic(tree, settings);
  return tree;
}

FairShares::FairShares(const Cluster& cluster, Time now) {
  const PrioritySettings& settings = cluster.settings().priority;
  counted_ =
      (settings.multifactor && settings.fair_share > 0) ||
      std::ranges::any_of(cluster.all_qos(), [](const Qos* qos) { return has_threshold(*qos); });
  if (!counted_) return;
  for (const Share& share : share_tree(cluster, now))
    if (share.is_user()) factors_[share.key] = share.factor;
}

double FairShares::factor_of(const Cluster& cluster, const Job& job) const {
  if (!counted_) return 1;
  auto at = factors_.find(association_of(cluster, job));
  return at == factors_.end() ? 0 : at->second;
}

bool FairShares::below_threshold(const Cluster& cluster, const Job& job) const {
  const Qos* qos = counted_ ? cluster.find_qos(job.qos) : nullptr;
  return qos && has_threshold(*qos) && factor_of(cluster, job) < *qos->usage_threshold;
}

}  // namespace muster::sched
