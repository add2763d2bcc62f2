// Which jobs start, in which order, and the reasons of the others.
#include <gtest/gtest.h>

#include "builders.h"
#include "sched/plan.h"

namespace muster::sched {
namespace {

using namespace muster::test;

TEST(Order, JobsStartInTheOrderOfTheirSubmission) {
  auto cluster = ClusterBuilder().nodes(3).pending(1).pending(1).pending(1).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1 2 3");
}

TEST(Order, ALaterJobDoesNotOvertakeOneThatWaitsForTheSameNodes) {
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4).pending(1, 61).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(reason(p, 2), "Resources");
  EXPECT_EQ(reason(p, 3), "Priority");
}

TEST(Order, AJobOnNodesThatNoJobWaitsForMayStart) {
  auto cluster = ClusterBuilder()
                     .nodes(4)
                     .partition({.name = "left"}, 1, 2)
                     .partition({.name = "right"}, 3, 4)
                     .running(2)
                     .pending(2)
                     .pending(job().partition("right"))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "3");
  EXPECT_EQ(reason(p, 2), "Resources");
}

// A job with -w n1 can use no other node, yet every node of the partition would be kept for it.
TEST(Order, AJobThatWaitsForOneNodeDoesNotBlockTheOthers) {
  auto cluster =
      ClusterBuilder().nodes(2).running(1).pending(job().on("n1")).pending(job()).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "3");
  EXPECT_EQ(reason(p, 2), "Resources");
}

TEST(Order, AHigherPriorityGoesFirst) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .pending(job())
                     .pending(job())
                     .event(JobUpdated{.job = JobId{2}, .priority = 4294967294u})
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "2");
}

TEST(Order, APartitionOfAHigherTierGoesFirst) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .partition({.name = "low"}, 1, 1)
                     .partition({.name = "high", .priority_tier = 2}, 1, 1)
                     .pending(job())
                     .pending(job().partition("high"))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "2");
}

TEST(Array, TasksStartInOrderAsFarAsThereIsRoom) {
  auto cluster = ClusterBuilder().nodes(3).pending(job().array("0-5")).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "1_0 1_1 1_2");
  EXPECT_EQ(reason(p, 1), "Resources");
}

TEST(Array, AThrottleBoundsTheTasksThatRunAtOnce) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().array("0-5%2")).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "1_0 1_1");
  EXPECT_EQ(reason(p, 1), "JobArrayTaskLimit");

  take_over(cluster, p, t0);
  EXPECT_EQ(starts(plan(cluster, t0)), "");
  JobId first{2};
  muster::apply(cluster, JobEnded{.job = first, .at = t0, .reason = {}});
  muster::apply(cluster, NodesReleased{.job = first, .attempt = Attempt{1}, .nodes = {NodeId{1}}});
  EXPECT_EQ(starts(plan(cluster, t0)), "1_2");
}

TEST(Array, AThrottleBoundsTasksWithRecordsOfTheirOwn) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().array("0-5%2")).build();
  muster::apply(cluster, TaskSplit{.array = JobId{1}, .task = 4, .id = JobId{2}});
  muster::apply(cluster, TaskSplit{.array = JobId{1}, .task = 5, .id = JobId{3}});
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "1_0 1_1");
  EXPECT_EQ(reason(p, 1), "JobArrayTaskLimit");
  EXPECT_EQ(reason(p, 2), "JobArrayTaskLimit");

  take_over(cluster, p, t0);
  p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(reason(p, 3), "JobArrayTaskLimit");
}

TEST(Array, WithoutAThrottleAllTasksStart) {
  auto cluster = ClusterBuilder().nodes(2).pending(job().array("3,1,7").memory(100)).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "1_1 1_3 1_7");
  EXPECT_FALSE(find_wait(p, JobId{1}));
}

TEST(Eligible, AJobWaitsForItsBeginTime) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().begin(t0 + Minutes{5})).build();
  EXPECT_EQ(reason(plan(cluster, t0), 1), "BeginTime");
  EXPECT_EQ(starts(plan(cluster, t0 + Minutes{5})), "1");
}

TEST(Eligible, AJobThatIsNotEligibleBlocksNoOther) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().begin(t0 + Minutes{5})).pending(1).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "2");
}

TEST(Eligible, AHeldJobWaitsAndSaysWhoHeldIt) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .pending(job().hold())
                     .pending(1)
                     .event(JobsHeld{.jobs = IdSet::range(2, 2), .hold = Hold::admin})
                     .pending(1)
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "3");
  EXPECT_EQ(reason(p, 1), "JobHeldUser");
  EXPECT_EQ(reason(p, 2), "JobHeldAdmin");
}

TEST(PartitionLimits, EachHasItsReason) {
  struct Case {
    Partition partition;
    SpecBuilder spec;
    std::string reason;
  };
  const std::vector<Case> cases = {
      {{.name = "p", .state = PartitionState::down}, job(), "PartitionDown"},
      {{.name = "p", .state = PartitionState::inactive}, job(), "PartitionInactive"},
      {{.name = "p", .max_time = Minutes{10}}, job().minutes(11), "PartitionTimeLimit"},
      {{.name = "p", .max_time = Minutes{10}}, job().minutes(10), "(no wait)"},
      {{.name = "p"}, job().nodes(5), "PartitionNodeLimit"},
      {{.name = "p", .max_nodes = 1}, job().nodes(5), "PartitionNodeLimit"},
      {{.name = "p", .max_nodes = 2}, job().nodes(2), "(no wait)"},
      {{.name = "p", .min_nodes = 2}, job().nodes(1, 1), "PartitionNodeLimit"},
      {{.name = "p", .min_nodes = 2}, job(), "(no wait)"},
      {{.name = "p", .state = PartitionState::drain}, job(), "(no wait)"},
  };
  for (const Case& c : cases) {
    auto cluster = ClusterBuilder().nodes(4).partition(c.partition, 1, 4).pending(c.spec).build();
    EXPECT_EQ(reason(plan(cluster, t0), 1), c.reason);
  }
}

TEST(PartitionLimits, AJobWithoutANodeCountGetsMinNodes) {
  for (const SpecBuilder& spec : {job(), job().tasks(1)}) {
    auto cluster = ClusterBuilder()
                       .nodes(4)
                       .partition({.name = "p", .min_nodes = 2}, 1, 4)
                       .pending(spec)
                       .build();
    EXPECT_EQ(plan(cluster, t0).starts.at(0).allocation.size(), 2u);
  }
}

TEST(PartitionLimits, TooManyNodesForMaxNodesNeverStart) {
  auto cluster = ClusterBuilder()
                     .nodes(4)
                     .partition({.name = "p", .max_nodes = 2}, 1, 4)
                     .pending(3)
                     .pending(1)
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "2");
  EXPECT_NE(reason(p, 1), "(no wait)");
}

TEST(PartitionLimits, AJobThatSpreadsStaysWithinMaxNodes) {
  auto cluster = ClusterBuilder()
                     .nodes(4, 2)
                     .partition({.name = "p", .max_nodes = 2}, 1, 4)
                     .pending(job().tasks(6))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "") << "six tasks of one CPU need three nodes of two";
}

TEST(PartitionLimits, AnUnlimitedJobWaitsInALimitedPartition) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .partition({.name = "p", .max_time = Minutes{10}}, 1, 1)
                     .pending(job().set(&JobRequest::time_limit, kUnlimited))
                     .build();
  EXPECT_EQ(reason(plan(cluster, t0), 1), "PartitionTimeLimit");
}

TEST(Unavailable, JobsAreNotPlacedOnNodesThatAreDownOrDrained) {
  auto cluster = ClusterBuilder().nodes(3).down(1).drained(2).pending(1).build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(p.starts[0].allocation[0].node, NodeId{3});
}

TEST(Unavailable, ARequiredNodeThatIsDownIsNamed) {
  auto cluster = ClusterBuilder().nodes(3).down(3).pending(job().on("n3")).build();
  EXPECT_EQ(reason(plan(cluster, t0), 1), "ReqNodeNotAvail, UnavailableNodes:n3");
}

TEST(Unavailable, WithAllNodesDownTheReasonSaysSo) {
  auto cluster = ClusterBuilder().nodes(1).down(1).pending(1).build();
  EXPECT_EQ(reason(plan(cluster, t0), 1), reason_name(Reason::nodes_down));
}

TEST(Unavailable, ANodeThatDoesNotRespondGetsNoJobs) {
  auto cluster = ClusterBuilder().nodes(1).silent(1).pending(1).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "");
}

TEST(Budget, APlanThatReachedItsLimitOfStartsSaysSo) {
  auto cluster = ClusterBuilder().nodes(3).pending(1).pending(1).pending(1).build();
  Plan p = plan(cluster, t0, {.max_starts = 2});
  EXPECT_EQ(starts(p), "1 2");
  EXPECT_TRUE(p.more_starts);
  EXPECT_FALSE(plan(cluster, t0).more_starts);
}

// Otherwise the rest of the array would wait for the next tick.
TEST(Budget, AnArrayLargerThanTheBudgetLeavesMoreToStart) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().array("0-3")).build();
  Plan p = plan(cluster, t0, {.max_starts = 2});
  EXPECT_EQ(starts(p), "1_0 1_1");
  EXPECT_TRUE(p.more_starts);
  EXPECT_TRUE(find_wait(p, JobId{1}));
}

}  // namespace
}  // namespace muster::sched
