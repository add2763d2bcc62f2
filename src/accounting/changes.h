// What accounting has not been told yet. Rows are made late and from the state itself: however
// often a job has changed meanwhile, it is one row. After a crash the journal tells again which
// changes the accounting file does not know.
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

  // To be called before the event is applied.
  void note(const Cluster& before, const Event& event);
  void note_all(const Cluster& cluster);
  void note_waiting(const Cluster& cluster);  // jobs whose rows may have been put off
  // The state is about to lose sight of the job: its rows are made now, if they are due.
  void settle(const Cluster& before, std::uint32_t job);
};

// Changes of committed batches, with the state that tells of them.
struct AccountingPortion {
  AccountingChanges changes;
  Cluster cluster;
  BatchNumber number = 0;  // of the last batch

  void add(AccountingPortion later);
  std::vector<AccountingRecord> records() const;
};

}  // namespace muster::accounting
