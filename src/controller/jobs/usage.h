// Records what jobs have used: every PriorityCalcPeriod, within a second of a job's end, and before
// any change after which it could not be computed.
#pragma once

#include "controller/ledger/ledger.h"

namespace muster::controller {

void count_usage(Ledger& ledger, Time until);
// PriorityUsageResetPeriod=NOW: resets usage at each start and whenever the configuration is read.
void reset_usage_if_told(Ledger& ledger);

class UsageClock {
 public:
  explicit UsageClock(Ledger& ledger) : ledger_(ledger) {}

  void tick();
  void on_clock_step(Millis by);

 private:
  void count_if_due();
  void note_priorities_if_due();

  Ledger& ledger_;
  Time priorities_noted_;  // PriorityFlags=INCR_ONLY
};

}  // namespace muster::controller
