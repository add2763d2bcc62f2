// Words that were mistyped.
#include "cli/options/nearest.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

using Names = std::vector<std::string>;

TEST(Nearest, FindsAWordWithFewTypingErrors) {
  const Names names{"partition", "nodelist", "ntasks", "nodes"};
  EXPECT_EQ(nearest_word("partiton", names), "partition");
  EXPECT_EQ(nearest_word("patrition", names), "partition");  // two letters are swapped
  EXPECT_EQ(nearest_word("ntask", names), "ntasks");
  EXPECT_EQ(nearest_word("node", names), "nodes");
}

TEST(Nearest, FindsNothingForAWordThatIsFarFromAll) {
  EXPECT_EQ(nearest_word("gpu", Names{"batch", "main"}), "");
  EXPECT_EQ(nearest_word("x", Names{}), "");
  EXPECT_EQ(nearest_word(std::string(1000, 'x'), Names{std::string(1000, 'x')}), "");
}

TEST(Nearest, ReadsTheOptionFromGetoptsMessage) {
  const std::vector<WordOption> known{{"partition", 'p', Argument::required}, {"help", 'h'}};
  EXPECT_EQ(nearest_option("unrecognized option '--partiton=main'", known),
            "did you mean --partition?");
  EXPECT_EQ(nearest_option("unrecognized option '--zzzzz'", known), "");
  EXPECT_EQ(nearest_option("invalid option -- 'y'", known), "");
}

}  // namespace
}  // namespace muster::cli
