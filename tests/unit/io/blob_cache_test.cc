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

}  // namespace
}  // namespace muster::io
