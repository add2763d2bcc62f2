// Steps without a Core: which wait, and which start when.
#include <gtest/gtest.h>

#include "controller/ledger_world.h"
#include "controller/steps/steps.h"

namespace muster::controller::test::steps_test {
namespace {

using namespace std::chrono_literals;

struct StepsAlone : ::testing::Test {
  LedgerWorld w{ClusterBuilder().nodes(1, 4).running(job().allocation().nodes(1).tasks(4),
                                                     {{.node = NodeId{1},
                                                       .cpus = IdSet::range(0, 3),
                                                       .memory_mib = 100,
                                                       .tasks = 4,
                                                       .gres = {}}})};
  NodeLinks links{w.ledger, w.host};
  Steps steps{w.ledger, w.host, links};
  const Caller alice{kAlice, Gid{100}};

  static wire::StepRequest all_cpus() { return {.job = JobId{1}, .num_tasks = 4}; }
  auto ask(std::uint64_t request, wire::StepRequest step = all_cpus()) {
    return steps.ask({.connection = request, .request = request}, alice, std::move(step));
  }
  void end_step(std::uint32_t step) {
    w.ledger.record(StepNodeEnded{.job = JobId{1},
                                  .attempt = Attempt{1},
                                  .step = StepId{step},
                                  .node = NodeId{1},
                                  .at = w.ledger.now()});
  }
};

TEST_F(StepsAlone, AStepThatDoesNotFitWaitsForOneThatEnds) {
  auto first = ask(1);
  ASSERT_TRUE(first && std::holds_alternative<wire::StepReply>(*first));
  EXPECT_NE(links.launches().find(JobId{1}, StepId{0}), nullptr);
  EXPECT_FALSE(ask(2));
  w.commit();
  steps.start_waiting();  // nothing of the job has changed
  EXPECT_FALSE(w.ledger.has_open() || w.ledger.has_flight());
  EXPECT_TRUE(steps.serves(2));
  end_step(0);
  steps.start_waiting();
  EXPECT_FALSE(steps.serves(2));
  const OpenBatch batch = w.commit();
  ASSERT_EQ(batch.replies.size(), 1u);
  EXPECT_EQ(batch.replies[0].first.request, 2u);
  EXPECT_EQ(std::get<wire::StepReply>(batch.replies[0].second).step, StepId{1});
}

TEST_F(StepsAlone, ASrunThatHasGoneWaitsNoMore) {
  ask(1);
  EXPECT_FALSE(ask(2));
  steps.on_client_closed(2);
  end_step(0);
  steps.start_waiting();
  EXPECT_TRUE(w.commit().replies.empty());
}

TEST_F(StepsAlone, ImpatientStepsAreRefusedInTime) {
  ask(1);
  wire::StepRequest impatient = all_cpus();
  impatient.immediate_s = 5;
  EXPECT_FALSE(ask(2, impatient));
  w.pass(4s);
  steps.tick();
  EXPECT_TRUE(steps.serves(2));
  w.pass(1s);
  steps.tick();
  EXPECT_FALSE(steps.serves(2));
  EXPECT_EQ(std::get<Error>(w.commit().replies.at(0).second).code, ErrorCode::nodes_busy);
}

TEST_F(StepsAlone, QueuedStepsAreThereAgainAfterARestart) {
  ask(1);
  wire::StepRequest later = all_cpus();
  later.async = true;
  ASSERT_TRUE(ask(2, later));
  w.commit();
  Steps again{w.ledger, w.host, links};
  ASSERT_TRUE(again.recover());
  end_step(0);
  again.start_waiting();
  EXPECT_TRUE(w.ledger.job(JobId{1}).run->steps.contains(StepId{1}));
}

}  // namespace
}  // namespace muster::controller::test::steps_test
