// Heterogeneous jobs: what concerns one component, and what concerns all.
#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;

wire::Answer try_submit(World& w, std::vector<JobRequest> specs) {
  wire::SubmitRequest request{.spec = Cow(specs.front())};
  for (std::size_t i = 1; i < specs.size(); ++i) request.components.emplace_back(specs[i]);
  return w.answer(std::move(request));
}

std::uint32_t submit(World& w, std::vector<JobRequest> specs) {
  wire::Answer answer = try_submit(w, std::move(specs));
  auto* reply = std::get_if<wire::SubmitReply>(&answer);
  EXPECT_TRUE(reply) << std::get<Error>(answer).text();
  return reply ? reply->job.value : 0;
}

std::string states(const World& w, std::uint32_t id) {
  std::string text;
  for (const Job* component : w.core.cluster().components(w.job(id)))
    text += (text.empty() ? "" : " ") + std::string(state_name(component->state));
  return text;
}

wire::CancelReply cancel_component(World& w, std::uint32_t id, std::uint32_t component) {
  wire::CancelRequest request{.jobs = {{.job = JobId{id}, .component = component}},
                              .filter = std::nullopt};
  return std::get<wire::CancelReply>(w.answer(std::move(request)));
}

TEST(HetJob, HasIdsOneAfterTheOtherAndStartsAsAWhole) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job().name("a"), job().name("b")});
  EXPECT_EQ(states(w, id), "RUNNING RUNNING");
  EXPECT_EQ(job_name(w.job(id)), std::to_string(id) + "+0");
  EXPECT_EQ(job_name(w.job(id + 1)), std::to_string(id) + "+1");
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u) << "the script runs in the first component only";
  EXPECT_EQ(launches[0].second.launch.ref, batch_of(id));
}

TEST(HetJob, WhatIsDoneToOneComponentIsDoneToAllWhereTheSiteSaysSo) {
  World w{ClusterBuilder().nodes(2).settings([](Settings& s) { s.whole_het_jobs = true; })};
  auto waits = submit(w, {job().begin(w.now + Minutes{60}), job()});
  wire::JobActionRequest hold{
      .action = wire::JobAction::hold, .jobs = {{.job = JobId{waits}, .component = 1}}, .name = {}};
  w.answer(hold);
  EXPECT_EQ(w.job(waits).hold, Hold::user);
  EXPECT_EQ(w.job(waits + 1).hold, Hold::user);
  EXPECT_TRUE(cancel_component(w, waits, 1).errors.empty());
  EXPECT_EQ(states(w, waits), "CANCELLED CANCELLED");
  auto runs = submit(w, {job(), job()});
  cancel_component(w, runs, 1);
  EXPECT_TRUE(w.job(runs).run->ending);
}

TEST(HetJob, TakesNoArrays) {
  World w{ClusterBuilder().nodes(2)};
  wire::Answer answer = try_submit(w, {job(), job().array("1-2")});
  EXPECT_EQ(std::get<Error>(answer).code, ErrorCode::invalid_array);
  EXPECT_EQ(w.core.cluster().jobs.size(), 0u);
}

TEST(HetJob, HoldAndDependencyOfOneAreThoseOfAll) {
  World w{ClusterBuilder().nodes(2)};
  auto held = submit(w, {job(), job().hold()});
  EXPECT_EQ(w.job(held).hold, Hold::user);
  EXPECT_EQ(w.job(held + 1).hold, Hold::user);
  auto waiting = submit(w, {job().dependency("afterok:" + std::to_string(held)), job()});
  EXPECT_EQ(w.job(waiting + 1).own.dependency, w.job(waiting).own.dependency);
  w.act(wire::JobAction::release, held + 1);
  EXPECT_EQ(states(w, held), "PENDING PENDING") << "the first one is still held";
  w.act(wire::JobAction::release, held);
  EXPECT_EQ(states(w, held), "RUNNING RUNNING");
}

TEST(HetJob, EndsAsItsScriptEnds) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  w.step_end(1, batch_of(id), 3 << 8);
  EXPECT_EQ(states(w, id), "FAILED FAILED");
  EXPECT_EQ(w.job(id + 1).run->exit_status, 3u << 8);
  EXPECT_TRUE(w.job(id + 1).run->unfinished.empty());
  EXPECT_TRUE(w.node(2).jobs.empty());
}

TEST(HetJob, OneRunningComponentCanBeCancelledAWaitingOneCannot) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  EXPECT_TRUE(cancel_component(w, id, 1).errors.empty());
  EXPECT_EQ(states(w, id), "RUNNING CANCELLED");
  auto waiting = submit(w, {job().hold(), job()});
  EXPECT_EQ(cancel_component(w, waiting, 1).errors.size(), 1u);
  EXPECT_EQ(states(w, waiting), "PENDING PENDING");
  EXPECT_TRUE(w.cancel(waiting).errors.empty());
  EXPECT_EQ(states(w, waiting), "CANCELLED CANCELLED");
  EXPECT_EQ(cancel_component(w, id, 7).errors.size(), 1u);
}

TEST(HetJob, ACancelReachesAll) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  w.cancel(id);
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(states(w, id), "CANCELLED CANCELLED");
  EXPECT_EQ(w.job(id + 1).run->exit_status, 15u);
}

TEST(HetJob, GoesBackToTheQueueOnceAllNodesAreLeft) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  EXPECT_EQ(w.act(wire::JobAction::requeue, id + 1).errors.size(), 1u) << "only as a whole";
  w.hold_plans = true;
  EXPECT_TRUE(w.act(wire::JobAction::requeue, id).errors.empty());
  EXPECT_EQ(states(w, id), "RUNNING RUNNING") << "the script has not ended yet";
  EXPECT_TRUE(w.node(2).jobs.empty()) << "the other component waits without its node";
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(states(w, id), "PENDING PENDING");
  w.hold_plans = false;
  w.pass(Seconds{10});
  EXPECT_EQ(states(w, id), "RUNNING RUNNING");
  EXPECT_EQ(w.job(id + 1).attempt, Attempt{2});
}

TEST(HetJob, ARequeueTakesACancelledComponentAlong) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  cancel_component(w, id, 1);
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id), 15);
  w.pass(Seconds{10});
  EXPECT_EQ(states(w, id), "RUNNING RUNNING");
}

TEST(HetJob, ALostNodeOfOneComponentConcernsAll) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job().requeue(false), job()});
  wire::UpdateRequest down{.kind = wire::UpdateRequest::Kind::node,
                           .settings = {{"NodeName", "n2"}, {"State", "DOWN"}, {"Reason", "x"}}};
  w.answer(down, kRoot);
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(states(w, id), "NODE_FAIL NODE_FAIL");
}

TEST(HetJob, APreemptedComponentTakesTheOthersAlong) {
  World w{ClusterBuilder()
              .nodes(2)
              .settings([](Settings& s) {
                s.preempt.type = PreemptType::partition_priority;
                s.preempt.mode = PreemptMode::requeue;
              })
              .partition({.name = "low", .is_default = true}, 1, 2)
              .partition({.name = "high", .priority_tier = 9}, 1, 2)};
  auto id = submit(w, {job(), job()});
  auto urgent = w.submit(job().partition("high").on("n2"));
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(w.job(urgent).state, JobState::running);
  EXPECT_EQ(states(w, id), "PENDING PENDING");
  EXPECT_TRUE(w.node(1).jobs.empty());
}

TEST(HetJob, ATimeLimitIsEachComponentsOwn) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job().minutes(5), job().minutes(1)});
  w.pass(Minutes{2});
  EXPECT_EQ(states(w, id), "RUNNING TIMEOUT");
  EXPECT_EQ(w.job(id + 1).run->exit_status, 0u);
  w.pass(Minutes{4});
  w.step_end(1, batch_of(id), 15);
  EXPECT_EQ(states(w, id), "TIMEOUT TIMEOUT");
}

TEST(HetJob, StaysListedUntilAllOfItIsOld) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job().minutes(1)});
  w.pass(Minutes{2});
  w.pass(Minutes{60});
  EXPECT_EQ(states(w, id), "RUNNING TIMEOUT");
  w.step_end(1, batch_of(id));
  w.pass(Minutes{1});
  EXPECT_EQ(states(w, id), "COMPLETED TIMEOUT") << "the second one is old, but not alone";
  w.pass(Minutes{60});
  EXPECT_EQ(w.core.cluster().jobs.size(), 0u);
}

wire::StepRequest step_in(std::uint32_t id, std::uint32_t tasks) {
  wire::StepRequest request;
  request.job = JobId{id};
  request.num_tasks = tasks;
  request.task.argv = {"true"};
  return request;
}

TEST(HetStep, CountsRanksAndNodesThroughAllComponents) {
  World w{ClusterBuilder().nodes(3)};
  auto id = submit(w, {job().nodes(1), job().nodes(2).tasks(3)});
  w.take<wire::LaunchOrder>();
  wire::StepRequest request = step_in(id, 1);
  request.parts.push_back(step_in(id + 1, 3));
  auto reply = std::get<wire::StepReply>(w.answer(request));
  EXPECT_EQ(reply.num_tasks, 4u);
  ASSERT_EQ(reply.places.size(), 3u);
  EXPECT_EQ(reply.places[0].job, JobId{id});
  EXPECT_EQ(reply.places[1].job, JobId{id + 1});
  std::vector<std::uint32_t> ranks;
  for (const wire::StepPlace& place : reply.places)
    ranks.insert(ranks.end(), place.ranks.begin(), place.ranks.end());
  EXPECT_EQ(ranks, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 3u);
  for (const auto& [node, order] : launches) {
    EXPECT_EQ(order.launch.node_index, node - 1);
    EXPECT_EQ(order.launch.num_tasks, 4u);
    const auto& variables = order.launch.environment;
    for (const std::string& entry :
         {"SLURM_JOB_ID=" + std::to_string(id), std::string("SLURM_NTASKS=4"),
          std::string("SLURM_JOB_NODELIST=n[1-3]"), std::string("SLURM_HET_SIZE=2")})
      EXPECT_NE(std::ranges::find(variables, entry), variables.end()) << entry;
  }
}

TEST(HetStep, NumbersGoOnThroughTheWholeJob) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  EXPECT_EQ(std::get<wire::StepReply>(w.answer(step_in(id, 1))).step, StepId{0});
  EXPECT_EQ(std::get<wire::StepReply>(w.answer(step_in(id + 1, 1))).step, StepId{1});
}

TEST(HetStep, StartsInAllComponentsOrInNone) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  w.answer(step_in(id + 1, 1));  // the second component is busy
  wire::StepRequest request = step_in(id, 1);
  request.parts.push_back(step_in(id + 1, 1));
  std::uint64_t waiting = w.ask(request);
  w.run();
  EXPECT_FALSE(w.host.replies.contains(waiting));
  EXPECT_EQ(w.job(id).run->next_step, 0u);
  w.step_end(2, {JobId{id + 1}, Attempt{1}, StepId{0}});
  ASSERT_TRUE(w.host.replies.contains(waiting));
  EXPECT_EQ(std::get<wire::StepReply>(w.host.replies.at(waiting)).places.size(), 2u);
}

TEST(HetStep, IsCancelledInAllComponents) {
  World w{ClusterBuilder().nodes(2)};
  auto id = submit(w, {job(), job()});
  wire::StepRequest request = step_in(id, 1);
  request.parts.push_back(step_in(id + 1, 1));
  w.answer(request);
  wire::CancelRequest cancel{.jobs = {{.job = JobId{id + 1}, .step = StepId{0}}},
                             .filter = std::nullopt};
  w.answer(cancel);
  EXPECT_EQ(w.take<wire::EndStepOrder>().size(), 2u);
}

}  // namespace
}  // namespace muster::controller
