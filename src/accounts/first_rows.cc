// See first_rows.h.
#include "accounts/first_rows.h"

#include <algorithm>

namespace muster::accounts {

namespace {

// Numbers that Slurm gives to what every cluster has.
constexpr std::pair<std::uint32_t, const char*> kTres[] = {
    {1, "cpu"}, {2, "mem"}, {3, "energy"}, {4, "node"}, {5, "billing"}, {7, "vmem"}, {8, "pages"}};
constexpr std::uint32_t kDiskTres = 6;  // fs/disk

template <class Row>
void add_named(Draft& draft, const Row* known, Row row) {
  if (!known) draft.put(row);
}

void add_site_rows(Draft& draft, const RowTimes& times) {
  const Site& site = draft.site();
  add_named(draft, find_account(site, kRootAccount),
            AccountRow{.name = kRootAccount,
                       .description = "default root account",
                       .organization = "root",
                       .coordinators = {},
                       .times = times});
  add_named(draft, find_user(site, kRootAccount),
            UserRow{.name = kRootAccount, .admin_level = AdminLevel::administers, .times = times});
  if (!find_qos(site, kNormalQos)) {
    QosRow normal{.id = draft.next(&SiteNumbers::qos), .qos = {}, .defined_in = {}, .times = times};
    normal.qos.name = kNormalQos;
    normal.qos.description = "Normal QOS default";
    draft.put(normal);
  }
  for (auto [id, type] : kTres) draft.put(TresRow{.id = id, .type = type, .name = {}});
  draft.put(TresRow{.id = kDiskTres, .type = "fs", .name = "disk"});
}

void add_root(Draft& draft, const Text& cluster, const Text& user, const RowTimes& times) {
  const AssociationKey key{.account = kRootAccount, .user = user, .partition = {}};
  if (find_association(draft.site(), cluster, key)) return;
  AssociationRow row{.cluster = cluster,
                     .id = draft.next(&SiteNumbers::association),
                     .placed = draft.next_place(),
                     .association = {.key = key},
                     .comment = {},
                     .times = times};
  if (user.empty())
    row.association.qos = {kNormalQos};
  else
    row.association.is_default = true;
  draft.put(row);
}

// QOS that a slurm.conf defines may be used without further ado, as before there were accounts.
void let_root_use(Draft& draft, const Text& cluster, const Text& qos) {
  AssociationRow root = *find_association(draft.site(), cluster,
                                          {.account = kRootAccount, .user = {}, .partition = {}});
  auto& list = root.association.qos;
  if (std::ranges::binary_search(list, qos)) return;
  list.insert(std::ranges::upper_bound(list, qos), qos);
  draft.put(root);
}

void put_file_qos(Draft& draft, const Text& cluster, const Qos& qos, const Text& place, Time now) {
  const QosRow* known = find_qos(draft.site(), qos.name);
  QosRow row = known ? *known
                     : QosRow{.id = draft.next(&SiteNumbers::qos),
                              .qos = {},
                              .defined_in = {},
                              .times = {.created = now, .modified = now}};
  const bool is_new = row.defined_in.empty();
  row.qos = qos;
  row.defined_in = place;
  draft.put(row);
  if (is_new) let_root_use(draft, cluster, qos.name);
}

// What the file no longer defines stays, and can be changed and removed like any other.
void let_go_of_file_qos(Draft& draft, const Registration& registration) {
  for (QosRow row : values_of(draft.site().qos)) {
    const bool still = std::ranges::any_of(
        registration.qos, [&](const auto& defined) { return defined.first.name == row.qos.name; });
    if (row.defined_in.empty() || still) continue;
    row.defined_in = {};
    draft.put(row);
  }
}

}  // namespace

void add_first_rows(Draft& draft, const Text& cluster, Time now) {
  const RowTimes times{.created = now, .modified = now};
  add_site_rows(draft, times);
  if (!find_cluster(draft.site(), cluster)) {
    auto old = draft.site().clusters.find(cluster);
    ClusterRow row{.name = cluster, .times = times};
    row.id =
        old == draft.site().clusters.end() ? draft.next(&SiteNumbers::cluster) : old->second.id;
    draft.put(row);
  }
  add_root(draft, cluster, {}, times);
  add_root(draft, cluster, kRootAccount, times);
}

void register_cluster(Draft& draft, const Registration& registration, Time now) {
  const Text& name = registration.cluster.name;
  add_first_rows(draft, name, now);
  ClusterRow row = *find_cluster(draft.site(), name);
  const ClusterRow& said = registration.cluster;
  row.control_host = said.control_host;
  row.control_port = said.control_port;
  row.rpc_version = said.rpc_version;
  row.nodes = said.nodes;
  row.tres = said.tres;
  draft.put(row);
  for (const auto& [qos, place] : registration.qos) put_file_qos(draft, name, qos, place, now);
  let_go_of_file_qos(draft, registration);
  for (const auto& [type, tres_name] : registration.tres)
    if (!draft.site().tres.contains({type, tres_name}))
      draft.put(TresRow{.id = draft.next(&SiteNumbers::tres), .type = type, .name = tres_name});
}

}  // namespace muster::accounts
