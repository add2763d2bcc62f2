// Allocations without a Core: who keeps an allocation, and who waits for a job.
#include "controller/allocation/allocations.h"

#include <gtest/gtest.h>

#include "controller/ledger_world.h"

namespace muster::controller::test::allocation_test {
namespace {

using namespace std::chrono_literals;

struct AllocationsAlone : ::testing::Test {
  LedgerWorld w{ClusterBuilder().nodes(1).running(
      job().allocation(), {{.node = NodeId{1}, .cpus = IdSet::range(0, 7), .gres = {}}})};
  Planning planning{w.ledger, w.host};
  Allocations allocations{w.ledger, w.host, planning};
  const JobId id{1};
};

TEST_F(AllocationsAlone, AnAllocationWhoseCommandHasGoneIsLostAfterAWhile) {
  allocations.set_keeper(7, id);
  EXPECT_TRUE(allocations.serves(7));
  allocations.on_client_closed(7);
  EXPECT_FALSE(allocations.serves(7));
  w.pass(19s);
  EXPECT_TRUE(allocations.lost_orphans().empty());
  w.pass(1s);
  EXPECT_EQ(allocations.lost_orphans(), std::vector{id});
  EXPECT_EQ(allocations.lost_orphans(), std::vector{id});  // until it has been ended
  w.ledger.record(JobEnded{.job = id, .state = JobState::cancelled, .at = w.ledger.now()});
  EXPECT_TRUE(allocations.lost_orphans().empty());
}

TEST_F(AllocationsAlone, ACommandThatComesBackKeepsIt) {
  allocations.add_orphan(id);
  allocations.wait({.connection = 8, .request = 1}, {kAlice, Gid{100}},
                   {.job = id, .ownership = wire::Ownership::take});
  w.pass(60s);
  EXPECT_TRUE(allocations.lost_orphans().empty());
}

TEST_F(AllocationsAlone, OfAStandstillNobodyIsToBlame) {
  allocations.add_orphan(id);
  w.pass(60s);
  allocations.on_standstill(60s);
  EXPECT_TRUE(allocations.lost_orphans().empty());
}

TEST_F(AllocationsAlone, OnlyACommandThatWaitsCanBeToldSomething) {
  allocations.set_keeper(7, id);
  EXPECT_FALSE(allocations.tell_keeper(w.ledger.job(id), "hello"));
  allocations.wait({.connection = 7, .request = 3}, {kAlice, Gid{100}}, {.job = id});
  EXPECT_TRUE(allocations.tell_keeper(w.ledger.job(id), "hello"));
  EXPECT_EQ(std::get<wire::Notice>(w.host.replies.at(3)).text, "hello");
}

TEST_F(AllocationsAlone, WaitersHearOfTheEndOnceItIsCommitted) {
  allocations.wait({.connection = 7, .request = 3}, {kAlice, Gid{100}}, {.job = id});
  w.ledger.record(JobEnded{.job = id, .state = JobState::completed, .at = w.ledger.now()});
  w.ledger.record(NodesReleased{.job = id, .attempt = Attempt{1}, .nodes = {NodeId{1}}});
  allocations.answer_all_waiters();
  EXPECT_FALSE(w.host.replies.contains(3));
  allocations.answer_waiters_of(w.commit().changed_jobs);
  EXPECT_TRUE(std::holds_alternative<wire::JobsReply>(w.host.replies.at(3)));
  EXPECT_FALSE(allocations.serves(7));
}

}  // namespace
}  // namespace muster::controller::test::allocation_test
