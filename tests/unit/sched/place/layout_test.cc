// The layout of jobs on nodes with two sockets of four cores with two threads: CPUs, and the
// numbers of tasks that the job sees.
#include <gtest/gtest.h>

#include "builders.h"
#include "sched/place/place.h"

namespace muster::sched::layout_test {
namespace {

using namespace muster::test;

// "14,4,2(x2) 12,4,2(x2)": CPUs and tasks of each node.
std::string layout(const SpecBuilder& spec) {
  Plan p = plan(ClusterBuilder().nodes(4).sockets(2, 4, 2).pending(spec).build(), t0);
  if (p.starts.size() != 1) return "";
  std::vector<std::uint32_t> cpus, tasks;
  for (const NodeShare& share : p.starts[0].allocation) {
    cpus.push_back(share.usable_cpus());
    tasks.push_back(share.tasks);
  }
  return compress_counts(cpus) + " " + compress_counts(tasks);
}
std::string nodes_of(const SpecBuilder& spec) {
  Plan p = plan(ClusterBuilder().nodes(4).sockets(2, 4, 2).pending(spec).build(), t0);
  std::string text;
  for (const Start& start : p.starts)
    for (const NodeShare& share : start.allocation)
      text += "n" + std::to_string(share.node.value) + ":" + std::to_string(share.tasks) + " ";
  return text;
}
SpecBuilder tasks(std::uint32_t n) { return job().tasks(n).memory(1); }
SpecBuilder on_nodes(std::uint32_t low, std::uint32_t high = 0) {
  return job().nodes(low, high).memory(1);
}

TEST(Layout, OfFixedNodesLeavesACoreToEach) {
  EXPECT_EQ(layout(tasks(20).nodes(2)), "16,4 16,4");
  EXPECT_EQ(layout(tasks(20).nodes(4)), "14,2(x3) 14,2(x3)");
  EXPECT_EQ(layout(tasks(17)), "16,2 15,2") << "told by the CPUs, not as they were placed";
}

TEST(Layout, OfARangeOfNodes) {
  EXPECT_EQ(layout(tasks(20).nodes(2, 4)), "14,4,2(x2) 12,4,2(x2)");
  EXPECT_EQ(layout(tasks(40).nodes(2, 4)), "16(x2),8,2 15(x2),8,2");
  EXPECT_EQ(layout(tasks(5).nodes(1, 3)), "4,2(x2) 2(x2),1");
  EXPECT_EQ(layout(tasks(6).nodes(2, 4).cpus_per_task(4)), "8(x2),4(x2) 2(x2),1(x2)");
}

TEST(Layout, OfAJobWithSpreadJobUsesAllNodes) {
  auto spread = [](std::uint32_t n) { return tasks(n).set(&JobRequest::spread_job, true); };
  EXPECT_EQ(layout(spread(6)), "4,2(x3) 2(x2),1(x2)");
  EXPECT_EQ(layout(spread(20)), "14,4,2(x2) 12,4,2(x2)");
  EXPECT_EQ(layout(spread(20).cpus_per_task(2)), "16,14,8,2 8,7,4,1");
}

TEST(Layout, WithTasksPerNodeHasRoomForThemOnEach) {
  EXPECT_EQ(layout(tasks(20).tasks_per_node(12)), "12(x2) 12(x2)");
  EXPECT_EQ(layout(tasks(7).tasks_per_node(3)), "4(x3) 3(x3)");
  EXPECT_EQ(layout(tasks(5).tasks_per_node(12)), "12 12");
  EXPECT_EQ(layout(on_nodes(2, 4).tasks_per_node(3)), "4(x4) 3(x4)");
  EXPECT_EQ(layout(tasks(20).tasks_per_node(17)), "");
  EXPECT_EQ(layout(tasks(20).nodes(1, 1).tasks_per_node(12)), "") << "not on one node";
}

TEST(Layout, WithoutANumberOfTasksFollowsTheCpus) {
  EXPECT_EQ(layout(on_nodes(2)), "2(x2) 2(x2)");
  EXPECT_EQ(layout(on_nodes(2).exclusive()), "16(x2) 16(x2)");
  EXPECT_EQ(layout(on_nodes(2).exclusive().cpus_per_task(5)), "16(x2) 3(x2)");
}

TEST(Layout, OfWholeNodesAndOvercommittedOnesIsEven) {
  EXPECT_EQ(layout(tasks(20).exclusive()), "16(x2) 10(x2)");
  EXPECT_EQ(layout(tasks(5).nodes(2).exclusive()), "16(x2) 3,2");
  EXPECT_EQ(layout(tasks(40).nodes(2).set(&JobRequest::overcommit, true)), "2(x2) 20(x2)");
  EXPECT_EQ(layout(tasks(20).set(&JobRequest::min_cpus_per_node, 8u)), "12,8 12,8");
}

TEST(Layout, CountsOnlyTheThreadsThatAreUsed) {
  EXPECT_EQ(layout(tasks(5).set(&JobRequest::threads_per_core, 1u)), "5 5");
  EXPECT_EQ(layout(tasks(20).set(&JobRequest::threads_per_core, 1u)), "8(x2),4 8(x2),4");
}

TEST(Layout, TasksPerCoreBoundTheTasksThatAreShown) {
  auto alone = [](std::uint32_t n) { return tasks(n).set(&JobRequest::ntasks_per_core, 1u); };
  EXPECT_EQ(layout(alone(10)), "16,4 8,2");
  EXPECT_EQ(layout(alone(2).cpus_per_task(3)), "8 2") << "none shares its core";
}

TEST(Layout, OfSingleCpusGoesOneSocketAfterTheOther) {
  auto b = ClusterBuilder().nodes(4).sockets(2, 4, 2);
  b.settings([](Settings& s) { s.use_core_granularity = false; });
  std::string text;
  for (const Start& start : plan(b.pending(tasks(20).nodes(3)).build(), t0).starts)
    for (const NodeShare& share : start.allocation) text += share.cpus.text() + " ";
  EXPECT_EQ(text, "0-15 0-1 0-1 ") << "a core is left to each node";
}

TEST(RequiredNodes, AreFilledFirstAndThenTheOnesBehindThem) {
  EXPECT_EQ(nodes_of(tasks(20).on("n3")), "n3:16 n4:4 ");
  EXPECT_EQ(nodes_of(tasks(20).on("n4")), "n3:4 n4:16 ");
  EXPECT_EQ(nodes_of(tasks(40).on("n3")), "n2:8 n3:16 n4:16 ");
  EXPECT_EQ(nodes_of(tasks(3).nodes(3).on("n[1,4]")), "n1:1 n2:1 n4:1 ");
}

TEST(Nodes, AreTakenInTheirOrderUnlessOneWillDo) {
  auto busy = [](const SpecBuilder& spec) {
    auto b = ClusterBuilder().nodes(4).sockets(2, 4, 2);
    auto held = [](std::uint32_t node, std::uint32_t cpus) {
      return std::vector<NodeShare>{{.node = NodeId{node}, .cpus = IdSet::range(0, cpus - 1)}};
    };
    b.running(tasks(1), held(1, 4)).running(tasks(1), held(2, 8)).running(tasks(1), held(3, 4));
    std::string text;
    for (const Start& start : plan(b.pending(spec).build(), t0).starts)
      for (const NodeShare& share : start.allocation)
        text += "n" + std::to_string(share.node.value) + ":" + std::to_string(share.tasks) + " ";
    return text;
  };
  EXPECT_EQ(busy(tasks(16)), "n4:16 ");
  EXPECT_EQ(busy(tasks(20)), "n1:12 n2:8 ");
  EXPECT_EQ(busy(tasks(40)), "n1:12 n2:8 n3:12 n4:8 ");
  EXPECT_EQ(busy(tasks(20).nodes(2, 2).cpus_per_task(1)), "n1:12 n2:8 ");
  EXPECT_EQ(busy(tasks(28).nodes(2, 2)), "n1:12 n4:16 ");
}

}  // namespace
}  // namespace muster::sched::layout_test
