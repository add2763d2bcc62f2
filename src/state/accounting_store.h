// AccountingStore: the records of jobs, steps, nodes and reservations, and the usage that was made
// of them. It knows the last batch of the journal that it contains. accounting/query.h decides what
// a query means, accounting/roll_up.h makes the usage.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/accounts/accounting_record.h"
#include "model/accounts/usage_row.h"
#include "state/store.h"

namespace muster {

// What queries read.
class AccountingReader {
 public:
  virtual ~AccountingReader() = default;

  // Which rows to look at. The caller checks each row itself.
  struct Scan {
    std::vector<JobId> jobs;  // ids of jobs or arrays; empty = all
    Time ended_since;         // jobs that ended earlier may be left out
    Time begun_until;         // if set: jobs that were submitted later may be left out
    // With `users`: other users' jobs may be left out; both empty = everybody.
    std::vector<Uid> uids;
    std::vector<Text> users;
    std::vector<Text> clusters;  // jobs of others may be left out; empty = all
  };
  struct Candidate {
    std::int64_t index = 0;  // ascends with age: a later run of the same job has a higher one
    JobRecord job;
  };
  // Calls `visit` for each row, in no particular order; a row may be visited twice.
  virtual Result<void> scan(const Scan& scan, const std::function<void(Candidate)>& visit) = 0;
  // Nothing if there is no such row.
  virtual Result<std::optional<JobRecord>> job_at(std::int64_t index) = 0;
  virtual Result<std::vector<StepRecord>> steps_of(std::int64_t index) = 0;

  // --- what reports are made of; a store need not keep it ---
  virtual Result<std::vector<SuspensionRecord>> suspensions_of(std::int64_t) { return missing(); }
  // Those that reach into the time, the oldest first; one without an end goes on.
  virtual Result<void> events(Time, Time, const std::function<void(EventRecord)>&) {
    return missing();
  }
  virtual Result<void> reservations(Time, Time, const std::function<void(ReservationRecord)>&) {
    return missing();
  }

  // Usage is known up to a time, which goes back when a record of an earlier time changes. Unset:
  // of no time yet.
  virtual Result<Time> usage_known_until() { return missing(); }
  // The time of the oldest record; unset if there is none.
  virtual Result<Time> oldest_record() { return missing(); }
  struct UsageOf {
    Time start;  // of the hour, day or month
    UsageRow row;
  };
  // Replaces the rows of spans that start in this time; then usage is known up to `known_until`.
  struct UsageChange {
    UsageSpan span = UsageSpan::hour;
    Time start, end;
    std::vector<UsageOf> rows;
    std::optional<Time> known_until = {};
  };
  virtual Result<void> put_usage(const UsageChange&) { return missing(); }
  virtual Result<void> usage(UsageSpan, Time, Time, const std::function<void(UsageOf)>&) {
    return missing();
  }

 private:
  static std::unexpected<Error> missing() {
    return fail("this accounting storage keeps no usage for reports");
  }
};

class AccountingStore : public AccountingReader {
 public:
  // Writes all records or none, together with the number of the last batch that they cover. A
  // record replaces an earlier one, so delivering it again does no harm.
  // ErrorCode::state_storage_full: nothing was written; try again.
  virtual Result<void> ingest(const std::vector<AccountingRecord>& records, BatchNumber last) = 0;
  virtual BatchNumber last() = 0;
  // Says that the store may be idle for a while: it may free memory that only saves time.
  virtual void rest() {}
};

}  // namespace muster
