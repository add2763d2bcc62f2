#include "cli/sacctmgr/preview.h"

#include <gtest/gtest.h>

#include "base/text/quoted_words.h"

namespace muster::cli {
namespace {

using wire::AccountsChange;
using wire::AccountsVerb;
using wire::Entity;

std::string preview(SiteCommand command, std::string_view text,
                    std::vector<AccountsChange> changes) {
  const auto line = read_site_line(command, quoted_words(text, Backslash::is_text), Time{});
  wire::AccountsReply reply;
  reply.changes = std::move(changes);
  return preview_text(line.value(), reply);
}

AccountsChange named(AccountsVerb verb, Entity entity, const char* name) {
  AccountsChange change;
  change.verb = verb;
  change.entity = entity;
  change.name = name;
  return change;
}
AccountsChange association(AccountsVerb verb, const char* account, const char* user,
                           const char* partition = "", const char* parent = "") {
  AccountsChange change = named(verb, Entity::association, "");
  change.cluster = "c1";
  change.association = {account, user, partition};
  change.parent = parent;
  return change;
}

TEST(Preview, ShowsANewAccountWithItsSettings) {
  EXPECT_EQ(preview(SiteCommand::add, "account a fairshare=5 grpjobsaccrue=2",
                    {named(AccountsVerb::add, Entity::account, "a"),
                     association(AccountsVerb::add, "a", "")}),
            " Adding Account(s)\n  a\n"
            " Settings\n  Description     = Account Name\n"
            "  Organization    = Parent/Account Name\n"
            " Associations\n  A = a          C = c1        \n"
            " Settings\n  Fairshare     = 5\n  GrpJobsAccrue            = 2\n"
            "  Parent        = root\n");
}

TEST(Preview, ShowsANewUser) {
  EXPECT_EQ(preview(SiteCommand::add, "user u account=a partition=p adminlevel=admin maxwall=90",
                    {named(AccountsVerb::add, Entity::user, "u"),
                     association(AccountsVerb::add, "a", "u", "p")}),
            " Adding User(s)\n  u\n"
            " Settings =\n  Admin Level     = Administrator\n"
            " Associations =\n  U = u         A = a          C = c1         P = p         \n"
            " Non Default Settings\n  MaxWall       = 01:30:00\n");
}

TEST(Preview, ShowsOnlyTheAssociationOfAKnownUser) {
  EXPECT_EQ(preview(SiteCommand::add, "user averylongname account=a",
                    {association(AccountsVerb::add, "a", "averylongname")}),
            " Associations =\n  U = averylong A = a          C = c1        \n"
            " Non Default Settings\n");
}

TEST(Preview, ShowsWhatIsModified) {
  EXPECT_EQ(preview(SiteCommand::modify, "account a set maxjobs=1",
                    {association(AccountsVerb::modify, "a", "", "", "phys"),
                     association(AccountsVerb::modify, "a", "u", "p")}),
            " Modified account associations...\n"
            "  C = c1         A = a of phys\n"
            "  C = c1         A = a                    U = u         P = p\n");
  EXPECT_EQ(preview(SiteCommand::modify, "qos q set priority=1",
                    {named(AccountsVerb::modify, Entity::qos, "q")}),
            " Modified qos...\n  q\n");
}

TEST(Preview, ShowsUsersThatLoseTheirLastAssociation) {
  const std::vector<AccountsChange> changes{association(AccountsVerb::remove, "a", "u"),
                                            named(AccountsVerb::remove, Entity::user, "u")};
  EXPECT_EQ(preview(SiteCommand::remove, "user u account=a", changes),
            " Deleting user associations...\n  C = c1         A = a          U = u        \n"
            " Deleting users (No Associations)...\n  u\n");
  EXPECT_EQ(preview(SiteCommand::remove, "user u", changes), " Deleting users...\n  u\n");
}

TEST(Preview, IsEmptyWhereNothingChanges) {
  EXPECT_EQ(preview(SiteCommand::add, "account a", {}), "");
  EXPECT_EQ(nothing_text(SiteCommand::add), " Nothing new added.\n");
}

}  // namespace
}  // namespace muster::cli
