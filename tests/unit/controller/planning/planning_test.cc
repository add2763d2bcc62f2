// Planning without a Core: one plan at a time, and what the last plans said of a job.
#include "controller/planning/planning.h"

#include <gtest/gtest.h>

#include "controller/ledger_world.h"

namespace muster::controller::test::planning_test {
namespace {

using namespace std::chrono_literals;

struct PlanningAlone : ::testing::Test {
  LedgerWorld w{
      ClusterBuilder().nodes(1).pending(1).pending(1).pending(job().begin(t0 + Minutes{10}))};
  Planning planning{w.ledger, w.host};
};

TEST_F(PlanningAlone, AsksForOnePlanAtATime) {
  planning.begin_if_wanted();
  EXPECT_TRUE(w.host.to_plan.has_value());
  w.host.to_plan.reset();
  w.ledger.want_plan();
  planning.begin_if_wanted();
  EXPECT_FALSE(w.host.to_plan.has_value());
  planning.on_planner_idle();
  planning.begin_if_wanted();
  EXPECT_TRUE(w.host.to_plan.has_value());
}

TEST_F(PlanningAlone, AsksForNoneWhereNobodyWantsOne) {
  w.ledger.take_plan_wish();
  planning.begin_if_wanted();
  EXPECT_FALSE(planning.is_under_way());
}

TEST_F(PlanningAlone, TellsWhyAJobWaitedFromTheLastPlansAndThenFromTheJob) {
  sched::Plan thorough;
  thorough.waits = {{JobId{1}, sched::Reason::priority, {}}, {JobId{2}, {}, "Its own words"}};
  planning.keep(std::move(thorough));
  sched::Plan quick;
  quick.thorough = quick.complete = false;
  quick.waits = {{JobId{1}, sched::Reason::resources, {}}};
  planning.keep(std::move(quick));
  EXPECT_EQ(planning.why_it_waited(JobId{1}), sched::reason_name(sched::Reason::resources));
  EXPECT_EQ(planning.why_it_waited(JobId{2}), "Its own words");
  EXPECT_EQ(planning.why_it_waited(JobId{3}), sched::reason_name(sched::Reason::begin_time));
}

TEST_F(PlanningAlone, PublishesTheCommittedStateWithThePlan) {
  w.ledger.record(JobsHeld{.jobs = IdSet::range(1, 1), .hold = Hold::user});
  planning.publish_if_quiet();
  EXPECT_FALSE(w.host.published.has_value());
  planning.publish();
  ASSERT_TRUE(w.host.published.has_value());
  EXPECT_EQ(w.host.published->cluster.jobs.at(JobId{1}).hold, Hold::none);
}

}  // namespace
}  // namespace muster::controller::test::planning_test
