// Delays rows of jobs that only wait. Most jobs wait for a short time, and the row that is written
// when a job starts or ends replaces the earlier one. Delaying loses nothing: a query gets all
// rows, and after a crash the rows of all waiting jobs are due again (Core::recover).
#pragma once

#include <deque>

#include "accounting/changes.h"
#include "base/time.h"

namespace muster::accounting {

class WaitingRows {
 public:
  // Takes jobs that have only been submitted out of the delta, and adds those whose delay is over.
  void put_off(AccountingDelta& delta, Time now);
  void bring_back(AccountingDelta& delta);  // adds all of them

 private:
  struct Row {
    JobId job;
    Time since;
  };
  std::deque<Row> rows_;  // the oldest first; jobs that have changed since are skipped
};

}  // namespace muster::accounting
