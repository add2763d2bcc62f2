// Nodes that are switched off and on, leave, are rebooted, or are in no file.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "controller/world.h"

namespace muster::controller::power_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder saving(std::uint32_t nodes, std::optional<Seconds> suspend_time = std::nullopt) {
  return ClusterBuilder().nodes(nodes).settings([=](Settings& s) {
    s.power.saving = s.can_reboot = true;
    s.power.suspend_time = suspend_time;
  });
}

ErrorCode set_state(World& w, std::string node, std::string state, std::string reason = "") {
  wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::node,
                              .settings = {{"NodeName", node}, {"State", state}}};
  if (!reason.empty()) request.settings.emplace_back("Reason", reason);
  wire::Answer a = w.answer(std::move(request), kRoot);
  auto* error = std::get_if<Error>(&a);
  return error ? error->code : ErrorCode{};
}

// "suspend n[1-2]" for each call since the last one.
std::vector<std::string> calls(World& w) {
  std::vector<std::string> found;
  for (const SiteProgramRun& run : w.host.programs)
    found.push_back((run.which == SiteProgramRun::Which::suspend  ? "suspend "
                     : run.which == SiteProgramRun::Which::resume ? "resume "
                                                                  : "resume failed ") +
                    run.arguments.at(0));
  w.host.programs.clear();
  return found;
}
using Calls = std::vector<std::string>;

TEST(PowerSaving, IdleNodesAreSuspendedInOneCall) {
  World w{saving(3, Seconds{60})};
  w.submit(job().on("n1"));
  w.pass(Seconds{59});
  EXPECT_EQ(calls(w), Calls{});
  w.pass(Seconds{1});
  EXPECT_EQ(calls(w), Calls{"suspend n[2-3]"});
  EXPECT_EQ(node_state_compact(w.node(2)), "idle%");
  w.pass(Seconds{30});
  EXPECT_EQ(node_state_compact(w.node(2)), "idle~");
  EXPECT_EQ(node_state_long(w.node(2)), "IDLE+POWERED_DOWN");
  EXPECT_EQ(calls(w), Calls{});
}

TEST(PowerSaving, WhereAMachineIsHoldsUntilItIsOff) {
  World w{saving(1, Seconds{60})};
  const Text before = w.node(1).config.address;
  w.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node,
                               .settings = {{"NodeName", "n1"}, {"NodeAddr", "10.0.0.7"}}},
           kRoot);
  EXPECT_EQ(w.node(1).config.address, "10.0.0.7");
  w.pass(Seconds{60});
  w.pass(Seconds{30});
  EXPECT_EQ(node_state_compact(w.node(1)), "idle~");
  EXPECT_EQ(w.node(1).config.address, before);
}

TEST(PowerSaving, AJobBringsANodeUpAndStartsWhenItIsThere) {
  World w{saving(1, Seconds{60})};
  w.pass(Seconds{60});
  w.leave(1);
  w.pass(Seconds{30});
  calls(w);
  auto id = w.submit(job().minutes(1));
  EXPECT_EQ(calls(w), Calls{"resume n1"});
  EXPECT_TRUE(w.job(id).run->preparing);
  EXPECT_EQ(node_state_compact(w.node(1)), "mix#");
  w.pass(Seconds{50});
  w.join(1);
  EXPECT_FALSE(w.job(id).run->preparing);
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 1u);
  EXPECT_EQ(w.job(id).run->started, w.now) << "its time counts from here";
  w.step_end(1, batch_of(id));
  w.pass(Seconds{59});
  EXPECT_EQ(calls(w), Calls{}) << "idle since the job's end";
}

TEST(PowerSaving, NodesThatAreOnComeFirst) {
  World w{saving(2, Seconds{60})};
  auto first = w.submit(job().on("n2").memory(100));
  w.pass(Seconds{60});
  w.pass(Seconds{30});
  auto second = w.submit(job().memory(100));
  EXPECT_EQ(w.job(second).run->allocation.front().node, w.job(first).run->allocation.front().node);
}

TEST(PowerSaving, ANodeThatDoesNotComeUpIsDownAndItsJobGoesBack) {
  World w{saving(1, Seconds{60})};
  w.pass(Seconds{60});
  w.leave(1);
  w.pass(Seconds{30});
  auto id = w.submit(job());
  w.pass(Seconds{60});
  EXPECT_EQ(w.node(1).health, NodeHealth::down);
  EXPECT_EQ(w.node(1).reason, "ResumeTimeout reached");
  EXPECT_EQ(w.job(id).state, JobState::pending);
}

TEST(PowerSaving, WhereAMachineWasIsForgottenIfItDoesNotComeUp) {
  World w{saving(1, Seconds{60})};
  w.pass(Seconds{60});
  w.leave(1);
  w.pass(Seconds{30});
  w.submit(job());
  w.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node,
                               .settings = {{"NodeName", "n1"}, {"NodeAddr", "10.0.0.7"}}},
           kRoot);
  EXPECT_EQ(w.node(1).config.address, "10.0.0.7");
  w.pass(Seconds{60});
  EXPECT_EQ(w.node(1).health, NodeHealth::down);
  EXPECT_EQ(w.node(1).config.address, "");
}

TEST(PowerSaving, ANodeThatDoesNotComeUpIsToldToAProgram) {
  ClusterBuilder b = saving(2, Seconds{60});
  b.settings([](Settings& s) { s.power.tells_failures = true; });
  World w{b};
  w.pass(Seconds{60});
  w.leave(1);
  w.leave(2);
  w.pass(Seconds{30});
  w.submit(job().nodes(2));
  calls(w);
  w.pass(Seconds{60});
  EXPECT_EQ(calls(w), Calls{"resume failed n[1-2]"});
}

TEST(PowerSaving, OnlySoManyNodesAreSwitchedInAMinute) {
  ClusterBuilder b = saving(4, Seconds{60});
  b.settings([](Settings& s) {
    s.power.suspend_rate = 3;
    s.power.resume_rate = 2;
  });
  World w{b};
  w.pass(Seconds{60});
  EXPECT_EQ(calls(w), Calls{"suspend n[1-3]"});
  for (std::uint32_t node : {1u, 2u, 3u}) w.leave(node);
  w.pass(Seconds{30});
  EXPECT_EQ(calls(w), Calls{});
  w.pass(Seconds{30});
  EXPECT_EQ(calls(w), Calls{"suspend n4"});
  w.leave(4);
  w.pass(Seconds{30});
  auto id = w.submit(job().nodes(4));
  EXPECT_EQ(calls(w), Calls{"resume n[1-2]"});
  w.pass(Seconds{59});
  EXPECT_EQ(calls(w), Calls{});
  w.join(1);
  w.join(2);
  w.pass(Seconds{1});
  EXPECT_EQ(calls(w), Calls{"resume n[3-4]"});
  EXPECT_TRUE(w.job(id).run->preparing);
  w.join(3);
  w.join(4);
  EXPECT_FALSE(w.job(id).run->preparing);
}

Partition with_power(Text name, PartitionPower power) {
  Partition partition{.name = std::move(name)};
  partition.power = power;
  return partition;
}

TEST(PowerSaving, APartitionHasTimesOfItsOwn) {
  ClusterBuilder b = saving(3, Seconds{60});
  b.partition({.name = "plain"}, 1, 3);
  b.partition(with_power("slow", {.suspend_time = Seconds{100}, .suspend_timeout = Seconds{5}}), 2,
              2);
  b.partition(with_power("slower", {.suspend_time = Seconds{200}}), 2, 2);
  b.partition(with_power("on", {.stays_on = true}), 3, 3);
  World w{b};
  w.pass(Seconds{60});
  EXPECT_EQ(calls(w), Calls{"suspend n1"});
  w.leave(1);
  w.pass(Seconds{100});
  EXPECT_EQ(calls(w), Calls{});
  w.pass(Seconds{40});
  EXPECT_EQ(calls(w), Calls{"suspend n2"}) << "the longest time counts";
  w.leave(2);
  w.pass(Seconds{5});
  EXPECT_EQ(node_state_compact(w.node(2)), "idle~");
  w.pass(Seconds{1000});
  EXPECT_EQ(calls(w), Calls{}) << "n3 stays on";
}

TEST(PowerSaving, ANodeThatAJobOfSuchAPartitionLeavesGoesOffAtOnce) {
  ClusterBuilder b = saving(2, Seconds{600});
  b.partition(with_power("main", {.down_on_idle = true}), 1, 2);
  World w{b};
  auto first = w.submit(job().memory(10)), second = w.submit(job().memory(10));
  w.step_end(1, batch_of(first));
  w.gone(1, first);
  w.pass(Seconds{1});
  EXPECT_EQ(calls(w), Calls{}) << "the second one runs there, too";
  w.step_end(1, batch_of(second));
  w.gone(1, second);
  w.pass(Seconds{1});
  EXPECT_EQ(calls(w), Calls{"suspend n1"});
}

TEST(ToldToGo, ItsJobsHaveTheirGraceAndGoOnElsewhere) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().on("n1"));
  w.update(id, "ReqNodeList", "");
  EXPECT_EQ(set_state(w, "n1", "power_down_force"), ErrorCode{});
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].second.signal, SIGCONT);
  EXPECT_EQ(signals[1].second.signal, SIGTERM);
  EXPECT_TRUE(signals[1].second.batch);
  auto other = w.submit(job());
  EXPECT_EQ(w.job(other).run->allocation.front().node, NodeId{2}) << "no new job there";
  w.pass(Seconds{29});
  EXPECT_TRUE(w.take<wire::EndJobOrder>().empty());
  w.pass(Seconds{1});
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);
  w.step_end(1, batch_of(id), SIGTERM);
  w.gone(1, id);
  EXPECT_EQ(w.job(id).restarts, 1u);
  w.pass(Seconds{1});
  EXPECT_EQ(w.node(1).power.phase, PowerPhase::powering_down);
  w.pass(Seconds{30});
  EXPECT_EQ(node_state_compact(w.node(1)), "down~");
}

TEST(ToldToGo, InGoodTimeOnlyJobsThatHaveAGraceLeave) {
  World w{ClusterBuilder()
              .nodes(2)
              .partition({.name = "patient", .grace_time_s = 20}, 1, 2)
              .partition({.name = "other"}, 1, 2)};
  auto told = w.submit(job().on("n1").partition("patient").cpus_per_task(1).memory(1));
  auto stays = w.submit(job().on("n1").partition("other").cpus_per_task(1).memory(1));
  ASSERT_EQ(w.job(stays).state, JobState::running);
  EXPECT_EQ(set_state(w, "n1", "power_down"), ErrorCode{});
  ASSERT_TRUE(w.job(told).run->preemption);
  EXPECT_EQ(w.job(told).run->preemption->kill_at, w.now + Seconds{20});
  EXPECT_FALSE(w.job(stays).run->preemption);
}

TEST(ToldToGo, IsResumedOnlyIfItIsStillThere) {
  World w{ClusterBuilder().nodes(2)};
  set_state(w, "n[1-2]", "power_down");
  w.pass(Seconds{1});
  w.pass(Seconds{30});
  w.leave(2);
  EXPECT_EQ(node_state_compact(w.node(1)), "down~");
  EXPECT_EQ(set_state(w, "n1", "resume"), ErrorCode{});
  EXPECT_EQ(node_state_compact(w.node(1)), "idle");
  EXPECT_EQ(set_state(w, "n2", "resume"), ErrorCode::invalid_node_state);
  w.join(2);
  EXPECT_EQ(node_state_compact(w.node(2)), "idle");
}

TEST(ToldToGo, AJobThatMayNotBeRequeuedEndsPreempted) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().requeue(false));
  set_state(w, "n1", "power_down_force");
  w.pass(Seconds{30});
  w.step_end(1, batch_of(id), SIGTERM);
  w.gone(1, id);
  EXPECT_EQ(w.job(id).state, JobState::preempted);
}

TEST(HostStops, ItsJobsLeaveAndItComesBackWhenItHasBooted) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job());
  ASSERT_EQ(w.job(id).run->allocation.front().node, NodeId{1});
  w.core.on_report(World::connection(1), wire::LeavingReport{.host = true}, w.now);
  w.run();
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[1].second.signal, SIGTERM);
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED+POWER_DOWN");
  EXPECT_EQ(w.node(1).reason, "Host stops");
  w.step_end(1, batch_of(id), SIGTERM);
  w.gone(1, id);
  ASSERT_EQ(w.job(id).run->allocation.size(), 1u);
  EXPECT_EQ(w.job(id).run->allocation.front().node, NodeId{2});
  EXPECT_EQ(w.job(id).restarts, 1u);
  w.leave(1);
  w.pass(Seconds{1});
  w.join(1, {}, {}, "next boot");
  EXPECT_EQ(node_state_compact(w.node(1)), "idle");
  EXPECT_EQ(w.node(1).reason, "");
}

TEST(HostStops, ThatSlurmdAloneStopsConcernsNoJob) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.core.on_report(World::connection(1), wire::LeavingReport{}, w.now);
  w.run();
  EXPECT_TRUE(w.take<wire::SignalOrder>().empty());
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED");
}

TEST(ToldToGo, AsSoonAsPossibleIsWhenItsJobsAreOver) {
  World w{saving(1)};
  auto id = w.submit(job());
  EXPECT_EQ(set_state(w, "n1", "power_down_asap"), ErrorCode{});
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED+DRAIN+POWER_DOWN");
  EXPECT_EQ(w.node(1).reason, "POWER_DOWN_ASAP");
  w.pass(Minutes{5});
  EXPECT_EQ(calls(w), Calls{});
  w.step_end(1, batch_of(id));
  w.gone(1, id);
  w.pass(Seconds{1});
  EXPECT_EQ(calls(w), Calls{"suspend n1"});
  EXPECT_EQ(set_state(w, "n1", "power_up"), ErrorCode{});
  EXPECT_EQ(calls(w), Calls{"resume n1"});
}

TEST(NodeState, OnlyWhatIsOutOfServiceIsResumed) {
  World w{ClusterBuilder().nodes(1)};
  EXPECT_EQ(set_state(w, "n1", "resume"), ErrorCode::invalid_node_state);
  set_state(w, "n1", "drain", "broken");
  EXPECT_EQ(node_state_compact(w.node(1)), "drain");
  EXPECT_EQ(set_state(w, "n1", "undrain"), ErrorCode{});
  EXPECT_EQ(w.node(1).reason, "");
  set_state(w, "n1", "down", "broken");
  EXPECT_EQ(set_state(w, "n1", "undrain"), ErrorCode{});
  EXPECT_EQ(w.node(1).reason, "broken");
  EXPECT_EQ(set_state(w, "n1", "resume"), ErrorCode{});
  EXPECT_EQ(node_state_compact(w.node(1)), "idle");
  w.submit(job());
  EXPECT_EQ(set_state(w, "n1", "idle"), ErrorCode::invalid_node_state);
}

TEST(NodeState, IsDrainOrFailAsWasSaidLast) {
  World w{ClusterBuilder().nodes(1)};
  set_state(w, "n1", "fail", "broken");
  EXPECT_EQ(node_state_long(w.node(1)), "IDLE+FAIL");
  set_state(w, "n1", "drain");
  EXPECT_EQ(node_state_long(w.node(1)), "IDLE+DRAIN");
  set_state(w, "n1", "fail");
  EXPECT_EQ(node_state_long(w.node(1)), "IDLE+FAIL");
  EXPECT_EQ(w.node(1).reason, "broken");
}

TEST(NodeState, OfAnUpdateIsToldOnceWithItsReasonAndTheRestApart) {
  World w{ClusterBuilder().nodes(1)};
  w.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node,
                               .settings = {{"NodeName", "n1"},
                                            {"State", "DRAIN"},
                                            {"Reason", "broken"},
                                            {"Comment", "rack 7"}}},
           kRoot);
  const auto drains = w.committed_events<NodeDrained>();
  ASSERT_EQ(drains.size(), 1u);
  EXPECT_EQ(drains[0].reason, (NodeReason{.text = "broken", .by = kRoot, .at = w.now}));
  const auto updates = w.committed_events<NodeUpdated>();
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0], (NodeUpdated{.node = NodeId{1}, .comment = "rack 7"}));
}

TEST(NodeState, ThatTakesNoReasonLeavesItToTheUpdate) {
  World w{saving(1)};
  EXPECT_EQ(set_state(w, "n1", "power_up", "tried"), ErrorCode{});
  EXPECT_EQ(w.node(1).reason, "tried");
}

TEST(NodeState, AHeartbeatEndsNoResp) {
  World w{ClusterBuilder().nodes(1)};
  set_state(w, "n1", "noresp");
  EXPECT_EQ(node_state_compact(w.node(1)), "idle*");
  w.core.on_report(World::connection(1), wire::HeartbeatReport{}, w.now);
  w.run();
  EXPECT_EQ(node_state_compact(w.node(1)), "idle");
}

TEST(Reboot, WaitsForTheJobsAndForTheNodeToComeBack) {
  World w{saving(1)};
  auto id = w.submit(job());
  EXPECT_EQ(set_state(w, "n1", "reboot_asap", "update"), ErrorCode{});
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED+DRAIN+REBOOT_REQUESTED");
  EXPECT_EQ(node_state_compact(w.node(1)), "drng@");
  w.step_end(1, batch_of(id));
  w.gone(1, id);
  w.pass(Seconds{1});
  EXPECT_EQ(w.take<wire::RebootOrder>().size(), 1u);
  EXPECT_EQ(node_state_long(w.node(1)), "DOWN+DRAIN+REBOOT_ISSUED");
  EXPECT_EQ(node_state_word(w.node(1)), "reboot^");
  EXPECT_EQ(w.node(1).reason, "update : reboot issued");
  w.join(1);
  EXPECT_TRUE(w.node(1).reboot.issued) << "the same boot";
  w.join(1, {}, {}, "another boot");
  EXPECT_EQ(node_state_long(w.node(1)), "IDLE");
  EXPECT_EQ(w.node(1).reason, "");
}

TEST(Reboot, OfANodeThatComesBackSmallerDrainsItForThat) {
  World w{saving(1)};
  set_state(w, "n1", "reboot_asap");
  w.pass(Seconds{1});
  wire::RegisterReport report{.name = "n1",
                              .facts = {.boot_id = "another boot", .cpus = 4, .memory_mib = 16000}};
  w.core.on_report(World::connection(1), report, w.now);
  w.run();
  EXPECT_EQ(node_state_long(w.node(1)), "IDLE+DRAIN");
  EXPECT_EQ(w.node(1).reason, "Low CPUs (reported:4 < config:8)");
}

TEST(Reboot, ThatTakesTooLongLeavesTheNodeDown) {
  World w{saving(1)};
  set_state(w, "n1", "reboot");
  w.pass(Seconds{1});
  w.pass(Seconds{60});
  EXPECT_EQ(node_state_long(w.node(1)), "DOWN");
  EXPECT_EQ(w.node(1).reason, "reboot requested : reboot issued : reboot timed out");
}

TEST(Reboot, EndsWhereSomebodyResumesTheNode) {
  World w{saving(1)};
  w.submit(job());
  set_state(w, "n1", "reboot_asap");
  EXPECT_EQ(set_state(w, "n1", "resume"), ErrorCode{});
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED");
  EXPECT_EQ(set_state(w, "n1", "cancel_reboot"), ErrorCode::invalid_node_state);
}

TEST(Reboot, IsNotChangedByAnotherOne) {
  World w{saving(1)};
  w.submit(job());
  set_state(w, "n1", "reboot");
  EXPECT_EQ(set_state(w, "n1", "reboot_asap"), ErrorCode{});
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED+REBOOT_REQUESTED");
  EXPECT_EQ(w.node(1).reason, "reboot requested");
}

TEST(Reboot, CanBeTakenBack) {
  World w{saving(1)};
  EXPECT_EQ(set_state(w, "n1", "cancel_reboot"), ErrorCode::invalid_node_state);
  w.submit(job());
  set_state(w, "n1", "reboot_asap");
  EXPECT_EQ(set_state(w, "n1", "cancel_reboot"), ErrorCode{});
  EXPECT_EQ(node_state_long(w.node(1)), "MIXED");
}

// --- dynamic nodes ---

wire::RegisterReport stranger(Text name, std::vector<Text> features = {}) {
  NodeConfig config;
  config.name = config.hostname = name;
  config.cpus = 2;
  config.features = std::move(features);
  config.state = "UNKNOWN";
  config.dynamic = true;
  wire::RegisterReport report{.name = name, .facts = {.boot_id = "b", .cpus = 2, .memory_mib = 1}};
  report.dynamic = config;
  return report;
}

ClusterBuilder room_for(std::uint32_t nodes) {
  return ClusterBuilder().nodes(1).settings([=](Settings& s) { s.max_node_count = nodes; });
}

TEST(DynamicNode, JoinsThePartitionsOfAllNodesAndTakesJobs) {
  ClusterConfig config = room_for(2).config();
  config.partitions[0].nodes_text = "ALL";
  World w{config};
  w.core.on_report(200, stranger("z1"), w.now);
  w.run();
  ASSERT_TRUE(w.core.cluster().find_node("z1"));
  EXPECT_EQ(node_state_long(*w.core.cluster().find_node("z1")), "IDLE+DYNAMIC_NORM");
  auto id = w.submit(job().on("z1"));
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.core.on_report(201, stranger("z2"), w.now);
  w.run();
  EXPECT_FALSE(w.core.cluster().find_node("z2")) << "MaxNodeCount";
}

TEST(DynamicNode, SurvivesARestartAndANewConfiguration) {
  ClusterConfig config = room_for(2).config();
  config.partitions[0].nodes_text = "ALL";
  World w{config};
  w.core.on_report(200, stranger("z1"), w.now);
  w.run();
  w.core.reconfigure(config, {}, w.now);
  w.run();
  EXPECT_EQ(w.core.cluster().partitions->front().nodes.size(), 2u);

  StoredState stored;
  for (const Batch& batch : w.host.commits) stored.journal.push_back({batch.number, batch.events});
  MemoryHost host;
  Core again{host, {.slurm_user = Uid{64030}}};
  ASSERT_TRUE(again.recover(std::move(stored), config, w.now));
  EXPECT_TRUE(again.cluster().find_node("z1"));
  EXPECT_EQ(again.cluster().partitions->front().nodes.size(), 2u);
}

TEST(DynamicNode, WithAJobDoesNotStandInTheWayOfANewConfiguration) {
  ClusterConfig config = room_for(2).config();
  config.partitions[0].nodes_text = "ALL";
  World w{config};
  w.core.on_report(200, stranger("z1"), w.now);
  w.run();
  w.submit(job().on("z1"));
  EXPECT_TRUE(w.core.can_reconfigure(config));
}

TEST(DynamicNode, IsWaitedForWhereItsPartitionHasNone) {
  ClusterConfig config = room_for(2).config();
  config.partitions[0].nodes_text = "dyn";
  config.partition_nodes[0].clear();
  config.node_sets = {{"dyn", "odd"}};
  World w{config};
  auto id = w.submit(job());
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.core.on_report(200, stranger("z1", {"odd"}), w.now);
  w.run();
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(DynamicNode, IsDeletedOnceNothingRunsThere) {
  ClusterConfig config = room_for(2).config();
  config.partitions[0].nodes_text = "ALL";
  World w{config};
  w.core.on_report(200, stranger("z1"), w.now);
  w.run();
  auto id = w.submit(job().on("z1"));
  auto remove = [&](std::string name) {
    wire::Answer a = w.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node,
                                                  .settings = {{"NodeName", name}},
                                                  .remove = true},
                              kRoot);
    auto* error = std::get_if<Error>(&a);
    return error ? error->code : ErrorCode{};
  };
  EXPECT_EQ(remove("z1"), ErrorCode::nodes_busy);
  EXPECT_EQ(remove("n1"), ErrorCode::failure);
  w.core.on_report(200, wire::StepEndReport{{.ref = batch_of(id)}}, w.now);
  w.run();
  EXPECT_EQ(remove("z1"), ErrorCode{});
  EXPECT_FALSE(w.core.cluster().find_node("z1"));
  EXPECT_EQ(w.core.cluster().partitions->front().nodes.size(), 1u);
}

}  // namespace
}  // namespace muster::controller::power_test
