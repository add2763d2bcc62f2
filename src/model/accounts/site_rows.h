// site_rows: what accounting keeps about a site: its clusters, accounts, users, QOS and so on, each
// a whole row. A row that was removed stays, marked as deleted, because jobs of the past refer to
// it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/accounts/association.h"
#include "model/accounts/qos.h"
#include "model/accounts/user_access.h"

namespace muster {

struct RowTimes {
  Time created, modified;
  bool deleted = false;
  bool operator==(const RowTimes&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, created);
    v(2, modified);
    v(3, deleted);
  }
};

struct ClusterRow {
  Text name;
  std::uint32_t id = 0;
  Text control_host;  // empty = its controller has not registered yet
  std::uint32_t control_port = 0;
  std::uint32_t rpc_version = 0;
  Text classification;  // "Capability", "Capacity", "Capapacity"
  std::vector<Text> features;
  Text nodes;        // hostlist
  TresAmounts tres;  // all it has; "cpu", "mem" in MiB, "node", ...
  RowTimes times;
  bool operator==(const ClusterRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, id);
    v(3, control_host);
    v(4, control_port);
    v(5, rpc_version);
    v(6, classification);
    v(7, features);
    v(8, nodes);
    v(9, tres);
    v(10, times);
  }
};

struct AccountRow {
  Text name, description, organization;
  std::vector<Text> coordinators;  // users, ascending
  RowTimes times;
  bool operator==(const AccountRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, description);
    v(3, organization);
    v(4, coordinators);
    v(5, times);
  }
};

// The default account of a user is Association::is_default, the default key WckeyRow::is_default:
// each cluster has its own.
struct UserRow {
  Text name;
  AdminLevel admin_level = AdminLevel::none;
  RowTimes times;
  bool operator==(const UserRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, admin_level);
    v(3, times);
  }
};

struct AssociationRow {
  Text cluster;
  std::uint32_t id = 0;
  // Among the associations below the same parent the one that was put there last comes first.
  std::uint64_t placed = 0;
  Association association;
  Text comment;
  RowTimes times;
  bool operator==(const AssociationRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, id);
    v(3, placed);
    v(4, association);
    v(5, comment);
    v(6, times);
  }
};

struct QosRow {
  std::uint32_t id = 0;
  Qos qos;
  Text defined_in;  // "slurm.conf:12": it is changed there and nowhere else; empty = here
  RowTimes times;
  bool operator==(const QosRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, qos);
    v(3, defined_in);
    v(4, times);
  }
};

struct TresRow {
  std::uint32_t id = 0;
  Text type, name;  // "cpu", ""; "gres", "gpu:a100"
  bool operator==(const TresRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, type);
    v(3, name);
  }
};

struct WckeyRow {
  Text cluster, user, name;
  std::uint32_t id = 0;
  bool is_default = false;
  RowTimes times;
  bool operator==(const WckeyRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, user);
    v(3, name);
    v(4, id);
    v(5, is_default);
    v(6, times);
  }
};

// What clusters share, licenses above all.
struct ResourceRow {
  Text name, server;
  std::uint32_t id = 0;
  Text description, manager, server_type, kind;  // kind: "License"
  std::uint32_t count = 0;
  std::vector<Text> flags;
  std::vector<std::pair<Text, std::uint32_t>> allowed_percent;  // by cluster, ascending
  RowTimes times;
  bool operator==(const ResourceRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, server);
    v(3, id);
    v(4, description);
    v(5, manager);
    v(6, server_type);
    v(7, kind);
    v(8, count);
    v(9, flags);
    v(10, allowed_percent);
    v(11, times);
  }
};

// A change that somebody made.
struct TransactionRow {
  std::uint64_t id = 0;
  Time at;
  Text actor, action;                 // "root", "Add Users"
  Text where, info;                   // "(name='alice')", "admin_level=1"
  Text cluster;                       // empty = all of the site
  std::vector<Text> accounts, users;  // that it is about; not all where they are many
  bool operator==(const TransactionRow&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, at);
    v(3, actor);
    v(4, action);
    v(5, where);
    v(6, info);
    v(7, cluster);
    v(8, accounts);
    v(9, users);
  }
};

// New kinds go to the end.
using SiteRow = std::variant<ClusterRow, AccountRow, UserRow, AssociationRow, QosRow, TresRow,
                             WckeyRow, ResourceRow>;

struct SiteRowEntry {  // as it is stored
  SiteRow row;
  template <class V>
  void fields(V& v) {
    v(1, row);
  }
};

// What tells the row from all others: a row replaces the one with the same key.
std::string key_of(const SiteRow& row);

}  // namespace muster

MUSTER_DECLARE_CODEC(muster::SiteRowEntry)
MUSTER_DECLARE_CODEC(muster::TransactionRow)
