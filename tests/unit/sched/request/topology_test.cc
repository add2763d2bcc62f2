// Placing jobs on as few switches as possible.
#include "sched/request/topology.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// Leaves a (n1-n4), b (n5-n6), c (n7-n8); b and c below "pair", all below "top".
ClusterBuilder tree() {
  auto nodes = [](int first, int last) {
    std::vector<Text> names;
    for (int i = first; i <= last; ++i) names.push_back("n" + std::to_string(i));
    return names;
  };
  ClusterBuilder b;
  b.nodes(8).settings([&](Settings& s) {
    s.topology = {{.name = "a", .nodes = nodes(1, 4)},
                  {.name = "b", .nodes = nodes(5, 6)},
                  {.name = "c", .nodes = nodes(7, 8)},
                  {.name = "pair", .level = 1, .nodes = nodes(5, 8)},
                  {.name = "top", .level = 2, .nodes = nodes(1, 8)}};
    s.max_switch_wait = Seconds{300};
  });
  return b;
}
SpecBuilder wide(std::uint32_t nodes) { return job().nodes(nodes).exclusive().memory(10); }
std::string nodes_of(const Plan& p, std::size_t start = 0) {
  IdSet nodes;
  if (start >= p.starts.size()) return "none";
  for (const NodeShare& share : p.starts[start].allocation) nodes.insert(share.node.value);
  return nodes.text();
}
NodeShare whole(std::uint32_t n) {
  return {.node = NodeId{n}, .cpus = IdSet::range(0, 7), .memory_mib = 10, .tasks = 1};
}

TEST(Topology, TheTightestLeafIsTaken) {
  EXPECT_EQ(nodes_of(plan(tree().pending(wide(2)).build(), t0)), "5-6");
  EXPECT_EQ(nodes_of(plan(tree().pending(wide(3)).build(), t0)), "1-3");
}

TEST(Topology, AJobOfOneNodeTakesTheTightestLeafAndItsFullestNode) {
  auto small = [](Text name) { return job().nodes(1).memory(10).on(std::move(name)); };
  const SpecBuilder one = job().nodes(1).memory(10);
  EXPECT_EQ(nodes_of(plan(tree().pending(one).build(), t0)), "5");
  auto used = [](std::uint32_t n) {
    return NodeShare{.node = NodeId{n}, .cpus = IdSet::range(0, 3), .memory_mib = 10, .tasks = 1};
  };
  EXPECT_EQ(nodes_of(plan(tree().running(small("n8"), {used(8)}).pending(one).build(), t0)), "8");
  EXPECT_EQ(nodes_of(plan(tree().running(wide(1), {whole(6)}).pending(one).build(), t0)), "5");
}

TEST(Topology, ThenTheLowestSwitchThatHasEnough) {
  auto cluster = tree().running(wide(1), {whole(1)}).running(wide(1), {whole(5)}).pending(wide(3));
  EXPECT_EQ(nodes_of(plan(cluster.build(), t0)), "2-4");
  auto fuller = tree().running(wide(2), {whole(1), whole(2)}).pending(wide(3));
  EXPECT_EQ(nodes_of(plan(fuller.build(), t0)), "5-7");
}

TEST(Topology, LeavesAreFilledOneAfterTheOther) {
  auto cluster = tree().running(wide(2), {whole(1), whole(2)}).pending(wide(5));
  EXPECT_EQ(nodes_of(plan(cluster.build(), t0)), "3-7");
}

TEST(Topology, TheRestComesFromTheTightestLeaf) {
  auto cluster = tree().running(wide(2), {whole(1), whole(8)}).pending(wide(5));
  EXPECT_EQ(nodes_of(plan(cluster.build(), t0)), "2-6");
  auto fuller = tree().running(wide(2), {whole(1), whole(8)}).pending(wide(4));
  EXPECT_EQ(nodes_of(plan(fuller.build(), t0)), "2-4,7");
}

TEST(Topology, UsesTheNodesOfLowestWeightThatSuffice) {
  auto b = tree();
  for (std::uint32_t n : {1u, 2u, 5u, 7u}) b.change_node(n, [](NodeChanged& e) { e.weight = 9; });
  EXPECT_EQ(nodes_of(plan(ClusterBuilder(b).pending(wide(2)).build(), t0)), "3-4");
  EXPECT_EQ(nodes_of(plan(ClusterBuilder(b).pending(wide(4)).build(), t0)), "3-4,6,8");
}

TEST(Topology, RequiredNodesDecide) {
  EXPECT_EQ(nodes_of(plan(tree().pending(wide(2).on("n7")).build(), t0)), "7-8");
}

TEST(Topology, AJobWaitsForItsSwitchesForALimitedTime) {
  auto builder = tree()
                     .running(wide(2), {whole(1), whole(5)})
                     .running(wide(1), {whole(7)})
                     .pending(wide(4).set(&JobRequest::switches, 1u));
  EXPECT_EQ(starts(plan(builder.build(), t0)), "");
  EXPECT_EQ(starts(plan(builder.build(), t0 + Seconds{299})), "");
  EXPECT_EQ(starts(plan(builder.build(), t0 + Seconds{300})), "3");
}

TEST(Topology, JobsDoNotSpanUnconnectedSwitches) {
  auto builder = tree();
  builder.settings([](Settings& s) { s.topology.resize(3); });
  EXPECT_EQ(starts(plan(builder.pending(wide(4)).pending(wide(5)).build(), t0)), "1");
}

TEST(Topology, AnAddressIsTheWayFromTheTop) {
  Cluster cluster = tree().build();
  EXPECT_EQ(topology_address(cluster, "n7").address, "top.pair.c.n7");
  EXPECT_EQ(topology_address(cluster, "n7").pattern, "switch.switch.switch.node");
  EXPECT_EQ(topology_address(cluster, "n1").address, "top.a.n1");
}

}  // namespace
}  // namespace muster::sched
