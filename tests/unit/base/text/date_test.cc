// Slurm's spellings of dates.
#include "base/text/date.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace muster {
namespace {

class Date : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  // Monday, 2026-11-16, 01:33:57
  Time now = from_unix_seconds(1794792837);
  std::string parsed(std::string_view text, DateOptions options = {}) {
    auto t = parse_date(text, now, options);
    return t ? format_date(*t) : "refused";
  }
};

TEST_F(Date, NowIsTheClockOfTheTest) { EXPECT_EQ(parsed("now"), "2026-11-16T01:33:57"); }

TEST_F(Date, AddsAndSubtractsFromNow) {
  EXPECT_EQ(parsed("now+1hour"), "2026-11-16T02:33:57");
  EXPECT_EQ(parsed("now+5"), "2026-11-16T01:34:02");
  EXPECT_EQ(parsed("now+5minutes"), "2026-11-16T01:38:57");
  EXPECT_EQ(parsed("now + 2days"), "2026-11-18T01:33:57");
  EXPECT_EQ(parsed("NOW+1week"), "2026-11-23T01:33:57");
  EXPECT_EQ(parsed("now-5minutes"), "2026-11-16T01:28:57");
}

TEST_F(Date, ReadsWordsAndTimesOfDay) {
  EXPECT_EQ(parsed("today"), "2026-11-16T00:00:00");
  EXPECT_EQ(parsed("tomorrow"), "2026-11-17T00:00:00");
  EXPECT_EQ(parsed("midnight"), "2026-11-17T00:00:00");
  EXPECT_EQ(parsed("noon"), "2026-11-16T12:00:00");
  EXPECT_EQ(parsed("fika"), "2026-11-16T15:00:00");
  EXPECT_EQ(parsed("teatime"), "2026-11-16T16:00:00");
  EXPECT_EQ(parsed("16:00:30"), "2026-11-16T16:00:30");
  EXPECT_EQ(parsed("4:00 PM"), "2026-11-16T16:00:00");
  EXPECT_EQ(parsed("12:00am"), "2026-11-17T00:00:00");
  EXPECT_EQ(parsed("noon tomorrow"), "2026-11-17T12:00:00");
  EXPECT_EQ(parsed("tomorrow 16:00"), "2026-11-17T16:00:00");
}

TEST_F(Date, ATimeThatHasPassedMeansTomorrowUnlessLookingBack) {
  EXPECT_EQ(parsed("1:00"), "2026-11-17T01:00:00");
  EXPECT_EQ(parsed("1:00", {.past = true}), "2026-11-16T01:00:00");
  EXPECT_EQ(parsed("0101"), "2027-01-01T00:00:00");
  EXPECT_EQ(parsed("0101", {.past = true}), "2026-01-01T00:00:00");
}

TEST_F(Date, ReadsCalendarDates) {
  EXPECT_EQ(parsed("2030-01-20"), "2030-01-20T00:00:00");
  EXPECT_EQ(parsed("2030-01-20T12:34"), "2030-01-20T12:34:00");
  EXPECT_EQ(parsed("2030-01-20T12:34:56"), "2030-01-20T12:34:56");
  EXPECT_EQ(parsed("2030-01-20-16:00"), "2030-01-20T16:00:00");
  EXPECT_EQ(parsed("2030-01-20 16:00"), "2030-01-20T16:00:00");
  EXPECT_EQ(parsed("1220"), "2026-12-20T00:00:00");
  EXPECT_EQ(parsed("122030"), "2030-12-20T00:00:00");
  EXPECT_EQ(parsed("12/20"), "2026-12-20T00:00:00");
  EXPECT_EQ(parsed("12/20/30-16:00:01"), "2030-12-20T16:00:01");
  EXPECT_EQ(parsed("12.20.30"), "2030-12-20T00:00:00");
  EXPECT_EQ(parsed("1/2"), "2027-01-02T00:00:00");
  EXPECT_EQ(parsed("16:00 12/20"), "2026-12-20T16:00:00");
  EXPECT_EQ(parsed("uts1900000000"), "2030-03-17T17:46:40");
  EXPECT_EQ(parsed("2030-02-31"), "2030-03-03T00:00:00");
  EXPECT_EQ(parsed("2030-01-20T"), "2030-01-20T00:00:00");
}

TEST_F(Date, RefusesOtherTexts) {
  for (const char* bad :
       {"",           "now+",       "now+x",       "now+1month",    "now+1min",
        "now+1h",     "12am",       "16",          "25:00",         "13:00pm",
        "2030-13-01", "2030-1-2",   "16:00 16:00", "2030-01-20T12", "monday",
        "12202030",   "12/20/2030", "1900000000",  "uts",           "12/20 12/21"})
    EXPECT_EQ(parsed(bad), "refused") << bad;
}

TEST_F(Date, SaysWhereATextStopsBeingADate) {
  auto fault = [&](std::string_view text) { return date_fault(text, now); };
  EXPECT_EQ(fault("foo"), 0u);
  EXPECT_EQ(fault("now+"), 3u);
  EXPECT_EQ(fault("now+5x"), 4u);
  EXPECT_EQ(fault("25:00"), 0u);
  EXPECT_EQ(fault("12:61"), 3u);
  EXPECT_EQ(fault("12:00pmx"), 7u);
  EXPECT_EQ(fault("2020-13-01"), 5u);
  EXPECT_EQ(fault("13/01/26"), 0u);
  EXPECT_EQ(fault("10:00 foo"), 6u);
  EXPECT_EQ(fault("noonx"), 4u);
}

TEST_F(Date, PrintsUnsetAsUnknown) {
  EXPECT_EQ(format_date(Time{}), "Unknown");
  EXPECT_EQ(format_date(now, "%H:%M"), "01:33");
}

}  // namespace
}  // namespace muster
