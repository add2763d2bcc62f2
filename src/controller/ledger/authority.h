// Authority: who may do what. Root and SlurmUser are operators; other users may change only their
// own jobs.
#pragma once

#include "base/ids.h"
#include "model/job/job.h"

namespace muster::controller {

// The user behind a request, as proved by the connection.
struct Caller {
  Uid uid;
  Gid gid;
};

struct Authority {
  Uid slurm_user;

  bool is_operator(Uid user) const { return user.value == 0 || user == slurm_user; }
  bool is_operator(Caller caller) const { return is_operator(caller.uid); }
  bool may_change(Caller caller, const Job& job) const {
    return is_operator(caller) || job.spec->uid == caller.uid;
  }
  // The kind of hold that this caller sets: users cannot release an operator's.
  Hold hold_by(Caller caller) const { return is_operator(caller) ? Hold::admin : Hold::user; }
};

}  // namespace muster::controller
