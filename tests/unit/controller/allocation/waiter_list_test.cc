// Commands that wait for jobs: each once, found by job and by connection, a limited number per
// user.
#include "controller/allocation/waiter_list.h"

#include "controller/world.h"

namespace muster::controller::test::allocation_test {
namespace {

Waiter waiter(std::uint64_t connection, std::uint32_t job, Uid user = kAlice) {
  return {.to = {connection, 1}, .job = JobId{job}, .user = user};
}

TEST(WaiterList, AConnectionWaitsOnceForTheSame) {
  WaiterList list;
  EXPECT_TRUE(list.add(waiter(1, 7)));
  EXPECT_FALSE(list.add(waiter(1, 7)));
  Waiter step = waiter(1, 7);
  step.step = StepId{0};
  EXPECT_TRUE(list.add(step)) << "for a step of it";
  EXPECT_TRUE(list.add(waiter(2, 7)));
  EXPECT_TRUE(list.add(waiter(1, 8)));
}

TEST(WaiterList, AUserMayHaveSoManyAndAnotherHisOwn) {
  WaiterList list;
  for (std::uint32_t i = 0; i < WaiterList::kMostPerUser; ++i)
    ASSERT_TRUE(list.add(waiter(1, i + 1)));
  auto refused = list.add(waiter(2, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "too many requests of this user wait for jobs: 10000 may");
  EXPECT_TRUE(list.add(waiter(3, 1, kBob)));
  list.remove_connection(1);
  EXPECT_FALSE(list.has_connection(1));
  EXPECT_TRUE(list.add(waiter(2, 1)));
  EXPECT_EQ(list.jobs(), std::vector<JobId>{JobId{1}});
}

TEST(WaiterList, WhatIsAnsweredIsGone) {
  WaiterList list;
  ASSERT_TRUE(list.add(waiter(1, 7)));
  ASSERT_TRUE(list.add(waiter(2, 7)));
  list.remove_if(JobId{7}, [](const Waiter& each) { return each.to.connection == 1; });
  EXPECT_EQ(list.find(1, JobId{7}), nullptr);
  ASSERT_NE(list.find(2, JobId{7}), nullptr);
  list.remove_if(JobId{7}, [](const Waiter&) { return true; });
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(list.has_connection(2));
}

// A refused request gets its refusal, and a wait is answered even if nothing changes for it.
TEST(Wait, IsRefusedTheSecondTimeAndAnsweredOnce) {
  World world(ClusterBuilder().nodes(1));
  JobRequest spec = job();
  spec.hold = true;
  const std::uint32_t id = world.submit(std::move(spec));
  const auto first = world.ask(wire::WaitJobRequest{.job = JobId{id}});
  wire::Answer second = world.answer(wire::WaitJobRequest{.job = JobId{id}});
  ASSERT_TRUE(std::holds_alternative<Error>(second));
  EXPECT_TRUE(world.core.serves(1));
  EXPECT_FALSE(world.host.replies.contains(first));
  world.cancel(id);
  EXPECT_TRUE(world.host.replies.contains(first));
  EXPECT_FALSE(world.core.serves(1));
}

// An immediate start is tried on a copy of the state; if others take its nodes meanwhile, it is
// refused.
TEST(Immediate, IsTriedAgainWhereTheStateHasChangedMeanwhile) {
  World world(ClusterBuilder().nodes(1));
  world.host.hold_aside = true;
  wire::SubmitRequest request{.spec = Cow(JobRequest(job().exclusive())), .immediate = true};
  const auto asked = world.ask(std::move(request));
  world.run();
  EXPECT_FALSE(world.host.replies.contains(asked));
  const std::uint32_t other = world.submit(job().user(kBob).exclusive(), kBob);
  EXPECT_EQ(world.job(other).state, JobState::running);
  while (!world.host.aside.empty()) {
    std::exchange(world.host.aside, {}).front()();
    world.run();
  }
  ASSERT_TRUE(world.host.replies.contains(asked));
  const auto* error = std::get_if<Error>(&world.host.replies.at(asked));
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->code, ErrorCode::nodes_busy);
}

}  // namespace
}  // namespace muster::controller::test::allocation_test
