// Which rows of waiting jobs are put off, and when they come back.
#include "accounting/waiting_rows.h"

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller {
namespace {

using namespace muster::controller::test;

// What one change of each of these jobs asks for.
accounting::AccountingPortion portion_of(World& w, std::initializer_list<std::uint32_t> jobs) {
  accounting::AccountingPortion portion;
  portion.cluster = w.core.committed();
  for (std::uint32_t id : jobs) portion.changes.jobs.insert(id);
  return portion;
}

TEST(WaitingRows, AJobThatHasJustComeIsPutOffAndOneThatRunsIsNot) {
  World w{ClusterBuilder().nodes(1)};
  const auto running = w.submit(job()), waiting = w.submit(job());
  accounting::AccountingPortion portion = portion_of(w, {running, waiting});
  accounting::WaitingRows rows;
  rows.put_off(portion, w.now);
  EXPECT_TRUE(portion.changes.jobs.contains(running));
  EXPECT_FALSE(portion.changes.jobs.contains(waiting));
}

TEST(WaitingRows, AfterAMinuteTheyAreDue) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  const auto waiting = w.submit(job());
  accounting::AccountingPortion portion = portion_of(w, {waiting});
  accounting::WaitingRows rows;
  rows.put_off(portion, w.now);
  for (Seconds passed : {Seconds{59}, Seconds{60}}) {
    accounting::AccountingPortion later = portion_of(w, {});
    rows.put_off(later, w.now + passed);
    EXPECT_EQ(later.changes.jobs.contains(waiting), passed == Seconds{60});
  }
}

TEST(WaitingRows, WhoeverAsksGetsThemAll) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  const auto one = w.submit(job()), other = w.submit(job());
  accounting::AccountingPortion portion = portion_of(w, {one, other});
  accounting::WaitingRows rows;
  rows.put_off(portion, w.now);
  w.cancel(one);  // the portion that tells of it has its row
  accounting::AccountingPortion asked = portion_of(w, {});
  rows.bring_back(asked);
  EXPECT_EQ(asked.changes.jobs.ids(), (std::vector<std::uint32_t>{other}));
}

TEST(WaitingRows, OneThatWasWrittenLongAgoIsNotPutOffAgain) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  const auto waiting = w.submit(job());
  accounting::AccountingPortion changed = portion_of(w, {waiting});
  accounting::WaitingRows rows;
  rows.put_off(changed, w.now + Seconds{60});
  EXPECT_TRUE(changed.changes.jobs.contains(waiting));
}

}  // namespace
}  // namespace muster::controller
