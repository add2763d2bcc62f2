// The stores of slurmdbd: batches count once, changes are compared with what is there, and tables
// of other versions are brought up or refused.
#include <gtest/gtest.h>

#include "io/files.h"
#include "slurmdbd/archive.h"
#include "slurmdbd/fixture.h"
#include "slurmdbd/purge.h"
#include "slurmdbd/store/sql_accounting.h"
#include "slurmdbd/store/sql_accounts.h"

namespace muster::dbd {

namespace {

struct Tables : FileDatabase {
  Tables() { EXPECT_TRUE(prepare_tables(database)); }
  SqlDatabase database{opener(conf)};
  SqlAccounting records{database, database};
  SqlAccounts accounts{database};

  std::int64_t count(std::string_view table) {
    std::int64_t found = 0;
    EXPECT_TRUE(database.use([&](SqlConnection& connection) -> Result<void> {
      auto rows = connection.number("SELECT count(*) FROM " + std::string(table), {});
      if (!rows) return std::unexpected(rows.error());
      found = *rows;
      return {};
    }));
    return found;
  }
  std::vector<std::uint32_t> jobs(const AccountingReader::Scan& scan) {
    std::vector<std::uint32_t> found;
    EXPECT_TRUE(records.scan(
        scan, [&](const AccountingReader::Candidate& c) { found.push_back(c.job.job.value); }));
    std::ranges::sort(found);
    return found;
  }
};

const Feed kFirst{"first", "stream"}, kSecond{"second", "other"};
constexpr Time kSubmitted = from_unix_seconds(1000);

JobRecord job(std::uint32_t id, Time ended = {}) {
  return {.job = JobId{id},
          .attempt = Attempt{1},
          .user_name = "Alice",
          .uid = Uid{7},
          .submitted = kSubmitted,
          .ended = ended};
}
StepRecord step(std::uint32_t id) {
  return {.job = JobId{id}, .attempt = Attempt{1}, .step = StepId{0}};
}

}  // namespace

TEST(SqlAccounting, StoresABatchOnce) {
  Tables t;
  EXPECT_EQ(*t.records.last_of(kFirst), 0u);
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {job(1), step(1)}));
  EXPECT_FALSE(*t.records.ingest(kFirst, 1, {job(2)}));
  EXPECT_EQ(*t.records.last_of(kFirst), 1u);
  EXPECT_EQ(t.count("muster_jobs"), 1);
  EXPECT_TRUE(*t.records.ingest(kFirst, 2, {job(1, from_unix_seconds(2000))}));
  EXPECT_EQ(t.count("muster_jobs"), 1);
  EXPECT_EQ(t.count("muster_steps"), 1);
}

TEST(SqlAccounting, KeepsStreamsAndClustersApart) {
  Tables t;
  EXPECT_TRUE(*t.records.ingest(kFirst, 5, {job(1)}));
  EXPECT_TRUE(*t.records.ingest(kSecond, 1, {job(1), job(2)}));
  EXPECT_EQ(*t.records.last_of({"first", "a new file"}), 0u);
  EXPECT_EQ(t.jobs({.clusters = {"first"}}), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(t.jobs({.clusters = {"second"}}), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(t.jobs({.jobs = {JobId{2}}, .clusters = {"first", "second"}}),
            (std::vector<std::uint32_t>{2}));
}

TEST(SqlAccounting, ReusedJobIdsAreOtherJobs) {
  Tables t;
  JobRecord again = job(1);
  again.submitted = from_unix_seconds(5000);
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {job(1, from_unix_seconds(2000))}));
  EXPECT_TRUE(*t.records.ingest(kFirst, 2, {again}));
  EXPECT_EQ(t.count("muster_jobs"), 2);
}

TEST(SqlAccounting, AStepThatComesFirstGetsItsJobLater) {
  Tables t;
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {step(1)}));
  EXPECT_TRUE(*t.records.ingest(kFirst, 2, {job(1)}));
  EXPECT_EQ(t.count("muster_jobs"), 1);
  EXPECT_EQ(t.jobs({.uids = {Uid{7}}}), (std::vector<std::uint32_t>{1}));
}

TEST(SqlAccounting, FindsUsersArraysAndEnds) {
  Tables t;
  JobRecord task = job(12);
  task.array_id = JobId{10};
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {job(1, from_unix_seconds(2000)), task}));
  EXPECT_EQ(t.jobs({.jobs = {JobId{10}}}), (std::vector<std::uint32_t>{12}));
  EXPECT_EQ(t.jobs({.ended_since = from_unix_seconds(3000)}), (std::vector<std::uint32_t>{12}));
  EXPECT_EQ(t.jobs({.users = {"ALICE"}}), (std::vector<std::uint32_t>{1, 12}));
  EXPECT_EQ(t.jobs({.uids = {Uid{8}}, .users = {"bob"}}), (std::vector<std::uint32_t>{}));
}

TEST(SqlAccounts, RefusesAChangeOfWhatIsNotThereAnyMore) {
  Tables t;
  const AccountsStore::Change first{.version = 1, .rows = {AccountRow{.name = "lab"}}};
  ASSERT_TRUE(t.accounts.load());
  EXPECT_TRUE(t.accounts.commit(first));
  EXPECT_FALSE(t.accounts.commit(first));
  EXPECT_TRUE(t.accounts.is_behind());
  auto content = t.accounts.load();
  ASSERT_TRUE(content);
  EXPECT_FALSE(t.accounts.is_behind());
  EXPECT_EQ(content->version, 1u);
  EXPECT_EQ(content->rows.size(), 1u);
}

TEST(SqlAccounts, KeepsResetsUntilTheControllerHasHeardOfThem) {
  Tables t;
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {}));
  EXPECT_TRUE(*t.records.ingest(kSecond, 1, {}));
  const ForgottenUsage everywhere{.owner = {.qos = "fast"}}, here{.cluster = "first"};
  EXPECT_TRUE(t.accounts.commit({.version = 1, .resets = {everywhere, here}}));
  EXPECT_EQ(t.accounts.resets_of("first")->size(), 2u);
  EXPECT_EQ(t.accounts.resets_of("second")->size(), 1u);
  EXPECT_TRUE(t.accounts.drop_resets("first", 1));
  EXPECT_EQ(t.accounts.resets_of("first")->size(), 0u);
  EXPECT_EQ(t.accounts.resets_of("second")->size(), 1u);
}

TEST(SqlSchema, BringsTablesOfTheFirstFormatUpWithTheirRows) {
  FileDatabase file;
  SqlDatabase database(opener(file.conf));
  ASSERT_TRUE(database.use([](SqlConnection& c) { return make_tables(c, 1); }));
  SqlAccounting records(database, database);
  EXPECT_TRUE(*records.ingest(kFirst, 1, {job(1)}));
  ASSERT_TRUE(prepare_tables(database));
  SqlAccounts accounts(database);
  EXPECT_TRUE(accounts.commit({.version = 1, .resets = {{.cluster = "first"}}}));
  EXPECT_EQ(accounts.resets_of("first")->size(), 1u);
  EXPECT_EQ(*records.last_of(kFirst), 1u);
}

TEST(SqlSchema, LeavesTablesOfANewerFormatAlone) {
  Tables t;
  ASSERT_TRUE(t.database.use([](SqlConnection& c) {
    return c.execute("UPDATE muster_meta SET value = 99 WHERE name = CAST('format' AS BLOB)");
  }));
  auto refused = prepare_tables(t.database);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("format 99"), std::string::npos);
}

TEST(Purge, RemovesWhatIsTooOldAndWritesItDownFirst) {
  Tables t;
  const Time now = from_unix_seconds(100 * 86400), old = from_unix_seconds(86400),
             recent = from_unix_seconds(99 * 86400);
  std::vector<AccountingRecord> all;
  for (std::uint32_t id = 1; id <= 1200; ++id) all.push_back(job(id, old));
  all.push_back(step(1));
  all.push_back(job(5000, recent));
  all.push_back(job(5001));
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, all));
  t.conf.jobs = {.keep = Seconds{30 * 86400}, .archive = true};
  Purge purge(t.database);
  ASSERT_TRUE(purge.run(t.conf, now));
  EXPECT_EQ(t.jobs({}), (std::vector<std::uint32_t>{5000, 5001}));
  EXPECT_EQ(t.count("muster_steps"), 0);
  std::size_t archived = 0;
  const auto files = io::list_directory(t.conf.archive_dir);
  ASSERT_TRUE(files);
  for (const std::string& name : *files) {
    const auto bytes = io::read_file(t.conf.archive_dir + "/" + name);
    ASSERT_TRUE(bytes);
    const auto rows = read_archive(*bytes);
    ASSERT_TRUE(rows) << rows.error().text();
    archived += rows->size();
    EXPECT_FALSE(read_archive(bytes->substr(0, bytes->size() - 1)));
  }
  EXPECT_EQ(archived, 1201u);
}

TEST(Purge, KeepsWhatCannotBeWrittenDown) {
  Tables t;
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {job(1, from_unix_seconds(86400))}));
  t.conf.jobs = {.keep = Seconds{86400}, .archive = true};
  t.conf.archive_dir = "/proc/no/such/place";
  Purge purge(t.database);
  EXPECT_FALSE(purge.run(t.conf, from_unix_seconds(100 * 86400)));
  EXPECT_EQ(t.count("muster_jobs"), 1);
}

TEST(Purge, RemovesStepsAloneAndDoesNotLookAtTheirJobsAgain) {
  Tables t;
  EXPECT_TRUE(*t.records.ingest(kFirst, 1, {job(1, from_unix_seconds(86400)), step(1)}));
  t.conf.steps = {.keep = Seconds{86400}, .archive = false};
  Purge purge(t.database);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(purge.run(t.conf, from_unix_seconds(100 * 86400)));
  EXPECT_EQ(t.count("muster_steps"), 0);
  EXPECT_EQ(t.count("muster_jobs"), 1);
}

}  // namespace muster::dbd
