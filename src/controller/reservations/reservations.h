// Reservations: what happens to them as time passes. They begin, end, repeat, are purged when
// unused, and get other nodes for those they lose.
#pragma once

#include <map>

#include "controller/ledger/ledger.h"

namespace muster::controller {

class Reservations {
 public:
  explicit Reservations(Ledger& ledger) : ledger_(ledger) {}

  void tick();
  void on_clock_step(Millis by);

 private:
  void tick_reservation(const Reservation& reservation);
  bool is_idle(const Reservation& reservation);

  Ledger& ledger_;
  std::map<Text, Time> last_used_;  // with PURGE_COMP: when a job last used it
};

// Whether a job runs in it or waits for it.
bool is_reservation_used(const Cluster& cluster, const Text& name);

}  // namespace muster::controller
