// Who may change and see what.
#include <fstream>

#include "accounts/site_world.h"

namespace muster::accounts::test {
namespace {

// Account top with sub below it; alice coordinates top, oscar operates, adam administers.
struct Rights : testing::Test {
  SiteWorld w;
  Rights() {
    w.must(add(Entity::account, "top,elsewhere"));
    w.must(add(Entity::account, "sub").set("Parent", "top"));
    w.must(add_user("alice,bob", "top"));
    w.must(add_user("carol", "elsewhere"));
    w.must(add_user("oscar", "elsewhere").set("AdminLevel", "Operator"));
    w.must(add_user("adam", "elsewhere").set("AdminLevel", "Administrator"));
    w.must(add(Entity::coordinator, "alice").on("Account", "top"));
    w.must(add(Entity::qos, "q"));
  }
  bool may(const Ask& command, const Text& user) {
    Ask trial = command;
    trial.request.dry_run = true;
    const auto reply = w.ask(trial, user);
    EXPECT_TRUE(!reply.refusal || reply.refusal->problem == Problem::denied)
        << SiteWorld::problem(reply);
    return !reply.refusal;
  }
};

TEST_F(Rights, EachChangeHasItsLine) {
  const std::map<std::pair<AccountsVerb, Entity>, Ask> examples = {
      {{AccountsVerb::add, Entity::cluster}, add(Entity::cluster, "c")},
      {{AccountsVerb::modify, Entity::cluster},
       modify(Entity::cluster, "main").set("GrpJobs", "1")},
      {{AccountsVerb::remove, Entity::cluster}, remove(Entity::cluster, "gone")},
      {{AccountsVerb::add, Entity::account}, add(Entity::account, "n").set("Parent", "sub")},
      {{AccountsVerb::modify, Entity::account}, modify(Entity::account, "sub").set("MaxJobs", "1")},
      {{AccountsVerb::remove, Entity::account}, remove(Entity::account, "sub")},
      {{AccountsVerb::add, Entity::user}, add_user("dora", "sub")},
      {{AccountsVerb::modify, Entity::user}, modify(Entity::user, "bob").set("MaxJobs", "1")},
      {{AccountsVerb::remove, Entity::user}, remove(Entity::user, "bob")},
      {{AccountsVerb::add, Entity::coordinator},
       add(Entity::coordinator, "bob").on("Account", "sub")},
      {{AccountsVerb::remove, Entity::coordinator},
       remove(Entity::coordinator, "alice").on("Account", "top")},
      {{AccountsVerb::add, Entity::qos}, add(Entity::qos, "new")},
      {{AccountsVerb::modify, Entity::qos}, modify(Entity::qos, "q").set("Priority", "1")},
      {{AccountsVerb::remove, Entity::qos}, remove(Entity::qos, "q")},
      {{AccountsVerb::add, Entity::resource}, add(Entity::resource, "r")},
      {{AccountsVerb::modify, Entity::resource}, modify(Entity::resource, "r").set("Count", "1")},
      {{AccountsVerb::remove, Entity::resource}, remove(Entity::resource, "r")},
  };
  for (const Right& right : rights()) {
    const Ask& example = examples.at({right.verb, right.entity});
    const auto name = std::to_string(static_cast<int>(right.verb)) + " " +
                      std::to_string(static_cast<int>(right.entity));
    EXPECT_FALSE(may(example, "bob") && right.need != Need::anyone) << name;
    EXPECT_FALSE(may(example, "")) << name;
    EXPECT_EQ(may(example, "alice"), right.need <= Need::coordinator) << name;
    EXPECT_EQ(may(example, "oscar"), right.need <= Need::operators) << name;
    EXPECT_TRUE(may(example, "adam")) << name;
  }
  EXPECT_EQ(rights().size(), examples.size());
}

// The rows below "| command | who".
std::vector<std::string> documented() {
  std::ifstream file(std::string(MUSTER_UNIT_TESTS) + "/../../docs/security.md");
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (inside && !line.starts_with("| ")) {
      if (!line.starts_with("|---")) break;
    } else if (inside) {
      rows.push_back(line);
    }
    inside = inside || line.starts_with("| command | who");
  }
  return rows;
}

TEST(RightsTable, IsTheOneInTheDocument) {
  constexpr std::string_view kVerbs[] = {"show", "add", "modify", "remove"};
  const std::map<Entity, std::string_view> names = {
      {Entity::cluster, "cluster"}, {Entity::account, "account"},
      {Entity::user, "user"},       {Entity::coordinator, "coordinator"},
      {Entity::qos, "qos"},         {Entity::resource, "resource"}};
  std::vector<std::string> rows;
  for (const Right& right : rights())
    rows.push_back("| " + std::string(kVerbs[static_cast<std::size_t>(right.verb)]) + " " +
                   std::string(names.at(right.entity)) + " | " +
                   std::string(need_name(right.need)) + " |");
  EXPECT_EQ(rows, documented());
}

TEST_F(Rights, ACoordinatorDecidesAboutWhatIsBelowTheAccount) {
  EXPECT_TRUE(may(add_user("dora", "top"), "alice"));
  EXPECT_TRUE(may(modify(Entity::user, "bob").on("Account", "top").set("MaxJobs", "1"), "alice"));
  EXPECT_FALSE(may(add_user("dora", "elsewhere"), "alice"));
  EXPECT_FALSE(may(modify(Entity::user, "carol").set("MaxJobs", "1"), "alice"));
  EXPECT_FALSE(may(remove(Entity::user, "carol"), "alice"));
  EXPECT_FALSE(may(modify(Entity::account, "top").set("MaxJobs", "1"), "alice"));
  EXPECT_FALSE(may(remove(Entity::account, "top"), "alice"));
  EXPECT_FALSE(may(modify(Entity::account, "sub").set("Parent", "elsewhere"), "alice"));
  EXPECT_FALSE(may(add(Entity::account, "n"), "alice"));
}

TEST_F(Rights, OnlyOperatorsNameOperatorsAndNobodyRisesAboveOneself) {
  EXPECT_FALSE(may(modify(Entity::user, "bob").set("AdminLevel", "Operator"), "alice"));
  EXPECT_TRUE(may(modify(Entity::user, "bob").set("AdminLevel", "Operator"), "oscar"));
  EXPECT_FALSE(may(modify(Entity::user, "oscar").set("AdminLevel", "Administrator"), "oscar"));
  EXPECT_TRUE(may(modify(Entity::user, "bob").set("AdminLevel", "Administrator"), "adam"));
  EXPECT_FALSE(may(modify(Entity::user, "adam").set("AdminLevel", "None"), "oscar"));
}

TEST_F(Rights, UsersChooseTheirOwnDefaultAccount) {
  w.must(add_user("bob", "elsewhere"));
  EXPECT_TRUE(may(modify(Entity::user, "bob").set("DefaultAccount", "elsewhere"), "bob"));
  EXPECT_FALSE(may(modify(Entity::user, "bob").set("DefaultAccount", "elsewhere"), "carol"));
  EXPECT_FALSE(may(modify(Entity::user, "bob").set("MaxJobs", "1"), "bob"));
  EXPECT_FALSE(may(modify(Entity::user, "bob").set("WCKey", "k"), "bob"));
}

TEST_F(Rights, PrivateDataHidesOthersFromUsers) {
  w.hidden.users = true;
  auto seen = [&](const Text& user) {
    std::vector<std::string> names;
    for (const auto& one : rows_of<wire::UserShown>(w.ask(show(Entity::user), user)))
      names.push_back(one.row.name.str());
    return join(names, ",");
  };
  EXPECT_EQ(seen("bob"), "bob");
  EXPECT_EQ(seen("alice"), "alice,bob");
  EXPECT_EQ(seen("oscar"), "adam,alice,bob,carol,oscar,root");
  w.hidden.accounts = true;
  auto accounts = rows_of<wire::AccountShown>(w.ask(show(Entity::account), "carol"));
  ASSERT_EQ(accounts.size(), 1u);
  EXPECT_EQ(accounts[0].row.name, "elsewhere");
}

}  // namespace
}  // namespace muster::accounts::test
