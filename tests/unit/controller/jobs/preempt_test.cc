// Preempted jobs: their notice, their grace period, and how often they are requeued.
#include <gtest/gtest.h>

#include <csignal>

#include "controller/world.h"

namespace muster::controller::jobs_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder two_tiers(std::uint32_t grace_s = 60) {
  return ClusterBuilder()
      .nodes(1)
      .settings([](Settings& s) {
        s.preempt = {.type = PreemptType::partition_priority, .mode = PreemptMode::requeue};
      })
      .partition({.name = "low", .priority_tier = 1, .grace_time_s = grace_s}, 1, 1)
      .partition({.name = "high", .preempt_mode = "OFF", .priority_tier = 10}, 1, 1);
}
SpecBuilder low() { return job().partition("low").exclusive(); }
SpecBuilder high() { return job().partition("high").exclusive().minutes(1); }

SpecBuilder signalled(bool shell_only) {
  return low().set(&JobRequest::warn_signal,
                   WarnSignal{.number = SIGUSR1, .batch_shell_only = shell_only});
}

// Preempts one run of the low job; the high job runs and ends.
void preempt_once(World& w, std::uint32_t victim, std::uint32_t attempt) {
  auto by = w.submit(high());
  w.step_end(1, {JobId{victim}, Attempt{attempt}, kBatchStep}, SIGTERM);
  w.gone(1, victim, attempt);
  ASSERT_EQ(w.job(by).state, JobState::running);
  w.step_end(1, batch_of(by));
  w.gone(1, by);
}

TEST(Notice, ReachesTheScriptWithAllThatItRunsAndTheSteps) {
  World w{two_tiers()};
  w.submit(low());
  w.submit(high());
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[0].second.signal, SIGCONT);
  EXPECT_EQ(signals[1].second.signal, SIGTERM);
  for (const auto& [node, o] : signals)
    EXPECT_TRUE(o.batch && o.whole_batch && o.all_steps && o.notice);
  w.pass(Seconds{59});
  EXPECT_TRUE(w.take<wire::EndJobOrder>().empty());
  w.pass(Seconds{1});
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);
}

TEST(Notice, IsTheUsersOwnSignalWhereTheSiteSaysSo) {
  auto builder = two_tiers().settings([](Settings& s) { s.preempt.send_user_signal = true; });
  for (bool shell_only : {false, true}) {
    World w{builder};
    w.submit(signalled(shell_only));
    w.submit(high());
    auto signals = w.take<wire::SignalOrder>();
    ASSERT_EQ(signals.size(), 2u);
    EXPECT_EQ(signals[1].second.signal, SIGUSR1);
    EXPECT_EQ(signals[1].second.batch, shell_only) << "a shell without a trap would end";
    EXPECT_EQ(signals[1].second.all_steps, !shell_only);
  }
}

TEST(Notice, IsTheUsualOneWhereTheUsersSignalWasSentBefore) {
  World w{two_tiers().settings([](Settings& s) { s.preempt.send_user_signal = true; })};
  w.submit(signalled(true).minutes(1));
  w.pass(Seconds{1});
  ASSERT_EQ(w.take<wire::SignalOrder>().size(), 2u) << "a minute before the end";
  w.submit(high());
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[1].second.signal, SIGTERM);
}

TEST(Notice, TheUsersSignalComesWithoutAGraceToo) {
  World w{two_tiers(0).settings([](Settings& s) { s.preempt.send_user_signal = true; })};
  w.submit(signalled(true));
  w.submit(high());
  auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[1].second.signal, SIGUSR1);
  EXPECT_EQ(w.take<wire::EndJobOrder>().size(), 1u);
}

TEST(Notice, IsRepeatedToANodeThatWasAway) {
  World w{two_tiers()};
  auto id = w.submit(low());
  w.leave(1);
  w.submit(high());
  EXPECT_TRUE(w.take<wire::SignalOrder>().empty());
  w.join(1, {batch_of(id)});
  const auto signals = w.take<wire::SignalOrder>();
  ASSERT_EQ(signals.size(), 2u);
  EXPECT_EQ(signals[1].second.signal, SIGTERM);
  EXPECT_TRUE(signals[1].second.notice);
}

TEST(Grace, StandsStillWhileTheJobIsSuspendedInIt) {
  World w{two_tiers()};
  auto id = w.submit(low());
  w.submit(high());
  w.pass(Seconds{10});
  w.act(wire::JobAction::suspend, id, kRoot);
  w.pass(Seconds{100});
  EXPECT_FALSE(w.job(id).run->ending);
  w.act(wire::JobAction::resume, id, kRoot);
  w.pass(Seconds{49});
  EXPECT_FALSE(w.job(id).run->ending);
  w.pass(Seconds{1});
  EXPECT_TRUE(w.job(id).run->ending);
}

TEST(Suspension, IsRepeatedToANodeThatWasAway) {
  World w{two_tiers()};
  auto id = w.submit(low());
  auto resumes = [&] {
    std::string out;
    for (const auto& [node, order] : w.take<wire::SuspendOrder>())
      out += order.resume ? "resume " : "suspend ";
    return out;
  };
  w.leave(1);
  w.join(1, {batch_of(id)});
  EXPECT_EQ(resumes(), "") << "it never was";
  w.leave(1);
  w.act(wire::JobAction::suspend, id, kRoot);
  w.take<wire::SuspendOrder>();
  w.join(1, {batch_of(id)});
  EXPECT_EQ(resumes(), "suspend ");
  w.leave(1);
  w.pass(Seconds{1});
  w.act(wire::JobAction::resume, id, kRoot);
  w.take<wire::SuspendOrder>();
  w.join(1, {batch_of(id)});
  EXPECT_EQ(resumes(), "resume ");
}

TEST(Suspension, AJobThatAnAdministratorStoppedComesBackHeld) {
  World w{two_tiers(0)};
  auto id = w.submit(low());
  w.act(wire::JobAction::suspend, id, kRoot);
  w.submit(high());
  w.step_end(1, batch_of(id), SIGKILL);
  w.gone(1, id);
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).hold, Hold::admin);
}

TEST(Eviction, ReachesAJobThatAwaitsItsTurn) {
  World w{ClusterBuilder()
              .nodes(1)
              .settings([](Settings& s) {
                s.preempt = {.type = PreemptType::partition_priority,
                             .mode = PreemptMode::cancel,
                             .gang = true};
              })
              .partition({.name = "low", .oversubscribe = "FORCE:2", .priority_tier = 1}, 1, 1)
              .partition({.name = "high", .preempt_mode = "OFF", .priority_tier = 10}, 1, 1)};
  const JobRequest half = job().partition("low").tasks(8).nodes(1).memory(10);
  auto first = w.submit(half), second = w.submit(half);
  EXPECT_EQ(w.job(first).state, JobState::running);
  ASSERT_EQ(w.job(second).state, JobState::suspended);
  w.submit(high());
  EXPECT_TRUE(w.job(first).run->ending);
  EXPECT_TRUE(w.job(second).run->ending);
}

TEST(RequeueLimit, PreemptionsAreCountedApartFromFailures) {
  World w{two_tiers().settings([](Settings& s) { s.max_preempt_requeue = 2; })};
  auto id = w.submit(low());
  preempt_once(w, id, 1);
  preempt_once(w, id, 2);
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_EQ(w.job(id).preemptions, 2u);
  EXPECT_EQ(w.job(id).failures, 0u);
  preempt_once(w, id, 3);
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).hold, Hold::admin);
}

TEST(RequeueLimit, OfFailuresDoesNotCountPreemptions) {
  World w{two_tiers().settings([](Settings& s) { s.max_batch_requeue = 0; })};
  auto id = w.submit(low());
  for (std::uint32_t attempt = 1; attempt <= 7; ++attempt) preempt_once(w, id, attempt);
  EXPECT_EQ(w.job(id).state, JobState::running) << "a job may give way as often as need be";
  w.leave(1);
  w.pass(w.core.cluster().settings().slurmd_timeout);
  EXPECT_EQ(w.job(id).hold, Hold::admin);
}

}  // namespace
}  // namespace muster::controller::jobs_test
