// PrivateData: what a user sees of others, and that operators see everything.
#include "controller/views/visibility.h"

#include <gtest/gtest.h>

#include "controller/views/explain.h"
#include "controller/views/query.h"
#include "controller/world.h"

namespace muster::controller::views_test {
namespace {

using namespace muster::controller::test;

const Viewer kAsAlice{kAlice, false, "alice", {"staff"}}, kAsBob{kBob, false, "bob", {}},
    kAsRoot{kRoot, true, {}, {}};

ClusterBuilder with_private(const std::function<void(PrivateData&)>& choose) {
  return ClusterBuilder().nodes(2).settings([&](Settings& s) {
    choose(s.private_data);
    s.priority.multifactor = true;
  });
}

Published published(const World& w) {
  return {w.core.committed(), nullptr, nullptr, w.now, nullptr};
}

wire::Answer ask(const World& w, const Viewer& viewer, const wire::Request& query) {
  QueryAnswer answer(std::make_shared<const Published>(published(w)), viewer, query, w.now);
  QueryAnswer::Part last = answer.next();
  while (last.more) last = answer.next();
  return last.answer;
}

std::size_t jobs_seen(const World& w, const Viewer& viewer, std::vector<wire::JobRef> named = {}) {
  wire::JobsRequest request;
  request.filter.all_states = true;
  request.filter.jobs = std::move(named);
  auto answer = ask(w, viewer, request);
  auto* reply = std::get_if<wire::JobsReply>(&answer);
  return reply ? reply->jobs.size() : 0;
}

std::optional<ErrorCode> error_of(const wire::Answer& answer) {
  auto* error = std::get_if<Error>(&answer);
  return error ? std::optional(error->code) : std::nullopt;
}

std::size_t jobs_listed(const World& w, const Viewer& viewer) {
  auto answer = ask(w, viewer, wire::JobsRequest{.hides = true});
  return std::get<wire::JobsReply>(answer).jobs.size();
}

TEST(HiddenPartitions, KeepTheirJobsOutOfListsThatHide) {
  ClusterBuilder b;
  b.nodes(2).partition({.name = "main"}, 1, 2).partition({.name = "secret", .hidden = true}, 1, 2);
  World w{b.partition({.name = "group", .allow_groups = "staff"}, 1, 2)};
  w.submit(job());
  w.submit(job().partition("secret"));
  w.submit(job().partition("secret,main"));
  EXPECT_EQ(jobs_listed(w, kAsAlice), 2u) << "one of them may start where it is seen";
  EXPECT_EQ(jobs_seen(w, kAsAlice), 3u);
}

TEST(HiddenPartitions, AreThoseOfOtherGroupsToo) {
  ClusterBuilder b;
  b.nodes(2).partition({.name = "main"}, 1, 2);
  World w{b.partition({.name = "group", .allow_groups = "staff,admins"}, 1, 2)};
  const Visibility alice(w.core.committed(), kAsAlice), bob(w.core.committed(), kAsBob),
      root(w.core.committed(), kAsRoot);
  const Partition& group = *w.core.committed().find_partition("group");
  EXPECT_FALSE(alice.is_hidden(group));
  EXPECT_TRUE(bob.is_hidden(group));
  EXPECT_FALSE(root.is_hidden(group));
}

TEST(HiddenPartitions, ThatArePrivateHideNothingAndSayIt) {
  ClusterBuilder b = with_private([](PrivateData& p) { p.partitions = true; });
  World w{b.partition({.name = "main", .hidden = true}, 1, 2)};
  w.submit(job());
  auto answer = ask(w, kAsAlice, wire::JobsRequest{.hides = true});
  EXPECT_EQ(std::get<wire::JobsReply>(answer).jobs.size(), 1u);
  EXPECT_TRUE(std::get<wire::JobsReply>(answer).hides_nothing);
}

TEST(ListedJobs, AreOnNodesThatExist) {
  World w{ClusterBuilder().nodes(2)};
  auto on = [&](Text node) {
    wire::JobsRequest request{.checks_nodes = true};
    request.filter.nodes = {std::move(node)};
    return ask(w, kAsAlice, request);
  };
  EXPECT_EQ(error_of(on("n1")), std::nullopt);
  EXPECT_EQ(error_of(on("n9")), ErrorCode::invalid_node_name);
  EXPECT_EQ(std::get<Error>(on("n9")).nodes, "n9");
  World hidden{with_private([](PrivateData& p) { p.nodes = true; })};
  wire::JobsRequest request{.checks_nodes = true};
  request.filter.nodes = {"n1"};
  EXPECT_EQ(error_of(ask(hidden, kAsAlice, request)), ErrorCode::access_denied);
}

TEST(PrivateJobs, OthersAreNotListed) {
  World w{with_private([](PrivateData& p) { p.jobs = true; })};
  w.submit(job());
  EXPECT_EQ(jobs_seen(w, kAsBob), 0u);
  EXPECT_EQ(jobs_seen(w, kAsAlice), 1u);
  EXPECT_EQ(jobs_seen(w, kAsRoot), 1u);
}

TEST(PrivateJobs, WhoNamesOneHearsThatThereIsNone) {
  World w{with_private([](PrivateData& p) { p.jobs = true; })};
  const JobId id{w.submit(job())};
  wire::JobsRequest request;
  request.filter.jobs = {{.job = id}};
  EXPECT_EQ(error_of(ask(w, kAsBob, request)), ErrorCode::invalid_job_id);
  const wire::ExplainRequest why{{.job = id}};
  EXPECT_EQ(error_of(explain(published(w), kAsBob, why, w.now)), ErrorCode::invalid_job_id);
  EXPECT_EQ(error_of(explain(published(w), kAsAlice, why, w.now)), std::nullopt);
  EXPECT_EQ(error_of(w.answer(wire::WaitJobRequest{.job = id, .until_started = true}, kBob)),
            ErrorCode::invalid_job_id);
}

TEST(PrivateJobs, NeitherPrioritiesNorExplanationsNameOthers) {
  World w{with_private([](PrivateData& p) { p.jobs = true; })};
  w.submit(job().nodes(2).exclusive());
  w.submit(job().nodes(2).exclusive());
  const JobId bobs{w.submit(job().nodes(2).exclusive().user(kBob), kBob)};
  auto priorities = std::get<wire::PrioritiesReply>(ask(w, kAsBob, wire::PrioritiesRequest{}));
  ASSERT_EQ(priorities.jobs.size(), 1u);
  EXPECT_EQ(priorities.jobs[0].job, bobs);
  const wire::ExplainRequest why{{.job = bobs}};
  auto told = std::get<wire::ExplainReply>(explain(published(w), kAsBob, why, w.now));
  for (const auto& [user, count] : told.jobs.at(0).ahead) EXPECT_EQ(user, "bob");
  auto all = std::get<wire::ExplainReply>(explain(published(w), kAsRoot, why, w.now));
  ASSERT_EQ(all.jobs.at(0).ahead.size(), 1u);
  EXPECT_EQ(all.jobs[0].ahead[0].first, "alice");
}

TEST(PrivateLists, NodesAndPartitionsAreRefused) {
  World nodes{with_private([](PrivateData& p) { p.nodes = true; })};
  EXPECT_EQ(error_of(ask(nodes, kAsBob, wire::NodesRequest{})), ErrorCode::access_denied);
  EXPECT_EQ(error_of(ask(nodes, kAsBob, wire::PartitionsRequest{})), std::nullopt);
  EXPECT_EQ(error_of(ask(nodes, kAsRoot, wire::NodesRequest{})), std::nullopt);
  World partitions{with_private([](PrivateData& p) { p.partitions = true; })};
  EXPECT_EQ(error_of(ask(partitions, kAsBob, wire::PartitionsRequest{})), ErrorCode::access_denied);
  EXPECT_EQ(error_of(ask(partitions, kAsBob, wire::NodesRequest{})), ErrorCode::access_denied)
      << "the answer about nodes names their partitions";
}

TEST(PrivateReservations, AreSeenByWhoMayUseThem) {
  Cluster cluster = with_private([](PrivateData& p) { p.reservations = true; }).build();
  Reservation for_alice;
  for_alice.users = {"alice"};
  EXPECT_TRUE(Visibility(cluster, kAsAlice).sees(for_alice));
  EXPECT_FALSE(Visibility(cluster, kAsBob).sees(for_alice));
  EXPECT_TRUE(Visibility(cluster, kAsRoot).sees(for_alice));
}

TEST(PrivateReservations, AnAccountIsTheUsersOwn) {
  Cluster cluster = with_private([](PrivateData& p) { p.reservations = true; })
                        .account("physics")
                        .account("music")
                        .user("physics", "alice")
                        .user("music", "bob")
                        .build();
  Reservation for_physics;
  for_physics.accounts = {"physics"};
  EXPECT_TRUE(Visibility(cluster, kAsAlice).sees(for_physics));
  EXPECT_FALSE(Visibility(cluster, kAsBob).sees(for_physics));
}

TEST(PrivateUsage, OneSeesOnesOwnAndTheAccountsAbove) {
  Cluster cluster = with_private([](PrivateData& p) { p.usage = true; })
                        .account("science")
                        .account("physics", "science")
                        .account("music")
                        .user("physics", "alice")
                        .user("music", "bob")
                        .build();
  const Visibility alice(cluster, kAsAlice);
  auto sees = [&](Text account, Text user) {
    return alice.sees_share(
        {.account = std::move(account), .user = std::move(user), .partition = {}});
  };
  EXPECT_TRUE(sees("root", ""));
  EXPECT_TRUE(sees("science", ""));
  EXPECT_TRUE(sees("physics", ""));
  EXPECT_TRUE(sees("physics", "alice"));
  EXPECT_FALSE(sees("music", ""));
  EXPECT_FALSE(sees("music", "bob"));
  EXPECT_EQ(alice.only_records_of(), kAlice);
  EXPECT_EQ(Visibility(cluster, kAsRoot).only_records_of(), std::nullopt);
}

TEST(PrivateData, WithoutItEverybodySeesEverything) {
  World w{with_private([](PrivateData&) {})};
  const JobId id{w.submit(job())};
  EXPECT_EQ(jobs_seen(w, kAsBob), 1u);
  EXPECT_EQ(jobs_seen(w, kAsBob, {{.job = id}}), 1u);
  EXPECT_EQ(Visibility(w.core.committed(), kAsBob).only_records_of(), std::nullopt);
}

}  // namespace
}  // namespace muster::controller::views_test
