// Opens the journal, reads it back, and commits batches to it.
#include "io/store/sqlite_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/codec/codec.h"
#include "io/files.h"

namespace muster::io {

namespace {

// 1 is from before jobs had a Run, 2 from when a change of a node or job told its whole record.
constexpr std::int64_t kJournalFormat = 3;

constexpr const char* kJournalSchema = R"(
  CREATE TABLE meta(version INTEGER NOT NULL, snapshot INTEGER NOT NULL);
  CREATE TABLE journal(number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, events BLOB NOT NULL);
  CREATE TABLE blobs(hash BLOB NOT NULL UNIQUE, number INTEGER NOT NULL, bytes BLOB NOT NULL);
  INSERT INTO meta VALUES (3, 0);
)";

constexpr const char* kParts = R"(
  CREATE TABLE IF NOT EXISTS journal_parts(number INTEGER NOT NULL, part INTEGER NOT NULL,
    checksum INTEGER NOT NULL, events BLOB NOT NULL, PRIMARY KEY(number, part));
)";

// SQLite allows a thousand million bytes per row.
constexpr std::size_t kMostRowBytes = 64u << 20;

// The events of one batch, one after the other with length prefixes.
struct JournalRow {
  std::vector<std::string> events;
  template <class V>
  void fields(V& v) {
    v(1, events);
  }
};

// Encodes events from `next` on, as many as fit into one row, and moves `next` behind them.
std::string journal_row(const std::vector<std::string>& events, std::size_t& next) {
  std::string row;
  std::size_t size = 0, end = next;
  constexpr std::size_t kPrefix = 6;  // the most for events below 4 GiB
  for (; end < events.size() && (end == next || size + events[end].size() < kMostRowBytes); ++end)
    size += events[end].size() + kPrefix;
  row.reserve(size);
  Encoder encoder(row);
  // The same bytes as those of a JournalRow, without copies of the events.
  for (; next < end; ++next) encoder.bytes(1, events[next]);
  return row;
}

// Includes the number, so that a row under a wrong number does not pass either.
std::int64_t row_checksum(BatchNumber number, std::string_view events) {
  const Sha256 digest = sha256(events);
  std::uint64_t sum = 0;
  std::memcpy(&sum, digest.data(), sizeof sum);
  return static_cast<std::int64_t>(sum ^ number);
}

Result<void> prepare_directory(const std::string& dir, bool allow_network_disk) {
  std::error_code code;
  std::filesystem::create_directories(dir, code);
  if (code)
    return fail(fmt::format("StateSaveLocation {}: cannot create it: {}", dir, code.message()));
  // The directory contains scripts and environments of all users.
  if (::chmod(dir.c_str(), 0700) != 0)
    return fail(
        fmt::format("StateSaveLocation {}: cannot make it private: {}", dir, std::strerror(errno)));
  if (!allow_network_disk && is_nfs(dir))
    return fail(fmt::format(
        "StateSaveLocation {}: is on NFS, where the state would not be safe; use a local disk",
        dir));
  return {};
}

std::string journal_path(const std::string& dir) { return dir + "/journal.db"; }

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& dir,
                                                       const SqliteStoreOptions& options) {
  if (auto ready = prepare_directory(dir, options.allow_network_disk); !ready)
    return std::unexpected(ready.error());
  DurableFiles& files = options.files ? *options.files : system_files();
  auto database =
      Database::open(journal_path(dir), {.vfs = options.vfs, .synchronous = options.synchronous});
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(*std::move(database), SnapshotFile(dir, files)));
  store->checkpoint_pages_ = options.checkpoint_pages;
  auto ready = store->prepare_schema(options.found_beside);
  if (ready) ready = store->prepare_statements();
  if (ready) ready = store->read_position();
  if (ready) ready = files.sync_dir(dir);
  if (!ready) return std::unexpected(ready.error());
  return store;
}

Result<void> SqliteStore::erase(const std::string& dir) {
  std::error_code code;
  if (!std::filesystem::exists(dir, code)) return {};
  SnapshotFile snapshots(dir, system_files());
  if (auto removed = snapshots.remove_before(~BatchNumber{0}); !removed) return removed;
  for (const char* suffix : {"", "-wal", "-journal"})
    if (auto removed = system_files().remove(journal_path(dir) + suffix); !removed) return removed;
  return system_files().sync_dir(dir);
}

Result<void> SqliteStore::prepare_schema(const std::string& found_beside) {
  auto tables = database_.query_integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables == 0) {
    auto snapshot = snapshot_.newest();
    if (!snapshot) return std::unexpected(snapshot.error());
    if (*snapshot != 0)
      return fail(fmt::format(
          "{}: empty or missing although snapshot-{} exists beside it: what happened after the "
          "snapshot is lost. Restore the file, or start clean (slurmctld -c)",
          database_.path(), *snapshot));
    if (!found_beside.empty())
      return fail(
          fmt::format("{}: empty or missing, but {} shows that this cluster had jobs. Restore the "
                      "file, or start "
                      "without those jobs (slurmctld -c)",
                      database_.path(), found_beside));
    auto transaction = Transaction::begin(database_);
    if (!transaction) return std::unexpected(transaction.error());
    if (auto created = database_.execute(kJournalSchema); !created) return created;
    if (auto created = database_.execute(kParts); !created) return created;
    return transaction->commit();
  }
  auto version = database_.query_integer("SELECT version FROM meta");
  if (!version) return std::unexpected(version.error());
  if (*version > kJournalFormat)
    return fail(fmt::format(
        "{}: written by a newer version (format {}, this program knows {}); it was left as it is",
        database_.path(), *version, kJournalFormat));
  if (*version < 1)
    return fail(database_.path() +
                ": not a journal of this program, or damaged; it was left as it is");
  if (*version < kJournalFormat)
    return fail(
        fmt::format("{}: written by an earlier version (format {}, this program knows {}); it was "
                    "left as it is",
                    database_.path(), *version, kJournalFormat));
  // Find damage now rather than when a job is submitted or started.
  if (auto whole = database_.check(); !whole) return whole;
  return database_.execute(kParts);
}

Result<void> SqliteStore::prepare_statements() {
  const std::pair<Statement*, std::string_view> all[] = {
      {&statements_.begin, "BEGIN IMMEDIATE"},
      {&statements_.commit, "COMMIT"},
      {&statements_.add_batch, "INSERT INTO journal(number, checksum, events) VALUES (?1, ?2, ?3)"},
      {&statements_.add_part,
       "INSERT INTO journal_parts(number, part, checksum, events) VALUES (?1, ?2, ?3, ?4)"},
      {&statements_.add_blob,
       "INSERT INTO blobs(hash, number, bytes) VALUES (?1, ?2, ?3) ON CONFLICT(hash) DO NOTHING"},
      {&statements_.read_blob, "SELECT bytes FROM blobs WHERE hash = ?1"},
      {&statements_.forget_batches,
       "DELETE FROM journal WHERE number IN (SELECT number FROM journal WHERE number <= ?1 ORDER "
       "BY number LIMIT ?2) "
       "RETURNING number"},
      {&statements_.forget_parts, "DELETE FROM journal_parts WHERE number <= ?1"},
      {&statements_.set_snapshot, "UPDATE meta SET snapshot = ?1"},
      {&statements_.list_blobs,
       "SELECT rowid, hash FROM blobs WHERE rowid > ?1 AND number <= ?2 ORDER BY rowid LIMIT ?3"},
      {&statements_.forget_blob, "DELETE FROM blobs WHERE rowid = ?1"},
  };
  for (auto [statement, sql] : all) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = *std::move(prepared);
  }
  return {};
}

Result<void> SqliteStore::read_position() {
  auto snapshot = database_.query_integer("SELECT snapshot FROM meta");
  auto batch = database_.query_integer("SELECT max(number) FROM journal");
  for (const auto* read : {&snapshot, &batch})
    if (!*read) return std::unexpected(read->error());
  auto newest = snapshot_.newest();
  if (!newest) return std::unexpected(newest.error());
  snapshot_number_ = static_cast<BatchNumber>(*snapshot);
  if (*newest < snapshot_number_)
    return fail(
        fmt::format("{}: snapshot-{} is missing beside it; the state cannot be restored without it",
                    database_.path(), snapshot_number_));
  last_batch_ = std::max(static_cast<BatchNumber>(*batch), *newest);
  return {};
}

Result<StoredState> SqliteStore::load() {
  std::lock_guard lock(mutex_);
  if (auto ok = usable(); !ok) return std::unexpected(ok.error());
  auto snapshot = snapshot_.read();
  if (!snapshot) return std::unexpected(snapshot.error());
  StoredState state{
      .snapshot_number = snapshot->number, .snapshot = std::move(snapshot->bytes), .journal = {}};

  auto rows = database_.prepare(
      "SELECT number, checksum, events, 0 AS part FROM journal WHERE number > ?1 UNION ALL "
      "SELECT number, checksum, events, part FROM journal_parts WHERE number > ?1 "
      "ORDER BY number, part");
  if (!rows) return std::unexpected(rows.error());
  rows->bind(1, static_cast<std::int64_t>(state.snapshot_number));
  BatchNumber last = state.snapshot_number;
  for (std::int64_t last_part = 0;;) {
    auto step = rows->step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return state;
    auto number = static_cast<BatchNumber>(rows->integer(0));
    const std::int64_t part = rows->integer(3);
    const bool follows = part == 0 ? number == last + 1 : number == last && part == last_part + 1;
    if (!follows)
      return fail(fmt::format("{}: damaged: batch {} is missing; it was left as it is",
                              database_.path(), last + 1));
    last = number;
    last_part = part;
    std::string_view bytes = rows->bytes(2);
    auto row = decode<JournalRow>(bytes);
    if (row_checksum(number, bytes) != rows->integer(1) || !row)
      return fail(
          fmt::format("{}: damaged: the checksum of batch {} does not match; it was left as it is",
                      database_.path(), number));
    if (part == 0) state.journal.push_back({number, {}});
    std::ranges::move(row->events, std::back_inserter(state.journal.back().events));
  }
}

Result<CommitOutcome> SqliteStore::commit(const Batch& batch) {
  std::lock_guard lock(mutex_);
  if (auto ok = usable(); !ok) return std::unexpected(ok.error());
  if (batch.number != last_batch_ + 1)
    return fail(fmt::format("{}: batch {} cannot follow batch {}", database_.path(), batch.number,
                            last_batch_));
  // Noted first: after the commit nothing may fail. A blob that is noted in vain stays longer.
  for (const auto& [hash, bytes] : batch.blobs)
    blob_uses_.insert_or_assign(short_hash(hash), batch.number);
  auto outcome = change([&] { return write_batch(batch); });
  if (!outcome || *outcome != CommitOutcome::committed) return outcome;
  last_batch_ = batch.number;
  for (const auto& [hash, bytes] : batch.blobs) know_blob(hash);
  // The batch is durable, so a failing checkpoint is only reported at the next use.
  if (auto checkpoint = database_.checkpoint_beyond(checkpoint_pages_); !checkpoint)
    give_up(checkpoint.error());
  database_.keep_wal_ahead();
  return outcome;
}

Result<void> SqliteStore::write_batch(const Batch& batch) {
  std::size_t next = 0;
  const std::string events = journal_row(batch.events, next);
  auto number = static_cast<std::int64_t>(batch.number);
  statements_.add_batch.bind(1, number).bind(2, row_checksum(batch.number, events)).bind(3, events);
  if (auto added = statements_.add_batch.run(); !added) return added;
  for (std::int64_t part = 1; next < batch.events.size(); ++part) {
    const std::string more = journal_row(batch.events, next);
    statements_.add_part.bind(1, number)
        .bind(2, part)
        .bind(3, row_checksum(batch.number, more))
        .bind(4, more);
    if (auto added = statements_.add_part.run(); !added) return added;
  }
  for (const auto& [hash, bytes] : batch.blobs) {
    if (known_blobs_[short_hash(hash) % known_blobs_.size()] == hash) continue;
    statements_.add_blob.bind(1, hash).bind(2, number).bind(3, bytes);
    if (auto added = statements_.add_blob.run(); !added) return added;
  }
  return {};
}

Result<std::string> SqliteStore::read_blob(std::string_view hash) {
  std::lock_guard lock(mutex_);
  if (auto ok = usable(); !ok) return std::unexpected(ok.error());
  ResetLater reset(statements_.read_blob);
  auto step = statements_.read_blob.bind(1, hash).step();
  if (!step) return std::unexpected(step.error());
  if (*step == Statement::Step::done)
    return fail(database_.path() + ": a script or an environment is not there any more");
  return std::string(statements_.read_blob.bytes(0));
}

// Only saves writing it again.
void SqliteStore::know_blob(const std::string& hash) {
  std::string& known = known_blobs_[short_hash(hash) % known_blobs_.size()];
  try {
    known = hash;
  } catch (const std::bad_alloc&) {
    known.clear();
  }
}

Result<CommitOutcome> SqliteStore::change(const std::function<Result<void>()>& change) {
  if (auto begun = statements_.begin.run(); !begun) return after_failure(begun.error());
  Result<void> done;
  try {
    done = change();
  } catch (const std::bad_alloc&) {
    if (auto rolled_back = database_.execute("ROLLBACK"); !rolled_back)
      return std::unexpected(give_up(rolled_back.error()));
    return CommitOutcome::out_of_memory;
  }
  if (done) done = statements_.commit.run();
  if (!done) return after_failure(done.error());
  return CommitOutcome::committed;
}

Result<CommitOutcome> SqliteStore::after_failure(const Error& error) {
  // Before the rollback replaces it:
  const bool full = database_.last_failure_was_full();
  const bool no_memory = database_.last_failure_was_memory();
  if (database_.in_transaction())
    if (auto rolled_back = database_.execute("ROLLBACK"); !rolled_back)
      return std::unexpected(give_up(rolled_back.error()));
  if (full) return CommitOutcome::disk_full;
  if (no_memory) return CommitOutcome::out_of_memory;
  return std::unexpected(give_up(error));
}

Error SqliteStore::give_up(Error error) {
  broken_ = error.detail;
  return error;
}

Result<void> SqliteStore::usable() const {
  if (broken_.empty()) return {};
  return fail("the state can no longer be written: " + broken_);
}

}  // namespace muster::io
