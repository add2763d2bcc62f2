// Time windows and states: -S, -E and -s with their defaults, as observed on Slurm.
#include <gtest/gtest.h>

#include "accounting/query.h"

#include "accounting/memory_store.h"
#include "accounting/scenario.h"

namespace muster::accounting {

namespace {

using Ids = std::vector<std::string>;

class Windows : public testing::Test {
 protected:
  Windows() { EXPECT_TRUE(store_.ingest(morning(), 1)); }
  Ids ask(const wire::AccountingRequest& request) { return ids(query(store_, request, kNow)); }
  Ids between(Time start, Time end) {
    auto request = allocations();
    request.start = start;
    request.end = end;
    return ask(request);
  }

  MemoryStore store_;
};

const Time kUnset{};

}  // namespace

TEST_F(Windows, ReachFromMidnightToNowByDefault) {
  auto request = allocations();
  request.start = kUnset;
  EXPECT_EQ(ask(request).size(), 10u);
  EXPECT_EQ(ids(query(store_, request, kNow + std::chrono::days(2))),
            (Ids{"22", "24", "96", "99_0"}));
}

TEST_F(Windows, HoldJobsThatWereEligibleBeforeTheEndAndNotOverBeforeTheStart) {
  EXPECT_EQ(between(at(50), at(50)), (Ids{"22", "24", "19_0", "19_1"}));
  EXPECT_EQ(between(at(54), at(57)), (Ids{"22", "24", "19_2", "19_3"}));
  EXPECT_EQ(between(at(52), at(53)), (Ids{"22", "24", "19_0", "19_1"}));
  EXPECT_EQ(between(at(40), at(47)), Ids{});
}

TEST_F(Windows, ReachFromTheEpochForJobsAskedForById) {
  auto request = of_jobs({ref(23)});
  EXPECT_EQ(ids(query(store_, request, kNow + std::chrono::days(9))), (Ids{"23"}));
  request.start = kNow;
  EXPECT_EQ(ask(request), Ids{});
  request.start = kUnset;
  request.end = at(48);
  EXPECT_EQ(ask(request), (Ids{"23"}));
}

TEST_F(Windows, AreNowForAStateAlone) {
  EXPECT_EQ(ask(in_state({"R"}, kUnset, kUnset)), (Ids{"22", "96", "99_0"}));
  EXPECT_EQ(ask(in_state({"PD"}, kUnset, kUnset)),
            Ids{});  // 24 is not eligible yet; 21 and 99 never were
  EXPECT_EQ(ids(query(store_, in_state({"PD"}, kUnset, kUnset), at(185))), (Ids{"24"}));
  EXPECT_EQ(ask(in_state({"F"}, kUnset, kUnset)), Ids{});
}

TEST_F(Windows, AreOneInstantForAStateAndAStart) {
  EXPECT_EQ(ask(in_state({"F"}, at(45), kUnset)), Ids{});
  auto request = of_jobs({ref(20), ref(23)});
  request.states = {"F"};
  request.allocations_only = true;
  EXPECT_EQ(ask(request), (Ids{"20", "23"}));
  request.start = at(45);
  EXPECT_EQ(ask(request), Ids{});
}

TEST_F(Windows, OfOneInstantHoldWhatBeganInThatSecond) {
  auto request = of_jobs({ref(22)});
  request.states = {"R"};
  request.allocations_only = true;
  request.start = at(47);
  EXPECT_EQ(ask(request), (Ids{"22"}));
  request.start = at(46);
  EXPECT_EQ(ask(request), Ids{});
}

TEST_F(Windows, HoldEndedStatesByTheirEnd) {
  EXPECT_EQ(ask(in_state({"failed"}, at(45), kNow)), (Ids{"20", "23"}));
  EXPECT_EQ(ask(in_state({"CD"}, at(50), at(51))), Ids{});
  EXPECT_EQ(ask(in_state({"CD", "F"}, at(51), at(56))), (Ids{"19_0", "19_1"}));
  EXPECT_EQ(ask(in_state({"CD"}, at(52), at(53))), (Ids{"19_0", "19_1"}));
  EXPECT_EQ(ask(in_state({"CD"}, at(51), at(52))), (Ids{"19_0", "19_1"}));
  EXPECT_EQ(ask(in_state({"CA"}, at(61), at(63))), (Ids{"28"}));
  EXPECT_EQ(ask(in_state({"RQ"}, at(45), kNow)), (Ids{"24"}));
}

TEST_F(Windows, HoldRunningJobsByTheirRun) {
  EXPECT_EQ(ask(in_state({"R"}, at(50), at(51))), (Ids{"22", "24", "19_0", "19_1"}));
  EXPECT_EQ(ask(in_state({"R"}, at(52), at(53))), (Ids{"22", "24"}));
  EXPECT_EQ(ask(in_state({"R"}, at(40), at(47))), Ids{});
}

TEST_F(Windows, HoldPendingJobsByTheirWait) {
  EXPECT_EQ(ask(in_state({"PD"}, at(45), kNow)),
            (Ids{"20", "22", "23", "24", "19_0", "19_1", "19_2", "19_3", "96", "99_0"}));
  EXPECT_EQ(ask(in_state({"PD"}, at(46), at(47))), Ids{});
  EXPECT_EQ(ask(in_state({"PD"}, at(48), at(50))), Ids{});
}

}  // namespace muster::accounting
