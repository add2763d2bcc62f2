// What sdiag counts: jobs as they come, start and end, plans by their kind, and when counts begin
// anew.
#include "controller/planning/statistics.h"

#include <gtest/gtest.h>

#include "controller/ledger_world.h"
#include "controller/world.h"
#include "state/snapshot.h"

namespace muster::controller::test::planning_test {
namespace {

using namespace std::chrono_literals;

wire::JobCounts counts(World& w) { return w.core.statistics().reply().jobs; }

TEST(JobCounts, FollowAJobFromTheQueueToItsEnd) {
  World w{ClusterBuilder().nodes(1)};
  const auto id = w.submit(job());
  EXPECT_EQ(counts(w), (wire::JobCounts{.submitted = 1, .started = 1, .running = 1}));
  w.step_end(1, {JobId{id}, Attempt{1}, kBatchStep}, 3 << 8);
  w.gone(1, id);
  EXPECT_EQ(counts(w), (wire::JobCounts{.submitted = 1, .started = 1, .completed = 1}));
}

TEST(JobCounts, HaveEachTaskOfAnArray) {
  World w{ClusterBuilder().nodes(1)};
  const auto id = w.submit(job().array("0-4").hold());
  EXPECT_EQ(counts(w), (wire::JobCounts{.submitted = 5, .pending = 5}));
  wire::CancelRequest one{.jobs = {{.job = JobId{id}, .tasks = IdSet::range(4, 4)}}};
  w.answer(one);
  EXPECT_EQ(counts(w), (wire::JobCounts{.submitted = 5, .canceled = 1, .pending = 4}));
  w.cancel(id);
  EXPECT_EQ(counts(w), (wire::JobCounts{.submitted = 5, .canceled = 5}));
}

TEST(JobCounts, KnowAfterARestartWhatWaitsAndRunsButNotWhatWas) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  w.submit(job().hold());
  const StoredState stored{.snapshot_number = 1, .snapshot = encode_snapshot(w.core.cluster())};
  World next{ClusterBuilder().nodes(1).config(), stored};
  EXPECT_EQ(counts(next), (wire::JobCounts{.pending = 1, .running = 1}));
}

struct Counting : ::testing::Test {
  LedgerWorld w{ClusterBuilder().nodes(1).pending(1)};
  Statistics statistics{w.ledger};
  void SetUp() override { statistics.begin(); }
};

TEST_F(Counting, PlansOfTheWholeQueueStandApart) {
  sched::Plan plan;
  plan.work = {.queued = 5, .examined = 4, .tried = 3, .promised = 2};
  statistics.note_plan(plan, 30us);
  plan.work = {.queued = 1, .examined = 1, .tried = 1, .promised = 0};
  statistics.note_plan(plan, 10us);
  plan.thorough = false;
  statistics.note_plan(plan, 7us);
  const auto told = statistics.reply();
  EXPECT_EQ(told.thorough.plans, 2u);
  EXPECT_EQ(told.thorough.took_us, (wire::PlanNumber{.last = 10, .max = 30, .sum = 40}));
  EXPECT_EQ(told.thorough.promised, (wire::PlanNumber{.last = 0, .max = 2, .sum = 2}));
  EXPECT_EQ(told.quick.plans, 1u);
  EXPECT_EQ(told.quick.took_us.sum, 7u);
}

TEST_F(Counting, MidnightKeepsTheBackfilledJobsSinceTheStart) {
  statistics.note_start({.job = JobId{1}, .backfilled = true});
  statistics.note_start({.job = JobId{1}, .backfilled = false});
  w.pass(23h);
  statistics.tick();
  const Time midnight = std::chrono::floor<std::chrono::days>(w.ledger.now());
  ASSERT_NE(midnight, std::chrono::floor<std::chrono::days>(t0)) << "the hours pass midnight";
  const auto told = statistics.reply();
  EXPECT_EQ(told.since, w.ledger.now());
  EXPECT_EQ(told.backfilled, 1u);
  EXPECT_EQ(told.backfilled_since_reset, 0u);
  EXPECT_EQ(told.jobs.submitted, 0u);
  EXPECT_EQ(told.jobs.pending, 1u);
  statistics.begin();
  EXPECT_EQ(statistics.reply().backfilled, 0u);
}

TEST(PlanWork, SaysWhatThePlanLookedAtAndWhoWentFirst) {
  const Cluster cluster = ClusterBuilder()
                              .nodes(2)
                              .running(1, 60)
                              .pending(2, 60)
                              .pending(1, 30)
                              .pending(job().hold())
                              .build();
  const sched::Plan plan = sched::plan(cluster, t0);
  ASSERT_EQ(plan.starts.size(), 1u);
  EXPECT_TRUE(plan.starts.front().backfilled);
  EXPECT_EQ(plan.work.queued, 2u);
  EXPECT_EQ(plan.work.examined, 2u);
  EXPECT_EQ(plan.work.tried, 2u);
  EXPECT_EQ(plan.work.promised, 1u);
}

}  // namespace
}  // namespace muster::controller::test::planning_test
