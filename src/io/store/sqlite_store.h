// SqliteStore: the controller's state on disk, in StateSaveLocation.
//
//   journal.db   meta     one row: the format's version, the snapshot's number
//                journal  one row per batch since the snapshot
//                journal_parts  the rest of batches that are too large for one row
//                blobs    scripts and environments by hash, with the first batch that used them
//   snapshot-N   the state after batch N (sqlite_snapshot.h)
//
// Thread-safe, except that only one thread at a time may call write_snapshot(). A mutex guards the
// only connection (exclusive locking does not allow a second one) and everything else in here. It
// is held for one transaction or one read at a time, so that the clean-up after a snapshot does not
// delay commits. Only load() holds it for longer.
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
  bool synchronous = true;        // false is for a test that shows what would be lost
  bool allow_network_disk =
      false;  // otherwise NFS is refused: its locks and fsync are not reliable
  // If set, this file shows that there once was a journal, so a missing or empty journal is an
  // error.
  std::string found_beside = {};
  int checkpoint_pages = 4000;  // checkpoint after 16 MiB of WAL
};

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<SqliteStore>> open(const std::string& dir,
                                                   const SqliteStoreOptions& options = {});

  // Deletes everything that open() would find (slurmctld -c). No store may be open on `dir`.
  static Result<void> erase(const std::string& dir);

  Result<StoredState> load() override;
  Result<CommitOutcome> commit(const Batch& batch) override;
  Result<std::string> read_blob(std::string_view hash) override;
  // Fails with state_storage_full if the disk is full; the old snapshot and the journal are
  // unchanged, and the store can still be used. After any other error they are also unchanged, but
  // the disk should not be trusted.
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
  // After a failed transaction: rolls back, and decides whether the disk is full or the store has
  // to give up.
  Result<CommitOutcome> after_failure(const Error& error);
  void know_blob(const std::string& hash);
  Error give_up(Error error);
  // Runs `change` in a transaction.
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
  BatchNumber snapshot_number_ = 0;  // as in meta
  // For each blob used since the snapshot, by short_hash: the last batch that used it. It is not
  // needed after a restart, because then no job is newer than the state of the next snapshot, which
  // lists all blobs in use. If two blobs share a short_hash, both are kept a little longer.
  std::unordered_map<std::uint64_t, BatchNumber> blob_uses_;
  std::array<std::string, 256> known_blobs_;  // some that are stored already, by short_hash
  int checkpoint_pages_ = 0;
  std::string broken_;  // why the store refuses further use
};

}  // namespace muster::io
