// SqliteStore: reload, snapshots, blobs, full disks, and files that it must refuse.
#include "io/store/sqlite_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "io/power_cut_vfs.h"
#include "io/store_fixture.h"

namespace muster::io {

namespace {

std::unique_ptr<SqliteStore> open_store(const std::string& dir) {
  auto store = SqliteStore::open(dir);
  EXPECT_TRUE(store) << store.error().text();
  return store ? *std::move(store) : nullptr;
}

std::unique_ptr<SqliteStore> open_on(PowerCutDisk& disk, const std::string& dir) {
  auto store = SqliteStore::open(dir, {.vfs = disk.vfs_name(), .files = &disk});
  EXPECT_TRUE(store) << store.error().text();
  return store ? *std::move(store) : nullptr;
}

void commit_range(SqliteStore& store, BatchNumber first, BatchNumber last) {
  for (BatchNumber n = first; n <= last; ++n)
    ASSERT_EQ(store.commit(make_batch(n)), CommitOutcome::committed);
}

void execute_on_file(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

int rows_on_file(const std::string& path, const std::string& table) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_stmt* count = nullptr;
  const std::string sql = "SELECT count(*) FROM " + table;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &count, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(count), SQLITE_ROW);
  const int rows = sqlite3_column_int(count, 0);
  sqlite3_finalize(count);
  sqlite3_close(database);
  return rows;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST(SqliteStore, ReloadsTheJournalInOrder) {
  TempDir dir;
  commit_range(*open_store(dir.path()), 1, 5);
  auto state = open_store(dir.path())->load();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->snapshot_number, 0u);
  ASSERT_EQ(state->journal.size(), 5u);
  for (BatchNumber n = 1; n <= 5; ++n) {
    EXPECT_EQ(state->journal[n - 1].number, n);
    EXPECT_EQ(state->journal[n - 1].events, make_batch(n).events);
  }
}

TEST(SqliteStore, MakesItsDirectoryPrivate) {
  TempDir dir;
  open_store(dir.path() + "/a/state");
  struct stat facts{};
  ASSERT_EQ(stat((dir.path() + "/a/state").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST(SqliteStore, ReloadsASnapshotWithTheBatchesAfterIt) {
  TempDir dir;
  {
    auto store = open_store(dir.path());
    commit_range(*store, 1, 300);
    ASSERT_TRUE(store->write_snapshot(100, "first", {}));
    ASSERT_TRUE(store->write_snapshot(298, "second", {}));
    commit_range(*store, 301, 301);
  }
  auto state = open_store(dir.path())->load();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->snapshot_number, 298u);
  EXPECT_EQ(state->snapshot, "second");
  ASSERT_EQ(state->journal.size(), 3u);
  EXPECT_EQ(state->journal.back().number, 301u);
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/snapshot-100"));
}

TEST(SqliteStore, CommitsWithoutMakingItsFileGrowAndReadsOnlyWhatWasCommitted) {
  TempDir dir, copy;
  auto store = open_store(dir.path());
  commit_range(*store, 1, 1);
  const auto wal = dir.path() + "/journal.db-wal";
  const auto size = std::filesystem::file_size(wal);
  commit_range(*store, 2, 20);
  EXPECT_EQ(std::filesystem::file_size(wal), size);
  // A copy of the open files, as a crash would leave them.
  std::filesystem::copy(dir.path(), copy.path(), std::filesystem::copy_options::recursive);
  auto state = open_store(copy.path())->load();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->journal.size(), 20u);
  commit_range(*store, 21, 400);
  EXPECT_GT(std::filesystem::file_size(wal), size);
}

TEST(SqliteStore, RefusesASecondOpen) {
  TempDir dir;
  auto store = open_store(dir.path());
  auto second = SqliteStore::open(dir.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text(), dir.path() + "/journal.db: in use by another process");
}

TEST(SqliteStore, RefusesABatchOutOfOrder) {
  TempDir dir;
  auto store = open_store(dir.path());
  EXPECT_FALSE(store->commit(make_batch(2)));
  commit_range(*store, 1, 1);
  EXPECT_FALSE(store->commit(make_batch(1)));
  commit_range(*store, 2, 2);
}

TEST(SqliteStore, SweepsOnlyBlobsThatAreDead) {
  TempDir dir;
  auto store = open_store(dir.path());
  commit_range(*store, 1, 4);
  Batch again = make_batch(5);
  again.blobs.emplace_back(blob_hash(1), blob_bytes(1));  // named again after the snapshot
  ASSERT_EQ(store->commit(again), CommitOutcome::committed);
  ASSERT_TRUE(store->write_snapshot(4, "state", {blob_hash(3)}));
  EXPECT_EQ(*store->read_blob(blob_hash(1)), blob_bytes(1));
  EXPECT_FALSE(store->read_blob(blob_hash(2)));
  EXPECT_EQ(*store->read_blob(blob_hash(3)), blob_bytes(3));
  EXPECT_FALSE(store->read_blob(blob_hash(4)));
  EXPECT_EQ(*store->read_blob(blob_hash(5)), blob_bytes(5));
}

TEST(SqliteStore, SweepsMoreBlobsThanOnePortion) {
  TempDir dir;
  auto store = open_store(dir.path());
  Batch batch{.number = 1, .events = {"e"}, .blobs = {}};
  for (int i = 0; i < 1000; ++i) batch.blobs.emplace_back(fmt::format("h{}", i), "bytes");
  ASSERT_EQ(store->commit(batch), CommitOutcome::committed);
  ASSERT_TRUE(store->write_snapshot(1, "state", {"h0", "h500", "h999"}));
  int left = 0;
  for (int i = 0; i < 1000; ++i) left += store->read_blob(fmt::format("h{}", i)).has_value();
  EXPECT_EQ(left, 3);
}

TEST(SqliteStore, CommitsTheSameBatchOnceAFullDiskHasRoom) {
  TempDir dir;
  PowerCutDisk disk;
  {
    auto store = open_on(disk, dir.path());
    commit_range(*store, 1, 3);
    disk.set_full(true);
    EXPECT_EQ(store->commit(make_batch(4)), CommitOutcome::disk_full);
    EXPECT_EQ(store->commit(make_batch(4)), CommitOutcome::disk_full);
    EXPECT_EQ(*store->read_blob(blob_hash(3)), blob_bytes(3));
    EXPECT_FALSE(store->read_blob(blob_hash(4)));
    disk.set_full(false);
    commit_range(*store, 4, 5);
  }
  auto store = open_on(disk, dir.path());
  EXPECT_EQ(store->load()->journal.size(), 5u);
}

TEST(SqliteStore, KeepsTheOldSnapshotWhenThereIsNoRoomForTheNew) {
  TempDir dir;
  PowerCutDisk disk;
  auto store = open_on(disk, dir.path());
  commit_range(*store, 1, 4);
  ASSERT_TRUE(store->write_snapshot(2, "old", {}));
  disk.set_full(true);
  auto written = store->write_snapshot(4, "new", {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::state_storage_full);
  disk.set_full(false);
  commit_range(*store, 5, 5);
  EXPECT_EQ(store->load()->snapshot, "old");
  EXPECT_EQ(store->load()->journal.size(), 3u);
  ASSERT_TRUE(store->write_snapshot(5, "newer", {}));
  EXPECT_EQ(store->load()->snapshot, "newer");
}

TEST(SqliteStore, RefusesUseAfterAFailedSync) {
  TempDir dir;
  PowerCutDisk disk;
  auto store = open_on(disk, dir.path());
  commit_range(*store, 1, 1);
  disk.set_sync_fails(true);
  EXPECT_FALSE(store->commit(make_batch(2)));
  disk.set_sync_fails(false);
  EXPECT_FALSE(store->commit(make_batch(2)));
  EXPECT_FALSE(store->read_blob(blob_hash(1)));
}

TEST(SqliteStore, RefusesAJournalOfAnotherVersion) {
  TempDir dir;
  commit_range(*open_store(dir.path()), 1, 2);
  auto refusal = [&](int version) {
    execute_on_file(dir.path() + "/journal.db",
                    fmt::format("UPDATE meta SET version = {}", version));
    auto store = SqliteStore::open(dir.path());
    return store ? "" : store.error().text();
  };
  const std::string path = dir.path() + "/journal.db";
  EXPECT_EQ(refusal(7), path +
                            ": written by a newer version (format 7, this program knows 2); it "
                            "was left as it is");
  EXPECT_EQ(refusal(1), path +
                            ": written by an earlier version (format 1, this program knows 2); "
                            "it was left as it is");
}

TEST(SqliteStore, RefusesAFileThatIsNoDatabaseAndLeavesItAlone) {
  TempDir dir;
  std::string path = dir.path() + "/journal.db";
  std::string content(5000, 'x');
  std::ofstream(path) << content;
  auto store = SqliteStore::open(dir.path());
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().text().find(path), std::string::npos);
  EXPECT_EQ(read_whole(path), content);
}

TEST(SqliteStore, RefusesADamagedJournalRow) {
  TempDir dir;
  commit_range(*open_store(dir.path()), 1, 3);
  execute_on_file(dir.path() + "/journal.db",
                  "UPDATE journal SET events = x'0a0141' WHERE number = 2");
  auto state = open_store(dir.path())->load();
  ASSERT_FALSE(state);
  EXPECT_EQ(
      state.error().text(),
      dir.path() +
          "/journal.db: damaged: the checksum of batch 2 does not match; it was left as it is");
}

TEST(SqliteStore, RefusesAJournalWithAGap) {
  TempDir dir;
  commit_range(*open_store(dir.path()), 1, 3);
  execute_on_file(dir.path() + "/journal.db", "DELETE FROM journal WHERE number = 2");
  auto state = open_store(dir.path())->load();
  ASSERT_FALSE(state);
  EXPECT_NE(state.error().text().find("batch 2 is missing"), std::string::npos);
}

TEST(SqliteStore, RefusesADamagedOrNewerSnapshotAndLeavesItAlone) {
  TempDir dir;
  {
    auto store = open_store(dir.path());
    commit_range(*store, 1, 3);
    ASSERT_TRUE(store->write_snapshot(3, "the state", {}));
  }
  std::string path = dir.path() + "/snapshot-3";
  const std::string good = read_whole(path);
  auto error_with = [&](std::size_t at, char value) {
    std::string bad = good;
    bad[at] = value;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    auto state = open_store(dir.path())->load();
    EXPECT_EQ(read_whole(path), bad);
    return state ? std::string() : state.error().text();
  };
  EXPECT_EQ(
      error_with(good.size() - 1, '!'),
      path + ": the state snapshot is damaged (its checksum does not match); it was left as it is");
  EXPECT_EQ(
      error_with(8, 9),
      path + ": written by a newer version (format 9, this program knows 1); it was left as it is");
  EXPECT_EQ(error_with(0, 'x'), path + ": not a state snapshot, or damaged; it was left as it is");
}

TEST(SqliteStore, NoticesAMissingSnapshotOrJournal) {
  TempDir dir;
  {
    auto store = open_store(dir.path());
    commit_range(*store, 1, 3);
    ASSERT_TRUE(store->write_snapshot(3, "the state", {}));
  }
  std::filesystem::rename(dir.path() + "/snapshot-3", dir.path() + "/away");
  EXPECT_FALSE(SqliteStore::open(dir.path()));
  std::filesystem::rename(dir.path() + "/away", dir.path() + "/snapshot-3");
  std::filesystem::remove(dir.path() + "/journal.db");
  EXPECT_FALSE(SqliteStore::open(dir.path()));
  ASSERT_TRUE(SqliteStore::erase(dir.path()));
  EXPECT_TRUE(open_store(dir.path())->load()->journal.empty());
}

TEST(SqliteStore, TakesABatchThatIsLargerThanARow) {
  TempDir dir;
  const std::vector<std::string> events{std::string(40u << 20, 'a'), "b",
                                        std::string(40u << 20, 'c'), std::string(40u << 20, 'd')};
  {
    auto store = open_store(dir.path());
    commit_range(*store, 1, 1);
    ASSERT_EQ(store->commit({.number = 2, .events = events, .blobs = {}}),
              CommitOutcome::committed);
    commit_range(*store, 3, 3);
  }
  {
    auto store = open_store(dir.path());
    auto state = store->load();
    ASSERT_TRUE(state) << state.error().text();
    ASSERT_EQ(state->journal.size(), 3u);
    EXPECT_TRUE(state->journal[1].events == events);
    EXPECT_EQ(state->journal[2].events, make_batch(3).events);
    ASSERT_TRUE(store->write_snapshot(2, "state", {}));
  }
  EXPECT_EQ(rows_on_file(dir.path() + "/journal.db", "journal_parts"), 0);
  EXPECT_EQ(open_store(dir.path())->load()->journal.size(), 1u);
}

TEST(SqliteStore, NoticesAMissingPartOfABatch) {
  TempDir dir;
  const std::string large(40u << 20, 'a');
  ASSERT_EQ(
      open_store(dir.path())->commit({.number = 1, .events = {large, large, large}, .blobs = {}}),
      CommitOutcome::committed);
  execute_on_file(dir.path() + "/journal.db", "DELETE FROM journal_parts WHERE part = 1");
  EXPECT_FALSE(open_store(dir.path())->load());
}

TEST(SqliteStore, NoticesDamageInPagesThatTheStartDoesNotRead) {
  TempDir dir;
  {
    auto store = open_store(dir.path());
    Batch batch = make_batch(1);
    batch.blobs = {{"hash", std::string(100'000, 's')}};
    ASSERT_EQ(store->commit(batch), CommitOutcome::committed);
  }
  const std::string path = dir.path() + "/journal.db";
  execute_on_file(path, "PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = read_whole(path);
  ASSERT_GT(bytes.size(), 80'000u);
  for (std::size_t at = 40'960; at < 49'152; ++at) bytes[at] = static_cast<char>(at * 37 + 11);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  auto store = SqliteStore::open(dir.path());
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().text().find("damaged"), std::string::npos) << store.error().text();
}

TEST(SqliteStore, DoesNotBeginAnewBesideTracesOfAnOlderJournal) {
  TempDir dir;
  commit_range(*open_store(dir.path()), 1, 3);
  for (const char* file : {"/journal.db", "/journal.db-wal"})
    std::filesystem::remove(dir.path() + file);
  SqliteStoreOptions options;
  options.found_beside = dir.path() + "/accounting.db";
  auto store = SqliteStore::open(dir.path(), options);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().text().find("accounting.db shows that this cluster had jobs"),
            std::string::npos)
      << store.error().text();
  EXPECT_NE(store.error().text().find("slurmctld -c"), std::string::npos);
  EXPECT_FALSE(SqliteStore::open(dir.path(), options)) << "nor the second time";
  EXPECT_TRUE(SqliteStore::open(dir.path()));
}

TEST(SqliteStore, TellsItsCommitRate) {
  TempDir dir;
  auto store = open_store(dir.path());
  constexpr int kCommits = 1000;
  auto begin = std::chrono::steady_clock::now();
  for (BatchNumber n = 1; n <= kCommits; ++n) {
    Batch batch{.number = n, .events = {std::string(300, 'e')}, .blobs = {}};
    ASSERT_EQ(store->commit(batch), CommitOutcome::committed);
  }
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  fmt::print("one event per commit: {:.3f} ms per commit\n", took.count() / kCommits);
}

}  // namespace muster::io
