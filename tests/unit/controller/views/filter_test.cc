// Which jobs a filter of states lets through.
#include "controller/views/filter.h"

#include <gtest/gtest.h>

#include "builders.h"

namespace muster::controller::views_test {
namespace {

using namespace muster::test;

bool lets_through(const Job& job, const wire::JobFilter& filter) {
  return matches(ClusterBuilder().nodes(1).build(), job, filter);
}

Job special_exit() {
  Job job;
  job.hold = Hold::special_exit;
  return job;
}

TEST(FilterOfStates, TakesASpecialExitForPendingUnlessItIsToldApart) {
  const Job job = special_exit();
  EXPECT_TRUE(lets_through(job, {.states = {JobState::pending}}));
  EXPECT_FALSE(lets_through(job, {.states = {JobState::pending}, .special_exit = false}));
  EXPECT_TRUE(lets_through(job, {.states = {JobState::failed}, .special_exit = true}));
  EXPECT_TRUE(lets_through(job, {.special_exit = true}));
  EXPECT_FALSE(lets_through(Job{}, {.special_exit = true}));
  EXPECT_TRUE(lets_through(Job{}, {.states = {JobState::pending}, .special_exit = false}));
}

TEST(FilterOfStates, TakesAJobThatLeavesItsNodesForCompletingAndForItsState) {
  Job job;
  job.state = JobState::failed;
  job.run.edit().unfinished = {NodeId{1}};
  EXPECT_TRUE(lets_through(job, {.completing = true}));
  EXPECT_TRUE(lets_through(job, {.states = {JobState::failed}}));
  EXPECT_FALSE(lets_through(job, {.states = {JobState::running}}));
  EXPECT_TRUE(lets_through(job, {}));
}

TEST(FilterOfLicenses, KnowsEverySpelling) {
  Job job;
  job.take_request(test::job().licenses("matlab*2,ansys"));
  EXPECT_TRUE(lets_through(job, {.licenses = {"matlab"}}));
  EXPECT_TRUE(lets_through(job, {.licenses = {"fluent", "ansys"}}));
  EXPECT_FALSE(lets_through(job, {.licenses = {"fluent"}}));
}

}  // namespace
}  // namespace muster::controller::views_test
