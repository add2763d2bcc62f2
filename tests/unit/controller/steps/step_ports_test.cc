// --resv-ports: ports of MpiParams that belong to one step on its nodes.
#include "controller/world.h"

namespace muster::controller::steps_test {
namespace {

using namespace muster::controller::test;

class StepPorts : public testing::Test {
 protected:
  World w{ClusterBuilder().nodes(2).settings(
      [](Settings& s) { s.step_ports = IdSet::range(7000, 7004); })};
  std::uint32_t id = w.submit(job().allocation().nodes(1).tasks(1).memory(100).on("n1"));

  static wire::StepRequest asking(std::uint32_t job, std::optional<std::uint32_t> ports) {
    wire::StepRequest request{.job = JobId{job}};
    request.reserved_ports = ports;
    request.overlap = true;
    return request;
  }
  IdSet ports(std::uint32_t job, std::uint32_t step) const {
    return w.job(job).run->steps.at(StepId{step}).reserved_ports;
  }
};

TEST_F(StepPorts, AreTheStepsOwnOnItsNodes) {
  w.answer(asking(id, 3));
  w.answer(asking(id, 2));
  IdSet both = ports(id, 0);
  EXPECT_FALSE(both.intersects(ports(id, 1)));
  both.merge(ports(id, 1));
  EXPECT_EQ(both, IdSet::range(7000, 7004));
}

TEST_F(StepPorts, AreToldToTheTasks) {
  w.answer(asking(id, 5));
  const auto orders = w.take<wire::LaunchOrder>();
  const auto& environment = orders.back().second.launch.environment;
  EXPECT_NE(std::ranges::find(environment, "SLURM_STEP_RESV_PORTS=7000-7004"), environment.end());
}

TEST_F(StepPorts, AStepWaitsForThoseOfAnotherJobThere) {
  const std::uint32_t other = w.submit(job().allocation().nodes(1).tasks(1).memory(100).on("n1"));
  w.answer(asking(other, 4));
  const std::uint64_t waits = w.ask(asking(id, 2));
  w.run();
  EXPECT_FALSE(w.host.replies.contains(waits));
  w.step_end(1, {JobId{other}, Attempt{1}, StepId{0}});
  EXPECT_TRUE(w.host.replies.contains(waits));
}

TEST_F(StepPorts, OnOtherNodesTheSameOnesMayBeUsed) {
  const std::uint32_t other = w.submit(job().allocation().nodes(1).tasks(1).memory(100).on("n2"));
  w.answer(asking(other, 5));
  w.answer(asking(id, 5));
  EXPECT_EQ(ports(id, 0), ports(other, 0));
}

TEST_F(StepPorts, ThereIsOneForEachTaskOfANodeAndOneMoreUnlessANumberIsGiven) {
  w.answer(asking(id, std::nullopt));
  EXPECT_EQ(ports(id, 0).size(), 2u);
  w.answer(asking(id, 0));
  EXPECT_TRUE(ports(id, 1).empty());
}

TEST_F(StepPorts, MoreThanThereAreAreRefused) {
  const wire::Answer answer = w.answer(asking(id, 6));
  EXPECT_EQ(std::get<Error>(answer).text(), "Requires more ports than can be reserved");
}

}  // namespace
}  // namespace muster::controller::steps_test
