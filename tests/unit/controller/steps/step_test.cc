// Concurrent steps: which wait, which starts next, and who owns the allocation.
#include "controller/views/view.h"
#include "controller/world.h"
#include "state/snapshot.h"

namespace muster::controller::test::steps_test {
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

TEST(StepNodes, AreThoseThatItNamesAndOthersForFurtherTasks) {
  auto nodes_of = [&](std::uint32_t tasks) {
    World w{ClusterBuilder().nodes(2)};
    auto id = w.submit(job().allocation().nodes(2).tasks(4).tasks_per_node(2).memory(400));
    wire::StepRequest request{.job = JobId{id}, .num_tasks = tasks, .node_list = "n2"};
    request.memory_per_node_mib = 10;
    w.ask(request, kAlice, 5);
    w.run();
    std::vector<std::uint32_t> nodes;
    for (const StepNode& place : w.job(id).run->steps.rbegin()->second.nodes)
      nodes.push_back(place.node.value);
    return nodes;
  };
  EXPECT_EQ(nodes_of(1), std::vector{2u});
  EXPECT_EQ(nodes_of(2), (std::vector{1u, 2u}));
  EXPECT_EQ(nodes_of(4), (std::vector{1u, 2u}));
}

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
  EXPECT_EQ(w.job(id).run->steps.at(StepId{2}).nodes.front().share.cpus, IdSet::range(0, 1));
}

TEST_F(StepQueue, WhoWaitsForAStepHearsOfItsEnd) {
  ask(exact_step(id, 1));
  const auto waits = w.ask(wire::WaitJobRequest{.job = JobId{id}, .step = StepId{0}}, kAlice, 5);
  w.run();
  EXPECT_FALSE(answered(waits));
  w.step_end(1, step_of(id, 0));
  ASSERT_TRUE(answered(waits));
  EXPECT_TRUE(std::holds_alternative<wire::Done>(w.host.replies.at(waits)));
  const auto late = w.ask(wire::WaitJobRequest{.job = JobId{id}, .step = StepId{0}}, kAlice, 5);
  w.run();
  EXPECT_TRUE(answered(late));
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
  EXPECT_TRUE(w.job(id).run->steps.empty());
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
  EXPECT_EQ(w.step_rows().back().state, JobState::timeout);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

// An srun within salloc comes and goes; the allocation remains salloc's.
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

wire::StepRequest queued_step(std::uint32_t job, std::uint32_t tasks) {
  auto request = exact_step(job, tasks);
  request.memory_per_node_mib = 10;
  request.async = true;
  request.environment = {"SECRET=1"};
  return request;
}

struct QueuedSteps : StepQueue {
  StepId queue(wire::StepRequest request) {
    auto number = ask(std::move(request), 9);
    EXPECT_TRUE(answered(number));
    w.core.on_client_closed(9, w.now);
    w.run();
    EXPECT_EQ(error(number), "");
    auto* reply = std::get_if<wire::StepReply>(&w.host.replies.at(number));
    return reply ? reply->step : StepId{99};
  }
  bool waits(StepId step) { return w.job(id).run->queued_steps.contains(step); }
  bool runs(StepId step) {
    auto found = w.job(id).run->steps.find(step);
    return found != w.job(id).run->steps.end() && !is_ended(found->second.state);
  }
};

TEST_F(QueuedSteps, StartAtOnceWhereThereIsRoomAndWithoutTheirSrun) {
  StepId step = queue(queued_step(id, 2));
  EXPECT_TRUE(runs(step));
  const auto& order = std::get<wire::LaunchOrder>(w.host.orders.back().second.order);
  EXPECT_FALSE(order.launch.waits_for_client);
}

TEST_F(QueuedSteps, WaitInTheStateWhenTheirSrunHasGone) {
  StepId first = queue(queued_step(id, 3)), second = queue(queued_step(id, 2));
  EXPECT_TRUE(runs(first));
  EXPECT_TRUE(waits(second));
  w.step_end(1, step_of(id, first.value));
  EXPECT_TRUE(runs(second));
  EXPECT_FALSE(waits(second));
}

TEST_F(QueuedSteps, AreShownWithoutWhatOnlyTheirOwnerMayKnow) {
  queue(queued_step(id, 3));
  queue(queued_step(id, 3));
  auto view = view_of(*w.host.published, w.job(id));
  EXPECT_TRUE(view.job->run->queued_steps.begin()->second.request.empty());
  EXPECT_TRUE(view.job->run->steps.begin()->second.request.empty());
  EXPECT_EQ(view.job->run->queued_steps.begin()->second.state, JobState::pending);
}

TEST_F(QueuedSteps, CanBeCancelledBeforeTheyStart) {
  StepId first = queue(queued_step(id, 4)), second = queue(queued_step(id, 4));
  wire::CancelRequest request{.jobs = {{.job = JobId{id}, .step = second}}, .filter = std::nullopt};
  EXPECT_EQ(std::get<wire::CancelReply>(w.answer(request)).cancelled, 1u);
  w.step_end(1, step_of(id, first.value));
  EXPECT_FALSE(waits(second));
  EXPECT_FALSE(runs(second));
}

TEST_F(QueuedSteps, EndWithTheirJob) {
  queue(queued_step(id, 4));
  StepId second = queue(queued_step(id, 4));
  EXPECT_TRUE(waits(second));
  w.cancel(id);
  EXPECT_FALSE(waits(second));
  w.step_end(1, step_of(id, 0));
  EXPECT_FALSE(runs(second));
}

TEST_F(QueuedSteps, ThatCanNeverRunAreRefused) {
  auto number = ask(queued_step(id, 5));
  ASSERT_TRUE(answered(number));
  EXPECT_EQ(error(number), "More processors requested than permitted");
}

TEST_F(QueuedSteps, SurviveARestartOfTheController) {
  StepId first = queue(queued_step(id, 3)), second = queue(queued_step(id, 2));
  StoredState stored;
  stored.snapshot = encode_snapshot(w.core.committed());
  stored.snapshot_number = w.core.ledger().committed_batch();
  World again{ClusterBuilder().nodes(1).config(), std::move(stored)};
  EXPECT_TRUE(again.job(id).run->queued_steps.contains(second));
  // The node never got the first order: the step is launched from the state.
  again.join(1);
  auto launches = again.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches.front().second.launch.ref.step, first);
  again.step_end(1, step_of(id, first.value));
  EXPECT_TRUE(again.job(id).run->steps.contains(second));
}

// One step with both commands, each on nodes of its own.
TEST(StepParts, OfOneJobRunOnNodesOfTheirOwn) {
  World w{ClusterBuilder().nodes(2)};
  std::uint32_t id = w.submit(job().allocation().nodes(2).tasks(8));
  wire::StepRequest request{.job = JobId{id}, .num_tasks = 1, .min_nodes = 1, .max_nodes = 1};
  request.task.argv = {"a"};
  wire::StepRequest part{.job = JobId{id}, .num_tasks = 1};
  part.task.argv = {"b"};
  request.parts = {part};
  auto reply = w.answer(request);
  ASSERT_TRUE(std::holds_alternative<wire::StepReply>(reply)) << std::get<Error>(reply).text();
  const Step& step = w.job(id).run->steps.at(StepId{0});
  EXPECT_EQ(step.num_tasks, 2u);
  ASSERT_EQ(step.nodes.size(), 2u);
  EXPECT_EQ(step.nodes[1].ranks, (std::vector<std::uint32_t>{1}));
  std::vector<std::string> commands;
  for (const auto& [to, out] : w.host.orders)
    if (auto* order = std::get_if<wire::LaunchOrder>(&out.order))
      if (order->launch.ref.step == StepId{0}) commands.push_back(order->launch.task.argv.front());
  EXPECT_EQ(commands, (std::vector<std::string>{"a", "b"}));

  request.min_nodes = request.max_nodes = 2;
  request.num_tasks = 2;
  request.overlap = true;  // so as not to wait for the first step
  auto refused = w.answer(request);
  ASSERT_TRUE(std::holds_alternative<Error>(refused));
  EXPECT_EQ(std::get<Error>(refused).detail,
            "Allocation failure of 1 nodes: job size of 2, already allocated 2 nodes to previous "
            "components.");
}

}  // namespace
}  // namespace muster::controller::test::steps_test
