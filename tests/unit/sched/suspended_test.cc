// What a suspended job leaves to other jobs.
#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

SpecBuilder with(std::uint32_t cpus, int minutes, std::uint64_t memory = 10) {
  return job().nodes(1).tasks(cpus).memory(memory).minutes(minutes);
}
std::vector<NodeShare> share(std::uint32_t first, std::uint32_t last, std::uint64_t memory = 10) {
  return {{.node = NodeId{1}, .cpus = IdSet::range(first, last), .memory_mib = memory}};
}
JobSuspended suspended(std::uint32_t id, bool resumed = false) {
  return {.job = JobId{id}, .resumed = resumed, .at = t0};
}
ClusterBuilder one_node() {
  ClusterBuilder b;
  b.nodes(1);
  return b;
}

TEST(SuspendedJob, ItsCpusAreFreeForOtherJobs) {
  auto b = one_node();
  b.running(with(8, 60), share(0, 7)).event(suspended(1));
  Plan p = plan(b.pending(with(6, 60)).build(), t0);
  EXPECT_EQ(starts(p), "2");
  ASSERT_EQ(p.starts.size(), 1u);
  EXPECT_EQ(p.starts[0].allocation[0].cpus.text(), "0-5");
}

TEST(SuspendedJob, ItsMemoryIsNot) {
  auto b = one_node();
  const std::uint64_t all = b.build().nodes.at(NodeId{1}).config.memory_mib;
  b.running(with(8, 60, all), share(0, 7, all)).event(suspended(1));
  Plan p = plan(b.pending(with(1, 60)).build(), t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(reason(p, 2), "Resources");
}

TEST(SuspendedJob, KeepsExclusiveJobsAway) {
  auto b = one_node();
  b.running(with(2, 60), share(0, 1)).event(suspended(1));
  EXPECT_EQ(starts(plan(b.pending(with(1, 60).exclusive()).build(), t0)), "");
}

TEST(ResumedJob, SharesItsCpusWithTheJobsThatGotThem) {
  auto b = one_node();
  b.running(with(8, 60), share(0, 7)).event(suspended(1));
  b.running(with(8, 30), share(0, 7)).event(suspended(1, true));
  Cluster cluster = b.pending(with(8, 10)).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "");
  ASSERT_TRUE(find_expected(p, JobId{3}));
  EXPECT_EQ(find_expected(p, JobId{3})->at, t0 + Minutes{60}) << "when both have gone";
}

TEST(ResumedJob, AJobThatLeavesSharedCpusFreesNoneForAPromise) {
  auto b = one_node();
  b.running(with(4, 60), share(0, 3)).event(suspended(1));
  b.running(with(4, 10), share(0, 3)).event(suspended(1, true));
  // The first job has a promise of the whole node; before that, nothing is free for long enough.
  Cluster cluster = b.pending(with(8, 30)).pending(with(4, 90)).pending(with(4, 50)).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(find_expected(p, JobId{3})->at, t0 + Minutes{60});
  EXPECT_EQ(starts(p), "5");
}

}  // namespace
}  // namespace muster::sched
