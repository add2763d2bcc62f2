// Since when a job's age counts, and how that changes its priority.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;

ClusterBuilder aging(std::string_view qos = "") {
  ClusterBuilder b;
  b.nodes(1).qos("q", qos).settings([](Settings& s) {
    s.priority.multifactor = true;
    s.priority.age = 1000;
    s.priority.max_age = Seconds{1000};
    s.slurmd_timeout = Seconds{0};
  });
  return b;
}
JobRequest large() { return job().tasks(8).memory(10).minutes(60); }

TEST(Accrual, BeginsWithTheSubmissionOfAJobThatMayRun) {
  World w{aging()};
  auto id = w.submit(large());
  EXPECT_EQ(w.job(id).accrues_since, t0);
  EXPECT_TRUE(w.committed_events<JobsAccruing>().empty()) << "no event of its own";
}

TEST(Accrual, OfAJobSubmittedHeldBeginsWithItsRelease) {
  World w{aging()};
  w.submit(large());
  auto id = w.submit(job().tasks(8).memory(10).hold());
  EXPECT_FALSE(is_set(w.job(id).accrues_since));
  w.pass(Seconds{50});
  w.act(wire::JobAction::release, id);
  EXPECT_EQ(w.job(id).accrues_since, t0 + Seconds{50});
  EXPECT_EQ(w.job(id).eligible, t0 + Seconds{50});
}

TEST(Accrual, BeginsWithTheEndOfWhatAJobDependsOn) {
  World w{aging()};
  auto first = w.submit(large());
  auto other = w.submit(large());
  auto id = w.submit(job().tasks(8).memory(10).dependency("afterany:" + std::to_string(first)));
  EXPECT_FALSE(is_set(w.job(id).accrues_since));
  w.pass(Seconds{20});
  w.step_end(1, batch_of(first));
  w.gone(1, first);
  EXPECT_EQ(w.job(other).state, JobState::running);
  EXPECT_EQ(w.job(id).accrues_since, t0 + Seconds{20});
}

TEST(Accrual, WaitsForRoomWhereItIsLimited) {
  World w{aging("MaxJobsAccruePerUser=1")};
  w.submit(large());
  JobRequest limited = job().tasks(8).memory(10).minutes(60).qos("q");
  auto first = w.submit(limited), second = w.submit(limited);
  EXPECT_EQ(w.job(first).accrues_since, t0);
  EXPECT_FALSE(is_set(w.job(second).accrues_since));
  w.pass(Seconds{5});
  w.cancel(first);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(second).accrues_since, t0 + Seconds{5});
}

TEST(Priorities, OfAStartedJobIsWhatItHadThen) {
  World w{aging()};
  auto first = w.submit(large());
  auto second = w.submit(large());
  w.pass(Seconds{100});
  w.step_end(1, batch_of(first));
  w.gone(1, first);
  EXPECT_EQ(w.job(second).state, JobState::running);
  EXPECT_EQ(w.job(second).priority, 100u);
}

TEST(Priorities, AreWrittenDownWhereTheyMayOnlyIncrease) {
  auto b = aging();
  b.settings([](Settings& s) { s.priority.increase_only = true; });
  World w{b};
  w.submit(large());
  auto id = w.submit(large());
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(id).least_priority, 1u);
  w.pass(Seconds{200});
  EXPECT_EQ(w.job(id).least_priority, 1u) << "PriorityCalcPeriod is not over";
  w.pass(Seconds{100});
  EXPECT_EQ(w.job(id).least_priority, 301u);
}

}  // namespace
}  // namespace muster::controller
