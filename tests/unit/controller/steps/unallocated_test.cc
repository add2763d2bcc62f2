// srun --no-allocate: the controller authorizes a launch that is not in its state.
#include "controller/world.h"

namespace muster::controller::test::steps_test {
namespace {

constexpr Uid kRoot{0};
constexpr JobId kName{kFirstUnallocated.value + 7};

wire::StepRequest unallocated(Text nodes, std::optional<std::uint32_t> tasks = {}) {
  wire::StepRequest request{.job = kName, .num_tasks = tasks, .node_list = nodes};
  request.task.argv = {"true"};
  request.unallocated = 4711;
  return request;
}

struct Unallocated : ::testing::Test {
  World w{ClusterBuilder().nodes(3)};
  Error refused(wire::StepRequest request, Uid uid = kRoot) {
    return std::get<Error>(w.answer(std::move(request), uid));
  }
};

TEST_F(Unallocated, TasksAreSpreadEvenlyOverTheNamedNodesWithoutAnEvent) {
  auto reply = std::get<wire::StepReply>(w.answer(unallocated("n3,n1", 3), kRoot));
  ASSERT_EQ(reply.places.size(), 2u);
  EXPECT_EQ(reply.places[0].node, "n3");
  EXPECT_EQ(reply.places[0].ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(reply.places[1].ranks, (std::vector<std::uint32_t>{2}));
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 2u);
  const wire::StepLaunch& launch = launches[1].second.launch;  // orders are sent per node
  EXPECT_EQ(launches[1].first, 3u);
  EXPECT_EQ(launch.ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(launch.ref.job, kName);
  EXPECT_EQ(launch.uid, kRoot);
  for (std::string_view entry : launch.environment)
    EXPECT_FALSE(entry.starts_with("SLURM_JOB_ID=")) << entry;
  for (const Batch& batch : w.host.commits) EXPECT_TRUE(batch.events.empty());
}

TEST_F(Unallocated, OnlyTheAdministratorMay) {
  Error error = refused(unallocated("n[1-2]"), kAlice);
  EXPECT_EQ(error.code, ErrorCode::access_denied);
  EXPECT_EQ(error.nodes, "n1,n2");
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty());
}

TEST_F(Unallocated, NodesThatAreUnknownOrAwayAreNamed) {
  Error unknown = refused(unallocated("n1,n9"));
  EXPECT_EQ(unknown.code, ErrorCode::no_node_address);
  EXPECT_EQ(unknown.nodes, "n9");
  w.leave(2);
  Error away = refused(unallocated("n[1-2]"));
  EXPECT_EQ(away.code, ErrorCode::communication);
  EXPECT_EQ(away.nodes, "n2");
}

TEST_F(Unallocated, NoIdOfAJobWillDo) {
  auto request = unallocated("n1");
  request.job = JobId{5};
  EXPECT_EQ(refused(request).code, ErrorCode::failure);
}

TEST_F(Unallocated, ANodeThatComesBackWithOneKeepsIt) {
  const auto ref = [&] {
    w.answer(unallocated("n1"), kRoot);
    return w.take<wire::LaunchOrder>().at(0).second.launch.ref;
  }();
  w.leave(1);
  w.join(1, {ref});
  EXPECT_TRUE(w.take<wire::EndJobOrder>().empty());
  w.step_end(1, ref);
  auto confirmed = w.take<wire::ConfirmOrder>();
  ASSERT_EQ(confirmed.size(), 1u);
  EXPECT_EQ(confirmed[0].second.steps, (std::vector<wire::StepRef>{ref}));
}

}  // namespace
}  // namespace muster::controller::test::steps_test
