// Patterns in file names of jobs and steps.
#include "step/logic/file_pattern.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

StepSetup batch_of_job(std::uint32_t id) {
  StepSetup setup;
  setup.launch.ref = {JobId{id}, Attempt{1}, kBatchStep};
  setup.launch.user_name = "alice";
  setup.launch.job_name = "train";
  setup.host_name = "vm";
  return setup;
}

TEST(FilePattern, NamesTheJobTheUserAndTheMachine) {
  EXPECT_EQ(expand_file_pattern("o-%j-%x-%u-%N-%n-%t-%J-%%", batch_of_job(12), 0),
            "o-12-train-alice-vm-0-0-12-%");
}

TEST(FilePattern, PadsNumbersWithZeros) {
  EXPECT_EQ(expand_file_pattern("%5j.%4t", batch_of_job(12), 3), "00012.0003");
}

TEST(FilePattern, AJobThatIsNoArrayHasItsOwnIdAndSlurmsMarkForNone) {
  EXPECT_EQ(expand_file_pattern("%A-%a", batch_of_job(12), 0), "12-4294967294");
}

TEST(FilePattern, AnArraysTaskIsNamedByTheArray) {
  StepSetup setup = batch_of_job(13);
  setup.launch.array_id = JobId{12};
  setup.launch.task_id = 7;
  EXPECT_EQ(default_output_pattern(setup.launch), "slurm-%A_%a.out");
  EXPECT_EQ(expand_file_pattern("slurm-%A_%4a.out", setup, 0), "slurm-12_0007.out");
}

TEST(FilePattern, AStepIsNamedWithItsNumber) {
  StepSetup setup = batch_of_job(12);
  setup.launch.ref.step = StepId{3};
  EXPECT_EQ(expand_file_pattern("%J-%s", setup, 0), "12.3-3");
}

TEST(FilePattern, ABackslashSwitchesPatternsOff) {
  EXPECT_EQ(expand_file_pattern("a\\%j", batch_of_job(12), 0), "a%j");
}

TEST(FilePattern, UnknownLettersAndALonePercentStay) {
  EXPECT_EQ(expand_file_pattern("%q-%", batch_of_job(12), 0), "%q-%");
}

}  // namespace
}  // namespace muster
