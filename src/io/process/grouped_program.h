// What a daemon hands, in descriptor 3, to the slurmstepd that becomes a program of the site inside
// a job's control groups (PrologFlags=RunInJob).
#pragma once

#include <string>
#include <vector>

#include "model/node/confinement.h"

namespace muster::io {

inline constexpr const char* kRunInGroup = "--run-in-group";

struct GroupedProgram {
  Confinement groups;
  std::vector<std::string> argv;
  template <class V>
  void fields(V& v) {
    v(1, groups);
    v(2, argv);
  }
};

}  // namespace muster::io
