// The account and QOS that a job runs under: those it names, and those of its association.
#include "controller/submit/membership.h"

#include <gtest/gtest.h>

#include "controller/world.h"

namespace muster::controller::submit_test {
namespace {

using namespace muster::controller::test;

ClusterBuilder enforcing(bool qos = true) {
  ClusterBuilder b;
  b.nodes(1).qos("high", "").qos("low", "").qos("only", "").settings([&](Settings& s) {
    s.enforce_associations = true;
    s.enforce_qos = qos;
  });
  return b;
}
Association of_user(Text account, Text user, std::vector<Text> qos = {}, Text default_qos = {}) {
  return {.key = {.account = std::move(account), .user = std::move(user)},
          .parent = {},
          .default_qos = std::move(default_qos),
          .qos = std::move(qos)};
}
Association of_account(Text account, std::vector<Text> qos, Text default_qos = {}) {
  return of_user(std::move(account), {}, std::move(qos), std::move(default_qos));
}
// "account/qos", or the error.
std::string membership(ClusterBuilder& b, const JobRequest& spec, const Text& partition = "main") {
  auto s = membership_of(b.build(), spec, partition);
  return s ? s->account.str() + "/" + s->qos.str() : s.error().text();
}
constexpr std::string_view kBadQos = "Invalid qos specification";
constexpr std::string_view kBadAccount =
    "Invalid account or account/partition combination specified";

TEST(Membership, WithoutAssociationsIsWhatTheJobSays) {
  auto b = enforcing();
  EXPECT_EQ(membership(b, job()), "root/normal");
  EXPECT_EQ(membership(b, job().account("x").qos("high")), "x/high");
  EXPECT_EQ(membership(b, job().qos("nosuch")), kBadQos);
}

TEST(Membership, HasTheUsersDefaultAccount) {
  auto b = enforcing();
  Association second = of_user("b", "alice");
  second.is_default = true;
  b.account("a").account("b").association(of_user("a", "alice")).association(second);
  EXPECT_EQ(membership(b, job()), "b/normal");
  EXPECT_EQ(membership(b, job().account("a")), "a/normal");
  EXPECT_EQ(membership(b, job().account("nosuch")), kBadAccount);
  EXPECT_EQ(membership(b, job().user(kBob)), kBadAccount);
}

TEST(Membership, IsNotRefusedWhereAccountsAreNotEnforced) {
  auto b = enforcing();
  b.settings([](Settings& s) { s.enforce_associations = s.enforce_qos = false; });
  Association own = of_user("a", "alice", {"only"});
  own.is_default = true;
  b.account("a").association(own);
  EXPECT_EQ(membership(b, job().account("nosuch")), "a/only");
  EXPECT_EQ(membership(b, job().qos("high")), "a/high");
  EXPECT_EQ(membership(b, job().user(kBob).account("x")), "x/normal");
}

TEST(Membership, HasTheDefaultQosOfTheNearestAssociation) {
  auto b = enforcing();
  b.association(of_account("a", {"high", "low"}, "low"));
  b.association(of_user("a", "alice")).association(of_user("a", "bob", {}, "high"));
  EXPECT_EQ(membership(b, job().account("a")), "a/low");
  EXPECT_EQ(membership(b, job().account("a").user(kBob)), "a/high");
  EXPECT_EQ(membership(b, job().account("a").qos("high")), "a/high");
}

TEST(Membership, HasTheOnlyQosThatIsAllowed) {
  auto b = enforcing();
  b.account("a").association(of_user("a", "alice", {"only"}));
  EXPECT_EQ(membership(b, job().account("a")), "a/only");
  EXPECT_EQ(membership(b, job().account("a").qos("high")), kBadQos);
}

TEST(Membership, IsRefusedWithAQosThatTheAssociationMayNotUse) {
  auto b = enforcing();
  b.association(of_account("a", {"high", "low"})).association(of_user("a", "alice"));
  EXPECT_EQ(membership(b, job().account("a").qos("only")), kBadQos);
  EXPECT_EQ(membership(b, job().account("a").qos("normal")), kBadQos);
  EXPECT_EQ(membership(b, job().account("a")), kBadQos) << "normal is none of them";
  auto free = enforcing(false);
  free.association(of_account("a", {"high", "low"})).association(of_user("a", "alice"));
  EXPECT_EQ(membership(free, job().account("a").qos("only")), "a/only");
}

TEST(Membership, OfAPartitionComesBeforeThatOfTheAccount) {
  auto b = enforcing();
  Association there = of_user("a", "alice", {"high"});
  there.key.partition = "main";
  b.account("a").association(of_user("a", "alice", {"low"})).association(there);
  EXPECT_EQ(membership(b, job().account("a")), "a/high");
  EXPECT_EQ(membership(b, job().account("a"), "other"), "a/low");
}

// A core gets its associations from the journal of an earlier run.
World world_with(ClusterBuilder& b) {
  StoredState stored{
      .snapshot_number = 0, .snapshot = {}, .journal = {{.number = 1, .events = {}}}};
  for (const Event& event : b.events())
    stored.journal.front().events.push_back(encode(EventEntry{event}));
  return World{b.config(), std::move(stored)};
}

TEST(Membership, CountsAtSubmissionAndForAnUpdate) {
  auto b = enforcing();
  Association own = of_user("a", "alice", {"high", "low"}, "low");
  own.is_default = true;
  b.account("a").account("b").association(own).association(of_user("b", "alice"));
  World w = world_with(b);
  auto id = w.submit(job().memory(10).hold());
  EXPECT_EQ(w.job(id).account, "a");
  EXPECT_EQ(w.job(id).qos, "low");
  EXPECT_EQ(std::get<Error>(w.try_submit(job().qos("only"))).code, ErrorCode::invalid_qos);
  EXPECT_EQ(w.update(id, "QOS", "only"), ErrorCode::invalid_qos);
  EXPECT_EQ(w.update(id, "QOS", "high"), ErrorCode{});
  EXPECT_EQ(w.update(id, "QOS", "only", kRoot), ErrorCode{}) << "an operator may";
  EXPECT_EQ(w.update(id, "Account", "nosuch"), ErrorCode::invalid_account);
  EXPECT_EQ(w.update(id, "Account", "b"), ErrorCode{});
  EXPECT_EQ(w.job(id).account, "b");
}

}  // namespace
}  // namespace muster::controller::submit_test
