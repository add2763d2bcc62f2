// GPUs of several types in one option.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "builders.h"
#include "sched/place/place.h"
#include "sched/plan.h"

namespace muster::sched::gpu_types_test {
namespace {

using namespace muster::test;

// "n1 v100:2 a100:1; n2 ..." for the first job, on two nodes with both types and one node with each
// type alone.
std::string placed(SpecBuilder wanted) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .gpus(2, "v100")
                     .gpus(2, "a100")
                     .nodes(1)
                     .gpus(4, "v100")
                     .nodes(1)
                     .gpus(4, "a100")
                     .pending(wanted.memory(1))
                     .build();
  Plan p = plan(cluster, t0);
  if (p.starts.empty()) return "waits";
  std::string out;
  for (const NodeShare& share : p.starts[0].allocation) {
    out += (out.empty() ? "" : "; ") + cluster.nodes.at(share.node).config.name.str();
    for (const GresShare& g : share.gres)
      if (g.count > 0) out += fmt::format(" {}:{}", g.type.view(), g.count);
  }
  return out;
}

TEST(GpuTypes, OfAJobAreOnNodesThatHaveThemAll) {
  EXPECT_EQ(placed(job().gpus("v100:2,a100:1")), "n1 v100:2 a100:1");
  EXPECT_EQ(placed(job().gpus("v100:4,a100:4")), "n1 v100:2 a100:2; n2 v100:2 a100:2");
  EXPECT_EQ(placed(job().gpus("v100:5,a100:1")), "waits");
}

TEST(GpuTypes, OfAJobLeaveOneOfEachToEveryLaterNode) {
  EXPECT_EQ(placed(job().nodes(2).gpus("v100:3,a100:2")), "n1 v100:2 a100:1; n2 v100:1 a100:1");
  EXPECT_EQ(placed(job().gpus("a100:4,v100:1")), "n1 a100:2; n2 a100:2 v100:1");
}

TEST(GpuTypes, OfTasksNodesAndSockets) {
  EXPECT_EQ(placed(job().tasks(2).gpus_per_task("v100:1,a100:1")), "n1 v100:2 a100:2");
  EXPECT_EQ(placed(job().tasks(3).gpus_per_task("v100:1,a100:1")),
            "n1 v100:2 a100:2; n2 v100:1 a100:1");
  EXPECT_EQ(placed(job().nodes(2).gpus_per_node("a100:1,v100:2")),
            "n1 a100:1 v100:2; n2 a100:1 v100:2");
  EXPECT_EQ(placed(job().set(&JobRequest::gpus_per_socket, Text("v100:1,a100:2"))),
            "n1 v100:1 a100:2");
}

TEST(GpuTypes, AreCountedEachInItsOwnWay) {
  EXPECT_EQ(placed(job().gpus("v100:1").gpus_per_node("a100:1")), "n1 v100:1 a100:1");
  EXPECT_EQ(placed(job().tasks(2).gpus("v100:2,a100:2").gpus_per_task("v100:1")),
            "n1 a100:2 v100:2");
  EXPECT_EQ(placed(job().tasks(3).gpus("v100:1,a100:3").gpus_per_task("a100:1")),
            "n1 a100:2; n2 v100:1 a100:1");
  EXPECT_EQ(placed(job().gpus_per_node("v100:1,a100:2").gres("gpu:v100:2")), "n1 v100:2 a100:2");
  EXPECT_EQ(placed(job().gpus("v100:2,a100:0")), "n1 v100:2");
}

TEST(GpuTypes, NodesWithEnoughOfThemAreFoundAmongOthers) {
  EXPECT_EQ(placed(job().nodes(1).gpus("a100:4")), "n4 a100:4");
  EXPECT_EQ(placed(job().nodes(2).gpus("a100:6")), "n1 a100:2; n4 a100:4");
  auto cluster =
      ClusterBuilder().nodes(4).gpus(2, "a100").nodes(1).gpus(4, "a100").nodes(1).gpus(4).build();
  for (auto [nodes, gpus] : {std::pair(1u, "a100:4"), std::pair(2u, "a100:6")}) {
    const Partition& partition = *cluster.default_partition();
    auto request = make_request(cluster, job().nodes(nodes).gpus(gpus).memory(1), partition);
    ASSERT_TRUE(request);
    EXPECT_TRUE(feasible(cluster, *request, partition)) << gpus;
  }
}

TEST(GpuTypes, BringMemoryAndCpusTogether) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .gpus(2, "v100")
                     .gpus(2, "a100")
                     .pending(job()
                                  .gpus("v100:2,a100:1")
                                  .set(&JobRequest::cpus_per_gpu, 2u)
                                  .set(&JobRequest::memory_per_gpu_mib, 100u))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(p.starts.size(), 1u);
  EXPECT_EQ(p.starts[0].allocation[0].cpus.size(), 6u);
  EXPECT_EQ(p.starts[0].allocation[0].memory_mib, 300u);
}

}  // namespace
}  // namespace muster::sched::gpu_types_test
