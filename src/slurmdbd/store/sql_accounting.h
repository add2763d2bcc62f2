// SqlAccounting: the records of jobs and steps of all clusters in slurmdbd's database. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "slurmdbd/store/sql.h"
#include "state/accounting_store.h"

namespace muster::dbd {

// Where records come from (wire/dbd.h).
struct Feed {
  Text cluster;
  std::string stream;
};

class SqlAccounting final : public AccountingReader {
 public:
  // Queries have a connection of their own, so that they do not delay controllers. The two may be
  // the same.
  SqlAccounting(SqlDatabase& writes, SqlDatabase& reads) : writes_(writes), reads_(reads) {}

  // The last batch that is stored of the stream; 0 if there is none.
  Result<BatchNumber> last_of(const Feed& feed);
  // All records and the number, or nothing. A number that is stored already is left out: false.
  Result<bool> ingest(const Feed& feed, BatchNumber number,
                      const std::vector<AccountingRecord>& records);

  Result<void> scan(const Scan& scan, const std::function<void(Candidate)>& visit) override;
  Result<std::optional<JobRecord>> job_at(std::int64_t index) override;
  Result<std::vector<StepRecord>> steps_of(std::int64_t index) override;

 private:
  struct Filter;
  Result<void> read_jobs(const Filter& filter, const std::function<void(Candidate)>& visit);

  SqlDatabase& writes_;
  SqlDatabase& reads_;
};

}  // namespace muster::dbd
