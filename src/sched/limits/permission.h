// permission: whether the account and the QOS of a job still admit it to a partition. This was
// checked when the job was submitted, but a partition's lists, an association and its QOS may
// change while it waits.
#pragma once

#include <map>
#include <tuple>

#include "base/containers/text.h"
#include "model/cluster.h"
#include "sched/request/reason.h"

namespace muster::sched {

// A list of names such as AllowAccounts: no distinction of case.
bool lists_name(const Text& names, std::string_view name);
bool admits_account(const Partition& partition, std::string_view account);
bool admits_qos(const Partition& partition, std::string_view qos);

struct Permission {
  Reason reason = Reason::none;  // none = it may run there
  Text detail;                   // if set, shown instead of the reason's name
};
Permission permission_of(const Cluster& cluster, const Job& job, const Partition& partition);

// The same, remembered for jobs of the same user, account and QOS. Does not outlive the cluster.
class Permissions {
 public:
  explicit Permissions(const Cluster& cluster) : cluster_(cluster) {}
  const Permission& of(const Job& job, const Partition& partition);

 private:
  using Key = std::tuple<const Partition*, Text, Text, Text>;
  const Cluster& cluster_;
  std::map<Key, Permission> known_;
};

}  // namespace muster::sched
