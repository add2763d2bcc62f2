// Users, what they are in, and their keys.
#include "accounts/site_world.h"

namespace muster::accounts::test {
namespace {

struct Users : testing::Test {
  SiteWorld w;
  Users() { w.must(add(Entity::account, "a,b")); }
};

TEST_F(Users, TheFirstAccountIsTheDefaultOne) {
  w.must(add_user("alice", "a,b"));
  EXPECT_TRUE(w.association("b", "alice"));
  EXPECT_EQ(w.default_account("alice"), "a");
  w.must(add_user("bob", "a,b").set("DefaultAccount", "b"));
  EXPECT_EQ(w.default_account("bob"), "b");
  w.must(modify(Entity::user, "alice").set("DefaultAccount", "b"));
  EXPECT_EQ(w.default_account("alice"), "b");
}

TEST_F(Users, AFurtherAccountLeavesTheDefaultOne) {
  w.must(add_user("alice", "b"));
  w.must(add_user("alice", "a"));
  EXPECT_EQ(w.default_account("alice"), "b");
}

TEST_F(Users, ADefaultAccountAloneIsAnAccount) {
  w.must(add(Entity::user, "alice").set("DefaultAccount", "a"));
  EXPECT_EQ(w.default_account("alice"), "a");
}

TEST_F(Users, WithoutAnAccountNobodyIsAdded) {
  EXPECT_EQ(w.refusal(add(Entity::user, "alice")), Problem::missing);
}

TEST_F(Users, AnAccountThatIsNotThereIsNoted) {
  auto reply = w.ask(add_user("alice", "nobody"));
  EXPECT_FALSE(reply.committed);
  ASSERT_EQ(reply.notes.size(), 1u);
  EXPECT_EQ(reply.notes[0].problem, Problem::unknown_account);
  EXPECT_EQ(reply.notes[0].name, "nobody");
  w.must(add_user("alice", "nobody,a"));
  EXPECT_TRUE(w.association("a", "alice"));
}

TEST_F(Users, TheyMayBeInPartitionsOfAnAccount) {
  w.must(add_user("alice", "a").on("Partition", "gpu,cpu").set("MaxJobs", "3"));
  EXPECT_EQ(w.association("a", "alice", "gpu")->limits.per_user.jobs, 3u);
  EXPECT_FALSE(w.association("a", "alice"));
  w.must(modify(Entity::user, "alice").on("Partition", "gpu").set("MaxJobs", "4"));
  EXPECT_EQ(w.association("a", "alice", "gpu")->limits.per_user.jobs, 4u);
  EXPECT_EQ(w.association("a", "alice", "cpu")->limits.per_user.jobs, 3u);
}

TEST_F(Users, TheDefaultAccountIsTheLastToGo) {
  w.must(add_user("alice", "a,b"));
  EXPECT_EQ(w.refusal(remove(Entity::user, "alice").on("Account", "a")), Problem::default_account);
  w.must(remove(Entity::user, "alice").on("Account", "b"));
  EXPECT_TRUE(find_user(w.site(), "alice"));
  w.must(remove(Entity::user, "alice").on("Account", "a"));
  EXPECT_FALSE(find_user(w.site(), "alice"));
}

TEST_F(Users, RemovingOneRemovesAllOfHer) {
  w.must(add_user("alice", "a,b").set("WCKey", "k1,k2"));
  w.must(add(Entity::coordinator, "alice").on("Account", "a"));
  w.must(remove(Entity::user, "alice"));
  EXPECT_FALSE(find_user(w.site(), "alice"));
  EXPECT_FALSE(w.association("a", "alice"));
  EXPECT_TRUE(find_account(w.site(), "a")->coordinators.empty());
  EXPECT_TRUE(rows_of<WckeyRow>(w.ask(show(Entity::wckey))).empty());
}

TEST_F(Users, OneWhoIsNotThereIsNotModified) {
  auto reply = w.ask(modify(Entity::user, "nobody").set("MaxJobs", "1"));
  EXPECT_TRUE(reply.changes.empty());
  ASSERT_EQ(reply.notes.size(), 1u);
  EXPECT_EQ(reply.notes[0].problem, Problem::unknown_user);
}

TEST_F(Users, QosListsGrowFromWhatIsInherited) {
  w.must(add(Entity::qos, "fast,slow"));
  w.must(add_user("alice", "a"));
  w.must(modify(Entity::user, "alice").set("QOS", "fast", wire::SetHow::add));
  EXPECT_EQ(w.association("a", "alice")->qos, (std::vector<Text>{"fast", "normal"}));
  w.must(modify(Entity::user, "alice").set("QOS", "normal", wire::SetHow::remove));
  EXPECT_EQ(w.association("a", "alice")->qos, std::vector<Text>{"fast"});
  w.must(modify(Entity::user, "alice").set("DefaultQOS", "fast"));
  EXPECT_EQ(w.refusal(modify(Entity::user, "alice").set("DefaultQOS", "slow")), Problem::bad_value);
}

TEST_F(Users, KeysComeAndGo) {
  w.must(add_user("alice", "a").set("WCKey", "k1,k2"));
  auto keys = rows_of<WckeyRow>(w.ask(show(Entity::wckey)));
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_TRUE(keys[0].is_default);
  w.must(modify(Entity::user, "alice").set("DefaultWCKey", "k2"));
  w.must(modify(Entity::user, "alice").set("WCKey", "k1", wire::SetHow::remove));
  keys = rows_of<WckeyRow>(w.ask(show(Entity::wckey)));
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].name, "k2");
  EXPECT_EQ(w.refusal(modify(Entity::user, "alice").set("DefaultWCKey", "k9")),
            Problem::unknown_wckey);
}

TEST_F(Users, TooManyAtOnceAreRefusedBeforeTheyAreMade) {
  std::string many = "p0";
  for (int i = 1; i < 9000; ++i) many += ",p" + std::to_string(i);
  Ask command = add_user("u1,u2,u3,u4,u5,u6,u7,u8,u9,u10,u11,u12", "a,b").on("Partition", many);
  EXPECT_EQ(w.refusal(command), Problem::too_many);
}

TEST_F(Users, TheControllersAreToldOfEachChangedRow) {
  w.must(add_user("alice", "a"));
  std::size_t associations = 0;
  for (const SiteRow& row : w.last_news.rows)
    associations += std::holds_alternative<AssociationRow>(row) ? 1 : 0;
  EXPECT_EQ(associations, 1u);
  EXPECT_EQ(w.last_news.rows.size(), 2u);
}

}  // namespace
}  // namespace muster::accounts::test
