// Rights: who may do what, by user id and by what accounts say about the user's name.
#pragma once

#include "controller/ledger/authority.h"
#include "model/cluster.h"

namespace muster::controller {

class Rights {
 public:
  // Both must outlive it.
  Rights(const Authority& authority, const Cluster& cluster)
      : authority_(authority), cluster_(cluster) {}

  // By AdminLevel: administrators may do what SlurmUser may, operators may also manage
  // reservations. Neither may run anything as another user.
  bool administers(const Caller& caller) const {
    return authority_.is_operator(caller) || level_of(caller) == AdminLevel::administers;
  }
  bool operates(const Caller& caller) const {
    return authority_.is_operator(caller) || level_of(caller) >= AdminLevel::operates;
  }
  // Whether the caller may cancel, hold or update the job: its owner, an administrator, or a
  // coordinator of its account.
  bool may_manage(const Caller& caller, const Job& job) const {
    return authority_.may_change(caller, job) || administers(caller) ||
           cluster_.coordinates(caller.name, job.account);
  }
  // The kind of hold that this caller sets: users cannot release an administrator's.
  Hold hold_by(const Caller& caller) const {
    return administers(caller) ? Hold::admin : Hold::user;
  }

 private:
  AdminLevel level_of(const Caller& caller) const {
    const UserAccess* user = cluster_.find_user(caller.name);
    return user ? user->admin_level : AdminLevel::none;
  }

  const Authority& authority_;
  const Cluster& cluster_;
};

}  // namespace muster::controller
