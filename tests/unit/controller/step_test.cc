// Steps beside each other: who waits, who starts next, and who owns the allocation.
#include "world.h"

namespace muster::controller::test {
namespace {

wire::StepRequest exact_step(std::uint32_t job, std::uint32_t tasks) {
  wire::StepRequest request{.job = JobId{job}, .num_tasks = tasks};
  request.exclusive = true;
  return request;
}
wire::StepRef step_of(std::uint32_t job, std::uint32_t step) {
  return {JobId{job}, Attempt{1}, StepId{step}};
}

struct StepQueue : ::testing::Test {
  World w{ClusterBuilder().nodes(1)};
  std::uint32_t id = w.submit(job().allocation().nodes(1).tasks(4).memory(400));

  // A step that is answered at once, or not yet.
  std::uint64_t ask(wire::StepRequest request, std::uint64_t connection = 5) {
    auto number = w.ask(std::move(request), kAlice, connection);
    w.run();
    return number;
  }
  bool answered(std::uint64_t number) const { return w.host.replies.contains(number); }
  std::string error(std::uint64_t number) const {
    auto* error = std::get_if<Error>(&w.host.replies.at(number));
    return error ? error->text() : "";
  }
};

TEST_F(StepQueue, ThatDoNotFitWaitAndStartWhenOthersEnd) {
  auto first = exact_step(id, 3);
  first.memory_per_node_mib = 100;
  auto second = exact_step(id, 2);
  second.memory_per_node_mib = 100;
  EXPECT_TRUE(answered(ask(first)));
  auto waits = ask(second);
  EXPECT_FALSE(answered(waits));
  auto small = exact_step(id, 1);
  small.memory_per_node_mib = 100;
  EXPECT_TRUE(answered(ask(small)));
  w.step_end(1, step_of(id, 0));
  ASSERT_TRUE(answered(waits));
  EXPECT_EQ(error(waits), "");
  EXPECT_EQ(w.job(id).steps.at(StepId{2}).nodes.front().share.cpus, IdSet::range(0, 1));
}

TEST_F(StepQueue, TakeAllTheJobsMemoryWhereTheJobAskedForSome) {
  EXPECT_TRUE(answered(ask(exact_step(id, 1))));
  EXPECT_FALSE(answered(ask(exact_step(id, 1))));
}

TEST_F(StepQueue, ThatOverlapNeitherWaitNorStandInTheWay) {
  auto overlapping = exact_step(id, 4);
  overlapping.overlap = true;
  EXPECT_TRUE(answered(ask(overlapping)));
  EXPECT_TRUE(answered(ask({.job = JobId{id}})));
  EXPECT_TRUE(answered(ask(overlapping)));
}

TEST_F(StepQueue, AreRefusedAtOnceWhereTheyCanNeverRun) {
  auto number = ask(exact_step(id, 5));
  ASSERT_TRUE(answered(number));
  EXPECT_EQ(error(number), "More processors requested than permitted");
}

TEST_F(StepQueue, ThatAreInAHurryAreToldThatItIsBusy) {
  ask({.job = JobId{id}});
  auto now = exact_step(id, 1), soon = exact_step(id, 1);
  now.immediate_s = 1;
  soon.immediate_s = 5;
  auto refused = ask(now), waits = ask(soon);
  ASSERT_TRUE(answered(refused));
  EXPECT_EQ(error(refused), "Requested nodes are busy");
  w.pass(Seconds{4});
  EXPECT_FALSE(answered(waits));
  w.pass(Seconds{1});
  ASSERT_TRUE(answered(waits));
  EXPECT_EQ(error(waits), "Requested nodes are busy");
}

TEST_F(StepQueue, ThatWaitLearnOfTheJobsEnd) {
  ask({.job = JobId{id}});
  auto waits = ask({.job = JobId{id}});
  w.cancel(id);
  ASSERT_TRUE(answered(waits));
  EXPECT_EQ(error(waits), "Job/step already completing or completed");
}

TEST_F(StepQueue, OfAClientThatHasGoneAreForgotten) {
  ask({.job = JobId{id}});
  ask({.job = JobId{id}}, 6);
  w.core.on_client_closed(6, w.now);
  w.step_end(1, step_of(id, 0));
  EXPECT_EQ(w.job(id).steps.size(), 1u);
}

TEST_F(StepQueue, EndAtTheirOwnTimeLimit) {
  auto limited = exact_step(id, 1);
  limited.time_limit = Minutes{1};
  ask(limited);
  w.pass(Seconds{59});
  EXPECT_TRUE(w.take<wire::EndStepOrder>().empty());
  w.pass(Seconds{1});
  EXPECT_EQ(w.take<wire::EndStepOrder>().size(), 1u);
  w.step_end(1, step_of(id, 0), 15);
  EXPECT_EQ(w.job(id).steps.at(StepId{0}).state, JobState::timeout);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

// An srun inside salloc comes and goes; the allocation stays salloc's.
TEST_F(StepQueue, DoNotTakeTheAllocationOver) {
  ask({.job = JobId{id}}, 5);
  w.step_end(1, step_of(id, 0));
  w.core.on_client_closed(5, w.now);
  w.pass(Seconds{60});
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST_F(StepQueue, AnAllocationThatItsOwnerLeftStays) {
  w.ask(wire::WaitJobRequest{JobId{id}, true, wire::Ownership::leave});
  w.run();
  w.core.on_client_closed(1, w.now);
  w.pass(Seconds{60});
  EXPECT_EQ(w.job(id).state, JobState::running);
}

}  // namespace
}  // namespace muster::controller::test
