// Fair share: the factor of each user from shares and usage.
#include "sched/priority/fair_share.h"

#include <gtest/gtest.h>

#include <cmath>

#include "builders.h"

namespace muster::sched {
namespace {

using namespace muster::test;

ClusterBuilder fair(const std::function<void(FairShareSettings&)>& change = {}) {
  ClusterBuilder b;
  b.nodes(1).settings([&](Settings& s) {
    s.priority.multifactor = true;
    s.priority.fair_share = 1000;
    if (change) change(s.priority.shares);
  });
  return b;
}

Share share_of(const Cluster& cluster, std::string_view account, std::string_view user = {}) {
  for (const Share& share : share_tree(cluster, t0))
    if (share.key.account == account && share.key.user == user) return share;
  ADD_FAILURE() << account << "/" << user;
  return {};
}
double factor(const Cluster& cluster, std::string_view account, std::string_view user) {
  return share_of(cluster, account, user).factor;
}

// The tree, shares and usage for which Slurm's results are known.
ClusterBuilder& grown(ClusterBuilder& b) {
  b.account("root").user("root", "root").account("top", {}, {}, 4);
  b.user("top", "carol", {}, 3).account("acc", "top", {}, 2);
  b.user("acc", "alice").user("acc", "root");
  b.used("root", "root", 19.9886).used("top", "carol", 9.9933).used("acc", "alice", 958.17);
  return b;
}

TEST(FairTree, RanksUsersByTheLevelsOnTheirWay) {
  auto b = fair();
  Cluster cluster = grown(b).build();
  EXPECT_DOUBLE_EQ(factor(cluster, "root", "root"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "top", "carol"), 0.75);
  EXPECT_DOUBLE_EQ(factor(cluster, "acc", "root"), 0.5);
  EXPECT_DOUBLE_EQ(factor(cluster, "acc", "alice"), 0.25);
  Share top = share_of(cluster, "top");
  EXPECT_DOUBLE_EQ(top.shares_norm, 0.8);
  EXPECT_NEAR(top.usage_effective, 0.9798, 1e-4);
  EXPECT_NEAR(top.level_fs, 0.8165, 1e-4);
  Share carol = share_of(cluster, "top", "carol");
  EXPECT_DOUBLE_EQ(carol.shares_norm, 0.6);
  EXPECT_NEAR(carol.usage_effective, 0.01032, 1e-5);
  EXPECT_NEAR(carol.level_fs, 58.12, 1e-1);
}

TEST(FairTree, GivesEqualUsersTheSameRank) {
  Cluster cluster = fair()
                        .account("a")
                        .account("b")
                        .user("a", "alice")
                        .user("a", "bob")
                        .user("b", "carol")
                        .used("a", "alice", 10)
                        .used("a", "bob", 10)
                        .used("b", "carol", 100)
                        .build();
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "alice"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "bob"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "b", "carol"), 1.0 / 3);
}

TEST(FairTree, MergesTheChildrenOfEqualAccounts) {
  Cluster cluster = fair()
                        .account("a")
                        .account("b")
                        .user("a", "alice")
                        .user("a", "anna")
                        .user("b", "bob")
                        .user("b", "bert")
                        .used("a", "alice", 90)
                        .used("a", "anna", 10)
                        .used("b", "bob", 60)
                        .used("b", "bert", 40)
                        .build();
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "anna"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "b", "bert"), 0.75);
  EXPECT_DOUBLE_EQ(factor(cluster, "b", "bob"), 0.5);
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "alice"), 0.25);
}

TEST(FairTree, RanksAUserBesideAnEqualAccountWithItsBest) {
  Cluster cluster = fair()
                        .user("root", "carol")
                        .account("a")
                        .user("a", "alice")
                        .user("a", "anna")
                        .used("root", "carol", 100)
                        .used("a", "alice", 90)
                        .used("a", "anna", 10)
                        .build();
  EXPECT_DOUBLE_EQ(factor(cluster, "root", "carol"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "anna"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "alice"), 1.0 / 3);
}

TEST(FairTree, SetsUsersOfAnAccountWithoutSharesBesideIt) {
  auto b = fair();
  b.association({.key = {.account = "a"}, .parent = {}, .shares_of_parent = true});
  b.user("a", "alice").user("root", "bob").used("a", "alice", 30).used("root", "bob", 10);
  Cluster cluster = b.build();
  EXPECT_DOUBLE_EQ(share_of(cluster, "a", "alice").shares_norm, 0.5);
  EXPECT_DOUBLE_EQ(factor(cluster, "root", "bob"), 1.0);
  EXPECT_DOUBLE_EQ(factor(cluster, "a", "alice"), 0.5);
}

TEST(FairTree, WithoutAssociationsAllUsersAreEqual) {
  auto cluster = fair()
                     .used({}, "alice", 100)
                     .used({}, "bob", 1)
                     .pending(job().user(Uid{7}))
                     .pending(job())
                     .build();
  FairShares shares(cluster, t0);
  EXPECT_DOUBLE_EQ(shares.factor_of(cluster, cluster.jobs.at(JobId{1})), 1.0);
  EXPECT_DOUBLE_EQ(shares.factor_of(cluster, cluster.jobs.at(JobId{2})), 1.0 / 3);
  EXPECT_DOUBLE_EQ(factor(cluster, "", "bob"), 2.0 / 3);
}

TEST(FairTree, GivesNoFactorToAUserWithoutAssociation) {
  auto cluster = fair().account("a").user("a", "bob").pending(job().account("a")).build();
  EXPECT_EQ(FairShares(cluster, t0).factor_of(cluster, cluster.jobs.at(JobId{1})), 0);
}

TEST(ClassicFairShare, FollowsTheFormula) {
  auto b = fair([](FairShareSettings& s) { s.fair_tree = false; });
  Cluster cluster = grown(b).build();
  EXPECT_NEAR(factor(cluster, "root", "root"), 0.932297, 1e-4);
  EXPECT_NEAR(factor(cluster, "top", "carol"), 0.425390, 1e-4);
  EXPECT_NEAR(factor(cluster, "acc", "alice"), 0.014854, 1e-4);
  EXPECT_NEAR(factor(cluster, "acc", "root"), 0.121344, 1e-4);
  EXPECT_NEAR(share_of(cluster, "top").factor, 0.427882, 1e-4);
  EXPECT_NEAR(share_of(cluster, "acc").usage_effective, 0.973704, 1e-4);
}

TEST(ClassicFairShare, SetsUsersOfAnAccountWithoutSharesBesideIt) {
  auto b = fair([](FairShareSettings& s) { s.fair_tree = false; });
  b.account("top", {}, {}, 3).account("other").account("mid", "top", {}, 2);
  b.user("root", "root").user("top", "mysql", {}, 4).user("kin", "alice", {}, 2);
  b.association({.key = {.account = "kin"}, .parent = "top", .shares_of_parent = true});
  Cluster cluster = b.build();
  EXPECT_DOUBLE_EQ(share_of(cluster, "top").shares_norm, 0.6);
  EXPECT_DOUBLE_EQ(share_of(cluster, "kin").shares_norm, 0.6);
  EXPECT_DOUBLE_EQ(share_of(cluster, "top", "mysql").shares_norm, 0.3);
  EXPECT_DOUBLE_EQ(share_of(cluster, "mid").shares_norm, 0.15);
  EXPECT_DOUBLE_EQ(share_of(cluster, "kin", "alice").shares_norm, 0.15);
}

// As Slurm shows it for the same tree and usage.
TEST(ClassicFairShare, LeavesUsageWithoutSharesOutOfWhatSiblingsHaveUsed) {
  auto b = fair([](FairShareSettings& s) {
    s.fair_tree = false;
    s.depth_oblivious = true;
  });
  b.account("top", {}, {}, 3).account("other").account("mid", "top", {}, 2);
  b.account("acc", "mid", {}, 5).account("acc2", "mid");
  b.association({.key = {.account = "kin"}, .parent = "top", .shares_of_parent = true});
  b.association(
      {.key = {.account = "kin", .user = "munge"}, .parent = {}, .shares_of_parent = true});
  b.user("root", "root").user("other", "postgres").user("top", "mysql", {}, 4);
  b.user("kin", "alice", {}, 2).user("acc", "alice").user("acc", "munge", {}, 3);
  b.user("acc2", "slurm");
  b.used("root", "root", 9).used("other", "postgres", 8).used("top", "mysql", 36);
  b.used("kin", "alice", 12).used("kin", "munge", 7).used("acc", "alice", 80);
  b.used("acc", "munge", 20).used("acc2", "slurm", 5);
  Cluster cluster = b.build();
  EXPECT_NEAR(factor(cluster, "top", "mysql"), 0.405206, 1e-6);
  EXPECT_NEAR(factor(cluster, "kin", "alice"), 0.433619, 1e-6);
  EXPECT_NEAR(factor(cluster, "kin", "munge"), 0.351942, 1e-6);
  EXPECT_NEAR(factor(cluster, "acc", "munge"), 0.040505, 1e-6);
  EXPECT_NEAR(factor(cluster, "acc2", "slurm"), 0.060954, 1e-6);
  EXPECT_NEAR(share_of(cluster, "mid").usage_effective, 0.620361, 1e-6);
}

TEST(ClassicFairShare, ForgivesMoreWithDampening) {
  auto with = [](std::uint32_t dampening) {
    auto b = fair([&](FairShareSettings& s) {
      s.fair_tree = false;
      s.dampening = dampening;
    });
    return factor(b.account("a").user("a", "alice").used("a", "alice", 10).build(), "a", "alice");
  };
  EXPECT_DOUBLE_EQ(with(1), 0.5);
  EXPECT_DOUBLE_EQ(with(2), std::exp2(-0.5));
}

TEST(ClassicFairShare, TakesDepthOutOfTheAccount) {
  auto b = fair([](FairShareSettings& s) {
    s.fair_tree = false;
    s.depth_oblivious = true;
  });
  Cluster cluster = grown(b).build();
  EXPECT_NEAR(factor(cluster, "root", "root"), 0.932297, 1e-4);
  EXPECT_NEAR(factor(cluster, "top", "carol"), 0.891876, 1e-4);
  EXPECT_DOUBLE_EQ(factor(cluster, "acc", "root"), 1.0);
}

}  // namespace
}  // namespace muster::sched
