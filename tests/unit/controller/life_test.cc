// The life of a job as the controller sees it: launch, end, cancel, limit, requeue, steps.
#include <csignal>

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;

TEST(Life, TheEndOfTheScriptEndsTheJobAndIsConfirmed) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.step_end(1, batch_of(id));
  EXPECT_EQ(w.job(id).state, JobState::completed);
  EXPECT_FALSE(w.job(id).completing());
  EXPECT_TRUE(w.node(1).jobs.empty());
  auto confirms = w.take<wire::ConfirmOrder>();
  ASSERT_EQ(confirms.size(), 1u);
  EXPECT_EQ(confirms[0].second.steps, std::vector{batch_of(id)});
}

TEST(Life, AFailedScriptFailsTheJob) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), 2 << 8);
  EXPECT_EQ(w.job(id).state, JobState::failed);
  EXPECT_EQ(w.job(id).run->exit_status, 2u << 8);
  EXPECT_EQ(w.job(id).end_reason, "NonZeroExitCode");
}

TEST(Life, RunningOutOfMemoryHasItsOwnState) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), SIGKILL, true);
  EXPECT_EQ(w.job(id).state, JobState::out_of_memory);
  EXPECT_EQ(w.job(id).end_reason, "OutOfMemory");
}

TEST(Life, TheNextJobStartsWhenTheNodeIsFree) {
  World w{ClusterBuilder().nodes(1)};
  auto first = w.submit(job()), second = w.submit(job());
  EXPECT_EQ(w.job(second).state, JobState::pending);
  w.step_end(1, batch_of(first));
  EXPECT_EQ(w.job(second).state, JobState::running);
}

TEST(Life, AReportOfAStaleAttemptChangesNothingButIsConfirmed) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id, 7), 256);
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_EQ(w.take<wire::ConfirmOrder>().size(), 1u);
}

TEST(Life, ARepeatedReportOfAnEndChangesNothing) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id));
  Cluster before = w.core.cluster();
  w.step_end(1, batch_of(id));
  EXPECT_EQ(w.core.cluster(), before);
  EXPECT_EQ(w.take<wire::ConfirmOrder>().size(), 2u);
}

TEST(Life, ArrayTasksStartAsJobsOfTheirOwn) {
  World w{ClusterBuilder().nodes(4)};
  auto id = w.submit(job().array("0-2%2"));
  EXPECT_EQ(job_name(w.job(id)), "1_2");
  EXPECT_EQ(w.job(2).state, JobState::running);
  EXPECT_EQ(w.job(2).task_id, 0u);
  EXPECT_EQ(w.job(3).task_id, 1u);
  w.step_end(1, batch_of(2));
  EXPECT_EQ(job_name(w.job(id)), "1_2") << "the last task keeps the array's id";
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(Cancel, ARunningJobEndsWhenItsProcessesAreGone) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().nodes(2));
  EXPECT_EQ(w.cancel(id).cancelled, 1u);
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_TRUE(w.job(id).completing());
  auto ends = w.take<wire::EndJobOrder>();
  ASSERT_EQ(ends.size(), 1u) << "the second node runs nothing of it";
  EXPECT_EQ(ends[0].second.kill_wait, Seconds{30});
  EXPECT_TRUE(ends[0].second.announce);
  w.step_end(1, batch_of(id), SIGTERM);
  w.gone(1, id);
  EXPECT_EQ(w.job(id).state, JobState::cancelled);
  EXPECT_EQ(w.job(id).run->ending->by, kAlice);
  EXPECT_FALSE(w.core.cluster().active.contains(id));
}

TEST(Cancel, AJobThatEndsItselfHearsTheAnswerBeforeItsSignals) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job()), other = w.submit(job());
  wire::CancelRequest request{.jobs = {{.job = JobId{id}}, {.job = JobId{other}}}};
  request.asking_job = JobId{id};
  w.answer(request);
  for (auto& [node, end] : w.take<wire::EndJobOrder>())
    EXPECT_EQ(end.delay > Millis{0}, end.job == JobId{id}) << end.job.value;
}

TEST(Requeue, AJobThatRequeuesItselfHearsTheAnswerBeforeItsSignals) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  wire::JobActionRequest request{.action = wire::JobAction::requeue, .jobs = {{.job = JobId{id}}}};
  request.asking_job = JobId{id};
  w.answer(request);
  auto ends = w.take<wire::EndJobOrder>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_GT(ends[0].second.delay, Millis{0});
}

TEST(Cancel, PendingJobsThatWaitedForTheSameAreOneEvent) {
  World w{ClusterBuilder().nodes(1)};
  auto running = w.submit(job());
  for (int i = 0; i < 5; ++i) w.submit(job());
  w.submit(job().array("0-9"));
  wire::CancelRequest request{.filter = wire::JobFilter{.states = {JobState::pending}}};
  auto reply = std::get<wire::CancelReply>(w.answer(request));
  EXPECT_EQ(reply.cancelled, 6u);
  auto events = w.committed_events<PendingJobsEnded>();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].reason.str() + ":" + events[0].jobs.text(), "Priority:3-7");
  EXPECT_EQ(events[1].reason.str() + ":" + events[1].jobs.text(), "Resources:2");
  EXPECT_EQ(w.job(running).state, JobState::running);
  EXPECT_TRUE(w.core.cluster().pending.empty());
}

TEST(Cancel, OneTaskOfAWaitingArray) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto id = w.submit(job().array("0-3"));
  wire::CancelRequest request{.jobs = {{.job = JobId{id}, .tasks = IdSet::range(2, 2)}}};
  EXPECT_EQ(std::get<wire::CancelReply>(w.answer(request)).cancelled, 1u);
  EXPECT_EQ(job_name(w.job(id)), "2_[0-1,3]");
  EXPECT_EQ(w.job(3).state, JobState::cancelled);
  EXPECT_EQ(w.job(3).task_id, 2u);
}

TEST(Cancel, WhatIsOverOrUnknownIsAnError) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id));
  auto code = [&](std::uint32_t job) { return w.cancel(job).errors.at(0).second.code; };
  EXPECT_EQ(code(id), ErrorCode::already_done);
  EXPECT_EQ(code(99), ErrorCode::invalid_job_id);
}

TEST(Cancel, FullMeansTheScriptAndWhatItHasStarted) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  wire::CancelRequest request = World::cancel_of(id);
  request.signal = SIGTERM;
  request.full = true;
  w.answer(request);
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 1u);
  EXPECT_TRUE(signals[0].second.whole_batch);
  EXPECT_FALSE(signals[0].second.all_steps);
  EXPECT_TRUE(signals[0].second.announce);
  request.signal = SIGKILL;
  w.answer(request);
  EXPECT_EQ(w.job(id).run->ending->becomes, JobState::cancelled);
}

TEST(Notify, GoesToTheNodeOfTheScript) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  wire::JobActionRequest request{.action = wire::JobAction::notify, .jobs = {{.job = JobId{id}}}};
  request.message = "hello";
  EXPECT_TRUE(std::get<wire::CancelReply>(w.answer(request)).errors.empty());
  auto orders = w.take<wire::NotifyOrder>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].second.text, "hello");
}

TEST(Cancel, ASignalIsPassedOn) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  wire::CancelRequest request = World::cancel_of(id);
  request.signal = SIGUSR1;
  request.batch_only = true;
  w.answer(request);
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 1u);
  EXPECT_EQ(signals[0].second.signal, SIGUSR1);
  EXPECT_TRUE(signals[0].second.batch);
  EXPECT_FALSE(signals[0].second.all_steps);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(TimeLimit, AJobThatReachesItTimesOut) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().minutes(5));
  w.pass(Minutes{5} - Seconds{1});
  EXPECT_FALSE(w.job(id).run->ending);
  w.pass(Seconds{1});
  ASSERT_TRUE(w.job(id).run->ending);
  EXPECT_EQ(w.take<wire::EndJobOrder>().at(0).second.message_suffix, " DUE TO TIME LIMIT");
  w.step_end(1, batch_of(id), SIGTERM);
  EXPECT_EQ(w.job(id).state, JobState::timeout);
  EXPECT_EQ(w.job(id).end_reason, "TimeLimit");
}

TEST(TimeLimit, OverTimeLimitIsGranted) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.over_time_limit_min = 2; })};
  auto id = w.submit(job().minutes(5));
  w.pass(Minutes{6});
  EXPECT_FALSE(w.job(id).run->ending);
  w.pass(Minutes{1});
  EXPECT_TRUE(w.job(id).run->ending);
}

TEST(TimeLimit, TheWarningIsSentOnce) {
  World w{ClusterBuilder().nodes(1)};
  JobRequest spec = job().minutes(5);
  spec.warn_signal = {.number = SIGUSR1, .seconds_before_end = 90, .batch_shell_only = true};
  w.submit(spec);
  w.pass(Minutes{3} + Seconds{29});
  EXPECT_TRUE(w.take<wire::SignalOrder>().empty());
  w.pass(Seconds{1});
  const auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].second.signal, SIGCONT) << "who is stopped hears the other, too";
  EXPECT_EQ(signals[1].second.signal, SIGUSR1);
  w.pass(Seconds{1});
  EXPECT_TRUE(w.take<wire::SignalOrder>().empty());
}

TEST(TimeLimit, ANodeThatMissedTheWarningIsToldWhenItIsBack) {
  World w{ClusterBuilder().nodes(2)};
  JobRequest spec = job().nodes(2).minutes(5);
  spec.warn_signal = {.number = SIGUSR1, .seconds_before_end = 90, .batch_shell_only = true};
  auto id = w.submit(spec);
  w.leave(1);
  w.pass(Minutes{3} + Seconds{30});
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[1].first, 2u);
  w.join(1, {batch_of(id)});
  signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[1].first, 1u);
  EXPECT_EQ(signals[1].second.signal, SIGUSR1);
  w.leave(1);
  w.join(1, {batch_of(id)});
  EXPECT_TRUE(w.take<wire::SignalOrder>().empty()) << "once";
}

TEST(TimeLimit, ADeadlineEndsAJobThatCannotMakeIt) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  JobRequest spec = job().minutes(1);
  spec.deadline = w.now + Seconds{65};
  auto id = w.submit(spec);
  w.pass(Seconds{5});
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(id).state, JobState::deadline);
}

TEST(TimeLimit, AJobThatMissesItsDeadlineInAnyCaseIsNotStarted) {
  World w{ClusterBuilder().nodes(1)};
  JobRequest spec = job().minutes(10);
  spec.deadline = w.now + Minutes{5};
  auto id = w.submit(spec);
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(id).state, JobState::deadline);
  spec.time_min = Minutes{2};
  spec.deadline = w.now + Seconds{299};
  auto shorter = w.submit(spec);
  EXPECT_EQ(w.job(shorter).state, JobState::running);
  EXPECT_EQ(w.job(shorter).time_limit, Minutes{4});
}

TEST(Requeue, ARunningJobGoesBackAndRunsAgain) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  EXPECT_TRUE(w.act(wire::JobAction::requeue, id).errors.empty());
  EXPECT_EQ(w.take<wire::EndJobOrder>().at(0).second.message_suffix, " DUE TO JOB REQUEUE");
  w.take<wire::LaunchOrder>();
  w.step_end(1, batch_of(id), SIGTERM);
  EXPECT_EQ(w.job(id).state, JobState::running) << "it was planned at once";
  EXPECT_EQ(w.job(id).restarts, 1u);
  EXPECT_EQ(w.job(id).attempt, Attempt{2});
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].second.launch.ref, batch_of(id, 2));
  EXPECT_EQ(launches[0].second.launch.restarts, 1u);
}

TEST(Requeue, IsRefusedWhereTheJobOrItsKindForbidsIt) {
  World w{ClusterBuilder().nodes(3)};
  auto never = w.submit(job().requeue(false));
  auto allocation = w.submit(job().allocation());
  auto code = [&](std::uint32_t id) {
    auto reply = w.act(wire::JobAction::requeue, id);
    return reply.errors.empty() ? ErrorCode{} : reply.errors[0].second.code;
  };
  EXPECT_EQ(code(never), ErrorCode::disabled);
  EXPECT_EQ(code(allocation), ErrorCode::batch_only);
  EXPECT_EQ(code(w.submit(job().hold())), ErrorCode::job_pending);
}

TEST(Requeue, WithHoldTheJobWaitsHeld) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.act(wire::JobAction::requeue_hold, id, kRoot);
  w.step_end(1, batch_of(id), SIGTERM);
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).hold, Hold::user) << "its owner may let it go";
}

TEST(Requeue, AnExitOfRequeueExitHoldIsASpecialOneUntilItIsReleased) {
  World w{ClusterBuilder().nodes(1).settings(
      [](Settings& s) { s.requeue_exits_held = IdSet::range(9, 9); })};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), 9 << 8);
  EXPECT_TRUE(w.job(id).special_exit());
  EXPECT_EQ(w.job(id).run->exit_status, 9u << 8);
  EXPECT_TRUE(w.act(wire::JobAction::release, id).errors.empty()) << "its owner may let it go";
  EXPECT_FALSE(w.job(id).special_exit());
  EXPECT_EQ(w.job(id).run->exit_status, 0u);
}

TEST(Requeue, AScriptThatEndsAtOnceWithSuchACodeIsNotStartedAgainAtOnce) {
  World w{ClusterBuilder().nodes(1).settings(
      [](Settings& s) { s.requeue_exits = IdSet::range(9, 9); })};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), 9 << 8);
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.pass(Seconds{11});
  ASSERT_EQ(w.job(id).state, JobState::running);
  w.pass(Seconds{30});
  w.step_end(1, {JobId{id}, Attempt{2}, kBatchStep}, 9 << 8);
  EXPECT_EQ(w.job(id).state, JobState::running) << "one that worked for a while is";
}

TEST(Requeue, AScriptThatRequeuesItselfAgainAndAgainHasToPause) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id), SIGTERM);
  EXPECT_EQ(w.job(id).state, JobState::running) << "the first time at once";
  w.pass(Seconds{3});
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id, 2), SIGTERM);
  EXPECT_EQ(w.job(id).eligible, t0 + Seconds{10});
  w.pass(Seconds{6});
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(StepEnd, ANodeOnWhichProcessesDoNotEndIsDrained) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.cancel(id);
  wire::StepEnd end{.ref = batch_of(id), .exit_status = SIGKILL, .unkillable = true};
  w.core.on_report(World::connection(1), wire::StepEndReport{std::move(end)}, w.now);
  w.run();
  EXPECT_EQ(w.job(id).state, JobState::cancelled);
  EXPECT_TRUE(w.node(1).drain);
  EXPECT_EQ(w.node(1).reason, "Kill task failed");
}

TEST(InactiveLimit, EndsAnAllocationWhoseCommandIsGone) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.inactive_limit = Seconds{60}; })};
  auto id = w.submit(job().allocation());
  w.answer(
      wire::WaitJobRequest{
          .job = JobId{id}, .until_started = true, .ownership = wire::Ownership::take, .step = {}},
      kAlice, 7);
  w.core.on_client_closed(7, w.now);
  w.pass(Seconds{59});
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.pass(Seconds{1});
  w.gone(1, id);
  EXPECT_EQ(w.job(id).state, JobState::timeout);
  EXPECT_EQ(w.job(id).end_reason, "InactiveLimit");
}

TEST(Purge, OldJobsGoUnlessSomethingNeedsThem) {
  World w{ClusterBuilder().nodes(2)};
  auto old = w.submit(job());
  w.step_end(1, batch_of(old));
  auto needed = w.submit(job());
  w.step_end(1, batch_of(needed));
  JobRequest waits = job().begin(w.now + Minutes{60});
  waits.dependency = "afterok:" + std::to_string(needed);
  w.submit(waits);
  w.pass(Seconds{300});
  EXPECT_FALSE(w.core.cluster().jobs.contains(JobId{old}));
  EXPECT_FALSE(w.core.cluster().jobs.contains(JobId{needed}));
  EXPECT_TRUE(w.core.cluster().outcomes.contains(JobId{needed})) << "how it ended is not forgotten";
}

TEST(Hold, AHeldJobDoesNotStartUntilItIsReleased) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().hold());
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.act(wire::JobAction::release, id);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(Hopeless, AJobWithAnImpossibleDependencyIsCancelledWhereAsked) {
  World w{ClusterBuilder().nodes(2)};
  auto failed = w.submit(job());
  w.step_end(1, batch_of(failed), 256);
  JobRequest spec = job().dependency("afterok:" + std::to_string(failed));
  auto stays = w.submit(spec);
  spec.kill_on_invalid_dependency = true;
  auto goes = w.submit(spec);
  EXPECT_EQ(w.job(stays).state, JobState::pending);
  EXPECT_EQ(w.job(goes).state, JobState::cancelled);
}

TEST(Allocation, IsEndedByItsOwner) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().allocation());
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty());
  w.answer(wire::ReleaseRequest{.job = JobId{id}, .exit_status = 0});
  EXPECT_EQ(w.job(id).state, JobState::completed);
  EXPECT_TRUE(w.node(1).jobs.empty());
}

TEST(Allocation, WithoutItsOwnerItIsGivenUp) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().allocation());
  w.core.on_client_closed(1, w.now);
  w.pass(Seconds{19});
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.pass(Seconds{1});
  EXPECT_EQ(w.job(id).state, JobState::cancelled);
}

TEST(Steps, RunWithinTheJobAndAreConfirmed) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().allocation().nodes(2).tasks(4));
  auto reply = std::get<wire::StepReply>(
      w.answer(wire::StepRequest{.job = JobId{id}, .name = "a", .num_tasks = 4}));
  EXPECT_EQ(reply.num_tasks, 4u);
  ASSERT_EQ(reply.places.size(), 2u);
  EXPECT_EQ(reply.places[0].ranks, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(reply.places[1].ranks, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 2u);
  wire::StepRef ref{JobId{id}, Attempt{1}, StepId{0}};
  w.step_end(1, ref);
  w.step_end(2, ref, 256);
  EXPECT_EQ(w.step_rows().back().state, JobState::failed);
  EXPECT_EQ(w.job(id).run->derived_exit_status, 256u);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(Waiters, AreAnsweredWhenTheJobHasEnded) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  auto request = w.ask(wire::WaitJobRequest{.job = JobId{id}});
  w.run();
  EXPECT_FALSE(w.host.replies.contains(request));
  w.step_end(1, batch_of(id), 256);
  ASSERT_TRUE(w.host.replies.contains(request));
  const auto& reply = std::get<wire::JobsReply>(w.host.replies.at(request));
  EXPECT_EQ((*reply.jobs.at(0).job).run->exit_status, 256u);
}

ClusterBuilder with_large_arrays() {
  return ClusterBuilder().nodes(1).settings([](Settings& s) { s.max_array_size = 1'000'000; });
}

wire::CancelReply cancel_tasks(World& w, std::uint32_t id, std::uint32_t first,
                               std::uint32_t last) {
  wire::CancelRequest request = World::cancel_of(id);
  request.jobs[0].tasks = IdSet::range(first, last);
  return std::get<wire::CancelReply>(w.answer(std::move(request), kAlice));
}

TEST(Life, AFewCancelledTasksAreRememberedOneByOne) {
  World w{with_large_arrays()};
  auto id = w.submit(job().array("0-99999").hold());
  EXPECT_EQ(cancel_tasks(w, id, 5, 7).cancelled, 3u);
  EXPECT_EQ(w.core.cluster().jobs.size(), 4u);
  EXPECT_EQ(w.job(id).waiting_tasks.text(), "0-4,8-99999");
}

TEST(Life, AGreatManyCancelledTasksLeaveTheirRecordOnly) {
  World w{with_large_arrays()};
  auto id = w.submit(job().array("0-99999").hold());
  EXPECT_EQ(cancel_tasks(w, id, 10, 90000).cancelled, 89991u);
  EXPECT_EQ(w.core.cluster().jobs.size(), 1u);
  EXPECT_EQ(w.job(id).waiting_tasks.text(), "0-9,90001-99999");
  EXPECT_EQ(cancel_tasks(w, id, 0, 99999).cancelled, 10009u);
  EXPECT_EQ(w.job(id).state, JobState::cancelled);
  EXPECT_EQ(w.core.cluster().jobs.size(), 1u);
}

}  // namespace
}  // namespace muster::controller
