// The accounting rows for each kind of end.
#include <csignal>

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::effects_test {
namespace {

using namespace muster::controller::test;

using Key = std::pair<std::uint32_t, std::uint32_t>;

TEST(Accounting, AJobHasARowFromItsSubmissionOn) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().hold().tasks(2).memory(100).minutes(5));
  auto rows = w.job_rows();
  ASSERT_TRUE(rows.contains(Key{id, 1}));
  const JobRecord& row = rows.at(Key{id, 1});
  EXPECT_EQ(row.state_text, "PENDING");
  EXPECT_EQ(row.requested_cpus, 2u);
  EXPECT_EQ(row.requested_memory, "100M");
  EXPECT_EQ(row.time_limit, Minutes{5});
  EXPECT_EQ(row.allocated_cpus, 0u);
  EXPECT_EQ(row.cluster, "test");
}

TEST(Accounting, StatesAndCodesOfEveryEnd) {
  struct Case {
    const char* end;
    const char* state;
    std::uint32_t exit_status;
  };
  for (const Case& c : {Case{"exit 0", "COMPLETED", 0}, Case{"exit 3", "FAILED", 3 << 8},
                        Case{"cancel", "CANCELLED by 1001", 0}, Case{"limit", "TIMEOUT", 0},
                        Case{"memory", "OUT_OF_MEMORY", 125}, Case{"node", "NODE_FAIL", 0}}) {
    World w{ClusterBuilder().nodes(1)};
    auto id = w.submit(job().minutes(60).requeue(false));
    std::string end = c.end;
    if (end == "exit 0") w.step_end(1, batch_of(id));
    if (end == "exit 3") w.step_end(1, batch_of(id), 3 << 8);
    if (end == "memory") w.step_end(1, batch_of(id), SIGKILL, true);
    if (end == "cancel") w.cancel(id);
    if (end == "limit") w.pass(Minutes{60});
    if (end == "cancel" || end == "limit") w.step_end(1, batch_of(id), SIGTERM);
    if (end == "node") {
      w.leave(1);
      w.pass(Seconds{300});
    }
    const JobRecord row = w.job_rows().at(Key{id, 1});
    EXPECT_EQ(row.state_text, c.state) << c.end;
    EXPECT_EQ(row.exit_status, c.exit_status) << c.end;
    EXPECT_EQ(row.nodes, "n1") << c.end;
    EXPECT_EQ(row.ended, w.job(id).run->ended) << c.end;
  }
}

TEST(Accounting, AJobThatNeverRanIsCancelledByItsUser) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  auto id = w.submit(job());
  w.cancel(id, kRoot);
  const JobRecord row = w.job_rows().at(Key{id, 1});
  EXPECT_EQ(row.state_text, "CANCELLED by 0");
  EXPECT_EQ(row.allocated_nodes, 0u);
  EXPECT_EQ(row.nodes, "");
}

TEST(Accounting, EachRunOfARequeuedJobHasItsRow) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id), SIGTERM);
  w.step_end(1, batch_of(id, 2));
  auto rows = w.job_rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(Key{id, 1}).state_text, "REQUEUED");
  EXPECT_TRUE(rows.at(Key{id, 1}).superseded);
  EXPECT_EQ(rows.at(Key{id, 2}).state_text, "COMPLETED");
  EXPECT_EQ(rows.at(Key{id, 2}).restarts, 1u);
  EXPECT_FALSE(rows.at(Key{id, 2}).superseded);
}

TEST(Accounting, ARunThatEndedByItselfIsCalledRequeuedOnceItsJobIsBack) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), 3 << 8);
  EXPECT_EQ(w.job_rows().at(Key{id, 1}).state_text, "FAILED");
  w.act(wire::JobAction::requeue, id);
  const JobRecord first = w.job_rows().at(Key{id, 1});
  EXPECT_EQ(first.state_text, "REQUEUED");
  EXPECT_EQ(first.exit_status, 3u << 8);
  EXPECT_TRUE(first.superseded);
}

TEST(Accounting, AllocatedResourcesAreWhatTheJobHeld) {
  World w{ClusterBuilder().nodes(2).gpus(2)};
  auto id = w.submit(job().nodes(2).tasks(4).memory(100).gpus_per_node("1"));
  const JobRecord row = w.job_rows().at(Key{id, 1});
  EXPECT_EQ(row.allocated_cpus, 4u);
  EXPECT_EQ(row.allocated_nodes, 2u);
  EXPECT_EQ(row.nodes, "n[1-2]");
  EXPECT_EQ(row.allocated_tres, "billing=4,cpu=4,gres/gpu=2,mem=200M,node=2");
  EXPECT_EQ(row.requested_tres, row.allocated_tres);
}

TEST(Accounting, TheBatchStepHasARow) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), 256);
  const auto rows = w.step_rows();
  ASSERT_FALSE(rows.empty());
  const StepRecord* last = &rows.back();
  EXPECT_EQ(last->step, kBatchStep);
  EXPECT_EQ(last->name, "batch");
  EXPECT_EQ(last->state_text, "FAILED");
  EXPECT_EQ(last->exit_status, 256u);
  EXPECT_EQ(last->nodes, "n1");
}

TEST(Accounting, IsSilentWhereItIsSwitchedOff) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.accounting = false; })};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id));
  EXPECT_TRUE(w.job_rows().empty());
}

// Otherwise a job with many steps would write a number of rows that grows with their square.
TEST(Accounting, OnlyStepsThatChangedAreWrittenAgain) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().allocation().tasks(1).memory(100));
  for (std::uint32_t step = 0; step < 5; ++step) {
    w.answer(wire::StepRequest{.job = JobId{id}});
    w.step_end(1, {JobId{id}, Attempt{1}, StepId{step}});
  }
  std::map<std::uint32_t, std::size_t> rows;
  for (const StepRecord& row : w.step_rows()) ++rows[row.step.value];
  for (std::uint32_t step = 0; step < 5; ++step) EXPECT_EQ(rows[step], 2u) << step;
}

// If accounting could not be reached for long, one delta has all changes, and each run once.
TEST(Accounting, LatePortionsTellOfEveryRunOnce) {
  World w{ClusterBuilder().nodes(1).settings([](Settings& s) { s.min_job_age = Seconds{10}; })};
  auto id = w.submit(job());
  w.act(wire::JobAction::requeue, id);
  w.step_end(1, batch_of(id), SIGTERM);
  w.step_end(1, batch_of(id, 2), 256);
  w.gone(1, id, 2);
  w.pass(Minutes{10});
  ASSERT_FALSE(w.core.cluster().jobs.contains(JobId{id})) << "purged";
  accounting::AccountingDelta all;
  for (accounting::AccountingDelta& delta : w.host.deltas) all.add(std::move(delta));
  std::map<Key, std::string> jobs, scripts;
  for (const AccountingRecord& record : all.records())
    if (auto* row = std::get_if<JobRecord>(&record)) {
      EXPECT_TRUE(jobs.emplace(Key{row->job.value, row->attempt.value}, row->state_text).second);
    } else if (auto* step = std::get_if<StepRecord>(&record)) {
      EXPECT_EQ(step->step, kBatchStep);
      EXPECT_TRUE(
          scripts.emplace(Key{step->job.value, step->attempt.value}, step->state_text).second);
    }
  EXPECT_EQ(jobs, (std::map<Key, std::string>{{{id, 1}, "REQUEUED"}, {{id, 2}, "FAILED"}}));
  EXPECT_EQ(scripts, (std::map<Key, std::string>{{{id, 1}, "CANCELLED"}, {{id, 2}, "FAILED"}}));
}

// From the journal, a restarted controller learns which changes accounting lacks, and writes only
// those.
TEST(Accounting, IsToldAfterACrashWhatItHadNotHeard) {
  World w{ClusterBuilder().nodes(1).config()};
  w.join(1);
  auto id = w.submit(job());
  const BatchNumber heard = w.host.commits.back().number;
  auto later = w.submit(job());
  StoredState stored;
  for (const Batch& batch : w.host.commits) stored.journal.push_back({batch.number, batch.events});
  auto told = [&](BatchNumber accounted) {
    MemoryHost host;
    Core core(host, {});
    EXPECT_TRUE(core.recover(stored, *w.core.cluster().config, w.now, accounted));
    core.flush(w.now);
    core.on_committed(CommitOutcome::committed);
    std::set<std::uint32_t> jobs;
    for (const accounting::AccountingDelta& delta : host.deltas)
      for (const AccountingRecord& record : delta.records())
        if (auto* row = std::get_if<JobRecord>(&record)) jobs.insert(row->job.value);
    return jobs;
  };
  EXPECT_EQ(told(0), (std::set{id, later}));
  EXPECT_EQ(told(1000), (std::set{id, later})) << "of a state that was erased since";
  EXPECT_EQ(told(heard), std::set{later});
  EXPECT_EQ(told(w.host.commits.back().number), std::set{later}) << "its row may be put off";
}

}  // namespace
}  // namespace muster::controller::effects_test
