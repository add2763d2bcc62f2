// Limits of a QOS: jobs that may not start although there is room, jobs that are refused, and the
// names of the reasons.
#include "sched/limits/limits.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

constexpr std::string_view kStarts = "(no wait)";

// The reason of the second of two such jobs; both would fit on the cluster.
std::string second_waits_for(std::string_view limits, const SpecBuilder& spec) {
  ClusterBuilder b;
  b.nodes(4).gpus(4).qos("q", limits);
  SpecBuilder with = spec;
  with.qos("q").memory(100);
  b.pending(with).pending(with);
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(reason(p, 1), kStarts) << limits;
  return reason(p, 2);
}

// The reason of a single such job.
std::string one_waits_for(std::string_view limits, const SpecBuilder& spec) {
  ClusterBuilder b;
  b.nodes(4).gpus(4).qos("q", limits);
  SpecBuilder with = spec;
  with.qos("q").memory(100);
  b.pending(with);
  return reason(plan(b.build(), t0), 1);
}

TEST(Limits, OfOneUserCountHisRunningJobs) {
  EXPECT_EQ(second_waits_for("MaxJobsPU=1", job()), "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(second_waits_for("MaxJobsPU=2", job()), kStarts);
  EXPECT_EQ(second_waits_for("MaxTRESPU=cpu=3", job().cpus_per_task(2)), "QOSMaxCpuPerUserLimit");
  EXPECT_EQ(second_waits_for("MaxTRESPU=cpu=4", job().cpus_per_task(2)), kStarts);
  EXPECT_EQ(second_waits_for("MaxTRESPU=gres/gpu=3", job().gres("gpu:2")), "QOSMaxGRESPerUser");
  EXPECT_EQ(second_waits_for("MaxTRESPU=gres/gpu:v100=3", job().gres("gpu:2")),
            "QOSMaxGRESPerUser");
  EXPECT_EQ(second_waits_for("MaxTRESPU=gres/gpu:a100=3", job().gres("gpu:2")), kStarts);
  EXPECT_EQ(second_waits_for("MaxTRESPU=mem=150", job()), "QOSMaxMemoryPerUser");
  EXPECT_EQ(second_waits_for("MaxTRESPU=node=1", job().exclusive()), "QOSMaxNodePerUserLimit");
}

TEST(Limits, OfAJobKeepBackThoseBehindItWhereTheSiteSaysSo) {
  for (bool stop : {false, true}) {
    ClusterBuilder b;
    b.nodes(4).qos("q", "MaxJobsPU=1").settings([&](Settings& s) { s.limits_stop = stop; });
    b.pending(job().qos("q").memory(1)).pending(job().qos("q").memory(1)).pending(job().memory(1));
    EXPECT_EQ(reason(plan(b.build(), t0), 3), stop ? "Priority" : kStarts);
  }
}

TEST(Limits, OfTheWholeQosCountEverybodysJobs) {
  EXPECT_EQ(second_waits_for("GrpJobs=1", job()), "QOSGrpJobsLimit");
  EXPECT_EQ(second_waits_for("GrpTRES=cpu=1", job()), "QOSGrpCpuLimit");
  EXPECT_EQ(second_waits_for("GrpTRESRunMins=cpu=100", job().minutes(60)),
            "QOSGrpCPURunMinutesLimit");
  EXPECT_EQ(second_waits_for("GrpTRESRunMins=cpu=120", job().minutes(60)), kStarts);
  ClusterBuilder b;
  b.nodes(4).qos("q", "GrpJobs=1 MaxJobsPU=1");
  b.pending(job().qos("q").memory(1)).pending(job().qos("q").memory(1).user(kBob));
  EXPECT_EQ(reason(plan(b.build(), t0), 2), "QOSGrpJobsLimit");
}

TEST(Limits, OfAnAccountCountItsJobs) {
  EXPECT_EQ(second_waits_for("MaxJobsPA=1", job()), "MaxJobsPerAccount");
  EXPECT_EQ(second_waits_for("MaxTRESPA=cpu=1", job()), "MaxCpuPerAccount");
  ClusterBuilder b;
  b.nodes(4).qos("q", "MaxJobsPA=1");
  b.pending(job().qos("q").memory(1).account("a")).pending(job().qos("q").memory(1).account("b"));
  EXPECT_EQ(reason(plan(b.build(), t0), 2), kStarts);
}

TEST(Limits, OfOneJobKeepItWaitingForEver) {
  EXPECT_EQ(one_waits_for("MaxWall=10", job().minutes(20)), "QOSMaxWallDurationPerJobLimit");
  EXPECT_EQ(one_waits_for("MaxWall=20", job().minutes(20)), kStarts);
  EXPECT_EQ(one_waits_for("MaxTRES=cpu=1", job().cpus_per_task(2)), "QOSMaxCpuPerJobLimit");
  EXPECT_EQ(one_waits_for("MaxNodes=1", job().nodes(2)), "QOSMaxNodePerJobLimit");
  EXPECT_EQ(one_waits_for("MaxTRESPN=gres/gpu=1", job().gres("gpu:2")), "QOSMaxGRESPerNode");
  EXPECT_EQ(one_waits_for("MaxTRESMins=cpu=59", job().minutes(60)), "QOSMaxCpuMinutesPerJobLimit");
  EXPECT_EQ(one_waits_for("MinTRES=cpu=2", job()), "QOSMinCpuNotSatisfied");
  EXPECT_EQ(one_waits_for("MinTRES=gres/gpu=1", job()), "QOSMinGRES");
}

TEST(Limits, ANodeThatJobsShareCountsOnce) {
  auto waits = [](const SpecBuilder& spec) {
    SpecBuilder with = spec;
    const NodeShare share{
        .node = NodeId{1}, .cpus = IdSet::range(0, 0), .memory_mib = 1, .gres = {}};
    ClusterBuilder b;
    b.nodes(3).qos("q", "GrpTRES=node=2").running(job().qos("q").memory(1), {share});
    return reason(plan(b.pending(with.qos("q").memory(1)).build(), t0), 2);
  };
  EXPECT_EQ(waits(job().nodes(2).on("n1")), kStarts);
  EXPECT_EQ(waits(job().nodes(2).on("n[2-3]")), "QOSGrpNodeLimit");
  EXPECT_EQ(waits(job().nodes(3)), "QOSGrpNodeLimit");
}

TEST(Limits, FlagsOfAQosOverrideBoundsOfThePartition) {
  auto waits = [](std::string_view flags, const SpecBuilder& spec) {
    SpecBuilder with = spec;
    ClusterBuilder b;
    b.nodes(4)
        .qos("q", flags)
        .partition({.name = "main", .max_time = Minutes{10}, .min_nodes = 2, .max_nodes = 3}, 1, 4);
    return reason(plan(b.pending(with.qos("q").memory(1)).build(), t0), 1);
  };
  EXPECT_EQ(waits("Priority=1", job().nodes(2).minutes(20)), "PartitionTimeLimit");
  EXPECT_EQ(waits("Flags=PartitionTimeLimit", job().nodes(2).minutes(20)), kStarts);
  EXPECT_EQ(waits("Priority=1", job().nodes(4).minutes(5)), "PartitionNodeLimit");
  EXPECT_EQ(waits("Flags=PartitionMaxNodes", job().nodes(4).minutes(5)), kStarts);
  EXPECT_EQ(waits("Priority=1", job().nodes(1, 1).minutes(5)), "PartitionNodeLimit");
  EXPECT_EQ(waits("Flags=PartitionMinNodes", job().nodes(1, 1).minutes(5)), kStarts);
}

TEST(Limits, ListsOfThePartitionCountForJobsThatWait) {
  ClusterBuilder b;
  b.nodes(1).qos("q", "Priority=1").partition({.name = "main", .allow_accounts = "Lab"}, 1, 1);
  b.pending(job().account("lab").memory(1)).pending(job().account("other").memory(1));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(reason(p, 1), kStarts);
  EXPECT_EQ(reason(p, 2),
            "Job's account not permitted to use this partition (main allows Lab not other)");
}

TEST(Limits, RunningJobsCountAndEndedOnesDoNot) {
  ClusterBuilder b;
  NodeShare share{.node = NodeId{1}, .cpus = IdSet::range(0, 0), .memory_mib = 1, .gres = {}};
  b.nodes(2).qos("q", "MaxJobsPU=1").running(job().qos("q").memory(1), {share});
  b.pending(job().qos("q").memory(1));
  EXPECT_EQ(reason(plan(b.build(), t0), 2), "QOSMaxJobsPerUserLimit");
  b.ended(1, JobState::completed);
  EXPECT_EQ(reason(plan(b.build(), t0), 2), kStarts);
}

TEST(Limits, WhoeverIsKeptBackByHisOwnDoesNotStandInTheWayOfOthers) {
  ClusterBuilder b;
  b.nodes(1).qos("q", "MaxJobsPU=0").pending(job().qos("q").exclusive()).pending(job());
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(reason(p, 1), "QOSMaxJobsPerUserLimit");
  EXPECT_EQ(reason(p, 2), kStarts);
}

TEST(Limits, OfAPartitionsQosComeBeforeTheJobsUnlessItSaysOtherwise) {
  auto waits = [](std::string_view own) {
    ClusterBuilder b;
    b.nodes(4).qos("p", "MaxWall=10").qos("q", own).partition({.name = "main", .qos = "p"}, 1, 4);
    b.pending(job().qos("q").minutes(20));
    return reason(plan(b.build(), t0), 1);
  };
  EXPECT_EQ(waits("MaxWall=30"), "QOSMaxWallDurationPerJobLimit");
  EXPECT_EQ(waits("MaxWall=30 Flags=OverPartQOS"), kStarts);
  EXPECT_EQ(waits("Priority=1"), "QOSMaxWallDurationPerJobLimit");
}

TEST(Limits, TasksOfAnArrayAreJobsOfTheirOwn) {
  ClusterBuilder b;
  b.nodes(4).qos("q", "MaxJobsPU=3").pending(job().qos("q").memory(1).array("0-9"));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(p.starts.size(), 3u);
  EXPECT_EQ(reason(p, 1), "QOSMaxJobsPerUserLimit");
}

Text refusal(std::string_view limits, const SpecBuilder& spec, std::uint64_t tasks = 1) {
  ClusterBuilder b;
  b.nodes(1).qos("q", limits).pending(job().qos("q"));
  Cluster cluster = b.build();
  SpecBuilder with = spec;
  Job one = make_job(JobId{2}, with.qos("q"), cluster);
  std::vector<NodeShare> shares{{.node = NodeId{1}, .cpus = IdSet::range(0, 1), .gres = {}}};
  Licenses no_licenses;
  return refused_by_limit(
      cluster, {&one, cluster.default_partition(), &shares, &no_licenses, one.time_limit}, tasks);
}

TEST(Limits, OnTheLengthOfTheQueueRefuse) {
  EXPECT_EQ(refusal("MaxSubmitPU=1", job()), "QOSMaxSubmitJobPerUserLimit");
  EXPECT_EQ(refusal("MaxSubmitPU=2", job()), "");
  EXPECT_EQ(refusal("MaxSubmitPU=2", job(), 2), "QOSMaxSubmitJobPerUserLimit");
  EXPECT_EQ(refusal("MaxSubmitPU=1", job().user(kBob)), "");
  EXPECT_EQ(refusal("GrpSubmit=1", job().user(kBob)), "QOSGrpSubmitJobsLimit");
  EXPECT_EQ(refusal("MaxSubmitPA=1", job().user(kBob)), "MaxSubmitJobsPerAccount");
}

TEST(Limits, RefuseAtOnceOnlyWithDenyOnLimit) {
  EXPECT_EQ(refusal("MaxWall=10", job().minutes(20)), "");
  EXPECT_EQ(refusal("MaxWall=10 Flags=DenyOnLimit", job().minutes(20)),
            "QOSMaxWallDurationPerJobLimit");
  EXPECT_EQ(refusal("MaxTRESPU=cpu=1 Flags=DenyOnLimit", job()), "QOSMaxCpuPerUserLimit");
  EXPECT_EQ(refusal("MaxTRESPU=cpu=2 Flags=DenyOnLimit", job()), "");
  EXPECT_EQ(refusal("MaxJobsPU=0 Flags=DenyOnLimit", job()), "");
}

}  // namespace
}  // namespace muster::sched
