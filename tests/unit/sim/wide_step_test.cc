// 10,000 tasks on 1,000 simulated nodes: the number of messages depends on nodes, not on tasks.
#include "sim/wide_step.h"

#include <gtest/gtest.h>

namespace muster::sim {
namespace {

TEST(WideStep, TakesOneMessageForEachNodeToStart) {
  const WideStepReport report = run_wide_step({.nodes = 1000, .tasks_per_node = 10});
  EXPECT_EQ(report.tasks, 10'000u);
  EXPECT_EQ(report.failed_nodes, 0u);
  EXPECT_EQ(report.order_messages, 1000u);
}

TEST(WideStep, OfMoreTasksTakesNoMoreMessages) {
  const WideStepReport few = run_wide_step({.nodes = 50, .tasks_per_node = 1});
  const WideStepReport many = run_wide_step({.nodes = 50, .tasks_per_node = 64});
  EXPECT_EQ(many.tasks, 64 * few.tasks);
  EXPECT_EQ(many.order_messages, few.order_messages);
  EXPECT_EQ(many.report_messages, few.report_messages);
  EXPECT_EQ(many.commits, few.commits);
}

}  // namespace
}  // namespace muster::sim
