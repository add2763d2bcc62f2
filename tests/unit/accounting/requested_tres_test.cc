// What a job asks for in total, in whichever options it says so: scontrol, squeue and sacct show
// the same.
#include <gtest/gtest.h>

#include "accounting/record.h"
#include "builders.h"

namespace muster::accounting {
namespace {

using test::ClusterBuilder;
using test::job;

std::string requested(const JobRequest& spec) {
  ClusterBuilder builder;
  builder.nodes(4, 16).sockets(2, 4, 2).gpus(2, "v100").gpus(2, "a100").settings(
      [](Settings& s) { s.memory_is_consumable = true; });
  const Cluster cluster = builder.pending(spec).build();
  const Job& waiting = cluster.jobs.at(JobId{1});
  EXPECT_EQ(requested_tres(cluster, waiting).accounting_text(),
            job_record(cluster, waiting).requested_tres.view());
  return requested_tres(cluster, waiting).text();
}

TEST(RequestedTres, CountsTheCpusOfAllTasks) {
  EXPECT_EQ(requested(job().nodes(2).tasks(6).cpus_per_task(2).memory(100)),
            "cpu=12,mem=200M,node=2,billing=12");
}

TEST(RequestedTres, OfTasksThatShareCpusIsOneForEachNode) {
  EXPECT_EQ(requested(job().nodes(2).tasks(40).memory(100).set(&JobRequest::overcommit, true)),
            "cpu=2,mem=200M,node=2,billing=2");
}

TEST(RequestedTres, HasNoFewerCpusThanItsNodesNeed) {
  EXPECT_EQ(requested(job().nodes(2).memory(100).set(&JobRequest::min_cpus_per_node, 4u)),
            "cpu=8,mem=200M,node=2,billing=8");
}

TEST(RequestedTres, CountsTheGpusOfAllSockets) {
  EXPECT_EQ(requested(job()
                          .nodes(2)
                          .memory(100)
                          .set(&JobRequest::sockets_per_node, 2u)
                          .set(&JobRequest::gpus_per_socket, Text("1"))),
            "cpu=2,mem=200M,node=2,billing=2,gres/gpu=4");
}

TEST(RequestedTres, CountsTheMemoryOfAllGpus) {
  EXPECT_EQ(requested(job().nodes(2).gpus_per_node("2").set(&JobRequest::memory_per_gpu_mib,
                                                            std::uint64_t{1000})),
            "cpu=2,mem=4000M,node=2,billing=2,gres/gpu=4");
}

TEST(RequestedTres, AddsUpTheTypesOfADevice) {
  EXPECT_EQ(requested(job().nodes(2).memory(100).gres("gpu:v100:1,gpu:a100:2")),
            "cpu=2,mem=200M,node=2,billing=2,gres/gpu=6");
  EXPECT_EQ(requested(job().nodes(1).tasks(2).memory(100).gpus_per_task("v100:1")),
            "cpu=2,mem=100M,node=1,billing=2,gres/gpu=2");
}

TEST(RequestedTres, HasAllNodesThatAreNamed) {
  EXPECT_EQ(requested(job().nodes(1).on("n[1-3]").memory(100)), "cpu=3,mem=300M,node=3,billing=3");
}

}  // namespace
}  // namespace muster::accounting
