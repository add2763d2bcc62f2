// AccountingStore: where the records of jobs and steps live. It knows up to which batch of the
// journal it has been told; what a question about its records means is decided in
// accounting/query.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/accounts/accounting_record.h"
#include "state/store.h"

namespace muster {

class AccountingStore {
 public:
  virtual ~AccountingStore() = default;

  // All of them or none, together with the number of the last batch that they tell of. A record
  // replaces the one that is there, so delivering it again does no harm.
  // ErrorCode::state_storage_full: nothing was written, try again.
  virtual Result<void> ingest(const std::vector<AccountingRecord>& records, BatchNumber last) = 0;
  virtual BatchNumber last() = 0;
  // Nothing may come for a while: memory that only makes it quicker can go.
  virtual void rest() {}

  // Which rows to look at; the reader decides about each.
  struct Scan {
    std::vector<JobId> jobs;  // as job or array; empty = all
    Time ended_since;         // jobs that ended earlier may be left out
    std::vector<Uid> uids;    // with `users`: others' jobs may be left out; both empty = everybody
    std::vector<Text> users;
  };
  struct Candidate {
    std::int64_t index = 0;  // ascending with age: a later run of the same job has the higher one
    JobRecord job;
  };
  // Calls visit for each, in no order; one may come twice.
  virtual Result<void> scan(const Scan& scan, const std::function<void(Candidate)>& visit) = 0;
  // Nothing where there is no such row.
  virtual Result<std::optional<JobRecord>> job_at(std::int64_t index) = 0;
  virtual Result<std::vector<StepRecord>> steps_of(std::int64_t index) = 0;
};

}  // namespace muster
