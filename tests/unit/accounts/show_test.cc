// What is shown, and in which order.
#include "accounts/site_world.h"

namespace muster::accounts::test {
namespace {

std::string tree(const wire::AccountsReply& reply) {
  std::string text;
  for (const auto& one : rows_of<wire::AssociationShown>(reply)) {
    const AssociationKey& key = one.row.association.key;
    text += std::string(one.depth, ' ') + key.account.str() +
            (key.user.empty() ? "" : "/" + key.user.str()) + "\n";
  }
  return text;
}

struct Shows : testing::Test {
  SiteWorld w;
  Shows() {
    w.must(add(Entity::account, "b").set("MaxJobs", "4").set("GrpJobs", "9"));
    w.must(add(Entity::account, "a"));
    w.must(add(Entity::account, "c").set("Parent", "b"));
    w.must(add_user("zoe,amy", "b"));
    w.must(add_user("amy", "c"));
  }
};

TEST_F(Shows, AssociationsAreATreeWithUsersBeforeAccounts) {
  EXPECT_EQ(tree(w.ask(show(Entity::association))),
            "root\n root/root\n a\n b\n  b/amy\n  b/zoe\n  c\n   c/amy\n");
}

TEST_F(Shows, NumbersOfAnAccountEncloseWhatIsBelow) {
  const auto rows = rows_of<wire::AssociationShown>(w.ask(show(Entity::association)));
  EXPECT_EQ(rows.front().lft, 1u);
  EXPECT_EQ(rows.front().rgt, 16u);
  const auto& b = rows[3];
  for (std::size_t i = 4; i < 8; ++i) EXPECT_TRUE(rows[i].lft > b.lft && rows[i].rgt < b.rgt);
  EXPECT_EQ(rows[6].parent_id, b.row.id);
}

TEST_F(Shows, ConditionsPickRows) {
  EXPECT_EQ(tree(w.ask(show(Entity::association).on("User", "amy"))), "  b/amy\n   c/amy\n");
  EXPECT_EQ(tree(w.ask(show(Entity::association).on("Account", "B").on("User", ""))), " b\n");
  Ask below = show(Entity::association).on("Account", "b");
  below.request.with_sub_accounts = true;
  EXPECT_EQ(tree(w.ask(below)), " b\n  b/amy\n  b/zoe\n  c\n   c/amy\n");
  EXPECT_EQ(tree(w.ask(show(Entity::association).on("Parent", "b"))), "  c\n");
}

TEST_F(Shows, LimitsAreInheritedUnlessOnesOwnAreAskedFor) {
  Ask zoe = show(Entity::association).on("User", "zoe");
  auto shown = rows_of<wire::AssociationShown>(w.ask(zoe));
  EXPECT_EQ(shown[0].row.association.limits.per_user.jobs, 4u);
  EXPECT_FALSE(shown[0].row.association.limits.group.jobs);
  EXPECT_EQ(shown[0].row.association.qos, std::vector<Text>{"normal"});
  zoe.request.own_limits = true;
  shown = rows_of<wire::AssociationShown>(w.ask(zoe));
  EXPECT_FALSE(shown[0].row.association.limits.per_user.jobs);
}

TEST_F(Shows, UsersComeWithWhatTheyAreIn) {
  Ask users = show(Entity::user).on("Name", "amy");
  users.request.with_associations = true;
  auto rows = rows_of<wire::UserShown>(w.ask(users));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].associations.size(), 2u);
  EXPECT_EQ(rows[0].default_account, (std::vector<std::pair<Text, Text>>{{"main", "b"}}));
}

TEST_F(Shows, AccountsWithoutUsersAreAProblem) {
  const auto rows = rows_of<wire::ProblemShown>(w.ask(show(Entity::problem)));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].association.row.association.key.account, "a");
}

TEST_F(Shows, TransactionsSayWhoDidWhat) {
  Ask all = show(Entity::transaction).on("Action", "Add Users");
  auto rows = rows_of<TransactionRow>(w.ask(all));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].actor, "root");
  EXPECT_EQ(rows[0].where, "(name='zoe' or name='amy') and (account='b')");
  EXPECT_EQ(rows[0].users, (std::vector<Text>{"zoe", "amy"}));
  all.request.end = kNow - Seconds{1};
  EXPECT_TRUE(rows_of<TransactionRow>(w.ask(all)).empty());
}

}  // namespace
}  // namespace muster::accounts::test
