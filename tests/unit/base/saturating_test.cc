// Arithmetic with numbers that do not fit.
#include "base/saturating.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

TEST(Saturating, WhatDoesNotFitBecomesTheLargestNumber) {
  EXPECT_EQ(saturating_multiply(1ull << 62, 4), kMost) << "which would wrap to 0";
  EXPECT_EQ(saturating_multiply(1ull << 31, 1ull << 32), 1ull << 63);
  EXPECT_EQ(saturating_multiply(0, kMost), 0u);
  EXPECT_EQ(saturating_add(kMost, 1), kMost);
  EXPECT_EQ(saturating_add(2, 3), 5u);
  EXPECT_EQ(saturated_32(1ull << 32), 0xffffffffu);
  EXPECT_EQ(saturated_32(7), 7u);
}

TEST(Saturating, DivisionRoundsUpWithoutAnAddition) {
  EXPECT_EQ(ceil_divide(kMost, 2), 1ull << 63);
  EXPECT_EQ(ceil_divide(7, 2), 4u);
  EXPECT_EQ(ceil_divide(8, 2), 4u);
  EXPECT_EQ(ceil_divide(0, 3), 0u);
}

TEST(LargestThatFits, IsFoundUpToTheLargestNumberThereIs) {
  for (std::uint32_t wanted : {0u, 1u, 2u, 3u, 1000u, 0xfffffffeu, 0xffffffffu})
    for (std::uint32_t most : {0u, 1u, 2u, 5u, 0xfffffffeu, 0xffffffffu})
      EXPECT_EQ(largest_that_fits(most, [&](std::uint32_t n) { return n <= wanted; }),
                std::min(wanted, most));
}

}  // namespace
}  // namespace muster
