// Heterogeneous jobs: components start together, on separate nodes, or wait together.
#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

std::int64_t promise_of(const Plan& p, std::uint32_t id) {
  const Expected* e = find_expected(p, JobId{id});
  return e ? std::chrono::floor<Minutes>(e->at - t0).count() : -1;
}

std::vector<JobRequest> two(SpecBuilder first, SpecBuilder second) { return {first, second}; }

TEST(HetJob, StartsWithAllItsComponents) {
  auto cluster = ClusterBuilder()
                     .nodes(3)
                     .pending_together(two(job().nodes(1), job().nodes(2).memory(100)))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1 2");
}

TEST(HetJob, NoComponentStartsIfAnotherCannot) {
  auto cluster = ClusterBuilder()
                     .nodes(3)
                     .running(2, 60)
                     .pending_together(two(job().nodes(1).minutes(5), job().nodes(1).minutes(5)))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(reason(p, 2), "Resources");
  EXPECT_EQ(reason(p, 3), "Resources");
}

TEST(HetJob, ABeginTimeOfOneComponentKeepsAllWaiting) {
  auto cluster = ClusterBuilder()
                     .nodes(3)
                     .pending_together(two(job().nodes(1), job().nodes(1).begin(t0 + Minutes{5})))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(reason(p, 1), "BeginTime");
  EXPECT_EQ(reason(p, 2), "BeginTime");
}

TEST(HetJob, ComponentsShareNoNode) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .pending_together(two(job().tasks(1).memory(10), job().tasks(1).memory(10)))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "");
}

TEST(HetJob, AComponentThatNamesNodesHasTheFirstChoice) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .pending_together(two(job().nodes(1), job().nodes(1).on("n1")))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1 2");
  EXPECT_EQ(p.starts[0].allocation[0].node, NodeId{2});
  EXPECT_EQ(p.starts[1].allocation[0].node, NodeId{1});
}

TEST(HetJob, ThePromiseIsThatOfTheLatestComponent) {
  auto cluster = ClusterBuilder()
                     .nodes(3)
                     .running(1, 30)
                     .running(1, 60)
                     .pending_together(two(job().nodes(1).minutes(5), job().nodes(2).minutes(5)))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(promise_of(p, 3), 60);
  EXPECT_EQ(promise_of(p, 4), 60);
}

TEST(HetJob, WhatIsPromisedToOneComponentIsKeptForIt) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .running(1, 30)
                     .pending_together(two(job().nodes(1).minutes(5), job().nodes(1).minutes(5)))
                     .pending(1, 60)
                     .pending(1, 20)
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "5");  // n2 stays free until both start
}

TEST(HetJob, AHeldComponentKeepsTheOthersBack) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .pending_together(two(job().nodes(1), job().nodes(1).hold()))
                     .pending(2)
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "3");
  EXPECT_EQ(reason(p, 1), "Resources");
  EXPECT_EQ(reason(p, 2), "JobHeldUser");
}

TEST(HetJob, PreemptsForAllOfItsComponentsOrForNone) {
  auto preempting = [](std::uint32_t busy_for_good) {
    ClusterBuilder builder;
    builder.nodes(3)
        .settings([](Settings& s) {
          s.preempt.type = PreemptType::partition_priority;
          s.preempt.mode = PreemptMode::requeue;
        })
        .partition({.name = "low", .is_default = true}, 1, 3)
        .partition({.name = "high", .priority_tier = 9}, 1, 3);
    std::vector<NodeShare> last{
        {.node = NodeId{3}, .cpus = IdSet::range(0, 7), .memory_mib = 16000}};
    builder.running(1).running(1);
    if (busy_for_good) builder.running(job().partition("high"), last);
    builder.pending_together(
        two(job().partition("high").nodes(1), job().partition("high").nodes(2)));
    return plan(builder.build(), t0).evictions.size();
  };
  EXPECT_EQ(preempting(0), 2u);
  EXPECT_EQ(preempting(1), 0u);
}

// The first component could use any node at once, the second only n2, after its job has ended.
TEST(HetJob, AComponentLeavesToAnotherTheOnlyNodeThatItCanUse) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .running(job().tasks(4).memory(10).minutes(500),
                              {{.node = NodeId{1}, .cpus = IdSet::range(0, 3), .memory_mib = 10}})
                     .running(job().tasks(5).memory(10).minutes(100),
                              {{.node = NodeId{2}, .cpus = IdSet::range(0, 4), .memory_mib = 10}})
                     .pending_together(two(job().tasks(3).nodes(1).memory(10).minutes(10),
                                           job().tasks(7).nodes(1).memory(10).minutes(10)))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(promise_of(p, 3), 100);
  EXPECT_EQ(promise_of(p, 4), 100);
}

TEST(HetJob, AComponentThatGotNoNodeChoosesFirstInTheNextTry) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .gpus(2)
                     .nodes(1)
                     .pending_together(two(job().tasks(1).memory(10), job().gres("gpu:1")))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1 2");
}

}  // namespace
}  // namespace muster::sched
