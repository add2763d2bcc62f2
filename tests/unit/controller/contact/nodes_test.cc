// Nodes that register, come back, fall silent or reboot, and what that means for their jobs.
#include <csignal>

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::contact_test {
namespace {

using namespace muster::controller::test;

TEST(Register, ANodeIsSentAgainWhatItDoesNotRun) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.take<wire::LaunchOrder>();
  w.join(1, {batch_of(id)});
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty()) << "it runs there";
  w.join(1);
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].second.launch.ref, batch_of(id));
}

TEST(Register, StaleAttemptsAndForgottenJobsAreEnded) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.join(1, {batch_of(id), batch_of(id, 9), batch_of(77)});
  auto ends = w.take<wire::EndJobOrder>();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].second.attempt, Attempt{9});
  EXPECT_EQ(ends[1].second.job, JobId{77});
  EXPECT_FALSE(ends[0].second.announce);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(Register, EndsThatWereNotConfirmedCount) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.leave(1);
  w.join(1, {}, {{.ref = batch_of(id), .exit_status = 256}});
  EXPECT_EQ(w.job(id).state, JobState::failed);
  EXPECT_TRUE(w.take<wire::LaunchOrder>().size() == 1) << "only the first launch";
}

TEST(Register, AnEndIsOrderedAgainAfterAReconnect) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.cancel(id);
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);
  w.pass(Seconds{1});
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 0u);
  w.join(1, {batch_of(id)});
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);
}

TEST(NodeGres, DevicesAreAllThereOrNoneAndTheRestIsCounted) {
  ClusterBuilder b;
  b.nodes(1).gpus(2).settings([](Settings& s) { s.gres_types.emplace_back("tape"); });
  World w{b};
  auto changed = [&](std::string gres) {
    wire::UpdateRequest request{.kind = wire::UpdateRequest::Kind::node};
    request.settings = {{"NodeName", "n1"}, {"Gres", gres}};
    auto answer = w.answer(request, kRoot);
    const auto* error = std::get_if<Error>(&answer);
    return error ? std::string(error->text())
                 : w.core.cluster().nodes.at(NodeId{1}).config.gres_text.str();
  };
  EXPECT_EQ(changed("gpu:2,tape:3"), "gpu:v100:2,tape:3");
  EXPECT_EQ(changed("gpu:1"), "Invalid generic resource (gres) specification");
  EXPECT_EQ(changed("drum:1"), "Invalid generic resource (gres) specification");
  auto id = w.submit(job().gres("tape:2"));
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_EQ(changed("gpu:2,tape:1"), "Requested nodes are busy");
  EXPECT_EQ(changed("tape:2"), "tape:2");
  EXPECT_EQ(changed("gpu:2,tape:2"), "gpu:v100:2,tape:2");
}

TEST(Register, ANodeThatIsSmallerThanConfiguredIsDrained) {
  World w{ClusterBuilder().nodes(1).config()};
  wire::RegisterReport report{.name = "n1",
                              .facts = {.boot_id = "b", .cpus = 4, .memory_mib = 16000}};
  w.core.on_report(101, report, w.now);
  w.run();
  EXPECT_TRUE(w.node(1).drain);
  EXPECT_EQ(w.node(1).reason, "Low CPUs (reported:4 < config:8)");
  EXPECT_EQ(w.node(1).reason_uid, Uid{64030}) << "SlurmUser";
  EXPECT_EQ(w.node(1).reason_time, w.now);
}

TEST(Register, ANodeWhoseDeviceFileIsMissingIsDrained) {
  ClusterBuilder b;
  b.nodes(1).gpus(4).node_config([](NodeConfig& node) {
    for (int i = 0; i < 4; ++i)
      node.gres.front().files.emplace_back("/dev/nvidia" + std::to_string(i));
  });
  World w{b.config()};
  wire::RegisterReport report{.name = "n1",
                              .facts = {.boot_id = "b", .cpus = 8, .memory_mib = 16000}};
  report.facts.missing_devices = {"/dev/nvidia3"};
  w.core.on_report(101, report, w.now);
  w.run();
  EXPECT_TRUE(w.node(1).drain);
  EXPECT_EQ(w.node(1).reason, "gres/gpu count reported lower than configured (3 < 4)");
}

TEST(Register, ANodeThatWasRebootedUnaskedIsDownUnlessAnyMayReturn) {
  for (std::uint32_t rule : {0u, 1u, 2u}) {
    World w{ClusterBuilder().nodes(1).settings([&](Settings& s) { s.return_to_service = rule; })};
    w.join(1, {}, {}, "another boot");
    EXPECT_EQ(node_state_compact(w.node(1)), rule == 2 ? "idle" : "down");
    EXPECT_EQ(w.node(1).reason, rule == 2 ? "" : "Node unexpectedly rebooted");
    w.join(1, {}, {}, "another boot");
    EXPECT_EQ(node_state_compact(w.node(1)), rule == 2 ? "idle" : "down");
  }
}

TEST(Register, AnUnknownNodeIsIgnored) {
  World w{ClusterBuilder().nodes(1)};
  w.core.on_report(555, wire::RegisterReport{.name = "stranger"}, w.now);
  w.run();
  EXPECT_EQ(w.host.errors.size(), 1u);
}

TEST(Register, ANameThatIsNoHostsIsRefused) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.max_node_count = 10; })};
  for (const char* name : {"", "a b", "-x", "a/b", "n[1-3]"}) {
    wire::RegisterReport report{.name = name};
    report.dynamic = NodeConfig{.name = name, .cpus = 4};
    w.core.on_report(200, report, w.now);
    w.run();
  }
  EXPECT_EQ(w.core.cluster().nodes.size(), 1u);
  EXPECT_EQ(w.host.errors.size(), 5u);
}

TEST(Register, ADynamicNodeHasOneName) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.max_node_count = 10; })};
  wire::RegisterReport report{.name = "x"};
  report.dynamic = NodeConfig{.name = "y", .cpus = 4};
  w.core.on_report(200, report, w.now);
  w.run();
  EXPECT_EQ(w.core.cluster().nodes.size(), 1u);
  EXPECT_EQ(w.host.errors.size(), 1u);
}

TEST(Register, ASecondConnectionOfANodeIsLogged) {
  World w{ClusterBuilder().nodes(1)};
  w.core.on_report(200, wire::RegisterReport{.name = "n1", .facts = w.facts(1)}, w.now);
  w.run();
  ASSERT_EQ(w.host.errors.size(), 1u);
  EXPECT_NE(w.host.errors[0].find("second connection"), std::string::npos);
}

TEST(Register, ANodeThatCannotKeepAScriptIsDrainedAndItsJobIsTriedElsewhere) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job());
  const std::uint32_t first = w.job(id).run->allocation.at(0).node.value;
  wire::StepEnd end{.ref = batch_of(id), .exit_status = 53, .launch_failed = true};
  end.node_fault = "SlurmdSpoolDir is full";
  w.core.on_report(World::connection(first), wire::StepEndReport{end}, w.now);
  w.run();
  EXPECT_TRUE(w.node(first).drain);
  EXPECT_EQ(w.node(first).reason, "SlurmdSpoolDir is full");
  w.pass(Seconds{300});
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_NE(w.job(id).run->allocation.at(0).node.value, first);
}

TEST(LostNode, AConnectedNodeThatHangsGoesDownAndComesBackWhenItIsHeard) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.return_to_service = 1; })};
  auto id = w.submit(job().requeue(false));
  w.take<wire::EndJobOrder>();
  w.hang(1);
  w.pass(Seconds{299});
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(id).state, JobState::node_fail);
  EXPECT_EQ(w.node(1).health, NodeHealth::down);
  w.hear(1);
  EXPECT_EQ(w.node(1).health, NodeHealth::up);
  EXPECT_TRUE(w.node(1).responding);
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);  // for what it still runs of the lost job
}

TEST(LostNode, ASilentNodeGoesDownAndItsJobIsRequeued) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().on("n2"));
  auto stays = w.submit(job());
  w.leave(2);
  w.pass(Seconds{299});
  EXPECT_EQ(w.node(2).health, NodeHealth::up);
  w.pass(Seconds{1});
  EXPECT_EQ(w.node(2).health, NodeHealth::down);
  EXPECT_EQ(w.node(2).reason, "Not responding");
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).restarts, 1u);
  EXPECT_EQ(w.job(stays).state, JobState::running);
}

TEST(LostNode, AJobGoesOnWithoutItWhereThatWasAskedFor) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().nodes(2).set(&JobRequest::no_kill, true));
  w.leave(2);
  w.pass(Seconds{300});
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_EQ(w.job(id).run->unfinished, std::set{NodeId{1}});
  EXPECT_TRUE(w.node(2).jobs.empty());
  w.join(2);
  w.step_end(1, batch_of(id));
  EXPECT_EQ(w.job(id).state, JobState::completed);
}

TEST(LostNode, AJobDoesNotGoOnWithoutItsScript) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().nodes(2).requeue(false).set(&JobRequest::no_kill, true));
  w.leave(1);
  w.pass(Seconds{300});
  w.gone(2, id);
  EXPECT_EQ(w.job(id).state, JobState::node_fail);
}

TEST(LostNode, AJobIsRequeuedOnlySoOftenAndThenHeld) {
  World w{ClusterBuilder().nodes(3).settings([](Settings& s) { s.max_batch_requeue = 1; })};
  auto id = w.submit(job());
  w.leave(1);
  w.pass(Seconds{300});
  EXPECT_EQ(w.job(id).state, JobState::running) << "on the next node";
  w.leave(w.job(id).run->allocation.front().node.value);
  w.pass(Seconds{300});
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).hold, Hold::admin);
}

TEST(LostNode, AJobThatMayNotBeRequeuedFails) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().requeue(false));
  w.leave(1);
  w.pass(Seconds{300});
  EXPECT_EQ(w.job(id).state, JobState::node_fail);
  EXPECT_EQ(w.job(id).end_reason, "NodeDown");
}

TEST(LostNode, AnotherNodeOfTheJobIsToldToEndIt) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().nodes(2).requeue(false));
  w.leave(2);
  w.pass(Seconds{300});
  auto ends = w.take<wire::EndJobOrder>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].first, 1u);
  w.step_end(1, batch_of(id), SIGTERM);
  EXPECT_EQ(w.job(id).state, JobState::node_fail);
}

TEST(LostNode, ARebootLosesWhatRanThere) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().requeue(false));
  w.join(1, {}, {}, "another boot");
  EXPECT_EQ(w.job(id).state, JobState::node_fail);
}

TEST(LostNode, ReturnToServiceDecidesAboutComingBack) {
  for (auto [setting, expected] :
       {std::pair{0u, NodeHealth::down}, std::pair{1u, NodeHealth::up}}) {
    World w{ClusterBuilder().nodes(1).settings(
        [&, s = setting](Settings& x) { x.return_to_service = s; })};
    w.leave(1);
    w.pass(Seconds{300});
    ASSERT_EQ(w.node(1).health, NodeHealth::down);
    w.join(1);
    EXPECT_EQ(w.node(1).health, expected);
  }
}

}  // namespace
}  // namespace muster::controller::contact_test
