// LZ4 blocks are packed, unpacked and checked.
#include "io/lz4.h"

#include <gtest/gtest.h>

namespace muster::io {
namespace {

TEST(Lz4, WhatWasPackedComesOutTheSame) {
  const std::string text(100'000, 'x');
  auto packed = pack_lz4(text);
  ASSERT_TRUE(packed);
  EXPECT_LT(packed->size(), 1'000u);
  EXPECT_EQ(*unpack_lz4(*packed, text.size()), text);
}

TEST(Lz4, WhatWouldNotGetSmallerIsNotPacked) {
  EXPECT_FALSE(pack_lz4(""));
  EXPECT_FALSE(pack_lz4("abc"));
}

TEST(Lz4, DamagedBytesAndWrongSizesAreErrors) {
  const std::string text(1'000, 'x');
  auto packed = pack_lz4(text);
  ASSERT_TRUE(packed);
  EXPECT_FALSE(unpack_lz4(*packed, text.size() - 1));
  EXPECT_FALSE(unpack_lz4(*packed, text.size() + 1));
  EXPECT_FALSE(unpack_lz4("nonsense", 100));
}

}  // namespace
}  // namespace muster::io
