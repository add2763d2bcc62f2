// How tasks are distributed over nodes.
#include "sched/place/task_counts.h"

#include <gtest/gtest.h>

namespace muster::sched::task_counts_test {
namespace {

using Counts = std::vector<std::uint32_t>;

TEST(InTurns, EveryNodeTakesOneAfterTheOtherUpToItsRoom) {
  EXPECT_EQ(in_turns({14, 4, 2, 2}, 20), (Counts{12, 4, 2, 2}));
  EXPECT_EQ(in_turns({16, 16, 8, 2}, 40), (Counts{15, 15, 8, 2}));
  EXPECT_EQ(in_turns({16, 16}, 5), (Counts{3, 2}));
  EXPECT_EQ(in_turns({3, 3}, 6), (Counts{3, 3}));
}

TEST(InTurns, CountsUpToTheLargestNumber) {
  constexpr std::uint32_t kMost = 0xffffffff;
  EXPECT_EQ(in_turns({kMost}, kMost), (Counts{kMost}));
  EXPECT_EQ(in_turns({kMost, 1}, kMost), (Counts{kMost - 1, 1}));
}

TEST(InTurns, EachNodeHasATaskAndEachTaskANode) {
  EXPECT_EQ(in_turns({4, 4}, 1), std::nullopt);
  EXPECT_EQ(in_turns({4, 0}, 3), std::nullopt);
  EXPECT_EQ(in_turns({2, 2}, 5), std::nullopt);
  EXPECT_EQ(in_turns({}, 0), std::nullopt);
}

std::optional<Counts> on_cores(std::size_t nodes, std::size_t needed, std::uint64_t tasks) {
  return first_nodes_most(std::vector(nodes, TaskRoom{.capacity = 16, .kept = 2, .least = 2}),
                          needed, tasks);
}
std::optional<Counts> on_cpus(std::size_t nodes, std::size_t needed, std::uint64_t tasks) {
  return first_nodes_most(std::vector(nodes, TaskRoom{.capacity = 16, .kept = 2}), needed, tasks);
}

TEST(FirstNodesMost, EachNeededNodeKeepsACore) {
  EXPECT_EQ(on_cores(2, 2, 8), (Counts{6, 2}));
  EXPECT_EQ(on_cores(4, 4, 20), (Counts{14, 2, 2, 2}));
  EXPECT_EQ(on_cores(3, 3, 7), (Counts{3, 2, 2}));
  EXPECT_EQ(on_cores(2, 2, 3), (Counts{2, 1}));
}

TEST(FirstNodesMost, WhereCpusAreGivenSinglyTheFirstNodeCanHaveTheFewest) {
  EXPECT_EQ(on_cpus(2, 2, 3), (Counts{1, 2}));
  EXPECT_EQ(on_cpus(3, 3, 4), (Counts{1, 1, 2}));
  EXPECT_EQ(on_cpus(4, 4, 6), (Counts{1, 1, 2, 2}));
  EXPECT_EQ(on_cpus(2, 2, 17), (Counts{15, 2}));
  EXPECT_EQ(on_cpus(3, 2, 4), (Counts{2, 1, 1}));
}

TEST(FirstNodesMost, NodesOnTopGetWhatIsLeftInTurns) {
  EXPECT_EQ(on_cores(4, 2, 20), (Counts{14, 4, 1, 1}));
  EXPECT_EQ(on_cores(4, 2, 6), (Counts{2, 2, 1, 1}));
  EXPECT_EQ(on_cores(3, 1, 5), (Counts{3, 1, 1}));
  EXPECT_EQ(on_cores(2, 1, 20), (Counts{16, 4})) << "these are needed, too";
}

TEST(FirstNodesMost, CpusThatANodeHasAnywayAreUsed) {
  std::vector<TaskRoom> rooms(2, {.capacity = 16, .kept = 8, .least = 8, .floor = 8});
  EXPECT_EQ(first_nodes_most(rooms, 1, 20), (Counts{12, 8}));
}

TEST(FirstNodesMost, TooManyTasksDoNotFit) {
  EXPECT_EQ(on_cores(2, 2, 33), std::nullopt);
  EXPECT_EQ(on_cores(3, 3, 2), std::nullopt);
}

TEST(TaskCounts, FilledUpLeaveOneToEachNodeBehind) {
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(filled_up({16, 6}, 21), Counts({16, 5}));
  EXPECT_EQ(filled_up({4, 4, 4}, 5), Counts({3, 1, 1}));
  EXPECT_FALSE(filled_up({4, 4}, 9));
  EXPECT_FALSE(filled_up({4, 4}, 1));
}

}  // namespace
}  // namespace muster::sched::task_counts_test
