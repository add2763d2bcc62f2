// See site.h.
#include "accounts/site.h"

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

#include <fmt/format.h>

namespace muster::accounts {

namespace {

template <class Map, class Key>
auto* living(const Map& rows, const Key& key) {
  auto at = rows.find(key);
  return at != rows.end() && !at->second.times.deleted ? &at->second : nullptr;
}

// The map that rows of a kind are in, and the row's place in it.
template <class SiteOrConst, class Use>
auto at_place(SiteOrConst& site, const SiteRow& row, const Use& use) {
  return std::visit(
      [&]<class Row>(const Row& r) {
        if constexpr (std::is_same_v<Row, ClusterRow>)
          return use(site.clusters, r.name, r);
        else if constexpr (std::is_same_v<Row, AccountRow>)
          return use(site.accounts, r.name, r);
        else if constexpr (std::is_same_v<Row, UserRow>)
          return use(site.users, r.name, r);
        else if constexpr (std::is_same_v<Row, QosRow>)
          return use(site.qos, r.qos.name, r);
        else if constexpr (std::is_same_v<Row, TresRow>)
          return use(site.tres, std::pair(r.type, r.name), r);
        else if constexpr (std::is_same_v<Row, WckeyRow>)
          return use(site.wckeys, WckeyName{r.cluster, r.user, r.name}, r);
        else if constexpr (std::is_same_v<Row, ResourceRow>)
          return use(site.resources, std::pair(r.name, r.server), r);
        else
          return use(site.associations.at(r.cluster), r.association.key, r);
      },
      row);
}

void count(SiteNumbers& numbers, const SiteRow& row) {
  auto reach = [&]<class T>(T SiteNumbers::* counter, T id) {
    numbers.*counter = std::max(numbers.*counter, id);
  };
  if (auto* cluster = std::get_if<ClusterRow>(&row)) reach(&SiteNumbers::cluster, cluster->id);
  if (auto* qos = std::get_if<QosRow>(&row)) reach(&SiteNumbers::qos, qos->id);
  if (auto* tres = std::get_if<TresRow>(&row)) reach(&SiteNumbers::tres, tres->id);
  if (auto* wckey = std::get_if<WckeyRow>(&row)) reach(&SiteNumbers::wckey, wckey->id);
  if (auto* resource = std::get_if<ResourceRow>(&row)) reach(&SiteNumbers::resource, resource->id);
  if (auto* association = std::get_if<AssociationRow>(&row)) {
    reach(&SiteNumbers::association, association->id);
    reach(&SiteNumbers::placed, association->placed);
  }
}

// Rows of associations are in a map of their cluster's.
bool has_map(const Site& site, const SiteRow& row) {
  auto* association = std::get_if<AssociationRow>(&row);
  return !association || site.associations.contains(association->cluster);
}

}  // namespace

void Site::put(const SiteRow& row) {
  count(numbers, row);
  if (auto* association = std::get_if<AssociationRow>(&row))
    associations.try_emplace(association->cluster);
  at_place(*this, row,
           [](auto& map, const auto& key, const auto& r) { map.insert_or_assign(key, r); });
}

void Site::forget(const SiteRow& row) {
  if (!has_map(*this, row)) return;
  at_place(*this, row, [](auto& map, const auto& key, const auto&) { map.erase(key); });
  if (auto* association = std::get_if<AssociationRow>(&row))
    if (associations.at(association->cluster).empty()) associations.erase(association->cluster);
}

std::optional<SiteRow> Site::find(const SiteRow& row) const {
  if (!has_map(*this, row)) return std::nullopt;
  return at_place(*this, row, [](auto& map, const auto& key, const auto&) {
    auto at = map.find(key);
    return at == map.end() ? std::optional<SiteRow>() : std::optional<SiteRow>(at->second);
  });
}

std::vector<SiteRow> Site::rows() const {
  std::vector<SiteRow> all;
  auto add = [&](const auto& map) {
    for (const auto& [key, row] : map) all.emplace_back(row);
  };
  add(clusters), add(accounts), add(users), add(qos), add(tres), add(wckeys), add(resources);
  for (const auto& [cluster, rows] : associations) add(rows);
  return all;
}

const ClusterRow* find_cluster(const Site& site, const Text& name) {
  return living(site.clusters, name);
}
const AccountRow* find_account(const Site& site, const Text& name) {
  return living(site.accounts, name);
}
const UserRow* find_user(const Site& site, const Text& name) { return living(site.users, name); }
const QosRow* find_qos(const Site& site, const Text& name) { return living(site.qos, name); }

std::vector<Text> cluster_names(const Site& site) {
  std::vector<Text> names;
  for (const auto& [name, row] : site.clusters)
    if (!row.times.deleted) names.push_back(name);
  return names;
}

const Associations& associations_of(const Site& site, const Text& cluster) {
  static const Associations none;
  auto at = site.associations.find(cluster);
  return at == site.associations.end() ? none : at->second;
}

const AssociationRow* find_association(const Site& site, const Text& cluster,
                                       const AssociationKey& key) {
  return living(associations_of(site, cluster), key);
}

Text account_above(const Association& association) {
  if (association.is_user()) return association.key.account;
  if (association.is_root()) return {};
  return association.parent.empty() ? Text(kRootAccount) : association.parent;
}

bool is_within(const Associations& all, const Text& account, const Text& above) {
  Text at = account;
  for (std::size_t steps = 0; steps <= all.size() && !at.empty(); ++steps) {
    if (at == above) return true;
    const AssociationRow* row =
        living(all, AssociationKey{.account = at, .user = {}, .partition = {}});
    if (!row) return false;
    at = account_above(row->association);
  }
  return false;
}

namespace {

using Children = std::map<Text, std::vector<const AssociationRow*>>;

// Users first, each in the order of names.
bool stands_before(const AssociationRow* a, const AssociationRow* b) {
  const Association &left = a->association, &right = b->association;
  if (left.is_user() != right.is_user()) return left.is_user();
  return left.key < right.key;
}

struct TreeWalk {
  const Children& children;
  std::vector<TreePlace>& places;
  std::uint32_t last_number = 0;

  void visit(const AssociationRow& row, std::uint32_t depth, std::uint32_t parent_id) {
    const std::size_t place = places.size();
    places.push_back({&row, depth, ++last_number, 0, parent_id});
    if (!row.association.is_user())
      if (auto below = children.find(row.association.key.account); below != children.end())
        for (const AssociationRow* child : below->second) visit(*child, depth + 1, row.id);
    places[place].rgt = ++last_number;
  }
};

}  // namespace

std::vector<TreePlace> tree_of(const Associations& all) {
  Children children;
  const AssociationRow* root = nullptr;
  for (const auto& [key, row] : all) {
    if (row.times.deleted) continue;
    if (row.association.is_root())
      root = &row;
    else
      children[account_above(row.association)].push_back(&row);
  }
  for (auto& [account, rows] : children) std::ranges::sort(rows, stands_before);
  std::vector<TreePlace> places;
  if (root) TreeWalk{children, places}.visit(*root, 0, 0);
  return places;
}

std::uint32_t deepest(const Associations& all) {
  std::uint32_t depth = 0;
  for (const TreePlace& place : tree_of(all)) depth = std::max(depth, place.depth);
  return depth;
}

std::vector<std::string> contradictions(const Site& site) {
  std::vector<std::string> wrong;
  for (const auto& [cluster, all] : site.associations) {
    std::size_t living_rows = 0;
    std::map<Text, std::set<Text>> defaults;
    for (const auto& [key, row] : all) {
      if (row.times.deleted) continue;
      ++living_rows;
      const std::string name =
          fmt::format("{}: {}/{}", cluster.view(), key.account.view(), key.user.view());
      if (key != row.association.key || row.cluster != cluster)
        wrong.push_back(name + " is misplaced");
      if (!find_account(site, key.account)) wrong.push_back(name + " is of no account");
      if (row.association.is_user() && !find_user(site, key.user))
        wrong.push_back(name + " is of no user");
      for (const Text& qos : row.association.qos)
        if (!find_qos(site, qos)) wrong.push_back(name + " names a QOS that is not there");
      if (row.association.is_default) defaults[key.user].insert(key.account);
    }
    for (const auto& [user, accounts] : defaults)
      if (accounts.size() != 1) wrong.push_back("user " + user.str() + " has several defaults");
    for (const auto& [key, row] : all)
      if (!row.times.deleted && !key.user.empty() && !defaults.contains(key.user))
        wrong.push_back("user " + key.user.str() + " has no default account");
    if (tree_of(all).size() != living_rows)
      wrong.push_back(cluster.str() + ": not all hang on root");
  }
  return wrong;
}

}  // namespace muster::accounts
