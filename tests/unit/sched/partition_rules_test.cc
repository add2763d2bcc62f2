// What a job gets depends on the partition in which it starts: time limit and maximum memory.
#include <gtest/gtest.h>

#include "builders.h"
#include "sched/plan.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// A job that waits in all of these partitions.
Job anywhere(const JobRequest& spec, Cluster cluster, Text partitions, Minutes limit) {
  Job job = make_job(cluster.next_job_id, spec, cluster);
  job.partition = std::move(partitions);
  job.time_limit = limit;
  return job;
}

ClusterBuilder long_and_short() {
  ClusterBuilder builder;
  builder.nodes(2)
      .partition({.name = "long"}, 1, 1)
      .partition({.name = "short", .max_time = Minutes{60}, .default_time = Minutes{10}}, 2, 2);
  return builder;
}

TEST(PartitionRules, AJobWithoutALimitHasThatOfThePartitionThatTakesIt) {
  auto builder = long_and_short();
  builder.running(1);
  const Job waits = anywhere(job(), builder.build(), "long,short", kUnlimited);
  Plan p = plan(builder.event(JobSubmitted{waits}).build(), t0);
  ASSERT_EQ(starts(p), "2");
  EXPECT_EQ(p.starts[0].partition, "short");
  EXPECT_EQ(p.starts[0].time_limit, Minutes{10});
}

TEST(PartitionRules, AJobWithoutALimitFollowsItsPartition) {
  ClusterBuilder builder;
  Cluster cluster = builder.nodes(1).partition({.name = "main"}, 1, 1).pending(job()).build();
  cluster.partitions.edit()[0].max_time = Minutes{5};
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(p.starts[0].time_limit, Minutes{5});
  cluster.partitions.edit()[0].default_time = Minutes{3};
  EXPECT_EQ(plan(cluster, t0).starts[0].time_limit, Minutes{3});
}

TEST(PartitionRules, ALimitThatWasAskedForIsKeptInAllOfThem) {
  auto builder = long_and_short();
  builder.running(1);
  const Job waits = anywhere(job().minutes(90), builder.build(), "long,short", Minutes{90});
  EXPECT_EQ(starts(plan(builder.event(JobSubmitted{waits}).build(), t0)), "");
}

ClusterBuilder little_memory() {
  ClusterBuilder builder;
  builder.nodes(2).partition({.name = "main", .max_memory_per_node_mib = 2000}, 1, 2);
  return builder;
}

TEST(PartitionRules, NoJobHoldsMoreOfANodeThanMaxMemPerNode) {
  auto builder = little_memory();
  builder.pending(job().memory(2001))
      .pending(job())  // all memory of its node
      .pending(job().nodes(1).tasks(4).memory_per_cpu(600))
      .pending(job().exclusive().memory_per_cpu(300))
      .pending(job().memory(2000));
  Plan p = plan(builder.build(), t0);
  for (std::uint32_t id : {1, 2, 3, 4}) EXPECT_EQ(reason(p, id), "MaxMemPerLimit") << id;
  EXPECT_EQ(starts(p), "5");
}

TEST(PartitionRules, TasksAreSpreadToStayBelowMaxMemPerNode) {
  Plan p = plan(little_memory().pending(job().tasks(4).memory_per_cpu(600)).build(), t0);
  ASSERT_EQ(starts(p), "1");
  ASSERT_EQ(p.starts[0].allocation.size(), 2u);
  for (const NodeShare& share : p.starts[0].allocation) EXPECT_LE(share.memory_mib, 2000u);
}

// MaxCPUsPerNode: three CPUs of each node are the partition's.
ClusterBuilder few_cpus() {
  Partition main{.name = "main", .max_nodes = 3};
  main.max_cpus_per_node = 3;
  ClusterBuilder builder;
  builder.nodes(4).partition(main, 1, 4);
  return builder;
}
NodeShare some_of(std::uint32_t node, std::uint32_t cpus) {
  return {.node = NodeId{node},
          .cpus = IdSet::range(0, cpus - 1),
          .memory_mib = 10,
          .tasks = cpus,
          .gres = {}};
}

TEST(PartitionRules, CpusThatJobsGiveBackArePromisedAgain) {
  auto cluster =
      few_cpus()
          .running(job().nodes(2).tasks(5).memory(10).minutes(30), {some_of(1, 3), some_of(2, 2)})
          .pending(job().tasks(9).memory(10).minutes(30))
          .pending(job().tasks(4).memory(10).minutes(31))
          .pending(job().tasks(4).memory(10).minutes(30))
          .build();
  Plan p = plan(cluster, t0);
  ASSERT_TRUE(find_expected(p, JobId{2}));
  EXPECT_EQ(find_expected(p, JobId{2})->at, t0 + Minutes{30});
  EXPECT_EQ(reason(p, 3), "Priority") << "it would keep the other from its CPUs";
  EXPECT_EQ(starts(p), "4");
}

TEST(PartitionRules, NoMoreCpusOfANodeArePromisedThanThePartitionHas) {
  auto cluster = few_cpus()
                     .running(job().nodes(3).tasks(9).memory(10).minutes(30),
                              {some_of(1, 3), some_of(2, 3), some_of(3, 3)})
                     .pending(job().tasks(9).memory(10).minutes(30))
                     .pending(job().tasks(9).memory(10).minutes(30))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_TRUE(find_expected(p, JobId{2}) && find_expected(p, JobId{3}));
  EXPECT_EQ(find_expected(p, JobId{2})->at, t0 + Minutes{30});
  EXPECT_EQ(find_expected(p, JobId{3})->at, t0 + Minutes{60});
}

}  // namespace
}  // namespace muster::sched
