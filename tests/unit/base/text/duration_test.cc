// Slurm's spellings of time limits and durations.
#include "base/text/duration.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(TimeLimit, ReadsEverySpellingAndRoundsSecondsUp) {
  EXPECT_EQ(parse_time_limit("90"), Minutes{90});
  EXPECT_EQ(parse_time_limit("1:30"), Minutes{2});
  EXPECT_EQ(parse_time_limit("100:00"), Minutes{100});
  EXPECT_EQ(parse_time_limit("1:2:3"), Minutes{63});
  EXPECT_EQ(parse_time_limit("1-"), Minutes{1440});
  EXPECT_EQ(parse_time_limit("1-12"), Minutes{36 * 60});
  EXPECT_EQ(parse_time_limit("1-2:3"), Minutes{1440 + 123});
  EXPECT_EQ(parse_time_limit("1-2:3:4"), Minutes{1440 + 124});
  EXPECT_EQ(parse_time_limit("1-48"), Minutes{3 * 1440});
  EXPECT_EQ(parse_time_limit("0"), Minutes{0});
  for (const char* text : {"INFINITE", "unlimited", "-1"})
    EXPECT_EQ(parse_time_limit(text), kUnlimited);
}

TEST(TimeLimit, RefusesOtherTexts) {
  for (const char* bad : {"", "1:", ":1", "1:2:3:4", "1-2:3:4:5", "infinit", "1.5", " 5", "5 ",
                          "+5", "-5", "5m", "a", "1-x", "99999999999999999999"})
    EXPECT_FALSE(parse_time_limit(bad)) << bad;
}

TEST(Duration, IsExactToTheSecond) {
  EXPECT_EQ(parse_duration("1:30"), Seconds{90});
  EXPECT_EQ(parse_duration("1-0:0:1"), Seconds{86401});
  EXPECT_EQ(parse_duration("UNLIMITED"), Seconds::max());
}

TEST(Duration, PrintsAsSlurmDoes) {
  EXPECT_EQ(format_limit(Minutes{90}), "01:30:00");
  EXPECT_EQ(format_limit(Minutes{1440 + 123}), "1-02:03:00");
  EXPECT_EQ(format_limit(kUnlimited), "UNLIMITED");
  EXPECT_EQ(format_elapsed(Seconds{3661}), "01:01:01");
  EXPECT_EQ(format_elapsed(Seconds{-5}), "00:00:00");
  EXPECT_EQ(format_elapsed_short(Seconds{184}), "3:04");
  EXPECT_EQ(format_elapsed_short(Seconds{3723}), "1:02:03");
  EXPECT_EQ(format_elapsed_short(Seconds{2 * 86400}), "2-00:00:00");
}

TEST(Duration, PrintedLimitsReadBack) {
  for (int minutes = 0; minutes < 5000; minutes += 7)
    EXPECT_EQ(parse_time_limit(format_limit(Minutes{minutes})), Minutes{minutes});
}

}  // namespace
}  // namespace muster
