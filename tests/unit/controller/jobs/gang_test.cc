// Jobs that are suspended for other jobs and resumed, and the orders for their nodes.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::jobs_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder tiers_in_turn() {
  ClusterBuilder b;
  b.nodes(1)
      .settings([](Settings& s) {
        s.preempt = {.type = PreemptType::partition_priority, .mode = PreemptMode::suspend};
        s.preempt.gang = true;
      })
      .partition({.name = "low", .priority_tier = 1}, 1, 1)
      .partition({.name = "high", .priority_tier = 10}, 1, 1);
  return b;
}
JobRequest all_cpus(Text partition) {
  return job().partition(std::move(partition)).tasks(8).nodes(1).memory(10);
}

TEST(Turns, ALowerJobIsSuspendedWhileAHigherOneRuns) {
  World w{tiers_in_turn()};
  auto low = w.submit(all_cpus("low"));
  EXPECT_EQ(w.job(low).state, JobState::running);
  auto high = w.submit(all_cpus("high"));
  EXPECT_EQ(w.job(high).state, JobState::running);
  EXPECT_EQ(w.job(low).state, JobState::suspended);
  EXPECT_TRUE(w.job(low).run->awaits_turn);
  auto orders = w.take<wire::SuspendOrder>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].second.job, JobId{low});
  auto again = w.act(wire::JobAction::resume, low, kRoot);
  ASSERT_EQ(again.errors.size(), 1u);
  EXPECT_EQ(again.errors[0].second.code, ErrorCode::disabled);
  w.cancel(high);
  EXPECT_TRUE(w.job(low).run->awaits_turn) << "until the other's processes are gone";
  w.gone(1, high);
  EXPECT_EQ(w.job(low).state, JobState::running);
  orders = w.take<wire::SuspendOrder>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_TRUE(orders[0].second.resume);
}

TEST(Turns, WhatSomebodySuspendedStaysSuspended) {
  World w{tiers_in_turn()};
  auto low = w.submit(all_cpus("low"));
  w.act(wire::JobAction::suspend, low, kRoot);
  w.pass(Seconds{120});
  EXPECT_EQ(w.job(low).state, JobState::suspended);
  EXPECT_FALSE(w.job(low).run->awaits_turn);
  w.act(wire::JobAction::resume, low, kRoot);
  EXPECT_EQ(w.job(low).state, JobState::running);
}

}  // namespace
}  // namespace muster::controller::jobs_test
