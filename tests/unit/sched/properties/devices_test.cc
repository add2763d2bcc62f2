// Properties of every plan on machines with shares of GPUs (shard, mps) below a tree of switches.
#include <gtest/gtest.h>

#include "builders.h"
#include "dice.h"
#include "sched/place/gres_fit.h"
#include "sched/request/topology.h"
#include "state/invariants.h"

namespace muster::sched::devices_test {
namespace {

using namespace muster::test;

// GPUs on every node, and shares of them on most.
ClusterConfig machines(Dice& dice) {
  const std::uint32_t nodes = dice.between(2, 8), gpus = dice.between(1, 4);
  ClusterConfig config = ClusterBuilder().nodes(nodes, 8).gpus(gpus).config();
  const Text part = dice.one_in(2) ? "shard" : "mps";
  config.settings.gres_types.push_back(part);
  for (NodeConfig& node : config.nodes) {
    if (dice.one_in(4)) continue;
    GresPool pool{.name = part};
    for (std::uint32_t i = 0; i < gpus; ++i) pool.per_device.push_back(dice.between(1, 6));
    for (std::uint64_t n : pool.per_device) pool.count += n;
    pool.indices = IdSet::range(0, static_cast<std::uint32_t>(pool.count) - 1);
    node.gres.push_back(std::move(pool));
  }
  Switch top{.name = "top", .level = 1};
  for (const NodeConfig& node : config.nodes) {
    auto& leaves = config.settings.topology;
    if (leaves.empty() || dice.one_in(3))
      leaves.push_back({.name = "s" + std::to_string(leaves.size())});
    leaves.back().nodes.push_back(node.name);
    top.nodes.push_back(node.name);
  }
  config.settings.topology.push_back(std::move(top));
  return config;
}

Cluster started(const ClusterConfig& config) {
  Cluster cluster;
  muster::apply(cluster, EpochStarted{Epoch{1}});
  muster::apply(cluster, ConfigLoaded{Cow(config)});
  for (NodeId id : std::vector<NodeId>(*cluster.node_order)) muster::apply(cluster, NodeCameUp{id});
  return cluster;
}

SpecBuilder some_job(Dice& dice, const Text& part) {
  SpecBuilder spec = job().minutes(static_cast<int>(dice.between(1, 100))).memory(10);
  spec.nodes(dice.between(1, 3));
  if (dice.one_in(3))
    spec.gres("gpu:" + std::to_string(dice.between(1, 3)));
  else
    spec.gres(part.str() + ":" + std::to_string(dice.between(1, 7)));
  if (dice.one_in(5)) spec.exclusive();
  if (dice.one_in(2)) spec.set(&JobRequest::switches, dice.between(1, 2));
  return spec;
}

// An exclusive job has all GPUs of its nodes; of those that are shared, its own parts.
void check_has_all_gpus(const Node& node, const NodeShare& share) {
  IdSet all;
  for (const GresPool& pool : node.config.gres)
    if (pool.name == "gpu") all.merge(pool.indices);
  EXPECT_EQ(gpus_in(share.gres), all);
}

// Shares on a node come from one GPU, in the requested number. A job with --switches gets no more
// switches than that.
void check_start(const Cluster& cluster, const Start& s) {
  const JobSpec& spec = *cluster.jobs.at(s.job).spec;
  const GresRequest asked = requests_in(spec.gres).front();
  std::vector<NodeId> nodes;
  for (const NodeShare& share : s.allocation) {
    nodes.push_back(share.node);
    if (spec.exclusive) {
      check_has_all_gpus(cluster.nodes.at(share.node), share);
      continue;
    }
    ASSERT_EQ(share.gres.size(), 1u);
    EXPECT_EQ(share.gres[0].count, asked.count);
    EXPECT_EQ(share.gres[0].indices.size(), asked.count);
    if (asked.name != "gpu") {
      EXPECT_EQ(share.gres[0].devices.size(), 1u);
    }
  }
  if (spec.switches) {
    EXPECT_LE(leaves_of(switch_nodes(cluster), nodes), spec.switches);
  }
}

void check_one_history(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Dice dice(seed);
  Cluster cluster = started(machines(dice));
  const Text part = cluster.settings().gres_types.back();
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = dice.between(1, 6); i > 0; --i)
      muster::apply(cluster,
                    JobSubmitted{make_job(cluster.next_job_id, some_job(dice, part), cluster)});
    Plan p = plan(cluster, t0);
    for (const Start& s : p.starts) check_start(cluster, s);
    take_over(cluster, p, t0);
    EXPECT_EQ(broken_invariants(cluster), std::vector<std::string>{});
    for (std::uint32_t id : cluster.active.ids()) {
      if (dice.one_in(2)) continue;
      const Job job = cluster.jobs.at(JobId{id});
      std::vector<NodeId> gone(job.run->unfinished.begin(), job.run->unfinished.end());
      muster::apply(cluster, JobEnded{.job = job.id, .state = JobState::completed, .at = t0});
      muster::apply(cluster, NodesReleased{.job = job.id, .attempt = job.attempt, .nodes = gone});
    }
  }
}

TEST(EveryPlan, KeepsGpusAndTheirSharesApartBelowSwitches) {
  for (std::uint32_t seed = 1; seed <= MUSTER_RANDOM_CASES && !testing::Test::HasFailure(); ++seed)
    check_one_history(seed);
}

}  // namespace
}  // namespace muster::sched::devices_test
