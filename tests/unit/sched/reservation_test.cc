// Reservations keep nodes, cores and licenses for their own jobs.
#include <gtest/gtest.h>

#include "builders.h"
#include "sched/plan.h"

namespace muster::sched {
namespace {

using namespace muster::test;

Reservation reservation(int from = -5, int until = 90) {
  return {.name = "r",
          .start = t0 + Minutes{from},
          .end = t0 + Minutes{until},
          .nodes = {NodeId{1}},
          .users = {"alice"}};
}

ClusterBuilder with(Reservation r, std::uint32_t nodes = 2) {
  ClusterBuilder b;
  b.nodes(nodes).settings([](Settings& s) { s.licenses = {{"matlab", 10}}; });
  b.event(ReservationChanged{.reservation = std::move(r)});
  return b;
}

SpecBuilder in_it(Text names = "r") {
  return job().minutes(30).memory(1).set(&JobRequest::reservation, std::move(names));
}

std::string where(const Plan& p) {
  std::string nodes;
  for (const Start& s : p.starts)
    for (const NodeShare& share : s.allocation)
      nodes += std::to_string(share.node.value) + ":" + share.cpus.text() + " ";
  return nodes;
}

int promised_at(const Plan& p, std::uint32_t id) {
  const Expected* e = find_expected(p, JobId{id});
  return e ? static_cast<int>(std::chrono::floor<Minutes>(e->at - t0).count()) : -1;
}

TEST(Reservations, KeepOthersOutWhileTheyLast) {
  EXPECT_EQ(starts(plan(with(reservation(30)).pending(2, 30).build(), t0)), "1");
  Plan p = plan(with(reservation(30)).pending(2, 31).build(), t0);
  EXPECT_EQ(starts(p), "");
  EXPECT_EQ(promised_at(p, 1), 90);
}

TEST(Reservations, AJobOfOneWaitsForItAndGoesThere) {
  EXPECT_EQ(reason(plan(with(reservation(30)).pending(in_it()).build(), t0), 1), "Reservation");
  Plan p = plan(with(reservation()).pending(in_it()).build(), t0);
  EXPECT_EQ(where(p), "1:0 ");
  EXPECT_EQ(p.starts.at(0).reservation, "r");
  EXPECT_EQ(reason(plan(ClusterBuilder().nodes(1).pending(in_it()).build(), t0), 1),
            "ReservationDeleted");
}

TEST(Reservations, AJobThatIsLongerThanItStartsAndIsExpectedToLeaveWithIt) {
  auto cluster = with(reservation(-5, 20), 1).pending(in_it().minutes(60).tasks(8)).build();
  take_over(cluster, plan(cluster, t0), t0);
  ASSERT_EQ(cluster.jobs.at(JobId{1}).run->reservation, "r");
  muster::apply(cluster, JobSubmitted{make_job(JobId{2}, job().minutes(5), cluster)});
  EXPECT_EQ(promised_at(plan(cluster, t0), 2), 20);
}

TEST(Reservations, SomeCoresOfANodeAreKeptAndTheOthersAreEverybodys) {
  Reservation part = reservation();
  part.cpus = {IdSet::range(0, 3)};
  auto eight = [&](SpecBuilder spec) {
    return where(plan(with(part, 1).pending(spec).build(), t0));
  };
  EXPECT_EQ(eight(job().minutes(9).memory(1).tasks(4)), "1:4-7 ");
  EXPECT_EQ(eight(job().minutes(9).memory(1).tasks(5)), "");
  EXPECT_EQ(eight(in_it().tasks(4)), "1:0-3 ");
  EXPECT_EQ(eight(in_it().tasks(5)), "");
  EXPECT_EQ(eight(job().minutes(9).memory(1).exclusive()), "");
}

TEST(Reservations, AJobThatWaitsForReservedCoresBlocksNoOthers) {
  Reservation part = reservation();
  part.cpus = {IdSet::range(0, 3)};
  Plan p = plan(with(part, 1)
                    .pending(in_it().tasks(4))
                    .pending(in_it().tasks(4))
                    .pending(job().minutes(9).memory(1).tasks(4))
                    .build(),
                t0);
  EXPECT_EQ(starts(p), "1 3");
}

TEST(Reservations, OneOfSeveralWillDo) {
  Reservation other = reservation();
  other.name = "other";
  other.number = 1;
  other.nodes = {NodeId{2}};
  auto b = with(reservation());
  b.event(ReservationChanged{.reservation = other});
  b.pending(in_it("r,other").tasks(8)).pending(in_it("r,other").tasks(8));
  EXPECT_EQ(where(plan(b.build(), t0)), "1:0-7 2:0-7 ");
}

TEST(Reservations, AMagneticOneTakesJobsThatNameNoReservation) {
  Reservation magnetic = reservation();
  magnetic.nodes = {NodeId{2}};
  magnetic.flags = {"MAGNETIC"};
  auto b = with(magnetic).pending(job().minutes(9).memory(1).tasks(8));
  b.pending(job().minutes(9).memory(1).tasks(8));
  b.pending(job().minutes(9).memory(1).set(&JobRequest::user_name, Text("bob")));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(where(p), "2:0-7 1:0-7 ");
  EXPECT_EQ(p.starts.at(0).reservation, "r");
  EXPECT_EQ(p.starts.at(1).reservation, "");
}

TEST(Reservations, AFloatingOneIsAlwaysThatFarAhead) {
  Reservation floating = reservation(20, 80);
  floating.flags = {"TIME_FLOAT"};
  floating.float_by = Minutes{20};
  EXPECT_EQ(starts(plan(with(floating, 1).pending(1, 20).build(), t0 + Minutes{500})), "1");
  EXPECT_EQ(starts(plan(with(floating, 1).pending(1, 21).build(), t0 + Minutes{500})), "");
}

SpecBuilder yielding(std::uint32_t seconds) {
  return job().minutes(60).memory(1).set(
      &JobRequest::warn_signal,
      WarnSignal{.number = 10, .seconds_before_end = seconds, .yields_to_reservation = true});
}
Reservation lending() {
  Reservation r = reservation();
  r.max_start_delay = Seconds{120};
  return r;
}

TEST(Reservations, LendTheirNodesToJobsThatYieldSoonEnough) {
  EXPECT_EQ(where(plan(with(lending(), 1).pending(yielding(120)).build(), t0)), "1:0 ");
  EXPECT_EQ(where(plan(with(lending(), 1).pending(yielding(121)).build(), t0)), "");
  EXPECT_EQ(where(plan(with(reservation(), 1).pending(yielding(1)).build(), t0)), "");
  EXPECT_EQ(where(plan(with(lending(), 1).pending(job().minutes(60)).build(), t0)), "");
}

TEST(Reservations, LendNothingWhileAJobWaitsForThem) {
  auto b = with(lending(), 1).pending(yielding(60)).pending(in_it().tasks(8));
  EXPECT_EQ(starts(plan(b.build(), t0)), "2");
}

TEST(Reservations, BorrowersMakeRoomIfPreemptionIsConfigured) {
  auto victims = [](PreemptType type) {
    ClusterBuilder b;
    b.nodes(1).settings(
        [&](Settings& s) { s.preempt = {.type = type, .mode = PreemptMode::cancel}; });
    b.event(ReservationChanged{.reservation = lending()});
    b.running(yielding(60), {{.node = NodeId{1}, .cpus = IdSet::range(0, 0)}});
    b.pending(in_it().tasks(8));
    return plan(b.build(), t0).evictions.size();
  };
  EXPECT_EQ(victims(PreemptType::partition_priority), 1u);
  EXPECT_EQ(victims(PreemptType::none), 0u);
}

TEST(Reservations, TheirLicensesAreKeptFromOthers) {
  Reservation r = reservation();
  r.licenses = "matlab:6";
  auto b = with(r).pending(job().minutes(9).memory(1).set(&JobRequest::licenses, Text("matlab:5")));
  b.pending(in_it().set(&JobRequest::licenses, Text("matlab:5")));
  b.pending(job().minutes(9).memory(1).set(&JobRequest::licenses, Text("matlab:4")));
  Plan p = plan(b.build(), t0);
  EXPECT_EQ(starts(p), "2 3");
  EXPECT_EQ(reason(p, 1), "Licenses");
}

TEST(Reservations, TheReasonSaysThatTheyAreInTheWay) {
  Plan p = plan(with(reservation()).pending(job().minutes(9).on("n1")).build(), t0);
  EXPECT_EQ(reason(p, 1), "ReqNodeNotAvail, May be reserved for other job");
  p = plan(with(reservation(), 1).pending(1, 9).build(), t0);
  EXPECT_EQ(reason(p, 1), "ReqNodeNotAvail, Reserved for maintenance");
}

TEST(Reservations, TheReasonSaysThatTheUnreservedNodesAreTooFew) {
  Plan p = plan(with(reservation()).pending(2, 9).pending(job().minutes(9).tasks(9)).build(), t0);
  EXPECT_EQ(reason(p, 1), "ReqNodeNotAvail, May be reserved for other job");
  EXPECT_EQ(reason(p, 2), "ReqNodeNotAvail, May be reserved for other job");
  // Other jobs are in its way.
  auto b = with(reservation()).pending(1, 9);
  b.running(job().minutes(60), {{.node = NodeId{2}, .cpus = IdSet::range(0, 7)}});
  EXPECT_EQ(reason(plan(b.build(), t0), 1), "Resources");
}

TEST(Reservations, AdmitListedUsersOnly) {
  Reservation r{.users = {"alice", "bob"}, .accounts = {"-physics"}};
  EXPECT_TRUE(r.admits("bob", "chemistry"));
  EXPECT_FALSE(r.admits("bob", "physics"));
  EXPECT_FALSE(r.admits("carol", "chemistry"));
  Reservation groups{.groups = {"crew"}, .group_members = {"carol"}};
  EXPECT_TRUE(groups.admits("carol", "any"));
  EXPECT_FALSE(groups.admits("bob", "any"));
}

}  // namespace
}  // namespace muster::sched
