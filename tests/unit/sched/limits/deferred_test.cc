// Jobs that cannot start yet are left out of plans, and come back when their reason may be gone.
#include "sched/limits/deferred.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "sched/priority/priority.h"
#include "sched/queue.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// A queue that follows a cluster step by step.
class Followed {
 public:
  explicit Followed(ClusterBuilder builder) : builder_(std::move(builder)) { update_to(t0); }

  ClusterBuilder& then() { return builder_; }
  void update_to(Time now) {
    cluster_ = builder_.build();
    queue_.update_to(cluster_, Priorities(cluster_, now), now, false);
  }
  std::string in_line() {
    IdSet ids;
    queue_.visit_in_order(cluster_, [&](const Queue::Entry& place) {
      ids.insert(place.job.value);
      return true;
    });
    return ids.text();
  }
  std::string deferred() const {
    IdSet ids;
    for (JobId id : queue_.deferred().ids()) ids.insert(id.value);
    return ids.text();
  }
  std::string hopeless() const { return queue_.deferred().hopeless().text(); }

 private:
  ClusterBuilder builder_;
  Cluster cluster_;
  Queue queue_;
};

NodeShare share(std::uint32_t node, std::uint32_t cpu) {
  return {.node = NodeId{node},
          .cpus = IdSet::range(cpu, cpu),
          .memory_mib = 100,
          .tasks = 1,
          .gres = {}};
}

ClusterBuilder machine() {
  ClusterBuilder builder;
  builder.nodes(4);
  return builder;
}

TEST(Deferred, AHeldJobComesBackWhenItIsReleased) {
  Followed queue(machine().pending(job().hold()).pending(job()));
  EXPECT_EQ(queue.in_line(), "2");
  EXPECT_EQ(queue.deferred(), "1");
  queue.then().event(JobsHeld{
      .jobs = IdSet::range(1, 1), .hold = Hold::none, .priority = 100, .reason = {}, .at = t0});
  queue.update_to(t0);
  EXPECT_EQ(queue.in_line(), "1-2");
  EXPECT_EQ(queue.deferred(), "");
}

TEST(Deferred, AJobThatIsHeldLaterLeavesTheLineAndComesBackToItsPlace) {
  Followed queue(machine().pending(job()).pending(job()));
  for (int round = 0; round < 3; ++round) {
    queue.then().event(JobsHeld{.jobs = IdSet::range(1, 1), .reason = {}, .at = t0});
    queue.update_to(t0);
    EXPECT_EQ(queue.in_line(), "2");
    queue.then().event(JobsHeld{
        .jobs = IdSet::range(1, 1), .hold = Hold::none, .priority = 100, .reason = {}, .at = t0});
    queue.update_to(t0);
    EXPECT_EQ(queue.in_line(), "1-2");
  }
}

TEST(Deferred, ABeginTimePassesWithoutAnyChange) {
  Followed queue(machine().pending(job().begin(t0 + Minutes{5})));
  EXPECT_EQ(queue.deferred(), "1");
  queue.update_to(t0 + Minutes{4});
  EXPECT_EQ(queue.deferred(), "1");
  queue.update_to(t0 + Minutes{5});
  EXPECT_EQ(queue.in_line(), "1");
}

TEST(Deferred, ADependencyIsLookedAtWhenTheOtherJobEnds) {
  Followed queue(machine().pending(job()).pending(job().dependency("afterok:1")));
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().start(1, {share(1, 0)});
  queue.update_to(t0);
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().ended(1, JobState::completed);
  queue.update_to(t0);
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, ADependencyThatCanNeverBeMetIsTold) {
  Followed queue(machine().pending(job()).pending(job().dependency("afterok:1")));
  EXPECT_EQ(queue.hopeless(), "");
  queue.then().start(1, {share(1, 0)}).ended(1, JobState::failed, 1 << 8);
  queue.update_to(t0);
  EXPECT_EQ(queue.deferred(), "2");
  EXPECT_EQ(queue.hopeless(), "2");
}

TEST(Deferred, ADelayAfterAStartPassesWithoutAnyChange) {
  Followed queue(machine().pending(job()).pending(job().dependency("after:1+3")));
  queue.then().start(1, {share(1, 0)});
  queue.update_to(t0 + Minutes{2});
  EXPECT_EQ(queue.deferred(), "2");
  queue.update_to(t0 + Minutes{3});
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, ASingletonWaitsForEarlierJobsOfItsName) {
  Followed queue(machine().pending(job()).pending(job().dependency("singleton")));
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().event(
      PendingJobsEnded{.jobs = IdSet::range(1, 1), .by = kAlice, .at = t0, .reason = {}});
  queue.update_to(t0);
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, AnArrayIsWaitedForUntilItsLastTaskHasEnded) {
  Followed queue(machine().pending(job().array("0-1")).pending(job().dependency("afterany:1")));
  queue.then().split(1, 0).start(3, {share(1, 0)}).ended(3, JobState::completed);
  queue.update_to(t0);
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().split(1, 1).start(1, {share(1, 1)});
  queue.update_to(t0);
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().ended(1, JobState::completed);
  queue.update_to(t0);
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, ATaskThatIsCancelledBeforeItLeftItsArrayIsNotWaitedFor) {
  Followed queue(machine().pending(job().array("0-3")).pending(job().dependency("afterany:1_2")));
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().event(TasksCancelled{JobId{1}, IdSet::range(2, 2)});
  queue.update_to(t0);
  EXPECT_EQ(queue.in_line(), "1-2");
}

TEST(Deferred, APlanDoesNotTellOfThemUnlessAsked) {
  auto cluster = machine().pending(job().hold()).pending(job().dependency("afterany:1")).build();
  EXPECT_EQ(plan(cluster, t0).waits.size(), 2u);
  PlannerCache cache;
  const Plan quick = plan(cluster, t0, thorough_budget(cluster), cache);
  EXPECT_TRUE(quick.waits.empty());
  EXPECT_TRUE(quick.complete);
}

// --- limits ---

Budget as_after_an_event() {
  return {.thorough = false, .order_changed = false, .explains_deferred = false};
}

// Jobs 1 to 4 of a QOS of which each user may run one; job 1 runs.
struct Limited {
  Cluster cluster;
  PlannerCache cache;
  Limited() {
    ClusterBuilder b;
    b.nodes(1, 8).qos("one", "MaxJobsPU=1");
    for (int i = 0; i < 3; ++i) b.pending(job().tasks(1).memory(100).qos("one"));
    cluster = b.pending(job().tasks(1).memory(100).qos("one").user(kBob)).build();
    take_over(cluster, plan(cluster, t0, {.max_starts = 1}, cache), t0);
  }
  std::string next_starts() { return starts(plan(cluster, t0, as_after_an_event(), cache)); }
  void end(std::uint32_t id) {
    const Job& job = cluster.jobs.at(JobId{id});
    const NodesReleased released{.job = job.id, .attempt = job.attempt, .nodes = {NodeId{1}}};
    muster::apply(cluster, JobEnded{.job = JobId{id}, .at = t0});
    muster::apply(cluster, released);
  }
};

TEST(Deferred, AJobBehindALimitIsNotLookedAtUntilOneThatCountsHasEnded) {
  Limited limited;
  EXPECT_EQ(limited.next_starts(), "4");
  EXPECT_TRUE(limited.cache.queue.deferred().contains(JobId{2}));
  EXPECT_TRUE(limited.cache.queue.deferred().contains(JobId{3}));
  const Plan quick = plan(limited.cluster, t0, as_after_an_event(), limited.cache);
  EXPECT_TRUE(quick.complete);
  EXPECT_EQ(reason(quick, 2), "QOSMaxJobsPerUserLimit");
  limited.end(1);
  EXPECT_EQ(limited.next_starts(), "2 4");
}

TEST(Deferred, AnothersEndIsNoReasonToLookAtAJobBehindItsUsersLimit) {
  Limited limited;
  take_over(limited.cluster, plan(limited.cluster, t0, as_after_an_event(), limited.cache), t0);
  limited.end(4);
  EXPECT_EQ(limited.next_starts(), "");
  EXPECT_TRUE(limited.cache.queue.deferred().contains(JobId{2}));
}

TEST(Deferred, JobsBehindALimitAreLookedAtWhenTheOrderOrALimitHasChanged) {
  Limited limited;
  EXPECT_EQ(limited.next_starts(), "4");
  ClusterConfig config = *limited.cluster.config;
  config.qos.front().limits.per_user.jobs = 3;
  muster::apply(limited.cluster, ConfigLoaded{Cow(config)});
  Budget changed = as_after_an_event();
  changed.order_changed = true;
  EXPECT_EQ(starts(plan(limited.cluster, t0, changed, limited.cache)), "2 3 4");
}

TEST(Deferred, AThoroughPlanTellsOfJobsBehindALimit) {
  Limited limited;
  EXPECT_EQ(limited.next_starts(), "4");
  const Plan thorough = plan(limited.cluster, t0, thorough_budget(limited.cluster), limited.cache);
  EXPECT_EQ(reason(thorough, 2), "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(reason(thorough, 3), "QOSMaxJobsPerUserLimit");
}

// Jobs 1 to 3 need two CPUs each, and together may have three; job 1 runs. Job 4 has no limit.
struct Crowded {
  Cluster cluster;
  PlannerCache cache;
  explicit Crowded(std::string_view limit = "GrpTRES=cpu=3") {
    ClusterBuilder b;
    b.nodes(8, 4).qos("three", limit);
    for (int i = 0; i < 3; ++i) b.pending(job().nodes(2).memory(100).qos("three"));
    cluster = b.pending(job().nodes(1).memory(100)).build();
    take_over(cluster, plan(cluster, t0, {.max_starts = 1}, cache), t0);
  }
  std::string next_starts() { return starts(plan(cluster, t0, as_after_an_event(), cache)); }
  bool keeps(std::uint32_t id) const { return cache.queue.deferred().contains(JobId{id}); }
  const Job& first() const { return cluster.jobs.at(JobId{1}); }
};

TEST(Deferred, AJobThatALimitLeavesTooLittleIsNotLookedAtUntilOneThatCountsHasEnded) {
  for (const char* limit :
       {"GrpTRES=mem=300", "GrpTRES=cpu=3", "MaxTRESPU=cpu=3", "MaxTRESPA=mem=300"}) {
    SCOPED_TRACE(limit);
    Crowded crowded(limit);
    EXPECT_EQ(crowded.next_starts(), "4");
    EXPECT_TRUE(crowded.keeps(2) && crowded.keeps(3));
    EXPECT_FALSE(crowded.keeps(4));
    const Job& first = crowded.first();
    const NodesReleased released{
        .job = first.id, .attempt = first.attempt, .nodes = {NodeId{1}, NodeId{2}}};
    muster::apply(crowded.cluster, JobEnded{.job = first.id, .at = t0});
    muster::apply(crowded.cluster, released);
    EXPECT_EQ(crowded.next_starts(), "2 4");
    EXPECT_FALSE(crowded.keeps(3)) << "nobody that runs leaves it too little yet";
  }
}

TEST(Deferred, AJobThatALimitLeavesTooLittleComesBackWhenAnotherHoldsLess) {
  Crowded crowded;
  EXPECT_EQ(crowded.next_starts(), "4");
  EXPECT_TRUE(crowded.keeps(2));
  const Job& first = crowded.first();
  muster::apply(crowded.cluster, JobShrunk{.job = first.id,
                                           .attempt = first.attempt,
                                           .nodes = {first.run->allocation.back().node},
                                           .at = t0});
  EXPECT_EQ(crowded.next_starts(), "2 4");
}

TEST(Deferred, WhatEverFitsTheLimitIsNotKeptBackWithTheOthers) {
  ClusterBuilder b;
  b.nodes(8, 4).qos("three", "GrpTRES=cpu=3");
  for (std::uint32_t nodes : {2u, 2u, 1u}) b.pending(job().nodes(nodes).memory(100).qos("three"));
  Cluster cluster = b.build();
  PlannerCache cache;
  EXPECT_EQ(starts(plan(cluster, t0, as_after_an_event(), cache)), "1 3");
}

TEST(Deferred, AThoroughPlanTellsWhichLimitLeavesAJobTooLittle) {
  Crowded crowded;
  EXPECT_EQ(crowded.next_starts(), "4");
  const Plan thorough = plan(crowded.cluster, t0, thorough_budget(crowded.cluster), crowded.cache);
  EXPECT_EQ(reason(thorough, 2), "QOSGrpCpuLimit");
}

}  // namespace
}  // namespace muster::sched
