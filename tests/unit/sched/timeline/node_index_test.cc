// An index that is kept from plan to plan equals a new one made from all nodes.
#include "sched/timeline/node_index.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "sched/dice.h"
#include "sched/place/free.h"
#include "sched/plan.h"
#include "sched/random_queue.h"
#include "sched/timeline/node_profile.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// Kinds are numbered in the order of their appearance.
FreeUpperBound without_kind(FreeUpperBound bound) {
  bound.kind = 0;
  return bound;
}

void expect_same(NodeIndex& kept, const Cluster& cluster) {
  NodeIndex fresh;
  fresh.update_to(cluster);
  EXPECT_EQ(kept.size(), fresh.size());
  EXPECT_EQ(kept.has_private_jobs(), fresh.has_private_jobs());
  for (NodeId id : *cluster.node_order) {
    EXPECT_EQ(kept.is_available(id), fresh.is_available(id)) << id.value;
    EXPECT_EQ(kept.is_full(id), fresh.is_full(id)) << id.value;
    EXPECT_EQ(kept.sole_holder(id).job, fresh.sole_holder(id).job) << id.value;
    EXPECT_EQ(without_kind(kept.free_upper_bound(id)), without_kind(fresh.free_upper_bound(id)))
        << id.value;
  }
  for (const Partition& partition : *cluster.partitions) {
    EXPECT_EQ(kept.nodes_of(cluster, partition).all, fresh.nodes_of(cluster, partition).all);
    EXPECT_EQ(kept.nodes_of(cluster, partition).roomy, fresh.nodes_of(cluster, partition).roomy);
  }
}

// Changes some node, or the partitions.
void change_something(Cluster& cluster, Dice& dice) {
  const NodeId id{dice.between(1, 12)};
  Node& node = cluster.nodes.edit(id);
  switch (dice.between(0, 7)) {
    case 0:
      node.drain = !node.drain;
      break;
    case 1:
      node.config.weight = dice.between(1, 3);
      break;
    case 2:
      node.power.phase = dice.one_in(2) ? PowerPhase::on : PowerPhase::off;
      break;
    case 3:
      cluster.partitions.edit()[0].nodes = {NodeId{3}, id, NodeId{7}};
      break;
    case 4:
      node.future = !node.future;
      break;
    default:
      node.used_cpus = dice.one_in(2) ? all_cpus_of(node) : IdSet::range(0, dice.between(0, 2));
  }
}

TEST(NodeIndex, IsUpToDateAfterAnyChange) {
  Dice dice(7);
  Cluster cluster = ClusterBuilder().nodes(12).build();
  NodeIndex kept;
  for (int round = 0; round < 300; ++round) {
    for (std::uint32_t i = dice.between(0, 3); i > 0; --i) change_something(cluster, dice);
    kept.update_to(cluster);
    expect_same(kept, cluster);
  }
}

TEST(NodeIndex, KnowsWhetherSomeJobHasPrivateNodes) {
  ClusterBuilder builder;
  builder.nodes(2).running(1, 60);
  NodeIndex index;
  index.update_to(builder.build());
  EXPECT_FALSE(index.has_private_jobs());
  Cluster cluster = builder.build();
  cluster.jobs.edit(JobId{1}).spec.edit().exclusive_user = true;
  index.update_to(cluster);
  EXPECT_TRUE(index.has_private_jobs());
  cluster.active.erase(1);
  cluster.jobs.edit(JobId{1}).state = JobState::completed;
  index.update_to(cluster);
  EXPECT_FALSE(index.has_private_jobs());
}

TEST(NodeIndex, ForgetsNodesThatAreGone) {
  NodeIndex index;
  index.update_to(ClusterBuilder().nodes(8).build());
  const Cluster smaller = ClusterBuilder().nodes(3).build();
  index.update_to(smaller);
  expect_same(index, smaller);
  EXPECT_FALSE(index.is_available(NodeId{7}));
}

// On a node with a sole holder nothing is free until the job leaves, and then everything: a probe
// gives the same answer. Returns the number of such nodes.
std::uint32_t check_sole_holders(const Cluster& cluster, Time now) {
  NodeIndex index;
  index.update_to(cluster);
  std::uint32_t found = 0;
  for (NodeId id : *cluster.node_order) {
    const JobId job = index.sole_holder(id).job;
    if (!job) continue;
    ++found;
    const Node& node = cluster.nodes.at(id);
    NodeProfile asked(cluster, node, now, {}, {});
    const Time leaves = leaves_at(cluster, cluster.jobs.at(job), now);
    EXPECT_EQ(asked.changes(), std::vector{leaves});
    EXPECT_EQ(asked.free_during({.from = now, .until = leaves})->usable_cpus(), 0u);
    const Free* then = asked.free_during({.from = leaves, .until = Time::max()});
    const Free all = all_of(node);
    EXPECT_EQ(then->cpus, all.cpus);
    EXPECT_EQ(then->memory_mib, all.memory_mib);
    EXPECT_EQ(then->gres, all.gres);
    EXPECT_TRUE(then->untouched);
  }
  return found;
}

TEST(NodeIndex, KnowsNodesThatOneJobHoldsAsAWhole) {
  std::uint32_t found = 0, with_devices = 0;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Cluster cluster = random_machines(dice).build();
    submit_some(cluster, dice, 12, false);
    take_over(cluster, plan(cluster, t0), t0);
    found += check_sole_holders(cluster, t0);
    NodeIndex index;
    index.update_to(cluster);
    for (NodeId id : *cluster.node_order)
      with_devices += index.sole_holder(id).job && !cluster.nodes.at(id).used_gres.empty();
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(with_devices, 20u);
}

}  // namespace
}  // namespace muster::sched
