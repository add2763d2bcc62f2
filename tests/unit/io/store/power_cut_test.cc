// Power cuts at every write and every sync of a store's life: afterwards everything that was
// acknowledged is there, whole, and nothing is there in part.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/power_cut_vfs.h"
#include "io/store/sqlite_store.h"
#include "io/store_fixture.h"

namespace muster::io {

namespace {

constexpr BatchNumber kBatches = 14;

// What the store has acknowledged, and what was under way when the power failed.
struct Acknowledged {
  BatchNumber batch = 0, tried_batch = 0;
  BatchNumber snapshot = 0, tried_snapshot = 0;
};

SqliteStoreOptions options_for(PowerCutDisk& disk, bool synchronous) {
  return {
      .vfs = disk.vfs_name(), .files = &disk, .synchronous = synchronous, .checkpoint_pages = 6};
}

// Blobs of batches with even numbers stay in use for ever.
std::vector<std::string> live_blobs(BatchNumber up_to) {
  std::vector<std::string> live;
  for (BatchNumber n = 2; n <= up_to; n += 2) live.push_back(blob_hash(n));
  return live;
}

void take_snapshot(SqliteStore& store, BatchNumber n, Acknowledged& known) {
  known.tried_snapshot = n;
  if (store.write_snapshot(n, snapshot_bytes(n), live_blobs(n))) known.snapshot = n;
}

// Commits and writes snapshots until all is done or the power fails.
Acknowledged live_until_cut(const std::string& dir, PowerCutDisk& disk, bool synchronous) {
  Acknowledged known;
  auto store = SqliteStore::open(dir, options_for(disk, synchronous));
  if (!store) return known;
  for (BatchNumber n = 1; n <= kBatches; ++n) {
    known.tried_batch = n;
    if ((*store)->commit(make_batch(n)) != CommitOutcome::committed) return known;
    known.batch = n;
    if (n == 4 || n == 10) take_snapshot(**store, n, known);
  }
  return known;
}

std::string check_state(const StoredState& state, const Acknowledged& known, BatchNumber& last) {
  if (state.snapshot_number < known.snapshot || state.snapshot_number > known.tried_snapshot)
    return fmt::format("snapshot {} of {}", state.snapshot_number, known.snapshot);
  if (state.snapshot_number != 0 && state.snapshot != snapshot_bytes(state.snapshot_number))
    return "snapshot content";
  last = state.snapshot_number;
  for (const auto& entry : state.journal) {
    if (entry.number != ++last) return fmt::format("batch {} instead of {}", entry.number, last);
    if (entry.events != make_batch(entry.number).events)
      return fmt::format("events of batch {}", entry.number);
  }
  if (last != known.batch && last != known.tried_batch)
    return fmt::format("{} batches of {}", last, known.batch);
  return "";
}

std::string check_blobs(SqliteStore& store, BatchNumber snapshot, BatchNumber last) {
  for (BatchNumber n = 1; n <= last; ++n) {
    if (n <= snapshot && n % 2 != 0) continue;  // dead
    auto bytes = store.read_blob(blob_hash(n));
    if (!bytes || *bytes != blob_bytes(n)) return fmt::format("blob of batch {}", n);
  }
  return "";
}

// What is wrong after the power is back; empty if nothing.
std::string check_after_cut(const std::string& dir, PowerCutDisk& disk, const Acknowledged& known,
                            bool synchronous) {
  auto store = SqliteStore::open(dir, options_for(disk, synchronous));
  if (!store) return "reopen: " + store.error().text();
  auto state = (*store)->load();
  if (!state) return "load: " + state.error().text();
  BatchNumber last = 0;
  if (auto wrong = check_state(*state, known, last); !wrong.empty()) return wrong;
  if (auto wrong = check_blobs(**store, state->snapshot_number, last); !wrong.empty()) return wrong;
  if ((*store)->commit(make_batch(last + 1)) != CommitOutcome::committed) return "cannot go on";
  return "";
}

struct Faults {
  bool synchronous = true;      // false = the database never syncs
  bool file_sync_lies = false;  // the snapshot's sync does nothing
};

std::string cut_and_check(std::uint64_t operation, Survivors survivors, std::uint64_t seed,
                          Faults faults = {}) {
  static TempDir dir;  // stays empty: all files are on the disk in memory
  bool synchronous = faults.synchronous;
  PowerCutDisk disk;
  disk.set_file_sync_lies(faults.file_sync_lies);
  disk.cut_at(operation);
  Acknowledged known = live_until_cut(dir.path(), disk, synchronous);
  disk.restore_power(survivors, seed);
  return check_after_cut(dir.path(), disk, known, synchronous);
}

std::uint64_t operations_of_a_whole_life(bool synchronous) {
  TempDir dir;
  PowerCutDisk disk;
  EXPECT_EQ(live_until_cut(dir.path(), disk, synchronous).snapshot, 10u);
  return disk.operations();
}

}  // namespace

TEST(StorePowerCut, LosesNothingAcknowledgedWhereverThePowerGoes) {
  std::uint64_t operations = operations_of_a_whole_life(true);
  EXPECT_GT(operations, 100u);
  const std::pair<Survivors, int> variants[] = {
      {Survivors::none, 1}, {Survivors::all, 1}, {Survivors::prefix, 3}, {Survivors::some, 4}};
  for (std::uint64_t at = 1; at <= operations + 1; ++at)
    for (auto [survivors, seeds] : variants)
      for (int seed = 0; seed < seeds; ++seed)
        ASSERT_EQ(cut_and_check(at, survivors, at * 100 + static_cast<std::uint64_t>(seed)), "")
            << "cut at operation " << at << " of " << operations << ", survivors "
            << static_cast<int>(survivors) << ", seed " << seed;
}

// Controls: if the check passed here too, it would prove nothing.
TEST(StorePowerCut, WouldLoseBatchesWithoutSynchronousWrites) {
  std::uint64_t operations = operations_of_a_whole_life(false);
  int losses = 0;
  for (std::uint64_t at = 1; at <= operations + 1; ++at)
    if (!cut_and_check(at, Survivors::none, at, {.synchronous = false}).empty()) ++losses;
  EXPECT_GT(losses, 10);
}

TEST(StorePowerCut, WouldLoseTheSnapshotWithoutItsSync) {
  std::uint64_t operations = operations_of_a_whole_life(true);
  int losses = 0;
  for (std::uint64_t at = 1; at <= operations + 1; ++at)
    if (!cut_and_check(at, Survivors::none, at, {.file_sync_lies = true}).empty()) ++losses;
  EXPECT_GT(losses, 10);
}

}  // namespace muster::io
