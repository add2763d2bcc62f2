// Traces: what is read, what is refused, and whether made-up traces are as described.
#include "sim/replay/swf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace muster::sim {
namespace {

TEST(Swf, ReadsJobsInTheOrderOfSubmission) {
  auto jobs = parse_swf(
      "; Computer: test\n"
      "2 50 -1 30 4 -1 -1 8 60 -1 1 7 -1 -1 -1 -1 -1 -1\n"
      "\n"
      "1 10.5 3 20 2 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 ; a remark\n");
  ASSERT_TRUE(jobs) << jobs.error().text();
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].id, 1u);
  EXPECT_EQ((*jobs)[0].cpus, 2u);            // the number used, if none was requested
  EXPECT_EQ((*jobs)[0].limit, Seconds{20});  // its run time, if no limit is known
  EXPECT_EQ((*jobs)[1].cpus, 8u);
  EXPECT_EQ((*jobs)[1].limit, Seconds{60});
  EXPECT_EQ((*jobs)[1].user, 7u);
}

TEST(Swf, LeavesOutJobsThatNeverRan) {
  auto jobs = parse_swf(
      "1 0 -1 -1 4 -1 -1 4 60 -1 5 7 -1 -1 -1 -1 -1 -1\n"
      "2 0 -1 10 -1 -1 -1 -1 60 -1 5 7 -1 -1 -1 -1 -1 -1\n");
  ASSERT_TRUE(jobs);
  EXPECT_TRUE(jobs->empty());
}

TEST(Swf, NobodyRunsLongerThanTheLimit) {
  auto jobs = parse_swf("1 0 -1 90 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n");
  ASSERT_TRUE(jobs);
  EXPECT_EQ((*jobs)[0].runs, Seconds{60});
}

TEST(Swf, NamesTheLineThatIsNotOfTheFormat) {
  auto text = [](std::string_view trace) {
    auto jobs = parse_swf(trace);
    return jobs ? std::string() : jobs.error().text();
  };
  EXPECT_NE(text("; fine\n1 2 3\n").find("line 2: 3 numbers instead of 18"), std::string::npos);
  EXPECT_NE(text("1 0 -1 x 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n").find("line 1: 'x'"),
            std::string::npos);
  EXPECT_NE(text("1 -5 -1 9 1 -1 -1 1 60 -1 1 1 -1 -1 -1 -1 -1 -1\n").find("line 1: submitted"),
            std::string::npos);
}

TEST(Generated, TheSameSeedGivesTheSameTrace) {
  EXPECT_EQ(generate_swf({.jobs = 50, .seed = 3}), generate_swf({.jobs = 50, .seed = 3}));
  EXPECT_NE(generate_swf({.jobs = 50, .seed = 3}), generate_swf({.jobs = 50, .seed = 4}));
}

TEST(Generated, LooksLikeTheWorkOfUsers) {
  constexpr std::uint32_t kCpus = 256;
  auto jobs = parse_swf(generate_swf({.jobs = 4000, .seed = 1, .cpus = kCpus, .load = 0.8}));
  ASSERT_TRUE(jobs) << jobs.error().text();
  ASSERT_EQ(jobs->size(), 4000u);
  double work = 0;
  std::size_t powers = 0;
  for (const TraceJob& job : *jobs) {
    EXPECT_LE(job.cpus, kCpus);
    EXPECT_LE(job.runs, job.limit);
    EXPECT_EQ(job.limit.count() % 300, 0);  // round numbers
    powers += std::has_single_bit(job.cpus);
    work += static_cast<double>(job.cpus) * static_cast<double>(job.runs.count());
  }
  EXPECT_GT(powers, jobs->size() * 3 / 4);
  const auto span = static_cast<double>(jobs->back().submitted.count());
  EXPECT_NEAR(work / span / kCpus, 0.8, 0.2);
}

}  // namespace
}  // namespace muster::sim
