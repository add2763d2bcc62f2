// Changes that the accounting file does not know yet. Rows are made late, from the state itself: a
// job that has changed often is still one row. After a crash the journal shows which changes the
// accounting file lacks.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "base/text/idset.h"
#include "model/accounts/accounting_record.h"
#include "model/cluster.h"
#include "state/event.h"
#include "state/store.h"

namespace muster::accounting {

struct AccountingChanges {
  IdSet jobs;
  std::set<std::pair<JobId, StepId>> steps;
  IdSet purged;  // jobs that the state has forgotten
  // Rows that can no longer be made from the state.
  std::vector<JobRecord> gone_jobs;
  std::vector<StepRecord> gone_steps;

  bool empty() const {
    return jobs.empty() && steps.empty() && gone_jobs.empty() && gone_steps.empty();
  }
  std::size_t size() const {  // in rows
    return jobs.size() + steps.size() + gone_jobs.size() + gone_steps.size();
  }

  // Must be called before the event is applied.
  void note(const Cluster& before, const Event& event);
  void note_all(const Cluster& cluster);
  void note_waiting(const Cluster& cluster);  // jobs whose rows may have been delayed
  // Call it before the state forgets the job: makes the rows that are still due.
  void make_final_rows(const Cluster& before, std::uint32_t job);
};

// The changes of committed batches, with the state from which their rows are made.
struct AccountingDelta {
  AccountingChanges changes;
  Cluster cluster;
  BatchNumber number = 0;  // of the last batch

  void add(AccountingDelta later);
  std::vector<AccountingRecord> records() const;
};

}  // namespace muster::accounting
