// Jobs that cannot start yet are out of a plan's way, and come back when their reason may be gone.
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
  explicit Followed(ClusterBuilder builder) : builder_(std::move(builder)) { follow(t0); }

  ClusterBuilder& then() { return builder_; }
  void follow(Time now) {
    cluster_ = builder_.build();
    queue_.follow(cluster_, Priorities(cluster_, now), now, false);
  }
  std::string in_line() {
    IdSet ids;
    queue_.each(cluster_, [&](const Queue::Place& place) {
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
  queue.follow(t0);
  EXPECT_EQ(queue.in_line(), "1-2");
  EXPECT_EQ(queue.deferred(), "");
}

TEST(Deferred, AJobThatIsHeldLaterLeavesTheLineAndComesBackToItsPlace) {
  Followed queue(machine().pending(job()).pending(job()));
  for (int round = 0; round < 3; ++round) {
    queue.then().event(JobsHeld{.jobs = IdSet::range(1, 1), .reason = {}, .at = t0});
    queue.follow(t0);
    EXPECT_EQ(queue.in_line(), "2");
    queue.then().event(JobsHeld{
        .jobs = IdSet::range(1, 1), .hold = Hold::none, .priority = 100, .reason = {}, .at = t0});
    queue.follow(t0);
    EXPECT_EQ(queue.in_line(), "1-2");
  }
}

TEST(Deferred, ABeginTimePassesWithoutAnyChange) {
  Followed queue(machine().pending(job().begin(t0 + Minutes{5})));
  EXPECT_EQ(queue.deferred(), "1");
  queue.follow(t0 + Minutes{4});
  EXPECT_EQ(queue.deferred(), "1");
  queue.follow(t0 + Minutes{5});
  EXPECT_EQ(queue.in_line(), "1");
}

TEST(Deferred, ADependencyIsLookedAtWhenTheOtherJobEnds) {
  Followed queue(machine().pending(job()).pending(job().dependency("afterok:1")));
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().start(1, {share(1, 0)});
  queue.follow(t0);
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().ended(1, JobState::completed);
  queue.follow(t0);
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, ADependencyThatCanNeverBeMetIsTold) {
  Followed queue(machine().pending(job()).pending(job().dependency("afterok:1")));
  EXPECT_EQ(queue.hopeless(), "");
  queue.then().start(1, {share(1, 0)}).ended(1, JobState::failed, 1 << 8);
  queue.follow(t0);
  EXPECT_EQ(queue.deferred(), "2");
  EXPECT_EQ(queue.hopeless(), "2");
}

TEST(Deferred, ADelayAfterAStartPassesWithoutAnyChange) {
  Followed queue(machine().pending(job()).pending(job().dependency("after:1+3")));
  queue.then().start(1, {share(1, 0)});
  queue.follow(t0 + Minutes{2});
  EXPECT_EQ(queue.deferred(), "2");
  queue.follow(t0 + Minutes{3});
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, ASingletonWaitsForEarlierJobsOfItsName) {
  Followed queue(machine().pending(job()).pending(job().dependency("singleton")));
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().event(
      PendingJobsEnded{.jobs = IdSet::range(1, 1), .by = kAlice, .at = t0, .reason = {}});
  queue.follow(t0);
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, AnArrayIsWaitedForUntilItsLastTaskHasEnded) {
  Followed queue(machine().pending(job().array("0-1")).pending(job().dependency("afterany:1")));
  queue.then().split(1, 0).start(3, {share(1, 0)}).ended(3, JobState::completed);
  queue.follow(t0);
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().split(1, 1).start(1, {share(1, 1)});
  queue.follow(t0);
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().ended(1, JobState::completed);
  queue.follow(t0);
  EXPECT_EQ(queue.in_line(), "2");
}

TEST(Deferred, ATaskThatIsCancelledBeforeItLeftItsArrayIsNotWaitedFor) {
  Followed queue(machine().pending(job().array("0-3")).pending(job().dependency("afterany:1_2")));
  EXPECT_EQ(queue.deferred(), "2");
  queue.then().event(TasksCancelled{JobId{1}, IdSet::range(2, 2)});
  queue.follow(t0);
  EXPECT_EQ(queue.in_line(), "1-2");
}

TEST(Deferred, APlanDoesNotTellOfThemUnlessAsked) {
  auto cluster = machine().pending(job().hold()).pending(job().dependency("afterany:1")).build();
  EXPECT_EQ(plan(cluster, t0).waits.size(), 2u);
  PlanMemory memory;
  const Plan quick = plan(cluster, t0, thorough_budget(cluster), memory);
  EXPECT_TRUE(quick.waits.empty());
  EXPECT_TRUE(quick.complete);
}

// --- limits ---

Budget as_after_an_event() {
  return {.thorough = false, .order_changed = false, .tells_of_deferred = false};
}

// Jobs 1 to 4 of a QOS of which each user may run one; job 1 runs.
struct Limited {
  Cluster cluster;
  PlanMemory memory;
  Limited() {
    ClusterBuilder b;
    b.nodes(1, 8).qos("one", "MaxJobsPU=1");
    for (int i = 0; i < 3; ++i) b.pending(job().tasks(1).memory(100).qos("one"));
    cluster = b.pending(job().tasks(1).memory(100).qos("one").user(kBob)).build();
    take_over(cluster, plan(cluster, t0, {.max_starts = 1}, memory), t0);
  }
  std::string next_starts() { return starts(plan(cluster, t0, as_after_an_event(), memory)); }
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
  EXPECT_TRUE(limited.memory.queue.deferred().contains(JobId{2}));
  EXPECT_TRUE(limited.memory.queue.deferred().contains(JobId{3}));
  EXPECT_FALSE(plan(limited.cluster, t0, as_after_an_event(), limited.memory).complete);
  limited.end(1);
  EXPECT_EQ(limited.next_starts(), "2 4");
}

TEST(Deferred, AnothersEndIsNoReasonToLookAtAJobBehindItsUsersLimit) {
  Limited limited;
  take_over(limited.cluster, plan(limited.cluster, t0, as_after_an_event(), limited.memory), t0);
  limited.end(4);
  EXPECT_EQ(limited.next_starts(), "");
  EXPECT_TRUE(limited.memory.queue.deferred().contains(JobId{2}));
}

TEST(Deferred, JobsBehindALimitAreLookedAtWhenTheOrderOrALimitHasChanged) {
  Limited limited;
  EXPECT_EQ(limited.next_starts(), "4");
  ClusterConfig config = *limited.cluster.config;
  config.qos.front().limits.per_user.jobs = 3;
  muster::apply(limited.cluster, ConfigLoaded{Cow(config)});
  Budget changed = as_after_an_event();
  changed.order_changed = true;
  EXPECT_EQ(starts(plan(limited.cluster, t0, changed, limited.memory)), "2 3 4");
}

TEST(Deferred, AThoroughPlanTellsOfJobsBehindALimit) {
  Limited limited;
  EXPECT_EQ(limited.next_starts(), "4");
  const Plan thorough = plan(limited.cluster, t0, thorough_budget(limited.cluster), limited.memory);
  EXPECT_EQ(reason(thorough, 2), "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(reason(thorough, 3), "QOSMaxJobsPerUserLimit");
}

}  // namespace
}  // namespace muster::sched
