// Shares of GPUs, and GPUs close to cores.
#include "sched/place/gres_fit.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "state/invariants.h"

namespace muster::sched::gres_test {
namespace {

using namespace muster::test;

// Four GPUs of four shares each; two close to cores 0-3, two to 4-7.
ClusterConfig machine(std::uint32_t gpus_near_first = 2, Text part = "shard") {
  ClusterBuilder b;
  b.nodes(1).gpus(4).settings([&](Settings& s) { s.gres_types.push_back(part); });
  ClusterConfig config = b.config();
  NodeConfig& node = config.nodes[0];
  node.sockets = 2;
  node.cores_per_socket = 4;
  config.settings.cores_in_blocks = true;  // a job fills one socket before it begins another
  for (std::uint32_t i = 0; i < 4; ++i)
    node.gres[0].cores.push_back(i < gpus_near_first ? IdSet::range(0, 3) : IdSet::range(4, 7));
  node.gres.push_back({.name = part, .count = 16, .indices = IdSet::range(0, 15)});
  node.gres[1].per_device = {4, 4, 4, 4};
  return config;
}
ClusterBuilder with(ClusterConfig config) {
  ClusterBuilder b;
  b.nodes(1).gpus(4);
  b.event(ConfigLoaded{Cow(std::move(config))});
  return b;
}
JobRequest asks(Text gres, std::uint32_t cpus = 1) {
  return job().tasks(cpus).nodes(1).memory(10).gres(std::move(gres));
}
// "0/0 4-5/2": CPUs and GPUs of each start.
std::string places(const Plan& p) {
  std::string out;
  for (const Start& s : p.starts)
    out += (out.empty() ? "" : " ") + s.allocation[0].cpus.text() + "/" +
           gpus_in(s.allocation[0].gres).text();
  return out;
}
void expect_sound(Cluster cluster, const Plan& p) {
  take_over(cluster, p, t0);
  EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
}

// "gpu=4 tape=3": of the first node.
std::string devices_of(const Plan& p) {
  std::string out;
  for (const GresShare& g : p.starts.at(0).allocation[0].gres)
    out += (out.empty() ? "" : " ") + g.name.str() + "=" + std::to_string(g.count);
  return out;
}
ClusterConfig with_tapes() {
  ClusterConfig config = machine();
  config.settings.gres_types.emplace_back("tape");
  config.nodes[0].gres.push_back({.name = "tape", .count = 3});
  return config;
}

TEST(ExclusiveDevices, AllOfTheNodeAreTheJobs) {
  for (Text gres : {"", "gpu:1", "tape:2"}) {
    auto cluster = with(with_tapes()).pending(job().memory(10).gres(gres).exclusive()).build();
    Plan p = plan(cluster, t0);
    EXPECT_EQ(places(p), "0-7/0-3");
    EXPECT_EQ(devices_of(p), gres == "tape:2" ? "tape=3 gpu=4" : "gpu=4 tape=3");
    expect_sound(cluster, p);
  }
}

TEST(ExclusiveDevices, CountedOverTheJobOrByTaskTheyAreAllTheSame) {
  for (JobRequest spec :
       {JobRequest(job().gpus("3")), JobRequest(job().tasks(2).gpus_per_task("1"))}) {
    spec.exclusive = true;
    spec.memory_per_node_mib = 10;
    auto cluster = with(machine()).pending(spec).build();
    EXPECT_EQ(places(plan(cluster, t0)), "0-7/0-3");
  }
}

TEST(ExclusiveDevices, MemoryGoesByAllGpus) {
  auto spec = job().gpus("1").exclusive().set(&JobRequest::memory_per_gpu_mib, 100u);
  auto cluster = with(machine()).pending(spec).build();
  EXPECT_EQ(plan(cluster, t0).starts.at(0).allocation[0].memory_mib, 400u);
}

TEST(ExclusiveDevices, AGpuUsedInSharesIsNotAlsoTakenWhole) {
  auto cluster = with(machine()).pending(job().memory(10).gres("shard:2").exclusive()).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(devices_of(p), "shard=2 gpu=3");
  expect_sound(cluster, p);
}

TEST(ExclusiveDevices, SelectLinearGivesOnlyRequestedDevices) {
  ClusterConfig config = machine();
  config.settings.whole_nodes = true;
  auto cluster = with(config).pending(job().memory(10).gres("gpu:1")).build();
  EXPECT_EQ(places(plan(cluster, t0)), "0-7/0");
}

TEST(Shards, OfOneJobComeFromOneGpu) {
  auto cluster = with(machine()).pending(asks("shard:3")).pending(asks("shard:2")).build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(places(p), "0/0 1/1");
  EXPECT_EQ(p.starts[1].allocation[0].gres[0].count, 2u);
  expect_sound(cluster, p);
}

TEST(Shards, AFullerGpuIsFilledFirst) {
  auto builder = with(machine());
  for (Text gres : {"shard:1", "shard:3", "shard:4"}) builder.pending(asks(gres));
  EXPECT_EQ(places(plan(builder.build(), t0)), "0/0 1/0 2/1");
}

TEST(Shards, AGpuIsUsedWholeOrInParts) {
  auto cluster = with(machine())
                     .pending(asks("shard:1"))
                     .pending(asks("gpu:3"))
                     .pending(asks("gpu:1"))
                     .pending(asks("shard:3"))
                     .pending(asks("shard:1"))
                     .build();
  Plan p = plan(cluster, t0);
  EXPECT_EQ(starts(p), "1 2 4");
  expect_sound(cluster, p);
}

TEST(Shards, MoreThanOneGpuHasNeverFits) {
  auto cluster = with(machine()).pending(asks("shard:5")).build();
  EXPECT_EQ(starts(plan(cluster, t0)), "");
}

TEST(Mps, OneGpuOfANodeIsSharedAtATime) {
  auto builder = with(machine(2, "mps"));
  for (Text gres : {"mps:3", "mps:2", "mps:1"}) builder.pending(asks(gres));
  EXPECT_EQ(starts(plan(builder.build(), t0)), "1 3");
}

TEST(Binding, CpusAreCloseToTheGpus) {
  auto builder = with(machine());
  builder.pending(asks("gpu:2", 2)).pending(asks("gpu:2", 2));
  EXPECT_EQ(places(plan(builder.build(), t0)), "0-1/0-1 4-5/2-3");
}

TEST(Binding, GpusAreCloseToTheOnlyFreeCpus) {
  auto cluster = with(machine())
                     .pending(SpecBuilder(job().tasks(4).nodes(1).memory(10)))
                     .pending(asks("gpu:1"))
                     .pending(SpecBuilder(job().tasks(1).memory(10).gpus("1")))
                     .build();
  EXPECT_EQ(places(plan(cluster, t0)), "0-3/ 4/2 5/3");
}

TEST(Binding, DistantGpusAreUsedUnlessBindingIsEnforced) {
  auto far = asks("gpu:1", 6);
  auto enforced = far;
  enforced.enforce_binding = true;
  EXPECT_EQ(places(plan(with(machine()).pending(far).build(), t0)), "0-5/0");
  EXPECT_EQ(starts(plan(with(machine()).pending(enforced).build(), t0)), "");
  auto alone = enforced;
  alone.exclusive = true;
  EXPECT_EQ(starts(plan(with(machine()).pending(alone).build(), t0)), "1") << "it has all";
}

TEST(Binding, CpusAreCloseToGpusThatAreCountedOverTheJob) {
  auto cluster = with(machine())
                     .pending(asks("gpu:2", 1))
                     .pending(SpecBuilder(job().tasks(2).memory(10).gpus("2")))
                     .build();
  EXPECT_EQ(places(plan(cluster, t0)), "0/0-1 4-5/2-3");
}

// On the first node the free CPUs are not close to the free GPUs.
TEST(Binding, ANodeWithCloseGpusIsPreferred) {
  ClusterConfig config = machine();
  config.nodes.push_back(config.nodes[0]);
  config.nodes[1].name = "n2";
  config.partition_nodes[0].emplace_back("n2");
  ClusterBuilder b;
  b.nodes(2).gpus(4);
  b.event(ConfigLoaded{Cow(config)});
  NodeShare used{.node = NodeId{1}, .cpus = IdSet::range(4, 6), .memory_mib = 10, .tasks = 1};
  used.gres.push_back({.name = "gpu", .type = "v100", .count = 2, .indices = IdSet::range(0, 1)});
  b.running(job().on("n1"), {used});
  auto place = [&](JobRequest wanted) {
    ClusterBuilder own = b;
    Plan p = plan(own.pending(wanted).build(), t0);
    return p.starts.empty() ? NodeId{} : p.starts[0].allocation[0].node;
  };
  JobRequest two = asks("gpu:1", 2);
  EXPECT_EQ(place(two), NodeId{2});
  EXPECT_EQ(place(asks("gpu:1", 5)), NodeId{1}) << "nowhere so many are close";
  two.disable_binding = true;
  EXPECT_EQ(place(two), NodeId{1});
}

TEST(Binding, IsUsedWherePossibleEvenIfNotRequested) {
  auto cluster = with(machine())
                     .pending(SpecBuilder(job().tasks(4).nodes(1).memory(10)))
                     .pending(SpecBuilder(job().tasks(1).memory(10).gpus("1"))
                                  .set(&JobRequest::disable_binding, true))
                     .build();
  EXPECT_EQ(places(plan(cluster, t0)), "0-3/ 4/2");
}

// "4 4": the tasks on each node of the first start.
std::string tasks_of(SpecBuilder wanted) {
  auto cluster = ClusterBuilder().nodes(4).gpus(4).pending(wanted.memory(10)).build();
  Plan p = plan(cluster, t0);
  std::string out;
  if (!p.starts.empty())
    for (const NodeShare& share : p.starts[0].allocation)
      out += (out.empty() ? "" : " ") + std::to_string(share.tasks);
  return out;
}

TEST(TasksPerGpu, AreNoMoreThanTheGpusOfEachNodeAllow) {
  auto per_gpu = [](std::uint32_t tasks, SpecBuilder spec) {
    return spec.set(&JobRequest::ntasks_per_gpu, std::optional(tasks));
  };
  EXPECT_EQ(tasks_of(per_gpu(1, job().nodes(2).gpus("8"))), "4 4");
  EXPECT_EQ(tasks_of(per_gpu(1, job().nodes(2).tasks(8))), "4 4");
  EXPECT_EQ(tasks_of(per_gpu(1, job().nodes(4).tasks(8).gpus_per_node("2"))), "2 2 2 2");
  EXPECT_EQ(tasks_of(per_gpu(2, job().nodes(2).gpus("4"))), "6 2");
}

}  // namespace
}  // namespace muster::sched::gres_test
