// Which cores a job gets on nodes with several sockets and threads, and which are reserved for the
// system.
#include <gtest/gtest.h>

#include "builders.h"
#include "model/node/spec_cores.h"
#include "sched/place/place.h"

namespace muster::sched::cores_test {
namespace {

using namespace muster::test;

ClusterBuilder big_nodes(std::uint32_t count = 1) {
  return ClusterBuilder().nodes(count).sockets(2, 4, 2);
}

// "1:0-1,8-9 2:0-1": nodes and CPUs.
std::string cpus_of(const Cluster& cluster) {
  Plan p = plan(cluster, t0);
  std::string text;
  for (const Start& s : p.starts)
    for (const NodeShare& share : s.allocation)
      text +=
          (text.empty() ? "" : " ") + std::to_string(share.node.value) + ":" + share.cpus.text();
  return text;
}
SpecBuilder tasks(std::uint32_t n) { return job().tasks(n).memory(1); }
std::string cpus_for(SpecBuilder spec, std::uint32_t nodes = 1) {
  return cpus_of(big_nodes(nodes).pending(spec).build());
}
SpecBuilder distributed(std::uint32_t n, Text how) {
  return tasks(n).set(&JobRequest::distribution, std::move(how));
}

TEST(Cores, OfEachSocketAreTakenInTurn) {
  EXPECT_EQ(cpus_for(tasks(2)), "1:0-1");
  EXPECT_EQ(cpus_for(tasks(4)), "1:0-1,8-9");
  EXPECT_EQ(cpus_for(tasks(9)), "1:0-5,8-11");
  EXPECT_EQ(cpus_for(tasks(16)), "1:0-15");
}

TEST(Cores, OfTasksWithSeveralCpusStayTogether) {
  EXPECT_EQ(cpus_for(tasks(4).cpus_per_task(2)), "1:0-7");
  EXPECT_EQ(cpus_for(distributed(4, "block:cyclic").cpus_per_task(2)), "1:0-7");
  EXPECT_EQ(cpus_for(tasks(5).cpus_per_task(2)), "1:0-9");
  EXPECT_EQ(cpus_for(tasks(3).cpus_per_task(3)), "1:0-5,8-11") << "none lies in two sockets";
  EXPECT_EQ(cpus_for(distributed(3, "cyclic:block").cpus_per_task(3)), "1:0-9");
  auto one_thread = tasks(2).cpus_per_task(3).set(&JobRequest::threads_per_core, 1u);
  EXPECT_EQ(cpus_for(one_thread), "1:0-5,8-13");
  EXPECT_EQ(cpus_for(one_thread.tasks(1).cpus_per_task(5)), "1:0-5,8-11") << "it has to";
}

TEST(Cores, GoByTheDistributionThatIsAskedFor) {
  EXPECT_EQ(cpus_for(distributed(4, "block:block")), "1:0-3");
  EXPECT_EQ(cpus_for(distributed(4, "cyclic:cyclic")), "1:0-1,8-9");
  EXPECT_EQ(cpus_for(distributed(4, "plane=2")), "1:0-3");
  auto blocks = big_nodes().settings([](Settings& s) { s.cores_in_blocks = true; });
  EXPECT_EQ(cpus_of(blocks.pending(tasks(4)).build()), "1:0-3");
}

TEST(Cores, OfASecondJobAreTheNextFreeOnes) {
  auto b = big_nodes().pending(distributed(6, "block:block")).pending(tasks(4)).pending(tasks(4));
  EXPECT_EQ(cpus_of(b.build()), "1:0-5 1:6-9 1:10-13");
}

TEST(Nodes, OfARangeAreAsManyAsThereAre) {
  EXPECT_EQ(cpus_for(tasks(4).nodes(1, 4), 4), "1:0-1 2:0-1 3:0-1 4:0-1");
  EXPECT_EQ(cpus_for(tasks(4).nodes(1, 4).set(&JobRequest::use_min_nodes, true), 4), "1:0-1,8-9");
  EXPECT_EQ(cpus_for(tasks(2).nodes(1, 4), 4), "1:0-1 2:0-1");
}

TEST(Nodes, HoldAsManyTasksAsTheirCoreHasThreads) {
  Plan p = plan(big_nodes(2).pending(tasks(4).nodes(2)).build(), t0);
  ASSERT_EQ(p.starts.size(), 1u);
  EXPECT_EQ(p.starts[0].allocation[0].tasks, 2u);
  EXPECT_EQ(p.starts[0].allocation[1].tasks, 2u);
}

TEST(Nodes, OfTheSecondRankAreLeftOneCoreEach) {
  EXPECT_EQ(cpus_for(tasks(8).nodes(2), 2), "1:0-3,8-9 2:0-1");
  EXPECT_EQ(cpus_for(tasks(16).nodes(4), 4), "1:0-5,8-11 2:0-1 3:0-1 4:0-1");
  auto one_thread = tasks(8).nodes(2).set(&JobRequest::threads_per_core, 1u);
  EXPECT_EQ(cpus_for(one_thread, 2), "1:0-13 2:0-1") << "a core holds one task then";
}

TEST(SpecialisedCores, AreTheLastOfEachSocketInTurn) {
  NodeConfig node;
  node.cpus = 16;
  node.sockets = 2;
  node.cores_per_socket = 4;
  node.threads_per_core = 2;
  EXPECT_EQ(spec_cpus(node, 1).text(), "14-15");
  EXPECT_EQ(spec_cpus(node, 2).text(), "6-7,14-15");
  EXPECT_EQ(spec_cpus(node, 4).text(), "4-7,12-15");
  node.first_cores_spec = true;
  EXPECT_EQ(spec_cpus(node, 1).text(), "0-1") << "spec_cores_first";
  EXPECT_EQ(spec_cpus(node, 3).text(), "0-3,8-9");
  node.cpu_spec_list = "0,8";
  EXPECT_EQ(spec_cpus(node).text(), "0-1,8-9");
}

TEST(SpecialisedCores, AreKeptFromJobs) {
  auto kept = [](SpecBuilder spec) {
    return cpus_of(big_nodes()
                       .node_config([](NodeConfig& n) { n.core_spec_count = 2; })
                       .pending(spec)
                       .build());
  };
  EXPECT_EQ(kept(tasks(12)), "1:0-5,8-13");
  EXPECT_EQ(kept(tasks(13)), "");
  EXPECT_EQ(kept(tasks(1).exclusive()), "1:0-5,8-13");
}

TEST(SpecialisedCores, WithCoreSpecReplaceTheNodesOwnAndStayUnused) {
  auto asks = [](std::uint32_t cores) { return tasks(1).set(&JobRequest::core_spec, cores); };
  EXPECT_EQ(cpus_for(asks(1)), "1:0-13");
  EXPECT_EQ(cpus_for(asks(2)), "1:0-5,8-13");
  EXPECT_EQ(cpus_for(asks(8)), "");
  EXPECT_EQ(cpus_of(big_nodes().pending(asks(2)).pending(tasks(1)).build()), "1:0-5,8-13");
  Cluster cluster = big_nodes().pending(asks(2)).build();
  take_over(cluster, plan(cluster, t0), t0);
  EXPECT_EQ(cluster.nodes.at(NodeId{1}).used_cpus.text(), "0-15");
}

// --- what can never run ---

std::string refusal(SpecBuilder spec) {
  Cluster cluster = big_nodes(2).gpus(4).build();
  const Partition& partition = *cluster.default_partition();
  auto request = make_request(cluster, spec, partition);
  EXPECT_TRUE(request);
  auto shares = feasible(cluster, *request, partition);
  return shares ? "it fits" : shares.error().detail + "\n" + shares.error().advice;
}

TEST(Impossible, SaysWhichPartOfTheRequestAndWhatWouldFit) {
  EXPECT_EQ(refusal(tasks(1).gres("gpu:9")), "\nno node has 9 GPUs; the largest has 4 (n1)");
  EXPECT_EQ(refusal(tasks(1).gres("gpu:a100:1")),
            "\nno node has 1 GPUs of type a100; the largest has 0 (n1)");
  EXPECT_EQ(refusal(job().gpus("10")), "\nit asks for 10 GPUs; partition main has 8");
  EXPECT_EQ(refusal(job().memory(99999)),
            "Memory specification can not be satisfied\n"
            "no node has 99999 MB of memory; the largest has 16000 (n1)");
  EXPECT_EQ(refusal(job().set(&JobRequest::sockets_per_node, 3u)),
            "Socket, core and/or thread specification can not be satisfied\n"
            "no node has 3 sockets; the largest has 2 (n1)");
  EXPECT_EQ(refusal(tasks(1).cpus_per_task(20)),
            "CPU count per node can not be satisfied\n"
            "no node has 20 CPUs; the largest has 16 (n1)");
  EXPECT_EQ(refusal(tasks(40).nodes(1, 2)), "\nit has 40 tasks; 2 of the largest nodes hold 32");
}

}  // namespace
}  // namespace muster::sched::cores_test
