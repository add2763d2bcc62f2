// Accounts and their tree.
#include "accounts/site_world.h"

namespace muster::accounts::test {
namespace {

TEST(Accounts, ASiteBeginsWithRootAndNormal) {
  SiteWorld w;
  EXPECT_TRUE(find_account(w.site(), "root"));
  EXPECT_EQ(find_user(w.site(), "root")->admin_level, AdminLevel::administers);
  EXPECT_EQ(find_qos(w.site(), "normal")->id, 1u);
  EXPECT_EQ(w.association("root")->qos, std::vector<Text>{"normal"});
  EXPECT_EQ(w.default_account("root"), "root");
}

TEST(Accounts, AnAccountHangsOnItsParent) {
  SiteWorld w;
  w.must(add(Entity::account, "Physics"));
  w.must(add(Entity::account, "lab").set("Parent", "physics").set("Description", "the lab"));
  EXPECT_EQ(w.association("lab")->parent, "physics");
  EXPECT_EQ(find_account(w.site(), "lab")->description, "the lab");
  EXPECT_EQ(find_account(w.site(), "lab")->organization, "physics");
  EXPECT_EQ(find_account(w.site(), "physics")->organization, "physics");
}

TEST(Accounts, APreviewChangesNothingAndSaysWhatWouldBe) {
  SiteWorld w;
  Ask command = add(Entity::account, "a,b");
  command.request.dry_run = true;
  const Site before = w.site();
  auto reply = w.ask(command);
  EXPECT_EQ(w.site(), before);
  EXPECT_FALSE(reply.committed);
  ASSERT_EQ(reply.changes.size(), 4u);
  EXPECT_EQ(reply.changes[0].name, "a");
  EXPECT_EQ(reply.changes[1].association.account, "a");
  EXPECT_EQ(reply.changes[1].parent, "root");
}

TEST(Accounts, AConfirmationHoldsOnlyForWhatWasShown) {
  SiteWorld w;
  Ask command = add(Entity::account, "a");
  command.request.dry_run = true;
  command.request.expected_version = w.ask(command).version;
  command.request.dry_run = false;
  w.must(add(Entity::account, "other"));
  EXPECT_EQ(w.refusal(command), Problem::version_changed);
  command.request.expected_version = w.site().version;
  w.must(command);
}

TEST(Accounts, OneThatIsThereIsNotAddedAgain) {
  SiteWorld w;
  w.must(add(Entity::account, "a"));
  auto reply = w.ask(add(Entity::account, "a"));
  EXPECT_FALSE(reply.committed);
  EXPECT_TRUE(reply.changes.empty());
  ASSERT_EQ(reply.notes.size(), 1u);
  EXPECT_EQ(reply.notes[0].problem, Problem::exists);
}

TEST(Accounts, AParentThatIsNotThereIsRefused) {
  SiteWorld w;
  EXPECT_EQ(w.refusal(add(Entity::account, "a").set("Parent", "nobody")), Problem::unknown_account);
  EXPECT_EQ(w.refusal(add(Entity::account, "a").on("Cluster", "else")), Problem::unknown_cluster);
}

TEST(Accounts, AnAccountCannotComeBelowItself) {
  SiteWorld w;
  w.must(add(Entity::account, "a"));
  w.must(add(Entity::account, "b").set("Parent", "a"));
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("Parent", "b")), Problem::own_child);
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("Parent", "a")), Problem::own_child);
  w.must(modify(Entity::account, "b").set("Parent", "root"));
  w.must(modify(Entity::account, "a").set("Parent", "b"));
}

TEST(Accounts, LimitsAreSetAndTakenAwayOneResourceAtATime) {
  SiteWorld w;
  w.must(add(Entity::account, "a").set("GrpTRES", "cpu=8,gres/gpu=2").set("Fairshare", "7"));
  w.must(modify(Entity::account, "a").set("GrpTRES", "cpu=-1,node=3").set("MaxJobs", "5"));
  const Association& a = *w.association("a");
  EXPECT_EQ(a.limits.group.tres, (TresAmounts{{"gres/gpu", 2}, {"node", 3}}));
  EXPECT_EQ(a.limits.per_user.jobs, 5u);
  EXPECT_EQ(a.shares, 7u);
  w.must(modify(Entity::account, "a").set("GrpTRES", "").set("MaxJobs", "-1"));
  EXPECT_EQ(w.association("a")->limits, Limits{});
}

TEST(Accounts, NothingIsWrittenWhereTheValueIsTheSame) {
  SiteWorld w;
  w.must(add(Entity::account, "a").set("MaxJobs", "5"));
  auto reply = w.ask(modify(Entity::account, "a").set("MaxJobs", "5"));
  EXPECT_FALSE(reply.committed);
  EXPECT_EQ(reply.changes.size(), 1u);  // what was asked for is so
}

TEST(Accounts, BadWordsAndValuesAreRefused) {
  SiteWorld w;
  w.must(add(Entity::account, "a"));
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("Colour", "red")), Problem::unknown_key);
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").on("Colour", "x").set("MaxJobs", "1")),
            Problem::unknown_key);
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("MaxJobs", "many")), Problem::bad_value);
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("GrpTRES", "cpu")), Problem::bad_value);
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("QOS", "fast")), Problem::unknown_qos);
  EXPECT_EQ(w.refusal(modify(Entity::account, "a").set("RawUsage", "5")), Problem::bad_value);
  EXPECT_EQ(w.refusal(add(Entity::account, "a\nb")), Problem::bad_value);
  EXPECT_EQ(w.refusal(add(Entity::account, std::string(300, 'x'))), Problem::bad_value);
}

TEST(Accounts, RemovingOneRemovesWhatIsBelow) {
  SiteWorld w;
  w.must(add(Entity::account, "a"));
  w.must(add(Entity::account, "b").set("Parent", "a"));
  w.must(add_user("alice", "b"));
  w.must(remove(Entity::account, "a"));
  EXPECT_FALSE(w.association("b"));
  EXPECT_FALSE(find_account(w.site(), "b"));
  EXPECT_FALSE(find_user(w.site(), "alice"));
  EXPECT_TRUE(rows_of<wire::AccountShown>(w.ask(show(Entity::account))).size() == 1);
  Ask with_deleted = show(Entity::account);
  with_deleted.request.with_deleted = true;
  EXPECT_EQ(rows_of<wire::AccountShown>(w.ask(with_deleted)).size(), 3u);
}

TEST(Accounts, OneThatIsUsedByJobsStays) {
  SiteWorld w;
  w.must(add(Entity::account, "a"));
  w.must(add_user("alice", "a"));
  w.clusters.jobs[{"a", "alice", {}}] = JobId{12};
  auto reply = w.ask(remove(Entity::account, "a"));
  ASSERT_TRUE(reply.refusal);
  EXPECT_EQ(reply.refusal->problem, Problem::jobs_active);
  EXPECT_EQ(reply.refusal->detail, "12");
  EXPECT_TRUE(w.association("a", "alice"));
}

TEST(Accounts, RootStays) {
  SiteWorld w;
  EXPECT_EQ(w.refusal(remove(Entity::account, "root")), Problem::is_root);
  EXPECT_EQ(w.refusal(remove(Entity::user, "root")), Problem::is_root);
  EXPECT_EQ(w.refusal(remove(Entity::qos, "normal")), Problem::is_root);
  EXPECT_EQ(w.refusal(remove(Entity::cluster, "main")), Problem::in_use);
}

TEST(Accounts, WhoComesBackBeginsAnewWithTheOldNumber) {
  SiteWorld w;
  w.must(add(Entity::account, "a").set("MaxJobs", "5"));
  const auto id = find_association(w.site(), "main", {"a", {}, {}})->id;
  w.must(remove(Entity::account, "a"));
  w.must(add(Entity::account, "a"));
  EXPECT_EQ(find_association(w.site(), "main", {"a", {}, {}})->id, id);
  EXPECT_EQ(w.association("a")->limits, Limits{});
}

TEST(Accounts, TheyCannotBeNestedWithoutEnd) {
  SiteWorld w;
  std::string above = "root";
  bool refused = false;
  for (int i = 0; i < 100 && !refused; ++i) {
    const std::string name = "a" + std::to_string(i);
    refused = w.refusal(add(Entity::account, name).set("Parent", above)) == Problem::too_many;
    above = name;
  }
  EXPECT_TRUE(refused);
}

TEST(Accounts, UsageIsForgottenOnRequest) {
  SiteWorld w;
  w.must(add(Entity::account, "a"));
  w.must(add_user("alice", "a"));
  w.must(modify(Entity::account, "a").set("RawUsage", "0"));
  ASSERT_EQ(w.last_news.resets.size(), 2u);
  EXPECT_EQ(w.last_news.resets[1].owner.association.user, "alice");
}

TEST(Accounts, ACommandThatTheStoreLosesDidNotHappen) {
  SiteWorld w;
  const Site before = w.site();
  w.store.fails = true;
  EXPECT_EQ(w.refusal(add(Entity::account, "a")), Problem::failed);
  EXPECT_EQ(w.site(), before);
  w.store.fails = false;
  w.must(add(Entity::account, "a"));
}

TEST(Accounts, EachClusterHasATreeOfItsOwn) {
  SiteWorld w;
  w.must(add(Entity::cluster, "West").set("GrpJobs", "9"));
  w.must(add(Entity::account, "a").on("Cluster", "west"));
  EXPECT_FALSE(w.association("a"));
  EXPECT_TRUE(w.association("a", {}, {}, "west"));
  EXPECT_EQ(w.association("root", {}, {}, "west")->limits.group.jobs, 9u);
  w.must(remove(Entity::cluster, "west"));
  EXPECT_FALSE(w.association("a", {}, {}, "west"));
}

}  // namespace
}  // namespace muster::accounts::test
