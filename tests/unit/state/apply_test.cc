// What each event does to the cluster.
#include "state/apply.h"

#include <gtest/gtest.h>

#include "base/codec/codec.h"
#include "state/invariants.h"
#include "state/scenario.h"
#include "state/step_end.h"

namespace muster {
namespace {

using namespace muster::test;

const std::vector<std::string> kSound;

const Job& job_of(const Cluster& cluster, std::uint32_t id) { return cluster.jobs.at(JobId{id}); }
const Node& node_of(const Cluster& cluster, std::uint32_t id) {
  return cluster.nodes.at(NodeId{id});
}

TEST(Apply, EveryKindOfEventLeavesASoundState) {
  ClusterBuilder b = eventful();
  Cluster cluster;
  for (const Event& event : b.events()) {
    muster::apply(cluster, event);
    EXPECT_EQ(broken_invariants(cluster), kSound) << "after event of kind " << event.index();
  }
  EXPECT_EQ(cluster, b.build());
}

TEST(Apply, EpochStartedSetsTheEpoch) {
  EXPECT_EQ(ClusterBuilder().nodes(1).event(EpochStarted{Epoch{7}}).build().epoch, Epoch{7});
}

TEST(Apply, ASubmittedJobWaitsAndUsesUpItsId) {
  auto cluster = ClusterBuilder().nodes(1).pending(1).build();
  EXPECT_TRUE(cluster.pending.contains(1));
  EXPECT_EQ(cluster.next_job_id, JobId{2});
  EXPECT_EQ(job_of(cluster, 1).state, JobState::pending);
}

TEST(Apply, TheFirstJobIdOfTheConfigurationIsALowerBound) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .settings([](Settings& s) { s.first_job_id = 100; })
                     .pending(1)
                     .build();
  EXPECT_TRUE(cluster.jobs.contains(JobId{100}));
}

TEST(Apply, AStartedJobHoldsItsShares) {
  NodeShare share = share_of(2, 1, 2, 700);
  share.gres = {{.name = "gpu", .type = "v100", .count = 2, .indices = IdSet::range(0, 1)}};
  auto cluster = ClusterBuilder().nodes(2).gpus(4).running(job(), {share}).build();
  const Node& node = node_of(cluster, 2);
  EXPECT_EQ(node.used_cpus.text(), "1-2");
  EXPECT_EQ(node.used_memory_mib, 700u);
  ASSERT_EQ(node.used_gres.size(), 1u);
  EXPECT_EQ(node.used_gres[0].indices.text(), "0-1");
  EXPECT_TRUE(node.jobs.contains(1));
  EXPECT_TRUE(cluster.active.contains(1));
  EXPECT_FALSE(cluster.pending.contains(1));
  EXPECT_EQ(job_of(cluster, 1).attempt, Attempt{1});
  EXPECT_EQ(job_of(cluster, 1).run->steps.count(kBatchStep), 1u);
  EXPECT_FALSE(job_of(cluster, 1).run->batch_done);
}

TEST(Apply, AnAllocationStartsWithoutABatchStep) {
  auto cluster = ClusterBuilder().nodes(1).running(job().allocation(), {share_of(1, 0, 0)}).build();
  EXPECT_TRUE(job_of(cluster, 1).run->steps.empty());
  EXPECT_TRUE(job_of(cluster, 1).run->batch_done);
}

TEST(Apply, AnEndedJobCompletesUntilItsNodesAreReleased) {
  ClusterBuilder b;
  b.nodes(2).running(2).event(JobEnded{.job = JobId{1}, .at = t0, .reason = {}});
  b.event(NodesReleased{.job = JobId{1}, .attempt = Attempt{1}, .nodes = {NodeId{1}}});
  auto cluster = b.build();
  EXPECT_TRUE(job_of(cluster, 1).completing());
  EXPECT_TRUE(cluster.active.contains(1));
  EXPECT_TRUE(node_of(cluster, 1).used_cpus.empty());
  EXPECT_TRUE(node_of(cluster, 2).completing.contains(1));

  cluster = b.released(1).build();
  EXPECT_FALSE(job_of(cluster, 1).completing());
  EXPECT_FALSE(cluster.active.contains(1));
  EXPECT_EQ(node_of(cluster, 2).used_memory_mib, 0u);
  EXPECT_FALSE(job_of(cluster, 1).run->allocation.empty()) << "the allocation stays for display";
}

TEST(Apply, AJobThatGivesNodesBackGoesOnWithTheOthers) {
  ClusterBuilder b;
  b.nodes(2).running(2).event(JobShrunk{
      .job = JobId{1}, .attempt = Attempt{1}, .nodes = {NodeId{2}}, .at = t0 + Seconds{5}});
  auto cluster = b.build();
  const Job& shrunk = job_of(cluster, 1);
  EXPECT_EQ(shrunk.state, JobState::running);
  ASSERT_EQ(shrunk.run->allocation.size(), 1u);
  EXPECT_EQ(shrunk.run->unfinished, std::set{NodeId{1}});
  EXPECT_EQ(shrunk.run->resized, t0 + Seconds{5});
  EXPECT_TRUE(node_of(cluster, 2).used_cpus.empty());
  EXPECT_TRUE(node_of(cluster, 2).jobs.empty());
  EXPECT_FALSE(node_of(cluster, 1).used_cpus.empty());
}

TEST(Apply, AJobThatIsToldToEndRunsOnUntilItDoes) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .running(1)
                     .event(JobsEnding{.jobs = IdSet::range(1, 1),
                                       .ending = {.becomes = JobState::timeout, .since = t0}})
                     .build();
  EXPECT_EQ(job_of(cluster, 1).state, JobState::running);
  EXPECT_EQ(job_of(cluster, 1).run->ending->becomes, JobState::timeout);
  EXPECT_TRUE(node_of(cluster, 1).completing.contains(1));
}

TEST(Apply, ASetOfPendingJobsEndsAtOnce) {
  ClusterBuilder b;
  b.nodes(1).pending(1).pending(1).pending(1);
  auto cluster =
      b.event(PendingJobsEnded{
                  .jobs = *IdSet::parse("1,3"), .by = kBob, .at = t0 + Seconds{3}, .reason = "why"})
          .build();
  EXPECT_EQ(cluster.pending.text(), "2");
  EXPECT_EQ(job_of(cluster, 3).state, JobState::cancelled);
  EXPECT_EQ(job_of(cluster, 3).run->ending->by, kBob);
  EXPECT_EQ(job_of(cluster, 3).run->ended, t0 + Seconds{3});
  EXPECT_EQ(job_of(cluster, 3).end_reason, "why");
}

TEST(Apply, ATaskThatLeavesItsArrayIsAJobOfItsOwn) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().array("0-2%2")).split(1, 1).build();
  EXPECT_EQ(job_name(job_of(cluster, 1)), "1_[0,2%2]");
  EXPECT_EQ(job_name(job_of(cluster, 2)), "1_1");
  EXPECT_EQ(job_of(cluster, 2).array_id, JobId{1});
  EXPECT_TRUE(job_of(cluster, 2).array->task_jobs.empty());
  EXPECT_TRUE(job_of(cluster, 1).array->task_jobs.contains(2));
  EXPECT_TRUE(cluster.pending.contains(2));
  EXPECT_EQ(cluster.find_task(JobId{1}, 1)->id, JobId{2});
}

TEST(Apply, TheLastTaskKeepsTheArraysId) {
  auto cluster =
      ClusterBuilder().nodes(1).pending(job().array("0-1")).split(1, 0).split(1, 1).build();
  EXPECT_EQ(cluster.jobs.size(), 2u);
  EXPECT_EQ(job_of(cluster, 1).task_id, 1u);
  EXPECT_FALSE(job_of(cluster, 1).is_array_record());
  EXPECT_EQ(job_name(job_of(cluster, 1)), "1_1");
  EXPECT_TRUE(job_of(cluster, 1).array->task_jobs.contains(2));
}

TEST(Apply, CancelledTasksLeaveTheRecord) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .pending(job().array("0-9"))
                     .event(TasksCancelled{.array = JobId{1}, .tasks = IdSet::range(2, 8)})
                     .build();
  EXPECT_EQ(job_of(cluster, 1).waiting_tasks.list(), "0,1,9");
}

TEST(ApplyDeathTest, AnArrayRecordDoesNotLoseAllItsTasks) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().array("0-1")).build();
  EXPECT_DEATH(
      muster::apply(cluster, TasksCancelled{.array = JobId{1}, .tasks = IdSet::range(0, 1)}),
      "CHECK");
}

TEST(ApplyDeathTest, EventsThatContradictTheStateStopTheProgram) {
  auto cluster = ClusterBuilder().nodes(1).running(1).build();
  EXPECT_DEATH(
      muster::apply(cluster, JobStarted{.job = JobId{1}, .allocation = {share_of(1, 0, 0)}}),
      "CHECK");
  EXPECT_DEATH(
      muster::apply(cluster, NodesReleased{.job = JobId{1}, .attempt = Attempt{2}, .nodes = {}}),
      "CHECK");
  EXPECT_DEATH(muster::apply(cluster, JobSubmitted{job_of(cluster, 1)}), "CHECK");
  EXPECT_DEATH(muster::apply(cluster, JobRequeued{.job = JobId{1}}), "CHECK");
}

TEST(Apply, ARequeuedJobWaitsAgainAsIfNew) {
  ClusterBuilder b;
  b.nodes(1).running(1).event(JobsEnding{.jobs = IdSet::range(1, 1),
                                         .ending = {.by = kAlice, .since = t0, .requeue = true}});
  auto cluster = b.released(1)
                     .event(JobRequeued{.job = JobId{1}, .at = t0, .eligible = t0 + Seconds{2}})
                     .build();
  const Job& j = job_of(cluster, 1);
  EXPECT_EQ(j.state, JobState::pending);
  EXPECT_EQ(j.restarts, 1u);
  EXPECT_EQ(j.attempt, Attempt{1});
  EXPECT_FALSE(j.run->ending);
  EXPECT_TRUE(j.run->allocation.empty() && j.run->steps.empty());
  EXPECT_FALSE(is_set(j.run->started));
  EXPECT_EQ(j.eligible, t0 + Seconds{2});
  EXPECT_TRUE(cluster.pending.contains(1));
  EXPECT_FALSE(cluster.active.contains(1));
  EXPECT_NE(j.priority, 0u);

  cluster = b.start(1, {share_of(1, 0, 0)}).build();
  EXPECT_EQ(job_of(cluster, 1).attempt, Attempt{2});
}

TEST(Apply, ARequeueWithHoldHasNoPriority) {
  ClusterBuilder b;
  b.nodes(1).running(1).ended(1, JobState::failed, 256);
  auto cluster = b.event(JobRequeued{.job = JobId{1}, .at = t0, .hold = Hold::admin}).build();
  EXPECT_EQ(job_of(cluster, 1).hold, Hold::admin);
  EXPECT_EQ(job_of(cluster, 1).priority, 0u);
  EXPECT_EQ(job_of(cluster, 1).run->exit_status, 0u);
}

TEST(Apply, HoldAndReleaseSetThePriority) {
  ClusterBuilder b;
  b.nodes(1).pending(1).event(JobsHeld{.jobs = IdSet::range(1, 1)});
  EXPECT_EQ(job_of(b.build(), 1).hold, Hold::user);
  EXPECT_EQ(job_of(b.build(), 1).priority, 0u);
  b.event(JobsHeld{.jobs = IdSet::range(1, 1), .hold = Hold::none, .priority = 9});
  EXPECT_EQ(job_of(b.build(), 1).hold, Hold::none);
  EXPECT_EQ(job_of(b.build(), 1).priority, 9u);
}

TEST(Apply, AnArrayOfAMillionTasksIsAsSmallAsOneJob) {
  ClusterBuilder b;
  b.nodes(1).pending(job()).pending(job().array("0-999999"));
  const Cluster cluster = b.build();
  ASSERT_EQ(job_of(cluster, 2).waiting_tasks.size(), 1'000'000u);
  const std::size_t plain = encode(job_of(cluster, 1)).size();
  EXPECT_LT(encode(job_of(cluster, 2)).size(), plain + 64);
  EXPECT_EQ(job_of(cluster, 2).waiting_tasks.ranges().size(), 1u);
}

TEST(Apply, SuspendedTimeIsNotRunTime) {
  ClusterBuilder b;
  b.nodes(1).running(1);
  b.event(JobSuspended{.job = JobId{1}, .at = t0 + Seconds{10}});
  EXPECT_EQ(job_of(b.build(), 1).state, JobState::suspended);
  EXPECT_EQ(job_of(b.build(), 1).run_time(t0 + Seconds{60}), Seconds{10});
  b.event(JobSuspended{.job = JobId{1}, .resumed = true, .at = t0 + Seconds{40}});
  EXPECT_EQ(job_of(b.build(), 1).state, JobState::running);
  EXPECT_EQ(job_of(b.build(), 1).run->suspended_total, Seconds{30});
}

TEST(Apply, AStepOfTheClockMovesTheTimesOfWhatRunsAlone) {
  ClusterBuilder b;
  b.nodes(2).running(1).running(1).pending(1);
  b.event(JobEnded{.job = JobId{2}, .state = JobState::completed, .at = t0 + Seconds{5}});
  b.charged({.qos = "q", .association = {}}, 30, t0 + Seconds{9});
  const Cluster before = b.build();
  const Millis by = -Minutes{60};
  const Cluster after = b.event(ClockStepped{.by = by}).build();
  EXPECT_EQ(job_of(after, 1).run->started, job_of(before, 1).run->started + by);
  EXPECT_EQ(job_of(after, 1).end_limit(), job_of(before, 1).end_limit() + by);
  EXPECT_EQ(job_of(after, 2), job_of(before, 2));
  EXPECT_EQ(job_of(after, 3), job_of(before, 3));
  EXPECT_EQ((*after.usage).as_of, (*before.usage).as_of + by);
  EXPECT_EQ(broken_invariants(after), kSound);
}

// The first `n` CPUs of the first node, and 100 MiB.
std::vector<NodeShare> first_cpus(std::uint32_t n) {
  return {{.node = NodeId{1}, .cpus = IdSet::range(0, n - 1), .memory_mib = 100}};
}
const Node& first_node(const Cluster& cluster) { return cluster.nodes.at(NodeId{1}); }
JobSuspended suspended(std::uint32_t id, bool resumed = false) {
  return {.job = JobId{id}, .resumed = resumed, .at = t0};
}

TEST(Apply, ASuspendedJobLendsItsCpusAndTakesThemBack) {
  ClusterBuilder b;
  b.nodes(1).running(job(), first_cpus(4)).event(suspended(1));
  Cluster lent = b.build();
  EXPECT_TRUE(first_node(lent).used_cpus.empty());
  EXPECT_EQ(first_node(lent).used_memory_mib, 100u) << "memory is not lent";
  EXPECT_EQ(node_state_word(first_node(lent)), "idle");
  EXPECT_EQ(broken_invariants(lent), std::vector<std::string>{});
  Cluster back = b.event(suspended(1, true)).build();
  EXPECT_EQ(first_node(back).used_cpus.text(), "0-3");
  EXPECT_EQ(broken_invariants(back), std::vector<std::string>{});
}

TEST(Apply, ASuspendedJobThatEndsFreesNothingOfOthers) {
  ClusterBuilder b;
  b.nodes(1).running(job(), first_cpus(4)).event(suspended(1)).running(job(), first_cpus(3));
  Cluster cluster = b.ended(1, JobState::cancelled, 15).build();
  EXPECT_EQ(first_node(cluster).used_cpus.text(), "0-2");
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
}

TEST(Apply, CpusThatAResumedJobTookBackAreFreeWhenBothHaveEnded) {
  ClusterBuilder b;
  b.nodes(1).running(job(), first_cpus(4)).event(suspended(1)).running(job(), first_cpus(3));
  b.event(suspended(1, true));
  EXPECT_EQ(first_node(b.build()).used_cpus.text(), "0-3");
  EXPECT_EQ(broken_invariants(b.build()), std::vector<std::string>{});
  b.ended(1, JobState::completed);
  EXPECT_EQ(first_node(b.build()).used_cpus.text(), "0-2");
  b.ended(2, JobState::completed);
  EXPECT_TRUE(first_node(b.build()).used_cpus.empty());
}

TEST(Apply, AResumedJobTakesNothingBackOnANodeThatItHasLeft) {
  ClusterBuilder b;
  b.nodes(2).running(2).event(suspended(1));
  b.event(NodesReleased{.job = JobId{1}, .attempt = Attempt{1}, .nodes = {NodeId{2}}, .at = t0});
  const Cluster back = b.event(suspended(1, true)).build();
  EXPECT_EQ(first_node(back).used_cpus.text(), "0-7");
  EXPECT_TRUE(back.nodes.at(NodeId{2}).used_cpus.empty());
  EXPECT_EQ(broken_invariants(back), std::vector<std::string>{});
}

TEST(Apply, AJobThatEndsWhileSuspendedStopsItsClock) {
  ClusterBuilder b;
  b.nodes(1).running(1).event(JobSuspended{.job = JobId{1}, .at = t0 + Seconds{10}});
  auto cluster = b.ended(1, JobState::cancelled, 15, t0 + Seconds{25}).build();
  EXPECT_EQ(job_of(cluster, 1).run->suspended_total, Seconds{15});
  EXPECT_FALSE(is_set(job_of(cluster, 1).run->suspended_at));
}

TEST(Apply, AStepEndsWhenItsLastNodeReports) {
  auto cluster = eventful().build();
  const Step running = job_of(cluster, 3).run->steps.at(StepId{0});
  EXPECT_EQ(running.state, JobState::running);
  EXPECT_EQ(job_of(cluster, 3).run->next_step, 3u);
  const StepNodeEnded last{.job = JobId{3},
                           .attempt = Attempt{1},
                           .step = StepId{0},
                           .node = NodeId{3},
                           .usage = {.user_cpu_us = 7},
                           .at = t0 + Seconds{8}};
  muster::apply(cluster, last);
  const Step ended = with_end(running, last);
  EXPECT_EQ(ended.state, JobState::failed);
  EXPECT_EQ(ended.exit_status, 256u);
  EXPECT_EQ(ended.usage->user_cpu_us, 12u);
  EXPECT_EQ(ended.ended, t0 + Seconds{8});
  EXPECT_EQ(job_of(cluster, 3).run->derived_exit_status, 256u);
  EXPECT_FALSE(job_of(cluster, 3).run->steps.contains(StepId{0})) << "a job may have thousands";
}

TEST(Apply, TheStateOfAStepFollowsItsStatus) {
  struct Case {
    std::uint32_t status;
    bool out_of_memory;
    JobState expected;
  };
  for (const Case& c :
       {Case{0, false, JobState::completed}, Case{256, false, JobState::failed},
        Case{15, false, JobState::cancelled}, Case{9, true, JobState::out_of_memory}}) {
    auto cluster = ClusterBuilder()
                       .nodes(1)
                       .running(1)
                       .event(StepNodeEnded{.job = JobId{1},
                                            .attempt = Attempt{1},
                                            .step = kBatchStep,
                                            .node = NodeId{1},
                                            .exit_status = c.status,
                                            .out_of_memory = c.out_of_memory,
                                            .at = t0})
                       .build();
    EXPECT_EQ(job_of(cluster, 1).run->steps.at(kBatchStep).state, c.expected);
    EXPECT_TRUE(job_of(cluster, 1).run->batch_done);
    EXPECT_EQ(job_of(cluster, 1).run->derived_exit_status, 0u) << "the batch script does not count";
  }
}

TEST(Apply, PurgedTasksLeaveTheirArraysList) {
  ClusterBuilder b;
  b.nodes(1).pending(job().array("0-1")).split(1, 0);
  b.event(PendingJobsEnded{.jobs = IdSet::range(2, 2), .at = t0, .reason = {}});
  auto cluster = b.event(JobsPurged{*IdSet::parse("2,9")}).build();
  EXPECT_FALSE(cluster.jobs.contains(JobId{2}));
  EXPECT_TRUE(job_of(cluster, 1).array->task_jobs.empty());
}

TEST(Apply, AReloadKeepsTheIdsAndStatesOfNodes) {
  ClusterBuilder b;
  b.nodes(3).running(1).down(3);
  ClusterConfig config = b.config();
  std::swap(config.nodes[0], config.nodes[2]);
  config.nodes[2].cpus = 16;                     // n1
  config.nodes.erase(config.nodes.begin() + 1);  // n2
  config.nodes.push_back(config.nodes[0]);
  config.nodes.back().name = "n9";
  config.partition_nodes = {{"n3", "n1", "n9"}};
  auto cluster = b.event(ConfigLoaded{Cow(config)}).build();
  EXPECT_EQ(cluster.find_node("n1")->id, NodeId{1});
  EXPECT_EQ(cluster.find_node("n1")->config.cpus, 16u);
  EXPECT_TRUE(cluster.find_node("n1")->jobs.contains(1));
  EXPECT_EQ(cluster.find_node("n1")->health, NodeHealth::up);
  EXPECT_EQ(cluster.find_node("n2"), nullptr);
  EXPECT_EQ(cluster.find_node("n3")->health, NodeHealth::down);
  EXPECT_EQ(cluster.find_node("n9")->id, NodeId{4}) << "the id of a removed node is not used again";
  EXPECT_EQ(cluster.find_node("n9")->health, NodeHealth::unknown);
  EXPECT_EQ(*cluster.node_order, (std::vector{NodeId{3}, NodeId{1}, NodeId{4}}));
  EXPECT_EQ(cluster.find_partition("main")->nodes, *cluster.node_order);
  EXPECT_EQ(broken_invariants(cluster), kSound);
}

TEST(Apply, ANewNodeTakesItsStateFromTheConfiguration) {
  for (auto [state, check] :
       {std::pair{"DOWN", +[](const Node& n) { return n.health == NodeHealth::down; }},
        std::pair{"DRAIN", +[](const Node& n) { return n.drain; }},
        std::pair{"FAIL", +[](const Node& n) { return n.fail; }},
        std::pair{"FUTURE", +[](const Node& n) { return n.future; }}}) {
    ClusterConfig config = ClusterBuilder().nodes(1).config();
    config.nodes[0].state = state;
    Cluster cluster;
    muster::apply(cluster, ConfigLoaded{Cow(config)});
    EXPECT_TRUE(check(node_of(cluster, 1))) << state;
  }
}

TEST(Apply, ChangedFeaturesOfTheConfigurationBecomeActive) {
  ClusterBuilder b;
  b.nodes(1).features({"old"});
  ClusterConfig config = b.config();
  b.event(NodeUpdated{.node = NodeId{1}, .active_features = {{"set by hand"}}});
  b.event(ConfigLoaded{Cow(config)});
  EXPECT_EQ(node_of(b.build(), 1).active_features, std::vector<Text>{"set by hand"});
  config.nodes[0].features = {"new"};
  b.event(ConfigLoaded{Cow(config)});
  EXPECT_EQ(node_of(b.build(), 1).active_features, std::vector<Text>{"new"});
}

TEST(Apply, APartitionThatBecomesTheDefaultReplacesTheOther) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .event(PartitionChanged{.partition = {.name = "two", .is_default = true}})
                     .build();
  EXPECT_EQ(cluster.default_partition()->name, "two");
  EXPECT_FALSE(cluster.find_partition("main")->is_default);
  muster::apply(cluster, PartitionChanged{.partition = {.name = "two"}, .removed = true});
  EXPECT_EQ(cluster.find_partition("two"), nullptr);
}

}  // namespace
}  // namespace muster
