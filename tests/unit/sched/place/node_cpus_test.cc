// Which CPUs a job gets on a node with several sockets.
#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched::node_cpus_test {
namespace {

using namespace muster::test;

// Four sockets of four cores.
ClusterBuilder four_sockets() { return ClusterBuilder().nodes(1).sockets(4, 4, 1); }
SpecBuilder tasks(std::uint32_t n) { return job().tasks(n).memory(1); }
SpecBuilder in_blocks(std::uint32_t n) {
  return tasks(n).set(&JobRequest::distribution, Text("block:block"));
}
NodeShare on_cpus(std::string_view cpus) {
  return {.node = NodeId{1}, .cpus = *IdSet::parse(cpus, 100), .memory_mib = 1, .tasks = 1};
}
std::string cpus_of(ClusterBuilder b, const SpecBuilder& spec) {
  Plan p = plan(b.pending(spec).build(), t0);
  return p.starts.empty() ? "none" : p.starts[0].allocation.at(0).cpus.text();
}
std::string by_socket(const SpecBuilder& spec) {
  auto b = four_sockets().settings([](Settings& s) { s.whole_sockets = true; });
  return cpus_of(b, spec);
}

TEST(NodeCpus, WithWholeSocketsTheJobGetsAllCpusOfItsSockets) {
  EXPECT_EQ(by_socket(tasks(1)), "0-3");
  EXPECT_EQ(by_socket(tasks(3)), "0-11") << "a core of each socket in turn";
  EXPECT_EQ(by_socket(in_blocks(3)), "0-3");
  EXPECT_EQ(by_socket(in_blocks(5)), "0-7");
  EXPECT_EQ(by_socket(tasks(2).cpus_per_task(3)), "0-7") << "a task is not torn apart";
}

TEST(NodeCpus, WithWholeSocketsHaveTheMemoryOfAll) {
  auto b = four_sockets().settings([](Settings& s) { s.whole_sockets = true; });
  b.pending(job().tasks(3).memory_per_cpu(100));
  EXPECT_EQ(plan(b.build(), t0).starts.at(0).allocation.at(0).memory_mib, 1200u);
}

TEST(NodeCpus, InBlocksAreInTheTightestSocketThatHasRoom) {
  auto used = four_sockets().running(tasks(1), {on_cpus("0")}).running(tasks(1), {on_cpus("8-9")});
  EXPECT_EQ(cpus_of(used, in_blocks(2)), "10-11");
  EXPECT_EQ(cpus_of(used, in_blocks(3)), "1-3");
  EXPECT_EQ(cpus_of(used, in_blocks(4)), "4-7");
  EXPECT_EQ(cpus_of(used, in_blocks(5)), "4-7,12") << "none has room: the roomiest first";
}

TEST(NodeCpus, AreInSocketsWithEnoughFreeCores) {
  auto used = four_sockets().running(tasks(1), {on_cpus("0,4")});
  auto spec = [](std::uint32_t sockets, std::uint32_t cores) {
    return tasks(2)
        .set(&JobRequest::sockets_per_node, sockets)
        .set(&JobRequest::cores_per_socket, cores);
  };
  EXPECT_EQ(cpus_of(used, spec(1, 4)), "8,12");
  EXPECT_EQ(cpus_of(used, spec(2, 4)), "8,12");
  EXPECT_EQ(cpus_of(used, spec(4, 3)), "1,5");
  EXPECT_EQ(cpus_of(used, spec(3, 4)), "none");
}

TEST(NodeCpus, WithFewTasksInEachSocketAreInTheLastOnes) {
  auto spec = [](std::uint32_t n, std::uint32_t most) {
    return tasks(n).set(&JobRequest::ntasks_per_socket, most);
  };
  EXPECT_EQ(cpus_of(four_sockets(), spec(1, 1)), "12");
  EXPECT_EQ(cpus_of(four_sockets(), spec(5, 2)), "4-5,8-9,12");
  EXPECT_EQ(cpus_of(four_sockets(), spec(1, 1).cpus_per_task(6)), "0-1,4-5,8,12")
      << "it is larger than a socket";
  auto more = spec(2, 2).set(&JobRequest::min_cpus_per_node, 4u);
  EXPECT_EQ(cpus_of(four_sockets(), more), "0,4,12-13");
}

}  // namespace
}  // namespace muster::sched::node_cpus_test
