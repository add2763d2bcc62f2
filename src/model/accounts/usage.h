// usage: what jobs have used in the past, and which owner is charged for it. It decays: half of it
// is gone after each PriorityDecayHalfLife.
#pragma once

#include <compare>
#include <cstdint>
#include <map>

#include "base/containers/text.h"
#include "base/time.h"
#include "model/accounts/association.h"

namespace muster {

enum class UsageReset : std::uint8_t { none, now, daily, weekly, monthly, quarterly, yearly };

// The owner of usage: a QOS or a user's association. Without associations it is just the user.
struct UsageOwner {
  Text qos;
  AssociationKey association;
  auto operator<=>(const UsageOwner&) const = default;
  bool operator==(const UsageOwner&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, qos);
    v(2, association);
  }
};

struct PastUse {
  Time as_of;                     // the time of these amounts; later they have decayed
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
  // What remains at this time; a half-life of 0 means no decay.
  PastUse at(Time now, Seconds half_life) const;
};

struct UsageBook {
  Time as_of;  // running jobs have been charged until then
  std::map<UsageOwner, PastUse> past;
  bool operator==(const UsageBook&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, as_of);
    v(2, past);
  }
};

}  // namespace muster
