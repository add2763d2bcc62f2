// GroupedProgram: for PrologFlags=RunInJob a slurmstepd enters the job's control groups and then
// executes a program of the site. The daemon passes it this struct in descriptor 3.
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
