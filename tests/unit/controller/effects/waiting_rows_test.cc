// Which rows of waiting jobs are delayed, and when they are written.
#include "accounting/waiting_rows.h"

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::effects_test {
namespace {

using namespace muster::controller::test;

// The delta after one change of each of these jobs.
accounting::AccountingDelta delta_of(World& w, std::initializer_list<std::uint32_t> jobs) {
  accounting::AccountingDelta delta;
  delta.cluster = w.core.committed();
  for (std::uint32_t id : jobs) delta.changes.jobs.insert(id);
  return delta;
}

TEST(WaitingRows, AJobThatHasJustComeIsPutOffAndOneThatRunsIsNot) {
  World w{ClusterBuilder().nodes(1)};
  const auto running = w.submit(job()), waiting = w.submit(job());
  accounting::AccountingDelta delta = delta_of(w, {running, waiting});
  accounting::WaitingRows rows;
  rows.put_off(delta, w.now);
  EXPECT_TRUE(delta.changes.jobs.contains(running));
  EXPECT_FALSE(delta.changes.jobs.contains(waiting));
}

TEST(WaitingRows, AfterAMinuteTheyAreDue) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  const auto waiting = w.submit(job());
  accounting::AccountingDelta delta = delta_of(w, {waiting});
  accounting::WaitingRows rows;
  rows.put_off(delta, w.now);
  for (Seconds passed : {Seconds{59}, Seconds{60}}) {
    accounting::AccountingDelta later = delta_of(w, {});
    rows.put_off(later, w.now + passed);
    EXPECT_EQ(later.changes.jobs.contains(waiting), passed == Seconds{60});
  }
}

TEST(WaitingRows, WhoeverAsksGetsThemAll) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  const auto one = w.submit(job()), other = w.submit(job());
  accounting::AccountingDelta delta = delta_of(w, {one, other});
  accounting::WaitingRows rows;
  rows.put_off(delta, w.now);
  w.cancel(one);  // the row is in the delta of this change
  accounting::AccountingDelta asked = delta_of(w, {});
  rows.bring_back(asked);
  EXPECT_EQ(asked.changes.jobs.ids(), (std::vector<std::uint32_t>{other}));
}

TEST(WaitingRows, OneThatWasWrittenLongAgoIsNotPutOffAgain) {
  World w{ClusterBuilder().nodes(1)};
  w.submit(job());
  const auto waiting = w.submit(job());
  accounting::AccountingDelta changed = delta_of(w, {waiting});
  accounting::WaitingRows rows;
  rows.put_off(changed, w.now + Seconds{60});
  EXPECT_TRUE(changed.changes.jobs.contains(waiting));
}

}  // namespace
}  // namespace muster::controller::effects_test
