#include "sim/world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/text/strings.h"

namespace muster::sim {
namespace {

TEST(World, KeepsItsPromisesOverTwoHundredSeeds) {
  std::atomic<std::uint64_t> next_seed = 1;
  std::atomic<std::uint32_t> crashes = 0, starts = 0;
  auto run_some = [&] {
    for (std::uint64_t seed = next_seed++; seed <= 60 && !HasFailure(); seed = next_seed++) {
      Verdict verdict = simulate({.seed = seed});
      EXPECT_TRUE(verdict.broken.empty()) << "seed " << seed << ": " << join(verdict.broken, "; ");
      crashes += verdict.crashes;
      starts += verdict.starts;
    }
  };
  {
    std::jthread beside(run_some);
    run_some();
  }
  // A simulation in which nothing happens proves nothing.
  EXPECT_GT(crashes, 200u);
  EXPECT_GT(starts, 4000u);
}

TEST(World, NoClockThatIsSetAndNoStandstillCostsAJobAnything) {
  std::uint32_t steps = 0, refusals = 0, timeouts = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Verdict verdict = simulate({.seed = seed, .faults = false, .clock_faults = true});
    ASSERT_TRUE(verdict.broken.empty()) << "seed " << seed << ": " << join(verdict.broken, "; ");
    steps += verdict.clock_steps;
    refusals += verdict.refusals;
    timeouts += verdict.timeouts;
  }
  EXPECT_GT(steps, 50u);
  EXPECT_GT(refusals, 50u);
  EXPECT_GT(timeouts, 5u);
}

TEST(World, RepeatsARunExactlyFromItsSeed) {
  Verdict once = simulate({.seed = 7});
  Verdict again = simulate({.seed = 7});
  EXPECT_EQ(once.fingerprint, again.fingerprint);
  EXPECT_EQ(once.batches, again.batches);
  EXPECT_NE(once.fingerprint, simulate({.seed = 8}).fingerprint);
}

TEST(World, SurvivesACrashOfTheControllerAtEveryJournalPosition) {
  WorldOptions calm{
      .seed = 3, .jobs = 8, .troubled = Seconds{600}, .rest = Seconds{3600}, .faults = false};
  BatchNumber batches = simulate(calm).batches;
  ASSERT_GT(batches, 20u);
  for (BatchNumber at = 1; at <= batches; ++at) {
    WorldOptions crashing = calm;
    crashing.crash_at_batch = at;
    Verdict verdict = simulate(crashing);
    ASSERT_TRUE(verdict.broken.empty())
        << "crash at batch " << at << ": " << join(verdict.broken, "; ");
    ASSERT_EQ(verdict.crashes, 1u);
  }
}

}  // namespace
}  // namespace muster::sim
