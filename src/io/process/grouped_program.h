// GroupedProgram: a slurmstepd enters the job's control groups (PrologFlags=RunInJob) or becomes a
// user (triggers), and then executes a program. The daemon passes it this struct in descriptor 3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/node/confinement.h"

namespace muster::io {

inline constexpr const char* kRunInGroup = "--run-in-group";

struct ProgramUser {
  Uid uid;
  Gid gid;
  std::vector<Gid> groups;
  template <class V>
  void fields(V& v) {
    v(1, uid);
    v(2, gid);
    v(3, groups);
  }
};

struct GroupedProgram {
  Confinement groups;
  std::vector<std::string> argv;
  std::optional<ProgramUser> user;  // unset: the daemon's own
  template <class V>
  void fields(V& v) {
    v(1, groups);
    v(2, argv);
    v(3, user);
  }
};

}  // namespace muster::io
