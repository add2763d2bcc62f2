// Nothing leaves before it is durable.
#include <gtest/gtest.h>

#include "base/text/string_block.h"
#include "controller/world.h"

namespace muster::controller::ledger_test {
namespace {

using namespace muster::controller::test;

TEST(Commit, AReplyLeavesOnlyAfterIt) {
  World w{ClusterBuilder().nodes(1)};
  w.hold_commits = true;
  auto request = w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  w.run();
  EXPECT_TRUE(w.host.commit_waits);
  EXPECT_FALSE(w.host.replies.contains(request));
  EXPECT_FALSE(w.core.committed().jobs.contains(JobId{1}));
  w.finish_commit();
  EXPECT_TRUE(w.host.replies.contains(request));
  EXPECT_TRUE(w.core.committed().jobs.contains(JobId{1}));
}

TEST(Commit, RequestsOfOneBatchSeeEachOther) {
  World w{ClusterBuilder().nodes(1)};
  w.hold_plans = true;
  auto first = w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  auto second = w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  auto third = w.ask(World::cancel_of(1));
  w.run();
  EXPECT_EQ(w.host.commits.size(), 1u);
  EXPECT_EQ(std::get<wire::SubmitReply>(w.host.replies.at(first)).job, JobId{1});
  EXPECT_EQ(std::get<wire::SubmitReply>(w.host.replies.at(second)).job, JobId{2});
  EXPECT_EQ(std::get<wire::CancelReply>(w.host.replies.at(third)).cancelled, 1u);
}

TEST(Commit, WhatArrivesMeanwhileGoesIntoTheNextBatch) {
  World w{ClusterBuilder().nodes(1)};
  w.hold_commits = w.hold_plans = true;
  w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  w.run();
  auto later = w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  w.run();
  EXPECT_EQ(w.host.commits.size(), 1u);
  w.finish_commit();
  EXPECT_FALSE(w.host.replies.contains(later));
  w.finish_commit();
  EXPECT_TRUE(w.host.replies.contains(later));
  ASSERT_EQ(w.host.commits.size(), 2u);
  EXPECT_EQ(w.host.commits[1].number, w.host.commits[0].number + 1);
}

TEST(Commit, ALaunchIsOrderedAfterItAndOnce) {
  World w{ClusterBuilder().nodes(2)};
  w.submit(job());
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 1u);

  w.hold_commits = true;
  w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  w.run();
  w.finish_commit();  // the submission
  w.run();
  EXPECT_TRUE(w.host.commit_waits) << "the start is a batch of its own";
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty());
  w.finish_commit();
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].second.launch.ref, batch_of(2));
  w.hold_commits = false;
  w.pass(Seconds{1});
  w.pass(Seconds{1});
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty());
}

TEST(Commit, OnlyTheFirstNodeIsToldToRunTheScript) {
  World w{ClusterBuilder().nodes(3)};
  w.submit(job().nodes(3));
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].first, 1u);
}

TEST(Commit, TheScriptIsStoredWithTheJob) {
  World w{ClusterBuilder().nodes(1)};
  JobRequest spec = job();
  spec.script_blob = "hash1";
  spec.environment_blob = "hash2";
  w.answer(wire::SubmitRequest{
      .spec = Cow(spec),
      .script = "#!/bin/sh\n",
      .environment = StringBlock(std::vector<std::string>{"A=1", "B=2"}).bytes()});
  ASSERT_EQ(w.host.commits[0].blobs.size(), 2u);
  EXPECT_EQ(w.host.commits[0].blobs[0],
            (std::pair<std::string, std::string>{"hash1", "#!/bin/sh\n"}));
  EXPECT_EQ(w.host.commits[0].blobs[1].second, std::string("A=1\0B=2\0", 8));
}

TEST(DiskFull, TheBatchIsKeptNewWorkIsRefusedAndAllResumes) {
  World w{ClusterBuilder().nodes(1)};
  w.hold_plans = true;
  w.outcome = CommitOutcome::disk_full;
  auto first = w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  w.run();
  EXPECT_TRUE(w.core.ledger().is_disk_full());
  EXPECT_FALSE(w.host.replies.contains(first)) << "its client waits";
  EXPECT_EQ(w.host.errors.size(), 1u);

  wire::Answer refused = w.try_submit(job());
  ASSERT_TRUE(std::holds_alternative<Error>(refused));
  EXPECT_EQ(std::get<Error>(refused).code, ErrorCode::state_storage_full);

  w.pass(Seconds{1});
  EXPECT_TRUE(w.core.ledger().is_disk_full());
  ASSERT_EQ(w.host.commits.size(), 2u);
  EXPECT_EQ(w.host.commits[1].number, w.host.commits[0].number);
  EXPECT_EQ(w.host.commits[1].events, w.host.commits[0].events);

  w.outcome = CommitOutcome::committed;
  w.pass(Seconds{1});
  EXPECT_FALSE(w.core.ledger().is_disk_full());
  EXPECT_EQ(std::get<wire::SubmitReply>(w.host.replies.at(first)).job, JobId{1});
  EXPECT_EQ(w.submit(job()), 2u);
}

TEST(Recover, TheJournalGivesTheSameStateAgain) {
  ClusterConfig config = ClusterBuilder().nodes(2).config();
  World first{config};
  first.join(1);
  first.submit(job());
  first.submit(job().array("0-4"));
  StoredState stored;
  for (const Batch& batch : first.host.commits)
    stored.journal.push_back({batch.number, batch.events});

  MemoryHost host;
  Core core(host, {});
  ASSERT_TRUE(core.recover(stored, config, first.now));
  Cluster expected = first.core.cluster();
  EXPECT_GT(core.cluster().epoch, expected.epoch);
  expected.epoch = core.cluster().epoch;
  EXPECT_EQ(core.cluster(), expected);
}

TEST(Recover, NodesObeyAControllerWhoseStateWasClearedOrIsOld) {
  World first{ClusterBuilder().nodes(1)};
  MemoryHost host;
  Core cleared(host, {});
  ASSERT_TRUE(cleared.recover({}, ClusterBuilder().nodes(1).config(), first.now + Seconds{1}));
  EXPECT_GT(cleared.cluster().epoch, first.core.cluster().epoch);
}

TEST(Recover, AGapInTheJournalIsRefused) {
  MemoryHost host;
  Core core(host, {});
  StoredState stored;
  stored.journal = {{1, {}}, {3, {}}};
  EXPECT_FALSE(core.recover(stored, ClusterBuilder().nodes(1).config(), t0));
}

TEST(Recover, AnUnreadableEventIsRefused) {
  MemoryHost host;
  Core core(host, {});
  StoredState stored;
  stored.journal = {{1, {"\x0a\xff"}}};
  EXPECT_FALSE(core.recover(stored, ClusterBuilder().nodes(1).config(), t0));
}

TEST(Reconfigure, ANodeWithAJobMayNotDisappear) {
  World w{ClusterBuilder().nodes(2)};
  w.submit(job().on("n2"));
  w.core.reconfigure(ClusterBuilder().nodes(1).config(), {1, 999}, w.now);
  w.run();
  EXPECT_EQ(std::get<Error>(w.host.replies.at(999)).code, ErrorCode::config_invalid);
  EXPECT_NE(w.core.cluster().find_node("n2"), nullptr);
}

}  // namespace
}  // namespace muster::controller::ledger_test
