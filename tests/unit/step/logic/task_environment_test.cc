// Variables of single tasks.
#include "step/logic/task_environment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/string_block.h"

namespace muster {
namespace {

std::string value(const Environment& environment, std::string_view name) {
  const std::string* entry = environment.find(name);
  return entry ? entry->substr(name.size() + 1) : "(unset)";
}

StepSetup step_with(const std::vector<std::string>& environment, StepId step) {
  StepSetup setup;
  setup.node_name = "n2";
  setup.launch.ref = {JobId{12}, Attempt{1}, step};
  setup.launch.environment = StringBlock(environment);
  setup.launch.node_index = 1;
  setup.launch.num_tasks = 4;
  setup.launch.ranks = {2, 3};
  return setup;
}

TEST(TaskEnvironment, ABatchShellKnowsItsNode) {
  StepSetup setup = step_with({"HOSTNAME=login", "PATH=/bin"}, kBatchStep);
  setup.launch.ranks = {0};
  Environment environment = node_environment(setup);
  add_task_variables(environment, setup, 0);
  EXPECT_EQ(value(environment, "HOSTNAME"), "n2");
  EXPECT_EQ(value(environment, "ENVIRONMENT"), "BATCH");
  EXPECT_EQ(value(environment, "SLURM_GTIDS"), "0");
  EXPECT_EQ(value(environment, "SLURM_PROCID"), "0");
  EXPECT_EQ(value(environment, "TMPDIR"), "/tmp");
  EXPECT_EQ(value(environment, "SLURM_STEP_ID"), "(unset)");
}

TEST(TaskEnvironment, WhatTheSubmitterSetGivesWayToTheJobsOwn) {
  StepSetup setup = step_with({"SLURM_JOB_ID=12", "EMPTY="}, kBatchStep);
  setup.launch.submitted_environment =
      StringBlock(std::vector<std::string>{"SLURM_JOB_ID=7", "PATH=/bin", "EMPTY=no", "LINES=a\nb"})
          .bytes();
  Environment environment = node_environment(setup);
  EXPECT_EQ(value(environment, "SLURM_JOB_ID"), "12");
  EXPECT_EQ(value(environment, "PATH"), "/bin");
  EXPECT_EQ(value(environment, "EMPTY"), "");
  EXPECT_EQ(value(environment, "LINES"), "a\nb");
  EXPECT_EQ(std::ranges::count_if(environment.entries(),
                                  [](const auto& e) { return e.starts_with("SLURM_JOB_ID="); }),
            1);
}

TEST(TaskEnvironment, ATaskKnowsItsRanks) {
  StepSetup setup = step_with({"TMPDIR=/scratch"}, StepId{0});
  Environment environment = node_environment(setup);
  add_task_variables(environment, setup, 1);
  EXPECT_EQ(value(environment, "SLURM_PROCID"), "3");
  EXPECT_EQ(value(environment, "SLURM_LOCALID"), "1");
  EXPECT_EQ(value(environment, "SLURM_NODEID"), "1");
  EXPECT_EQ(value(environment, "SLURM_GTIDS"), "2,3");
  EXPECT_EQ(value(environment, "SLURM_STEP_NUM_TASKS"), "4");
  EXPECT_EQ(value(environment, "TMPDIR"), "/scratch");
}

TEST(TaskEnvironment, ATaskThatMeetsOthersKnowsItsPlaceAmongThem) {
  StepSetup setup = step_with({"RANK=9"}, StepId{0});
  setup.launch.task.rendezvous = true;
  Environment environment = node_environment(setup);
  add_task_variables(environment, setup, 1);
  EXPECT_EQ(value(environment, "RANK"), "3");
  EXPECT_EQ(value(environment, "LOCAL_RANK"), "1");
  EXPECT_EQ(value(environment, "LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(value(environment, "NODE_RANK"), "1");
  EXPECT_EQ(value(environment, "GROUP_RANK"), "1");
}

TEST(TaskEnvironment, WhatTheNodeGaveTheBatchShellDoesNotReachItsSteps) {
  Environment inside = node_environment(step_with({"ENVIRONMENT=BATCH", "HOSTNAME=n1"}, StepId{0}));
  EXPECT_EQ(value(inside, "ENVIRONMENT"), "(unset)");
  EXPECT_EQ(value(inside, "HOSTNAME"), "(unset)");
  Environment outside = node_environment(step_with({"HOSTNAME=login"}, StepId{0}));
  EXPECT_EQ(value(outside, "HOSTNAME"), "login");
}

}  // namespace
}  // namespace muster
