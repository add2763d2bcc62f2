// Who may attach to a step, how many nodes may be below it, and what a grant to write files allows.
#include "node/attach_rights.h"

#include <gtest/gtest.h>

#include "node/user_quota.h"

namespace muster {
namespace {

constexpr Uid kAlice{1000}, kBob{1001}, kSlurm{64030};

TEST(MayAttach, TheUserOfTheStepRootAndSlurmUserMay) {
  EXPECT_TRUE(may_attach(kAlice, kAlice, kSlurm));
  EXPECT_TRUE(may_attach(Uid{0}, kAlice, kSlurm));
  EXPECT_TRUE(may_attach(kSlurm, kAlice, kSlurm));
  EXPECT_FALSE(may_attach(kBob, kAlice, kSlurm));
}

TEST(Below, AStepHasFewerOtherNodesThanTasks) {
  wire::Below below;
  EXPECT_TRUE(check_below(below, 0));
  below.branches.resize(3);
  EXPECT_TRUE(check_below(below, 4));
  EXPECT_FALSE(check_below(below, 3));
}

struct Grant : testing::Test {
  Time now{Seconds{1'000'000}};
  wire::FileGrant grant{.job = JobId{7},
                        .uid = kAlice,
                        .gid = Gid{100},
                        .nodes = "n[1-3,10]",
                        .expires = now + Seconds{300},
                        .owner = kAlice,
                        .owner_group = Gid{100}};
};

TEST_F(Grant, IsForOneUserSomeNodesAndAWhile) {
  EXPECT_TRUE(check_grant(grant, kAlice, "n10", now));
  EXPECT_FALSE(check_grant(grant, kBob, "n10", now));
  EXPECT_FALSE(check_grant(grant, kAlice, "n4", now));
  EXPECT_FALSE(check_grant(grant, kAlice, "n1", now + Seconds{300}));
}

TEST_F(Grant, WithoutNodesIsForNone) {
  grant.nodes = {};
  EXPECT_FALSE(check_grant(grant, kAlice, "n1", now));
  EXPECT_FALSE(check_grant(grant, kAlice, "", now));
}

TEST(UserQuota, OneUserLeavesRoomForOthers) {
  UserQuota quota({.count_of_user = 2, .bytes_of_user = 100, .count_of_all = 3});
  EXPECT_TRUE(quota.take(kAlice, 10));
  EXPECT_TRUE(quota.take(kAlice, 10));
  EXPECT_FALSE(quota.take(kAlice, 10)) << "more than she may have";
  EXPECT_TRUE(quota.take(kBob, 10));
  EXPECT_FALSE(quota.take(kSlurm, 10)) << "more than all may have";
  quota.give_back(kAlice, 10);
  EXPECT_TRUE(quota.take(kSlurm, 10));
}

TEST(UserQuota, BytesCountToo) {
  UserQuota quota({.count_of_user = 9, .bytes_of_user = 100, .count_of_all = 9});
  EXPECT_TRUE(quota.take(kAlice, 90));
  EXPECT_FALSE(quota.take(kAlice, 11));
  quota.give_back(kAlice, 90);
  EXPECT_TRUE(quota.take(kAlice, 100));
}

}  // namespace
}  // namespace muster
