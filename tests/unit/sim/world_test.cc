// Simulated worlds with faults: no seed breaks an invariant, and each seed repeats exactly.
#include "sim/world.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/text/strings.h"
#include "golden.h"
#include "sim/users.h"
#include "state/event.h"

namespace muster::sim {
namespace {

// With sanitizers a seed is slow, so only a few run here; `make check-all` runs thousands, and
// sim.seeds some with the release build.
constexpr std::uint64_t kSeeds = 6;

// Requests that rarely make sense, so that few seeds may grant none.
bool is_seldom_granted(std::string_view verb) {
  return verb == "cancel_step" || verb == "sattach" || verb == "shrink" || verb == "update_step" ||
         verb == "claim_node" || verb == "requeue" || verb == "requeue_special" ||
         verb == "resume" || verb == "release_allocation";
}

// The names of the other kinds of events.
std::vector<std::string> kinds_without(const std::set<std::size_t>& seen) {
  std::vector<std::string> names;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((seen.contains(I) ? void()
                       : names.push_back(test::kind_name<std::variant_alternative_t<I, Event>>())),
     ...);
  }(std::make_index_sequence<std::variant_size_v<Event>>{});
  return names;
}

TEST(World, KeepsItsPromises) {
  std::atomic<std::uint64_t> next_seed = 1;
  std::mutex mutex;
  Verdict sum;
  auto run_some = [&] {
    for (std::uint64_t seed = next_seed++; seed <= kSeeds && !HasFailure(); seed = next_seed++) {
      Verdict verdict = simulate({.seed = seed});
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(verdict.broken.empty()) << "seed " << seed << ": " << join(verdict.broken, "; ");
      sum.crashes += verdict.crashes;
      sum.starts += verdict.starts;
      for (const auto& [verb, count] : verdict.granted) sum.granted[verb] += count;
      for (const auto& [verb, count] : verdict.refused) sum.refused[verb] += count;
      for (const auto& [which, count] : verdict.programs) sum.programs[which] += count;
      sum.events.insert(verdict.events.begin(), verdict.events.end());
    }
  };
  {
    std::jthread beside(run_some);
    run_some();
  }
  // A simulation in which nothing happens proves nothing.
  EXPECT_GT(sum.crashes, 3 * kSeeds);
  EXPECT_GT(sum.starts, 30 * kSeeds);
  EXPECT_LT(kinds_without(sum.events).size(), 8u)
      << "these did not happen: " << join(kinds_without(sum.events), " ");
  EXPECT_GE(sum.programs.size(), 5u) << "few kinds of programs ran";
  for (std::string_view verb : verbs()) {
    EXPECT_GT(sum.granted[verb] + sum.refused[verb], 0u) << verb;
    if (!is_seldom_granted(verb)) EXPECT_GT(sum.granted[verb], 0u) << verb;
  }
}

TEST(World, NoClockThatIsSetAndNoStandstillCostsAJobAnything) {
  std::uint32_t steps = 0, refusals = 0, timeouts = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Verdict verdict = simulate({.seed = seed, .faults = false, .clock_faults = true});
    ASSERT_TRUE(verdict.broken.empty()) << "seed " << seed << ": " << join(verdict.broken, "; ");
    steps += verdict.clock_steps;
    refusals += verdict.refusals;
    timeouts += verdict.timeouts;
  }
  EXPECT_GT(steps, 2 * kSeeds);
  EXPECT_GT(refusals, 2 * kSeeds);
  EXPECT_GT(timeouts, 0u);
}

TEST(World, RepeatsARunExactlyFromItsSeed) {
  Verdict once = simulate({.seed = 7});
  Verdict again = simulate({.seed = 7});
  EXPECT_EQ(once.fingerprint, again.fingerprint);
  EXPECT_EQ(once.batches, again.batches);
  EXPECT_NE(once.fingerprint, simulate({.seed = 8}).fingerprint);
}

TEST(World, SurvivesACrashOfTheControllerAtAnyJournalPosition) {
  WorldOptions calm{
      .seed = 3, .jobs = 5, .troubled = Seconds{600}, .rest = Seconds{3600}, .faults = false};
  BatchNumber batches = simulate(calm).batches;
  ASSERT_GT(batches, 20u);
  constexpr BatchNumber kStride = 7;  // each crash position needs a run of its own
  for (BatchNumber at = 1; at <= batches; at += kStride) {
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
