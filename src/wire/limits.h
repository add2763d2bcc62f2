// Limits of associations and QOS, and what is used of each: scontrol show assoc_mgr, muster budget.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "model/accounts/association.h"
#include "model/accounts/qos.h"
#include "model/accounts/user_access.h"

namespace muster::wire {

// What jobs use of the limits that count them together.
struct UseOfLimits {
  std::uint32_t jobs = 0, submitted = 0, accruing = 0;
  double wall_minutes = 0;  // that past and running jobs ran, less decay
  TresAmounts tres, run_minutes, past_minutes;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, submitted);
    v(3, accruing);
    v(4, wall_minutes);
    v(5, tres);
    v(6, run_minutes);
    v(7, past_minutes);
  }
};
struct UseByName {
  Text name;  // an account, or a user's id
  UseOfLimits use;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, use);
  }
};
struct AssociationUse {
  Association association;  // with the limits that it inherits
  std::uint32_t depth = 0;  // 0 = root
  double shares_norm = 0, factor = 0, usage_raw = 0, usage_norm = 0, usage_effective = 0;
  UseOfLimits use;
  template <class V>
  void fields(V& v) {
    v(1, association);
    v(2, depth);
    v(3, shares_norm);
    v(4, factor);
    v(5, usage_raw);
    v(6, usage_norm);
    v(7, usage_effective);
    v(8, use);
  }
};
struct QosUse {
  Qos qos;
  double usage_raw = 0;
  UseOfLimits use;
  std::vector<UseByName> accounts, users;  // with jobs now
  template <class V>
  void fields(V& v) {
    v(1, qos);
    v(2, usage_raw);
    v(3, use);
    v(4, accounts);
    v(5, users);
  }
};
struct UserRecord {
  UserAccess access;
  Text default_account;
  template <class V>
  void fields(V& v) {
    v(1, access);
    v(2, default_account);
  }
};

struct LimitsRequest {
  template <class V>
  void fields(V&) {}
};
struct LimitsRow {  // one of these
  std::optional<UserRecord> user;
  std::optional<AssociationUse> association;
  std::optional<QosUse> qos;
  template <class V>
  void fields(V& v) {
    v(1, user);
    v(2, association);
    v(3, qos);
  }
};
struct LimitsReply {
  std::vector<LimitsRow> rows;  // associations after their parents
  template <class V>
  void fields(V& v) {
    v(1, rows);
  }
};

// What a user may still use.
struct BudgetRequest {
  Uid uid;
  Text user;
  Text account, qos, partition;  // empty = as for a job that does not name one
  template <class V>
  void fields(V& v) {
    v(1, uid);
    v(2, user);
    v(3, account);
    v(4, qos);
    v(5, partition);
  }
};
struct BudgetRow {
  Text of;     // "QOS normal", "account lab", "alice in lab"
  Text limit;  // "GrpTRES=cpu"
  std::uint64_t most = 0;
  std::optional<double> used;  // unset = a limit on each job
  template <class V>
  void fields(V& v) {
    v(1, of);
    v(2, limit);
    v(3, most);
    v(4, used);
  }
};
struct BudgetReply {
  Text account, qos, partition;
  Text refused;  // the limit because of which the smallest job would be refused now ...
  Text waits;    // ... or would wait
  double factor = 0;
  bool counts_shares = false;  // PriorityType=priority/multifactor
  std::vector<BudgetRow> rows;
  template <class V>
  void fields(V& v) {
    v(1, account);
    v(2, qos);
    v(3, partition);
    v(4, refused);
    v(5, waits);
    v(6, factor);
    v(7, counts_shares);
    v(8, rows);
  }
};

}  // namespace muster::wire
