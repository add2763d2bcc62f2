// Prolog and Epilog in the node's logic.
#include <gtest/gtest.h>

#include <algorithm>

#include "node/agent.h"
#include "node/fake_host.h"

namespace muster {
namespace {

using Calls = std::vector<std::string>;
const AttemptRef kRun{JobId{12}, Attempt{1}};

class Prepare : public testing::Test {
 protected:
  Prepare() {
    agent.on_connected(t0);
    agent.flush();
    host.reports.clear();
  }
  void order(wire::Order what) {
    agent.on_orders({Epoch{5}, {std::move(what)}}, t0);
    agent.flush();
  }
  void launch(wire::StepRef ref) {
    wire::LaunchOrder order;
    order.launch.ref = ref;
    order.launch.prolog_environment = {"A=1"};
    this->order(std::move(order));
  }
  void end_job() {
    order(
        wire::EndJobOrder{.job = JobId{12}, .attempt = Attempt{1}, .epilog_environment = {"B=2"}});
  }
  void program_ended(NodeProgram program, bool succeeded) {
    agent.on_program_ended(program, kRun, succeeded, t0);
    agent.flush();
  }
  FakeHost host;
  NodeAgent agent{host,
                  {.name = "n1",
                   .epoch = Epoch{5},
                   .only_user = {},
                   .programs = {.prolog = true, .epilog = true}}};
};

TEST_F(Prepare, LaunchesWaitForThePrologWhichRunsOnce) {
  launch(kBatch);
  launch(kStep0);
  EXPECT_EQ(host.take_calls(), Calls{"prolog 12.1 A=1"});
  program_ended(NodeProgram::prolog, true);
  EXPECT_EQ(host.take_calls(), (Calls{"spawn 12.1.0", "spawn 12.1.batch"}));
  EXPECT_TRUE(host.prepared.contains(kRun));
}

TEST_F(Prepare, AFailedPrologFailsTheLaunchAndSaysSo) {
  launch(kBatch);
  program_ended(NodeProgram::prolog, false);
  auto ends = host.take_reports<wire::StepEndReport>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_TRUE(ends[0].end.prolog_failed && ends[0].end.launch_failed);
  EXPECT_FALSE(host.prepared.contains(kRun));
}

TEST_F(Prepare, AFailureWithoutALaunchIsReportedOnItsOwn) {
  order(wire::PrepareOrder{JobId{12}, Attempt{1}, {"A=1"}});
  program_ended(NodeProgram::prolog, false);
  EXPECT_EQ(host.take_reports<wire::PrologFailedReport>().size(), 1u);
}

TEST_F(Prepare, APrologOfAnEarlierSlurmdDoesNotRunAgain) {
  agent.on_found_prepared(kRun);
  launch(kStep0);
  EXPECT_EQ(host.take_calls(), Calls{"spawn 12.1.0"});
}

TEST_F(Prepare, TheJobIsGoneWhenItsEpilogIsOver) {
  end_job();
  EXPECT_EQ(host.take_calls(), Calls{"epilog 12.1 B=2"});
  EXPECT_TRUE(host.take_reports<wire::JobGoneReport>().empty());
  program_ended(NodeProgram::epilog, false);
  auto gone = host.take_reports<wire::JobGoneReport>();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0].epilog_failed);
  end_job();  // the controller did not get the report
  EXPECT_TRUE(host.take_calls().empty());
  EXPECT_EQ(host.take_reports<wire::JobGoneReport>().size(), 1u);
}

TEST_F(Prepare, TheEpilogWaitsForTheProlog) {
  launch(kBatch);
  host.take_calls();
  end_job();
  EXPECT_TRUE(host.take_calls().empty());
  program_ended(NodeProgram::prolog, true);
  EXPECT_EQ(host.take_calls(), Calls{"epilog 12.1 B=2"});
}

TEST_F(Prepare, AnSrunThatWaitsIsToldOfTheFailure) {
  agent.on_attach(7, kStep0, t0);
  launch(kStep0);
  host.take_calls();
  program_ended(NodeProgram::prolog, false);
  EXPECT_EQ(host.take_calls(), Calls{"refuse 7: Job prolog failed"});
}

TEST_F(Prepare, TheControllerHearsOfAPrologThatItAskedAbout) {
  const wire::PrepareOrder ask{JobId{12}, Attempt{1}, {"A=1"}, true};
  order(ask);
  EXPECT_EQ(host.take_reports<wire::PreparedReport>().size(), 0u);
  program_ended(NodeProgram::prolog, true);
  EXPECT_EQ(host.take_reports<wire::PreparedReport>().size(), 1u);
  order(ask);  // from another controller
  EXPECT_EQ(host.take_reports<wire::PreparedReport>().size(), 1u);
}

TEST_F(Prepare, AFailedPrologIsNotToldAsASuccess) {
  order(wire::PrepareOrder{JobId{12}, Attempt{1}, {"A=1"}, true});
  program_ended(NodeProgram::prolog, false);
  const auto is_prepared = [](const wire::Report& report) {
    return std::holds_alternative<wire::PreparedReport>(report);
  };
  EXPECT_TRUE(std::ranges::none_of(host.reports, is_prepared));
  EXPECT_EQ(host.take_reports<wire::PrologFailedReport>().size(), 1u);
}

// InitScript of job_container.conf.
struct InitScript : Prepare {
  InitScript() { agent.set_programs({.prolog = true, .epilog = true, .init_script = true}); }
};

TEST_F(InitScript, ComesOnceAfterThePrologAndBeforeAllSteps) {
  launch(kBatch);
  launch(kStep0);
  EXPECT_EQ(host.take_calls(), Calls{"prolog 12.1 A=1"});
  program_ended(NodeProgram::prolog, true);
  EXPECT_EQ(host.take_calls(), Calls{"init 12.1 SLURM_JOB_ID=12 SLURM_JOB_UID=0 SLURM_JOB_USER="});
  program_ended(NodeProgram::init_script, true);
  EXPECT_EQ(host.take_calls(), (Calls{"spawn 12.1.0", "spawn 12.1.batch"}));
}

TEST_F(InitScript, FailsTheLaunchesWhereItFails) {
  agent.on_found_prepared(kRun);
  launch(kBatch);
  host.take_calls();
  program_ended(NodeProgram::init_script, false);
  auto ends = host.take_reports<wire::StepEndReport>();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_TRUE(ends[0].end.launch_failed && !ends[0].end.prolog_failed);
  EXPECT_TRUE(host.take_calls().empty());
}

TEST_F(InitScript, IsOverBeforeTheJobIsGone) {
  agent.on_found_prepared(kRun);
  launch(kBatch);
  host.take_calls();
  end_job();
  EXPECT_TRUE(host.take_calls().empty());
  program_ended(NodeProgram::init_script, true);
  EXPECT_EQ(host.take_calls(), Calls{"epilog 12.1 B=2"});
}

// PrologFlags=RunInJob.
const wire::StepRef kExtern{JobId{12}, Attempt{1}, kExternStep};

struct RunInJob : Prepare {
  RunInJob() { agent.set_programs({.prolog = true, .epilog = true, .in_job = true}); }
};

TEST_F(RunInJob, ThePrologFollowsTheExternStepAndTheOthersFollowIt) {
  order(wire::PrepareOrder{JobId{12}, Attempt{1}, {"A=1"}});
  launch(kBatch);
  EXPECT_TRUE(host.take_calls().empty());
  launch(kExtern);
  EXPECT_EQ(host.take_calls(), (Calls{"spawn 12.1.extern", "prolog 12.1 A=1"}));
  program_ended(NodeProgram::prolog, true);
  EXPECT_EQ(host.take_calls(), Calls{"spawn 12.1.batch"});
}

TEST_F(RunInJob, TheExternStepEndsAfterTheEpilog) {
  launch(kExtern);
  program_ended(NodeProgram::prolog, true);
  host.take_calls();
  end_job();
  EXPECT_EQ(host.take_calls(), Calls{"epilog 12.1 B=2"});
  program_ended(NodeProgram::epilog, false);
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.extern"});
  EXPECT_TRUE(host.take_reports<wire::JobGoneReport>().empty());
  agent.on_step_ended({.ref = kExtern}, t0);
  agent.flush();
  auto gone = host.take_reports<wire::JobGoneReport>();
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_TRUE(gone[0].epilog_failed);
}

TEST_F(RunInJob, AJobThatEndsBeforeItsExternStepHasNoProlog) {
  order(wire::PrepareOrder{JobId{12}, Attempt{1}, {"A=1"}});
  end_job();
  EXPECT_EQ(host.take_calls(), Calls{"epilog 12.1 B=2"});
}

TEST_F(RunInJob, ThePrologRunsWithoutTheExternStepWhereThatCannotStart) {
  host.spawn_error = "no memory";
  launch(kExtern);
  EXPECT_EQ(host.take_calls(), Calls{"prolog 12.1 A=1"});
}

}  // namespace
}  // namespace muster
