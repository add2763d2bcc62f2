#include "cli/sacctmgr/site_line.h"

#include <gtest/gtest.h>

#include "base/text/quoted_words.h"

namespace muster::cli {
namespace {

using wire::Entity;
using wire::SetHow;

std::expected<SiteLine, std::string> read(SiteCommand command, std::string_view text) {
  return read_site_line(command, quoted_words(text, Backslash::is_text), Time{});
}
SiteLine good(SiteCommand command, std::string_view text) {
  auto line = read(command, text);
  EXPECT_TRUE(line) << (line ? "" : line.error());
  return line.value_or(SiteLine{});
}
std::string fault(SiteCommand command, std::string_view text) {
  auto line = read(command, text);
  return line ? "" : line.error();
}

// "Account=phys Name=a,b" and "MaxJobs=3 QOS+=high"
std::string conditions(const SiteLine& line) {
  std::string text;
  for (const wire::Condition& row : line.request.where) {
    text.append(text.empty() ? "" : " ").append(row.key.view()).append("=");
    for (std::size_t i = 0; i < row.values.size(); ++i)
      text.append(i > 0 ? "," : "").append(row.values[i].view());
  }
  return text;
}
std::string settings(const SiteLine& line) {
  std::string text;
  for (const wire::Setting& row : line.request.settings)
    text.append(text.empty() ? "" : " ")
        .append(row.key.view())
        .append(row.how == SetHow::add      ? "+="
                : row.how == SetHow::remove ? "-="
                                            : "=")
        .append(row.value);
  return text;
}

constexpr SiteCommand show = SiteCommand::show, add = SiteCommand::add,
                      modify = SiteCommand::modify, remove = SiteCommand::remove;

TEST(SiteLine, TakesConditionsAndSettingsInEitherOrder) {
  for (const char* text : {"account where name=a set maxjobs=3", "account a set maxjobs=3",
                           "account set maxjobs=3 where acct=a", "acc a set maxj=3"}) {
    const SiteLine line = good(modify, text);
    EXPECT_EQ(conditions(line), "Name=a") << text;
    EXPECT_EQ(settings(line), "MaxJobs=3") << text;
  }
}

TEST(SiteLine, ReadsListsWithTheirOperators) {
  EXPECT_EQ(settings(good(modify, "account set qos+=high,low where account=a")), "QOS+=high,low");
  EXPECT_EQ(settings(good(modify, "user u set qoslevel-=high")), "QOS-=high");
  EXPECT_EQ(settings(good(modify, "qos q set flags=DenyOnLimit,NoDecay")),
            "Flags=DenyOnLimit,NoDecay");
}

TEST(SiteLine, JoinsConditionsByTheWordAnd) {
  EXPECT_EQ(conditions(good(remove, "user where name=u and account=a")), "Name=u Account=a");
}

TEST(SiteLine, KeepsWhatIsInQuotesTogether) {
  const SiteLine line = good(add, "account a Description=\"two words\" Organization='o,p'");
  EXPECT_EQ(conditions(line), "Name=a");
  EXPECT_EQ(settings(line), "Description=two words Organization=o,p");
}

TEST(SiteLine, KnowsPlacesAndSettingsOfWhatIsAdded) {
  const SiteLine line =
      good(add, "user u account=a,b Partitions=p1,p2 QosLevel=q1 DefaultQOS=q Share=parent");
  EXPECT_EQ(conditions(line), "Name=u Account=a,b Partition=p1,p2");
  EXPECT_EQ(settings(line), "QOS=q1 DefaultQOS=q Fairshare=parent");
  EXPECT_EQ(conditions(good(add, "qos q set flags=DenyOnLimit")), "Name=q");
  EXPECT_EQ(settings(good(add, "user u account=a DefaultAccount=a adminlevel=op")),
            "DefaultAccount=a AdminLevel=Operator");
}

TEST(SiteLine, TurnsOlderKeysIntoAmounts) {
  const SiteLine line = good(modify, "user u set grpcpus=4 grpmem=100 maxnodes=2 grpcpumins=9");
  EXPECT_EQ(settings(line), "GrpTRES=cpu=4 GrpTRES=mem=100 MaxTRESPerJob=node=2 GrpTRESMins=cpu=9");
  EXPECT_EQ(*line.shown_value("GrpTRES"), "cpu=4,mem=100M");
}

TEST(SiteLine, NormalizesValuesForPeople) {
  const SiteLine line =
      good(add, "user u account=a maxwall=1-0 grptres=node=2,mem=65536 maxjobs=-1");
  EXPECT_EQ(*line.shown_value("MaxWallDurationPerJob"), "1-00:00:00");
  EXPECT_EQ(*line.shown_value("GrpTRES"), "mem=64G,node=2");
  EXPECT_EQ(*line.shown_value("MaxJobs"), "NONE");
  EXPECT_EQ(*good(modify, "qos q set usagefactor=0.5").shown_value("UsageFactor"), "0.5000");
  EXPECT_EQ(*good(modify, "user u set qos+=a,b").shown_value("QOS"), "+a,+b");
}

TEST(SiteLine, ReadsWhatIsShownAndHow) {
  const SiteLine line = good(show, "assoc tree withd where user=u format=account%20 form=share");
  EXPECT_EQ(line.request.entity, Entity::association);
  EXPECT_EQ(conditions(line), "User=u");
  EXPECT_EQ(line.format, "account%20,share");
  EXPECT_TRUE(line.has(ShowFlag::tree));
  EXPECT_TRUE(line.request.with_deleted);
  EXPECT_TRUE(good(show, "user u withassoc withcoord").request.with_associations);
  EXPECT_EQ(conditions(good(show, "account a b,c")), "Name=a,b,c");
}

TEST(SiteLine, KeepsAnEmptyValueAsOne) {
  EXPECT_EQ(conditions(good(show, "assoc where user=")), "User=");
}

TEST(SiteLine, KnowsHowShortAnEntityMayBe) {
  EXPECT_TRUE(read(show, "us u"));
  EXPECT_TRUE(read(show, "assoc"));
  EXPECT_FALSE(read(show, "a"));
  EXPECT_FALSE(read(modify, "clus c set maxjobs=1"));
  EXPECT_FALSE(read(show, "coordinator"));
  EXPECT_FALSE(read(show, ""));
}

TEST(SiteLine, SaysWhichWordItDoesNotKnow) {
  EXPECT_EQ(fault(add, "account a bogus=1"),
            " Unknown option: bogus=1\n Use keyword 'where' to modify condition\n");
  EXPECT_EQ(fault(add, "user u account=a bogus=1"), " Unknown option: bogus=1\n");
  EXPECT_EQ(fault(modify, "user u where bogus=1 set maxjobs=1"),
            " Unknown condition: bogus=1\n Use keyword 'set' to modify value\n");
  EXPECT_EQ(fault(show, "assoc bogus=1"), " Unknown condition: bogus=1\n");
}

TEST(SiteLine, RefusesValuesThatAreNone) {
  EXPECT_EQ(fault(add, "user u account=a maxjobs=abc"),
            "sacctmgr: error: Invalid value for MaxJobs (abc)\n Unknown option: maxjobs=abc\n");
  EXPECT_EQ(fault(add, "user u account=a maxwall=1:2:3:4"),
            " Bad MaxWall time format: maxwall=1:2:3:4\n Unknown option: maxwall=1:2:3:4\n");
  for (const char* bad : {"maxjobs=1,2", "maxjobs=99999999999", "grptres=cpu",
                          "maxtres=", "adminlevel=king", "fairshare=-7"})
    EXPECT_NE(fault(modify, std::string("user u set ") + bad), "") << bad;
}

}  // namespace
}  // namespace muster::cli
