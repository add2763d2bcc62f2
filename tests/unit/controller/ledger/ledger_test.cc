// The ledger without a Core: batches that become durable, and events that are undone.
#include "controller/ledger/ledger.h"

#include <gtest/gtest.h>

#include "controller/ledger_world.h"

namespace muster::controller::test::ledger_test {
namespace {

struct LedgerAlone : ::testing::Test {
  LedgerWorld w{ClusterBuilder().nodes(1)};
  Ledger& ledger = w.ledger;

  JobId submit() {
    const JobId id = ledger.cluster().next_job_id;
    ledger.record(JobSubmitted{make_job(id, job(), ledger.cluster())});
    return id;
  }
};

TEST_F(LedgerAlone, AnEventChangesTheWorkingStateAtOnceAndTheCommittedOneLater) {
  const JobId id = submit();
  EXPECT_TRUE(ledger.cluster().jobs.contains(id));
  EXPECT_FALSE(ledger.committed().jobs.contains(id));
  EXPECT_TRUE(w.commit().changed_jobs.contains(id.value));
  EXPECT_TRUE(ledger.committed().jobs.contains(id));
  EXPECT_FALSE(ledger.has_open() || ledger.has_flight());
}

TEST_F(LedgerAlone, ABatchWithoutEventsNeedsNoCommit) {
  const BatchNumber last = ledger.committed_batch();
  ledger.reply({.connection = 1, .request = 2}, wire::Done{});
  EXPECT_EQ(w.commit().replies.size(), 1u);
  EXPECT_EQ(ledger.committed_batch(), last);
}

TEST_F(LedgerAlone, AFullDiskKeepsTheBatchUntilThereIsRoom) {
  submit();
  const Batch* batch = ledger.seal();
  ASSERT_NE(batch, nullptr);
  ledger.land(CommitOutcome::disk_full);
  EXPECT_FALSE(ledger.landed());
  EXPECT_TRUE(ledger.is_disk_full());
  EXPECT_EQ(ledger.take_failed(), batch);
  EXPECT_EQ(ledger.take_failed(), nullptr);  // until it fails again
  ledger.land(CommitOutcome::committed);
  EXPECT_TRUE(ledger.landed());
  EXPECT_FALSE(ledger.is_disk_full());
}

TEST_F(LedgerAlone, UndoLeavesWhatWasRecordedBefore) {
  const JobId kept = submit();
  const OpenMark mark = ledger.mark();
  const JobId undone = submit();
  ledger.reply({.connection = 1, .request = 1}, wire::Done{});
  const std::uint64_t nodes = ledger.nodes_version();
  ledger.undo_since(mark);
  ledger.make_anew();
  EXPECT_TRUE(ledger.cluster().jobs.contains(kept));
  EXPECT_FALSE(ledger.cluster().jobs.contains(undone));
  EXPECT_GT(ledger.nodes_version(), nodes);  // caches of facts about nodes are invalid
  const Batch* batch = ledger.seal();
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->events.size(), 1u);
  ledger.land(CommitOutcome::committed);
  EXPECT_TRUE(ledger.landed()->rest.replies.empty());
}

TEST_F(LedgerAlone, TheJobAsItIsStaysAsItWas) {
  const JobId id = submit();
  const Cow<Job> was = ledger.job_as_it_is(id);
  ledger.record(JobsHeld{.jobs = IdSet::range(id.value, id.value), .hold = Hold::user});
  EXPECT_EQ(was->hold, Hold::none);
  EXPECT_EQ(ledger.job(id).hold, Hold::user);
}

}  // namespace
}  // namespace muster::controller::test::ledger_test
