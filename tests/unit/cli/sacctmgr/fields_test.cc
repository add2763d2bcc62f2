#include "cli/sacctmgr/fields.h"

#include <gtest/gtest.h>

#include "cli/sacctmgr/tree_order.h"

namespace muster::cli {
namespace {

std::string table(std::string_view format, BarForm form, const ShownRow& row, bool tree = false) {
  const auto columns = read_site_columns(format, tree);
  if (!columns) return columns.error();
  std::string out;
  append_bar_header<SiteField>(*columns, {.form = form}, out);
  append_bar_line<SiteField>(*columns, {.form = form}, row, out);
  return out;
}

wire::AssociationShown shown(const char* account, const char* user, std::uint32_t id,
                             std::uint32_t parent) {
  wire::AssociationShown one;
  one.row.cluster = "c1";
  one.row.id = id;
  one.row.association.key = {account, user, {}};
  one.parent_id = parent;
  return one;
}

TEST(SiteFields, HaveWidthsAndMayBeCutShort) {
  const auto one = shown("physics", "ada", 3, 2);
  const ShownRow row{.association = &one};
  EXPECT_EQ(table("acc,us%-5,GrpSubmit,share%3", BarForm::table, row),
            "   Account User  GrpSubmit Sha \n---------- ----- --------- --- \n"
            "   physics ada               1 \n");
  EXPECT_EQ(table("account%4,user", BarForm::table, row),
            "Acco       User \n---- ---------- \n"
            "phy+        ada \n");
  EXPECT_EQ(table("account%4,user", BarForm::bars, row), "Account|User\nphysics|ada\n");
  EXPECT_EQ(table("account,user", BarForm::bars_ending, row), "Account|User|\nphysics|ada|\n");
  EXPECT_EQ(table("account%0", BarForm::table, row), "   Account \n---------- \n   physics \n");
}

TEST(SiteFields, NameTheFieldThatIsUnknown) {
  EXPECT_EQ(table("account,Bogus", BarForm::table, {}), "Unknown field 'bogus'\n");
  EXPECT_EQ(table("", BarForm::table, {}), "Unknown field ''\n");
}

TEST(SiteFields, ShowLimits) {
  auto one = shown("a", "", 2, 1);
  Association& a = one.row.association;
  a.shares_of_parent = true;
  a.limits.group.tres = {{"cpu", 4}, {"gres/gpu", 2}, {"mem", 65536}};
  a.limits.max_wall = Minutes{26 * 60};
  a.limits.per_user.jobs = 3;
  EXPECT_EQ(table("share,grptres,grpcpus,maxwall,maxjobs,parentname", BarForm::bars,
                  {.association = &one}),
            "Share|GrpTRES|GrpCPUs|MaxWall|MaxJobs|ParentName\n"
            "parent|cpu=4,gres/gpu=2,mem=64G|4|1-02:00:00|3|root\n");
}

TEST(SiteFields, IndentAccountsOfATree) {
  const auto one = shown("a", "", 2, 1);
  EXPECT_EQ(table("account", BarForm::table, {.association = &one, .indent = 2}, true),
            "Account              \n-------------------- \n  a                  \n");
}

TEST(TreeOrder, PutsUsersBeforeAccountsAndSortsByName) {
  const std::vector<wire::AssociationShown> all{
      shown("root", "", 1, 0),   shown("zoo", "", 2, 1), shown("zoo", "bob", 5, 2),
      shown("zoo", "ada", 6, 2), shown("art", "", 3, 1), shown("root", "root", 4, 1),
      shown("lost", "eve", 9, 8)};
  std::vector<const wire::AssociationShown*> pointers;
  for (const auto& one : all) pointers.push_back(&one);
  std::string order;
  for (const TreeNode& node : in_tree_order(pointers)) {
    const AssociationKey& key = node.association->row.association.key;
    order += std::to_string(node.depth) + key.account.str() + "/" + key.user.str() + " ";
  }
  EXPECT_EQ(order, "0lost/eve 0root/ 1root/root 1art/ 1zoo/ 2zoo/ada 2zoo/bob ");
}

TEST(TreeOrder, EndsWhereRowsNameEachOtherAsParents) {
  const std::vector<wire::AssociationShown> all{shown("a", "", 1, 2), shown("b", "", 2, 1)};
  EXPECT_LE(in_tree_order({&all[0], &all[1]}).size(), 2U);
}

}  // namespace
}  // namespace muster::cli
