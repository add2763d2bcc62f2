// Allocations whose command the controller no longer knows.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::allocation_test {
namespace {

using namespace muster::controller::test;
using namespace std::chrono_literals;

// The job of the command runs, and the controller restarts from what it has stored.
StoredState after_start_of(const JobRequest& request) {
  World world(ClusterBuilder().nodes(1).config());
  world.join(1);
  EXPECT_EQ(world.submit(request), 1u);
  EXPECT_EQ(world.job(1).state, JobState::running);
  StoredState stored;
  for (const Batch& batch : world.host.commits)
    stored.journal.push_back({batch.number, batch.events});
  return stored;
}

StoredState after_srun_started() {
  return after_start_of(job().allocation().set(&JobRequest::made_by_srun, true));
}

TEST(Orphan, AJobOfAnSallocThatDoesNotComeBackAfterARestartIsEnded) {
  World world(ClusterBuilder().nodes(1).config(), after_start_of(job().allocation()));
  world.join(1);
  world.pass(10s);
  EXPECT_FALSE(world.job(1).run->ending);
  world.pass(20s);
  EXPECT_TRUE(world.job(1).run->ending || is_ended(world.job(1).state));
}

TEST(Orphan, AnAllocationThatNobodyHasToBeThereForStaysAfterARestart) {
  World world(ClusterBuilder().nodes(1).config(),
              after_start_of(job().allocation().set(&JobRequest::outlives_command, true)));
  world.join(1);
  world.pass(60s);
  EXPECT_EQ(world.job(1).state, JobState::running);
  EXPECT_FALSE(world.job(1).run->ending);
}

TEST(Orphan, AJobOfAnSrunThatDoesNotComeBackAfterARestartIsEnded) {
  World world(ClusterBuilder().nodes(1).config(), after_srun_started());
  world.join(1);
  world.pass(10s);
  EXPECT_FALSE(world.job(1).run->ending);
  world.pass(20s);
  EXPECT_TRUE(world.job(1).run->ending || is_ended(world.job(1).state));
}

TEST(Orphan, AnSrunThatComesBackAfterARestartKeepsItsJob) {
  World world(ClusterBuilder().nodes(1).config(), after_srun_started());
  world.join(1);
  world.pass(10s);
  world.ask(wire::WaitJobRequest{.job = JobId{1}, .ownership = wire::Ownership::take});
  world.pass(60s);
  EXPECT_EQ(world.job(1).state, JobState::running);
  EXPECT_FALSE(world.job(1).run->ending);
}

}  // namespace
}  // namespace muster::controller::allocation_test
