// A request for which there is not enough memory changes nothing.
#include <new>

#include "controller/world.h"

namespace muster::controller::test::ledger_test {
namespace {

TEST(OutOfMemory, WhatARequestHadBegunIsUndone) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().allocation().nodes(1).tasks(1).memory(400));
  auto other = w.submit(job().hold());
  const wire::JobCounts counted = w.core.statistics().reply().jobs;
  // In the same batch, before and after.
  w.hold_commits = true;
  auto before = w.ask(
      wire::UpdateRequest{.settings = {{"JobId", std::to_string(other)}, {"Comment", "before"}}});
  w.host.fails_at_step_key = true;  // when the step has been recorded
  auto failed = w.ask(wire::StepRequest{.job = JobId{id}, .num_tasks = 1});
  EXPECT_TRUE(w.job(id).run->steps.empty());
  EXPECT_EQ(w.job(id).run->next_step, 0u);
  EXPECT_EQ(w.job(other).own.comment, "before");
  EXPECT_EQ(w.core.statistics().reply().jobs, counted);
  w.host.fails_at_step_key = false;
  auto after = w.ask(wire::UpdateRequest{.settings = {{"JobId", std::to_string(other)},
                                                      {"AdminComment", "after"}}},
                     kRoot);
  w.hold_commits = false;
  w.run();
  EXPECT_EQ(std::get<Error>(w.host.replies.at(failed)).code, ErrorCode::too_large);
  EXPECT_TRUE(std::holds_alternative<wire::CancelReply>(w.host.replies.at(before)));
  EXPECT_TRUE(std::holds_alternative<wire::CancelReply>(w.host.replies.at(after)));
  EXPECT_EQ(w.job(other).spec->admin_comment, "after");
  EXPECT_TRUE(w.committed_events<StepCreated>().empty());
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty());

  EXPECT_TRUE(std::holds_alternative<wire::StepReply>(
      w.answer(wire::StepRequest{.job = JobId{id}, .num_tasks = 1})));
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 1u);
}

TEST(OutOfMemory, WhileABatchIsBeingCommittedItStays) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().allocation().nodes(1).tasks(1).memory(400));
  w.hold_commits = true;
  w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job().hold()))});
  w.run();  // in flight
  w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job().hold()))});
  w.host.fails_at_step_key = true;
  w.ask(wire::StepRequest{.job = JobId{id}, .num_tasks = 1});
  EXPECT_EQ(w.core.cluster().jobs.size(), 3u);
  EXPECT_TRUE(w.job(id).run->steps.empty());
  w.hold_commits = false;
  w.finish_commit();
  w.run();
  EXPECT_EQ(w.committed_events<JobSubmitted>().size(), 3u);
}

}  // namespace
}  // namespace muster::controller::test::ledger_test
