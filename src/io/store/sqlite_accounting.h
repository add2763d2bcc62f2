// SqliteAccounting: the embedded accounting, in StateSaveLocation/accounting.db.
//
//   meta                  one row: the format's version and the last batch that was ingested
//   jobs                  one row per run of a job: what queries filter on, and the encoded record
//   steps                 one row per step, by the row of its run
//   suspensions           when a run was suspended, by its row
//   events                nodes out of service, and the size of the cluster
//   reservations          one row per reservation and start
//   usage                 what was used, by hour, day and month
//
// Thread-safe: a mutex guards the connection, and is held for one transaction or one read.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "io/store/sqlite.h"
#include "state/accounting_store.h"

namespace muster::io {

// A time as a column holds it; 0 = not set.
inline std::int64_t to_ms(Time t) { return t.time_since_epoch().count(); }

class SqliteAccounting final : public AccountingStore {
 public:
  // `path` is the file; its directory must exist.
  static Result<std::unique_ptr<SqliteAccounting>> open(const std::string& path,
                                                        const Database::Options& options = {});

  Result<void> ingest(const std::vector<AccountingRecord>& records, BatchNumber last) override;
  BatchNumber last() override;
  void rest() override;

  Result<void> scan(const Scan& scan, const std::function<void(Candidate)>& visit) override;
  Result<std::optional<JobRecord>> job_at(std::int64_t index) override;
  Result<std::vector<StepRecord>> steps_of(std::int64_t index) override;

  // sqlite_usage.cc
  Result<std::vector<SuspensionRecord>> suspensions_of(std::int64_t index) override;
  Result<void> events(Time start, Time end, const std::function<void(EventRecord)>& visit) override;
  Result<void> reservations(Time start, Time end,
                            const std::function<void(ReservationRecord)>& visit) override;
  Result<Time> usage_known_until() override;
  Result<Time> oldest_record() override;
  Result<void> put_usage(const UsageChange& change) override;
  Result<void> usage(UsageSpan span, Time start, Time end,
                     const std::function<void(UsageOf)>& visit) override;

  // How SQLite reads the rows of a scan: for tests, which look for the index.
  Result<std::string> plan_of(const Scan& scan);

 private:
  struct Statements {
    Statement find_run, add_job, fill_job, change_job, end_job, put_step, set_last, read_job,
        read_steps, end_suspension, add_suspension, read_suspensions, open_event, end_event,
        add_event, put_reservation, remove_reservation, forget_usage;
  };
  struct Run {
    std::int64_t index = 0;  // 0 = there is no such run
    std::int64_t submitted_ms = 0, ended_ms = 0, started_ms = 0;
  };

  explicit SqliteAccounting(Database database) : database_(std::move(database)) {}

  Result<void> prepare_schema();
  Result<void> prepare_statements();
  Result<void> write(const std::vector<AccountingRecord>& records, BatchNumber last);
  Result<void> put(const JobRecord& job);
  Result<void> put(const StepRecord& step);
  Result<void> put(const SuspensionRecord& suspension);
  Result<void> put(const EventRecord& event);
  Result<void> put(const ReservationRecord& reservation);
  Result<void> forget_usage_since(std::int64_t ms);  // 0 = no time
  Result<void> note_change(const Run& before, const JobRecord& job);
  Result<Run> find_run(JobId job, Attempt attempt);
  Result<std::int64_t> row_of(const StepRecord& step);
  Result<void> prepare_usage_statements();
  struct Query {
    std::string sql;
    Scan scan;
  };
  static std::vector<Query> queries_of(const Scan& scan);
  Result<Statement> prepare(const Query& query);
  Result<void> read_jobs(const Query& query, const std::function<void(Candidate)>& visit);

  std::mutex mutex_;  // guards everything below
  Database database_;
  Statements statements_;
  BatchNumber last_ = 0;
  JobId highest_job_;  // at least the highest job id with a row
  std::int64_t usage_known_ms_ = 0;
  std::map<std::pair<JobId, Attempt>, std::int64_t> written_runs_;  // by this transaction
};

}  // namespace muster::io
