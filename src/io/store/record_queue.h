// RecordQueue: accounting records on their way to slurmdbd, in StateSaveLocation/slurmdbd_queue.db.
// They stay there until slurmdbd has stored them.
//
//   meta     one row: the format's version, the stream (wire/dbd.h), the last batch of the journal
//            that was taken, and the number of the last batch of records
//   batches  records by their number, encoded
//
// Thread-safe: a mutex guards the connection.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/store/sqlite.h"
#include "state/accounting_store.h"

namespace muster::io {

class RecordQueue final : public AccountingStore {
 public:
  // `path` is the file; its directory must exist.
  static Result<std::unique_ptr<RecordQueue>> open(const std::string& path,
                                                   const Database::Options& options = {});

  Result<void> ingest(const std::vector<AccountingRecord>& records, BatchNumber last) override;
  BatchNumber last() override;
  void rest() override;

  std::string stream();
  // The batches that wait keep their numbers, and belong to a stream of which slurmdbd has stored
  // nothing: for a file that was restored from an older copy.
  Result<void> begin_stream();
  struct Waiting {
    std::uint64_t number = 0;
    std::string records;  // an encoded wire::RecordBatch
  };
  Result<std::optional<Waiting>> first(std::uint64_t above);  // the first one above this number
  std::uint64_t last_number();                                // of the batch that was taken last
  Result<void> drop_through(std::uint64_t number);
  std::size_t waiting_rows() const { return waiting_rows_; }

  // Queries are slurmdbd's to answer.
  Result<void> scan(const Scan& scan, const std::function<void(Candidate)>& visit) override;
  Result<std::optional<JobRecord>> job_at(std::int64_t index) override;
  Result<std::vector<StepRecord>> steps_of(std::int64_t index) override;

 private:
  explicit RecordQueue(Database database) : database_(std::move(database)) {}
  Result<void> prepare_schema();
  Result<void> prepare_statements();
  Result<void> read_meta();
  Result<void> write(const std::vector<AccountingRecord>& records, BatchNumber last);
  Result<void> add_batch(const std::vector<AccountingRecord>& records);
  Result<void> count_waiting();

  std::mutex mutex_;  // guards the members below
  Database database_;
  Statement add_, set_meta_, set_stream_, read_first_, count_dropped_, drop_;
  std::string stream_;
  BatchNumber last_ = 0;
  std::uint64_t last_number_ = 0;
  std::atomic<std::size_t> waiting_rows_ = 0;
};

}  // namespace muster::io
