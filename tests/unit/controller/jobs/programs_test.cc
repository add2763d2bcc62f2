// Prolog, Epilog and their slurmctld counterparts, as the controller sees them.
#include <gtest/gtest.h>

#include <algorithm>

#include "controller/world.h"
#include "state/snapshot.h"

namespace muster::controller::jobs_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder with(SitePrograms programs) {
  return ClusterBuilder().nodes(1).settings([&](Settings& s) { s.programs = programs; });
}

bool has(const std::vector<std::string>& environment, const std::string& entry) {
  return std::ranges::find(environment, entry) != environment.end();
}

TEST(SitePrograms, ANodeIsReleasedWhenTheEpilogIsOver) {
  World w{with({.epilog = true})};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id), 3 << 8);
  EXPECT_TRUE(w.job(id).completing());
  auto ends = w.take<wire::EndJobOrder>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_TRUE(has(ends[0].second.epilog_environment, "SLURM_JOB_EXIT_CODE2=3:0"));
  w.gone(1, id);
  EXPECT_FALSE(w.job(id).completing());
  EXPECT_TRUE(w.node(1).jobs.empty());
}

TEST(SitePrograms, AFailedPrologDrainsTheNodeAndHoldsTheJob) {
  World w{with({.prolog = true})};
  auto id = w.submit(job());
  auto launches = w.take<wire::LaunchOrder>();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_TRUE(
      has(launches[0].second.launch.prolog_environment, "SLURM_SCRIPT_CONTEXT=prolog_slurmd"));
  wire::StepEnd end{.ref = batch_of(id), .exit_status = 53, .launch_failed = true};
  end.prolog_failed = true;
  w.core.on_report(World::connection(1), wire::StepEndReport{end}, w.now);
  w.run();
  w.gone(1, id);
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).hold, Hold::user);
  EXPECT_EQ(w.job(id).end_reason, "launch_failed_requeued_held");
  EXPECT_TRUE(w.node(1).drain);
  EXPECT_EQ(w.node(1).reason, "Prolog error");
}

TEST(SitePrograms, AJobThatANodeCannotLaunchIsHeldOrCancelled) {
  World w{with({})};
  auto fail = [&](std::uint32_t id) {
    wire::StepEnd end{.ref = batch_of(id), .exit_status = 53, .launch_failed = true};
    end.not_begun = true;
    w.core.on_report(World::connection(1), wire::StepEndReport{end}, w.now);
    w.run();
  };
  auto again = w.submit(job());
  fail(again);
  EXPECT_EQ(w.job(again).state, JobState::pending);
  EXPECT_EQ(w.job(again).hold, Hold::user);
  EXPECT_EQ(w.job(again).end_reason, "launch_failed_requeued_held");
  EXPECT_FALSE(w.node(1).drain);
  auto once = w.submit(job().requeue(false));
  fail(once);
  EXPECT_EQ(w.job(once).state, JobState::cancelled);
}

TEST(SitePrograms, AFailedPrologRequeuesWhateverTheJobSaysWhereThatIsForced) {
  World w{with({.prolog = true, .force_requeue = true})};
  auto id = w.submit(job().requeue(false));
  wire::StepEnd end{.ref = batch_of(id), .exit_status = 53, .launch_failed = true};
  end.prolog_failed = true;
  w.core.on_report(World::connection(1), wire::StepEndReport{end}, w.now);
  w.run();
  w.gone(1, id);
  EXPECT_EQ(w.job(id).state, JobState::pending);
}

TEST(SitePrograms, AnEpilogSlurmctldThatACrashCutOffRunsAgain) {
  const ClusterBuilder builder = with({.epilog_slurmctld = true});
  World w{builder};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id));
  ASSERT_EQ(w.host.programs.size(), 1u);
  const SiteProgramRun first = w.host.programs[0];
  ASSERT_EQ(w.core.cluster().owed_epilogs->size(), 1u);

  MemoryHost host;
  Core again{host, {.slurm_user = Uid{64030}}};
  StoredState stored{
      .snapshot_number = 7, .snapshot = encode_snapshot(w.core.committed()), .journal = {}};
  ASSERT_TRUE(again.recover(std::move(stored), ClusterBuilder(builder).config(), w.now));
  again.flush(w.now);
  again.on_committed(CommitOutcome::committed);
  ASSERT_EQ(host.programs.size(), 1u);
  EXPECT_EQ(host.programs[0].environment, first.environment);

  w.core.on_program_ended(first, true, w.now);
  w.run();
  EXPECT_TRUE(w.core.cluster().owed_epilogs->empty());
}

TEST(SitePrograms, AFailedEpilogDrainsTheNode) {
  World w{with({.epilog = true})};
  auto id = w.submit(job());
  w.step_end(1, batch_of(id));
  w.core.on_report(World::connection(1), wire::JobGoneReport{JobId{id}, Attempt{1}, true}, w.now);
  w.run();
  EXPECT_EQ(w.job(id).state, JobState::completed);
  EXPECT_EQ(w.node(1).reason, "Epilog error");
}

TEST(SitePrograms, NothingIsLaunchedBeforePrologSlurmctldHasRun) {
  World w{with({.prolog_slurmctld = true})};
  auto id = w.submit(job());
  EXPECT_TRUE(w.job(id).run->preparing);
  EXPECT_TRUE(w.take<wire::LaunchOrder>().empty());
  ASSERT_EQ(w.host.programs.size(), 1u);
  w.core.on_program_ended(w.host.programs[0], true, w.now);
  w.run();
  EXPECT_FALSE(w.job(id).run->preparing);
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 1u);
}

TEST(SitePrograms, AFailedPrologSlurmctldSendsTheJobBackForAWhile) {
  World w{with({.prolog_slurmctld = true})};
  auto id = w.submit(job());
  ASSERT_EQ(w.host.programs.size(), 1u);
  w.core.on_program_ended(w.host.programs[0], false, w.now);
  w.run();
  EXPECT_EQ(w.job(id).state, JobState::pending);
  EXPECT_EQ(w.job(id).restarts, 1u);
  EXPECT_EQ(w.job(id).eligible, w.now + Seconds{120});
  EXPECT_TRUE(w.node(1).jobs.empty());
}

TEST(SitePrograms, ContainGivesEveryNodeAnExternStep) {
  World w{with({.contain = true})};
  auto id = w.submit(job());
  const wire::StepRef extern_step{JobId{id}, Attempt{1}, kExternStep};
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 2u);
  w.step_end(1, batch_of(id));
  EXPECT_EQ(w.job(id).state, JobState::completed);
  EXPECT_TRUE(w.job(id).completing());
  w.step_end(1, extern_step);
  EXPECT_FALSE(w.job(id).completing());
  EXPECT_EQ(w.job(id).run->steps.at(kExternStep).state, JobState::completed);
}

TEST(SitePrograms, EpilogSlurmctldRunsOnceAtTheEnd) {
  World w{with({.epilog_slurmctld = true})};
  auto id = w.submit(job());
  EXPECT_TRUE(w.host.programs.empty());
  w.step_end(1, batch_of(id), 1 << 8);
  ASSERT_EQ(w.host.programs.size(), 1u);
  EXPECT_TRUE(has(w.host.programs[0].environment, "SLURM_JOB_EXIT_CODE=256"));
}

TEST(SitePrograms, ADeferredBatchScriptWaitsForThePrologsOfAllNodes) {
  World w{ClusterBuilder().nodes(2).settings([](Settings& s) {
    s.programs = {.prolog = true, .prolog_at_start = true, .defer_batch = true};
  })};
  const auto id = w.submit(job().nodes(2));
  const auto prepares = w.take<wire::PrepareOrder>();
  ASSERT_EQ(prepares.size(), 2u);
  EXPECT_TRUE(prepares[0].second.tell);
  auto prepared = [&](std::uint32_t node) {
    w.core.on_report(World::connection(node), wire::PreparedReport{JobId{id}, Attempt{1}}, w.now);
    w.run();
    return w.take<wire::LaunchOrder>().size();
  };
  EXPECT_EQ(prepared(2), 0u);
  EXPECT_EQ(prepared(1), 1u);
}

TEST(SitePrograms, ADeferredBatchScriptIsNotForgottenByANewController) {
  const ClusterBuilder builder = ClusterBuilder().nodes(1).settings([](Settings& s) {
    s.programs = {.prolog = true, .prolog_at_start = true, .defer_batch = true};
  });
  World w{builder};
  const auto id = w.submit(job());
  w.take<wire::PrepareOrder>();
  w.leave(1);
  w.join(1);
  EXPECT_EQ(w.take<wire::PrepareOrder>().size(), 1u);
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 0u);
  w.core.on_report(World::connection(1), wire::PreparedReport{JobId{id}, Attempt{1}}, w.now);
  w.run();
  EXPECT_EQ(w.take<wire::LaunchOrder>().size(), 1u);
}

}  // namespace
}  // namespace muster::controller::jobs_test
