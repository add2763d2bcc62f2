// See record_queue.h.
#include "io/store/record_queue.h"

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/codec/rough_size.h"
#include "io/files.h"
#include "io/log.h"
#include "wire/dbd.h"

namespace muster::io {

namespace {

constexpr std::int64_t kFormatOfQueue = 1;
constexpr int kCheckpointPagesOfQueue = 1000;
constexpr std::size_t kBatchBytes = 4u << 20;  // a batch has to fit into a frame

constexpr const char* kSchemaOfQueue = R"(
  CREATE TABLE meta(format INTEGER NOT NULL, stream BLOB NOT NULL, last_batch INTEGER NOT NULL,
    last_number INTEGER NOT NULL);
  CREATE TABLE batches(number INTEGER PRIMARY KEY, row_count INTEGER NOT NULL, records BLOB NOT NULL);
)";

std::string new_stream() {
  std::string name;
  for (unsigned char byte : random_bytes(16)) name += fmt::format("{:02x}", byte);
  return name;
}

std::unexpected<Error> not_here() {
  return fail("slurmdbd keeps accounting: this controller cannot answer for it");
}

}  // namespace

Result<std::unique_ptr<RecordQueue>> RecordQueue::open(const std::string& path,
                                                       const Database::Options& options) {
  auto database = Database::open(path, options);
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<RecordQueue> queue(new RecordQueue(*std::move(database)));
  auto ready = queue->prepare_schema();
  if (ready) ready = queue->read_meta();
  if (ready) ready = queue->prepare_statements();
  if (!ready) return std::unexpected(ready.error());
  return queue;
}

Result<void> RecordQueue::prepare_schema() {
  auto tables = database_.query_integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables > 0) {
    auto format = database_.query_integer("SELECT format FROM meta");
    if (!format) return std::unexpected(format.error());
    if (*format == kFormatOfQueue) return database_.check();
    return fail(fmt::format(
        "{}: written by a newer version (format {}, this program knows {}); it was left as it is",
        database_.path(), *format, kFormatOfQueue));
  }
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto created = database_.execute(kSchemaOfQueue); !created) return created;
  auto meta = database_.prepare("INSERT INTO meta VALUES (?1, ?2, 0, 0)");
  if (!meta) return std::unexpected(meta.error());
  const std::string stream = new_stream();
  if (auto ok = meta->bind(1, kFormatOfQueue).bind(2, stream).run(); !ok) return ok;
  return transaction->commit();
}

Result<void> RecordQueue::read_meta() {
  auto read = database_.prepare("SELECT stream, last_batch, last_number FROM meta");
  if (!read) return std::unexpected(read.error());
  auto step = read->step();
  if (!step) return std::unexpected(step.error());
  if (*step == Statement::Step::done) return fail(database_.path() + ": damaged: it has no meta");
  stream_ = read->bytes(0);
  last_ = static_cast<BatchNumber>(read->integer(1));
  last_number_ = static_cast<std::uint64_t>(read->integer(2));
  return count_waiting();
}

Result<void> RecordQueue::count_waiting() {
  auto rows = database_.query_integer("SELECT sum(row_count) FROM batches");
  if (!rows) return std::unexpected(rows.error());
  waiting_rows_ = static_cast<std::size_t>(*rows);
  return {};
}

Result<void> RecordQueue::prepare_statements() {
  const std::pair<Statement*, std::string_view> all[] = {
      {&add_, "INSERT INTO batches(number, row_count, records) VALUES (?1, ?2, ?3)"},
      {&set_meta_, "UPDATE meta SET last_batch = ?1, last_number = ?2"},
      {&read_first_,
       "SELECT number, records FROM batches WHERE number > ?1 ORDER BY number LIMIT 1"},
      {&drop_, "DELETE FROM batches WHERE number <= ?1"},
      {&count_dropped_, "SELECT coalesce(sum(row_count), 0) FROM batches WHERE number <= ?1"},
      {&set_stream_, "UPDATE meta SET stream = ?1"},
  };
  for (auto [statement, sql] : all) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = *std::move(prepared);
  }
  return {};
}

BatchNumber RecordQueue::last() {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::uint64_t RecordQueue::last_number() {
  const std::lock_guard lock(mutex_);
  return last_number_;
}

void RecordQueue::rest() {
  const std::lock_guard lock(mutex_);
  database_.release_memory();
}

Result<void> RecordQueue::ingest(const std::vector<AccountingRecord>& records, BatchNumber last) {
  const std::lock_guard lock(mutex_);
  if (auto ok = database_.check_place(); !ok) return ok;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::unexpected(transaction.error());
  const std::uint64_t number_before = last_number_;
  auto written = write(records, last);
  if (written) written = transaction->commit();
  if (!written) {
    last_number_ = number_before;
    const bool full = database_.last_failure_was_full();  // before the rollback replaces it
    return fail(full ? ErrorCode::state_storage_full : ErrorCode::failure, written.error().detail);
  }
  last_ = last;
  waiting_rows_ += records.size();
  // The records are safe; if they were reported as not written, they would be added again.
  if (auto ok = database_.checkpoint_beyond(kCheckpointPagesOfQueue); !ok)
    log_error("{}", ok.error().text());
  return {};
}

Result<void> RecordQueue::write(const std::vector<AccountingRecord>& records, BatchNumber last) {
  std::vector<AccountingRecord> some;
  std::size_t bytes = 0;
  for (const AccountingRecord& record : records) {
    bytes += std::visit([](const auto& r) { return rough_size(r); }, record);
    some.push_back(record);
    if (bytes < kBatchBytes) continue;
    if (auto ok = add_batch(some); !ok) return ok;
    some.clear();
    bytes = 0;
  }
  if (!some.empty())
    if (auto ok = add_batch(some); !ok) return ok;
  return set_meta_.bind(1, static_cast<std::int64_t>(last))
      .bind(2, static_cast<std::int64_t>(last_number_))
      .run();
}

Result<void> RecordQueue::add_batch(const std::vector<AccountingRecord>& records) {
  const std::string bytes = encode(wire::RecordBatch{records});
  return add_.bind(1, static_cast<std::int64_t>(++last_number_))
      .bind(2, static_cast<std::int64_t>(records.size()))
      .bind(3, bytes)
      .run();
}

std::string RecordQueue::stream() {
  const std::lock_guard lock(mutex_);
  return stream_;
}

Result<void> RecordQueue::begin_stream() {
  const std::lock_guard lock(mutex_);
  std::string fresh = new_stream();
  if (auto ok = set_stream_.bind(1, fresh).run(); !ok) return ok;
  stream_ = std::move(fresh);
  return {};
}

Result<std::optional<RecordQueue::Waiting>> RecordQueue::first(std::uint64_t above) {
  const std::lock_guard lock(mutex_);
  const ResetLater reset(read_first_);
  auto step = read_first_.bind(1, static_cast<std::int64_t>(above)).step();
  if (!step) return std::unexpected(step.error());
  if (*step == Statement::Step::done) return std::nullopt;
  return Waiting{static_cast<std::uint64_t>(read_first_.integer(0)),
                 std::string(read_first_.bytes(1))};
}

Result<void> RecordQueue::drop_through(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  std::size_t dropped = 0;
  {
    const ResetLater reset(count_dropped_);
    auto step = count_dropped_.bind(1, static_cast<std::int64_t>(number)).step();
    if (!step) return std::unexpected(step.error());
    dropped = static_cast<std::size_t>(count_dropped_.integer(0));
  }
  if (auto ok = drop_.bind(1, static_cast<std::int64_t>(number)).run(); !ok) return ok;
  waiting_rows_ -= dropped;
  return database_.checkpoint_beyond(kCheckpointPagesOfQueue);
}

Result<void> RecordQueue::scan(const Scan&, const std::function<void(Candidate)>&) {
  return not_here();
}
Result<std::optional<JobRecord>> RecordQueue::job_at(std::int64_t) { return not_here(); }
Result<std::vector<StepRecord>> RecordQueue::steps_of(std::int64_t) { return not_here(); }

}  // namespace muster::io
