// SqliteStore: the controller's state on disk, in StateSaveLocation.
//
//   journal.db   meta     one row: the format's version, the snapshot's number
//                journal  one row per batch since the snapshot
//                journal_parts  the rest of batches that are too large for one row
//                blobs    scripts and environments by hash, with the first batch that named them
//   snapshot-N   the state after batch N (sqlite_snapshot.h)
//
// Any thread may call any function. A mutex guards the one connection (exclusive locking allows no
// second) and everything else in here; it is held for one transaction or one read at a time, so
// that a snapshot's clean-up does not stand in the way of commits. Only load() holds it for longer.
// write_snapshot() must not be called by two threads at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "io/store/sqlite.h"
#include "io/store/sqlite_snapshot.h"
#include "state/store.h"

namespace muster::io {

struct SqliteStoreOptions {
  std::string vfs = {};           // empty = the system's
  DurableFiles* files = nullptr;  // where snapshots go; null = the system's
  bool synchronous = true;        // false is for the test that shows what it would lose
  bool allow_network_disk =
      false;  // NFS is refused otherwise: its locks and fsync cannot be relied on
  // A file that shows that there was a journal here once: a missing or empty one is an error then.
  std::string found_beside = {};
  int checkpoint_pages = 4000;  // 16 MiB of WAL, then its content moves into the database
};

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& dir,
                                                   const SqliteStoreOptions& options = {});

  // Forgets everything that open() would find (slurmctld -c). No store may be open on `dir`.
  static Result<void> erase(const std::string& dir);

  Result<StoredState> load() override;
  Result<CommitOutcome> commit(const Batch& batch) override;
  Result<std::string> read_blob(std::string_view hash) override;
  // A full disk is ErrorCode::state_storage_full: the old snapshot and the journal are untouched
  // and the store goes on. Any other error leaves them untouched too, but the disk is not to be
  // trusted.
  Result<void> write_snapshot(BatchNumber number, std::string_view bytes,
                              const std::vector<std::string>& live_blobs) override;

 private:
  struct Statements {
    Statement begin, commit, add_batch, add_part, add_blob, read_blob;
    Statement forget_batches, forget_parts, set_snapshot, list_blobs, forget_blob;
  };

  SqliteStore(Database database, SnapshotFile snapshot)
      : database_(std::move(database)), snapshot_(std::move(snapshot)) {}

  Result<void> prepare_schema(const std::string& found_beside);
  Result<void> prepare_statements();
  Result<void> read_position();
  Result<void> write_batch(const Batch& batch);
  Result<void> usable() const;
  // After a failed transaction: rolls back and tells a full disk from what the store cannot
  // survive.
  Result<CommitOutcome> after_failure(const Error& error);
  Error give_up(Error error);
  // One transaction around `change`.
  Result<CommitOutcome> change(const std::function<Result<void>()>& change);
  Result<bool> forget_some_batches(BatchNumber up_to);
  static std::uint64_t short_hash(std::string_view hash) {
    return std::hash<std::string_view>{}(hash);
  }
  void forget_blob_uses(BatchNumber up_to);
  Result<bool> forget_some_blobs(BatchNumber up_to, const std::vector<std::string>& sorted_live,
                                 std::int64_t& position);

  std::mutex mutex_;  // guards everything below
  Database database_;
  Statements statements_;
  SnapshotFile snapshot_;
  BatchNumber last_batch_ = 0;
  BatchNumber snapshot_number_ = 0;  // as meta knows it
  // The last batch that named a blob, of those since the snapshot. Not on disk: after a restart no
  // job is newer than the state of the next snapshot, which knows all that it needs. By short_hash:
  // where two share one, both are kept for a while longer.
  std::unordered_map<std::uint64_t, BatchNumber> blob_uses_;
  std::array<std::string, 256> known_blobs_;  // some that need not be written again, by short_hash
  int checkpoint_pages_ = 0;
  std::string broken_;  // why the store refuses further use
};

}  // namespace muster::io
