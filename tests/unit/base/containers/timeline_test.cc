// The timeline follows the steady clock, and reports when the wall clock is set.
#include "base/containers/timeline.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

const Time t0 = from_unix_seconds(1'800'000'000);

TEST(Timeline, AdvancesWithTheSteadyClockOnly) {
  Timeline line({.wall = t0, .steady = 500s});
  EXPECT_EQ(line.at(500s), t0);
  EXPECT_EQ(line.at(507s), t0 + 7s);
}

TEST(Timeline, ReportsAClockStepOnceAndThenHasTheNewTime) {
  Timeline line({.wall = t0, .steady = 0s});
  EXPECT_EQ(line.follow({.wall = t0 + 3610s, .steady = 10s}), Millis{3600s});
  EXPECT_EQ(line.at(10s), t0 + 3610s);
  EXPECT_EQ(line.follow({.wall = t0 + 3611s, .steady = 11s}), std::nullopt);
  EXPECT_EQ(line.follow({.wall = t0 + 12s, .steady = 12s}), Millis{-3600s});
}

TEST(Timeline, SleepOfTheMachineIsAClockStep) {
  Timeline line({.wall = t0, .steady = 0s});
  EXPECT_EQ(line.follow({.wall = t0 + 8h, .steady = 1s}), Millis{8h - 1s});
}

TEST(Timeline, FollowsSmallCorrectionsSilently) {
  Timeline line({.wall = t0, .steady = 0s});
  EXPECT_EQ(line.follow({.wall = t0 + 10s + 40ms, .steady = 10s}), std::nullopt);
  EXPECT_EQ(line.at(10s), t0 + 10s + 40ms);
}

}  // namespace
}  // namespace muster
