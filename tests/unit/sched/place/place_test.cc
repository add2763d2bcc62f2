// Where a job is placed: nodes, CPUs, memory, devices and tasks.
#include "sched/place/place.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched::place_test {
namespace {

using namespace muster::test;

// "n1:2 n3:1": nodes and tasks of the first start; "" if nothing starts.
std::string placed(const Cluster& cluster, std::size_t which = 0) {
  Plan p = plan(cluster, t0);
  if (p.starts.size() <= which) return "";
  std::string out;
  for (const NodeShare& share : p.starts[which].allocation) {
    if (!out.empty()) out += ' ';
    out += cluster.nodes.at(share.node).config.name.str() + ":" + std::to_string(share.tasks);
  }
  return out;
}
NodeShare first_share(const Cluster& cluster) {
  Plan p = plan(cluster, t0);
  return p.starts.empty() ? NodeShare{} : p.starts[0].allocation[0];
}
std::string devices(const NodeShare& share) {
  std::string out;
  for (const GresShare& g : share.gres) {
    if (!out.empty()) out += ' ';
    out += g.name.str() + ":" + g.type.str() + ":" + std::to_string(g.count);
    if (!g.indices.empty()) out += "[" + g.indices.text() + "]";
  }
  return out;
}
Result<void> feasibility(const ClusterBuilder& builder, const SpecBuilder& spec) {
  Cluster cluster = ClusterBuilder(builder).build();
  const Partition& partition = *cluster.default_partition();
  auto request = make_request(cluster, spec, partition);
  if (!request) return std::unexpected(request.error());
  if (auto shares = feasible(cluster, *request, partition); !shares)
    return std::unexpected(shares.error());
  return {};
}
ErrorCode refusal(const ClusterBuilder& builder, const SpecBuilder& spec) {
  auto result = feasibility(builder, spec);
  return result ? ErrorCode{} : result.error().code;
}

TEST(Tasks, TheFirstNodeTakesWhatTheOthersLeaveOver) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().nodes(2).tasks(4)).build();
  EXPECT_EQ(placed(cluster), "n1:3 n2:1");
}

TEST(Tasks, WithoutANumberEveryNodeGetsOne) {
  EXPECT_EQ(placed(ClusterBuilder().nodes(4).pending(3).build()), "n1:1 n2:1 n3:1");
}

TEST(Tasks, SpreadOverMoreNodesWhenOneIsTooSmall) {
  auto cluster = ClusterBuilder().nodes(4, 4).pending(job().tasks(6)).build();
  EXPECT_EQ(placed(cluster), "n1:4 n2:2");
}

TEST(Tasks, NtasksPerNodeIsTheNumberOnEachNode) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().tasks(4).tasks_per_node(2)).build();
  EXPECT_EQ(placed(cluster), "n1:2 n2:2");
}

TEST(Tasks, NtasksPerNodeAloneMultipliesTheNodes) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().nodes(2).tasks_per_node(3)).build();
  EXPECT_EQ(placed(cluster), "n1:3 n2:3");
}

TEST(Tasks, CpusPerTaskBoundTheTasksOfANode) {
  auto cluster = ClusterBuilder().nodes(4).pending(job().tasks(4).cpus_per_task(4)).build();
  EXPECT_EQ(placed(cluster), "n1:2 n2:2");
  EXPECT_EQ(first_share(cluster).cpus.text(), "0-7");
}

TEST(Tasks, AreWhereAnArbitraryListSays) {
  auto listed = [](Text names, std::uint32_t tasks) {
    return job()
        .nodes(2, 2)
        .tasks(tasks)
        .on(std::move(names))
        .set(&JobRequest::distribution, Text("arbitrary"));
  };
  auto cluster = ClusterBuilder().nodes(4).pending(listed("n3,n2,n3,n3", 4)).build();
  EXPECT_EQ(placed(cluster), "n2:1 n3:3");
  auto tight = ClusterBuilder().nodes(4, 2).pending(listed("n3,n2,n3,n3", 4)).build();
  EXPECT_EQ(placed(tight), "") << "two CPUs do not hold three tasks";
}

TEST(Cpus, AreAllocatedInTheUnitOfThePartition) {
  auto share_in = [](Text parameters) {
    Partition partition{.name = "p"};
    partition.select_type_parameters = std::move(parameters);
    ClusterBuilder b;
    b.nodes(1).sockets(2, 4, 2).partition(std::move(partition), 1, 1);
    return first_share(b.pending(job().tasks(1).memory(100)).build());
  };
  EXPECT_EQ(share_in("").cpus.size(), 2u);
  EXPECT_EQ(share_in("CR_Socket").cpus.size(), 8u);
  EXPECT_EQ(share_in("CR_Socket").memory_mib, 0u);
  EXPECT_EQ(share_in("CR_Core_Memory").memory_mib, 100u);
}

TEST(Nodes, ARangeTakesAllNodesItCanUnlessUseMinNodesIsSet) {
  auto range = job().nodes(2, 3);
  EXPECT_EQ(placed(ClusterBuilder().nodes(4).pending(range).build()), "n1:1 n2:1 n3:1");
  range.set(&JobRequest::use_min_nodes, true);
  EXPECT_EQ(placed(ClusterBuilder().nodes(4).pending(range).build()), "n1:1 n2:1");
  auto cluster = ClusterBuilder().nodes(4, 4).pending(job().nodes(1, 3).tasks(10)).build();
  EXPECT_EQ(placed(cluster), "n1:4 n2:4 n3:2");
}

TEST(Nodes, ARangeIsNotExceeded) {
  auto cluster = ClusterBuilder().nodes(4, 4).pending(job().nodes(1, 2).tasks(10)).build();
  EXPECT_EQ(placed(cluster), "");
}

TEST(Nodes, ListedNodesAreTakenAndExcludedNodesAreNot) {
  EXPECT_EQ(placed(ClusterBuilder().nodes(4).pending(job().on("n[3-4]")).build()), "n3:1 n4:1");
  EXPECT_EQ(placed(ClusterBuilder().nodes(4).pending(job().nodes(2).on("n4")).build()),
            "n3:1 n4:1");
  EXPECT_EQ(placed(ClusterBuilder().nodes(4).pending(job().nodes(2).not_on("n[1,3]")).build()),
            "n2:1 n4:1");
}

TEST(Nodes, ContiguousNodesAreNeighbours) {
  auto cluster = ClusterBuilder().nodes(5).down(2).pending(job().nodes(2).contiguous()).build();
  EXPECT_EQ(placed(cluster), "n3:1 n4:1");
  auto none = ClusterBuilder().nodes(3).down(2).pending(job().nodes(2).contiguous()).build();
  EXPECT_EQ(placed(none), "");
}

TEST(Nodes, NodesOfLowWeightComeFirst) {
  auto cluster = ClusterBuilder().nodes(1).weight(9).nodes(2).weight(3).pending(1).build();
  EXPECT_EQ(placed(cluster), "n2:1");
}

TEST(Nodes, FeaturesSelect) {
  ClusterBuilder b;
  b.nodes(1).features({"old"}).nodes(1).features({"new", "fast"});
  auto where = [&](const char* text) {
    return placed(ClusterBuilder(b).pending(job().features(text)).build());
  };
  EXPECT_EQ(where("fast"), "n2:1");
  EXPECT_EQ(where("old|fast"), "n1:1");
  EXPECT_EQ(where("new&fast"), "n2:1");
  EXPECT_EQ(refusal(b, job().features("new&old")), ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(refusal(b, job().features("unheard")), ErrorCode::invalid_feature);
  EXPECT_EQ(where("new|old&fast"), "n2:1");  // from left to right
  EXPECT_EQ(where("old|(new&fast)"), "n1:1");
  EXPECT_EQ(where("[new|old]"), "n2:1");
  for (const char* bad : {"new&", "(new", "new*0", "[new", "new)", "&new", "new**2"})
    EXPECT_EQ(refusal(b, job().features(bad)), ErrorCode::invalid_feature) << bad;
}

TEST(Nodes, PreferredFeaturesAreTriedFirstButNotRequired) {
  ClusterBuilder b;
  b.nodes(1).features({"old"}).nodes(2).features({"new"});
  auto where = [&](SpecBuilder spec) { return placed(ClusterBuilder(b).pending(spec).build()); };
  auto prefer = [](const char* text) { return job().set(&JobRequest::prefer, text); };
  EXPECT_EQ(where(prefer("new")), "n2:1");
  EXPECT_EQ(where(prefer("new").nodes(2)), "n2:1 n3:1");
  EXPECT_EQ(where(prefer("new").nodes(3)), "n1:1 n2:1 n3:1");
  EXPECT_EQ(where(prefer("new").features("old")), "n2:1");
  EXPECT_EQ(where(prefer("new").features("old").on("n1")), "n1:1");
  EXPECT_EQ(placed(ClusterBuilder(b).down(2).down(3).pending(prefer("new")).build()), "n1:1");
}

TEST(Memory, WithoutARequestAJobTakesTheWholeNodes) {
  auto cluster = ClusterBuilder().nodes(1).pending(job()).pending(job()).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1");
  EXPECT_EQ(first_share(cluster).memory_mib, 16000u);
  EXPECT_EQ(first_share(cluster).cpus.size(), 1u);
}

TEST(Memory, AConfiguredDefaultLetsJobsShareANode) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .settings([](Settings& s) { s.default_memory_per_cpu_mib = 1000; })
                     .pending(job().tasks(2))
                     .pending(job())
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1 2");
  EXPECT_EQ(first_share(cluster).memory_mib, 2000u);
}

TEST(Memory, ThePartitionsDefaultOverridesTheClusters) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .settings([](Settings& s) { s.default_memory_per_node_mib = 7; })
                     .partition({.name = "p", .default_memory_per_node_mib = 500}, 1, 1)
                     .pending(job())
                     .build();
  EXPECT_EQ(first_share(cluster).memory_mib, 500u);
}

TEST(Memory, PerCpuCountsTheCpusThatAreHeld) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .pending(job().tasks(2).cpus_per_task(2).memory_per_cpu(300))
                     .build();
  EXPECT_EQ(first_share(cluster).memory_mib, 1200u);
}

TEST(Memory, ItBoundsTheTasksOfANode) {
  auto cluster = ClusterBuilder().nodes(2).pending(job().tasks(4).memory_per_cpu(6000)).build();
  EXPECT_EQ(placed(cluster), "n1:2 n2:2");
}

TEST(Memory, IsNotCountedIfItIsNotConsumable) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .settings([](Settings& s) { s.memory_is_consumable = false; })
                     .pending(job().memory(16000))
                     .pending(job().memory(16000))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1 2");
}

TEST(Memory, NodesMustHaveItEvenIfItIsNotConsumable) {
  ClusterBuilder b;
  b.nodes(1).settings([](Settings& s) { s.memory_is_consumable = false; });
  EXPECT_EQ(refusal(b, job().memory(16001)), ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(refusal(b, job().memory_per_cpu(16001)), ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(refusal(b, job().tasks(8).memory_per_cpu(3000)), ErrorCode{});
}

TEST(Exclusive, TakesAllCpusOfAnEmptyNode) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .running(job(), {{.node = NodeId{1}, .cpus = IdSet::range(0, 0), .tasks = 1}})
                     .pending(job().memory(100).exclusive())
                     .build();
  EXPECT_EQ(placed(cluster), "n2:8");
  EXPECT_EQ(first_share(cluster).cpus.text(), "0-7");
}

TEST(Exclusive, NoOtherJobSharesItsNodes) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .pending(job().memory(100).exclusive())
                     .pending(job().memory(100))
                     .build();
  EXPECT_EQ(starts(plan(cluster, t0)), "1");
}

TEST(Exclusive, SelectLinearAndExclusivePartitionsImplyIt) {
  auto linear = ClusterBuilder()
                    .nodes(1)
                    .settings([](Settings& s) { s.whole_nodes = true; })
                    .pending(job().memory(1))
                    .build();
  EXPECT_EQ(first_share(linear).cpus.size(), 8u);
  auto partition = ClusterBuilder()
                       .nodes(1)
                       .partition({.name = "p", .oversubscribe = "EXCLUSIVE"}, 1, 1)
                       .pending(job().memory(1))
                       .build();
  EXPECT_EQ(first_share(partition).cpus.size(), 8u);
}

TEST(Cpus, WholeCoresAreGiven) {
  ClusterBuilder b;
  b.nodes(1);
  ClusterConfig config = b.config();
  config.nodes[0].cores_per_socket = 4;
  config.nodes[0].threads_per_core = 2;
  auto cluster = b.event(ConfigLoaded{Cow(config)}).pending(job().tasks(3).memory(1)).build();
  EXPECT_EQ(first_share(cluster).cpus.text(), "0-3");
}

TEST(Gres, IndicesAreAllocatedInOrderAndOnlyOnce) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .gpus(4)
                     .pending(job().memory(1).gres("gpu:1"))
                     .pending(job().memory(1).gres("gpu:v100:2"))
                     .pending(job().memory(1).gres("gpu:2"))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1 2");
  EXPECT_EQ(devices(p.starts[0].allocation[0]), "gpu:v100:1[0]");
  EXPECT_EQ(devices(p.starts[1].allocation[0]), "gpu:v100:2[1-2]");
  EXPECT_EQ(reason(p, 3), "Resources");
}

TEST(Gres, ATypeSelectsItsDevices) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .gpus(2, "v100")
                     .gpus(2, "a100")
                     .pending(job().memory(1).gres("gpu:a100:1"))
                     .pending(job().memory(1).gres("gpu:3"))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1 2");
  EXPECT_EQ(devices(p.starts[0].allocation[0]), "gpu:a100:1[2]");
  EXPECT_EQ(devices(p.starts[1].allocation[0]), "gpu:v100:2[0-1] gpu:a100:1[3]");
}

TEST(Gres, ACountedGresHasNoIndices) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .counted_gres("nic", 8)
                     .pending(job().memory(1).gres("nic:6"))
                     .pending(job().memory(1).gres("nic:3"))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(devices(p.starts[0].allocation[0]), "nic::6");
}

TEST(Gres, ACountOfZeroIsIgnored) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().gres("gpu:0")).build();
  EXPECT_EQ(placed(cluster), "n1:1");
}

TEST(Gpus, TotalIsSpreadWithOneForEveryNode) {
  auto cluster = ClusterBuilder().nodes(2).gpus(4).pending(job().nodes(2).gpus("v100:5")).build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(devices(p.starts[0].allocation[0]), "gpu:v100:4[0-3]");
  EXPECT_EQ(devices(p.starts[0].allocation[1]), "gpu:v100:1[0]");
}

TEST(Gpus, PerNodeAndPerTask) {
  auto per_node =
      ClusterBuilder().nodes(2).gpus(4).pending(job().nodes(2).gpus_per_node("2")).build();
  Plan p = plan(per_node, t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(devices(p.starts[0].allocation[1]), "gpu:v100:2[0-1]");

  auto per_task =
      ClusterBuilder().nodes(2).gpus(4).pending(job().tasks(3).gpus_per_task("2")).build();
  p = plan(per_task, t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(placed(per_task), "n1:2 n2:1");
  EXPECT_EQ(devices(p.starts[0].allocation[0]), "gpu:v100:4[0-3]");
  EXPECT_EQ(devices(p.starts[0].allocation[1]), "gpu:v100:2[0-1]");
}

TEST(Gpus, IfAKindIsGivenTwiceTheLastCountHolds) {
  ClusterBuilder b;
  b.nodes(1).gpus(4);
  auto held = [&](SpecBuilder wanted) {
    ClusterBuilder own = b;
    Plan p = plan(own.pending(wanted).build(), t0);
    return p.starts.empty() ? "none" : devices(p.starts[0].allocation[0]);
  };
  EXPECT_EQ(held(job().gres("gpu:3,gpu:2")), "gpu:v100:2[0-1]");
  EXPECT_EQ(held(job().gres("gpu:1").set(&JobRequest::gpus_per_node, Text("3"))), "gpu:v100:1[0]");
}

TEST(Gpus, GpusPerSocketAndGpusMeanTheSameGpus) {
  ClusterBuilder b;
  b.nodes(2).gpus(4);
  auto cluster = b.pending(job()
                               .nodes(2)
                               .memory(10)
                               .set(&JobRequest::gpus, Text("4"))
                               .set(&JobRequest::gpus_per_socket, Text("2"))
                               .set(&JobRequest::sockets_per_node, std::optional<std::uint32_t>(1)))
                     .build();
  Plan p = plan(cluster, t0);
  ASSERT_EQ(starts(p), "1");
  for (const NodeShare& share : p.starts[0].allocation)
    EXPECT_EQ(devices(share), "gpu:v100:2[0-1]");
}

// Two requests for the same devices are checked separately, and then taken together.
TEST(Gpus, OverlappingRequestsAreCountedTogether) {
  ClusterBuilder b;
  b.nodes(1).gpus(4);
  EXPECT_EQ(refusal(b, job().gres("gpu:3,gpu:v100:2")),
            ErrorCode::requested_node_config_unavailable);
}

TEST(Feasible, RefusesARequestThatCanNeverRun) {
  ClusterBuilder b;
  b.nodes(4).gpus(2);
  constexpr auto kNever = ErrorCode::requested_node_config_unavailable;
  EXPECT_EQ(refusal(b, job()), ErrorCode{});
  EXPECT_EQ(refusal(b, job().nodes(100)), ErrorCode{}) << "more nodes than there are may wait";
  EXPECT_EQ(refusal(b, job().cpus_per_task(9)), kNever);
  EXPECT_EQ(refusal(b, job().tasks(33)), kNever);
  EXPECT_EQ(refusal(b, job().tasks(32)), ErrorCode{});
  EXPECT_EQ(refusal(b, job().memory(16001)), kNever);
  EXPECT_EQ(refusal(b, job().memory(16000)), ErrorCode{});
  EXPECT_EQ(refusal(b, job().gres("gpu:3")), kNever);
  EXPECT_EQ(refusal(b, job().gpus("8").nodes(4)), ErrorCode{});
  EXPECT_EQ(refusal(b, job().gpus("9").nodes(4)), kNever);
  EXPECT_EQ(refusal(b, job().gres("fpga:1")), ErrorCode::invalid_gres);
  EXPECT_EQ(refusal(b, job().gres("gpu:a100:1")), kNever);
  EXPECT_EQ(refusal(b, job().not_on("n[1-4]")), kNever);
  EXPECT_EQ(refusal(b, job().on("n9")), ErrorCode::invalid_node_name);
  EXPECT_EQ(refusal(b, job().not_on("n9")), ErrorCode::invalid_node_name);
  EXPECT_EQ(refusal(b, job().on("n1").not_on("n1")), ErrorCode::invalid_node_name);
}

TEST(Feasible, NodesThatAreDownOrBusyNowStillCount) {
  ClusterBuilder b;
  b.nodes(2).running(2).down(1);
  EXPECT_EQ(refusal(b, job().nodes(2)), ErrorCode{});
}

TEST(Feasible, ARequiredNodeOutsideThePartitionIsRefused) {
  ClusterBuilder b;
  b.nodes(4).partition({.name = "left"}, 1, 2).partition({.name = "right"}, 3, 4);
  EXPECT_EQ(refusal(b, job().on("n3")), ErrorCode::requested_node_config_unavailable);
}

TEST(JobDefaults, CpusAndMemoryFollowTheGpus) {
  auto builder = ClusterBuilder().nodes(1).gpus(4);
  builder.settings([](Settings& s) {
    s.default_cpus_per_gpu = 3;
    s.default_memory_per_gpu_mib = 500;
  });
  Plan p = plan(builder.pending(job().gres("gpu:2")).build(), t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(p.starts[0].allocation[0].cpus.size(), 6u);
  EXPECT_EQ(p.starts[0].allocation[0].memory_mib, 1000u);
}

TEST(JobDefaults, ThePartitionsComeFirstAndTheJobsOwnBeforeThem) {
  ClusterBuilder b;
  b.nodes(1).gpus(4).settings([](Settings& s) { s.default_cpus_per_gpu = 3; });
  b.partition({.name = "p", .job_defaults = "DefCpuPerGPU=2"}, 1, 1);
  Plan p = plan(b.pending(job().gres("gpu:2").memory(1))
                    .pending(job().gres("gpu:2").memory(1).cpus_per_task(1))
                    .build(),
                t0);
  ASSERT_EQ(starts(p), "1 2");
  EXPECT_EQ(p.starts[0].allocation[0].cpus.size(), 4u);
  EXPECT_EQ(p.starts[1].allocation[0].cpus.size(), 1u);
}

TEST(OneTaskPerCore, TakesWholeCores) {
  ClusterBuilder b;
  ClusterConfig config = b.nodes(1).config();
  config.nodes[0].cores_per_socket = 4;
  config.nodes[0].threads_per_core = 2;
  config.settings.one_task_per_core = true;
  ClusterBuilder with_threads;
  with_threads.nodes(1).event(ConfigLoaded{Cow(config)});
  Plan p = plan(with_threads.pending(job().tasks(3).memory(1)).build(), t0);
  ASSERT_EQ(starts(p), "1");
  EXPECT_EQ(p.starts[0].allocation[0].cpus.size(), 6u);
}

// GPUs and memory of each node: "n1:4/400 n2:1/100".
std::string gpus_placed(const JobRequest& spec) {
  auto cluster = ClusterBuilder().nodes(4, 16).gpus(4).pending(spec).build();
  const Plan p = plan(cluster, t0);
  std::string out;
  if (p.starts.empty()) return out;
  for (const NodeShare& share : p.starts[0].allocation)
    out += (out.empty() ? "" : " ") + cluster.nodes.at(share.node).config.name.str() + ":" +
           std::to_string(share.gres.empty() ? 0 : share.gres[0].count) + "/" +
           std::to_string(share.memory_mib);
  return out;
}

TEST(GpusOfAJob, BringMemoryAndCpusOnTheirNodes) {
  EXPECT_EQ(gpus_placed(job().gpus("5").set(&JobRequest::memory_per_gpu_mib, 100u)),
            "n1:4/400 n2:1/100");
  EXPECT_EQ(gpus_placed(job().gpus("5").set(&JobRequest::memory_per_gpu_mib, 7000u)),
            "n1:2/14000 n2:2/14000 n3:1/7000");
  EXPECT_EQ(gpus_placed(job().gpus("6").memory(1).set(&JobRequest::cpus_per_gpu, 5u)),
            "n1:3/1 n2:3/1");
}

TEST(GpusOfAJob, GetAsManyTasksAsTheirCpusSuffice) {
  auto placed = [](const JobRequest& spec) {  // CPUs and tasks on each node
    auto cluster = ClusterBuilder().nodes(4, 8).gpus(4).pending(spec).build();
    const Plan p = plan(cluster, t0);
    std::string out;
    for (const Start& start : p.starts)
      for (const NodeShare& share : start.allocation)
        out += std::to_string(share.cpus.size()) + "/" + std::to_string(share.tasks) + " ";
    return out;
  };
  EXPECT_EQ(placed(job().gpus("7").tasks(7).memory(1).set(&JobRequest::cpus_per_gpu, 1u)),
            "4/4 3/3 ");
  EXPECT_EQ(placed(job().gpus("6").tasks(6).memory(1).set(&JobRequest::cpus_per_gpu, 2u)),
            "8/3 4/3 ");
}

TEST(GpusOfAJob, CountedByTwoOptionsAreTheSameGpus) {
  EXPECT_EQ(gpus_placed(job().gpus("4").gpus_per_node("2").nodes(2).memory(1)), "n1:2/1 n2:2/1");
  EXPECT_EQ(gpus_placed(job().gpus("4").gpus_per_task("1").tasks(4).memory(1)), "n1:4/1");
  EXPECT_EQ(gpus_placed(job().gpus_per_node("2").gpus_per_task("1").tasks(4).memory(1)),
            "n1:2/1 n2:2/1");
  EXPECT_EQ(gpus_placed(job().gres("gpu:4").gpus_per_task("1").tasks(4).nodes(1).memory(1)),
            "n1:4/1");
}

TEST(Memory, AmountsThatOverflowAreTooLarge) {
  const ClusterBuilder builder = ClusterBuilder().nodes(1).gpus(4);
  EXPECT_EQ(refusal(builder, job().cpus_per_task(4).memory_per_cpu(1ull << 62)),
            ErrorCode::requested_node_config_unavailable);
  auto told = feasibility(builder, job().cpus_per_task(4).memory_per_cpu(1ull << 62));
  EXPECT_TRUE(told.error().detail.starts_with("Memory specification can not be satisfied"))
      << told.error().detail;
  EXPECT_EQ(refusal(builder, job().gpus("4").set(&JobRequest::memory_per_gpu_mib, 1ull << 62)),
            ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(refusal(builder, job().set(&JobRequest::memory_per_gpu_mib, 100)),
            ErrorCode::invalid_gres)
      << "of no GPU it would be none";
}

TEST(Tasks, OfANodeAreNoMoreThanMaxTasksPerNode) {
  const ClusterBuilder builder =
      ClusterBuilder().nodes(2).settings([](Settings& s) { s.request_limits.tasks_per_node = 20; });
  auto crowded = [](std::uint32_t nodes, std::uint32_t tasks) {
    return job().nodes(nodes).tasks(tasks).set(&JobRequest::overcommit, true);
  };
  EXPECT_EQ(refusal(builder, crowded(1, 20)), ErrorCode{});
  EXPECT_EQ(refusal(builder, crowded(1, 21)), ErrorCode::bad_task_count);
  EXPECT_EQ(refusal(builder, crowded(2, 40)), ErrorCode{});
  EXPECT_EQ(refusal(builder, crowded(2, 0xffffffff)), ErrorCode::bad_task_count);
  EXPECT_EQ(refusal(builder, job().tasks_per_node(21)), ErrorCode::bad_task_count);
  EXPECT_NE(refusal(builder, job().tasks(41).set(&JobRequest::overcommit, true)), ErrorCode{});
}

}  // namespace
}  // namespace muster::sched::place_test
