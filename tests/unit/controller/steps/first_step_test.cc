// srun outside of a job: its allocation and its step are requested together.
#include "controller/world.h"

namespace muster::controller::test::steps_test {
namespace {

wire::SubmitRequest with_step(JobRequest spec) {
  wire::SubmitRequest request{.spec = Cow(std::move(spec))};
  request.first_step.push_back({.num_tasks = 1});
  return request;
}

struct FirstStep : ::testing::Test {
  World w{ClusterBuilder().nodes(1, 4)};
  JobRequest small = job().allocation().nodes(1).tasks(1).memory(100);
  JobRequest whole = job().allocation().nodes(1).tasks(4).memory(100);
};

TEST_F(FirstStep, StartsWithItsJobInOneCommit) {
  auto number = w.ask(with_step(small));
  w.run();
  EXPECT_EQ(w.host.what, (std::vector<std::string>{"commit 3", "reply 1", "reply 1", "send 101"}));
  const auto& reply = std::get<wire::StepReply>(w.host.replies.at(number));
  EXPECT_EQ(reply.step, StepId{0});
  ASSERT_EQ(reply.places.size(), 1u);
  EXPECT_EQ(reply.places[0].job, JobId{1});
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 1u);
}

TEST_F(FirstStep, WaitsWithItsJobWhichIsDurableMeanwhile) {
  w.submit(whole);
  w.host.what.clear();
  auto number = w.ask(with_step(small));
  w.run();
  EXPECT_TRUE(std::holds_alternative<wire::SubmitReply>(w.host.replies.at(number)));
  EXPECT_EQ(w.committed_events<JobSubmitted>().size(), 2u);
  EXPECT_TRUE(std::holds_alternative<wire::Done>(w.answer(wire::ReleaseRequest{JobId{1}, 0})));
  EXPECT_TRUE(std::holds_alternative<wire::StepReply>(w.host.replies.at(number)));
}

TEST_F(FirstStep, IsRefusedWhereItsUserWaitsForTooMuchAlready) {
  const JobId held{w.submit(job().hold())};
  for (std::size_t i = 0; i < WaiterList::kMostPerUser; ++i)
    w.core.on_request({.connection = 1000 + i, .request = 1}, {kAlice, Gid{100}},
                      wire::WaitJobRequest{.job = held}, w.now);
  auto number = w.ask(with_step(small));
  w.run();
  EXPECT_TRUE(std::holds_alternative<Error>(w.host.replies.at(number)));
}

TEST_F(FirstStep, KeepsNobodyElseWaitingForAPlan) {
  w.hold_plans = true;
  auto patient = w.ask(with_step(small));
  w.run();
  EXPECT_FALSE(w.host.replies.contains(patient));
  auto other = w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job().hold()))});
  w.run();
  EXPECT_TRUE(w.host.replies.contains(patient));
  EXPECT_TRUE(w.host.replies.contains(other));
}

TEST_F(FirstStep, HoldsItsBatchBackForOnePlanOnly) {
  w.submit(whole);
  w.hold_plans = true;
  auto first = w.ask(with_step(whole));
  w.run();
  auto second = w.ask(with_step(whole));  // needs a plan of its own
  w.run();
  EXPECT_FALSE(w.host.replies.contains(first));
  Cluster cluster = std::move(*w.host.to_plan);
  w.host.to_plan.reset();
  w.core.on_planned(sched::plan(cluster, w.now), w.now);
  w.core.on_planner_idle();
  w.run();
  EXPECT_TRUE(w.host.replies.contains(first));
  EXPECT_TRUE(w.host.replies.contains(second));
}

TEST_F(FirstStep, IsToldThatItsJobWasCancelledBeforeItStarted) {
  w.submit(whole);
  auto number = w.ask(with_step(small));
  w.run();
  w.cancel(2);
  const auto& reply = std::get<wire::JobsReply>(w.host.replies.at(number));
  ASSERT_EQ(reply.jobs.size(), 1u);
  EXPECT_EQ(reply.jobs[0].job->state, JobState::cancelled);
}

TEST_F(FirstStep, OfAnSrunThatHasGoneIsNotCreated) {
  w.submit(whole);
  w.ask(with_step(small), kAlice, 9);
  w.run();
  w.core.on_client_closed(9, w.now);
  w.answer(wire::ReleaseRequest{JobId{1}, 0});
  EXPECT_EQ(w.job(2).state, JobState::running);
  EXPECT_TRUE(w.job(2).run->steps.empty());
}

TEST_F(FirstStep, ThatCannotRunIsRefusedAndTheJobIsThere) {
  wire::SubmitRequest request = with_step(small);
  request.first_step.front().num_tasks = 5;
  request.first_step.front().exclusive = true;
  auto number = w.ask(std::move(request));
  w.run();
  EXPECT_EQ(std::get<Error>(w.host.replies.at(number)).text(),
            "More processors requested than permitted");
  EXPECT_EQ(w.job(1).state, JobState::running);
}

TEST_F(FirstStep, SpansTheComponentsOfItsJob) {
  World wide{ClusterBuilder().nodes(2)};
  wire::SubmitRequest request = with_step(small);
  request.components.push_back(Cow(small));
  request.first_step.front().parts.push_back({.num_tasks = 1});
  auto number = wide.ask(std::move(request));
  wide.run();
  const auto& reply = std::get<wire::StepReply>(wide.host.replies.at(number));
  ASSERT_EQ(reply.places.size(), 2u);
  EXPECT_EQ(reply.places[1].job, JobId{2});
}

}  // namespace
}  // namespace muster::controller::test::steps_test
