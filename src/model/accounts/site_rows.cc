// Keys of rows, and their codec.
#include "model/accounts/site_rows.h"

#include <string_view>

namespace muster {

namespace {

struct KeyParts {
  std::string key;
  void operator()(const ClusterRow& r) { add("cluster", r.name); }
  void operator()(const AccountRow& r) { add("account", r.name); }
  void operator()(const UserRow& r) { add("user", r.name); }
  void operator()(const AssociationRow& r) {
    const AssociationKey& a = r.association.key;
    add("association", r.cluster, a.account, a.user, a.partition);
  }
  void operator()(const QosRow& r) { add("qos", r.qos.name); }
  void operator()(const TresRow& r) { add("tres", r.type, r.name); }
  void operator()(const WckeyRow& r) { add("wckey", r.cluster, r.user, r.name); }
  void operator()(const ResourceRow& r) { add("resource", r.name, r.server); }

 private:
  // Names are without control characters: accounts/names.h.
  template <class... Names>
  void add(std::string_view kind, const Names&... names) {
    key = kind;
    (key.append(1, '\n').append(std::string_view(names)), ...);
  }
};

}  // namespace

std::string key_of(const SiteRow& row) {
  KeyParts parts;
  std::visit(parts, row);
  return std::move(parts.key);
}

}  // namespace muster

MUSTER_CODEC(muster::SiteRowEntry)
MUSTER_CODEC(muster::TransactionRow)
