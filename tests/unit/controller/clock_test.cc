// Clocks that are set, machines that sleep, and nodes whose clock munge refuses: running jobs lose
// nothing, and no time limit counts that time.
#include <gtest/gtest.h>

#include "controller/timekeeper.h"
#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;
using namespace std::chrono_literals;

// Moves the machine's clock by `by`; no other time passes.
void set_clock(World& w, Millis by) {
  w.now += by;
  w.core.on_clock_step(by, w.now);
  w.pass(0s);
}

class Clock : public testing::TestWithParam<Millis> {};
INSTANTIATE_TEST_SUITE_P(AnHourEitherWay, Clock, testing::Values(Millis{1h}, Millis{-1h}));

TEST_P(Clock, AStepTakesNoNodeDown) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job());
  w.hang(1);
  w.hang(2);
  w.pass(200s);
  set_clock(w, GetParam());
  EXPECT_EQ(w.node(1).health, NodeHealth::up);
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.pass(99s);
  EXPECT_EQ(w.node(1).health, NodeHealth::up);
  w.pass(1s);
  EXPECT_EQ(w.node(1).health, NodeHealth::down) << "SlurmdTimeout is 300 s of silence";
}

TEST_P(Clock, ATimeLimitCountsOnlyTheTimeThatTheJobRan) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().minutes(10));
  const Time started = w.job(id).run->started;
  w.pass(300s);
  set_clock(w, GetParam());
  EXPECT_EQ(w.job(id).run->started, started + GetParam()) << "told by the clock that is right now";
  w.pass(299s);
  EXPECT_FALSE(w.job(id).run->ending);
  w.pass(1s);
  ASSERT_TRUE(w.job(id).run->ending);
  EXPECT_EQ(w.job(id).run->ending->becomes, JobState::timeout);
}

TEST_P(Clock, WhatHasEndedKeepsItsTimes) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id));
  w.gone(1, id);
  const Time ended = w.job(id).run->ended;
  w.now += GetParam();
  w.core.on_clock_step(GetParam(), w.now);
  w.run();
  EXPECT_EQ(w.job(id).run->ended, ended);
}

TEST_P(Clock, AStepReachesAccountingWithTheStartAsItIsToldNow) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.accounting = true; })};
  auto id = w.submit(job());
  w.host.deltas.clear();
  set_clock(w, GetParam());
  EXPECT_EQ((w.job_rows().at({id, 1}).started), t0 + GetParam());
}

TEST(Standstill, AControllerThatWasStoppedFindsNobodySilent) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.hang(1);
  w.now += 1h;
  w.core.on_standstill(Millis{1h}, w.now);
  w.pass(0s);
  EXPECT_EQ(w.node(1).health, NodeHealth::up);
  EXPECT_EQ(w.job(id).state, JobState::running);
  w.pass(300s);
  EXPECT_EQ(w.node(1).health, NodeHealth::down);
}

TEST(Timekeeper, TellsOfStepsAndStandstillsBeforeItTicks) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().minutes(10));
  w.hang(1);
  Timekeeper keeper({.wall = w.now, .steady = 0s});
  keeper.tick(w.core, {.wall = w.now + 1s, .steady = 1s});
  EXPECT_EQ(keeper.at(1s), t0 + 1s);
  keeper.tick(w.core, {.wall = w.now + 8h, .steady = 2s});  // the machine slept
  EXPECT_EQ(keeper.at(2s), t0 + 8h);
  keeper.tick(w.core, {.wall = w.now + 8h + 400s, .steady = 402s});  // the process was stopped
  w.now = keeper.at(402s);
  w.run();
  EXPECT_EQ(w.node(1).health, NodeHealth::up);
  EXPECT_FALSE(w.job(id).run->ending);
}

// --- nodes that munge refuses ---

TEST(WrongClock, ARefusedNodeIsNamedWithTheDifferenceAndGetsNoNewJobs) {
  World w{ClusterBuilder().nodes(1)};
  w.leave(1);
  w.core.on_clock_difference("n1", 3600s, w.now);
  w.run();
  EXPECT_EQ(w.node(1).reason, "clock 3600 s ahead");
  EXPECT_EQ(w.node(1).health, NodeHealth::up);
  ASSERT_EQ(w.host.errors.size(), 1u);
  EXPECT_EQ(w.host.errors[0], "node n1 is refused by munge: its clock 3600 s ahead");
  w.core.on_clock_difference("n1", 3600s, w.now);
  EXPECT_EQ(w.host.errors.size(), 1u) << "told once";
  auto id = w.submit(job());
  EXPECT_EQ(w.job(id).state, JobState::pending);
  w.join(1);
  EXPECT_EQ(w.node(1).reason, "");
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(WrongClock, ARefusedNodeGoesDownByItsTimeoutAndKeepsItsJobs) {
  World w{ClusterBuilder().nodes(2).settings([](Settings& s) { s.return_to_service = 1; })};
  auto id = w.submit(job());
  w.leave(1);
  for (int i = 0; i < 40; ++i) {
    w.core.on_clock_difference("n1", -3600s, w.now);
    w.pass(10s);
    EXPECT_EQ(w.node(1).health, i < 29 ? NodeHealth::up : NodeHealth::down) << i;
    ASSERT_EQ(w.job(id).state, JobState::running);
    ASSERT_FALSE(w.job(id).run->ending);
  }
  EXPECT_EQ(w.node(1).reason, "clock 3600 s behind");
  w.join(1, {batch_of(id)});
  EXPECT_EQ(w.node(1).health, NodeHealth::up) << "the clocks agree again";
  EXPECT_EQ(w.node(1).reason, "");
  EXPECT_EQ(w.job(id).attempt, Attempt{1});
  EXPECT_TRUE(w.take<wire::EndJobOrder>().empty());
}

TEST(WrongClock, ANodeThatStopsKnockingLosesItsJobs) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job());
  w.leave(1);
  w.core.on_clock_difference("n1", -3600s, w.now);
  w.pass(299s);
  EXPECT_EQ(w.job(id).attempt, Attempt{1});
  w.pass(300s);
  EXPECT_EQ(w.node(1).health, NodeHealth::down);
  EXPECT_EQ(w.job(id).attempt, Attempt{2}) << "runs on the other node";
}

TEST(WrongClock, WhatAnAdministratorSaidOfANodeStays) {
  World w{ClusterBuilder().nodes(1)};
  wire::UpdateRequest drain{
      .kind = wire::UpdateRequest::Kind::node,
      .settings = {{"NodeName", "n1"}, {"State", "drain"}, {"Reason", "fan"}}};
  w.answer(drain, Uid{0});
  w.leave(1);
  w.core.on_clock_difference("n1", 3600s, w.now);
  w.run();
  EXPECT_EQ(w.node(1).reason, "fan");
}

TEST(WrongClock, AnUnknownNameIsNoNews) {
  World w{ClusterBuilder().nodes(1)};
  w.core.on_clock_difference("stranger", 3600s, w.now);
  w.run();
  EXPECT_TRUE(w.host.errors.empty());
}

}  // namespace
}  // namespace muster::controller
