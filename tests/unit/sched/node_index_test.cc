// What is kept of all nodes from one plan to the next is what one finds who looks at all of them.
#include "sched/node_index.h"

#include <gtest/gtest.h>

#include "builders.h"
#include "dice.h"
#include "sched/free.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// Kinds are numbered as they are met.
Rough without_kind(Rough rough) {
  rough.kind = 0;
  return rough;
}

void expect_same(NodeIndex& kept, const Cluster& cluster) {
  NodeIndex fresh;
  fresh.follow(cluster);
  EXPECT_EQ(kept.size(), fresh.size());
  EXPECT_EQ(kept.has_private_jobs(), fresh.has_private_jobs());
  for (NodeId id : *cluster.node_order) {
    EXPECT_EQ(kept.is_available(id), fresh.is_available(id)) << id.value;
    EXPECT_EQ(kept.is_full(id), fresh.is_full(id)) << id.value;
    EXPECT_EQ(without_kind(kept.rough(id)), without_kind(fresh.rough(id))) << id.value;
  }
  for (const Partition& partition : *cluster.partitions) {
    EXPECT_EQ(kept.nodes_of(cluster, partition).all, fresh.nodes_of(cluster, partition).all);
    EXPECT_EQ(kept.nodes_of(cluster, partition).roomy, fresh.nodes_of(cluster, partition).roomy);
  }
}

// Something happens to some node, or to the partitions.
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

TEST(NodeIndex, FollowsWhateverChanges) {
  Dice dice(7);
  Cluster cluster = ClusterBuilder().nodes(12).build();
  NodeIndex kept;
  for (int round = 0; round < 300; ++round) {
    for (std::uint32_t i = dice.between(0, 3); i > 0; --i) change_something(cluster, dice);
    kept.follow(cluster);
    expect_same(kept, cluster);
  }
}

TEST(NodeIndex, KnowsWhetherSomeJobKeepsOthersOut) {
  ClusterBuilder builder;
  builder.nodes(2).running(1, 60);
  NodeIndex index;
  index.follow(builder.build());
  EXPECT_FALSE(index.has_private_jobs());
  Cluster cluster = builder.build();
  cluster.jobs.edit(JobId{1}).spec.edit().exclusive_user = true;
  index.follow(cluster);
  EXPECT_TRUE(index.has_private_jobs());
  cluster.active.erase(1);
  cluster.jobs.edit(JobId{1}).state = JobState::completed;
  index.follow(cluster);
  EXPECT_FALSE(index.has_private_jobs());
}

TEST(NodeIndex, ForgetsNodesThatAreGone) {
  NodeIndex index;
  index.follow(ClusterBuilder().nodes(8).build());
  const Cluster smaller = ClusterBuilder().nodes(3).build();
  index.follow(smaller);
  expect_same(index, smaller);
  EXPECT_FALSE(index.is_available(NodeId{7}));
}

}  // namespace
}  // namespace muster::sched
