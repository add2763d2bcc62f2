// What jobs have used in the past, and who is charged for it. It is forgotten by and by: half of it
// in each PriorityDecayHalfLife.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "base/containers/text.h"
#include "base/time.h"
#include "model/accounts/association.h"

namespace muster {

enum class UsageReset : std::uint8_t { none, now, daily, weekly, monthly, quarterly, yearly };

// A QOS, or a user's association. Where there are no associations it is the user as such.
struct Payer {
  Text qos;
  AssociationKey association;
  auto operator<=>(const Payer&) const = default;
  bool operator==(const Payer&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, qos);
    v(2, association);
  }
};

struct PastUse {
  Time as_of;                     // what it was then: less remains of it later
  double raw = 0;                 // billing units times seconds
  double wall_s = 0;              // seconds that jobs ran
  std::map<Text, double> tres_s;  // amounts by name, times seconds
  bool operator==(const PastUse&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, as_of);
    v(2, raw);
    v(3, wall_s);
    v(4, tres_s);
  }

  void add(const PastUse& more);
  // What remains at a time; a half-life of 0 forgets nothing.
  PastUse at(Time now, Seconds half_life) const;
};

struct UsageBook {
  Time as_of;  // until when running jobs have been charged
  std::map<Payer, PastUse> past;
  bool operator==(const UsageBook&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, as_of);
    v(2, past);
  }
};

}  // namespace muster
