// The cache of scripts and environments.
#include "io/store/blob_cache.h"

#include <gtest/gtest.h>

namespace muster::io {
namespace {

// The size of two of these, including what a cache needs to find them.
const std::string kText(1000, 't');
constexpr std::size_t kTwo = 3000;

TEST(BlobCache, FindsBlobsThatWerePut) {
  BlobCache cache(kTwo);
  EXPECT_FALSE(cache.find("a"));
  cache.put("a", "text");
  cache.put("a", "text");
  EXPECT_EQ(cache.find("a"), "text");
}

TEST(BlobCache, DropsTheLeastRecentlyUsedBlob) {
  BlobCache cache(kTwo);
  cache.put("a", kText + "a");
  cache.put("b", kText + "b");
  EXPECT_TRUE(cache.find("a"));
  cache.put("c", kText + "c");
  EXPECT_TRUE(cache.find("a") && cache.find("c"));
  EXPECT_FALSE(cache.find("b"));
  cache.put("b", kText + "b");
  EXPECT_EQ(cache.find("b"), kText + "b");
}

TEST(BlobCache, CountsTheOverheadOfShortBlobs) {
  BlobCache cache(kTwo);
  for (char c = 'a'; c <= 'z'; ++c) cache.put(std::string(1, c), std::string(1, c));
  EXPECT_TRUE(cache.find("z"));
  EXPECT_FALSE(cache.find("a"));
}

TEST(BlobCache, DoesNotKeepBlobsLargerThanItself) {
  BlobCache cache(kTwo);
  cache.put("a", "a");
  cache.put("large", kText + kText + kText);
  EXPECT_FALSE(cache.find("large"));
  EXPECT_TRUE(cache.find("a"));
}

TEST(BlobCache, ReturnsTheHashOfKnownAndUnknownBlobs) {
  BlobCache cache(kTwo);
  const std::string larger = kText + kText + kText;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(cache.put("abc"), content_hash("abc"));
    EXPECT_EQ(cache.put(larger), content_hash(larger));
  }
  EXPECT_EQ(cache.find(content_hash("abc")), "abc");
  cache.put(kText + kText + std::string(500, 't'));  // leaves no room for another one
  EXPECT_FALSE(cache.find(content_hash("abc")));
  EXPECT_EQ(cache.put("abc"), content_hash("abc"));
}

}  // namespace
}  // namespace muster::io
