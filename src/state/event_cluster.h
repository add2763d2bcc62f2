// Events of the cluster as a whole: its controller, its configuration, usage (see event.h).
#pragma once

#include <map>

#include "base/ids.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster {

struct EpochStarted {  // a controller took over
  Epoch epoch;
  template <class V>
  void fields(V& v) {
    v(1, epoch);
  }
};

struct ConfigLoaded {
  Cow<ClusterConfig> config;
  template <class V>
  void fields(V& v) {
    v(1, config);
  }
};

struct PartitionChanged {
  Partition partition;  // all of it; a new name adds a partition
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, partition);
    v(2, removed);
  }
};

struct ReservationChanged {
  Reservation reservation;  // all of it; a new name adds a reservation
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, reservation);
    v(2, removed);
  }
};

struct AssociationChanged {
  Association association;  // all of it; a new key adds an association
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, association);
    v(2, removed);
  }
};

// The controller's clock was set, or its machine slept. Times of everything under way move along,
// as if nothing had happened. Times of what has ended, and times that users wrote, stay.
struct ClockStepped {
  Millis by{};
  template <class V>
  void fields(V& v) {
    v(1, by);
  }
};

// The usage of running and ended jobs has been counted up to `as_of`.
struct UsageCounted {
  Time as_of;
  bool reset = false;                     // all earlier usage is forgotten first
  std::map<UsageOwner, PastUse> changed;  // the new totals
  template <class V>
  void fields(V& v) {
    v(1, as_of);
    v(2, reset);
    v(3, changed);
  }
};

}  // namespace muster
