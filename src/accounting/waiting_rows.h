// Rows of accounting that are put off: most jobs wait for a short time, and a row that is written
// when its job starts or ends makes the one before superfluous. Nothing depends on it: whoever asks
// gets all rows, and after a crash every waiting job's row is due again (Core::recover).
#pragma once

#include <deque>

#include "accounting/changes.h"
#include "base/time.h"

namespace muster::accounting {

class WaitingRows {
 public:
  // Takes jobs that have only come and wait out of the portion, and puts those in that were taken
  // out long ago.
  void put_off(AccountingPortion& portion, Time now);
  void bring_back(AccountingPortion& portion);  // all of them

 private:
  struct Row {
    JobId job;
    Time since;
  };
  std::deque<Row> rows_;  // the oldest first; a job that has changed since is no longer meant
};

}  // namespace muster::accounting
