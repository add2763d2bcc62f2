// OverSubscribe: jobs that share CPUs.
#include <gtest/gtest.h>

#include "builders.h"
#include "state/invariants.h"

namespace muster::sched::sharing_test {
namespace {

using namespace muster::test;

ClusterBuilder shared_nodes(Text oversubscribe, std::uint32_t nodes = 1) {
  ClusterBuilder b;
  b.nodes(nodes).partition({.name = "shared", .oversubscribe = std::move(oversubscribe)}, 1, nodes);
  return b;
}
JobRequest with_cpus(std::uint32_t n, bool asks = false) {
  SpecBuilder spec = job().tasks(n).nodes(1).memory(10);
  return asks ? spec.oversubscribe() : spec;
}
// "0-2 3-5": the CPUs of each start.
std::string cpus(const Plan& p) {
  std::string out;
  for (const Start& s : p.starts)
    for (const NodeShare& share : s.allocation) out += (out.empty() ? "" : " ") + share.cpus.text();
  return out;
}

TEST(OverSubscribe, NoSharesNothing) {
  auto cluster = shared_nodes("NO").pending(with_cpus(8, true)).pending(with_cpus(1, true)).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1");
}

TEST(OverSubscribe, ForceLetsThatManyJobsShareACpu) {
  auto builder = shared_nodes("FORCE:2");
  for (int i = 0; i < 3; ++i) builder.pending(with_cpus(8));
  Plan p = plan(builder.build(), t0);
  EXPECT_EQ(starts(p), "1 2");
  EXPECT_EQ(cpus(p), "0-7 0-7");
  EXPECT_EQ(reason(p, 3), "Resources");
}

TEST(OverSubscribe, FreeNodesComeFirst) {
  auto builder = shared_nodes("FORCE:2", 2);
  for (int i = 0; i < 3; ++i) builder.pending(with_cpus(8));
  Plan p = plan(builder.build(), t0);
  ASSERT_EQ(p.starts.size(), 3u);
  EXPECT_EQ(p.starts[1].allocation[0].node, NodeId{2});
  EXPECT_EQ(p.starts[2].allocation[0].node, NodeId{1});
}

TEST(OverSubscribe, AJobIsNotSplitBetweenFreeAndSharedCpusWithoutNeed) {
  auto builder = shared_nodes("FORCE:2");
  for (int i = 0; i < 6; ++i) builder.pending(with_cpus(3));
  EXPECT_EQ(cpus(plan(builder.build(), t0)), "0-2 3-5 0-2 3-5");
}

TEST(OverSubscribe, YesIsForJobsWithOversubscribe) {
  auto cluster = shared_nodes("YES:2")
                     .pending(with_cpus(4, true))
                     .pending(with_cpus(8, true))
                     .pending(with_cpus(1))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1 2");
}

TEST(OverSubscribe, AJobThatDoesNotAskSharesNothing) {
  auto cluster = shared_nodes("YES:2").pending(with_cpus(4)).pending(with_cpus(8, true)).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1");
}

TEST(OverSubscribe, AnotherPartitionDoesNotShare) {
  ClusterBuilder b;
  b.nodes(1)
      .partition({.name = "a", .oversubscribe = "FORCE:2"}, 1, 1)
      .partition({.name = "b", .oversubscribe = "FORCE:2"}, 1, 1)
      .pending(with_cpus(8))
      .pending(SpecBuilder(job().tasks(1).partition("b")));
  EXPECT_EQ(starts(plan(b.build(), t0)), "1");
}

TEST(OverSubscribe, MemoryIsNotShared) {
  auto cluster = shared_nodes("FORCE:2")
                     .pending(SpecBuilder(job().tasks(8).nodes(1).memory(10000)))
                     .pending(SpecBuilder(job().tasks(8).nodes(1).memory(10000)))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1");
}

TEST(OverSubscribe, ACpuIsFreeWhenAllItsHoldersHaveLeft) {
  auto builder = shared_nodes("FORCE:2").pending(with_cpus(8)).pending(with_cpus(8));
  Cluster cluster = builder.build();
  take_over(cluster, plan(cluster, t0), t0);
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  for (std::uint32_t id : {1u, 2u}) {
    EXPECT_EQ(cluster.nodes.at(NodeId{1}).used_cpus.text(), "0-7");
    muster::apply(cluster, JobEnded{.job = JobId{id}, .at = t0});
    muster::apply(cluster, NodesReleased{JobId{id}, Attempt{1}, {NodeId{1}}});
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
  }
  EXPECT_TRUE(cluster.nodes.at(NodeId{1}).used_cpus.empty());
}

TEST(OverSubscribe, WholeNodesAreSharedUnderSelectLinear) {
  auto builder = shared_nodes("FORCE:2");
  builder.settings([](Settings& s) { s.whole_nodes = true; });
  for (int i = 0; i < 3; ++i) builder.pending(with_cpus(1));
  EXPECT_EQ(cpus(plan(builder.build(), t0)), "0-7 0-7");
}

// A node on which CPUs 0-3 are shared until the 60th minute, and `more` until `minute`.
ClusterBuilder shared_until(int minute, IdSet more) {
  auto share = [](IdSet cpus) {
    return std::vector{
        NodeShare{.node = NodeId{1}, .cpus = std::move(cpus), .memory_mib = 10, .sharing = 2}};
  };
  ClusterBuilder b;
  b.nodes(1)
      .partition({.name = "a", .oversubscribe = "FORCE:2"}, 1, 1)
      .partition({.name = "b", .oversubscribe = "FORCE:2"}, 1, 1)
      .running(job().tasks(4).memory(10).minutes(60), share(IdSet::range(0, 3)))
      .running(job().memory(10).minutes(minute), share(std::move(more)));
  return b;
}
// A job of another partition has a promise of six CPUs from the 60th minute on.
ClusterBuilder with_a_promise() {
  auto b = shared_until(10, IdSet::range(4, 5));
  b.pending(job().tasks(6).nodes(1).memory(10).minutes(100).partition("b"));
  return b;
}

TEST(OverSubscribe, APromiseCountsOnSharedCpusOnceTheirLastHolderHasLeft) {
  auto b = with_a_promise();
  b.pending(job().tasks(2).nodes(1).memory(10).minutes(200).partition("b"));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(find_expected(p, JobId{3})->at, t0 + Minutes{60});
  EXPECT_EQ(starts(p), "4");
  EXPECT_EQ(cpus(p), "6-7");
}

TEST(OverSubscribe, CpusThatAPromiseCountsOnAreNotShared) {
  auto b = with_a_promise();
  b.pending(job().tasks(4).nodes(1).memory(10).minutes(200).partition("a"));
  EXPECT_EQ(starts(plan(b.build(), t0)), "");
}

TEST(OverSubscribe, AJobThatEndsBeforeAPromiseMayShare) {
  auto b = with_a_promise();
  b.pending(job().tasks(4).nodes(1).memory(10).minutes(50).partition("a"));
  EXPECT_EQ(starts(plan(b.build(), t0)), "4");
}

// CPUs 0-3 are released before the promise is due, CPUs 4-7 are not: the new job shares the latter.
TEST(OverSubscribe, CpusThatStaySharedAreOfNoUseToAPromise) {
  auto b = shared_until(300, IdSet::range(4, 7));
  b.pending(job().tasks(4).nodes(1).memory(10).minutes(100).partition("b"))
      .pending(job().tasks(4).nodes(1).memory(10).minutes(200).partition("a"));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(find_expected(p, JobId{3})->at, t0 + Minutes{60});
  EXPECT_EQ(cpus(p), "4-7");
}

}  // namespace
}  // namespace muster::sched::sharing_test
