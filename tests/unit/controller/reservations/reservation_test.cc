// Reservations in the controller: what scontrol can ask for, what is refused, and what time does to
// them.
#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::reservations_test {
namespace {

using namespace muster::controller::test;
using Words = std::vector<std::pair<std::string, std::string>>;

class Reservations : public testing::Test {
 protected:
  wire::Answer send(Words settings, bool create, bool remove = false) {
    return world.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::reservation,
                                            .settings = std::move(settings),
                                            .create = create,
                                            .remove = remove},
                        kRoot);
  }
  // The new reservation, or the error.
  std::string create(Words more) {
    Words settings{{"ReservationName", "r"}, {"StartTime", "now"}, {"Duration", minutes}};
    if (std::ranges::none_of(more, [](auto& s) { return s.first == "Users"; }))
      settings.emplace_back("Users", "alice");
    settings.insert(settings.end(), more.begin(), more.end());
    wire::Answer answer = send(std::move(settings), true);
    if (auto* error = std::get_if<Error>(&answer)) return error->text();
    auto& view = std::get<wire::ReservationsReply>(answer).reservations.front();
    std::string text = view.nodes.str();
    for (const auto& [node, cores] : view.node_cores) text += " " + node.str() + ":" + cores.str();
    return text + " " + flags_text(view.reservation);
  }
  const Reservation* known() { return world.core.cluster().find_reservation("r"); }

  test::World world{ClusterBuilder().nodes(4)};
  std::string minutes = "60";
};

TEST_F(Reservations, TakeNodesByNameOrNumber) {
  EXPECT_EQ(create({{"Nodes", "n[2-3]"}}), "n[2-3] SPEC_NODES");
  send({{"ReservationName", "r"}}, false, true);
  EXPECT_EQ(create({{"NodeCnt", "1,2"}, {"Flags", "maint,daily"}}), "n[1-3] MAINT,DAILY");
  send({{"ReservationName", "r"}}, false, true);
  EXPECT_EQ(create({{"NodeCnt", "5"}}), "Requested nodes are busy");
  EXPECT_EQ(create({{"Nodes", "n9"}}), "Invalid node name specified");
}

TEST_F(Reservations, AndOtherRecordsAreMadeOrRemovedNotBoth) {
  EXPECT_TRUE(std::holds_alternative<Error>(send({{"ReservationName", "r"}}, true, true)));
  for (auto kind : {wire::UpdateRequest::Kind::partition, wire::UpdateRequest::Kind::node})
    EXPECT_TRUE(std::holds_alternative<Error>(world.answer(
        wire::UpdateRequest{.kind = kind,
                            .settings = {{"PartitionName", "none"}, {"NodeName", "none"}},
                            .create = true,
                            .remove = true},
        kRoot)));
}

TEST_F(Reservations, TakeSomeCores) {
  EXPECT_EQ(create({{"CoreCnt", "2,3"}, {"Nodes", "n[1-2]"}}), "n[1-2] n1:0-1 n2:0-2 SPEC_NODES");
  send({{"ReservationName", "r"}}, false, true);
  EXPECT_EQ(create({{"CoreCnt", "5"}, {"NodeCnt", "2"}}), "n[1-2] n1:0-2 n2:0-1 ");
  send({{"ReservationName", "r"}}, false, true);
  EXPECT_EQ(create({{"TRES", "cpu=9"}}), "n[1-2] n2:0 ");
}

TEST_F(Reservations, LastAsLongAsBeforeWhereTheyAreMoved) {
  create({{"Nodes", "n1"}, {"StartTime", "now+5hours"}});
  const Time before = known()->start;
  for (const char* start : {"now+9hours", "now+2hours"}) {
    send({{"ReservationName", "r"}, {"StartTime", start}}, false);
    EXPECT_NE(known()->start, before) << start;
    EXPECT_EQ(known()->end - known()->start, Minutes{60}) << start;
  }
  send({{"ReservationName", "r"}, {"StartTime", "now+1hour"}, {"Duration", "30"}}, false);
  EXPECT_EQ(known()->end - known()->start, Minutes{30});
}

TEST_F(Reservations, SayWhatCannotBe) {
  EXPECT_EQ(create({{"Nodes", "n1"}, {"Users", "stranger"}}), "Invalid user id");
  EXPECT_EQ(create({{"Nodes", "n1"}, {"Users", "alice,-bob"}}), "Invalid user id");
  EXPECT_EQ(create({{"Nodes", "n1"}, {"Groups", "crew"}}),
            "Reservations can't have users and groups specified, only one or the other");
  EXPECT_EQ(create({{"Nodes", "n1"}, {"Flags", "replace"}}), "Invalid node name specified");
  EXPECT_EQ(create({{"Nodes", "n1"}}), "n1 SPEC_NODES");
  EXPECT_EQ(create({{"Nodes", "n1"}}), "Duplicate reservation name");
}

TEST_F(Reservations, AreKeptFromOnesThatComeAgain) {
  auto at = [&](std::string name, std::string start, std::string flags) {
    Words settings{{"ReservationName", std::move(name)},
                   {"StartTime", std::move(start)},
                   {"Duration", "5"},
                   {"Nodes", "n1"},
                   {"Users", "alice"}};
    if (!flags.empty()) settings.emplace_back("Flags", std::move(flags));
    wire::Answer answer = send(std::move(settings), true);
    auto* error = std::get_if<Error>(&answer);
    return error ? error->text() : "made";
  };
  const std::string overlaps = "Requested reservation overlaps with another reservation";
  EXPECT_EQ(at("daily", "now+1hour", "daily"), "made");
  EXPECT_EQ(at("later", "now+49hour", ""), overlaps);
  EXPECT_EQ(at("next_year", "now+8761hour", ""), overlaps);
  EXPECT_EQ(at("between", "now+50hour", ""), "made");
  EXPECT_EQ(at("weekly", "now+48hour", "weekly"), "made");
  EXPECT_EQ(at("hourly", "now+2hour", "hourly"), overlaps);
}

TEST_F(Reservations, AllNodesOfAPartitionStayThose) {
  EXPECT_EQ(create({{"Nodes", "ALL"}, {"PartitionName", "main"}}), "n[1-4] SPEC_NODES,PART_NODES");
}

TEST_F(Reservations, DoNotStartInThePastOrTwice) {
  auto move_to = [&](std::string start) {
    wire::Answer answer = send({{"ReservationName", "r"}, {"StartTime", std::move(start)}}, false);
    auto* error = std::get_if<Error>(&answer);
    return error ? error->text() : "moved";
  };
  send({{"ReservationName", "r"},
        {"StartTime", "now+1hour"},
        {"Duration", "60"},
        {"Nodes", "n1"},
        {"Users", "alice"}},
       true);
  EXPECT_EQ(move_to("2000-01-01"), "Invalid time specified");
  EXPECT_EQ(move_to("now+30minutes"), "moved");
  world.pass(Minutes{31});
  EXPECT_EQ(move_to("now+1minute"), "Reservation already started");
}

TEST_F(Reservations, ComeAgainAndEnd) {
  create({{"Nodes", "n1"}, {"Flags", "daily"}});
  world.pass(Minutes{61});
  ASSERT_TRUE(known());
  EXPECT_EQ(known()->start, t0 + Minutes{24 * 60});
  send({{"ReservationName", "r"}, {"Flags", "-daily"}}, false);
  world.pass(Minutes{48 * 60});
  EXPECT_FALSE(known());
}

TEST_F(Reservations, TheirJobsEndWithThemAndThoseThatWaitAreHeld) {
  minutes = "1";
  create({{"Nodes", "n1"}});
  auto of_it = job().minutes(30).exclusive().set(&JobRequest::reservation, Text("r"));
  std::uint32_t inside = world.submit(of_it), waits = world.submit(of_it);
  ASSERT_EQ(world.job(inside).run->reservation, "r");
  wire::Answer in_use = send({{"ReservationName", "r"}}, false, true);
  EXPECT_EQ(std::get<Error>(in_use).code, ErrorCode::reservation_busy);
  world.pass(Seconds{61});
  ASSERT_TRUE(world.job(inside).run->ending);
  EXPECT_EQ(world.job(inside).run->ending->becomes, JobState::timeout);
  EXPECT_FALSE(known());
  EXPECT_TRUE(world.job(waits).lost_reservation());
  EXPECT_EQ(world.job(waits).end_reason, "Reservation r was deleted");
  world.act(wire::JobAction::release, waits);
  EXPECT_EQ(world.job(waits).state, JobState::running);
}

TEST_F(Reservations, OneThatIsOutOfUseIsPurged) {
  create({{"Nodes", "n1"}, {"Flags", "purge_comp=1"}});
  world.pass(Seconds{1});
  world.pass(Seconds{59});
  EXPECT_TRUE(known());
  world.pass(Seconds{61});
  EXPECT_FALSE(known());
}

TEST_F(Reservations, AnotherNodeTakesThePlaceOfOneThatIsDrained) {
  create({{"NodeCnt", "1"}});
  ASSERT_EQ(known()->nodes, std::vector{NodeId{1}});
  world.answer(
      wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::node,
                          .settings = {{"NodeName", "n1"}, {"State", "DRAIN"}, {"Reason", "test"}}},
      kRoot);
  world.pass(Seconds{1});
  EXPECT_EQ(known()->nodes, std::vector{NodeId{2}});
}

TEST(ReservationPrograms, RunOnceWithItsBeginAndOnceWithItsEnd) {
  ClusterBuilder b;
  b.nodes(1).settings([](muster::Settings& s) {
    s.programs.reservation_prolog = s.programs.reservation_epilog = true;
  });
  test::World w{b};
  auto calls = [&] {
    std::string text;
    for (const SiteProgramRun& run : w.host.programs)
      text += (run.which == SiteProgramRun::Which::reservation_prolog ? "+" : "-") +
              run.arguments.at(0);
    w.host.programs.clear();
    return text;
  };
  auto reserve = [&](std::string start, std::string flags) {
    w.answer(wire::UpdateRequest{.kind = wire::UpdateRequest::Kind::reservation,
                                 .settings = {{"ReservationName", "r"},
                                              {"StartTime", start},
                                              {"Duration", "10"},
                                              {"Users", "alice"},
                                              {"Nodes", "n1"},
                                              {"Flags", flags}},
                                 .create = true},
             kRoot);
  };
  reserve("now+60", "HOURLY");
  w.pass(Seconds{30});
  EXPECT_EQ(calls(), "");
  w.pass(Seconds{30});
  EXPECT_EQ(calls(), "+r");
  w.pass(Seconds{599});
  EXPECT_EQ(calls(), "");
  w.pass(Seconds{1});
  EXPECT_EQ(calls(), "-r");
  w.pass(Seconds{3000});
  EXPECT_EQ(calls(), "+r") << "it has come again";
}

}  // namespace
}  // namespace muster::controller::reservations_test
