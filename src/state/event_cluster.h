// Events of the cluster as a whole: its controller, its configuration, its books (see event.h).
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
  Partition partition;  // whole; new if the name is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, partition);
    v(2, removed);
  }
};

struct ReservationChanged {
  Reservation reservation;  // whole; new if the name is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, reservation);
    v(2, removed);
  }
};

struct AssociationChanged {
  Association association;  // whole; new if its key is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, association);
    v(2, removed);
  }
};

struct QosChanged {  // of accounting; those of the configuration come with it
  Qos qos;           // whole; new if the name is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, qos);
    v(2, removed);
  }
};

struct UserAccessChanged {
  UserAccess access;  // whole; one without anything special is not kept
  template <class V>
  void fields(V& v) {
    v(1, access);
  }
};

struct CoordinatorsChanged {
  Coordinators coordinators;  // of the account, all of them
  template <class V>
  void fields(V& v) {
    v(1, coordinators);
  }
};

// The controller's clock was set, or its machine slept. What is under way goes on as if nothing had
// happened: its times move along. What has ended, and times that users wrote, stay.
struct ClockStepped {
  Millis by{};
  template <class V>
  void fields(V& v) {
    v(1, by);
  }
};

// What running jobs and those that ended have used is counted until `as_of`.
struct UsageCounted {
  Time as_of;
  bool reset = false;                     // the past is forgotten first
  std::map<UsageOwner, PastUse> changed;  // the new totals
  template <class V>
  void fields(V& v) {
    v(1, as_of);
    v(2, reset);
    v(3, changed);
  }
};

}  // namespace muster
