// Triggers: who may set them, what pulls them, and what their programs are told.
#include "controller/triggers/triggers.h"

#include <gtest/gtest.h>

#include "controller/world.h"
#include "state/snapshot.h"

namespace muster::controller::test::triggers_test {
namespace {

using namespace std::chrono_literals;

constexpr Uid kSlurm{64030};  // World's SlurmUser

Trigger about_job(TriggerEvent event, std::uint32_t job) {
  return {.event = event, .job = JobId{job}, .program = "/bin/job"};
}
Trigger about_nodes(TriggerEvent event, Text nodes = {}) {
  return {.event = event, .nodes = std::move(nodes), .program = "/bin/node  now"};
}

struct WithTriggers : ::testing::Test {
  World w{ClusterBuilder().nodes(3)};

  Error set(Trigger trigger, Uid uid = kSlurm) {
    return error_of(w.answer(wire::SetTriggerRequest{std::move(trigger)}, uid));
  }
  Error clear(wire::ClearTriggersRequest request, Uid uid = kSlurm) {
    return error_of(w.answer(request, uid));
  }
  static Error error_of(const wire::Answer& answer) {
    const auto* error = std::get_if<Error>(&answer);
    return error ? *error : Error{ErrorCode::no_error, {}};
  }
  const std::vector<Trigger>& triggers() const { return *w.core.cluster().triggers; }
  // The command lines of programs that were started since the last call.
  std::vector<std::string> run() {
    std::vector<std::string> lines;
    for (const SiteProgramRun& run : std::exchange(w.host.programs, {})) {
      if (run.which != SiteProgramRun::Which::trigger) continue;
      std::string line;
      for (const std::string& word : run.arguments) line += (line.empty() ? "" : "|") + word;
      lines.push_back(line);
    }
    return lines;
  }
  void set_state(const std::string& nodes, const std::string& state) {
    w.answer(
        wire::UpdateRequest{
            .kind = wire::UpdateRequest::Kind::node,
            .settings = {{"NodeName", nodes}, {"State", state}, {"Reason", "test"}}},
        kRoot);
  }
};
using Lines = std::vector<std::string>;

TEST_F(WithTriggers, NodesThatGoDownTogetherAreToldOnce) {
  EXPECT_EQ(set(about_nodes(TriggerEvent::node_down)).code, ErrorCode::no_error);
  set_state("n3", "down");
  set_state("n1", "down");
  EXPECT_EQ(run(), Lines{});
  w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/node|now|n[1,3]"});
  EXPECT_TRUE(triggers().empty()) << "it is used up";
}

TEST_F(WithTriggers, APermanentOneStays) {
  Trigger up = about_nodes(TriggerEvent::node_up);
  up.permanent = true;
  set(up);
  for (int i = 0; i < 2; ++i) {
    set_state("n2", "down");
    w.pass(1s);
    set_state("n2", "resume");
    w.pass(1s);
    EXPECT_EQ(run(), Lines{"/bin/node|now|n2"});
  }
  ASSERT_EQ(triggers().size(), 1u);
  EXPECT_FALSE(is_set(triggers().front().due));
}

TEST_F(WithTriggers, OnlyTheNodesItNamesPullIt) {
  set(about_nodes(TriggerEvent::node_down, "n[1-2]"));
  set_state("n3", "down");
  w.pass(1s);
  EXPECT_EQ(run(), Lines{});
  set_state("n2", "down");
  w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/node|now|n2"});
}

TEST_F(WithTriggers, ANodeIsDrainedOnceItsJobsAreGone) {
  const auto id = w.submit(job());
  w.step_end(1, batch_of(id));  // its Epilog goes on
  set(about_nodes(TriggerEvent::node_drained));
  set(about_nodes(TriggerEvent::node_fail));
  const auto running = w.submit(job().nodes(1));
  const std::string node =
      w.node(w.job(running).run->allocation.front().node.value).config.name.str();
  set_state(node, "drain");
  w.pass(1s);
  EXPECT_EQ(run(), Lines{});
  w.step_end(w.job(running).run->allocation.front().node.value, batch_of(running));
  w.gone(w.job(running).run->allocation.front().node.value, running);
  w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/node|now|" + node});
  set_state("n3", "fail");
  w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/node|now|n3"});
}

TEST_F(WithTriggers, IdleNodesAreToldAfterTheirTime) {
  Trigger idle = about_nodes(TriggerEvent::node_idle);
  idle.offset = 60s;
  idle.permanent = true;
  const auto id = w.submit(job().nodes(1));
  const auto node = w.job(id).run->allocation.front().node.value;
  for (int i = 0; i < 61; ++i) w.pass(1s);
  set(idle);
  w.pass(1s);
  w.pass(1s);
  ASSERT_EQ(run().size(), 1u) << "the two nodes without a job";
  w.step_end(node, batch_of(id));
  w.gone(node, id);
  for (int i = 0; i < 58; ++i) w.pass(1s);
  EXPECT_EQ(run(), Lines{});
  for (int i = 0; i < 4; ++i) w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/node|now|" + w.node(node).config.name.str()});
}

TEST_F(WithTriggers, AJobPullsThemWithItsLimitItsNodesAndItsEnd) {
  const auto id = w.submit(job().nodes(1).minutes(10));
  const auto node = w.job(id).run->allocation.front().node.value;
  Trigger time = about_job(TriggerEvent::job_time, id);
  time.offset = -300s;
  set(time);
  set(about_job(TriggerEvent::job_end, id));
  Trigger late = about_job(TriggerEvent::job_end, id);
  late.offset = 30s;
  set(late);
  Trigger down = about_job(TriggerEvent::node_down, id);
  set(down);
  w.pass(299s);
  EXPECT_EQ(run(), Lines{});
  w.pass(2s);
  w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/job|" + std::to_string(id)});
  set_state("n3", "down");  // not one of its nodes
  w.pass(1s);
  w.step_end(node, batch_of(id));
  w.gone(node, id);
  w.pass(1s);
  w.pass(1s);
  EXPECT_EQ(run(), Lines{"/bin/job|" + std::to_string(id)});
  w.pass(31s);
  EXPECT_EQ(run(), Lines{"/bin/job|" + std::to_string(id)});
  EXPECT_TRUE(triggers().empty()) << "nothing is left of a job that has ended";
}

TEST_F(WithTriggers, ANewControllerKnowsThemAndTellsThatItIsThere) {
  set(about_nodes(TriggerEvent::controller_resumed));
  set(about_nodes(TriggerEvent::node_down));
  const StoredState stored{.snapshot_number = 1, .snapshot = encode_snapshot(w.core.cluster())};
  World next{ClusterBuilder().nodes(3).config(), stored};
  next.pass(1s);
  ASSERT_EQ(next.host.programs.size(), 1u);
  EXPECT_EQ(next.host.programs.front().arguments.back(), "primary_slurmctld_resumed_operation");
  EXPECT_EQ(next.core.cluster().triggers->size(), 1u);
  EXPECT_EQ(next.core.cluster().last_trigger, 2u);
}

TEST_F(WithTriggers, AReconfigurationAndTheAccountingFilePullTheirs) {
  set(about_nodes(TriggerEvent::reconfigured));
  set(about_nodes(TriggerEvent::database_failed));
  w.core.reconfigure(ClusterBuilder().nodes(3).config(), {}, w.now);
  w.core.triggers().pull(TriggerEvent::database_failed);
  w.run();
  w.pass(1s);
  EXPECT_EQ(run(), (Lines{"/bin/node|now|reconfig", "/bin/node|now|primary_database_failure"}));
}

TEST_F(WithTriggers, WhatCannotBeIsRefused) {
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, 99)).code, ErrorCode::invalid_job_id);
  EXPECT_EQ(set(about_nodes(TriggerEvent::node_down, "n[1-9]")).code, ErrorCode::invalid_node_name);
  Trigger relative = about_nodes(TriggerEvent::node_down);
  relative.program = "bin/true";
  EXPECT_EQ(set(relative).code, ErrorCode::failure);
  Trigger late = about_nodes(TriggerEvent::node_down);
  late.offset = 32001s;
  EXPECT_EQ(set(late).code, ErrorCode::failure);
  EXPECT_EQ(set(about_nodes(TriggerEvent::node_down)).code, ErrorCode::no_error);
  EXPECT_EQ(set(about_nodes(TriggerEvent::node_down)).text(), kDuplicateTrigger);
}

TEST_F(WithTriggers, OnlyTheirOwnerAndOperatorsRemoveThem) {
  set(about_nodes(TriggerEvent::node_down));
  EXPECT_EQ(clear({.id = 1}, kAlice).code, ErrorCode::access_denied);
  EXPECT_EQ(clear({.user = kSlurm}, kAlice).code, ErrorCode::access_denied);
  EXPECT_EQ(clear({.id = 7}).text(), kNoSuchTrigger);
  EXPECT_EQ(clear({}).text(), kNoSuchTrigger);
  EXPECT_EQ(clear({.id = 1}).code, ErrorCode::no_error);
  EXPECT_TRUE(triggers().empty());
}

// Programs run as their owner, which only root can arrange.
TEST_F(WithTriggers, OthersMaySetNoneWhereSlurmUserIsNotRoot) {
  const auto id = w.submit(job());
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, id), kAlice).code, ErrorCode::access_denied);
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, id), kRoot).code, ErrorCode::access_denied);
}

struct TriggersOfUsers : ::testing::Test {
  static Time start(Ledger& ledger, bool allowed) {
    ledger.set_now(t0);
    auto builder = ClusterBuilder()
                       .nodes(1)
                       .settings([&](Settings& s) { s.user_triggers = allowed; })
                       .pending(1);
    for (const Event& event : builder.events()) ledger.record(event);
    return t0;
  }
  MemoryHost host;
  Ledger ledger{host, {.slurm_user = kRoot}};
  Triggers triggers{ledger};
  ErrorCode set(Trigger trigger, Uid uid) {
    const auto answer = triggers.set({uid, Gid{100}}, std::move(trigger));
    const auto* error = std::get_if<Error>(&answer);
    return error ? error->code : ErrorCode::no_error;
  }
};

TEST_F(TriggersOfUsers, AreForTheirOwnJobsWhereTheSiteAllowsThem) {
  start(ledger, true);
  const Uid owner = ledger.job(JobId{1}).spec->uid;
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, 1), owner), ErrorCode::no_error);
  EXPECT_EQ(set(about_job(TriggerEvent::node_down, 1), owner), ErrorCode::no_error);
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, 1), kBob), ErrorCode::access_denied);
  EXPECT_EQ(set(about_nodes(TriggerEvent::node_down), owner), ErrorCode::access_denied);
  EXPECT_EQ(ledger.cluster().triggers->front().uid, owner);
}

TEST_F(TriggersOfUsers, AreRefusedWhereTheSiteDoesNotAllowThem) {
  start(ledger, false);
  const Uid owner = ledger.job(JobId{1}).spec->uid;
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, 1), owner), ErrorCode::access_denied);
  EXPECT_EQ(set(about_job(TriggerEvent::job_end, 1), kRoot), ErrorCode::no_error);
}

TEST_F(TriggersOfUsers, AreBoundedInNumber) {
  start(ledger, true);
  const Uid owner = ledger.job(JobId{1}).spec->uid;
  Trigger trigger = about_job(TriggerEvent::job_end, 1);
  for (int i = 0; i < 100; ++i) {
    trigger.offset = Seconds{i};
    EXPECT_EQ(set(trigger, owner), ErrorCode::no_error);
  }
  trigger.offset = Seconds{1000};
  EXPECT_EQ(set(trigger, owner), ErrorCode::failure);
  EXPECT_EQ(set(trigger, kRoot), ErrorCode::no_error);
}

}  // namespace
}  // namespace muster::controller::test::triggers_test
