// The token bucket of each user's requests.
#include "controller/rate_limit.h"

#include "controller/world.h"

namespace muster::controller::test {
namespace {

RateLimitSettings small() {
  return {.enabled = true,
          .bucket_size = 3,
          .refill_rate = 2,
          .refill_period = Seconds{1},
          .table_size = 2,
          .log_every = Seconds{10}};
}

TEST(RateLimit, IsOffUnlessItIsAskedFor) {
  RateLimit limit;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limit.take(kAlice, t0));
  EXPECT_EQ(limit.users(), 0u);
}

TEST(RateLimit, AnEmptyBucketSaysHowLongToWaitAndFillsAgain) {
  RateLimit limit;
  limit.set(small());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(limit.take(kAlice, t0)) << i;
  EXPECT_EQ(limit.take(kAlice, t0 + Millis{400}), Millis{600});
  EXPECT_FALSE(limit.take(kBob, t0)) << "another user's bucket";
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(limit.take(kAlice, t0 + Seconds{1})) << i;
  EXPECT_EQ(limit.take(kAlice, t0 + Seconds{1}), Millis{1000});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(limit.take(kAlice, t0 + Seconds{100})) << i;
  EXPECT_TRUE(limit.take(kAlice, t0 + Seconds{100})) << "no more than the bucket holds";
}

TEST(RateLimit, AClockThatIsSetBackLocksNobodyOut) {
  RateLimit limit;
  limit.set(small());
  for (int i = 0; i < 4; ++i) (void)limit.take(kAlice, t0);
  EXPECT_EQ(limit.take(kAlice, t0 - Seconds{3600}), Millis{1000});
  EXPECT_FALSE(limit.take(kAlice, t0 - Seconds{3599}));
}

TEST(RateLimit, UsersBeyondTheTableAreNotCountedUntilOthersAreForgotten) {
  RateLimit limit;
  limit.set(small());
  (void)limit.take(Uid{1}, t0);
  (void)limit.take(Uid{2}, t0);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limit.take(Uid{3}, t0));
  EXPECT_EQ(limit.users(), 2u);
  (void)limit.take(Uid{3}, t0 + Seconds{10});
  EXPECT_EQ(limit.users(), 1u) << "whose buckets are full need none";
}

TEST(RateLimit, NamesAUserInTheLogOnceInAWhile) {
  RateLimit limit;
  limit.set(small());
  for (int i = 0; i < 4; ++i) (void)limit.take(kAlice, t0);
  EXPECT_TRUE(limit.is_to_be_logged(kAlice, t0));
  EXPECT_FALSE(limit.is_to_be_logged(kAlice, t0 + Seconds{9}));
  EXPECT_TRUE(limit.is_to_be_logged(kAlice, t0 + Seconds{10}));
}

}  // namespace
}  // namespace muster::controller::test
