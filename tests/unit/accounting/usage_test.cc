// Usage: what records add up to in a span of time, and how it is kept by hour, day and month.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "accounting/interval_use.h"
#include "accounting/memory_store.h"
#include "accounting/roll_up.h"
#include "base/text/calendar.h"

namespace muster::accounting {

namespace {

constexpr Seconds kHour{3600}, kMinute{60};
const Time kDay = begin_of_day(from_unix_seconds(1'767'700'800));  // in January 2026

JobRecord job(std::uint32_t id, Time started, Time ended, std::string_view user = "anna") {
  JobRecord record;
  record.job = JobId{id};
  record.attempt = Attempt{1};
  record.cluster = "c";
  record.account = "phys";
  record.user_name = user;
  record.submitted = record.eligible = record.started = started;
  record.ended = ended;
  record.allocated_nodes = 1;
  record.requested_cpus = 2;
  record.allocated_tres = "billing=2,cpu=2,gres/gpu=1,mem=100M,node=1";
  record.state = is_set(ended) ? JobState::completed : JobState::running;
  return record;
}

EventRecord size_of_cluster(Time start, std::uint64_t cpus) {
  return {.cluster = "c", .start = start, .tres = {{"cpu", cpus}, {"gres/gpu", 4}}};
}

// Of one resource, of a row of the kind.
TresUse use_of(const std::vector<UsageRow>& rows, UsageKind kind, std::string_view tres,
               std::string_view user = "") {
  for (const UsageRow& row : rows)
    if (row.kind == kind && row.user == user)
      for (const TresUse& use : row.use)
        if (use.tres == tres) return use;
  return {};
}

std::uint64_t cpu_seconds(const std::vector<UsageRow>& rows, std::string_view user = "anna") {
  return use_of(rows, UsageKind::association, "cpu", user).allocated;
}

void roll_up_all(AccountingStore& store, Time now) {
  for (;;) {
    auto more = roll_up(store, now);
    ASSERT_TRUE(more) << more.error().text();
    if (!*more) return;
  }
}

std::vector<UsageRow> between(AccountingStore& store, Time start, Time end) {
  auto rows = usage_between(store, start, end);
  EXPECT_TRUE(rows);
  return rows ? *rows : std::vector<UsageRow>();
}

}  // namespace

TEST(Usage, AJobCountsInEachHourThatItReachesInto) {
  MemoryStore store;
  ASSERT_TRUE(store.ingest({job(1, kDay + 10 * kMinute, kDay + 130 * kMinute)}, 1));
  roll_up_all(store, kDay + 5 * kHour);
  EXPECT_EQ(cpu_seconds(between(store, kDay, kDay + kHour)), 2u * 50 * 60);
  EXPECT_EQ(cpu_seconds(between(store, kDay + kHour, kDay + 2 * kHour)), 2u * 3600);
  EXPECT_EQ(cpu_seconds(between(store, kDay + 2 * kHour, kDay + 3 * kHour)), 2u * 10 * 60);
  EXPECT_EQ(cpu_seconds(between(store, kDay + 3 * kHour, kDay + 4 * kHour)), 0u);
}

TEST(Usage, ARunningJobCountsUntilTheHourThatIsOver) {
  MemoryStore store;
  ASSERT_TRUE(store.ingest({job(1, kDay, Time{})}, 1));
  roll_up_all(store, kDay + 90 * kMinute);
  EXPECT_EQ(cpu_seconds(between(store, kDay, kDay + 2 * kHour)), 2u * 3600);
}

TEST(Usage, HoweverFarBackAUserAsksOnlyTimesWithRecordsAreRead) {
  MemoryStore store;
  ASSERT_TRUE(store.ingest({job(1, kDay, kDay + kHour)}, 1));
  roll_up_all(store, kDay + 5 * kHour);
  const Time first{Millis{std::numeric_limits<std::int64_t>::min()}};
  EXPECT_EQ(cpu_seconds(between(store, first, kDay + 2 * kHour)), 2u * 3600);
}

TEST(Usage, ATimeInWhichAJobWasSuspendedIsNotUsed) {
  MemoryStore store;
  JobRecord paused = job(1, kDay, kDay + 2 * kHour);
  paused.suspended = 40 * kMinute;
  ASSERT_TRUE(store.ingest({paused, SuspensionRecord{.job = JobId{1},
                                                     .attempt = Attempt{1},
                                                     .start = kDay + 40 * kMinute,
                                                     .end = kDay + 80 * kMinute}},
                           1));
  roll_up_all(store, kDay + 3 * kHour);
  EXPECT_EQ(cpu_seconds(between(store, kDay, kDay + kHour)), 2u * 40 * 60);
  EXPECT_EQ(cpu_seconds(between(store, kDay + kHour, kDay + 2 * kHour)), 2u * 40 * 60);
}

TEST(Usage, EachRunOfARequeuedJobCounts) {
  MemoryStore store;
  JobRecord first = job(1, kDay, kDay + kHour);
  first.superseded = true;
  JobRecord second = job(1, kDay + 2 * kHour, kDay + 3 * kHour);
  second.attempt = Attempt{2};
  ASSERT_TRUE(store.ingest({first, second}, 1));
  roll_up_all(store, kDay + 4 * kHour);
  EXPECT_EQ(cpu_seconds(between(store, kDay, kDay + 4 * kHour)), 2u * 2 * 3600);
}

TEST(Usage, WhatAClusterHadIsDividedAmongItsStates) {
  IntervalUse hour(kDay, kDay + kHour);
  hour.add(size_of_cluster(kDay - kHour, 8));
  hour.add(EventRecord{.cluster = "c",
                       .node = "n1",
                       .start = kDay - kHour,
                       .end = kDay + 30 * kMinute,
                       .state = "DOWN",
                       .tres = {{"cpu", 4}}});
  hour.add(JobUse(job(1, kDay, kDay + kHour), {}));
  JobRecord waiting = job(2, Time{}, Time{});
  waiting.state = JobState::pending;
  waiting.allocated_nodes = 0;
  waiting.requested_cpus = 100;
  waiting.eligible = kDay;
  hour.add(JobUse(waiting, {}));
  const TresUse cpu = use_of(hour.rows(), UsageKind::cluster, "cpu");
  EXPECT_EQ(cpu.count, 8u);
  EXPECT_EQ(cpu.total, 8u * 3600);
  EXPECT_EQ(cpu.allocated, 2u * 3600);
  EXPECT_EQ(cpu.down, 4u * 1800);
  EXPECT_EQ(cpu.planned, 4u * 3600);  // all that was left
  EXPECT_EQ(cpu.over, 100u * 3600 - cpu.planned);
  EXPECT_EQ(cpu.idle, 0u);
  const TresUse gpu = use_of(hour.rows(), UsageKind::cluster, "gres/gpu");
  EXPECT_EQ(gpu.idle, 3u * 3600);  // only CPUs are waited for
}

TEST(Usage, AReservationIsAllocatedAlsoWhereNobodyUsesIt) {
  IntervalUse hour(kDay, kDay + kHour);
  hour.add(size_of_cluster(kDay, 8));
  hour.add(ReservationRecord{
      .cluster = "c", .name = "r", .start = kDay, .end = kDay + kHour, .tres = {{"cpu", 4}}});
  JobRecord inside = job(1, kDay, kDay + kHour);
  inside.reservation = "r";
  hour.add(JobUse(inside, {}));
  EXPECT_EQ(use_of(hour.rows(), UsageKind::cluster, "cpu").allocated, 4u * 3600);
  EXPECT_EQ(cpu_seconds(hour.rows()), 2u * 3600);

  IntervalUse other(kDay, kDay + kHour);
  other.add(size_of_cluster(kDay, 8));
  other.add(ReservationRecord{.cluster = "c",
                              .name = "m",
                              .start = kDay,
                              .end = kDay + kHour,
                              .flags = "MAINT",
                              .tres = {{"cpu", 4}}});
  EXPECT_EQ(use_of(other.rows(), UsageKind::cluster, "cpu").planned_down, 4u * 3600);
}

TEST(Usage, AClusterThatGrowsHasMoreFromThenOn) {
  IntervalUse hour(kDay, kDay + kHour);
  EventRecord before = size_of_cluster(kDay - kHour, 8);
  before.end = kDay + 30 * kMinute;
  hour.add(before);
  hour.add(size_of_cluster(kDay + 30 * kMinute, 16));
  const TresUse cpu = use_of(hour.rows(), UsageKind::cluster, "cpu");
  EXPECT_EQ(cpu.total, 12u * 3600);
  EXPECT_EQ(cpu.count, 16u);
}

TEST(Usage, RollingUpAgainChangesNothing) {
  MemoryStore store;
  ASSERT_TRUE(store.ingest({job(1, kDay - 30 * kHour, kDay + 5 * kHour)}, 1));
  const Time end = kDay + 10 * kHour;
  roll_up_all(store, end);
  const auto once = between(store, kDay - 48 * kHour, end);
  store.forget_usage_since(kDay - 20 * kHour);
  roll_up_all(store, end);
  EXPECT_EQ(between(store, kDay - 48 * kHour, end), once);
  EXPECT_EQ(cpu_seconds(once), 2u * 35 * 3600);
}

// The sum of hours, days and months is what one reading of all records gives.
TEST(Usage, HoursDaysAndMonthsAddUpToWhatTheRecordsSay) {
  std::mt19937 dice(7);  // NOLINT: the same jobs each time
  auto roll = [&dice](int below) {
    return static_cast<std::int64_t>(dice() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 20; ++round) {
    MemoryStore store;
    std::vector<AccountingRecord> records;
    const Time first = kDay - 40 * 24 * kHour;
    const Time now = kDay + Seconds{roll(86400)};
    for (std::uint32_t id = 1; id <= 40; ++id) {
      const Time started = first + Seconds{roll(40 * 86400)};
      const Time ended = roll(10) == 0 ? Time{} : started + Seconds{roll(5 * 86400)};
      records.emplace_back(job(id, started, ended, roll(2) == 0 ? "anna" : "ben"));
    }
    ASSERT_TRUE(store.ingest(records, 1));
    roll_up_all(store, now);
    const Time end = begin_of_hour(now), start = begin_of_hour(first + Seconds{roll(39 * 86400)});
    IntervalUse direct(start, end);
    for (const AccountingRecord& record : records)
      direct.add(JobUse(std::get<JobRecord>(record), {}));
    const auto rolled = between(store, start, end);
    for (std::string_view user : {"anna", "ben"})
      EXPECT_EQ(cpu_seconds(rolled, user), cpu_seconds(direct.rows(), user)) << "round " << round;
  }
}

}  // namespace muster::accounting
