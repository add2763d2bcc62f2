// The log of what happened: which entries there are, who did it, and that nothing is said of what
// did not last.
#include "controller/effects/event_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controller/world.h"

namespace muster::controller::effects_test {
namespace {

using namespace muster::controller::test;

std::string text_of(const LogEntry& entry) {
  std::string text(entry.what);
  for (const LogFact& fact : entry.facts) text += " " + std::string(fact.name) + "=" + fact.value;
  if (entry.by) text += " By=" + std::to_string(entry.by->value);
  return text;
}

// What was said since the last call.
std::vector<std::string> said(World& w) {
  std::vector<std::string> lines;
  for (const LogEntry& entry : w.host.log_entries) lines.push_back(text_of(entry));
  w.host.log_entries.clear();
  return lines;
}
using Lines = std::vector<std::string>;

wire::UpdateRequest drain(std::string nodes) {
  return {.kind = wire::UpdateRequest::Kind::node,
          .settings = {{"NodeName", std::move(nodes)}, {"State", "DRAIN"}, {"Reason", "bad disk"}}};
}

TEST(EventLog, TellsTheLifeOfAJob) {
  World w{ClusterBuilder().nodes(1)};
  said(w);
  auto id = w.submit(job());
  w.now += Seconds{61};
  w.step_end(1, batch_of(id), 3 << 8);
  const Lines lines = said(w);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("job submitted JobId=1 User=")) << lines[0];
  EXPECT_TRUE(lines[0].ends_with(" By=" + std::to_string(kAlice.value))) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("job started JobId=1 ")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with("NodeList=n1")) << "the plan is nobody's wish: " << lines[1];
  EXPECT_NE(lines[2].find("State=FAILED ExitCode=3:0 RunTime=00:01:01"), std::string::npos)
      << lines[2];
}

TEST(EventLog, SaysNothingBeforeItIsDurable) {
  World w{ClusterBuilder().nodes(1)};
  said(w);
  w.hold_commits = true;
  w.ask(wire::SubmitRequest{.spec = Cow(JobRequest(job()))});
  w.run();
  EXPECT_EQ(said(w), Lines{});
  w.hold_commits = false;
  w.finish_commit();
  EXPECT_FALSE(said(w).empty());
}

TEST(EventLog, SaysNothingOfWhatWasUndone) {
  MemoryHost host;
  Ledger ledger(host, {.slurm_user = Uid{64030}});
  ledger.record(ReservationChanged{.reservation = {.name = "stays"}});
  const OpenMark mark = ledger.mark();
  ledger.record(ReservationChanged{.reservation = {.name = "goes"}});
  ledger.undo_since(mark);
  ledger.seal();
  ledger.land(CommitOutcome::committed);
  const std::optional<Flight>& landed = ledger.landed();
  ASSERT_TRUE(landed);
  ASSERT_EQ(landed->rest.log.size(), 1u);
  EXPECT_EQ(landed->rest.log[0].facts[0].value, "stays");
}

TEST(EventLog, NodesThatChangeAlikeAreOneLine) {
  World w{ClusterBuilder().nodes(3)};
  said(w);
  w.answer(drain("n[1-3]"), Uid{0});
  EXPECT_EQ(said(w), Lines{"node drained NodeName=n[1-3] State=IDLE+DRAIN Reason=bad disk By=0"});
}

TEST(EventLog, AnUpdateSaysItsKeysAndNoMoreThanFits) {
  World w{ClusterBuilder().nodes(1)};
  auto id = w.submit(job().set(&JobRequest::hold, true));
  said(w);
  EXPECT_EQ(w.update(id, "Comment", "short"), ErrorCode{});
  EXPECT_EQ(said(w), Lines{"job updated JobId=1 Changes=Comment=short By=1001"});
  EXPECT_EQ(w.update(id, "Comment", std::string(3000, 'x')), ErrorCode{});
  const Lines lines = said(w);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].size(), 600u);
}

TEST(EventLog, ManyJobsThatAreHeldAreOneLine) {
  std::vector<LogEntry> log;
  for (int id : {4, 5, 9})
    log.push_back(
        {.what = "job held", .facts = {{"JobId", std::to_string(id), true}}, .by = Uid{0}});
  log.push_back({.what = "job held", .facts = {{"JobId", "11", true}}, .by = Uid{1}});
  log.push_back({.what = "stands alone"});
  const auto lines = merged(std::move(log));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(text_of(lines[0]), "job held JobId=4,5,9 By=0");
  EXPECT_FALSE(lines[0].facts[0].is_number);
  EXPECT_EQ(text_of(lines[1]), "job held JobId=11 By=1");
  EXPECT_TRUE(lines[1].facts[0].is_number);
  EXPECT_EQ(text_of(lines[2]), "stands alone");
}

TEST(EventLog, ASilentNodeGoesDown) {
  World w{ClusterBuilder().nodes(1)};
  said(w);
  w.leave(1);
  w.pass(Seconds{400});
  const Lines lost = said(w);
  ASSERT_FALSE(lost.empty());
  EXPECT_EQ(lost.back(), "node down NodeName=n1 State=DOWN+NOT_RESPONDING Reason=Not responding");
  w.join(1);
  EXPECT_EQ(said(w), Lines{"node answers again NodeName=n1 State=DOWN Reason=Not responding"});
}

}  // namespace
}  // namespace muster::controller::effects_test
