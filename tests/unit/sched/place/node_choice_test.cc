// Which nodes a job gets if nodes have weights, or the cluster or the job has a rule of its own.
#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched::node_choice_test {
namespace {

using namespace muster::test;

// n1-n2 and n5-n6 are light, the others heavy.
ClusterBuilder weighted() {
  ClusterBuilder b;
  for (std::uint32_t weight : {1u, 5u, 1u, 5u}) b.nodes(2, 4).weight(weight);
  return b;
}
SpecBuilder on_nodes(std::uint32_t low, std::uint32_t high = 0) {
  return job().nodes(low, high).memory(1);
}
SpecBuilder tasks(std::uint32_t n) { return job().tasks(n).memory(1); }
std::string nodes_of(ClusterBuilder b, const SpecBuilder& spec) {
  Plan p = plan(b.pending(spec).build(), t0);
  if (p.starts.empty()) return "none";
  IdSet nodes;
  for (const NodeShare& share : p.starts[0].allocation) nodes.insert(share.node.value);
  return nodes.text();
}
ClusterBuilder filled(ClusterBuilder b, std::uint32_t node, std::uint32_t cpus) {
  NodeShare share{.node = NodeId{node}, .cpus = IdSet::range(0, cpus - 1), .memory_mib = 1};
  share.tasks = cpus;
  return b.running(tasks(cpus), {share});
}

TEST(NodeChoice, GoesByWeight) {
  EXPECT_EQ(nodes_of(weighted(), on_nodes(3)), "1-2,5");
  EXPECT_EQ(nodes_of(weighted(), on_nodes(5)), "1-3,5-6");
}

TEST(NodeChoice, OfNeighboursDoesNotGoByWeight) {
  EXPECT_EQ(nodes_of(weighted(), on_nodes(3).contiguous()), "1-3");
  EXPECT_EQ(nodes_of(weighted(), on_nodes(2, 6).contiguous()), "1-6");
}

TEST(NodeChoice, NextToRequiredNodesTakesTheirNeighbours) {
  EXPECT_EQ(nodes_of(weighted(), on_nodes(2).on("n6")), "5-6");
  EXPECT_EQ(nodes_of(weighted(), on_nodes(3).on("n6")), "1,5-6") << "no heavier ones";
  EXPECT_EQ(nodes_of(weighted(), on_nodes(3).on("n4").set(&JobRequest::spread_job, true)), "1-2,4");
}

TEST(NodeChoice, GivesTheFirstRequiredNodeMostTasks) {
  Plan p = plan(weighted().pending(on_nodes(2).tasks(3).on("n4,n5")).build(), t0);
  EXPECT_EQ(p.starts.at(0).allocation.at(0).tasks, 2u) << "though it is heavier";
}

TEST(NodeChoice, OfTheLeastLoadedGoesByWeightFirst) {
  auto b = filled(weighted().settings([](Settings& s) { s.least_loaded = true; }), 1, 1);
  EXPECT_EQ(nodes_of(b, tasks(1)), "2");
  EXPECT_EQ(nodes_of(b, on_nodes(4)), "1-2,5-6");
}

TEST(NodeChoice, OfWholeNodesIsThatOfTheFirst) {
  auto b = ClusterBuilder().nodes(6, 4).settings([](Settings& s) { s.whole_nodes = true; });
  EXPECT_EQ(nodes_of(filled(b, 2, 4), on_nodes(2)), "1,3") << "not the two behind";
}

TEST(NodeChoice, OfAJobOfOneCpuCanBeTheLastNode) {
  auto b = weighted().settings([](Settings& s) { s.serial_at_end = true; });
  EXPECT_EQ(nodes_of(b, tasks(1)), "6") << "of the light ones";
  EXPECT_EQ(nodes_of(b, tasks(2)), "1");
  EXPECT_EQ(nodes_of(filled(b, 6, 4), tasks(1)), "5");
  EXPECT_EQ(nodes_of(b, tasks(1).on("n3")), "3");
}

TEST(NodeChoice, TakesOfARangeAsManyAsThereAreTasksFor) {
  auto b = ClusterBuilder().nodes(6, 4);
  EXPECT_EQ(nodes_of(b, on_nodes(1, 4).tasks_per_node(2)), "1-2");
  EXPECT_EQ(nodes_of(b, on_nodes(2, 4).tasks(2).tasks_per_node(3)), "1-2");
  EXPECT_EQ(nodes_of(b, on_nodes(1, 4).set(&JobRequest::use_min_nodes, true)), "1");
}

TEST(NodeChoice, OfARangeWithCountedGpusIsOfFewNodes) {
  auto b = ClusterBuilder().nodes(3, 8).gpus(4);
  EXPECT_EQ(nodes_of(b, on_nodes(1, 3).gpus("5")), "1-2");
  EXPECT_EQ(nodes_of(b, on_nodes(1, 2).tasks(6).gpus("3")), "1");
}

TEST(NodeChoice, HasRoomForOneTaskWhereAllAreOne) {
  auto b = ClusterBuilder().nodes(1, 4);
  Plan p = plan(b.pending(tasks(1).tasks_per_node(3)).build(), t0);
  EXPECT_EQ(p.starts.at(0).allocation.at(0).cpus.size(), 1u);
}

// n1-n2 have a, n3-n4 have b.
ClusterBuilder with_features() {
  return ClusterBuilder().nodes(2, 4).features({"a"}).nodes(2, 4).features({"b"});
}
std::string with(Text features, SpecBuilder spec = job().memory(1)) {
  return nodes_of(with_features(), spec.features(std::move(features)));
}

TEST(NodeChoice, ByCountedFeaturesIsOfSoManyNodes) {
  EXPECT_EQ(with("[a*1&b*2]"), "1,3-4");
  EXPECT_EQ(with("a*2"), "1-2");
  EXPECT_EQ(with("a*2", tasks(1)), "1-2");
  EXPECT_EQ(with("[a*1&b*1]", on_nodes(3)), "1-3");
  EXPECT_EQ(with("[a*1&b*1]", on_nodes(2, 4)), "1,3");
  EXPECT_EQ(with("a*2", on_nodes(1)), "none");
  EXPECT_EQ(with("[a*3&b*1]"), "none");
}

TEST(NodeChoice, ByFeaturesRefusesThoseThatNoNodeHas) {
  auto cluster = with_features().build();
  for (const char* text : {"a", "a&b", "[a|b]", "(a|b)&a*2"})
    EXPECT_TRUE(check_features(cluster, text)) << text;
  for (const char* text : {"c", "a&c", "[a|c]", "(a|(b&c))", "c*2", "a&"})
    EXPECT_FALSE(check_features(cluster, text)) << text;
}

}  // namespace
}  // namespace muster::sched::node_choice_test
