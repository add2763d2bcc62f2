// --rendezvous: the node and port where the tasks of a step meet.
#include "controller/world.h"

namespace muster::controller::steps_test {
namespace {

using namespace muster::controller::test;

wire::StepRequest meeting_step(std::uint32_t id) {
  wire::StepRequest request;
  request.job = JobId{id};
  request.num_tasks = 1;
  request.exclusive = true;
  request.task.rendezvous = true;
  request.memory_per_node_mib = 10;
  request.task.argv = {"true"};
  return request;
}

class Rendezvous : public testing::Test {
 protected:
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) {
    s.first_meeting_port = 5000;
    s.last_meeting_port = 5001;
  })};
  std::uint32_t id = w.submit(job().tasks(4).memory(1000));

  std::uint32_t port(std::uint32_t step) const {
    return w.job(id).run->steps.at(StepId{step}).meeting_port;
  }
  // A variable of the step that was launched last.
  std::string launched(std::string_view name) {
    auto orders = w.take<wire::LaunchOrder>();
    if (orders.empty()) return "(nothing launched)";
    for (std::string_view entry : orders.back().second.launch.environment)
      if (entry.starts_with(std::string(name) + "="))
        return std::string(entry.substr(name.size() + 1));
    return "(unset)";
  }
};

TEST_F(Rendezvous, StepsOnOneNodeHaveDifferentPortsAndWaitWhereThereAreNone) {
  w.answer(meeting_step(id));
  w.answer(meeting_step(id));
  EXPECT_EQ((std::set{port(0), port(1)}), (std::set{5000u, 5001u}));
  std::uint64_t third = w.ask(meeting_step(id));
  w.run();
  EXPECT_FALSE(w.host.replies.contains(third));
  const std::uint32_t freed = port(0);
  w.step_end(1, {JobId{id}, Attempt{1}, StepId{0}});
  ASSERT_TRUE(w.host.replies.contains(third));
  EXPECT_EQ(port(2), freed);
}

TEST_F(Rendezvous, TasksAreToldTheFirstNodeAndThePort) {
  w.answer(meeting_step(id));
  auto orders = w.take<wire::LaunchOrder>();
  const wire::StepLaunch& launch = orders.back().second.launch;
  EXPECT_TRUE(launch.task.rendezvous);
  for (const std::string& entry :
       {std::string("MASTER_ADDR=n1"), "MASTER_PORT=" + std::to_string(port(0)),
        std::string("WORLD_SIZE=1")})
    EXPECT_NE(std::ranges::find(launch.environment, entry), launch.environment.end()) << entry;
}

TEST_F(Rendezvous, WhatTheUserSetStaysButNotWhatAnOuterStepSet) {
  wire::StepRequest own = meeting_step(id);
  own.environment = {"MASTER_PORT=77"};
  w.answer(own);
  EXPECT_EQ(launched("MASTER_PORT"), "77");
  wire::StepRequest inner = meeting_step(id);
  inner.environment = {"MASTER_ADDR=n1", "MASTER_PORT=77", "SLURM_STEP_RENDEZVOUS=n1:77"};
  w.answer(inner);
  EXPECT_EQ(launched("MASTER_PORT"), std::to_string(port(1)));
}

TEST_F(Rendezvous, IsForThoseWhoAskForIt) {
  wire::StepRequest plain = meeting_step(id);
  plain.task.rendezvous = false;
  w.answer(plain);
  EXPECT_EQ(port(0), 0u);
  EXPECT_EQ(launched("MASTER_PORT"), "(unset)");
}

}  // namespace
}  // namespace muster::controller::steps_test
