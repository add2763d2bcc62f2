// Steps with several commands are listed with a line for each.
#include "cli/tables/step_commands.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(StepCommands, HaveTheirOwnPartOfTheStepsNodes) {
  Step step;
  step.num_tasks = 4;
  step.nodes = {{.node = NodeId{1}}, {.node = NodeId{2}}, {.node = NodeId{3}}};
  step.commands = {{"first", 3, 2}, {"second", 1, 1}};
  const auto commands = commands_of(step);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].suffix, "+0");
  EXPECT_EQ(commands[0].step.name, "first");
  EXPECT_EQ(commands[0].step.num_tasks, 3u);
  EXPECT_EQ(commands[0].step.nodes.size(), 2u);
  EXPECT_EQ(commands[1].suffix, "+1");
  ASSERT_EQ(commands[1].step.nodes.size(), 1u);
  EXPECT_EQ(commands[1].step.nodes.front().node, NodeId{3});
}

TEST(StepCommands, AreNotToldApartWhereThereIsOne) { EXPECT_TRUE(commands_of(Step{}).empty()); }

}  // namespace
}  // namespace muster::cli
