// Replays of traces that are small enough to know the result.
#include "sim/replay/replay.h"

#include <gtest/gtest.h>

#include "sim/replay/policies.h"

namespace muster::sim {
namespace {

constexpr Machine kFourCpus{2, 2};

TraceJob job(std::uint32_t id, int submitted, int minutes, std::uint32_t cpus) {
  return {.id = id,
          .submitted = Seconds{submitted},
          .runs = Minutes{minutes},
          .limit = Minutes{minutes},
          .cpus = cpus};
}

std::vector<std::int64_t> waits(std::string_view policy, const std::vector<TraceJob>& trace,
                                Machine machine = kFourCpus) {
  std::vector<std::int64_t> seconds;
  for (Seconds wait : replay(trace, machine, *make_policy(policy, trace, machine)))
    seconds.push_back(wait.count());
  return seconds;
}

using Waits = std::vector<std::int64_t>;

// 3 of 4 CPUs are busy for ten minutes; the second job needs all, the third one for two minutes.
const std::vector<TraceJob> kHole{job(1, 0, 10, 3), job(2, 0, 10, 4), job(3, 0, 2, 1)};

TEST(Replay, InOrderNobodyPasses) { EXPECT_EQ(waits("fifo", kHole), (Waits{0, 600, 1200})); }

TEST(Replay, AHoleIsFilledWhereThatDelaysNobody) {
  EXPECT_EQ(waits("muster", kHole), (Waits{0, 600, 0}));
  EXPECT_EQ(waits("easy", kHole), (Waits{0, 600, 0}));
  EXPECT_EQ(waits("backfill", kHole), (Waits{0, 600, 0}));
}

TEST(Replay, TheReferenceLooksForHolesEveryHalfMinuteOnly) {
  // The last job comes two seconds after the pass that the others caused.
  const std::vector<TraceJob> trace{job(1, 0, 10, 3), job(2, 0, 10, 4), job(3, 2, 2, 1)};
  EXPECT_EQ(waits("backfill", trace), (Waits{0, 600, 28}));
  EXPECT_EQ(waits("muster", trace), (Waits{0, 600, 0}));
}

// The last job would end long after the third job's turn. EASY promises a time only to the first
// waiting job.
TEST(Replay, OnlyEasyLetsTheSecondInLineBeDelayed) {
  const std::vector<TraceJob> trace{job(1, 0, 10, 2), job(2, 0, 10, 3), job(3, 0, 10, 4),
                                    job(4, 0, 60, 1)};
  EXPECT_EQ(waits("easy", trace), (Waits{0, 600, 3600, 0}));
  EXPECT_EQ(waits("muster", trace), (Waits{0, 600, 1200, 1800}));
  EXPECT_EQ(waits("backfill", trace), (Waits{0, 600, 1200, 1800}));
}

TEST(Replay, ALimitOfARunningJobIsNotItsEnd) {
  std::vector<TraceJob> trace{job(1, 0, 10, 4), job(2, 0, 5, 4)};
  trace[0].runs = Seconds{90};
  EXPECT_EQ(waits("muster", trace), (Waits{0, 90}));
}

TEST(Report, CountsWhatTheJobsMetWith) {
  const std::vector<TraceJob> trace{job(1, 0, 1, 4), job(2, 0, 1, 4)};
  const Report r = report_on(trace, {Seconds{0}, Seconds{60}}, kFourCpus);
  EXPECT_DOUBLE_EQ(r.mean_wait, 30);
  EXPECT_DOUBLE_EQ(r.makespan, 120);
  EXPECT_DOUBLE_EQ(r.utilisation, 1);
  EXPECT_DOUBLE_EQ(r.mean_slowdown, 1.5);
}

TEST(Report, VeryShortJobsDoNotBlowUpTheSlowdown) {
  std::vector<TraceJob> trace{job(1, 0, 1, 1)};
  trace[0].runs = Seconds{1};
  EXPECT_DOUBLE_EQ(report_on(trace, {Seconds{19}}, kFourCpus).mean_slowdown, 2);
}

TEST(Replay, EveryPolicyServesAWholeTrace) {
  constexpr Machine machine{16, 8};
  auto trace = parse_swf(generate_swf({.jobs = 300, .seed = 5, .cpus = 128, .load = 0.95}));
  ASSERT_TRUE(trace);
  const double fifo =
      report_on(*trace, replay(*trace, machine, *make_policy("fifo", *trace, machine)), machine)
          .mean_wait;
  for (std::string_view name : {"muster", "backfill", "easy"}) {
    auto policy = make_policy(name, *trace, machine);
    const Report r = report_on(*trace, replay(*trace, machine, *policy), machine);
    EXPECT_LE(r.mean_wait, fifo) << name;
    EXPECT_LE(r.utilisation, 1) << name;
  }
}

TEST(Replay, JobsThatAreTooLargeAreLeftOut) {
  std::size_t too_large = 0;
  EXPECT_EQ(fitting({job(1, 0, 1, 4), job(2, 0, 1, 5)}, kFourCpus, too_large).size(), 1u);
  EXPECT_EQ(too_large, 1u);
}

}  // namespace
}  // namespace muster::sim
