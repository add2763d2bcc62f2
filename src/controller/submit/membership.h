// Membership: the account and the QOS that a job runs under. It names them, or its association
// says.
#pragma once

#include "base/result.h"
#include "model/cluster.h"

namespace muster::controller {

struct Membership {
  Text account, qos;
};

// The account: as asked, or the user's default one. The QOS: as asked, or the association's
// default, or the only one it may use, or "normal". Refused are accounts that the user is not in
// (AccountingStorageEnforce=associations), a QOS that the association may not use (qos), and one
// that does not exist where some are defined.
Result<Membership> membership_of(const Cluster& cluster, const JobSpec& spec,
                                 const Text& first_partition);

// Of a QOS and an account that are in force: may they go on together?
Result<void> may_use_qos(const Cluster& cluster, const JobSpec& spec, const Membership& membership,
                         const Text& first_partition);

// Where associations are enforced: is the user in the account?
Result<void> may_use_account(const Cluster& cluster, const JobSpec& spec, const Text& account,
                             const Text& first_partition);

// Where QOS are defined or enforced only those exist; "normal" always does.
Result<void> is_known_qos(const Cluster& cluster, std::string_view name);

}  // namespace muster::controller
