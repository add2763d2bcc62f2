// Sections of a fan-out tree.
#include "base/tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace muster {
namespace {

using Runs = std::vector<muster::Section>;

TEST(Tree, AShortListIsAllRoots) {
  EXPECT_EQ(split_into_sections(3, 50), (Runs{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(split_into_sections(0, 2), Runs{});
}

TEST(Tree, RootsShareALongListEvenly) {
  EXPECT_EQ(split_into_sections(8, 3), (Runs{{0, 3}, {3, 3}, {6, 2}}));
  EXPECT_EQ(split_into_sections(5, 0), (Runs{{0, 5}}));
}

std::size_t depth(std::size_t count, std::size_t width) {
  std::size_t deepest = 0;
  for (const muster::Section& run : split_into_sections(count, width))
    deepest = std::max(deepest, 1 + depth(run.count - 1, width));
  return deepest;
}

TEST(Tree, IsAsDeepAsItsWidthAsksFor) {
  EXPECT_EQ(depth(50, 50), 1u);
  EXPECT_EQ(depth(1000, 50), 2u);
  EXPECT_EQ(depth(14, 2), 3u);
  EXPECT_EQ(depth(4, 1), 4u);
}

}  // namespace
}  // namespace muster
