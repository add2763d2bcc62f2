// SqliteAccounting: takes each batch in once, and finds it again after a restart.
#include "io/store/sqlite_accounting.h"

#include <gtest/gtest.h>

#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "accounting/query.h"

#include "accounting/scenario.h"
#include "io/power_cut_vfs.h"
#include "io/store_fixture.h"

namespace muster::io {

namespace {

using namespace muster::accounting;
using Ids = std::vector<std::string>;

std::unique_ptr<SqliteAccounting> open_store(const TempDir& dir) {
  auto store = SqliteAccounting::open(dir.path() + "/accounting.db");
  EXPECT_TRUE(store) << store.error().text();
  return store ? *std::move(store) : nullptr;
}

Ids ask(AccountingStore& store, const wire::AccountingRequest& request) {
  return ids(accounting::query(store, request, kNow));
}

std::string read_text(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  std::string text;
  sqlite3_open(path.c_str(), &database);
  auto collect = [](void* out, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) *static_cast<std::string*>(out) += std::string(values[i]) + ";";
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(database, sql, collect, &text, nullptr), SQLITE_OK);
  sqlite3_close(database);
  return text;
}

}  // namespace

TEST(SqliteAccounting, AnswersAfterARestart) {
  TempDir dir;
  ASSERT_TRUE(open_store(dir)->ingest(morning(), 13));
  auto store = open_store(dir);
  EXPECT_EQ(store->last(), 13u);
  EXPECT_EQ(ask(*store, allocations()),
            (Ids{"20", "22", "23", "24", "19_0", "19_1", "19_2", "19_3", "96", "99_0"}));
  EXPECT_EQ(ask(*store, of_jobs({ref(20)})), (Ids{"20", "20.batch", "20.extern", "20.0", "20.1"}));
  EXPECT_EQ(ask(*store, of_jobs({ref(99), ref(26), ref(19, *IdSet::parse("0,3"))})),
            (Ids{"19_0", "19_1", "19_3", "99_0", "99_[1-5%2]"}));
}

TEST(SqliteAccounting, OfSeveralRecordsOfARunTheLastCounts) {
  TempDir dir;
  auto store = open_store(dir);
  JobRecord waits = JobBuilder(25, "x").r, runs = waits, ended = waits;
  runs.state = JobState::running;
  ended.state = JobState::completed;
  ended.ended = at(60);
  StepRecord step;
  step.job = JobId{25};
  step.attempt = waits.attempt;
  StepRecord step_ended = step;
  step_ended.state = JobState::completed;
  JobRecord other = waits;  // the same id, after the controller's state was erased
  other.submitted = at(90);
  ASSERT_TRUE(store->ingest({waits, runs, step, ended, step_ended, other}, 6));
  std::vector<AccountingStore::Candidate> candidates;
  ASSERT_TRUE(store->scan({.jobs = {JobId{25}}},
                          [&](AccountingStore::Candidate c) { candidates.push_back(c); }));
  const auto* found = &candidates;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].job, ended);
  EXPECT_EQ((*found)[1].job, other);
  auto steps = store->steps_of((*found)[0].index);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 1u);
  EXPECT_EQ(steps->front(), step_ended);
}

TEST(SqliteAccounting, GivesBackWholeRecords) {
  TempDir dir;
  auto store = open_store(dir);
  JobRecord job = JobBuilder(25, "x").task(19, 7).ran(at(50), at(60), JobState::failed, "FAILED").r;
  StepRecord step = make_step(25, kBatchStep);
  ASSERT_TRUE(store->ingest({job, step}, 1));
  auto rows = accounting::query(*store, of_jobs({ref(25)}), kNow);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->front(), (AccountingRow{.job = job, .steps = {step}}));
}

TEST(SqliteAccounting, ARepeatedRecordIsNotASecondRun) {
  TempDir dir;
  auto store = open_store(dir);
  const AccountingRecord waits = JobBuilder(1).r, runs = JobBuilder(1).runs(at(50), "n1").r;
  ASSERT_TRUE(store->ingest({waits}, 1));
  ASSERT_TRUE(store->ingest({runs}, 2));
  ASSERT_TRUE(store->ingest({runs}, 2));
  EXPECT_EQ(store->last(), 2u);
  auto all = of_jobs({ref(1)});
  all.duplicates = true;
  EXPECT_EQ(ask(*store, all), (Ids{"1"}));
}

// What formats 1 and 2 had beside jobs and steps.
// Takes a file back to what format 3 had.
constexpr const char* kToFormat3 = R"(
  DROP TABLE usage;
  DROP TABLE reservations;
  DROP TABLE events;
  DROP TABLE suspensions;
  DROP INDEX jobs_by_time;
  CREATE INDEX jobs_by_end ON jobs(ended_ms);
  ALTER TABLE jobs DROP COLUMN started_ms;
  ALTER TABLE meta DROP COLUMN usage_known_ms;
  UPDATE meta SET version = 3;
)";

constexpr const char* kOldTables =
    "CREATE TABLE accounts(name TEXT); CREATE TABLE users(name TEXT); CREATE TABLE qos(name TEXT);";

TEST(SqliteAccounting, TablesOfTheSecondFormatThatNothingReadsAreRemoved) {
  TempDir dir;
  ASSERT_TRUE(open_store(dir)->ingest({JobBuilder(1).r}, 40));
  const std::string path = dir.path() + "/accounting.db";
  {
    auto file = *Database::open(path, {});
    ASSERT_TRUE(file.execute(kToFormat3));
    ASSERT_TRUE(file.execute(kOldTables));
    ASSERT_TRUE(file.execute("UPDATE meta SET version = 2"));
  }
  {
    auto store = open_store(dir);
    EXPECT_EQ(store->last(), 40u);
    EXPECT_EQ(ask(*store, of_jobs({ref(1)})), (Ids{"1"}));
  }
  EXPECT_EQ(read_text(path, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"),
            "events;jobs;meta;reservations;steps;suspensions;usage;");
  EXPECT_EQ(read_text(path, "SELECT version FROM meta"), "4;");
}

TEST(SqliteAccounting, AFileOfFormat3KeepsItsJobsAndGetsUsage) {
  TempDir dir;
  ASSERT_TRUE(open_store(dir)->ingest({JobBuilder(1).r}, 40));
  const std::string path = dir.path() + "/accounting.db";
  ASSERT_TRUE(Database::open(path, {})->execute(kToFormat3));
  auto store = open_store(dir);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->last(), 40u);
  EXPECT_EQ(ask(*store, of_jobs({ref(1)})), (Ids{"1"}));
  EXPECT_EQ(*store->usage_known_until(), Time{});
  EXPECT_EQ(*store->oldest_record(), JobBuilder(1).r.submitted);
}

TEST(SqliteAccounting, AFileOfTheFirstFormatIsFedAgainFromTheStart) {
  TempDir dir;
  ASSERT_TRUE(open_store(dir)->ingest({JobBuilder(1).r}, 40));
  {
    auto file = *Database::open(dir.path() + "/accounting.db", {});
    ASSERT_TRUE(file.execute(kToFormat3));
    ASSERT_TRUE(file.execute(kOldTables));
    ASSERT_TRUE(file.execute(
        "ALTER TABLE meta RENAME COLUMN last_batch TO last_record; UPDATE meta SET version = 1"));
  }
  auto store = open_store(dir);
  EXPECT_EQ(store->last(), 0u);
  EXPECT_EQ(ask(*store, of_jobs({ref(1)})), (Ids{"1"}));
}

TEST(SqliteAccounting, FiltersUsersAndLongJobLists) {
  TempDir dir;
  auto store = open_store(dir);
  ASSERT_TRUE(store->ingest(morning(), 13));
  auto request = allocations();
  request.users = {"Alice"};
  EXPECT_EQ(ask(*store, request), (Ids{"96"}));
  request.users.clear();
  request.uids = {Uid{1000}};
  EXPECT_EQ(ask(*store, request), (Ids{"96"}));
  std::vector<wire::JobRef> many;
  for (std::uint32_t id = 1; id <= 25'000; ++id) many.push_back(ref(id));
  auto everything = of_jobs(many);
  everything.allocations_only = true;
  EXPECT_EQ(ask(*store, everything).size(), 13u);
}

TEST(SqliteAccounting, KeepsTheIdOfAnArraysFirstTask) {
  TempDir dir;
  auto store = open_store(dir);
  ASSERT_TRUE(store->ingest({JobBuilder(101).task(99, 0).r}, 1));
  EXPECT_EQ(ask(*store, of_jobs({ref(99, *IdSet::parse("0"))})), (Ids{"99_0"}));
}

TEST(SqliteAccounting, KeepsOldJobsWhoseIdsAreUsedAgain) {
  TempDir dir;
  auto store = open_store(dir);
  ASSERT_TRUE(store->ingest({JobBuilder(1, "old").submitted(at(10)).r, make_step(1, kBatchStep),
                             JobBuilder(1, "new").submitted(at(70)).r},
                            1));
  auto request = of_jobs({ref(1)});
  EXPECT_EQ(accounting::query(*store, request, kNow)->front().job.name, "new");
  request.duplicates = true;
  EXPECT_EQ(ask(*store, request), (Ids{"1", "1.batch", "1"}));
}

TEST(SqliteAccounting, KeepsAStepThatComesBeforeItsJob) {
  TempDir dir;
  auto store = open_store(dir);
  ASSERT_TRUE(
      store->ingest({make_step(7, kBatchStep), JobBuilder(7, "seven").runs(at(50), "n1").r}, 1));
  EXPECT_EQ(ask(*store, of_jobs({ref(7)})), (Ids{"7", "7.batch"}));
  EXPECT_EQ(accounting::query(*store, of_jobs({ref(7)}), kNow)->front().job.name, "seven");
}

TEST(SqliteAccounting, WritesNothingOnAFullDiskAndGoesOnLater) {
  PowerCutDisk disk;
  auto store = *SqliteAccounting::open("/accounting.db", {.vfs = disk.vfs_name()});
  ASSERT_TRUE(store->ingest({JobBuilder(1).r}, 1));
  disk.set_full(true);
  auto refused = store->ingest({JobBuilder(2).r}, 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::state_storage_full);
  EXPECT_EQ(store->last(), 1u);
  disk.set_full(false);
  ASSERT_TRUE(store->ingest({JobBuilder(2).r}, 2));
  EXPECT_EQ(ask(*store, of_jobs({ref(1), ref(2)})), (Ids{"1", "2"}));
}

TEST(SqliteAccounting, WritesNothingIntoAFileThatWasReplacedAndGoesOnWhenItIsBack) {
  TempDir dir;
  const std::string path = dir.path() + "/accounting.db", aside = path + ".aside";
  auto store = open_store(dir);
  ASSERT_TRUE(store->ingest({JobBuilder(1).r}, 1));
  std::filesystem::rename(path, aside);
  for (const bool is_there : {false, true}) {
    if (is_there) std::ofstream(path) << "another";
    auto refused = store->ingest({JobBuilder(2).r}, 2);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("accounting.db: it is not the file"), std::string::npos);
    EXPECT_EQ(store->last(), 1u);
  }
  std::filesystem::rename(aside, path);
  ASSERT_TRUE(store->ingest({JobBuilder(2).r}, 2));
  EXPECT_EQ(ask(*store, of_jobs({ref(1), ref(2)})), (Ids{"1", "2"}));
}

// Everything but the first page is damaged. The damage is reported, and nothing else happens.
TEST(SqliteAccounting, TellsOfDamageToItsFileAndKeepsWhatItCannotWrite) {
  TempDir dir;
  const std::string path = dir.path() + "/accounting.db";
  std::vector<AccountingRecord> many;
  for (std::uint32_t id = 1; id <= 3000; ++id) many.push_back(JobBuilder(id).r);
  ASSERT_TRUE(open_store(dir)->ingest(many, 1));
  read_text(path, "PRAGMA wal_checkpoint(TRUNCATE)");
  const auto size = std::filesystem::file_size(path);
  ASSERT_GT(size, 100'000u);
  auto store = open_store(dir);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(size - 4096, '\xa5');
  }
  EXPECT_FALSE(store->ingest({JobBuilder(2999).r}, 2));
  EXPECT_EQ(store->last(), 1u);
  EXPECT_FALSE(store->scan({.jobs = {JobId{2999}}}, [](AccountingStore::Candidate) {}));
}

TEST(SqliteAccounting, RefusesAFileOfANewerVersion) {
  TempDir dir;
  open_store(dir);
  std::string path = dir.path() + "/accounting.db";
  read_text(path, "UPDATE meta SET version = 9");
  auto store = SqliteAccounting::open(path);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().text().find("accounting.db: written by a newer version"),
            std::string::npos);
}

// A million rows must not be read for one job, or for an hour.
TEST(SqliteAccounting, ReadsRowsByAnIndex) {
  TempDir dir;
  auto store = open_store(dir);
  const Time hour = from_unix_seconds(1'767'700'800);
  for (const AccountingStore::Scan& scan :
       {AccountingStore::Scan{.ended_since = hour},
        AccountingStore::Scan{.ended_since = hour, .begun_until = hour + Seconds{3600}},
        AccountingStore::Scan{.jobs = {JobId{7}}, .ended_since = {}},
        AccountingStore::Scan{.jobs = {JobId{7}, JobId{8}}, .begun_until = hour, .uids = {Uid{1}}},
        AccountingStore::Scan{.ended_since = hour, .users = {"anna"}}}) {
    auto plan = store->plan_of(scan);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_EQ(plan->find("SCAN jobs"), std::string::npos) << *plan;
    EXPECT_NE(plan->find("INDEX jobs_by"), std::string::npos) << *plan;
  }
}

TEST(SqliteAccounting, AnEventEndsTheOneBefore) {
  TempDir dir;
  auto store = open_store(dir);
  const Time t = from_unix_seconds(1'767'700'800);
  EventRecord down{.cluster = "c", .node = "n1", .start = t, .state = "DOWN", .reason = "disk"};
  EventRecord same = down, up{.cluster = "c", .node = "n1", .start = t + Seconds{60}};
  same.start = t + Seconds{30};
  ASSERT_TRUE(store->ingest({up}, 1));  // in service all along: nothing to keep
  ASSERT_TRUE(store->ingest({down, same}, 2));
  up.start = t + Seconds{60};
  ASSERT_TRUE(store->ingest({up, up}, 3));
  std::vector<EventRecord> found;
  ASSERT_TRUE(store->events({}, t + Seconds{1000}, [&](EventRecord e) { found.push_back(e); }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].start, t);
  EXPECT_EQ(found[0].end, t + Seconds{60});
  EXPECT_EQ(found[0].reason, "disk");
}

TEST(SqliteAccounting, UsageIsForgottenWhereARecordOfThePastChanges) {
  TempDir dir;
  auto store = open_store(dir);
  const Time t = from_unix_seconds(1'767'700'800);
  UsageRow row{
      .cluster = "c", .account = "a", .user = "u", .use = {{.tres = "cpu", .allocated = 7}}};
  ASSERT_TRUE(store->put_usage({.span = UsageSpan::hour,
                                .start = t,
                                .end = t + Seconds{3600},
                                .rows = {{t, row}},
                                .known_until = t + Seconds{7200}}));
  JobRecord late;
  late.job = JobId{1};
  late.attempt = Attempt{1};
  late.submitted = late.eligible = late.started = t + Seconds{9000};
  ASSERT_TRUE(store->ingest({late}, 1));
  EXPECT_EQ(*store->usage_known_until(), t + Seconds{7200});
  late.ended = t + Seconds{60};  // its clock was wrong
  ASSERT_TRUE(store->ingest({late}, 2));
  EXPECT_EQ(*store->usage_known_until(), t + Seconds{60});
  store = nullptr;
  store = open_store(dir);
  EXPECT_EQ(*store->usage_known_until(), t + Seconds{60});
  std::vector<UsageRow> rows;
  ASSERT_TRUE(store->usage(UsageSpan::hour, t, t + Seconds{1},
                           [&](AccountingStore::UsageOf of) { rows.push_back(of.row); }));
  EXPECT_EQ(rows, std::vector<UsageRow>{row});
}

}  // namespace muster::io
