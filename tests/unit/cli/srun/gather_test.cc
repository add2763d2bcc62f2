// Contributions of places are kept until all have arrived.
#include "cli/srun/gather.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

TEST(GatherBook, IsCompleteWithTheLastPlaceAndKeepsTheirOrder) {
  GatherBook book;
  EXPECT_FALSE(book.add(1, {"fence", {0, 1, 2}, "b"}));
  EXPECT_FALSE(book.add(2, {"fence", {0, 1, 2}, "c"}));
  auto complete = book.add(0, {"fence", {0, 1, 2}, "a"});
  ASSERT_TRUE(complete);
  EXPECT_EQ(complete->places, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(complete->gathered.parts, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(GatherBook, PlacesThatMeetUnderOneNameInDifferentCirclesDoNotMix) {
  GatherBook book;
  EXPECT_FALSE(book.add(0, {"fence", {0, 1}, "a"}));
  EXPECT_FALSE(book.add(1, {"fence", {1, 2}, "b"}));
  EXPECT_TRUE(book.add(1, {"fence", {0, 1}, "b"}));
}

TEST(GatherBook, WhoIsNotMeantContributesNothing) {
  GatherBook book;
  EXPECT_FALSE(book.add(7, {"fence", {0}, "x"}));
  EXPECT_TRUE(book.add(0, {"fence", {0}, "a"}));
}

}  // namespace
}  // namespace muster::cli
