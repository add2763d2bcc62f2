// Site: what accounting knows of a site. A value in memory, made of the rows that a store keeps;
// put() is its only writer. Rows that were removed stay, marked as deleted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/containers/text.h"
#include "base/time.h"
#include "model/accounts/site_rows.h"

namespace muster::accounts {

inline constexpr std::string_view kNormalQos = "normal";

struct WckeyName {
  Text cluster, user, name;
  auto operator<=>(const WckeyName&) const = default;
  bool operator==(const WckeyName&) const = default;
};

// The associations of one cluster, by their keys.
using Associations = std::map<AssociationKey, AssociationRow>;

// The highest numbers given so far.
struct SiteNumbers {
  std::uint32_t association = 0, qos = 0, tres = 1000, wckey = 0, resource = 0, cluster = 0;
  std::uint64_t placed = 0;
  bool operator==(const SiteNumbers&) const = default;
};

struct Site {
  std::uint64_t version = 0;  // grows with every change that is committed
  std::map<Text, ClusterRow> clusters;
  std::map<Text, AccountRow> accounts;
  std::map<Text, UserRow> users;
  std::map<Text, Associations> associations;  // by cluster
  std::map<Text, QosRow> qos;
  std::map<std::pair<Text, Text>, TresRow> tres;  // by type and name
  std::map<WckeyName, WckeyRow> wckeys;
  std::map<std::pair<Text, Text>, ResourceRow> resources;  // by name and server
  SiteNumbers numbers;

  bool operator==(const Site&) const = default;

  void put(const SiteRow& row);
  void forget(const SiteRow& row);                        // the row with the same key
  std::optional<SiteRow> find(const SiteRow& row) const;  // likewise
  std::vector<SiteRow> rows() const;  // all of them, in no order that means anything
};

// A row by its key, if it is there and not deleted; else null.
const ClusterRow* find_cluster(const Site& site, const Text& name);
const AccountRow* find_account(const Site& site, const Text& name);
const UserRow* find_user(const Site& site, const Text& name);
const QosRow* find_qos(const Site& site, const Text& name);
const AssociationRow* find_association(const Site& site, const Text& cluster,
                                       const AssociationKey& key);
std::vector<Text> cluster_names(const Site& site);  // of those that are not deleted
// The associations of a cluster, deleted ones included.
const Associations& associations_of(const Site& site, const Text& cluster);

// The rows of a map, so that it may change while they are looked at.
template <class Map>
auto values_of(const Map& map) {
  std::vector<typename Map::mapped_type> values;
  values.reserve(map.size());
  for (const auto& [key, value] : map) values.push_back(value);
  return values;
}

// The account above: of a user's association its own account, of an account its parent. Empty for
// root.
Text account_above(const Association& association);
// Whether the account is this one, or somewhere below it.
bool is_within(const Associations& all, const Text& account, const Text& above);

// What users see of a tree: depth first; below each account its users come before its accounts.
struct TreePlace {
  const AssociationRow* row = nullptr;
  std::uint32_t depth = 0;         // 0 = root
  std::uint32_t lft = 0, rgt = 0;  // what is below an account lies between its numbers
  std::uint32_t parent_id = 0;
};
// Without deleted ones, which have no place in the tree.
std::vector<TreePlace> tree_of(const Associations& all);
std::uint32_t deepest(const Associations& all);

// What is inconsistent in the site, in words; none = nothing. For tests.
std::vector<std::string> contradictions(const Site& site);

}  // namespace muster::accounts
