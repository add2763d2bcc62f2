// Authority: who may do what by user id. Root and SlurmUser are operators; other users may change
// only their own jobs. What accounts say about users comes on top of it: Rights.
#pragma once

#include "base/containers/text.h"
#include "base/ids.h"
#include "model/job/job.h"

namespace muster::controller {

// The user behind a request, as proved by the connection.
struct Caller {
  Uid uid;
  Gid gid;
  Text name = {};  // empty: no account says anything about this user
};

struct Authority {
  Uid slurm_user;

  bool is_operator(Uid user) const { return user.value == 0 || user == slurm_user; }
  bool is_operator(const Caller& caller) const { return is_operator(caller.uid); }
  bool may_change(const Caller& caller, const Job& job) const {
    return is_operator(caller) || job.spec->uid == caller.uid;
  }
};

}  // namespace muster::controller
