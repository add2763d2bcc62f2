// Backfill: promised starts, and which jobs fit in before them.
#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// Minutes from now to a job's promised start; -1 without one.
std::int64_t promised(const Plan& p, std::uint32_t id) {
  const Expected* e = find_expected(p, JobId{id});
  return e ? std::chrono::floor<Minutes>(e->at - t0).count() : -1;
}

TEST(Backfill, AShortJobRunsBeforeAPromisedStart) {
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4, 30).pending(1, 60).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "3");
  EXPECT_EQ(promised(p, 2), 60);
}

TEST(Backfill, ALongJobDoesNotDelayAPromisedStart) {
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4, 30).pending(1, 61).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(promised(p, 2), 60);
  EXPECT_EQ(promised(p, 3), 90);
  EXPECT_EQ(reason(p, 3), "Priority");
}

TEST(Backfill, AJobOfTooLowPriorityOrAgeReservesNothing) {
  auto started = [](std::uint32_t least, Seconds age) {
    auto cluster = ClusterBuilder()
                       .nodes(4)
                       .settings([&](Settings& s) {
                         s.min_priority_reserve = least;
                         s.min_age_reserve = age;
                       })
                       .running(3, 60)
                       .pending(4, 30)
                       .pending(1, 61)
                       .build();
    return starts(plan(cluster, t0));
  };
  EXPECT_EQ(started(1, Seconds{0}), "") << "bf_min_prio_reserve";
  EXPECT_EQ(started(4294967295, Seconds{0}), "3");
  EXPECT_EQ(started(0, Seconds{86400 * 365}), "3") << "bf_min_age_reserve";
}

// Two nodes, each in a partition of its own; a job on the first has been completing for five
// seconds.
std::string started_beside_a_leaving_job(Seconds complete_wait, bool by_partition) {
  ClusterBuilder b;
  b.nodes(2).partition({.name = "a"}, 1, 1).partition({.name = "b"}, 2, 2);
  b.settings([&](Settings& s) {
    s.complete_wait = complete_wait;
    s.settles_by_partition = by_partition;
  });
  b.running(1).pending(job().partition("a")).pending(job().partition("b"));
  b.event(JobsEnding{.jobs = IdSet::range(1, 1),
                     .ending = {.becomes = JobState::cancelled, .since = t0 - Seconds{5}}});
  return starts(plan(b.build(), t0));
}

TEST(CompleteWait, NothingStartsWhileAJobLeavesItsNodes) {
  EXPECT_EQ(started_beside_a_leaving_job(Seconds{0}, false), "3");
  EXPECT_EQ(started_beside_a_leaving_job(Seconds{6}, false), "");
  EXPECT_EQ(started_beside_a_leaving_job(Seconds{5}, false), "3") << "not for longer";
  EXPECT_EQ(started_beside_a_leaving_job(Seconds{6}, true), "3") << "reduce_completing_frag";
}

TEST(Backfill, ALongJobUsesWhatThePromisedJobWillNotNeed) {
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(3, 30).pending(1, 999).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "3");
}

TEST(Backfill, EveryJobInTheQueueIsPromisedATime) {
  auto cluster =
      ClusterBuilder().nodes(1).running(1, 10).pending(1, 20).pending(1, 5).pending(1, 1).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(promised(p, 2), 10);
  EXPECT_EQ(promised(p, 3), 30);
  EXPECT_EQ(promised(p, 4), 35);
}

TEST(Backfill, PromisesCountCpusNotWholeNodes) {
  auto cluster =
      ClusterBuilder()
          .nodes(1, 8)
          .running(job().minutes(60),
                   {{.node = NodeId{1}, .cpus = IdSet::range(0, 3), .memory_mib = 100, .tasks = 4}})
          .pending(job().tasks(6).minutes(10).memory(100))
          .pending(job().tasks(2).minutes(600).memory(100))
          .pending(job().tasks(4).minutes(600).memory(100))
          .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "3");  // six of eight must be free for the promised job
  EXPECT_EQ(promised(p, 2), 60);
}

TEST(Backfill, AJobWithoutALimitNeverSlipsIn) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .running(1, 60)
                     .pending(2)
                     .pending(job().set(&JobRequest::time_limit, kUnlimited))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "");
}

TEST(Backfill, BehindARunningJobWithoutALimitTheOrderIsKept) {
  auto endless = job().set(&JobRequest::time_limit, kUnlimited);
  auto cluster =
      ClusterBuilder()
          .nodes(2)
          .running(
              endless,
              {{.node = NodeId{1}, .cpus = IdSet::range(0, 7), .memory_mib = 16000, .tasks = 1}})
          .pending(job().nodes(2).set(&JobRequest::time_limit, kUnlimited))
          .pending(endless)
          .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "");
}

ClusterBuilder with_licenses(std::uint32_t count) {
  return ClusterBuilder().nodes(4).settings([=](Settings& s) { s.licenses = {{"matlab", count}}; });
}
JobRequest licensed(std::uint32_t count, int minutes, std::uint32_t nodes = 1) {
  return job().nodes(nodes).minutes(minutes).licenses("matlab:" + std::to_string(count));
}

TEST(Backfill, APromiseKeepsTheLicensesItWillNeed) {
  auto b = with_licenses(1);
  b.running(3, 60).pending(licensed(1, 30, 4));
  Plan p = plan(ClusterBuilder(b).pending(licensed(1, 61)).build(), t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(promised(p, 2), 60);
  EXPECT_EQ(reason(p, 3), "Licenses");
  EXPECT_EQ(starts(plan(ClusterBuilder(b).pending(licensed(1, 60)).build(), t0)), "3");
}

TEST(Backfill, AJobThatLacksLicensesIsPromisedThemAndNodes) {
  auto b = with_licenses(2);
  b.running(licensed(2, 60), {whole_node(b.build().nodes.at(NodeId{1}))});
  b.pending(licensed(2, 30, 4)).pending(1, 60).pending(1, 61);
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(reason(p, 2), "Licenses");
  EXPECT_EQ(promised(p, 2), 60);
  EXPECT_EQ(starts(p), "3") << "who is done by then may pass";
}

TEST(Backfill, LicensesThatDoNotExistAreNotPromised) {
  auto b = with_licenses(2);
  Reservation kept{.name = "r",
                   .start = t0,
                   .end = t0 + Minutes{90},
                   .users = {"bob"},
                   .licenses = "matlab:2",
                   .number = 1};
  b.event(ReservationChanged{.reservation = kept}).pending(licensed(1, 30));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(reason(p, 1), "Licenses");
  EXPECT_EQ(promised(p, 1), 90);
}

TEST(Backfill, APromiseKeepsWhatAQosAllows) {
  auto starts_with = [](std::string_view limit, JobRequest other) {
    ClusterBuilder b;
    b.nodes(4).qos("q", limit).running(3, 60).pending(job().nodes(2).minutes(30).qos("q"));
    Plan p = plan(b.pending(std::move(other)).build(), t0);
    EXPECT_EQ(promised(p, 2), 60);
    return starts(p).empty() ? reason(p, 3) : starts(p);
  };
  auto small = [](int minutes) { return job().minutes(minutes).qos("q"); };
  EXPECT_EQ(starts_with("MaxJobsPU=1", small(61)), "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(starts_with("MaxJobsPU=1", small(60)), "3") << "it is gone by then";
  EXPECT_EQ(starts_with("MaxJobsPU=2", small(61)), "3");
  EXPECT_EQ(starts_with("MaxJobsPU=1", small(600).user(kBob)), "3") << "it is not his";
  EXPECT_EQ(starts_with("GrpTRES=node=2", small(61)), "QOSGrpNodeLimit");
}

TEST(Backfill, PromisesOfOneQosComeOneAfterTheOther) {
  ClusterBuilder b;
  b.nodes(2).qos("q", "MaxJobsPU=1").running(2, 60);
  for (int i = 0; i < 3; ++i) b.pending(job().minutes(10).qos("q"));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(promised(p, 2), 60);
  EXPECT_EQ(promised(p, 3), 70);
  EXPECT_EQ(promised(p, 4), 80);
}

TEST(Backfill, AShorterRunIsTakenWhereTimeMinAllowsIt) {
  auto flexible = job().minutes(120).set(&JobRequest::time_min, Minutes{10});
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4).pending(flexible).build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "3");
  EXPECT_EQ(p.starts[0].time_limit, Minutes{60});
}

TEST(Backfill, TheBuiltinSchedulerNeverReordersJobs) {
  auto cluster = ClusterBuilder()
                     .nodes(4)
                     .settings([](Settings& s) { s.backfill = false; })
                     .running(3, 60)
                     .pending(4, 30)
                     .pending(1, 1)
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "");
}

TEST(Backfill, WhenTheBudgetRunsOutNoLaterJobStarts) {
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4, 30).pending(1, 1).build();
  Plan p = plan(cluster, t0, {.max_starts = 10, .max_probes = 1});
  EXPECT_FALSE(p.complete);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(reason(p, 3), "Priority");
}

TEST(Backfill, ANodeThatIsDownDelaysNoOtherJob) {
  auto cluster =
      ClusterBuilder().nodes(2).down(1).pending(job().on("n1")).pending(2).pending(1).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "3");
}

TEST(Partitions, TheOneWithFreeNodesIsTaken) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .partition({.name = "left"}, 1, 1)
                     .partition({.name = "right"}, 2, 2)
                     .running(1)
                     .build();
  Job two = make_job(JobId{2}, job().partition("left"), cluster);
  two.partition = "left,right";
  muster::apply(cluster, JobSubmitted{two});
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "2");
  EXPECT_EQ(p.starts[0].partition, "right");
  EXPECT_EQ(reason(p, 2), "(no wait)");
}

TEST(Licenses, AreCounted) {
  auto cluster = ClusterBuilder()
                     .nodes(4)
                     .settings([](Settings& s) { s.licenses = {{"matlab", 3}}; })
                     .pending(job().set(&JobRequest::licenses, Text("matlab:2")))
                     .pending(job().set(&JobRequest::licenses, Text("matlab:2")))
                     .pending(job().set(&JobRequest::licenses, Text("matlab")))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "1 3");
  EXPECT_EQ(reason(p, 2), "Licenses");
}

// A task that starts now needs no promise: it would keep other jobs waiting for nothing.
TEST(Backfill, OnlyTasksThatStillWaitArePromisedATime) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .running(1, 30)
                     .pending(SpecBuilder(job().minutes(60)).exclusive().array("1-2"))
                     .pending(job().minutes(10).nodes(1).exclusive())
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "2_1");
  EXPECT_EQ(find_expected(p, JobId{2})->at, t0 + Minutes{30});
  EXPECT_EQ(find_expected(p, JobId{3})->at, t0 + Minutes{60});
}

}  // namespace
}  // namespace muster::sched
