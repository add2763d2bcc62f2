// RecordWriter: writes the records of one batch within a transaction.
#pragma once

#include <map>
#include <utility>

#include "base/containers/text.h"
#include "model/accounts/accounting_record.h"
#include "slurmdbd/store/sql.h"

namespace muster::dbd {

class RecordWriter {
 public:
  RecordWriter(SqlConnection& connection, const Text& cluster)
      : connection_(connection), cluster_(cluster) {}

  Result<void> put(const JobRecord& job);
  Result<void> put(const StepRecord& step);
  // What reports are made of is not kept here yet.
  Result<void> put(const SuspensionRecord&) { return {}; }
  Result<void> put(const EventRecord&) { return {}; }
  Result<void> put(const ReservationRecord&) { return {}; }

 private:
  struct Run {
    std::int64_t index = 0;  // 0 = there is no such run
    std::int64_t submitted_ms = 0, ended_ms = 0;
  };
  Result<Run> find_run(JobId job, Attempt attempt);
  Result<std::int64_t> row_of(const StepRecord& step);
  Result<void> change(const Run& run, const JobRecord& job, std::string_view content);
  Result<void> add(const JobRecord& job, std::string_view content);

  SqlConnection& connection_;
  const Text cluster_;
  std::map<std::pair<JobId, Attempt>, std::int64_t> written_runs_;
};

}  // namespace muster::dbd
