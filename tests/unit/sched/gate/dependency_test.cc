// --dependency: what is accepted, when it is fulfilled, and how the remainder is shown.
#include "sched/gate/dependency.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

NodeShare small_share(std::uint32_t node, std::uint32_t cpu) {
  return {.node = NodeId{node},
          .cpus = IdSet::range(cpu, cpu),
          .memory_mib = 100,
          .tasks = 1,
          .gres = {}};
}

// Job 1 in one of the states that matter to a dependency.
ClusterBuilder with_first(const std::string& state, std::uint32_t status = 0) {
  ClusterBuilder b;
  b.nodes(4).pending(job());
  if (state == "pending") return b;
  if (state == "cancelled before its start") {
    b.event(PendingJobsEnded{.jobs = IdSet::range(1, 1), .by = kAlice, .at = t0, .reason = {}});
    return b;
  }
  b.start(1, {small_share(1, 0)});
  if (state == "running") return b;
  if (state == "completing") {
    b.event(JobEnded{.job = JobId{1}, .at = t0, .reason = {}});
    return b;
  }
  JobState end = state == "completed" ? JobState::completed
                 : state == "failed"  ? JobState::failed
                                      : JobState::cancelled;
  b.ended(1, end, status);
  return b;
}

Fulfilment of(const Cluster& cluster, std::uint32_t id, Time now = t0) {
  const Job& job = cluster.jobs.at(JobId{id});
  return fulfilment(cluster, job, *parse_dependencies(job.own.dependency), std::nullopt, now);
}

TEST(ParseDependency, ReadsEveryKind) {
  auto d =
      parse_dependencies("after:1+5,afterany:2,afterok:3:4,afternotok:5,aftercorr:6,singleton");
  ASSERT_TRUE(d);
  ASSERT_EQ(d->conditions.size(), 7u);
  EXPECT_FALSE(d->any);
  EXPECT_EQ(d->conditions[0].kind, DependencyKind::after);
  EXPECT_EQ(d->conditions[0].delay, Minutes{5});
  EXPECT_EQ(d->conditions[1].kind, DependencyKind::after_any);
  EXPECT_EQ(d->conditions[2].job, JobId{3});
  EXPECT_EQ(d->conditions[3].job, JobId{4});
  EXPECT_EQ(d->conditions[3].kind, DependencyKind::after_ok);
  EXPECT_EQ(d->conditions[4].kind, DependencyKind::after_not_ok);
  EXPECT_EQ(d->conditions[5].kind, DependencyKind::after_corr);
  EXPECT_EQ(d->conditions[6].kind, DependencyKind::singleton);
}

TEST(ParseDependency, ReadsTasksAndAlternatives) {
  auto d = parse_dependencies("afterok:12_3?afterany:12_*");
  ASSERT_TRUE(d);
  EXPECT_TRUE(d->any);
  EXPECT_EQ(d->conditions[0].task, 3u);
  EXPECT_EQ(d->conditions[1].task, std::nullopt);
}

TEST(ParseDependency, IsKeptWithItsText) {
  const Dependency none, some("afterok:3"), wrong("afterok:x");
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.parsed() && none.parsed()->conditions.empty());
  EXPECT_EQ(some.view(), "afterok:3");
  EXPECT_EQ(some.parsed()->conditions.at(0).job, JobId{3});
  EXPECT_FALSE(wrong.parsed());
  JobRequest spec;
  spec.dependency = "afterok:3";
  auto read = decode<JobRequest>(encode(spec));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->dependency.parsed()->conditions.at(0).job, JobId{3});
}

TEST(ParseDependency, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"afterok", "afterok:", "afterok:x", "afterok:0", "before:1", "afterok:1_x", "afterok:1+0",
        "after:1+", "afterok:1,", "?afterok:1", "1:2", "singleton:1", "afterok:1_[]",
        "afterok:1_[0-4294967280]", "expand:1"})
    EXPECT_FALSE(parse_dependencies(text)) << text;
}

TEST(ParseDependency, TakesBareNumbersRangesOfTasksAndBothSeparators) {
  auto d = parse_dependencies("12,afterok:3_[1-2,5]?singleton");
  ASSERT_TRUE(d);
  EXPECT_TRUE(d->any);
  ASSERT_EQ(d->conditions.size(), 5u);
  EXPECT_EQ(d->conditions[0], (Condition{.kind = DependencyKind::after_any, .job = JobId{12}}));
  EXPECT_EQ(d->conditions[3].task, 5u);
  EXPECT_EQ(d->conditions[3].kind, DependencyKind::after_ok);
}

TEST(ParseDependency, CountsADuplicateConditionOnce) {
  auto d = parse_dependencies("afterok:1:2:1,afterok:2,afterany:1");
  ASSERT_TRUE(d);
  EXPECT_EQ(d->conditions.size(), 3u);
}

TEST(Fulfilment, FollowsTheStateOfTheOtherJob) {
  constexpr auto met = Fulfilment::met, waiting = Fulfilment::waiting, never = Fulfilment::never;
  struct Row {
    const char* state;
    Fulfilment after, after_any, after_ok, after_not_ok;
  };
  const Row rows[] = {
      {"pending", waiting, waiting, waiting, waiting},
      {"running", met, waiting, waiting, waiting},
      {"completing", met, waiting, waiting, waiting},
      {"completed", met, met, met, never},
      {"failed", met, met, never, met},
      {"cancelled", met, met, never, met},
      {"cancelled before its start", met, met, never, met},
  };
  for (const Row& row : rows) {
    auto check = [&](const char* text, Fulfilment expected) {
      auto cluster = with_first(row.state).pending(job().dependency(text)).build();
      EXPECT_EQ(of(cluster, 2), expected) << text << " on a job that is " << row.state;
    };
    check("after:1", row.after);
    check("afterany:1", row.after_any);
    check("afterok:1", row.after_ok);
    check("afternotok:1", row.after_not_ok);
  }
}

TEST(Fulfilment, AfterWithADelayCountsFromTheStart) {
  auto cluster = with_first("running").pending(job().dependency("after:1+10")).build();
  EXPECT_EQ(of(cluster, 2, t0 + Minutes{9}), Fulfilment::waiting);
  EXPECT_EQ(of(cluster, 2, t0 + Minutes{10}), Fulfilment::met);
}

TEST(Fulfilment, AJobThatIsLongGoneDoesNotBlock) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().dependency("afterok:777")).build();
  EXPECT_EQ(of(cluster, 1), Fulfilment::met);
}

TEST(Fulfilment, AllConditionsMustHoldUnlessTheyAreAlternatives) {
  auto b = with_first("completed");
  b.pending(job());  // 2 waits
  auto cluster = b.pending(job().dependency("afterok:1,afterok:2"))
                     .pending(job().dependency("afterok:1?afterok:2"))
                     .pending(job().dependency("afternotok:1,afterok:2"))
                     .pending(job().dependency("afternotok:1?afterok:2"))
                     .build();
  EXPECT_EQ(of(cluster, 3), Fulfilment::waiting);
  EXPECT_EQ(of(cluster, 4), Fulfilment::met);
  EXPECT_EQ(of(cluster, 5), Fulfilment::never);
  EXPECT_EQ(of(cluster, 6), Fulfilment::waiting);
}

TEST(Fulfilment, SingletonWaitsForEarlierJobsOfTheSameNameAndUser) {
  auto cluster = ClusterBuilder()
                     .nodes(4)
                     .running(1)
                     .pending(job().name("other").dependency("singleton"))
                     .pending(job().dependency("singleton"))
                     .pending(job().user(kBob).dependency("singleton"))
                     .build();
  EXPECT_EQ(of(cluster, 2), Fulfilment::met);
  EXPECT_EQ(of(cluster, 3), Fulfilment::waiting);
  EXPECT_EQ(of(cluster, 4), Fulfilment::met);
}

TEST(Fulfilment, ATaskOfASingletonIsAsOldAsItsArray) {
  ClusterBuilder b;
  b.nodes(2).pending(job().array("0-1").dependency("singleton")).pending(job());
  const auto cluster = b.pending(job().dependency("singleton")).split(1, 0).build();
  EXPECT_EQ(of(cluster, 4), Fulfilment::met) << "job 2 came after the array";
  EXPECT_EQ(of(cluster, 3), Fulfilment::waiting);
}

TEST(Fulfilment, ComponentsOfASingletonDoNotWaitForEachOther) {
  const SpecBuilder singleton = job().dependency("singleton");
  auto cluster =
      ClusterBuilder().nodes(4).pending_together({singleton, singleton}).pending(singleton).build();
  EXPECT_EQ(of(cluster, 1), Fulfilment::met);
  EXPECT_EQ(of(cluster, 2), Fulfilment::met);
  EXPECT_EQ(of(cluster, 3), Fulfilment::waiting);
}

TEST(Fulfilment, AnArrayIsDoneWhenAllItsTasksAre) {
  ClusterBuilder b;
  b.nodes(2).pending(job().array("0-1")).pending(job().dependency("afterok:1"));
  b.split(1, 0).start(3, {small_share(1, 0)}).ended(3, JobState::completed);
  EXPECT_EQ(of(b.build(), 2), Fulfilment::waiting);
  b.split(1, 1).start(1, {small_share(1, 0)}).ended(1, JobState::completed);
  EXPECT_EQ(of(b.build(), 2), Fulfilment::met);
}

TEST(Fulfilment, OneFailedTaskSpoilsAfterokOfTheArrayAndIsEnoughForAfternotok) {
  ClusterBuilder b;
  b.nodes(2).pending(job().array("0-1"));
  b.pending(job().dependency("afterok:1")).pending(job().dependency("afternotok:1"));
  b.split(1, 0).start(4, {small_share(1, 0)}).ended(4, JobState::failed, 256);
  EXPECT_EQ(of(b.build(), 2), Fulfilment::waiting) << "it may be requeued";
  EXPECT_EQ(of(b.build(), 3), Fulfilment::waiting);
  b.split(1, 1).start(1, {small_share(1, 0)}).ended(1, JobState::completed);
  EXPECT_EQ(of(b.build(), 2), Fulfilment::never);
  EXPECT_EQ(of(b.build(), 3), Fulfilment::met);
}

TEST(Fulfilment, AfternotokOfAnArrayNeverComesWhereAllTasksHaveCompleted) {
  ClusterBuilder b;
  b.nodes(2).pending(job().array("0-1")).pending(job().dependency("afternotok:1"));
  b.split(1, 0).start(3, {small_share(1, 0)}).ended(3, JobState::completed);
  b.split(1, 1).start(1, {small_share(1, 0)}).ended(1, JobState::completed);
  EXPECT_EQ(of(b.build(), 2), Fulfilment::never);
}

TEST(Fulfilment, ASingleTaskCanBeDependedOn) {
  ClusterBuilder b;
  b.nodes(2).pending(job().array("0-2"));
  b.pending(job().dependency("afterok:1_0")).pending(job().dependency("afterok:1_1"));
  b.split(1, 0).start(4, {small_share(1, 0)}).ended(4, JobState::completed);
  EXPECT_EQ(of(b.build(), 2), Fulfilment::met);
  EXPECT_EQ(of(b.build(), 3), Fulfilment::waiting);
}

TEST(Fulfilment, AftercorrStartsEachTaskAfterItsCounterpart) {
  ClusterBuilder b;
  b.nodes(4).pending(job().array("0-2")).pending(job().array("0-2").dependency("aftercorr:1"));
  b.split(1, 1).start(3, {small_share(1, 0)}).ended(3, JobState::completed);
  b.event(JobsHeld{.jobs = IdSet::range(1, 1)});
  auto cluster = b.build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "2_1");
  EXPECT_EQ(reason(p, 2), "Dependency");
}

TEST(PlanWithDependencies, WaitingAndHopelessJobsSayWhich) {
  auto b = with_first("failed", 256);
  auto cluster = b.pending(job())
                     .pending(job().dependency("afterok:1"))
                     .pending(job().dependency("afterany:2"))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "2");
  EXPECT_EQ(reason(p, 3), "DependencyNeverSatisfied");
  EXPECT_EQ(reason(p, 4), "Dependency");
  EXPECT_EQ(p.hopeless, std::vector<JobId>{JobId{3}});
}

TEST(DescribeDependencies, NamesOnlyWhatIsLeft) {
  auto b = with_first("completed");
  auto cluster = b.pending(job())
                     .pending(job().dependency("afterok:1:2,afternotok:1"))
                     .pending(job().dependency("after:2+5"))
                     .pending(job().dependency("singleton"))
                     .pending(job().dependency("afterok:1"))
                     .pending(job().array("0-1"))
                     .pending(job().dependency("afterany:7,afterany:7_1"))
                     .pending(job().dependency("afternotok:1?afterok:2"))
                     .build();
  auto text = [&](std::uint32_t id) {
    return describe_dependencies(cluster, cluster.jobs.at(JobId{id}), t0);
  };
  EXPECT_EQ(text(3), "afterok:2(unfulfilled),afternotok:1(failed)");
  EXPECT_EQ(text(4), "after:2+5(unfulfilled)");
  EXPECT_EQ(text(5), "singleton(unfulfilled)");
  EXPECT_EQ(text(6), "");
  EXPECT_EQ(text(8), "afterany:7_*(unfulfilled),afterany:7_1(unfulfilled)");
  EXPECT_EQ(text(9), "afternotok:1(failed)?afterok:2(unfulfilled)");
}

TEST(DescribeDependencies, OfACancelledJobTellsWhatWasLeftThen) {
  auto cluster = ClusterBuilder()
                     .nodes(1, 1)
                     .pending(job())
                     .pending(job().dependency("afterok:1,afterany:9"))
                     .build();
  auto end = [&](std::uint32_t id, JobState state, Time at) {
    Job& one = cluster.jobs.edit(JobId{id});
    one.state = state;
    one.run.edit().ended = at;
  };
  auto text = [&] {
    return describe_dependencies(cluster, cluster.jobs.at(JobId{2}), t0 + Seconds{9});
  };
  end(2, JobState::cancelled, t0 + Seconds{2});
  EXPECT_EQ(text(), "afterok:1(unfulfilled)");
  end(1, JobState::failed, t0 + Seconds{5});
  EXPECT_EQ(text(), "afterok:1(unfulfilled)");  // it failed later
  end(1, JobState::failed, t0 + Seconds{1});
  EXPECT_EQ(text(), "afterok:1(failed)");
  end(1, JobState::completed, t0 + Seconds{1});
  EXPECT_EQ(text(), "");
}

TEST(CheckDependencies, RefusesOwnAndCircularOnes) {
  auto cluster = ClusterBuilder()
                     .nodes(1, 1)
                     .pending(job())
                     .pending(job().dependency("afterok:1"))
                     .pending(job().dependency("afterany:2"))
                     .build();
  auto check = [&](std::uint32_t id, std::string_view text) {
    return check_dependencies(cluster, cluster.jobs.at(JobId{id}), *parse_dependencies(text));
  };
  EXPECT_TRUE(check(3, "afterok:1:2"));
  EXPECT_EQ(check(1, "afterok:1").error().code, ErrorCode::dependency);
  EXPECT_EQ(check(1, "afterok:3").error().text(), "Circular job dependency");
  EXPECT_EQ(check(1, "singleton?after:2").error().text(), "Circular job dependency");
}

}  // namespace
}  // namespace muster::sched
