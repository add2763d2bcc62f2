// Users take turns on the threads of a FairPool, and one user may have only a part of them. Pools
// are declared last, so that their threads end before what they use.
#include "io/loop/fair_pool.h"

#include <atomic>
#include <latch>

#include "io/net_fixture.h"

namespace muster::io {
namespace {

constexpr Uid kAlice{1000}, kBob{1001};

TEST(FairPool, UsersTakeTurnsHoweverMuchOneOfThemAsks) {
  std::latch begun{1}, go{1};
  Mailbox<std::string> done;
  FairPool pool("test", {.threads = 1});
  ASSERT_TRUE(pool.run({.user = kAlice, .run = [&] {
                          begun.count_down();
                          go.wait();
                        }}));
  begun.wait();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(pool.run({.user = kAlice, .run = [&] { done.put("alice"); }}));
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(pool.run({.user = kBob, .run = [&] { done.put("bob"); }}));
  go.count_down();
  std::string order;
  for (int i = 0; i < 5; ++i) order += *done.take() + " ";
  EXPECT_EQ(order, "bob alice bob alice alice ");
}

TEST(FairPool, OneUsersLongWorkLeavesAThreadToTheOthers) {
  std::latch go{1};
  Mailbox<int> done;
  FairPool pool("test", {.threads = 2, .running_per_user = 1});
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(pool.run({.user = kAlice, .run = [&] {
                            go.wait();
                            done.put(1);
                          }}));
  ASSERT_TRUE(pool.run({.user = kBob, .run = [&] { done.put(2); }}));
  EXPECT_EQ(done.take(), 2);
  EXPECT_TRUE(pool.is_busy_for(kAlice));
  EXPECT_TRUE(eventually([&] { return !pool.is_busy_for(kBob); }));
  go.count_down();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(done.take(), 1);
}

TEST(FairPool, WhatOneUserHasWaitingIsLimited) {
  std::latch begun{1}, go{1};
  FairPool pool("test", {.threads = 1, .waiting_per_user = 3, .bytes_per_user = 1000});
  ASSERT_TRUE(pool.run({.user = kAlice, .run = [&] {
                          begun.count_down();
                          go.wait();
                        }}));
  begun.wait();
  EXPECT_TRUE(pool.run({.user = kAlice, .bytes = 600, .run = [] {}}));
  EXPECT_FALSE(pool.run({.user = kAlice, .bytes = 600, .run = [] {}}));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(pool.run({.user = kAlice, .run = [] {}}));
  EXPECT_FALSE(pool.run({.user = kAlice, .run = [] {}}));
  EXPECT_TRUE(pool.run({.user = kBob, .bytes = 5000, .run = [] {}})) << "one may be of any size";
  EXPECT_TRUE(pool.run({.user = kAlice, .is_operator = true, .run = [] {}}));
  go.count_down();
}

TEST(FairPool, WhoDoesNotReadHisAnswersGetsNoMore) {
  std::atomic<bool> reads{false};
  Mailbox<std::string> done;
  FairPool pool("test", {.threads = 1}, [&](Uid user) { return user != kAlice || reads; });
  ASSERT_TRUE(pool.run({.user = kAlice, .run = [&] { done.put("alice"); }}));
  ASSERT_TRUE(pool.run({.user = kBob, .run = [&] { done.put("bob"); }}));
  EXPECT_EQ(done.take(), "bob");
  reads = true;
  EXPECT_EQ(done.take(), "alice");
}

}  // namespace
}  // namespace muster::io
