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
  std::vector<SuspensionRecord> suspensions;
  // What has no time of its own until date() gives it one: nodes, the cluster's size, reservations
  // that are new or (`gone`) over.
  IdSet nodes;
  bool cluster_size = false;
  std::vector<ReservationRecord> reservations;
  std::vector<AccountingRecord> dated;

  bool empty() const {
    return jobs.empty() && steps.empty() && gone_jobs.empty() && gone_steps.empty() &&
           suspensions.empty() && nodes.empty() && !cluster_size && reservations.empty() &&
           dated.empty();
  }
  std::size_t size() const {  // in rows
    return jobs.size() + steps.size() + gone_jobs.size() + gone_steps.size() + suspensions.size() +
           dated.size();
  }

  // Makes rows of what has no time: it happened now, as `cluster` says.
  void date(const Cluster& cluster, Time now);
  // Must be called before the event is applied.
  void note(const Cluster& before, const Event& event);
  void note_all(const Cluster& cluster);
  void note_waiting(const Cluster& cluster);  // jobs whose rows may have been delayed
  // All nodes and reservations: they may have changed while nobody looked.
  void note_places(const Cluster& cluster);
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

 private:
  void add_jobs(std::vector<AccountingRecord>& all) const;
  void add_steps(std::vector<AccountingRecord>& all) const;
};

}  // namespace muster::accounting
