#include "io/blob_cache.h"

#include <gtest/gtest.h>

namespace muster::io {
namespace {

TEST(BlobCache, FindsWhatItWasGiven) {
  BlobCache cache(100);
  EXPECT_FALSE(cache.find("a"));
  cache.put("a", "text");
  cache.put("a", "text");
  EXPECT_EQ(cache.find("a"), "text");
}

TEST(BlobCache, ForgetsWhatWasUsedLongestAgo) {
  BlobCache cache(10);
  cache.put("a", "aaaa");
  cache.put("b", "bbbb");
  EXPECT_TRUE(cache.find("a"));
  cache.put("c", "cccc");
  EXPECT_TRUE(cache.find("a") && cache.find("c"));
  EXPECT_FALSE(cache.find("b"));
  cache.put("b", "bbbb");
  EXPECT_EQ(cache.find("b"), "bbbb");
}

TEST(BlobCache, LeavesOutWhatIsLargerThanIt) {
  BlobCache cache(3);
  cache.put("a", "a");
  cache.put("large", "large");
  EXPECT_FALSE(cache.find("large"));
  EXPECT_TRUE(cache.find("a"));
}

TEST(BlobCache, TellsTheHashOfWhatItKnowsAndOfWhatItDoesNot) {
  BlobCache cache(10);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(cache.put("abc"), content_hash("abc"));
    EXPECT_EQ(cache.put("larger than it"), content_hash("larger than it"));
  }
  EXPECT_EQ(cache.find(content_hash("abc")), "abc");
  cache.put("0123456789");  // takes all the room
  EXPECT_FALSE(cache.find(content_hash("abc")));
  EXPECT_EQ(cache.put("abc"), content_hash("abc"));
}

}  // namespace
}  // namespace muster::io
