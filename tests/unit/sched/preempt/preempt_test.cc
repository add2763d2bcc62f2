// Which jobs are preempted, and for which jobs.
#include "sched/preempt/preempt.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

ClusterBuilder two_tiers(PreemptMode mode = PreemptMode::requeue) {
  ClusterBuilder b;
  b.nodes(4)
      .settings(
          [&](Settings& s) { s.preempt = {.type = PreemptType::partition_priority, .mode = mode}; })
      .partition({.name = "low", .priority_tier = 1}, 1, 4)
      .partition({.name = "high", .preempt_mode = "OFF", .priority_tier = 10}, 1, 4);
  return b;
}
NodeShare all_of_node(std::uint32_t n) {
  return {.node = NodeId{n}, .cpus = IdSet::range(0, 7), .memory_mib = 16000, .tasks = 1};
}
JobRequest low(int minutes = 60) { return job().partition("low").minutes(minutes); }
JobRequest high(std::uint32_t nodes) { return job().partition("high").nodes(nodes).exclusive(); }
// "2>5": job 2 makes room for job 5.
std::string evictions(const Plan& p) {
  std::string out;
  for (const Eviction& e : p.evictions)
    out += (out.empty() ? "" : " ") + std::to_string(e.victim.value) + ">" +
           std::to_string(e.by.value);
  return out;
}

TEST(Preemption, AHigherTierPreemptsALowerOne) {
  auto cluster = two_tiers()
                     .running(low(), {all_of_node(1)})
                     .running(low(), {all_of_node(2)})
                     .running(low(), {all_of_node(3)})
                     .running(low(), {all_of_node(4)})
                     .pending(high(1))
                     .build();
  Plan p = plan(cluster, t0 + Minutes{1});
  ASSERT_EQ(p.evictions.size(), 1u);
  EXPECT_EQ(p.evictions[0].mode, PreemptMode::requeue);
  EXPECT_EQ(reason(p, 5), "Resources");
}

// It is the first in the queue, and would take its nodes back before the other job has them.
TEST(Preemption, APreemptedJobGivesWayForAWhile) {
  auto b = two_tiers();
  const std::vector<NodeShare> all{all_of_node(1), all_of_node(2), all_of_node(3), all_of_node(4)};
  const SpecBuilder whole = job().partition("low").nodes(4).exclusive();
  b.running(whole, all).pending(whole);
  b.event(JobPreempted{.job = JobId{1}, .preemption = {.by = JobId{2}, .since = t0}});
  b.released(1).event(JobRequeued{.job = JobId{1}, .at = t0, .eligible = t0});
  const Cluster cluster = b.build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "2");
  EXPECT_EQ(reason(p, 1), "Priority");
  EXPECT_EQ(starts(plan(cluster, t0 + Minutes{3})), "1") << "not for ever";
  b.event(JobsHeld{.jobs = IdSet::range(2, 2)});
  EXPECT_EQ(starts(plan(b.build(), t0)), "1") << "nor for one that does not come";
}

TEST(Preemption, NoJobIsKilledIfThereIsRoom) {
  auto cluster = two_tiers().running(low(), {all_of_node(1)}).pending(high(3)).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "2");
  EXPECT_EQ(evictions(p), "");
}

TEST(Preemption, NoJobIsKilledInVain) {
  auto cluster = two_tiers()
                     .running(low(), {all_of_node(1)})
                     .running(job().partition("high"), {all_of_node(2)})
                     .pending(high(4))
                     .build();
  EXPECT_EQ(evictions(plan(cluster, t0)), "");
}

TEST(Preemption, TheJobWithTheLeastWorkDoneGoesFirst) {
  auto cluster = two_tiers()
                     .running(low(), {all_of_node(1)}, t0 - Minutes{50})
                     .running(low(), {all_of_node(2)}, t0 - Minutes{5})
                     .running(low(), {all_of_node(3)}, t0 - Minutes{30})
                     .running(low(), {all_of_node(4)}, t0 - Minutes{40})
                     .pending(high(1))
                     .build();
  EXPECT_EQ(evictions(plan(cluster, t0)), "2>5");
}

TEST(Preemption, OnlyJobsInTheWayArePreempted) {
  auto cluster = two_tiers()
                     .running(low(), {all_of_node(1)}, t0 - Minutes{1})
                     .running(low(), {all_of_node(2)}, t0 - Minutes{50})
                     .pending(job().partition("high").exclusive().on("n2"))
                     .build();
  EXPECT_EQ(evictions(plan(cluster, t0)), "2>3");
}

TEST(Preemption, JobsThatAreAlreadyLeavingAreWaitedFor) {
  auto builder = two_tiers()
                     .running(low(), {all_of_node(1), all_of_node(2), all_of_node(3)})
                     .running(low(), {all_of_node(4)})
                     .pending(high(1));
  builder.event(JobPreempted{
      .job = JobId{2},
      .preemption = {
          .by = JobId{3}, .mode = PreemptMode::cancel, .since = t0, .kill_at = t0 + Seconds{30}}});
  Plan p = plan(builder.build(), t0);
  EXPECT_EQ(evictions(p), "");
  EXPECT_NE(find_expected(p, JobId{3}), nullptr);
}

TEST(Preemption, TwoWaitingJobsPreemptTwo) {
  auto builder = two_tiers();
  for (std::uint32_t n = 1; n <= 4; ++n) builder.running(low(), {all_of_node(n)});
  Plan p = plan(builder.pending(high(1)).pending(high(1)).build(), t0);
  ASSERT_EQ(p.evictions.size(), 2u);
  EXPECT_NE(p.evictions[0].victim, p.evictions[1].victim);
}

TEST(Preemption, ReclaimsLicensesIfConfigured) {
  auto with = [](bool reclaim) {
    auto b = two_tiers();
    b.settings([&](Settings& s) {
      s.licenses = {{"matlab", 2}};
      s.preempt.reclaim_licenses = reclaim;
    });
    b.running(low(), {all_of_node(1)});
    b.running(job().partition("low").minutes(60).licenses("matlab:2"), {all_of_node(2)});
    b.pending(job().partition("high").on("n3").licenses("matlab:1"));
    return b;
  };
  EXPECT_EQ(evictions(plan(with(false).build(), t0)), "");
  auto b = with(true);
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(evictions(p), "2>3") << "though it is not in the way";
  EXPECT_EQ(reason(p, 3), "Licenses");
  b.event(JobPreempted{.job = JobId{2},
                       .preemption = {.by = JobId{3}, .since = t0, .kill_at = t0 + Seconds{9}}});
  EXPECT_EQ(evictions(plan(b.build(), t0)), "") << "one is enough";
}

TEST(Preemption, AnExemptTimeProtects) {
  auto builder = two_tiers();
  builder.settings([](Settings& s) { s.preempt.exempt_time = Seconds{600}; });
  for (std::uint32_t n = 1; n <= 4; ++n) builder.running(low(), {all_of_node(n)});
  auto cluster = builder.pending(high(1)).build();
  EXPECT_EQ(evictions(plan(cluster, t0 + Minutes{9})), "");
  EXPECT_NE(evictions(plan(cluster, t0 + Minutes{10})), "");
}

TEST(Preemption, AnExemptTimeDoesNotProtectFromSuspension) {
  auto builder = two_tiers(PreemptMode::suspend);
  builder.settings([](Settings& s) {
    s.preempt.exempt_time = Seconds{600};
    s.preempt.gang = true;
  });
  const JobRequest small = job().partition("low").minutes(60).memory(10);
  builder.running(small, {{.node = NodeId{1}, .cpus = IdSet::range(0, 7), .memory_mib = 10}})
      .pending(job().partition("high").on("n1").tasks(8).memory(10));
  EXPECT_EQ(starts(plan(builder.build(), t0 + Minutes{1})), "2");
}

TEST(Preemption, AnExemptTimeOfTheQosCountsBeforeThatOfTheCluster) {
  auto builder = two_tiers();
  builder.settings([](Settings& s) { s.preempt.exempt_time = Seconds{600}; })
      .qos("fragile", "PreemptExemptTime=1:00:00")
      .qos("any", "PreemptExemptTime=0");
  for (std::uint32_t n = 1; n <= 4; ++n)
    builder.running(job().partition("low").minutes(60).qos(n == 4 ? "any" : "fragile"),
                    {all_of_node(n)});
  auto cluster = builder.pending(high(1)).pending(high(1)).build();
  EXPECT_EQ(evictions(plan(cluster, t0 + Minutes{1})), "4>5");
  EXPECT_EQ(evictions(plan(cluster, t0 + Minutes{60})), "4>5 3>6");
  EXPECT_EQ(preemptable_since(cluster, cluster.jobs.at(JobId{1})), t0 + Minutes{60});
}

TEST(Preemption, AHighPriorityProtects) {
  auto builder = two_tiers();
  builder.settings([](Settings& s) { s.preempt.min_exempt_priority = 5; });
  for (std::uint32_t n = 1; n <= 4; ++n) builder.running(low(), {all_of_node(n)});
  Cluster cluster = builder.pending(high(1)).build();
  EXPECT_EQ(evictions(plan(cluster, t0)), "");
  cluster.jobs.edit(JobId{3}).priority = 4;
  EXPECT_EQ(evictions(plan(cluster, t0)), "3>5");
}

TEST(Preemption, InStrictOrderNoJobBeforeTheLastVictimIsSpared) {
  auto builder = two_tiers();
  builder.running(low(), {all_of_node(1)}, t0 - Minutes{1})
      .running(low(), {all_of_node(2)}, t0 - Minutes{50})
      .pending(job().partition("high").exclusive().on("n2").nodes(1));
  EXPECT_EQ(evictions(plan(builder.build(), t0)), "2>3");
  ClusterConfig config = builder.config();
  config.settings.preempt.strict_order = true;
  EXPECT_EQ(evictions(plan(builder.event(ConfigLoaded{Cow(config)}).build(), t0)), "1>3 2>3");
}

TEST(Preemption, AJobThatCannotBeRequeuedIsCancelled) {
  auto cluster = two_tiers()
                     .running(SpecBuilder(job().partition("low")).requeue(false), {all_of_node(1)})
                     .build();
  EXPECT_EQ(preempt_mode(cluster, cluster.jobs.at(JobId{1})), PreemptMode::cancel);
}

TEST(Preemption, ByQosFollowsItsList) {
  ClusterBuilder b;
  b.nodes(1).settings(
      [](Settings& s) { s.preempt = {.type = PreemptType::qos, .mode = PreemptMode::cancel}; });
  ClusterConfig config = b.config();
  config.qos = {{.name = "urgent", .preempts = {"normal"}}, {.name = "normal"}};
  b.event(ConfigLoaded{Cow(config)});
  b.running(job(), {all_of_node(1)}).pending(job());
  Cluster cluster = b.build();
  EXPECT_EQ(evictions(plan(cluster, t0)), "");
  cluster.jobs.edit(JobId{2}).qos = "urgent";
  EXPECT_EQ(evictions(plan(cluster, t0)), "1>2");
}

TEST(Preemption, WithinAQosGoesByPriority) {
  auto evicted = [](bool everywhere, std::string_view of_the_qos, std::uint32_t priority) {
    ClusterBuilder b;
    b.nodes(1)
        .settings([&](Settings& s) {
          s.preempt = {.type = PreemptType::qos, .mode = PreemptMode::cancel, .within = everywhere};
        })
        .qos("normal", of_the_qos);
    Cluster cluster = b.running(job(), {all_of_node(1)}).pending(job()).build();
    cluster.jobs.edit(JobId{1}).priority = 100;
    cluster.jobs.edit(JobId{2}).priority = priority;
    return evictions(plan(cluster, t0));
  };
  EXPECT_EQ(evicted(false, "", 101), "");
  EXPECT_EQ(evicted(true, "", 101), "1>2");
  EXPECT_EQ(evicted(true, "", 100), "") << "nor does one of the same priority";
  EXPECT_EQ(evicted(false, "PreemptMode=within,cancel", 101), "1>2");
  EXPECT_EQ(evicted(false, "PreemptMode=within", 101), "") << "it says whom, but not how";
}

TEST(Preemption, WithQosTheGraceIsThatOfTheQos) {
  auto grace = [](PreemptType type, std::string_view qos) {
    ClusterBuilder b;
    b.nodes(1)
        .settings([&](Settings& s) { s.preempt = {.type = type, .mode = PreemptMode::cancel}; })
        .qos("normal", qos)
        .partition({.name = "main", .is_default = true, .grace_time_s = 30}, 1, 1);
    const Cluster cluster = b.running(job(), {all_of_node(1)}).build();
    return grace_time(cluster, cluster.jobs.at(JobId{1})).count();
  };
  EXPECT_EQ(grace(PreemptType::partition_priority, "GraceTime=7"), 30);
  EXPECT_EQ(grace(PreemptType::qos, "GraceTime=7"), 7);
  EXPECT_EQ(grace(PreemptType::qos, ""), 0);
}

TEST(Preemption, AJobSuspendedByAUserGivesUpItsNode) {
  auto b = two_tiers();
  for (std::uint32_t n = 1; n <= 4; ++n) b.running(low(), {all_of_node(n)});
  b.event(JobSuspended{.job = JobId{3}, .at = t0 + Seconds{1}});
  EXPECT_EQ(evictions(plan(b.pending(high(1)).build(), t0 + Minutes{1})), "3>5");
}

TEST(Preemption, TheYoungestMayBeOfAHigherTier) {
  auto b = two_tiers();
  b.settings([](Settings& s) {
     s.preempt.youngest_first = true;
   }).partition({.name = "middle", .priority_tier = 5}, 1, 4);
  for (std::uint32_t n = 1; n <= 3; ++n) b.running(low(), {all_of_node(n)});
  b.running(job().partition("middle").minutes(60), {all_of_node(4)}, t0 + Seconds{9});
  EXPECT_EQ(evictions(plan(b.pending(high(1)).build(), t0 + Minutes{1})), "4>5");
}

TEST(Preemption, ComponentsArePreemptedTogetherOrNotAtAll) {
  auto of = [](Text other_mode, std::uint32_t other_grace_s) {
    ClusterBuilder b = two_tiers(PreemptMode::cancel);
    b.partition({.name = "other",
                 .preempt_mode = std::move(other_mode),
                 .priority_tier = 1,
                 .grace_time_s = other_grace_s},
                1, 4);
    b.pending_together({low(), job().partition("other")});
    b.start(1, {all_of_node(1)}).start(2, {all_of_node(2)}, t0, false);
    return b.pending(high(4)).build();
  };
  EXPECT_EQ(evictions(plan(of("OFF", 0), t0)), "");
  const Cluster cluster = of("REQUEUE", 9);
  EXPECT_NE(evictions(plan(cluster, t0)), "");
  for (std::uint32_t id : {1, 2}) {
    EXPECT_EQ(preempt_mode(cluster, cluster.jobs.at(JobId{id})), PreemptMode::requeue);
    EXPECT_EQ(grace_time(cluster, cluster.jobs.at(JobId{id})), Seconds{9});
  }
}

}  // namespace
}  // namespace muster::sched
