// Which jobs' age counts, and since when.
#include "sched/limits/accrual.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "sched/priority/priority.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// One node, busy for an hour, so that new jobs wait.
ClusterBuilder busy(const std::function<void(Settings&)>& change = [](Settings&) {}) {
  ClusterBuilder b;
  b.nodes(1).settings([&](Settings& s) {
    s.priority.multifactor = true;
    s.priority.age = 1000;
    s.priority.max_age = Seconds{3600};
    change(s);
  });
  return b;
}
// Submits as the controller does with limits: the plan says which jobs accrue age.
ClusterBuilder& waiting(ClusterBuilder& b, JobRequest spec) {
  Cluster cluster = b.build();
  Job job = make_job(cluster.next_job_id, std::move(spec), cluster);
  job.accrues_since = Time{};
  return b.event(JobSubmitted{std::move(job)});
}
std::string accruing(ClusterBuilder& b, Time now = t0) {
  return plan(b.build(), now).accruing.text();
}

TEST(Accrual, BeginsWhenNothingButOthersKeepsAJobBack) {
  auto b = busy();
  b.running(1, 60);                            // 1
  b.pending(job().hold());                     // 2
  waiting(b, job().begin(t0 + Minutes{10}));   // 3
  waiting(b, job().dependency("afterany:1"));  // 4
  waiting(b, job());                           // 5
  EXPECT_EQ(accruing(b), "5");
  EXPECT_EQ(accruing(b, t0 + Minutes{10}), "3,5");
  b.ended(1, JobState::completed);
  EXPECT_EQ(accruing(b), "4-5");
  b.event(JobsHeld{.jobs = IdSet::range(2, 2), .hold = Hold::none, .priority = 7, .at = t0});
  EXPECT_EQ(accruing(b), "2,4-5");
}

TEST(Accrual, OnceBegunGoesOnThroughAHold) {
  auto b = busy();
  b.running(1, 60).pending(job());
  b.event(JobsHeld{.jobs = IdSet::range(2, 2)});
  const Time released = t0 + Minutes{30};
  b.event(JobsHeld{.jobs = IdSet::range(2, 2), .hold = Hold::none, .priority = 7, .at = released});
  Cluster cluster = b.build();
  const Job& job = cluster.jobs.at(JobId{2});
  EXPECT_EQ(Priorities(cluster, t0 + Minutes{45}).priority_of(job, nullptr), 750u);
  EXPECT_EQ(job.eligible, released);
  EXPECT_EQ(accruing(b, t0 + Minutes{45}), "");
}

TEST(Accrual, OfAnArrayIsThatOfItsRecord) {
  auto b = busy();
  b.qos("few", "GrpJobsAccrue=1").running(1, 60);
  waiting(b, job().qos("few").array("1-9"));
  waiting(b, job().qos("few"));
  EXPECT_EQ(accruing(b), "2");
}

TEST(Accrual, IsLimitedByTheJobsQos) {
  auto b = busy();
  b.qos("few", "GrpJobsAccrue=3 MaxJobsAccruePerUser=2").running(1, 60);
  for (int i = 0; i < 3; ++i) waiting(b, job().qos("few"));  // 2, 3, 4
  waiting(b, job().qos("few").user(kBob));                   // 5
  waiting(b, job().qos("few").user(kBob));                   // 6
  waiting(b, job());                                         // 7
  EXPECT_EQ(accruing(b), "2-3,5,7");
  b.event(JobsAccruing{.jobs = IdSet::range(2, 3), .at = t0});
  EXPECT_EQ(accruing(b), "5,7");
  b.event(PendingJobsEnded{.jobs = IdSet::range(2, 2), .at = t0, .reason = {}});
  EXPECT_EQ(accruing(b), "4-5,7") << "whoever is gone makes room";
}

TEST(Accrual, IsLimitedByAccountsAndAssociations) {
  auto b = busy([](Settings& s) { s.enforce_limits = true; });
  b.qos("few", "MaxJobsAccruePA=1");
  b.account("a", {}, "GrpJobsAccrue=2 MaxJobsAccrue=1").user("a", "alice").user("a", "bob");
  b.account("b").user("b", "alice");
  b.running(1, 60);
  waiting(b, job().account("a"));             // 2
  waiting(b, job().account("a"));             // 3: one more than alice may
  waiting(b, job().account("a").user(kBob));  // 4
  waiting(b, job().account("b").qos("few"));  // 5
  waiting(b, job().account("b").qos("few"));  // 6: one more than the account may
  EXPECT_EQ(accruing(b), "2,4-5");
}

TEST(Accrual, KnowsNoLimitsWhereAgeAlwaysCounts) {
  auto b = busy([](Settings& s) { s.priority.accrue_always = true; });
  b.qos("few", "GrpJobsAccrue=1").running(1, 60);
  waiting(b, job().qos("few"));
  waiting(b, job().qos("few"));
  EXPECT_EQ(accruing(b), "2-3");
}

TEST(Accrual, OfASubmittedJobIsKnownUnlessThereAreLimits) {
  auto b = busy();
  b.pending(job()).pending(job().hold()).pending(job().begin(t0 + Minutes{5}));
  Cluster cluster = b.build();
  auto from = [&](std::uint32_t id) {
    return accrues_from(cluster, cluster.jobs.at(JobId{id}), t0);
  };
  EXPECT_EQ(from(1), t0);
  EXPECT_EQ(from(2), Time{});
  EXPECT_EQ(from(3), t0 + Minutes{5});
  b = busy();
  b.qos("few", "GrpJobsAccrue=1").pending(job()).pending(job().qos("few"));
  cluster = b.build();
  EXPECT_EQ(from(1), t0);
  EXPECT_EQ(from(2), Time{});
}

}  // namespace
}  // namespace muster::sched
