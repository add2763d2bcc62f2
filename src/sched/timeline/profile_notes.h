// What a profile notes of nodes. The notes are handed from one profile to the next, blank: a plan
// that asks about few nodes need not make room for all.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::sched {

struct ProfileNote {
  std::uint32_t entry = 0;  // its place among the entries, from 1 on; 0 = nobody asked yet
  bool barred = false;
  bool full = false;  // where there is an entry
};
using ProfileNotes = std::vector<ProfileNote>;  // by node id

}  // namespace muster::sched
