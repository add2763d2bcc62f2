// scontrol update NumNodes=N of a running job: it gives nodes back.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::test::update_test {
namespace {

TEST(Shrink, AJobGivesItsLastNodesBackAndGoesOn) {
  World w{ClusterBuilder().nodes(4)};
  auto id = w.submit(job().nodes(4));
  EXPECT_EQ(w.update(id, "NumNodes", "2"), ErrorCode{});
  EXPECT_EQ(w.job(id).state, JobState::running);
  EXPECT_EQ(w.job(id).run->unfinished, (std::set{NodeId{1}, NodeId{2}}));
  EXPECT_EQ(w.job(id).run->allocation.size(), 2u);
  EXPECT_EQ(w.job(id).spec->min_nodes, 2u);
  EXPECT_TRUE(is_set(w.job(id).run->resized));
  auto next = w.submit(job().nodes(2).exclusive());
  EXPECT_EQ(w.job(next).state, JobState::running) << "on the nodes that were given back";
  w.step_end(1, batch_of(id));
  EXPECT_EQ(w.job(id).state, JobState::completed);
}

TEST(Shrink, WhatRunsOnANodeThatIsGivenBackIsKilled) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().nodes(2));
  w.answer(wire::StepRequest{.job = JobId{id}, .num_tasks = 2, .min_nodes = 2});
  ASSERT_EQ(w.job(id).run->steps.at(StepId{0}).unfinished, (std::set{NodeId{1}, NodeId{2}}));
  EXPECT_EQ(w.update(id, "NumNodes", "1"), ErrorCode{});
  EXPECT_EQ(w.job(id).run->steps.at(StepId{0}).unfinished, std::set{NodeId{1}});
  auto ends = w.take<wire::EndJobOrder>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].first, 2u);
  EXPECT_EQ(ends[0].second.job, JobId{id});
  w.gone(2, id);
  EXPECT_EQ(w.job(id).state, JobState::running);
}

TEST(Shrink, IsRefusedWhereItIsNone) {
  World w{ClusterBuilder().nodes(2)};
  auto id = w.submit(job().nodes(2));
  EXPECT_EQ(w.update(id, "NumNodes", "3"), ErrorCode::requested_node_config_unavailable);
  EXPECT_EQ(w.update(id, "NumNodes", "0"), ErrorCode::failure);
  EXPECT_EQ(w.update(id, "NumNodes", "1", kBob), ErrorCode::user_id_missing);
  EXPECT_EQ(w.update(id, "NumNodes", "2"), ErrorCode{}) << "it is no change";
  EXPECT_EQ(w.job(id).run->allocation.size(), 2u);
}

TEST(Shrink, IsForAdministratorsWhereTheSiteSaysSo) {
  World w{ClusterBuilder().nodes(2).settings([](Settings& s) { s.users_shrink = false; })};
  auto id = w.submit(job().nodes(2));
  EXPECT_EQ(w.update(id, "NumNodes", "1"), ErrorCode::access_denied);
  EXPECT_EQ(w.update(id, "NumNodes", "1", kRoot), ErrorCode{});
}

}  // namespace
}  // namespace muster::controller::test::update_test
