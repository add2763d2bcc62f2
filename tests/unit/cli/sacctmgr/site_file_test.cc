#include "cli/sacctmgr/site_file.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

constexpr std::string_view kText =
    "Cluster - 'c1':Fairshare=1:QOS='normal'\n"
    "Parent - 'root'\n"
    "Account - 'phys':Description='the "
    "physicists':Organization='o':Fairshare=5:GrpTRES=cpu=4,mem=10G\n"
    "Parent - 'phys'\n"
    "User - 'ada':Partition='p':AdminLevel='Operator':DefaultAccount='phys':Fairshare=parent"
    ":MaxWallDurationPerJob=1-02:00:00\n";

SiteFile parsed(std::string_view text) {
  auto file = parse_site_file(text);
  EXPECT_TRUE(file) << (file ? "" : file.error());
  return file.value_or(SiteFile{});
}

std::string texts(const std::vector<LoadStep>& steps) {
  std::string all;
  for (const LoadStep& step : steps) all += step.text;
  return all;
}

TEST(SiteFile, IsReadAsItWasWritten) {
  const SiteFile file = parsed(kText);
  EXPECT_EQ(file.cluster, "c1");
  ASSERT_EQ(file.entries.size(), 3U);
  EXPECT_EQ(file.entries[2].parent, "phys");
  EXPECT_EQ(file.entries[2].partition, "p");
  const SiteFile again = parsed(site_file_text(file));
  ASSERT_EQ(again.entries.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again.entries[i].name, file.entries[i].name);
    EXPECT_EQ(again.entries[i].settings, file.entries[i].settings);
  }
}

TEST(SiteFile, TakesTheFilesOfTheReference) {
  const SiteFile file = parsed(
      "# a comment\nCluster - tux:FairShare=1\nParent - root\n"
      "Account - cs:MaxTRESPerJob=node=5:MaxJobs=4:MaxWallDurationPerJob=40:Description='C S'\n"
      "Parent - cs\nUser - adam:Fairshare=2147483647:DefaultAccount='(null)':Coordinator='cs'\n");
  EXPECT_EQ(file.entries[1].settings.at("MaxWallDurationPerJob"), "00:40:00");
  EXPECT_EQ(file.entries[1].settings.at("Description"), "C S");
  EXPECT_EQ(file.entries[2].settings.at("Fairshare"), "parent");
  EXPECT_EQ(file.entries[2].settings.at("Coordinator"), "cs");
  EXPECT_FALSE(file.entries[2].settings.contains("DefaultAccount"));
}

TEST(SiteFile, SaysWhichLineIsWrong) {
  EXPECT_EQ(parse_site_file("Cluster - c\nParent - nosuch\n").error(),
            " error: line 2: parent nosuch has to be there before\n");
  EXPECT_EQ(parse_site_file("Cluster - c\nUser - u:bogus=1\n").error(),
            " error: line 2: unknown setting bogus\n");
  EXPECT_EQ(parse_site_file("Cluster - c:MaxJobs=x\n").error(),
            " error: line 1: bad value: MaxJobs=x\n");
  EXPECT_FALSE(parse_site_file(""));
  EXPECT_FALSE(parse_site_file("nonsense\n"));
}

TEST(Load, DoesNothingWhereNothingDiffers) {
  SiteFile now = parsed(kText);
  now.is_known = true;
  EXPECT_EQ(texts(load_steps(now, parsed(kText), true)), "");
}

TEST(Load, AddsAndChangesWhatDiffers) {
  SiteFile now = parsed(
      "Cluster - 'c1':Fairshare=1:QOS='normal'\nParent - 'root'\n"
      "Account - 'phys':Description='the physicists':Organization='o':Fairshare=2\n");
  now.is_known = true;
  const auto steps = load_steps(now, parsed(kText), false);
  EXPECT_EQ(texts(steps),
            " Changed Fairshare             for Account phys              2 -> 5\n"
            " Changed GrpTRES               for Account phys             -1 -> cpu=4,mem=10G\n"
            " Adding user    ada        to account phys\n");
  EXPECT_EQ(steps.back().request.verb, wire::AccountsVerb::add);
}

TEST(Load, RemovesWhatTheFileDoesNotHaveWhereItIsToBeClean) {
  SiteFile now = parsed(std::string(kText) + "User - 'bob':Fairshare=1\n");
  now.is_known = true;
  EXPECT_EQ(texts(load_steps(now, parsed(kText), false)), "");
  EXPECT_EQ(texts(load_steps(now, parsed(kText), true)),
            " Removing user    bob        from phys\n");
}

TEST(Load, TakesListsOfQosThatSayWhatDiffers) {
  SiteFile now = parsed("Cluster - c\n");
  now.is_known = true;
  const auto steps =
      load_steps(now, parsed("Cluster - c\nParent - root\nAccount - a:QOS='+high,-low'\n"), false);
  ASSERT_EQ(steps.size(), 1U);
  const auto& settings = steps[0].request.settings;
  ASSERT_EQ(settings.size(), 3U);  // the parent first
  EXPECT_EQ(settings[1].value, "high");
  EXPECT_EQ(settings[1].how, wire::SetHow::add);
  EXPECT_EQ(settings[2].value, "low");
  EXPECT_EQ(settings[2].how, wire::SetHow::remove);
}

TEST(Load, MakesTheClusterFirst) {
  const auto steps = load_steps(SiteFile{}, parsed(kText), false);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front().text, " Adding cluster c1\n");
}

}  // namespace
}  // namespace muster::cli
