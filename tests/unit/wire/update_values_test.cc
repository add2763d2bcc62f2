// What values of scontrol update mean, to the command and to the controller.
#include "wire/update_values.h"

#include <gtest/gtest.h>

#include "base/text/duration.h"

namespace muster::wire {
namespace {

Minutes after(std::string_view change, Minutes limit) {
  return parse_time_limit_change(change).value().applied_to(limit);
}

TEST(UpdateValue, ATimeLimitIsSetOrChanged) {
  EXPECT_EQ(after("10", Minutes{5}), Minutes{10});
  EXPECT_EQ(after("+10", Minutes{5}), Minutes{15});
  EXPECT_EQ(after("-10", Minutes{15}), Minutes{5});
  EXPECT_LT(after("-10", Minutes{5}), Minutes{0});
  EXPECT_EQ(after("UNLIMITED", Minutes{5}), kUnlimited);
  EXPECT_EQ(after("+10", kUnlimited), kUnlimited);
  EXPECT_EQ(after("-10", kUnlimited), kUnlimited);
  for (const char* text : {"", "+", "x", "+x", "1:2:3:4:5"})
    EXPECT_FALSE(parse_time_limit_change(text)) << text;
}

TEST(UpdateValue, ACountMayHaveNoLimit) {
  EXPECT_EQ(parse_count_limit("4")->most, 4u);
  EXPECT_EQ(parse_count_limit("unlimited")->most, std::nullopt);
  EXPECT_EQ(parse_count_limit("INFINITE")->most, std::nullopt);
  for (const char* text : {"", "-1", "4x"}) EXPECT_FALSE(parse_count_limit(text)) << text;
}

TEST(UpdateValue, ARangeHasTwoEndsOrOne) {
  EXPECT_EQ(parse_count_range("2")->least, 2u);
  EXPECT_EQ(parse_count_range("2")->most, std::nullopt);
  EXPECT_EQ(parse_count_range("2-4")->most, 4u);
  for (const char* text : {"", "-4", "2-", "2-x", "2-3-4"})
    EXPECT_FALSE(parse_count_range(text)) << text;
}

TEST(UpdateValue, StatesOfPartitionsMayBeAbbreviated) {
  EXPECT_EQ(parse_partition_state("UP"), PartitionState::up);
  EXPECT_EQ(parse_partition_state("do"), PartitionState::down);
  EXPECT_EQ(parse_partition_state("Drain"), PartitionState::drain);
  EXPECT_EQ(parse_partition_state("inact"), PartitionState::inactive);
  for (const char* text : {"", "d", "up!", "idle"})
    EXPECT_FALSE(parse_partition_state(text)) << text;
}

TEST(UpdateValue, AFlagIsYesOrNoInFull) {
  EXPECT_EQ(parse_flag("yes"), true);
  EXPECT_EQ(parse_flag("NO"), false);
  for (const char* text : {"", "y", "1"}) EXPECT_FALSE(parse_flag(text)) << text;
}

TEST(UpdateValue, ASiteFactorHasBounds) {
  EXPECT_EQ(parse_site_factor("-5"), -5);
  EXPECT_EQ(parse_site_factor("2147483645"), kMostSiteFactor);
  EXPECT_EQ(parse_site_factor("2147483646"), std::nullopt);
  EXPECT_EQ(parse_site_factor("-2147483646"), std::nullopt);
  EXPECT_EQ(parse_site_factor("x"), std::nullopt);
}

TEST(UpdateValue, CountsOfAReservationMayBeThousands) {
  EXPECT_EQ(parse_reservation_counts("2,3k"), (std::vector<std::uint32_t>{2, 3072}));
  for (const char* text : {"", "2,", "k", "1000001k", "-1"})
    EXPECT_FALSE(parse_reservation_counts(text)) << text;
}

TEST(UpdateValue, FlagsOfAReservationHaveSignsAndTimes) {
  const auto flags = parse_reservation_flags("+daily, -PURGE_COMP=5,MAINT").value();
  ASSERT_EQ(flags.size(), 3u);
  EXPECT_EQ(flags[0].sign, '+');
  EXPECT_EQ(flags[0].flag, "DAILY");
  EXPECT_EQ(flags[1].sign, '-');
  EXPECT_EQ(flags[1].flag, "PURGE_COMP");
  EXPECT_EQ(flags[1].span, Minutes{5});
  EXPECT_EQ(flags[2].sign, 0);
  EXPECT_EQ(flags[2].span, std::nullopt);
  EXPECT_TRUE(parse_reservation_flags("")->empty());
  for (const char* text : {"BOGUS", "DAILY,BOGUS", "PURGE_COMP=x"})
    EXPECT_FALSE(parse_reservation_flags(text)) << text;
}

}  // namespace
}  // namespace muster::wire
