// Stop notices on their way to the job, and what the job asks for.
#include <gtest/gtest.h>

#include <csignal>

#include "node/agent.h"
#include "node/fake_host.h"

namespace muster {
namespace {

using Calls = std::vector<std::string>;
const AttemptRef kAsking{JobId{12}, Attempt{1}};

class Asks : public testing::Test {
 protected:
  Asks() {
    agent.on_connected(t0);
    wire::LaunchOrder launch;
    launch.launch.ref = kBatch;
    order(launch);
    host.take_calls();
    host.reports.clear();
  }
  void order(wire::Order what, Time now = t0) {
    agent.on_orders({Epoch{5}, {std::move(what)}}, now);
    agent.flush();
  }
  static StopNotice notice(Seconds left) {
    StopNotice notice{.reason = StopReason::cancelled, .signal = SIGTERM};
    notice.has_deadline = true;
    notice.left = left;
    return notice;
  }
  FakeHost host;
  NodeAgent agent{host, {.name = "n1", .epoch = Epoch{5}, .only_user = {}}};
};

TEST_F(Asks, ANoticeComesBeforeTheSignals) {
  order(wire::EndJobOrder{.job = JobId{12},
                          .attempt = Attempt{1},
                          .kill_wait = Seconds{30},
                          .notice = notice(Seconds{30})});
  EXPECT_EQ(host.calls, (Calls{"notice 12.1 cancelled 30000 ms", "signal 18 12.1.batch",
                               "signal 15 12.1.batch"}));
}

TEST_F(Asks, MoreTimeMovesTheKill) {
  order(wire::EndJobOrder{.job = JobId{12}, .attempt = Attempt{1}, .kill_wait = Seconds{30}});
  order(
      wire::StopNoticeOrder{
          .job = JobId{12}, .attempt = Attempt{1}, .notice = notice(Seconds{60}), .extends = true},
      t0 + Seconds{10});
  host.take_calls();
  agent.on_tick(t0 + Seconds{40});
  EXPECT_TRUE(host.take_calls().empty());
  agent.on_tick(t0 + Seconds{70});
  EXPECT_EQ(host.take_calls(), Calls{"signal 9 12.1.batch"});
}

TEST_F(Asks, AreAnsweredByTheController) {
  const JobAskId id = agent.on_job_ask(kAsking, JobAsk::extend_grace, Seconds{60}, t0);
  agent.flush();
  const auto reports = host.take_reports<wire::JobAskReport>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].job, JobId{12});
  EXPECT_EQ(reports[0].by, Seconds{60});
  order(wire::JobAnswerOrder{.ask = id, .refusal = {}, .granted = Seconds{40}});
  order(wire::JobAnswerOrder{.ask = id, .refusal = {}, .granted = Seconds{40}});
  EXPECT_EQ(host.calls, Calls{"answer 1 \"\" 40"});
}

TEST_F(Asks, AreRefusedWithoutAController) {
  agent.on_job_ask(kAsking, JobAsk::requeue, Seconds{0}, t0);
  agent.on_disconnected();
  EXPECT_EQ(host.take_calls(), Calls{"answer 1 \"slurmctld does not answer\" 0"});
  agent.on_job_ask(kAsking, JobAsk::requeue, Seconds{0}, t0);
  EXPECT_LE(agent.next_due(), t0);
  agent.on_tick(t0);
  EXPECT_EQ(host.take_calls(), Calls{"answer 2 \"slurmctld does not answer\" 0"});
}

TEST_F(Asks, DoNotWaitForEver) {
  agent.on_job_ask(kAsking, JobAsk::requeue, Seconds{0}, t0);
  agent.on_tick(t0 + Seconds{14});
  EXPECT_TRUE(host.take_calls().empty());
  agent.on_tick(t0 + Seconds{15});
  EXPECT_EQ(host.take_calls(), Calls{"answer 1 \"slurmctld does not answer\" 0"});
}

}  // namespace
}  // namespace muster
