// Among nodes with room, the same ones are chosen as by Slurm.
#include "sched/place/node_segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace muster::sched::node_segments_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

// Neighbouring nodes with these numbers of free CPUs; nodes with none cannot be used.
std::vector<NodeOffer> nodes_with(const Numbers& free, const Numbers& ranks = {}) {
  std::vector<NodeOffer> offers;
  for (std::uint32_t i = 0; i < free.size(); ++i)
    if (free[i] > 0)
      offers.push_back({.node = NodeId{i + 1},
                        .place = i,
                        .rank = ranks.empty() ? 0 : ranks[i],
                        .cpus = free[i],
                        .tasks = free[i]});
  return offers;
}
std::vector<NodeOffer> requiring(std::vector<NodeOffer> offers, const Numbers& nodes) {
  for (NodeOffer& offer : offers)
    offer.required = std::ranges::find(nodes, offer.node.value) != nodes.end();
  return offers;
}

PlacementNeed so_many(std::uint64_t tasks) { return {.max_nodes = 1000, .tasks = tasks}; }
PlacementNeed on_just(std::uint32_t nodes, std::uint64_t tasks) {
  return {.min_nodes = nodes, .wanted_nodes = nodes, .max_nodes = nodes, .tasks = tasks};
}
PlacementNeed on_up_to(std::uint32_t least, std::uint32_t most, std::uint64_t tasks) {
  return {.min_nodes = least, .wanted_nodes = most, .max_nodes = most, .tasks = tasks};
}
PlacementNeed in_one_segment(PlacementNeed need) {
  need.contiguous = true;
  return need;
}

std::string chosen(const std::vector<NodeOffer>& offers, const PlacementNeed& need) {
  const auto taken = choose_offers(offers, need);
  if (!taken) return "none";
  std::string text;
  for (std::size_t i : *taken) text += std::to_string(offers[i].node.value);
  return text;
}

TEST(NodeSegments, OneNodeIsTheOneWithTheFewestFreeCpusThatSuffice) {
  EXPECT_EQ(chosen(nodes_with({8, 2, 8, 8}), so_many(1)), "2");
  EXPECT_EQ(chosen(nodes_with({8, 2, 8, 5}), so_many(3)), "4");
  EXPECT_EQ(chosen(nodes_with({8, 8, 8, 8}), so_many(8)), "1");
}

TEST(NodeSegments, TheSmallestSegmentThatSufficesIsTaken) {
  EXPECT_EQ(chosen(nodes_with({8, 8, 0, 8, 8, 8, 0, 8}), so_many(1)), "8");
  EXPECT_EQ(chosen(nodes_with({8, 8, 0, 8, 8, 8, 0, 8}), on_just(2, 2)), "12");
  EXPECT_EQ(chosen(nodes_with({8, 8, 0, 8, 8, 8, 0, 8}), on_just(3, 3)), "456");
  EXPECT_EQ(chosen(nodes_with({8, 8, 0, 8, 8, 8, 0, 8}), so_many(20)), "456");
}

TEST(NodeSegments, ANodeTooSmallForAOneNodeJobEndsASegment) {
  EXPECT_EQ(chosen(nodes_with({7, 8, 8, 8, 8, 1, 8, 8}), on_just(1, 5)), "7");
  EXPECT_EQ(chosen(nodes_with({7, 8, 8, 8, 8, 1, 8, 8}), so_many(5)), "1");
}

TEST(NodeSegments, IfNoSegmentSufficesTheLargestIsTakenThenTheNext) {
  EXPECT_EQ(chosen(nodes_with({8, 8, 0, 8, 8, 0, 8, 8}), on_just(3, 3)), "124");
  EXPECT_EQ(chosen(nodes_with({7, 7, 0, 7, 8, 0, 8, 8}), on_just(3, 3)), "781");
  EXPECT_EQ(chosen(nodes_with({0, 0, 0, 4, 8, 0, 8, 8}), so_many(20)), "784");
}

TEST(NodeSegments, ASegmentTooShortButWithMoreCpusGoesFirst) {
  EXPECT_EQ(chosen(nodes_with({1, 6, 0, 8}), on_just(2, 2)), "41");
  EXPECT_EQ(chosen(nodes_with({2, 6, 0, 8}), on_just(2, 2)), "12");
}

TEST(NodeSegments, SeveralNodesAreTakenInTheirOrder) {
  EXPECT_EQ(chosen(nodes_with({6, 8, 8, 3, 8}), on_just(2, 2)), "12");
  EXPECT_EQ(chosen(nodes_with({6, 6, 8, 3, 8}), on_just(2, 14)), "13");
}

TEST(NodeSegments, SmallNodesThatWouldUseUpTheNodeCountAreLeftOut) {
  EXPECT_EQ(chosen(nodes_with({0, 1, 4, 3, 0, 0, 1, 7}), on_just(2, 10)), "38");
  EXPECT_EQ(chosen(nodes_with({1, 1, 8, 8}), on_just(2, 16)), "34");
}

TEST(NodeSegments, ARangeOfNodesIsUsedUp) {
  EXPECT_EQ(chosen(nodes_with({4, 5, 7, 8, 8}), on_up_to(2, 4, 6)), "1234");
  EXPECT_EQ(chosen(nodes_with({4, 1, 3, 8, 6, 0, 8, 8}), on_up_to(1, 3, 6)), "782");
  EXPECT_EQ(chosen(nodes_with({8, 8, 8}), on_up_to(2, 4, 5)), "123");
}

TEST(NodeSegments, NodesOfALowerRankAreUsedFirst) {
  EXPECT_EQ(chosen(nodes_with({8, 8, 8, 8}, {2, 2, 1, 1}), so_many(1)), "3");
  EXPECT_EQ(chosen(nodes_with({8, 8, 8, 8}, {2, 1, 2, 1}), on_just(3, 3)), "241");
}

TEST(NodeSegments, RequiredNodesAreTakenFirstAndThenThoseBehindThem) {
  EXPECT_EQ(chosen(requiring(nodes_with({8, 8, 8, 8, 8}), {3}), on_just(2, 2)), "34");
  EXPECT_EQ(chosen(requiring(nodes_with({8, 8, 8, 8, 8}), {5}), on_just(3, 3)), "543");
  EXPECT_EQ(chosen(requiring(nodes_with({8, 0, 8, 8, 0, 8, 8, 8}), {3}), on_just(3, 3)), "367");
  EXPECT_EQ(chosen(requiring(nodes_with({8, 0, 0, 8, 0, 0, 1, 8}), {7}), so_many(12)), "781");
  EXPECT_EQ(chosen(requiring(nodes_with({8, 8, 8}), {1, 3}), on_just(1, 1)), "none");
}

TEST(NodeSegments, AContiguousJobHasOneSegment) {
  EXPECT_EQ(chosen(nodes_with({8, 8, 4, 8, 0, 8, 8, 8}), in_one_segment(on_just(2, 2))), "67");
  EXPECT_EQ(chosen(nodes_with({8, 8, 0, 8, 8, 0, 8, 8}), in_one_segment(on_just(3, 3))), "none");
}

TEST(NodeSegments, ANeedBeyondAllNodesTogetherFailsAtOnce) {
  EXPECT_FALSE(may_suffice(nodes_with({8, 8}), so_many(17)));
  EXPECT_FALSE(may_suffice(nodes_with({8, 8}), on_just(3, 3)));
  EXPECT_FALSE(may_suffice(nodes_with({8, 8}), on_just(1, 9)));
  EXPECT_TRUE(may_suffice(nodes_with({8, 8}), so_many(16)));
}

}  // namespace
}  // namespace muster::sched::node_segments_test
