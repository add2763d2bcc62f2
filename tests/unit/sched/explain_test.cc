// Where a waiting job stands in the queue, and what would help it.
#include "sched/explain.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

// "with --time=1:00:00@0": the change, and the minutes until the start.
std::vector<std::string> sooner(const Cluster& cluster, std::uint32_t id,
                                std::vector<Text> partitions = {}) {
  std::vector<std::string> all;
  const AlternativeOptions options{.partitions = std::move(partitions), .budget = {}};
  for (const Alternative& a : alternatives_of(cluster, JobId{id}, t0, options).sooner)
    all.push_back(a.change + "@" +
                  std::to_string(std::chrono::floor<Minutes>(a.start - t0).count()));
  return all;
}
using Found = std::vector<std::string>;

TEST(Standing, CountsJobsAheadByUser) {
  JobRequest of_bob = job().user(kBob);
  of_bob.user_name = "bob";
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .running(1)
                     .pending(of_bob)
                     .pending(of_bob)
                     .pending(job())
                     .pending(job())
                     .build();
  Standing standing = standing_of(cluster, JobId{5}, t0);
  EXPECT_EQ(standing.position, 4u);
  ASSERT_EQ(standing.ahead.size(), 2u);
  EXPECT_EQ(standing.ahead[0].first, "bob");
  EXPECT_EQ(standing.ahead[0].second, 2u);
  EXPECT_EQ(standing.ahead[1].second, 1u);
}

TEST(Standing, OnlyJobsThatJustNeedResourcesAreInLine) {
  auto cluster = ClusterBuilder()
                     .nodes(1)
                     .running(1)
                     .pending(job().hold())
                     .pending(job().dependency("afterany:1"))
                     .pending(job())
                     .build();
  EXPECT_EQ(standing_of(cluster, JobId{4}, t0).position, 1u);
  EXPECT_EQ(standing_of(cluster, JobId{2}, t0).position, 0u);
}

TEST(Alternatives, TellTheLongestTimeThatFitsInBeforeTheOthers) {
  // Three of four nodes are busy for an hour; then all four are promised.
  auto cluster = ClusterBuilder().nodes(4).running(3, 60).pending(4, 30).pending(1, 200).build();
  EXPECT_EQ(sooner(cluster, 3), (Found{"with --time=01:00:00@0"}));
}

TEST(Alternatives, TellWhereFewerNodesWouldDo) {
  auto cluster = ClusterBuilder().nodes(4).running(2, 60).pending(3, 30).build();
  EXPECT_EQ(sooner(cluster, 2), (Found{"with --nodes=2@0"}));
}

TEST(Alternatives, TellWhereFewerGpusWouldDo) {
  NodeShare held{.node = NodeId{1}, .cpus = IdSet::range(0, 1), .memory_mib = 100};
  held.gres = {{.name = "gpu", .type = "v100", .count = 2, .indices = IdSet::range(0, 1)}};
  held.tasks = 1;
  auto cluster = ClusterBuilder()
                     .nodes(1, 8)
                     .gpus(4, "v100")
                     .running(job().minutes(60), {std::move(held)})
                     .pending(job().gres("gpu:3").memory(100).minutes(30))
                     .build();
  EXPECT_EQ(sooner(cluster, 2), (Found{"with --gres=gpu:2@0"}));
}

TEST(Alternatives, TellOfAnotherPartition) {
  auto cluster = ClusterBuilder()
                     .nodes(2)
                     .partition({.name = "busy"}, 1, 1)
                     .partition({.name = "idle"}, 2, 2)
                     .running(1, 60)
                     .pending(job().partition("busy").minutes(30))
                     .build();
  EXPECT_EQ(sooner(cluster, 2, {"busy", "idle"}), (Found{"in partition idle@0"}));
  EXPECT_EQ(sooner(cluster, 2, {"busy"}), Found{});
}

TEST(Alternatives, TellWhatThePartitionAllows) {
  auto cluster = ClusterBuilder()
                     .nodes(3)
                     .partition({.name = "short", .max_time = Minutes{10}, .max_nodes = 2}, 1, 3)
                     .partition({.name = "long"}, 1, 3)
                     .pending(job().minutes(60))
                     .pending(job().minutes(5).nodes(3))
                     .build();
  EXPECT_EQ(sooner(cluster, 1), Found{"with --time=00:10:00@0"});
  EXPECT_EQ(sooner(cluster, 2), Found{"with --nodes=2@0"});
  EXPECT_EQ(sooner(cluster, 1, {"long"}), (Found{"with --time=00:10:00@0", "in partition long@0"}));
}

TEST(Alternatives, TellOfANodeThatNeedNotBeThatOne) {
  auto cluster =
      ClusterBuilder().nodes(2).running(1, 60).pending(job().on("n1").minutes(30)).build();
  EXPECT_EQ(sooner(cluster, 2), (Found{"without --nodelist@0"}));
}

TEST(Alternatives, AreNotSoughtForJobsThatWaitForSomethingElse) {
  auto cluster = ClusterBuilder().nodes(1).pending(job().hold().nodes(1).minutes(30)).build();
  EXPECT_EQ(sooner(cluster, 1), Found{});
}

TEST(Alternatives, AreNotSoughtBehindTooManyOthers) {
  ClusterBuilder builder;
  builder.nodes(1).running(1, 60);
  for (int i = 0; i < 5; ++i) builder.pending(1, 30);
  Cluster cluster = builder.build();
  Alternatives found =
      alternatives_of(cluster, JobId{6}, t0, {.partitions = {}, .budget = {}, .max_ahead = 3});
  EXPECT_FALSE(found.tried_all);
  EXPECT_TRUE(found.sooner.empty());
}

TEST(Alternatives, WorkForATaskOfAnArray) {
  auto cluster = ClusterBuilder()
                     .nodes(4)
                     .running(3, 60)
                     .pending(4, 30)
                     .pending(job().array("0-2").minutes(200))
                     .build();
  EXPECT_FALSE(sooner(cluster, 3).empty());
}

TEST(Reasons, EachHasASentence) {
  for (int i = 0; i <= static_cast<int>(Reason::limit); ++i) {
    auto sentence = reason_sentence(static_cast<Reason>(i));
    EXPECT_TRUE(sentence.ends_with('.')) << reason_name(static_cast<Reason>(i));
  }
}

}  // namespace
}  // namespace muster::sched
