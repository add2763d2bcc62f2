// The simulator's checkers notice faults: each test plants one.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/codec/codec.h"
#include "base/text/strings.h"
#include "sim/world.h"
#include "state/event.h"

namespace muster::sim {
namespace {

// A world without other faults: whatever goes wrong is due to the sabotage.
WorldOptions calm(Sabotage sabotage) {
  return {.seed = 5,
          .jobs = 8,
          .troubled = Seconds{600},
          .rest = Seconds{3600},
          .faults = false,
          .all_verbs = false,
          .sabotage = std::move(sabotage)};
}

std::string complaints(const WorldOptions& options) { return join(simulate(options).broken, "\n"); }

// Changes every event of one kind on its way to the disk.
template <class E>
Sabotage rewriting(std::function<std::optional<Event>(E)> change) {
  return {.disk = [change = std::move(change)](Batch& batch) {
    std::vector<std::string> kept;
    for (const std::string& bytes : batch.events) {
      auto entry = decode<EventEntry>(bytes);
      auto* event = entry ? std::get_if<E>(&entry->event) : nullptr;
      if (!event) {
        kept.push_back(bytes);
      } else if (auto changed = change(*event)) {
        kept.push_back(encode(EventEntry{std::move(*changed)}));
      }
    }
    batch.events = std::move(kept);
  }};
}

TEST(Checkers, AreSilentWhereNothingIsWrong) { EXPECT_EQ(complaints(calm({})), ""); }

TEST(Checkers, NoticeAnEndThatAccountingDoesNotHearOf) {
  auto deafen = [](accounting::AccountingDelta& delta) {
    delta.cluster.jobs.each([&](const Job& job) {
      if (is_ended(job.state)) delta.changes.jobs.erase(job.id.value);
    });
  };
  EXPECT_TRUE(complaints(calm({.accounting = deafen}))
                  .contains("accounting never heard of the end of run 1 of job"));
}

TEST(Checkers, NoticeAnAcknowledgedJobThatIsLost) {
  const BatchNumber crash = simulate(calm({})).batches / 2;
  auto forget = [crash](Batch& batch) {
    if (batch.number > crash / 4) batch.events.clear();
  };
  WorldOptions options = calm({.disk = forget, .orders = {}, .reports = {}});
  options.crash_at_batch = crash;
  const std::string text = complaints(options);
  EXPECT_NE(text.find("is lost"), std::string::npos) << text;
  EXPECT_NE(text.find("seed 5"), std::string::npos) << text;
}

TEST(Checkers, NoticeANodeThatIsGivenAwayTwice) {
  auto twice = [](JobStarted e) -> std::optional<Event> {
    for (NodeShare& share : e.allocation) share.memory_mib += 1'000'000;
    return e;
  };
  WorldOptions options = calm(rewriting<JobStarted>(twice));
  // For some batches a job runs while the controller crashes.
  const BatchNumber batches = simulate(calm({})).batches;
  std::string text;
  for (BatchNumber at = 5; at < batches && !text.contains("held of"); at += 5) {
    options.crash_at_batch = at;
    text = complaints(options);
  }
  EXPECT_NE(text.find("held of"), std::string::npos) << text;
  EXPECT_NE(text.find("seed 5"), std::string::npos) << text;
}

// With its next orders a node is told to launch another attempt of a job that was just launched.
TEST(Checkers, NoticeTwoAttemptsOfOneJobAtOnce) {
  std::optional<wire::LaunchOrder> twin;
  auto launch_again = [&](wire::OrderBatch& batch) {
    if (auto stray = std::exchange(twin, std::nullopt)) batch.orders.emplace_back(*stray);
    for (const wire::Order& order : batch.orders)
      if (const auto* launch = std::get_if<wire::LaunchOrder>(&order);
          launch && launch->launch.ref.attempt == Attempt{1}) {
        twin = *launch;
        twin->launch.ref.attempt = Attempt{2};
      }
  };
  const std::string text = complaints(calm({.disk = {}, .orders = launch_again, .reports = {}}));
  EXPECT_NE(text.find("run at once"), std::string::npos) << text;
  EXPECT_NE(text.find("seed 5"), std::string::npos) << text;
}

TEST(Checkers, NoticeAJobThatNeverEnds) {
  auto silence = [](wire::ReportBatch& batch) {
    std::erase_if(batch.reports, [](const wire::Report& report) {
      return std::holds_alternative<wire::StepEndReport>(report) ||
             std::holds_alternative<wire::JobGoneReport>(report);
    });
  };
  const std::string text = complaints(calm({.disk = {}, .orders = {}, .reports = silence}));
  EXPECT_NE(text.find("never ended"), std::string::npos) << text;
  EXPECT_NE(text.find("seed 5"), std::string::npos) << text;
}

TEST(Checkers, NoticeAJournalThatDoesNotGiveTheState) {
  auto other = [](JobEnded e) -> std::optional<Event> {
    e.exit_status += 256;
    return e;
  };
  const std::string text = complaints(calm(rewriting<JobEnded>(other)));
  EXPECT_NE(text.find("the journal does not give the state"), std::string::npos) << text;
}

}  // namespace
}  // namespace muster::sim
