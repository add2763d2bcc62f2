// Reservation: nodes that are kept for some users during some time (scontrol create reservation).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/text.h"
#include "base/time.h"

namespace muster {

struct Reservation {
  Text name;
  Time start, end;
  std::vector<NodeId> nodes;          // ascending
  std::vector<Text> users, accounts;  // one of these may use it; "-name" may not
  Text features, partition, comment, licenses;
  std::vector<Text> flags;  // in upper case: "MAINT", "DAILY", "FLEX", "IGNORE_JOBS", ...
  bool has(std::string_view flag) const {
    for (const Text& f : flags)
      if (f == flag) return true;
    return false;
  }
  bool operator==(const Reservation&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, start);
    v(3, end);
    v(4, nodes);
    v(5, users);
    v(6, accounts);
    v(7, features);
    v(8, partition);
    v(9, comment);
    v(10, licenses);
    v(11, flags);
  }
};

}  // namespace muster
