// Membership: the account and the QOS that a job runs under: those it names, or those of its
// association.
#pragma once

#include "base/result.h"
#include "model/cluster.h"

namespace muster::controller {

struct Membership {
  Text account, qos;
};

// The account: as requested, or the user's default. The QOS: as requested, or the association's
// default, or the only one it may use, or "normal". Refused: accounts that the user is not in
// (AccountingStorageEnforce=associations), a QOS that the association may not use (qos), and an
// unknown QOS if any are defined.
Result<Membership> membership_of(const Cluster& cluster, const JobSpec& spec,
                                 const Text& first_partition);

// Whether the account may use the QOS.
Result<void> may_use_qos(const Cluster& cluster, const JobSpec& spec, const Membership& membership,
                         const Text& first_partition);

// If associations are enforced: whether the user is in the account.
Result<void> may_use_account(const Cluster& cluster, const JobSpec& spec, const Text& account,
                             const Text& first_partition);

// If QOS are defined or enforced, the name must be one of them; "normal" always exists.
Result<void> is_known_qos(const Cluster& cluster, std::string_view name);

// AccountingStorageEnforce=wckeys: the key has to be one of the user's; without one it is the
// user's default key, if there is one.
Result<void> settle_wckey(const Cluster& cluster, JobSpec& spec);

}  // namespace muster::controller
