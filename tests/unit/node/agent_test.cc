// slurmd's logic: orders in, calls of the host and reports out.
#include "node/agent.h"

#include <gtest/gtest.h>

#include <csignal>

#include "node/fake_host.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

using Calls = std::vector<std::string>;

wire::LaunchOrder launch(wire::StepRef ref, std::uint32_t uid = 1000) {
  wire::LaunchOrder order;
  order.launch.ref = ref;
  order.launch.uid = Uid{uid};
  return order;
}
wire::EndJobOrder end_job(Seconds kill_wait, bool announce = false, Text suffix = {}) {
  return {.job = JobId{12},
          .attempt = Attempt{1},
          .kill_wait = kill_wait,
          .message_suffix = suffix,
          .announce = announce};
}
wire::StepEnd ended(wire::StepRef ref, std::uint32_t status = 0) {
  wire::StepEnd end;
  end.ref = ref;
  end.exit_status = status;
  return end;
}

class Agent : public testing::Test {
 protected:
  Agent() {
    agent.on_connected(t0);
    agent.flush();
    host.reports.clear();
  }
  void order(wire::Order what, Time now = t0, std::uint64_t epoch = 5) {
    agent.on_orders({Epoch{epoch}, {std::move(what)}}, now);
    agent.flush();
  }
  void run(wire::StepRef ref) {
    order(launch(ref));
    host.take_calls();
  }
  FakeHost host;
  NodeAgent agent{host, {.name = "n1", .epoch = Epoch{5}, .only_user = {}}};
};

TEST_F(Agent, LaunchesAStepOnceHoweverOftenItIsOrdered) {
  order(launch(kBatch));
  order(launch(kBatch));
  EXPECT_EQ(host.calls, Calls{"spawn 12.1.batch"});
  EXPECT_TRUE(host.reports.empty());
}

TEST_F(Agent, AnswersALaunchOfAnEndedStepWithItsEnd) {
  run(kBatch);
  agent.on_step_ended(ended(kBatch, 0x300), t0);
  agent.flush();
  host.reports.clear();
  order(launch(kBatch));
  EXPECT_TRUE(host.calls.empty());
  auto reports = host.take_reports<wire::StepEndReport>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].end.exit_status, 0x300u);
}

TEST_F(Agent, LaunchesNothingOfASuspendedJobUntilItIsResumed) {
  const wire::SuspendOrder suspend{.job = JobId{12}, .attempt = Attempt{1}, .resume = false};
  order(suspend);
  order(launch(kBatch));
  EXPECT_EQ(agent.running_count(), 0u);
  wire::SuspendOrder resume = suspend;
  resume.resume = true;
  order(resume);
  EXPECT_EQ(agent.running_count(), 1u);
}

TEST_F(Agent, RefusesTheOrdersOfAnEarlierController) {
  order(launch(kBatch), t0, 4);
  EXPECT_TRUE(host.calls.empty());
  EXPECT_EQ(host.logged.size(), 1u);
}

TEST_F(Agent, StoresAHigherEpochBeforeItObeys) {
  order(launch(kBatch), t0, 6);
  EXPECT_EQ(host.calls, (Calls{"epoch 6", "spawn 12.1.batch"}));
  order(launch(kStep0), t0, 5);
  EXPECT_EQ(host.calls.size(), 2u);
}

TEST_F(Agent, SaysAtOnceThatAnUnknownJobIsGone) {
  order(end_job(30s));
  EXPECT_TRUE(host.calls.empty());
  auto gone = host.take_reports<wire::JobGoneReport>();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].job, JobId{12});
}

TEST_F(Agent, EndsAJobWithTermAndKillsItWhenTheWaitIsOver) {
  run(kBatch);
  order(end_job(30s));
  EXPECT_EQ(host.take_calls(), (Calls{"signal 18 12.1.batch", "signal 15 12.1.batch"}));
  agent.on_tick(t0 + 29s);
  EXPECT_TRUE(host.calls.empty());
  EXPECT_EQ(agent.next_due(), t0 + 30s);
  agent.on_tick(t0 + 30s);
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.batch"});
}

TEST_F(Agent, KillsAtOnceWithoutAWait) {
  run(kBatch);
  order(end_job(0s));
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.batch"});
}

TEST_F(Agent, AnEndThatTheJobItselfAskedForComesAfterItHasHeardTheAnswer) {
  run(kBatch);
  wire::EndJobOrder end = end_job(30s, true);
  end.delay = 1s;
  order(end);
  EXPECT_EQ(host.take_calls(), Calls{});
  EXPECT_EQ(agent.next_due(), t0 + 1s);
  agent.on_tick(t0 + 999ms);
  EXPECT_EQ(host.take_calls(), Calls{});
  agent.on_tick(t0 + 1s);
  EXPECT_EQ(host.take_calls(),
            (Calls{"announce 12.1.batch", "signal 18 12.1.batch", "signal 15 12.1.batch"}));
  agent.on_tick(t0 + 31s);
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.batch"});
}

TEST_F(Agent, AJobThatIsGoneBeforeItsDelayedEndIsToldOfOnce) {
  run(kBatch);
  wire::EndJobOrder end = end_job(30s);
  end.delay = 1s;
  order(end);
  agent.on_step_ended(ended(kBatch), t0 + 10ms);
  agent.flush();
  EXPECT_EQ(host.take_reports<wire::JobGoneReport>().size(), 1u);
  agent.on_tick(t0 + 1s);
  agent.flush();
  EXPECT_EQ(host.take_reports<wire::JobGoneReport>().size(), 0u);
}

TEST_F(Agent, AStepThatEndsItselfHearsTheAnswerFirst) {
  run(kStep0);
  order(wire::EndStepOrder{.ref = kStep0, .kill_wait = 0s, .delay = 1s});
  EXPECT_EQ(host.take_calls(), Calls{});
  agent.on_tick(t0 + 1s);
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.0"});
}

TEST_F(Agent, ARepeatedEndNeitherSignalsAgainNorProlongsTheWait) {
  run(kBatch);
  order(end_job(30s, true, " DUE TO TIME LIMIT"));
  EXPECT_EQ(host.take_calls().front(), "announce DUE TO TIME LIMIT 12.1.batch");
  order(end_job(30s, true, " DUE TO TIME LIMIT"), t0 + 10s);
  EXPECT_TRUE(host.calls.empty());
  agent.on_tick(t0 + 30s);
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.batch"});
}

TEST_F(Agent, SaysThatAJobIsGoneWhenItsLastStepHasEnded) {
  run(kBatch);
  run(kStep0);
  order(end_job(30s));
  agent.on_step_ended(ended(kStep0, 15), t0);
  agent.flush();
  EXPECT_TRUE(host.take_reports<wire::JobGoneReport>().empty());
  agent.on_step_ended(ended(kBatch, 15), t0);
  agent.flush();
  EXPECT_EQ(host.take_reports<wire::JobGoneReport>().size(), 1u);
}

TEST_F(Agent, LaunchesNothingOfAJobThatIsBeingEnded) {
  run(kBatch);
  order(end_job(30s));
  host.take_calls();
  order(launch(kStep0));
  EXPECT_TRUE(host.calls.empty());
  auto reports = host.take_reports<wire::StepEndReport>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(reports[0].end.launch_failed);
}

TEST_F(Agent, TellsAnEndAgainUntilItIsConfirmed) {
  run(kBatch);
  agent.on_step_ended(ended(kBatch), t0);
  agent.flush();
  EXPECT_EQ(host.take_reports<wire::StepEndReport>().size(), 1u);
  agent.on_tick(t0 + 10s);
  agent.flush();
  EXPECT_EQ(host.take_reports<wire::StepEndReport>().size(), 1u);
  order(wire::ConfirmOrder{{kBatch}});
  EXPECT_EQ(host.take_calls(), Calls{"forget 12.1.batch"});
  agent.on_tick(t0 + 60s);
  agent.flush();
  EXPECT_TRUE(host.take_reports<wire::StepEndReport>().empty());
}

TEST_F(Agent, ListsWhatRunsAndWhatHasEndedWhenItRegistersAgain) {
  run(kBatch);
  run(kStep0);
  agent.on_disconnected();
  agent.on_step_ended(ended(kStep0, 0x100), t0);
  agent.flush();
  EXPECT_TRUE(host.reports.empty());
  agent.on_connected(t0 + 5s);
  agent.flush();
  ASSERT_EQ(host.reports.size(), 1u);
  const auto& report = std::get<wire::RegisterReport>(host.reports[0]);
  EXPECT_EQ(report.running, std::vector{kBatch});
  ASSERT_EQ(report.ended.size(), 1u);
  EXPECT_EQ(report.ended[0].exit_status, 0x100u);
}

TEST_F(Agent, SendsSignalsWhereTheOrderSays) {
  run(kBatch);
  run(kStep0);
  order(wire::SignalOrder{
      .job = JobId{12}, .attempt = Attempt{1}, .steps = {}, .all_steps = true, .signal = 10});
  EXPECT_EQ(host.take_calls(), Calls{"signal 10 12.1.0"});
  order(wire::SignalOrder{
      .job = JobId{12}, .attempt = Attempt{1}, .steps = {}, .batch = true, .signal = 12});
  EXPECT_EQ(host.take_calls(), Calls{"signal 12 leader 12.1.batch"});
  order(wire::SignalOrder{.job = JobId{12},
                          .attempt = Attempt{1},
                          .steps = {},
                          .batch = true,
                          .whole_batch = true,
                          .all_steps = true,
                          .signal = 10});
  EXPECT_EQ(host.take_calls(), (Calls{"signal 10 12.1.0", "signal 10 12.1.batch"}));
  order(wire::SignalOrder{
      .job = JobId{12}, .attempt = Attempt{2}, .steps = {}, .all_steps = true, .signal = 10});
  EXPECT_TRUE(host.calls.empty());
}

TEST_F(Agent, ANoticeLeavesTimeToWhoeverOutlivesTheTasks) {
  run(kBatch);
  run(kStep0);
  wire::SignalOrder notice{.job = JobId{12}, .attempt = Attempt{1}, .signal = SIGTERM};
  notice.batch = notice.whole_batch = notice.all_steps = notice.notice = true;
  order(notice);
  EXPECT_EQ(host.take_calls(), (Calls{"signal 15 notice 12.1.0", "signal 15 notice 12.1.batch"}));
}

TEST_F(Agent, LeavesWithItsHostWhenItsStepsAreOverAndTold) {
  run(kBatch);
  host.reports.clear();
  agent.on_host_leaving(t0);
  ASSERT_EQ(host.reports.size(), 1u);
  EXPECT_TRUE(std::get<wire::LeavingReport>(host.reports[0]).host);
  EXPECT_FALSE(agent.may_leave_with_host(t0));
  agent.on_step_ended(ended(kBatch), t0);
  EXPECT_FALSE(agent.may_leave_with_host(t0)) << "the end is not confirmed";
  order(wire::ConfirmOrder{{kBatch}});
  EXPECT_TRUE(agent.may_leave_with_host(t0));
}

TEST_F(Agent, DoesNotKeepItsHostUpForAControllerThatIsAway) {
  run(kBatch);
  agent.on_host_leaving(t0);
  EXPECT_FALSE(agent.may_leave_with_host(t0 + 600s));
  agent.on_disconnected();
  EXPECT_FALSE(agent.may_leave_with_host(t0 + 59s));
  EXPECT_TRUE(agent.may_leave_with_host(t0 + 60s));
}

TEST_F(Agent, AControllerThatWasAwayHearsThatTheHostLeaves) {
  agent.on_disconnected();
  agent.on_host_leaving(t0);
  host.reports.clear();
  agent.on_connected(t0);
  agent.flush();
  ASSERT_EQ(host.reports.size(), 2u);
  EXPECT_TRUE(std::get<wire::LeavingReport>(host.reports[1]).host);
}

TEST_F(Agent, WhatIsSignalledSaysSoWhereTheOrderSays) {
  run(kBatch);
  run(kStep0);
  wire::SignalOrder signal{.job = JobId{12}, .attempt = Attempt{1}, .signal = 15};
  signal.all_steps = signal.announce = true;
  order(signal);
  EXPECT_EQ(host.take_calls(), (Calls{"announce signal 12.1.0", "signal 15 12.1.0"}));
  signal.all_steps = false;
  signal.batch = signal.whole_batch = true;
  order(signal);
  EXPECT_EQ(host.take_calls(), (Calls{"announce signal 12.1.batch", "signal 15 12.1.batch"}));
}

TEST_F(Agent, ANoticeGoesToTheBatchScript) {
  run(kBatch);
  run(kStep0);
  order(wire::NotifyOrder{.job = JobId{12}, .attempt = Attempt{1}, .text = "hello"});
  EXPECT_EQ(host.take_calls(), Calls{"notify \"hello\" 12.1.batch"});
}

TEST_F(Agent, AnOlderAttemptIsKilledBeforeANewerOneStarts) {
  run(kBatch);
  const wire::StepRef second{JobId{12}, Attempt{2}, kBatchStep};
  order(launch(second));
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.batch"});
  order(launch(second));
  EXPECT_TRUE(host.calls.empty());
  agent.on_step_ended(ended(kBatch, 9), t0);
  EXPECT_EQ(host.take_calls(), Calls{"spawn 12.2.batch"});
}

TEST_F(Agent, AnSrunMayComeBeforeItsLaunchOrder) {
  agent.on_attach(7, kStep0, t0);
  EXPECT_TRUE(host.calls.empty());
  order(launch(kStep0));
  EXPECT_EQ(host.take_calls(), (Calls{"spawn 12.1.0", "hand over 7 12.1.0"}));
  agent.on_attach(8, kStep0, t0);
  EXPECT_EQ(host.take_calls(), Calls{"hand over 8 12.1.0"});
}

TEST_F(Agent, AnSrunWhoseStepNeverComesIsRefused) {
  agent.on_attach(7, kStep0, t0);
  agent.on_tick(t0 + 15s);
  EXPECT_EQ(host.take_calls(), Calls{"refuse 7: no such step on this node"});
}

TEST_F(Agent, ASpawnThatFailsIsAStepThatEndedWithAReason) {
  host.spawn_error = "no room";
  order(launch(kBatch));
  auto reports = host.take_reports<wire::StepEndReport>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(reports[0].end.launch_failed);
  EXPECT_EQ(reports[0].end.failure, "no room");
  EXPECT_EQ(agent.running_count(), 0u);
}

TEST_F(Agent, AFullDiskIsAFaultOfTheNode) {
  host.spawn_error = "no room";
  host.spawn_error_code = ErrorCode::state_storage_full;
  order(launch(kBatch));
  auto reports = host.take_reports<wire::StepEndReport>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].end.failure, "no room");
  EXPECT_EQ(reports[0].end.node_fault, "SlurmdSpoolDir is full");
}

TEST_F(Agent, WithoutRootOnlyItsOwnUsersJobsRun) {
  NodeAgent mine(host, {.name = "n1", .epoch = Epoch{1}, .only_user = Uid{1000}});
  mine.on_orders({Epoch{1}, {launch(kBatch, 1001), launch(kStep0, 1000)}}, t0);
  EXPECT_EQ(host.take_calls(), Calls{"spawn 12.1.0"});
}

TEST_F(Agent, SendsAHeartbeatWhenOneIsDue) {
  agent.on_tick(t0 + 10s);
  agent.flush();
  EXPECT_EQ(host.take_reports<wire::HeartbeatReport>().size(), 1u);
}

}  // namespace
}  // namespace muster
