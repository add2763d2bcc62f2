// Slurm's spellings of amounts of memory and counts.
#include "base/text/size.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(Size, ReadsAmountsInMebibytes) {
  EXPECT_EQ(parse_mib("100"), 100u);
  EXPECT_EQ(parse_mib("0"), 0u);
  EXPECT_EQ(parse_mib("512K"), 1u);
  EXPECT_EQ(parse_mib("1025k"), 2u);
  EXPECT_EQ(parse_mib("4G"), 4096u);
  EXPECT_EQ(parse_mib("1.5T"), 1572864u);
  EXPECT_EQ(parse_mib("1GB"), 1024u);
  EXPECT_EQ(parse_mib("1GiB"), 1024u);
  EXPECT_EQ(parse_mib("512MB"), 512u);
}

TEST(Size, RefusesOtherTexts) {
  for (const char* bad :
       {"", "G", "-1", "1X", "1GX", ".5G", "1 G", "1e9", "1..5", "99999999999E", "nan"})
    EXPECT_FALSE(parse_mib(bad)) << bad;
}

TEST(Size, PrintsWholesAndHalvesOfTheNextUnit) {
  EXPECT_EQ(format_mib(100), "100M");
  EXPECT_EQ(format_mib(1000), "1000M");
  EXPECT_EQ(format_mib(1024), "1G");
  EXPECT_EQ(format_mib(1025), "1025M");
  EXPECT_EQ(format_mib(1280), "1280M");
  EXPECT_EQ(format_mib(1536), "1.50G");
  EXPECT_EQ(format_mib(15872), "15.50G");
  EXPECT_EQ(format_mib(16000), "16000M");
  EXPECT_EQ(format_mib(64000), "62.50G");
  EXPECT_EQ(format_mib(1048576), "1T");
  EXPECT_EQ(format_mib(1572864), "1.50T");
  EXPECT_EQ(format_mib(512), "512M");
  EXPECT_EQ(format_mib(0), "0M");
}

TEST(Size, PrintedAmountsReadBack) {
  for (std::uint64_t mib = 0; mib < 20000; mib += 13) EXPECT_EQ(parse_mib(format_mib(mib)), mib);
}

TEST(Count, TakesSuffixesButNoFractions) {
  EXPECT_EQ(parse_count("4"), 4u);
  EXPECT_EQ(parse_count("2K"), 2048u);
  EXPECT_EQ(parse_count("1m"), 1048576u);
  for (const char* bad : {"", "1.5K", "x", "-2", "2Q"}) EXPECT_FALSE(parse_count(bad)) << bad;
}

}  // namespace
}  // namespace muster
